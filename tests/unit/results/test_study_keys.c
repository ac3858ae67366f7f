/* What a study varies, and which figures suit it: grids, points, words, how many runs are drawn. */
#include <unistd.h>

#include "base/memory.h"
#include "results/study_keys.h"
#include "test.h"

static char path[] = "/tmp/mbopt_keys_XXXXXX";

/* A study of three keys whose row i is given by `value`, read. */
enum { CELL = 400 };
typedef void (*row)(int i, char text[3][CELL]);

static void keys_of(int n, row value, study *s, study_keys *k) {
  static study_column column[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  static const char *const name[] = {"a", "b", "c"};
  static const int width[] = {24, 24, CELL};
  mbd_error err = {0};
  FILE *out = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  points_write_head(out, 3, name);
  for (int i = 0; i < n; i++) {
    char text[3][CELL];
    value(i, text);
    const char *cells[] = {text[0], text[1], text[2]};
    points_write_row(out, 3, cells, width);
  }
  fclose(out);
  *s = (study){.n = n, .ncolumn = 3, .column = column};
  must(points_open(path, &s->points, &err), &err);
  must(study_keys_create(s, k, &err), &err);
}

static void done(study *s, study_keys *k) {
  study_keys_free(k);
  points_close(&s->points);
}

static void put(char text[3][CELL], double a, double b, const char *c) {
  snprintf(text[0], CELL, "%.17g", a), snprintf(text[1], CELL, "%.17g", b), snprintf(text[2], CELL, "%s", c);
}

/* ---- shapes ---- */

static void grid(int i, char text[3][CELL]) {
  put(text, 3 - i % 4, 100 * pow(2, i / 4), "7");
}

static void test_grid(void) {
  study s;
  study_keys k;
  int which[3];
  keys_of(20, grid, &s, &k);
  CU_ASSERT_EQUAL(study_keys_shape(&k), SHAPE_CONTOURS);
  CU_ASSERT(k.grid && !study_keys_thinned(&k));
  CU_ASSERT_EQUAL(study_keys_varied(&k, which), 2);
  CU_ASSERT_EQUAL(which[1], 1);
  CU_ASSERT(k.key[0].n == 4 && k.key[1].n == 5 && k.key[2].n == 1);
  CHECK_CLOSE("least first", k.key[0].level[0], 0, 0);
  CU_ASSERT(!k.key[0].log && k.key[1].log);
  CU_ASSERT_EQUAL(study_key_place(&k.key[1], 800), 3);
  CU_ASSERT_EQUAL(study_key_place(&k.key[1], 801), -1);
  done(&s, &k);
  keys_of(19, grid, &s, &k); /* a point is missing */
  CU_ASSERT_EQUAL(study_keys_shape(&k), SHAPE_SCATTER);
  done(&s, &k);
  keys_of(4, grid, &s, &k);
  CU_ASSERT_EQUAL(study_keys_shape(&k), SHAPE_CURVES);
  done(&s, &k);
  keys_of(1, grid, &s, &k);
  CU_ASSERT_EQUAL(study_keys_shape(&k), SHAPE_NONE);
  done(&s, &k);
}

static void spread(int i, char text[3][CELL]) {
  char c[32];
  snprintf(c, sizeof c, "%d", i * i);
  put(text, i * 0.37, i % 7, c);
}

static void test_three_numbers(void) {
  study s;
  study_keys k;
  keys_of(50, spread, &s, &k);
  CU_ASSERT_EQUAL(study_keys_shape(&k), SHAPE_PARALLEL);
  CU_ASSERT(!k.grid && !k.key[0].log && !k.key[2].log);
  done(&s, &k);
}

/* ---- words ---- */

static void words(int i, char text[3][CELL]) {
  static const char *const word[] = {"newmark", "generalized_alpha", "12a"};
  put(text, i / 3, 5, word[i % 3]);
}

static void test_words(void) {
  study s;
  study_keys k;
  mbd_error err = {0};
  keys_of(30, words, &s, &k);
  CU_ASSERT_EQUAL(study_keys_shape(&k), SHAPE_CURVES);
  CU_ASSERT(k.key[2].words && k.key[2].n == 3 && k.grid);
  CU_ASSERT_EQUAL(k.ncategory, 3);
  CU_ASSERT_STRING_EQUAL(k.category[1], "generalized_alpha");
  must(points_read(&s.points, 5, &err), &err);
  int category;
  must(study_keys_category(&k, s.points.value, &category, &err), &err);
  CU_ASSERT_EQUAL(category, 2);
  CU_ASSERT(isnan(study_key_number(&k.key[2], "3")));
  done(&s, &k);
}

/* Paths of files that differ at their ends only. */
static void long_words(int i, char text[3][CELL]) {
  char word[CELL];
  snprintf(word, sizeof word, "%0300d_%d.csv", 0, i % 2);
  put(text, i, 1, word);
}

static void test_long_words(void) {
  study s;
  study_keys k;
  keys_of(6, long_words, &s, &k);
  CU_ASSERT_EQUAL(k.ncategory, 2);
  CHECK_CONTAINS(k.category[1], "_1.csv");
  done(&s, &k);
}

static void many_words(int i, char text[3][CELL]) {
  char word[32];
  snprintf(word, sizeof word, "plan%d", i % 9);
  put(text, i / 9, 5, word);
}

static void test_many_words(void) {
  study s;
  study_keys k;
  mbd_error err = {0};
  keys_of(27, many_words, &s, &k);
  CU_ASSERT(k.ncategory == KEYS_CATEGORIES_MAX && k.more);
  must(points_read(&s.points, 8, &err), &err);
  int category;
  must(study_keys_category(&k, s.points.value, &category, &err), &err);
  CU_ASSERT_EQUAL(category, -1);
  done(&s, &k);
}

/* ---- how many are drawn ---- */

static int count_drawn(study *s, const study_keys *k) {
  mbd_error err = {0};
  int n = 0;
  for (long i = 0; i < s->n; i++) {
    must(points_read(&s->points, i, &err), &err);
    n += study_keys_drawn(k, i, s->points.value);
  }
  return n;
}

static void large_grid(int i, char text[3][CELL]) {
  put(text, i % 300, i / 300, "7");
}

/* A grid stays one: of 300 x 200 levels, every second or third is drawn. */
static void test_thin_grid(void) {
  study s;
  study_keys k;
  keys_of(60000, large_grid, &s, &k);
  CU_ASSERT(study_keys_thinned(&k) && study_keys_shape(&k) == SHAPE_CONTOURS);
  const int nx = (300 + k.key[0].stride - 1) / k.key[0].stride, ny = (200 + k.key[1].stride - 1) / k.key[1].stride;
  const int drawn = count_drawn(&s, &k);
  CU_ASSERT_EQUAL(drawn, nx * ny);
  CU_ASSERT(drawn <= KEYS_POINTS_MAX && drawn > KEYS_POINTS_MAX / 3);
  done(&s, &k);
}

static void large_points(int i, char text[3][CELL]) {
  put(text, i * 1e-3, -i, "x");
}

/* More values than are told apart: no grid, every third run. */
static void test_thin_points(void) {
  study s;
  study_keys k;
  keys_of(45001, large_points, &s, &k);
  CU_ASSERT_EQUAL(k.key[0].n, 0);
  CHECK_CLOSE("largest", k.key[0].high, 45, 1e-12);
  CU_ASSERT_EQUAL(study_keys_shape(&k), SHAPE_SCATTER);
  CU_ASSERT_EQUAL(count_drawn(&s, &k), 15001);
  done(&s, &k);
}

int main(void) {
  const int file = mkstemp(path);
  if (file < 0) { return 2; }
  close(file);
  const test_entry all[] = {TEST(test_grid),       TEST(test_three_numbers), TEST(test_words),
                            TEST(test_long_words), TEST(test_many_words),    TEST(test_thin_grid),
                            TEST(test_thin_points)};
  const int failed = test_run(__FILE__, all, (int)(sizeof all / sizeof all[0]));
  unlink(path);
  return failed;
}
