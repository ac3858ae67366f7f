/* Model files as text for tests: edited in one place, and read. */
#ifndef MBOPT_TEST_EDITED_H
#define MBOPT_TEST_EDITED_H

#include <unistd.h>

#include "config/config.h"
#include "own_force.h"
#include "test.h"

typedef struct broken_case {
  const char *from, *to, *message;
} broken_case;

/* `text` with the first `from` replaced by `to`; from "": `to` is added at the end. */
static inline void edit(char *out, size_t size, const char *text, const char *from, const char *to) {
  const char *at = *from ? strstr(text, from) : text + strlen(text);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  snprintf(out, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* A new file of that text; path: a template of mkstemp. */
static inline void write_file(char *path, const char *text) {
  FILE *out = fdopen(mkstemp(path), "wb");
  if (!out || fputs(text, out) < 0 || fclose(out) != 0) {
    printf("\n  %s cannot be written\n", path);
    exit(1);
  }
}

/* A model file, in which forces with plugin = general are those of own_force.c. */
static inline mbd_status read_model_file(const char *path, int n, const char *const *scalar, const char *const *value,
                                         mbo_model_file **m, mbd_error *err) {
  mbo_plugin plugin = {.name = OWN_FORCE, .force = &mbd_plugin};
  const mbo_pairs scalars = {{n, (char **)scalar}, {n, (char **)value}};
  return mbo_model_file_read_case(path, &(mbo_model_changes){.scalars = &scalars, .nplugin = 1, .plugin = &plugin}, m,
                                  err);
}

static inline mbd_status read_model(const char *text, mbo_model_file **m, mbd_error *err) {
  char path[] = "/tmp/mbopt_model_XXXXXX";
  write_file(path, text);
  const mbd_status status = read_model_file(path, 0, NULL, NULL, m, err);
  unlink(path);
  return status;
}

/* Each of the n edits of a model file is refused with its message. */
static inline void check_broken_models(const char *model, size_t n, const broken_case *cases) {
  for (size_t i = 0; i < n; i++) {
    char text[2000];
    mbo_model_file *m = NULL;
    mbd_error err = {0};
    edit(text, sizeof text, model, cases[i].from, cases[i].to);
    CU_ASSERT_EQUAL(read_model(text, &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
    mbo_model_file_destroy(m);
  }
}

#endif
