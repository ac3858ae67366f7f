/* Evaluations with their gradients by calls from C: bench_boundary RUN_FILE REPETITIONS [THREADS]. Every thread has a handle of its own and
 * begins with a first evaluation; then the program waits for a line of input, and prints the least seconds of an evaluation; of the slowest thread
 * the seconds of all of them by the clock, without waiting for processors, and on one; and how often threads have waited for anything but a
 * processor: a lock, memory, another thread. For bench/boundary. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "mbo/run.h"

enum { MAX = 64 };

typedef struct worker {
  const char *path;
  int repetitions;
  pthread_barrier_t *together;
  double min, seconds, without_waiting, on_processor, waits;
  mbd_status status;
  mbd_error err;
} worker;

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds that the thread has waited for a processor. */
static double waited(void) {
  unsigned long long run = 0, wait = 0;
  FILE *in = fopen("/proc/thread-self/schedstat", "r");
  if (!in || fscanf(in, "%llu %llu", &run, &wait) != 2) { wait = 0; }
  if (in) { fclose(in); }
  return 1e-9 * (double)wait;
}

/* How often it has given its processor away. */
static double given_away(void) {
  struct rusage u;
  getrusage(RUSAGE_THREAD, &u);
  return (double)u.ru_nvcsw;
}

static mbd_status evaluate(worker *w, mbo_run *run, double *g, mbd_error *err) {
  double f;
  for (int k = 0; k < w->repetitions; k++) {
    const double at = now(CLOCK_THREAD_CPUTIME_ID);
    MBD_TRY(mbo_run_gradient(run, NULL, &f, g, NULL, NULL, err));
    w->min = fmin(w->min, now(CLOCK_THREAD_CPUTIME_ID) - at);
  }
  return MBD_OK;
}

/* Threads meet before and after the line of input, also those that have failed. */
static void *work(void *user) {
  worker *w = user;
  mbo_run *run = NULL;
  double f, *g = NULL;
  w->min = INFINITY;
  w->status = mbo_run_open(w->path, 0, NULL, &run, &w->err);
  if (w->status == MBD_OK) {
    mbo_run_threads(run, 1);
    g = calloc((size_t)mbo_run_variables(run), sizeof *g);
    w->status = g ? mbo_run_gradient(run, NULL, &f, g, NULL, NULL, &w->err)
                  : MBD_FAILED(&w->err, MBD_NO_MEMORY, "no memory for a gradient");
  }
  pthread_barrier_wait(w->together);
  pthread_barrier_wait(w->together);
  const double begin = now(CLOCK_MONOTONIC), before = waited(), used = now(CLOCK_THREAD_CPUTIME_ID), had = given_away();
  if (w->status == MBD_OK) { w->status = evaluate(w, run, g, &w->err); }
  w->waits = given_away() - had;
  w->seconds = now(CLOCK_MONOTONIC) - begin, w->on_processor = now(CLOCK_THREAD_CPUTIME_ID) - used;
  w->without_waiting = w->seconds - (waited() - before);
  free(g);
  mbo_run_close(run);
  return NULL;
}

/* Of all threads: the least evaluation, the slowest sums, all waits. */
static int report(const worker *w, int n) {
  worker all = {.min = INFINITY};
  for (int i = 0; i < n; i++) {
    if (w[i].status != MBD_OK) {
      fprintf(stderr, "%s\n", w[i].err.text);
      return 1;
    }
    all.min = fmin(all.min, w[i].min), all.seconds = fmax(all.seconds, w[i].seconds);
    all.without_waiting = fmax(all.without_waiting, w[i].without_waiting);
    all.on_processor = fmax(all.on_processor, w[i].on_processor), all.waits += w[i].waits;
  }
  printf("%.9g %.9g %.9g %.9g %g\n", all.min, all.seconds, all.without_waiting, all.on_processor, all.waits);
  return 0;
}

int main(int argc, char **argv) {
  const int n = argc > 3 ? atoi(argv[3]) : 1;
  static worker w[MAX];
  pthread_t id[MAX];
  pthread_barrier_t together;
  if (argc < 3 || argc > 4 || n < 1 || n > MAX) {
    fprintf(stderr, "usage: %s RUN_FILE REPETITIONS [THREADS]\n", argv[0]);
    return 2;
  }
  pthread_barrier_init(&together, NULL, (unsigned)n + 1);
  for (int i = 0; i < n; i++) {
    w[i] = (worker){.path = argv[1], .repetitions = atoi(argv[2]), .together = &together};
    if (pthread_create(&id[i], NULL, work, &w[i])) {
      fputs("no thread\n", stderr);
      return 1;
    }
  }
  pthread_barrier_wait(&together);
  puts("ready");
  fflush(stdout);
  (void)getchar();
  pthread_barrier_wait(&together);
  for (int i = 0; i < n; i++) { pthread_join(id[i], NULL); }
  return report(w, n);
}
