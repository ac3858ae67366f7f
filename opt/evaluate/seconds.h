/* Wall time [s] since an arbitrary instant; times of the processor that this process, or this thread, has taken [s], in which other processes
 * hardly show. Where a processor has no such clock, as in WebAssembly, they are wall time. */
#ifndef MBO_SECONDS_H
#define MBO_SECONDS_H

#include <time.h>

static inline double seconds_of(clockid_t clock) {
  struct timespec t;
  if (clock_gettime(clock, &t) != 0) { clock_gettime(CLOCK_MONOTONIC, &t); }
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double seconds_now(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

static inline double processor_seconds(void) {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static inline double thread_seconds(void) {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
