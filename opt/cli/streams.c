#include "cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

int streams_open(void) {
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
    if (fcntl(i, F_GETFD) >= 0 || errno != EBADF) { continue; }
    if (open("/dev/null", O_RDWR) != i) { return 0; } /* the least number that is free is i */
  }
  return 1;
}

int streams_close(int code) {
  errno = 0;
  const int bad = ferror(stdout), unsaid = fflush(stdout) != 0;
  if (!bad && !unsaid) { return code; }
  if (!errno && write(STDOUT_FILENO, "\n", 1) == 1) { errno = 0; } /* asks anew for the reason, which is not kept */
  fprintf(stderr, "mbopt: error: standard output cannot be written%s%s; the answer is not complete\n",
          errno ? ": " : "", errno ? strerror(errno) : "");
  return code == EXIT_CONVERGED ? EXIT_CONFIGURATION : code;
}
