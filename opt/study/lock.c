#include "study/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/atomic_file.h"
#include "files/file_lock.h"

/* Each run has a byte of the file "lock", and the folder has one behind them; the file itself is empty. These locks belong to the open
 * file, so that workers keep them when their parent is killed. */
static const long place_of_folder = LONG_MAX / 2 + 1, place_of_trial = LONG_MAX / 2 + 2;

static const int max_waits = 100;
static const struct timespec wait = {.tv_nsec = 100000000};

/* Locks n bytes from the first on, waiting a short time if they are locked; n = 0: all that follow. */
static mbd_status take(const char *folder, long first, long n, int *lock, mbd_error *err) {
  char *path = path_in(folder, "lock");
  *lock = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  int error = errno;
  free(path);
  if (*lock < 0) { MBD_FAIL(err, io_status(error), "%s cannot be locked: %s", folder, strerror(error)); }
  file_lock answer = FILE_LOCK_OTHERS;
  for (int i = 0; i < max_waits; i++) {
    answer = file_lock_take(*lock, first, n);
    error = errno;
    if (answer == FILE_LOCK_OURS || answer == FILE_LOCK_NONE) { return MBD_OK; }
    if (answer == FILE_LOCK_FAILED && error != EINTR) { break; }
    nanosleep(&wait, NULL);
  }
  close(*lock);
  if (answer == FILE_LOCK_FAILED) {
    MBD_FAIL(err, io_status(error), "%s cannot be locked: %s", folder, strerror(error));
  }
  MBD_FAIL(err, MBD_BAD_INPUT, "another process is doing runs of %s; wait for it, or end it", folder);
}

mbd_status lock_take(const char *folder, long first, long last, int *lock, mbd_error *err) {
  MBD_TRY(take(folder, first, last - first, lock, err));
  futimens(*lock, NULL); /* the time of the lock */
  return MBD_OK;
}

mbd_status lock_take_folder(const char *folder, int *lock, mbd_error *err) {
  return take(folder, place_of_folder, 1, lock, err);
}

int lock_works(const char *folder, const char **why) {
  char *path = path_in(folder, "lock");
  const int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  free(path);
  if (file < 0) { return 1; } /* taking a lock reports the reason */
  const int none = file_lock_take(file, place_of_trial, 1) == FILE_LOCK_NONE;
  *why = none ? strerror(errno) : "";
  close(file);
  return !none;
}

int lock_is_taken(const char *folder, double *since) {
  char *path = path_in(folder, "lock");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  struct stat info;
  free(path);
  *since = 0;
  if (file < 0) { return 0; }
  if (fstat(file, &info) == 0) { *since = (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec; }
  const file_lock answer = file_lock_look(file, 0, place_of_folder);
  close(file);
  return answer == FILE_LOCK_OURS ? 0 : answer == FILE_LOCK_OTHERS ? 1 : -1;
}
