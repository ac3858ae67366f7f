/* Tables: cells and their quotes, what is left out between them, tables that are refused. */
#include "files/csv.h"

#include <unistd.h>

#include "test.h"

static char folder[] = "/tmp/mbopt_csv_XXXXXX";

static const char *path(void) {
  static char text[100];
  snprintf(text, sizeof text, "%s/table.csv", folder);
  return text;
}

static void write_table(const char *text) {
  test_put(path(), text);
}

static void test_read(void) {
  mbd_error err = {0};
  csv c;
  write_table("name,x,message\na,1.5,\"one, \"\"two\"\"\"\r\nb,,\n");
  must(csv_read(path(), 0, &c, &err), &err);
  CU_ASSERT_EQUAL(c.ncol, 3);
  CU_ASSERT_EQUAL(c.nrow, 2);
  CU_ASSERT_EQUAL(csv_column(&c, "message"), 2);
  CU_ASSERT_EQUAL(csv_column(&c, "nothing"), -1);
  CU_ASSERT_STRING_EQUAL(csv_text(&c, 0, 2), "one, \"two\"");
  CU_ASSERT_STRING_EQUAL(csv_text(&c, 1, 0), "b");
  CHECK_CLOSE("number", csv_number(&c, 0, 1), 1.5, 0);
  CU_ASSERT(isnan(csv_number(&c, 1, 1)) && isnan(csv_number(&c, 0, 0)) && isnan(csv_number(&c, 0, -1)));
  csv_free(&c);
  write_table("a,b\n1,2\n3\n");
  CU_ASSERT_EQUAL(csv_read(path(), 0, &c, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "table.csv:3: 1 value, expected 2 as in the first line");
  write_table("");
  CU_ASSERT_EQUAL(csv_read(path(), 0, &c, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "expected names of columns in the first line");
  unlink(path());
  CU_ASSERT_EQUAL(csv_read(path(), 0, &c, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "table.csv: No such file");
}

static void check_cells(const char *text, const char *const *cell, int n) {
  mbd_error err = {0};
  csv c;
  write_table(text);
  must(csv_read(path(), 1, &c, &err), &err);
  CU_ASSERT_EQUAL(c.ncell, n);
  for (int i = 0; i < n; i++) { CU_ASSERT_STRING_EQUAL(c.cell[i], cell[i]); }
  csv_free(&c);
}

static void test_between(void) {
  static const char *const cell[] = {"a b", "c", " d ", "atan2(1, 2)", "e", "f"};
  check_cells(" a b , c\n# comment, with comma\n\n \t \n\" d \", atan2(1, 2)\t\ne,f", cell, 6);
  check_cells("\"a b\",c\n\" d \",\"atan2(1, 2)\"\ne,f\n", cell, 6);
}

/* A table as spreadsheets of many countries write it. */
static void test_semicolons(void) {
  static const char *const cell[] = {"t [s]", "F(x, y)", "note, two", "-0.5", "1.5e-3", "a,b", "1", "1.234,5", "c;d"};
  check_cells("t [s];F(x, y);note, two\n-0,5;1,5e-3;a,b\n1;1.234,5;\"c;d\"\n", cell, 9);
  static const char *const quoted[] = {"a;b", "c", "1", "2;3"};
  check_cells("\"a;b\",c\n1,2;3\n", quoted, 4);
}

static void check_refused(const char *text, int whole, const char *says) {
  mbd_error err = {0};
  csv c;
  write_table(text);
  CU_ASSERT_EQUAL(csv_read(path(), whole, &c, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, says);
}

static void test_refused(void) {
  check_refused("a,b\n# comment\n1, \n", 1, "table.csv:3: no value for 'b'");
  check_refused("a,,b\n", 0, "table.csv:1: column 2 has no name");
  check_refused("a\nl\xe4tin\n", 0, "table.csv:2: letters that are not in UTF-8");
  check_refused("# nothing\n", 0, "expected names of columns in the first line");
}

TEST_MAIN_IN(folder, TEST(test_read), TEST(test_between), TEST(test_semicolons), TEST(test_refused))
