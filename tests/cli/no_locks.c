/* Loaded before the C library: a file system without locks, as far as fcntl is asked, and without second names of files. For
 * tests/cli/test_places.sh. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

int link(const char *from, const char *to) {
  (void)from, (void)to;
  errno = EPERM;
  return -1;
}

int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *); /* of any type: none is larger */
  va_end(arguments);
  if (command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK) {
    errno = ENOLCK;
    return -1;
  }
  int (*next)(int, int, ...);
  *(void **)&next = dlsym(RTLD_NEXT, "fcntl");
  return next(fd, command, argument);
}
