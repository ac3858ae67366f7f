/* The benchmark: costs as ratios measured in one run, so that they hold on any machine; and the buggy's two manoeuvres
 * (buggy.c).
 *
 *   residual per body       time of the residual (sweeps included) divided by bodies [ns]
 *   Jacobian / residual     K, C, M and their columns, on top of a residual, in residuals
 *   step / residual         one time step of ALI3-P, with 4 Newton corrections at the most
 *   DDM(5) / simulation     what the gradient in 5 variables adds to a simulation, in simulations
 *
 * Trees and a chain: every body hangs by a revolute joint on body (i - 1) / 2 or i - 1, axes in turn along x, y, z; the five-bar linkage is
 * the model of problems/five_bar. Chains of beams beside chains of bodies. Then the effect of the number of parameters (parameters.c), for run files in configs beside
 * problems, and that of the number of bodies (chain.c); inverse dynamics (inverse.c). Last dense and sparse factors, on linkages of many
 * loops (linkages.c), and recursion with closed loops (loops.c). usage: bench_mbopt [PATH OF problems], or one part alone: bench_mbopt chain,
 * beams, formulations, inverse, lanes, linkages, loops, studies, trajectory */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/motion.h"
#include "mbd/simulate.h"
#include "mbo/model_file.h"

/* ---- timings: the least of several repetitions ---- */

typedef struct bench {
  mbd_model *m;
  mbd_params *p;
  mbd_work *w;
  double *z, *zd, *zdd, *r, *K, *C, *M;
} bench;

static void residual(bench *b) {
  motion_place(b->w, b->p, 0, b->z);
  motion_move(b->w, b->zd, b->zdd, 1);
  motion_residual(b->w, b->r);
}

static void jacobian(bench *b) {
  const motion_terms e = motion_equations(motion_constraints(b->m), NULL);
  b->w->stage = WORK_MOVED; /* so that columns are swept every time */
  motion_jacobian(b->w, &e, NULL, b->K, b->C, NULL, b->M);
}

static double least_time(void (*f)(bench *b), bench *b) {
  double min = INFINITY;
  for (int repeat = 0; repeat < 15; repeat++) {
    const int calls = 20000 / mbd_model_nz(b->m) + 1;
    double begun = bench_now();
    for (int k = 0; k < calls; k++) { f(b); }
    min = fmin(min, (bench_now() - begun) / calls);
  }
  return min;
}

static double simulation_time(mbd_sim *s, const mbd_params *p, int np, mbd_dparams *const *d, int *steps) {
  double min = INFINITY, psi[1], grad[5];
  mbd_error err;
  for (int repeat = 0; repeat < 7; repeat++) {
    double begun = bench_now();
    bench_must(mbd_sim_run(s, p, np, d, psi, np ? grad : NULL, NULL, NULL, NULL, &err), &err);
    min = fmin(min, bench_now() - begun);
    *steps = mbd_sim_stats(s)->steps;
  }
  return min;
}

static bench open_bench(mbd_model *m) {
  const size_t n = (size_t)mbd_model_nz(m);
  mbd_error err;
  bench b = {.m = m};
  bench_must(mbd_params_create(m, NULL, &b.p, &err), &err);
  bench_must(mbd_work_create(m, MBD_RTDYN1, &b.w, &err), &err);
  work_sweep_element_markers(b.w); /* as simulations do */
  b.z = calloc(4 * n + 3 * n * n, sizeof *b.z);
  b.zd = b.z + n, b.zdd = b.zd + n, b.r = b.zdd + n, b.K = b.r + n, b.C = b.K + n * n, b.M = b.C + n * n;
  for (size_t j = 0; j < n; j++) {
    b.z[j] = 0.3 * sin((double)j), b.zd[j] = cos(1.0 + (double)j), b.zdd[j] = sin(2.0 + (double)j);
  }
  return b;
}

static void close_bench(bench *b) {
  mbd_work_destroy(b->w), mbd_params_destroy(b->p);
  free(b->z);
}

static void measure(const char *name, mbd_model *m, const int index[5], double duration, double step) {
  mbd_error err;
  bench b = open_bench(m);
  mbd_outputs *o;
  mbd_sim *s;
  mbd_case c;
  mbd_dparams *d[5];
  int first, count, steps;
  double tr = least_time(residual, &b), tj = least_time(jacobian, &b);
  bench_must(mbd_outputs_create(m, &o, &err), &err);
  bench_must(mbd_outputs_add(o, "energy.kinetic", &first, &count, &err), &err);
  const mbd_term term = {.output = first, .form = "integral", .weight = 1};
  for (int k = 0; k < 5; k++) {
    const double one = 1;
    bench_must(mbd_dparams_create(m, &d[k], &err), &err);
    mbd_dparams_set(d[k], b.p, 1, &index[k], &one);
  }
  mbd_case_init(&c);
  c.duration = duration;
  c.step = step;
  bench_must(mbd_sim_create(m, &c, o, 1, &term, 1, 5, &s, &err), &err);
  double simulation = simulation_time(s, b.p, 0, NULL, &steps), with = simulation_time(s, b.p, 5, d, &steps);
  printf("| %-16s | %6d | %14.0f | %12.2f | %12.1f | %14.2f |\n", name, mbd_model_nbody(m),
         1e9 * tr / mbd_model_nbody(m), tj / tr, simulation / steps / tr, with / simulation - 1);
  for (int k = 0; k < 5; k++) { mbd_dparams_destroy(d[k]); }
  mbd_sim_destroy(s), mbd_outputs_destroy(o);
  close_bench(&b);
}

