/* Locks of the runs of a study: parts that share no run, parts that do, the folder, messages about them. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "study/lock.h"
#include "test.h"

static char folder[] = "/tmp/mbopt-lock-XXXXXX";

/* A process that holds the runs [10, 20) until `end` is closed. */
typedef struct holder {
  pid_t pid;
  int end;
} holder;

static int *released; /* in memory that both processes share: the holder sets it just before it ends */

static holder hold(void) {
  static const struct timespec time = {.tv_nsec = 200000000};
  int ready[2], end[2], lock;
  char byte;
  CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
  CU_ASSERT_EQUAL_FATAL(pipe(end), 0);
  if (!released) { released = mmap(NULL, sizeof *released, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); }
  CU_ASSERT_NOT_EQUAL_FATAL((void *)released, MAP_FAILED);
  *released = 0;
  const pid_t pid = fork();
  if (pid == 0) {
    close(end[1]);
    const int taken = lock_take(folder, 10, 20, &lock, NULL) == MBD_OK && write(ready[1], "", 1) == 1;
    if (read(end[0], &byte, 1) == 0) { nanosleep(&time, NULL); } /* while the other process waits for the lock */
    *released = 1;
    _exit(!taken);
  }
  close(ready[1]); /* it reads an end of file where the other process failed */
  close(end[0]);
  CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  return (holder){pid, end[1]};
}

/* These runs are locked while another process holds [10, 20): returns 1 if only its end made that possible. */
static int waits_for_other(long first, long last, int other_ends) {
  mbd_error err = {0};
  int lock;
  const holder other = hold();
  if (other_ends) { close(other.end); }
  must(lock_take(folder, first, last, &lock, &err), &err); /* an error where it would have to wait, and nothing ends */
  const int waited = *released;
  close(lock);
  if (!other_ends) { close(other.end); }
  waitpid(other.pid, NULL, 0);
  return waited;
}

static void test_parts(void) {
  CU_ASSERT(!waits_for_other(0, 10, 0));
  CU_ASSERT(!waits_for_other(20, 30, 0));
  CU_ASSERT(waits_for_other(19, 30, 1)); /* run 19 is the other's; so are those of other ways to cut the study */
  CU_ASSERT(waits_for_other(12, 13, 1));
  CU_ASSERT(waits_for_other(0, 1000000, 1));
}

static void test_told(void) {
  mbd_error err = {0};
  double since;
  int lock;
  CU_ASSERT(!lock_is_taken("/nowhere", &since));
  CU_ASSERT_EQUAL(since, 0);
  must(lock_take_folder(folder, &lock, &err), &err);
  CU_ASSERT(!lock_is_taken(folder, &since)); /* its runs are not */
  close(lock);
  const holder other = hold();
  CU_ASSERT(lock_is_taken(folder, &since));
  CU_ASSERT(since > 1e9);
  must(lock_take_folder(folder, &lock, &err), &err);
  close(lock);
  close(other.end);
  waitpid(other.pid, NULL, 0);
  CU_ASSERT(!lock_is_taken(folder, &since));
}

TEST_MAIN_IN(folder, TEST(test_parts), TEST(test_told))
