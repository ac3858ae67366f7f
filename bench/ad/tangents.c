/* Tangents of a time step compared (S3).
 *   bench_tangents check MODEL.ini ...       the builds with scalar classes against libmbd; the exit code says whether it holds
 *   bench_tangents pattern RUN.ini [SECTION.KEY=VALUE ...]    S3's Figure 9: a line for each row of J, # where it is not zero
 *   bench_tangents gradient RUN.ini [--without TEXT] [--rounds N] [SECTION.KEY=VALUE ...]    gradients of the whole manoeuvre
 *   bench_tangents RUN.ini SECONDS STEP[,STEP...] [--only TEXT] [--own] [SECTION.KEY=VALUE ...]
 * The last prints S3's Table 1 for the mechanism, then the time of whole simulations by S3's steps with every method, and with --own by
 * the program's steps (the fastest of three runs). --only takes methods whose names hold the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tangents.h"

/* ---- S3, Table 1 ---- */

/* Entries of J = [K, C] of the forces alone that are not zero at a moving state: how many; printed, a line for each row, with `show`. */
static long count_nonzeros(tangents *q, int show) {
  const size_t n = (size_t)q->nz;
  double *K = calloc(n * n + 1, sizeof *K), *C = calloc(n * n + 1, sizeof *C), *zero = calloc(n + 1, sizeof *zero);
  double *z = calloc(n + 1, sizeof *z), *zd = calloc(n + 1, sizeof *zd);
  long nonzeros = 0;
  for (int j = 0; j < q->nz; j++) { z[j] = q->own->now.z[j] + 0.1 * sin(1.7 * j + 0.2), zd[j] = sin(1.1 + 0.9 * j); }
  method_at(0)->jacobian(q, &(ad_point){0, z, zd, zero, q->lam}, K, C);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < 2 * n; j++) {
      const int there = fabs(j < n ? K[n * i + j] : C[n * i + j - n]) > 1e-12;
      nonzeros += there;
      if (show) { putchar(there ? '#' : '.'); }
    }
    if (show) { putchar('\n'); }
  }
  free(K), free(C), free(zero), free(z), free(zd);
  return nonzeros;
}

static void print_table_1(tangents *q) {
  long listed = 0;
  for (int i = 0; i < q->nz; i++) { listed += 2 * q->of_forces.at.count[i]; }
  printf("bodies %d, independents %d, dependents %d, constraints %d\n", q->own->m->nb - 1, 2 * q->nz, q->nz, q->nphi);
  printf(
      "J of the forces: nonzeros %ld by the tree and the elements, %ld at a moving state (of %ld), colours %d; with "
      "reactions %d\n\n",
      listed, count_nonzeros(q, 0), 2L * q->nz * q->nz, 2 * q->of_forces.ncolour, 2 * q->of_all.ncolour);
}

/* ---- S3, Tables 2 to 4 ---- */

enum { OWN_ROUNDS = 3 }; /* runs of each method by the program's steps, in turn, of which the fastest counts */

static void print_results(const char *steps, double h, int n, const method *const *m, const s3_result *r) {
  printf("%s, step %g ms\n%-24s %10s %9s %10s %10s %12s %12s\n", steps, 1e3 * h, "method", "time [s]", "relative",
         "Jacobians", "iterations", "ms/Jacobian", "drift [J]");
  for (int i = 0; i < n; i++) {
    printf("%-24s %10.3f %9.2f %10ld %10ld %12.4f %12.4g\n", m[i]->name, r[i].seconds, r[i].seconds / r[0].seconds,
           r[i].jacobians, r[i].iterations, r[i].jacobians ? 1e3 * r[i].in_jacobians / (double)r[i].jacobians : 0,
           r[i].drift);
  }
  printf("\n");
  fflush(stdout);
}

