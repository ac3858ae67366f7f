/* What the test of failing allocations and the library that it preloads into the program say to each other. The program is
 * started once: before its main function the library waits for requests, and forks a process for each. */
#ifndef MBOPT_FAILING_ALLOCATIONS_H
#define MBOPT_FAILING_ALLOCATIONS_H

#include <string.h>

enum { FAILING_REQUEST_FD = 198, FAILING_REPLY_FD = 199 };
enum { FAILING_LIMIT = 120 }; /* [s] for one run: it takes a tenth of one, but others may load the machine */

typedef struct failing_request {
  long at;          /* number of the allocation that fails, from 1; 0: none */
  int onwards;      /* whether all later ones fail, too */
  int census;       /* whether the file `owners` in the folder gets a letter for every allocation: whose it is */
  char folder[256]; /* to run in; stdout and stderr go to the files `out` and `err` there */
} failing_request;

typedef struct failing_reply {
  int status;      /* as waitpid tells it */
  long calls;      /* allocations, the largest number that a process of the run has come to */
  int failed;      /* whether one was made to fail */
  char owner[64];  /* the library or program that asked for it; strdup and its like count for their callers */
  char where[512]; /* the callers as OBJECT+OFFSET, for addr2line */
} failing_reply;

enum { FAILING_OURS = 'o', FAILING_OF_LIBRARY = 'l' };

/* Libraries that may end the process when they find no memory; on some systems MPI comes with IPOPT. */
static inline int failing_may_end(const char *owner) {
  static const char *const libraries[] = {
      "libipopt", "libdmumps", "libmumps",  "libopenblas", "liblapack",    "libblas",     "libgfortran", "libnlopt",
      "libmetis", "libscotch", "libpord",   "ld-linux",    "libmpi",       "libopen-",    "libpmix",     "libuc",
      "libhwloc", "libevent",  "libfabric", "libpsm",      "libscalapack", "libpciaccess"};
  for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
    if (strncmp(owner, libraries[i], strlen(libraries[i])) == 0) { return 1; }
  }
  return 0;
}

#endif
