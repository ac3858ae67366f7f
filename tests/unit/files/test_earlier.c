/* Results that are kept: numbers of folders, files that begin with a name, folders that take none. */
#include "files/atomic_file.h"
#include "files/earlier.h"

#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char folder[] = "/tmp/mbopt_earlier_XXXXXX";

static const char *in_folder(const char *name) {
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name) {
  FILE *out = fopen(in_folder(name), "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fclose(out);
}

static int is_there(const char *name) {
  return access(in_folder(name), F_OK) == 0;
}

static mbd_status move(void *user, const char *name, mbd_error *err) {
  return earlier_move(folder, name, user, err);
}

static void test_kept(void) {
  mbd_error err = {0};
  char *first, *second;
  write_file("table.csv"), write_file("table.csv.old"), write_file("other.csv");
  must(earlier_make(folder, &first, &err), &err);
  CU_ASSERT_STRING_EQUAL(first, in_folder("earlier-1"));
  must(folder_each(folder, "table.csv", move, first, &err), &err);
  CU_ASSERT(is_there("earlier-1/table.csv") && is_there("earlier-1/table.csv.old") && is_there("other.csv"));
  CU_ASSERT(!is_there("table.csv") && !is_there("table.csv.old"));
  must(earlier_make(folder, &second, &err), &err);
  CU_ASSERT_STRING_EQUAL(second, in_folder("earlier-2"));
  free(first), free(second);
}

static void test_refused(void) {
  mbd_error err = {0};
  char *made;
  CU_ASSERT_EQUAL(earlier_make("/nowhere", &made, &err), MBD_IO_ERROR);
  CU_ASSERT_PTR_NULL(made);
  CHECK_CONTAINS(err.text, "folder /nowhere/earlier-1 cannot be made: No such file");
  must(folder_each("/nowhere", "", move, folder, &err), &err); /* has no files */
  write_file("file");
  CU_ASSERT_EQUAL(folder_each(in_folder("file"), "", move, folder, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "file cannot be read: Not a directory");
  CU_ASSERT_EQUAL(earlier_move(folder, "nothing", folder, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "cannot be moved to");
}

TEST_MAIN_IN(folder, TEST(test_kept), TEST(test_refused))
