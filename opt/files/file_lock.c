#include "files/file_lock.h"

#include <errno.h>
#include <fcntl.h>

static struct flock range(long first, long n) {
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = first, .l_len = n};
}

static file_lock failed(void) {
  switch (errno) {
    case EAGAIN:
    case EACCES: return FILE_LOCK_OTHERS;
    case ENOLCK:
    case ENOSYS:
    case EOPNOTSUPP:
    case EINVAL: return FILE_LOCK_NONE;
    default: return FILE_LOCK_FAILED;
  }
}

file_lock file_lock_take(int file, long first, long n) {
  struct flock requested = range(first, n);
  return fcntl(file, F_OFD_SETLK, &requested) == 0 ? FILE_LOCK_OURS : failed();
}

file_lock file_lock_look(int file, long first, long n) {
  struct flock requested = range(first, n);
  if (fcntl(file, F_OFD_GETLK, &requested) != 0) { return failed(); }
  return requested.l_type == F_UNLCK ? FILE_LOCK_OURS : FILE_LOCK_OTHERS;
}
