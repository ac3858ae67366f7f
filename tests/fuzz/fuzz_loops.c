/* Files that say where the loops of a robot are closed: any bytes are read or refused; what is read becomes a robot whose model file is read. */
#include <math.h>

#include "config/config.h"
#include "fuzz.h"
#include "import/loop_file.h"
#include "import/robot_fill.h"

/* A chain of two bars on either side of a base: links base, A, B, C, D and joints a, b, c, d. */
static void make_robot(robot *r) {
  static const char *const link[] = {"base", "A", "B", "C", "D"}, *const joint[] = {"a", "b", "c", "d"};
  static const int parent[] = {0, 1, 0, 3};
  robot_begin(r, "loops");
  r->name = strdup("loops");
  for (int i = 0; i < 5; i++) { promise(robot_add_link(r, link[i], i + 1) != NULL, "memory", "none"); }
  for (int i = 0; i < 4; i++) {
    robot_joint *j = robot_add_joint(r, joint[i], i + 6);
    promise(j != NULL, "memory", "none");
    j->link[0] = parent[i], j->link[1] = i + 1;
    j->frame[0].xyz[0] = i % 2 ? 0.5 : i - 1;
    j->axis[0] = 0, j->axis[1] = 1;
  }
}

static void check_model(const robot *r) {
  char *text = NULL;
  size_t size = 0;
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  FILE *out = open_memstream(&text, &size);
  promise(out != NULL, "memory", "none");
  robot_write_model(r, ROBOT_BASE_FIXED, out);
  promise(fclose(out) == 0, "memory", "none");
  const mbd_status status = mbo_model_file_read_case("loops", &(mbo_model_changes){.text = text}, &m, &err);
  promise(status == MBD_OK || status == MBD_NO_MEMORY, "a model file that is read", err.text);
  mbo_model_file_destroy(m);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz_file f = fuzz_file_create(data, size);
  robot r;
  mbd_error err = {0};
  make_robot(&r);
  if (loop_file_read(f.path, &r, &err) == MBD_OK && robot_finish(&r, &err) == MBD_OK) { check_model(&r); }
  robot_free(&r);
  fuzz_file_close(&f);
  return 0;
}
