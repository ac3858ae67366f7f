/* Robots in any format: what is read becomes a model file that is read too. */
#ifndef MBOPT_FUZZ_ROBOT_H
#define MBOPT_FUZZ_ROBOT_H

#include "config/config.h"
#include "fuzz.h"
#include "import/robot_shape.h"

/* One of the files that are written, in new memory. */
static inline char *fuzz_robot_text(const robot *r, robot_base base, int is_model) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  promise(out != NULL, "memory", "none");
  if (is_model) {
    robot_write_model(r, base, out);
  } else {
    robot_write_run(r, base, "model.ini", out);
  }
  promise(fclose(out) == 0, "memory", "none");
  return text;
}

static inline void fuzz_robot_model(const robot *r, robot_base base) {
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  char *model = fuzz_robot_text(r, base, 1);
  free(fuzz_robot_text(r, base, 0));
  const fuzz_file f = fuzz_file_create(model, strlen(model));
  const mbd_status status = mbo_model_file_read_case(f.path, &(mbo_model_changes){.nplugin = 0}, &m, &err);
  promise(status == MBD_OK || status == MBD_NO_MEMORY, "a model file that is read", err.text);
  mbo_model_file_destroy(m);
  fuzz_file_close(&f);
  free(model);
}

/* Reads the bytes by the reader of a format. */
static inline int fuzz_robot(const uint8_t *data, size_t size,
                             mbd_status (*read)(const char *path, robot *r, mbd_error *err)) {
  const fuzz_file f = fuzz_file_create(data, size);
  robot r;
  mbd_error err = {0};
  if (read(f.path, &r, &err) == MBD_OK) {
    const robot_folders folders = {.out = "."};
    const mbd_status status = robot_find_meshes(&r, &folders, &err);
    promise(status == MBD_OK || status == MBD_NO_MEMORY, "meshes that are found or not", err.text);
    fuzz_robot_model(&r, r.grounded || size % 2 ? ROBOT_BASE_FIXED : ROBOT_BASE_FLOATING);
  }
  robot_free(&r);
  fuzz_file_close(&f);
  return 0;
}

#endif
