/* Files that are whole or not there: what a reader sees before, after, and when writing fails; names that are kept; what lost
 * processes leave. */
#include "files/atomic_file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "test.h"

static char folder[] = "/tmp/mbopt_atomic_XXXXXX";

static const char *in_folder(const char *name) {
  static char path[4][300];
  static int k;
  k = (k + 1) % 4;
  snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
  return path[k];
}

static int is_there(const char *name) {
  return access(in_folder(name), F_OK) == 0;
}

static void check_text(const char *name, const char *expected) {
  char text[64] = "";
  FILE *in = fopen(in_folder(name), "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  fclose(in);
  CU_ASSERT_STRING_EQUAL(text, expected);
}

static void write_text(const char *name, const char *text) {
  atomic_file a;
  mbd_error err = {0};
  must(atomic_open_in(folder, name, &a, &err), &err);
  fputs(text, a.out);
  must(atomic_commit(&a, &err), &err);
}

static void test_whole(void) {
  atomic_file a;
  mbd_error err = {0};
  write_text("result", "first");
  must(atomic_open(in_folder("result"), &a, &err), &err);
  fputs("sec", a.out), fflush(a.out);
  check_text("result", "first");
  fputs("ond", a.out);
  must(atomic_end(&a, MBD_OK, &err), &err);
  check_text("result", "second");
  must(atomic_open(in_folder("result"), &a, &err), &err);
  char *half = mbd_strdup(a.temporary);
  fputs("third", a.out), fflush(a.out);
  CU_ASSERT_EQUAL(access(half, F_OK), 0);
  CU_ASSERT_EQUAL(atomic_end(&a, MBD_NOT_FINITE, &err), MBD_NOT_FINITE);
  CU_ASSERT_NOT_EQUAL(access(half, F_OK), 0);
  check_text("result", "second");
  free(half);
}

/* On a device that is always full. */
static void test_full(void) {
  atomic_file a;
  mbd_error err = {0};
  if (access("/dev/full", W_OK) != 0) {
    test_skip("there is no /dev/full");
    return;
  }
  write_text("kept", "as it was");
  for (int early = 0; early < 2; early++) { /* 1: the write fails before the end, when the reason is not looked at */
    must(atomic_open(in_folder("kept"), &a, &err), &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(freopen("/dev/full", "w", a.out));
    fputs("lost", a.out);
    if (early) { fflush(a.out); }
    CU_ASSERT_EQUAL(atomic_commit(&a, &err), MBD_IO_ERROR);
    CHECK_CONTAINS(err.text, "kept cannot be written: No space left on device");
    check_text("kept", "as it was");
  }
}

static void test_refused(void) {
  atomic_file a;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(atomic_open("/nowhere/result", &a, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "/nowhere/result cannot be written: No such file");
  CU_ASSERT_EQUAL(copy_file(in_folder("none"), in_folder("copy"), &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "none cannot be read");
  CU_ASSERT(!is_there("copy"));
  write_text("file", "");
  CU_ASSERT_EQUAL(make_folder(in_folder("file/below"), &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "file/below cannot be made: Not a directory");
  must(path_check("a/folder with blanks/\xC3\xA4", &err), &err);
  CU_ASSERT_EQUAL(path_check("a\nb", &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "path 'a...': a line break or a control character (code 10)");
}

static void test_second_names(void) {
  mbd_error err = {0};
  char *kept;
  write_text("journal", "old");
  must(keep_as(in_folder("journal"), "damaged", &kept, &err), &err);
  CU_ASSERT_STRING_EQUAL(kept, in_folder("journal.damaged"));
  free(kept);
  write_text("journal", "new");
  check_text("journal.damaged", "old");
  must(keep_as(in_folder("journal"), "damaged", &kept, &err), &err);
  CU_ASSERT_STRING_EQUAL(kept, in_folder("journal.damaged2"));
  free(kept);
  check_text("journal.damaged2", "new");
  CU_ASSERT_EQUAL(link_file(in_folder("journal"), in_folder("journal.damaged"), &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "journal.damaged is there already");
  check_text("journal.damaged", "old");
}

/* What a process that is no more has begun is removed; what one that lives has begun is not. */
static void test_tidy(void) {
  atomic_file mine;
  mbd_error err = {0};
  must(atomic_open(in_folder("mine"), &mine, &err), &err);
  const pid_t pid = fork();
  if (pid == 0) {
    atomic_file lost;
    _exit(atomic_open(in_folder("lost"), &lost, &err) == MBD_OK ? 0 : 1);
  }
  int status;
  CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
  CU_ASSERT_EQUAL(status, 0);
  char *left = mbd_strdup(mine.temporary);
  atomic_tidy(folder);
  CU_ASSERT_EQUAL(access(left, F_OK), 0);
  free(left);
  must(atomic_commit(&mine, &err), &err);
  CU_ASSERT(is_there("mine"));
  char command[400];
  snprintf(command, sizeof command, "ls '%s' | grep -c '^lost.tmp-' >/dev/null", folder);
  CU_ASSERT_NOT_EQUAL(system(command), 0);
}

static void test_written(void) {
  mbd_error err = {0};
  double when, before;
  write_text("dated", "");
  must(file_written(folder, "dated", &when, &err), &err);
  struct stat info;
  stat(in_folder("dated"), &info);
  before = (double)info.st_mtim.tv_sec;
  CU_ASSERT(when >= before && when < before + 1);
  must(file_written(folder, "undated", &when, &err), &err);
  CU_ASSERT_EQUAL(when, -1);
}

/* A file of which a part found no memory is not committed; a path that found none is not opened. */
static void test_lost(void) {
  atomic_file a;
  mbd_error err = {0};
  write_text("part", "whole");
  must(atomic_open(in_folder("part"), &a, &err), &err);
  mbd_memory_note();
  CU_ASSERT_EQUAL(atomic_end(&a, MBD_OK, &err), MBD_NO_MEMORY);
  CHECK_CONTAINS(err.text, "/part cannot be written: ");
  check_text("part", "whole");
  CU_ASSERT_EQUAL(atomic_open(NULL, &a, &err), MBD_NO_MEMORY);
  CU_ASSERT_EQUAL(make_folder(NULL, &err), MBD_NO_MEMORY);
  write_text("part", "again"); /* what was lost before it began does not matter */
  check_text("part", "again");
}

TEST_MAIN_IN(folder, TEST(test_whole), TEST(test_full), TEST(test_refused), TEST(test_second_names), TEST(test_tidy),
             TEST(test_written), TEST(test_lost))
