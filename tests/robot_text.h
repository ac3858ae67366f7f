/* Files of robots as text for tests of their readers: read, and edited in one place to see what is refused and what is warned of. */
#ifndef MBOPT_TEST_ROBOT_TEXT_H
#define MBOPT_TEST_ROBOT_TEXT_H

#include "edited.h"
#include "import/robot.h"
#include "mbo/run.h"

/* A reader, and the folder for its files. */
typedef struct robot_format {
  mbd_status (*read)(const char *path, robot *r, mbd_error *err);
  const char *folder;
} robot_format;

/* Reads a robot of that text. What is refused names its file. */
static inline mbd_status read_robot(const robot_format *f, const char *text, robot *r, mbd_error *err) {
  char path[300];
  snprintf(path, sizeof path, "%s/robot.XXXXXX", f->folder);
  write_file(path, text);
  const mbd_status status = f->read(path, r, err);
  if (status != MBD_OK && status != MBD_NOT_BUILT_IN) { CHECK_CONTAINS(err->text, path); }
  unlink(path);
  return status;
}

/* Its model, or the run file beside model.ini, as a file. */
static inline void robot_put(const char *path, const robot *r, robot_base base, int is_model) {
  FILE *out = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  if (is_model) {
    robot_write_model(r, base, out);
  } else {
    robot_write_run(r, base, "model.ini", out);
  }
  CU_ASSERT_EQUAL_FATAL(fclose(out), 0);
}

/* A column of a motion in a row; row -1: the last. */
static inline double series_at(const mbo_series *s, int row, const char *name) {
  const int column = mbo_series_find(s, name), k = row < 0 ? mbo_series_rows(s) - 1 : row;
  if (column < 0) { printf("\n  no column %s\n", name); }
  CU_ASSERT_FATAL(column >= 0);
  return mbo_series_values(s)[k * mbo_series_columns(s) + column];
}

/* Returns 0, and skips the test, where the program was built without the library that reads XML. */
static inline int reads_robots(const robot_format *f) {
  robot r;
  mbd_error err = {0};
  const mbd_status status = read_robot(f, "<robot/>", &r, &err);
  robot_free(&r);
  if (status != MBD_NOT_BUILT_IN) { return 1; }
  CHECK_CONTAINS(err.text, "libexpat1-dev");
  test_skip("built without expat");
  return 0;
}

/* Each of the n edits of the text is refused with its message; */
static inline void robots_are_refused(const robot_format *f, const char *text, size_t n, const broken_case *cases) {
  if (!reads_robots(f)) { return; }
  for (size_t i = 0; i < n; i++) {
    char edited[2000];
    robot r;
    mbd_error err = {0};
    edit(edited, sizeof edited, text, cases[i].from, cases[i].to);
    CU_ASSERT_EQUAL(read_robot(f, edited, &r, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
    robot_free(&r);
  }
}

/* or read with one warning. */
static inline void robots_cause_warnings(const robot_format *f, const char *text, size_t n, const broken_case *cases) {
  if (!reads_robots(f)) { return; }
  for (size_t i = 0; i < n; i++) {
    char edited[2000];
    robot r;
    mbd_error err = {0};
    edit(edited, sizeof edited, text, cases[i].from, cases[i].to);
    must(read_robot(f, edited, &r, &err), &err);
    CU_ASSERT_EQUAL_FATAL(r.nwarning, 1);
    CHECK_CONTAINS(r.warning[0].text, cases[i].message);
    robot_free(&r);
  }
}

#endif
