/* Evaluations with their gradients by calls from C: bench_boundary RUN_FILE REPETITIONS begins with a first evaluation, waits for a line of
 * input, and prints the least seconds of an evaluation; and of all of them the seconds by the clock, without waiting for processors, and on one. For
 * bench/boundary. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mbo/run.h"

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds that the process has waited for a processor. */
static double waited(void) {
  unsigned long long run = 0, wait = 0;
  FILE *in = fopen("/proc/self/schedstat", "r");
  if (!in || fscanf(in, "%llu %llu", &run, &wait) != 2) { wait = 0; }
  if (in) { fclose(in); }
  return 1e-9 * (double)wait;
}

static mbd_status measure(mbo_run *run, double *g, int repetitions, mbd_error *err) {
  double f, least = 1e300;
  MBD_TRY(mbo_run_gradient(run, NULL, &f, g, NULL, NULL, err));
  puts("ready");
  fflush(stdout);
  (void)getchar();
  const double begin = now(CLOCK_MONOTONIC), before = waited(), used = now(CLOCK_PROCESS_CPUTIME_ID);
  for (int k = 0; k < repetitions; k++) {
    const double at = now(CLOCK_PROCESS_CPUTIME_ID);
    MBD_TRY(mbo_run_gradient(run, NULL, &f, g, NULL, NULL, err));
    const double seconds = now(CLOCK_PROCESS_CPUTIME_ID) - at;
    if (seconds < least) { least = seconds; }
  }
  const double seconds = now(CLOCK_MONOTONIC) - begin;
  printf("%.9g %.9g %.9g %.9g\n", least, seconds, seconds - (waited() - before), now(CLOCK_PROCESS_CPUTIME_ID) - used);
  return MBD_OK;
}

int main(int argc, char **argv) {
  mbo_run *run = NULL;
  mbd_error err = {0};
  if (argc != 3) {
    fprintf(stderr, "usage: %s RUN_FILE REPETITIONS\n", argv[0]);
    return 2;
  }
  mbd_status status = mbo_run_open(argv[1], 0, NULL, &run, &err);
  if (status == MBD_OK) {
    mbo_run_threads(run, 1);
    double *g = calloc((size_t)mbo_run_variables(run), sizeof *g);
    status = g ? measure(run, g, atoi(argv[2]), &err) : MBD_FAILED(&err, MBD_NO_MEMORY, "no memory for a gradient");
    free(g);
  }
  if (status != MBD_OK) { fprintf(stderr, "%s\n", err.text); }
  mbo_run_close(run);
  return status == MBD_OK ? 0 : 1;
}
