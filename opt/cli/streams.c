#include "cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "files/atomic_file.h"

static void open_closed(void) {
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
    if (fcntl(i, F_GETFD) >= 0 || errno != EBADF) { continue; }
    /* open() returns the lowest free descriptor, which must be i */
    if (open("/dev/null", O_RDWR) != i) { _exit(EXIT_CONFIGURATION); }
  }
}

/* The loader calls this before the constructors of libraries, some of which open files (hwloc and MPI, which MUMPS uses). */
__attribute__((section(".preinit_array"), used)) static void (*const before_all)(void) = open_closed;

int streams_close(int code) {
  const int error = stream_flush(stdout);
  if (!error) { return code; }
  fprintf(stderr, "mbopt: error: standard output cannot be written: %s; the answer is not complete\n", strerror(error));
  return code == EXIT_CONVERGED ? EXIT_CONFIGURATION : code;
}
