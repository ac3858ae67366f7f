#include "study/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"

static const int most_waits = 100;
static const struct timespec wait = {.tv_nsec = 100000000};

static char *path_of(const char *folder, const char *part) {
  return mbd_sprintf_dup("%s/lock%s%s", folder, *part ? "." : "", part);
}

mbd_status lock_take(const char *folder, const char *part, int *lock, mbd_error *err) {
  char *path = path_of(folder, part);
  *lock = path ? open(path, O_RDWR | O_CREAT, 0666) : -1;
  const int error = errno;
  free(path);
  if (*lock < 0) { MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be locked: %s", folder, strerror(error)); }
  for (int i = 0; i < most_waits; i++) {
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0) {
      futimens(*lock, NULL); /* when it was taken */
      return MBD_OK;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) { break; }
    nanosleep(&wait, NULL);
  }
  const int why = errno;
  close(*lock);
  if (why != EWOULDBLOCK) { MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be locked: %s", folder, strerror(why)); }
  MBD_FAIL(err, MBD_BAD_INPUT, "another process is doing runs of %s; wait for it, or end it", folder);
}

int lock_is_taken(const char *folder, const char *part, double *since) {
  char *path = path_of(folder, part);
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  struct stat info;
  free(path);
  *since = 0;
  if (file < 0) { return 0; }
  if (fstat(file, &info) == 0) { *since = (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec; }
  const int taken = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return taken;
}
