#include "study/study_hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/text_file.h"
#include "base/memory.h"
#include "evaluate/fingerprint.h"
#include "mechanism/mechanism.h"
#include "files/text_stream.h"
#include "mbd/version.h"

mbd_status study_hash_file(unsigned long long *hash, const char *path, mbd_error *err) {
  FILE *in = NULL;
  if (text_file_open(path, &in, err) == MBD_NO_MEMORY) { return MBD_NO_MEMORY; }
  for (int k; in && (k = getc(in)) != EOF;) {
    const unsigned char c = (unsigned char)k;
    *hash = fingerprint_add(*hash, &c, 1);
  }
  if (in) { fclose(in); }
  return MBD_OK;
}

/* A run file with all defaults but for what does not matter to a result: comments, where the model is, who does the runs. */
static mbd_status hash_config(const mbo_run_config *c, unsigned long long *hash, mbd_error *err) {
  text_stream s;
  FILE *out = text_begin(&s);
  const int whole = out && mbo_run_config_write(c, out) == MBD_OK;
  char *text = text_end(&s);
  if (!text || !whole) {
    free(text);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", c->path);
  }
  const char *begin = strstr(text, "\n[scalars]"), *end = strstr(text, "\n[output]");
  *hash = fingerprint_add(*hash, begin, (size_t)(end - begin));
  free(text);
  return MBD_OK;
}

/* What starts are drawn from. */
static unsigned long long hash_starts(unsigned long long hash, int n, const mbo_multistart_config *c) {
  hash = fingerprint_add(hash, &n, sizeof n);
  hash = fingerprint_add(hash, &c->seed, sizeof c->seed);
  hash = fingerprint_add(hash, &c->spread, sizeof c->spread);
  return fingerprint_text(hash, c->plan);
}

static mbd_status hash_problem(const mbo_run_config *c, unsigned long long *hash, mbd_error *err) {
  mechanism *m = NULL;
  MBD_TRY(mechanism_create(c, &m, err));
  char *print = mechanism_fingerprint(m);
  mechanism_destroy(m);
  if (!print) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", c->path); }
  *hash = fingerprint_text(*hash, print);
  free(print);
  return hash_config(c, hash, err);
}

mbd_status study_hash(study *s, unsigned long long *hash, mbd_error *err) {
  *hash = fingerprint_text(fingerprint_text(FINGERPRINT_NONE, MBD_VERSION), s->task);
  for (int i = 0; i < s->ncolumn; i++) { *hash = fingerprint_text(*hash, s->column[i].key); }
  for (int i = 0; i < s->nfile; i++) {
    mbo_run_config *c = NULL;
    MBD_TRY(mbo_run_config_read(s->file[i], s->nset, (const char *const *)s->set, &c, err));
    free(c->model_path), free(c->path);
    c->model_path = mbd_strdup(s->model[i]), c->path = mbd_strdup(s->origin[i]);
    mbd_status status = c->model_path && c->path ? hash_problem(c, hash, err)
                                                 : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__,
                                                            "no memory for the study in %s", s->folder);
    if (s->starts) { *hash = hash_starts(*hash, s->starts, &c->multistart); }
    if (i == 0) {
      s->config = c;
    } else {
      mbo_run_config_destroy(c);
    }
    MBD_TRY(status);
  }
  return MBD_OK;
}
