/* JSON: values that it has no form for, files that are read and written, what is lost when memory runs out. */
#include "files/json.h"

#include "test.h"

static char folder[] = "/tmp/mbopt_json_XXXXXX";

static void check_json(json_t *o, const char *expected) {
  char *text = json_dumps(o, JSON_COMPACT | JSON_ENCODE_ANY);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  CU_ASSERT_STRING_EQUAL(text, expected);
  free(text);
  json_decref(o);
}

static void test_values(void) {
  const double v[] = {1, NAN, -INFINITY, 0.5};
  check_json(json_number(0.25), "0.25");
  check_json(json_number(NAN), "null");
  check_json(json_numbers(v, 4), "[1.0,null,null,0.5]");
  check_json(json_text("L\xc3\xa4nge"), "\"L\xc3\xa4nge\"");
  check_json(json_text("L\xe4nge"), "\"L?nge\"");             /* Latin-1 */
  check_json(json_text("L\xc3\xa4nge \xc3"), "\"L??nge ?\""); /* cut within a character */
}

static void test_files(void) {
  mbd_error err = {0};
  json_error_t why;
  json_t *o = json_pack("{s:i}", "runs", 3), *back;
  must(json_write_file(folder, "study.json", o, &err), &err);
  must(json_read_in(folder, "study.json", &back, &why), &err);
  CU_ASSERT(json_equal(o, back));
  json_decref(o), json_decref(back);
  CU_ASSERT_EQUAL(json_read_in(folder, "none.json", &back, &why), MBD_BAD_INPUT);
  CU_ASSERT_PTR_NULL(back);
  CU_ASSERT_EQUAL(why.line, 0);
  CHECK_CONTAINS(why.text, "No such file");
}

static void test_no_json(void) {
  char path[200];
  json_error_t why;
  json_t *o;
  snprintf(path, sizeof path, "%s/bad.json", folder);
  test_put(path, "{\"runs\":\n 3,,}\n");
  CU_ASSERT_EQUAL(json_read_file(path, &o, &why), MBD_BAD_INPUT);
  CU_ASSERT_PTR_NULL(o);
  CU_ASSERT_EQUAL(why.line, 2);
}

/* What the caller has lost keeps an object out of texts and files. */
static void test_lost(void) {
  mbd_error err = {0};
  json_memory_watch();
  json_t *o = json_object();
  const long before = mbd_memory_lost();
  char *text = json_memory_dumps(o, 0, before);
  CU_ASSERT_STRING_EQUAL(text, "{}");
  free(text);
  mbd_memory_note();
  CU_ASSERT_EQUAL(mbd_memory_lost(), before + 1);
  CU_ASSERT_PTR_NULL(json_memory_dumps(o, 0, before));
  CU_ASSERT_EQUAL(json_write_file(folder, "lost.json", o, &err), MBD_NO_MEMORY);
  json_t *none;
  CU_ASSERT_EQUAL(json_read_in(folder, "lost.json", &none, NULL), MBD_BAD_INPUT);
  json_decref(o);
}

TEST_MAIN_IN(folder, TEST(test_values), TEST(test_files), TEST(test_no_json), TEST(test_lost))
