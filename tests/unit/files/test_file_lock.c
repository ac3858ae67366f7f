/* Locks on bytes of open files: of two of them, of what they do not share, of what is closed. */
#include "files/file_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include "test.h"

static char folder[] = "/tmp/mbopt_file_lock_XXXXXX";

static int open_file(void) {
  char path[100];
  snprintf(path, sizeof path, "%s/file", folder);
  return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

static void test_two(void) {
  const int one = open_file(), other = open_file();
  CU_ASSERT_FATAL(one >= 0 && other >= 0);
  CU_ASSERT_EQUAL(file_lock_take(one, 10, 10), FILE_LOCK_OURS);
  CU_ASSERT_EQUAL(file_lock_take(one, 15, 10), FILE_LOCK_OURS);
  CU_ASSERT_EQUAL(file_lock_look(one, 0, 0), FILE_LOCK_OURS);
  CU_ASSERT_EQUAL(file_lock_take(other, 0, 10), FILE_LOCK_OURS);
  CU_ASSERT_EQUAL(file_lock_take(other, 24, 1), FILE_LOCK_OTHERS);
  CU_ASSERT_EQUAL(file_lock_take(other, 0, 0), FILE_LOCK_OTHERS);
  CU_ASSERT_EQUAL(file_lock_look(other, 0, 10), FILE_LOCK_OURS);
  CU_ASSERT_EQUAL(file_lock_look(other, 25, 0), FILE_LOCK_OURS);
  CU_ASSERT_EQUAL(file_lock_look(other, 0, 0), FILE_LOCK_OTHERS);
  close(one);
  CU_ASSERT_EQUAL(file_lock_take(other, 0, 0), FILE_LOCK_OURS);
  close(other);
}

static void test_no_file(void) {
  CU_ASSERT_EQUAL(file_lock_take(-1, 0, 1), FILE_LOCK_FAILED);
  CU_ASSERT_EQUAL(file_lock_look(-1, 0, 1), FILE_LOCK_FAILED);
}

TEST_MAIN_IN(folder, TEST(test_two), TEST(test_no_file))
