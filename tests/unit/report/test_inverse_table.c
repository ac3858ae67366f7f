/* inverse_dynamics.csv read again for figures: which entries it takes, in which order, under which names. */
#include <unistd.h>

#include "report/inverse_table.h"
#include "test.h"

static char folder[] = "/tmp/mbopt_inverse_XXXXXX";

static mbd_status read_text(const char *text, inverse_table *q, mbd_error *err) {
  char path[100];
  snprintf(path, sizeof path, "%s/table.csv", folder);
  test_put(path, text);
  const mbd_status status = inverse_table_read(folder, "table.csv", q, err);
  unlink(path);
  return status;
}

/* Eight entries of dQ/dz, of which six stay, one of them as large as another; of dQ/dzd one, which is neither all zero nor rounding; no dQ/dzdd. */
static void test_largest(void) {
  static const char *const names[] = {"a by h", "a by b", "b by a", "a by g", "a by c", "a by f"};
  inverse_table q;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(
      read_text("t [s],Q a [N m],d Q a/d b,d Q b/d a,d Q a/d c,d Q a/d d,d Q a/d e,d Q a/d f,d Q a/d g,d Q a/d h,"
                "d Q a/d b.rate,d Q b/d a.rate,d Q a/d a.rate,d Q a/d a.acceleration\n"
                "0,99,-5,5,3,0.1,0.2,1,4,0,0,1,1e-17,0\n0.5,99,-5,5,3,0.1,0.2,-1,4,-9,0,-3,1e-14,0\n",
                &q, &err),
      MBD_OK);
  CU_ASSERT_EQUAL(q.n, 2);
  CHECK_CLOSE("time", q.t[1], 0.5, 0);
  CU_ASSERT_EQUAL_FATAL(q.count[0], 6);
  for (int i = 0; i < 6; i++) { CU_ASSERT_STRING_EQUAL(q.name[0][i], names[i]); }
  CHECK_CLOSE("largest", q.entry[0][0][1], -9, 0);
  CHECK_CLOSE("second", q.entry[0][1][0], -5, 0);
  CU_ASSERT_EQUAL_FATAL(q.count[1], 1);
  CU_ASSERT_STRING_EQUAL(q.name[1][0], "b by a.rate");
  CHECK_CLOSE("rate", q.entry[1][0][1], -3, 0);
  CU_ASSERT_EQUAL(q.count[2], 0);
  inverse_table_free(&q);
}

static void test_other_files(void) {
  inverse_table q;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(inverse_table_read(folder, "missing.csv", &q, &err), MBD_OK);
  CU_ASSERT_EQUAL(q.n, 0);
  inverse_table_free(&q);
  CU_ASSERT_EQUAL(read_text("t [s],Q a [N]\n", &q, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "table.csv: expected a table that begins with the column 't [s]'");
  inverse_table_free(&q);
}

static void test_folder(void) {
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  test_largest();
  test_other_files();
  rmdir(folder);
}

TEST_MAIN(TEST(test_folder))