static void simulate(tangents *q, int n, const method *const *m, double h, double duration, int own) {
  s3_result r[MAX_METHODS];
  mbd_error err = {0};
  bench_must(s3_simulate(q, n, m, h, duration, r, &err), &err);
  print_results("S3's steps", h, n, m, r);
  if (!own) { return; }
  for (int k = 0; k < OWN_ROUNDS; k++) {
    for (int i = 0; i < n; i++) {
      s3_result now;
      bench_must(own_simulate(q, m[i], h, duration, &now, &err), &err);
      if (k == 0 || now.seconds < r[i].seconds) { r[i] = now; }
    }
  }
  print_results("the program's steps", h, n, m, r);
}

static void tell_what_is_missing(void) {
#ifndef BENCH_HAVE_ADOLC
  printf("ADOL-C is not built in (Debian: libadolc-dev): its methods are missing\n\n");
#endif
}

/* Returns the exit code. */
static int print_pattern(const char *path, int nset, char **set) {
  tangents q;
  mbd_error err = {0};
  bench_must(tangents_open(path, nset, (const char *const *)set, &q, &err), &err);
  bench_must(tangents_start(&q, 1e-2, 1, &err), &err);
  count_nonzeros(&q, 1);
  tangents_close(&q);
  return 0;
}

/* Returns the exit code. */
static int compare_gradients(const char *path, int n, char **arg) {
  const char *without = NULL;
  int rounds = 1;
  while (n > 1 && strncmp(arg[0], "--", 2) == 0) {
    if (strcmp(arg[0], "--without") == 0) {
      without = arg[1];
    } else {
      rounds = atoi(arg[1]);
    }
    n -= 2, arg += 2;
  }
  tell_what_is_missing();
  return manoeuvre_compare(path, n < 16 ? n : 16, arg, without, rounds);
}

static int usage(void) {
  fprintf(stderr,
          "bench_tangents check MODEL.ini ...\n"
          "bench_tangents pattern RUN.ini [SECTION.KEY=VALUE ...]\n"
          "bench_tangents gradient RUN.ini [--without TEXT] [--rounds N] [SECTION.KEY=VALUE ...]\n"
          "bench_tangents RUN.ini SECONDS STEP[,STEP...] [--only TEXT] [--own] [SECTION.KEY=VALUE ...]\n");
  return 2;
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "check") == 0) {
    int bad = 0;
    tell_what_is_missing();
    printf("%-50s %-13s %9s %9s %9s\n", "model", "scalar", "value", "forward", "reverse");
    for (int i = 2; i < argc; i++) { bad += check_model(argv[i]); }
    return bad > 0;
  }
  if (argc > 2 && strcmp(argv[1], "pattern") == 0) { return print_pattern(argv[2], argc - 3, argv + 3); }
  if (argc > 2 && strcmp(argv[1], "gradient") == 0) { return compare_gradients(argv[2], argc - 3, argv + 3); }
  if (argc < 4) { return usage(); }
  const char *only = NULL, *set[16];
  int own = 0, nset = 0, n = 0;
  for (int i = 4; i < argc && nset < 16; i++) {
    if (strcmp(argv[i], "--own") == 0) {
      own = 1;
    } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      only = argv[++i];
    } else {
      set[nset++] = argv[i];
    }
  }
  const method *m[MAX_METHODS];
  for (int i = 0; method_at(i) && n < MAX_METHODS; i++) {
    if (!only || strstr(method_at(i)->name, only)) { m[n++] = method_at(i); }
  }
  tangents q;
  mbd_error err = {0};
  const double duration = atof(argv[2]);
  bench_must(tangents_open(argv[1], nset, set, &q, &err), &err);
  bench_must(tangents_start(&q, 1e-2, 1, &err), &err);
  print_table_1(&q);
  tell_what_is_missing();
  for (char *h = strtok(argv[3], ","); h; h = strtok(NULL, ",")) { simulate(&q, n, m, atof(h), duration, own); }
  tangents_close(&q);
  return 0;
}
