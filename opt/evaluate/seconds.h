/* Wall time [s] since an arbitrary instant; time of the processor that this process has taken [s], in which other processes hardly show. */
#ifndef MBO_SECONDS_H
#define MBO_SECONDS_H

#include <time.h>

static inline double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