/* Seconds of a residual and of K, C, M with their columns. */
static void time_terms(mbd_model *m, double *of_residual, double *of_jacobian) {
  bench b = open_bench(m);
  *of_residual = least_time(residual, &b), *of_jacobian = least_time(jacobian, &b);
  close_bench(&b);
}

/* What a beam costs in a chain of six, in bodies of a chain with as many coordinates. */
static void beams(const char *problems) {
  char path[1024];
  mbd_error err;
  mbo_model_file *f;
  mbd_model *m, *rigid;
  double tr, tj, rigid_tr, rigid_tj;
  snprintf(path, sizeof path, "%s/../bench/beams.ini", problems);
  bench_must(mbo_model_file_read(path, 0, NULL, NULL, &f, &err), &err);
  bench_must(mbd_model_create(mbo_model_file_spec(f), &m, &err), &err);
  const int n = mbd_model_nz(m), count = n / 8; /* a hinge and seven shapes each */
  rigid = bench_tree(n, 1);
  time_terms(m, &tr, &tj);
  time_terms(rigid, &rigid_tr, &rigid_tj);
  printf("\n| a beam of seven shapes | us | bodies |\n|---|---:|---:|\n");
  printf("| residual | %.2f | %.1f |\n", 1e6 * tr / count, tr / count / (rigid_tr / n));
  printf("| K, C, M on top | %.2f | %.1f |\n", 1e6 * tj / count, tj / count / (rigid_tj / n));
  mbd_model_destroy(m), mbd_model_destroy(rigid);
  mbo_model_file_destroy(f);
}

/* The five parameters of S0: two free lengths, mass, centre of mass and length of the first bar. */
static void five_bar(const char *path) {
  static const char *const names[] = {"force.s1.free_length", "force.s2.free_length", "body.A1.mass", "body.A1.com.x",
                                      "point.P1@A1.x"};
  mbd_error err;
  mbo_model_file *f;
  mbd_model *m;
  int index[5] = {0};
  bench_must(mbo_model_file_read(path, 0, NULL, NULL, &f, &err), &err);
  bench_must(mbd_model_create(mbo_model_file_spec(f), &m, &err), &err);
  for (int i = 0; i < mbd_model_ncoef(m); i++) {
    for (int k = 0; k < 5; k++) {
      if (strcmp(mbd_model_coef_name(m, i), names[k]) == 0) { index[k] = i; }
    }
  }
  measure("five-bar", m, index, 1, 1e-3);
  mbd_model_destroy(m);
  mbo_model_file_destroy(f);
}

/* One thread, as in the program; only where LAPACK is OpenBLAS. */
extern void openblas_set_num_threads(int n) __attribute__((weak));

int main(int argc, char **argv) {
  if (openblas_set_num_threads) { openblas_set_num_threads(1); }
  const char *problems = argc > 1 ? argv[1] : "problems";
  if (strcmp(problems, "beams") == 0) {
    beams("problems");
    return 0;
  }
  if (strcmp(problems, "chain") == 0) {
    bench_chain();
    return 0;
  }
  if (strcmp(problems, "linkages") == 0) {
    bench_linkages();
    return 0;
  }
  if (strcmp(problems, "loops") == 0) {
    bench_loops("problems", argc - 2, argv + 2);
    return 0;
  }
  if (strcmp(problems, "formulations") == 0) {
    bench_formulations("configs");
    return 0;
  }
  if (strcmp(problems, "inverse") == 0) {
    bench_inverse("problems");
    return 0;
  }
  if (strcmp(problems, "lanes") == 0) {
    bench_lanes("configs");
    return 0;
  }
  if (strcmp(problems, "trajectory") == 0) {
    bench_trajectory("configs");
    return 0;
  }
  if (strcmp(problems, "studies") == 0) {
    bench_studies("configs");
    return 0;
  }
  char path[1024];
  static const int sizes[] = {2, 6, 12, 18, 48, 96, 96}, branches[] = {2, 2, 2, 2, 2, 2, 1};
  printf("| model            | bodies | ns per body    | Jac/residual | step/residual | DDM(5)/simul.  |\n");
  printf("|------------------|-------:|---------------:|-------------:|-------------:|---------------:|\n");
  snprintf(path, sizeof path, "%s/five_bar/five_bar.ini", problems);
  five_bar(path);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const int per_link = 1 + 3 + 6 + 12,
              index[5] = {3, 4 + per_link, 3 + per_link, 8, 3 + 12}; /* masses, com, inertia, a joint's place */
    char name[32];
    mbd_model *m = bench_tree(sizes[i], branches[i]);
    snprintf(name, sizeof name, "%s of %d", branches[i] == 1 ? "chain" : "tree", sizes[i]);
    measure(name, m, index, sizes[i] > 40 ? 0.05 : 0.2, 1e-3);
    mbd_model_destroy(m);
  }
  beams(problems);
  snprintf(path, sizeof path, "%s/buggy/buggy.ini", problems);
  bench_buggy(path);
  snprintf(path, sizeof path, "%s/../configs", problems);
  bench_parameters(path);
  bench_formulations(path);
  bench_trajectory(path);
  bench_lanes(path);
  bench_chain();
  bench_inverse(problems);
  bench_linkages();
  bench_loops(problems, 0, NULL);
  bench_studies(path);
  return 0;
}
