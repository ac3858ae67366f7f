/* Locks of the runs of a study: parts that share no run, parts that do, the folder, messages about them. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "evaluate/seconds.h"
#include "study/lock.h"
#include "test.h"

static char folder[] = "/tmp/mbopt-lock-XXXXXX";

/* A process that has the runs [first, last) for 0.5 s. */
static pid_t hold(long first, long last) {
  static const struct timespec time = {.tv_nsec = 500000000};
  int ends[2], lock;
  char ready;
  CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const int taken = lock_take(folder, first, last, &lock, NULL) == MBD_OK && write(ends[1], "", 1) == 1;
    nanosleep(&time, NULL);
    _exit(!taken);
  }
  close(ends[1]); /* it reads an end of file where the other process failed */
  CU_ASSERT_EQUAL(read(ends[0], &ready, 1), 1);
  close(ends[0]);
  return pid;
}

/* Seconds until these are free, while another process has the runs [10, 20) for 0.5 s. */
static double seconds_to_take(long first, long last) {
  mbd_error err = {0};
  int lock;
  const pid_t other = hold(10, 20);
  const double begun = seconds_now();
  must(lock_take(folder, first, last, &lock, &err), &err);
  const double seconds = seconds_now() - begun;
  close(lock);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  return seconds;
}

static void test_parts(void) {
  CU_ASSERT(seconds_to_take(0, 10) < 0.25);
  CU_ASSERT(seconds_to_take(20, 30) < 0.25);
  CU_ASSERT(seconds_to_take(19, 30) > 0.25); /* run 19 is the other's; so are those of other ways to cut the study */
  CU_ASSERT(seconds_to_take(12, 13) > 0.25);
  CU_ASSERT(seconds_to_take(0, 1000000) > 0.25);
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
  const pid_t other = hold(10, 20);
  CU_ASSERT(lock_is_taken(folder, &since));
  CU_ASSERT(since > 1e9);
  must(lock_take_folder(folder, &lock, &err), &err);
  close(lock);
  waitpid(other, NULL, 0);
  CU_ASSERT(!lock_is_taken(folder, &since));
}

TEST_MAIN_IN(folder, TEST(test_parts), TEST(test_told))
