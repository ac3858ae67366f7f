#include "study/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/atomic_file.h"

/* A byte of the file "lock" stands for each run, and one behind them all for the folder; the file itself is empty. Such locks
 * belong to the open file, so that workers keep them when their parent is killed. */
static const long place_of_folder = 1L << 62, place_of_trial = (1L << 62) + 1;

static const int most_waits = 100;
static const struct timespec wait = {.tv_nsec = 100000000};

static struct flock range(long first, long n) {
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = first, .l_len = n};
}

/* Errors of file systems without locks. */
static int knows_none(int error) {
  return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

static mbd_status take(const char *folder, long first, long n, int *lock, mbd_error *err) {
  char *path = path_in(folder, "lock");
  *lock = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  int error = errno;
  free(path);
  if (*lock < 0) { MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be locked: %s", folder, strerror(error)); }
  for (int i = 0; i < most_waits; i++) {
    struct flock wanted = range(first, n);
    if (fcntl(*lock, F_OFD_SETLK, &wanted) == 0) { return MBD_OK; }
    error = errno;
    if (knows_none(error)) { return MBD_OK; }
    if (error != EAGAIN && error != EACCES && error != EINTR) { break; }
    nanosleep(&wait, NULL);
  }
  close(*lock);
  if (error != EAGAIN && error != EACCES) {
    MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be locked: %s", folder, strerror(error));
  }
  MBD_FAIL(err, MBD_BAD_INPUT, "another process is doing runs of %s; wait for it, or end it", folder);
}

mbd_status lock_take(const char *folder, long first, long last, int *lock, mbd_error *err) {
  MBD_TRY(take(folder, first, last - first, lock, err));
  futimens(*lock, NULL); /* when it was taken */
  return MBD_OK;
}

mbd_status lock_take_folder(const char *folder, int *lock, mbd_error *err) {
  return take(folder, place_of_folder, 1, lock, err);
}

int lock_works(const char *folder, const char **why) {
  char *path = path_in(folder, "lock");
  const int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  struct flock trial = range(place_of_trial, 1);
  free(path);
  if (file < 0) { return 1; } /* who takes one says why */
  const int none = fcntl(file, F_OFD_SETLK, &trial) != 0 && knows_none(errno);
  *why = none ? strerror(errno) : "";
  close(file);
  return !none;
}

int lock_is_taken(const char *folder, double *since) {
  char *path = path_in(folder, "lock");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  struct flock wanted = range(0, place_of_folder);
  struct stat info;
  free(path);
  *since = 0;
  if (file < 0) { return 0; }
  if (fstat(file, &info) == 0) { *since = (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec; }
  const int known = fcntl(file, F_OFD_GETLK, &wanted) == 0;
  close(file);
  return known ? wanted.l_type != F_UNLCK : -1;
}
