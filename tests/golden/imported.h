/* Models of robots of the repository as `mbopt import` writes them. */
#ifndef MBOPT_TEST_IMPORTED_H
#define MBOPT_TEST_IMPORTED_H

#include "import/import.h"
#include "import/robot_vary.h"
#include "opened_run.h"

/* Writes the model file of a robot, with numbers that vary; its path, which the test unlinks. Returns 0, and skips the test, without expat. */
static inline int import_model(const char *file, unsigned vary, char path[40]) {
  char robot_path[512];
  robot r;
  mbd_error err = {0};
  snprintf(robot_path, sizeof robot_path, "%s/%s", MBOPT_SOURCE_DIR, file);
  const mbd_status status = import_read(robot_path, &r, &err);
  if (status == MBD_NOT_BUILT_IN) {
    robot_free(&r);
    test_skip(err.text);
    return 0;
  }
  must(status, &err);
  r.vary = vary;
  strcpy(path, "/tmp/mbopt_import_XXXXXX");
  const int fd = mkstemp(path);
  FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  robot_write_model(&r, ROBOT_BASE_FIXED, out);
  CU_ASSERT_EQUAL_FATAL(fclose(out), 0);
  robot_free(&r);
  return 1;
}

#endif
