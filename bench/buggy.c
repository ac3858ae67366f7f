/* The buggy's manoeuvres: a descent from a step at 1 ms and a lane change at 10 ms, and their gradients in five variables.
 *
 * The parts of a time step are timed by themselves, at the state of the start, and added up as often as a step does
 * them; so the library needs no clocks, and the sum may differ from the whole by what caches and rounding make of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dynamics/motion.h"
#include "la/saddle.h"
#include "mbd/simulate.h"
#include "mbo/model_file.h"
#include "output/output.h"

enum { VARIABLES = 5, SCALARS = 4, REPEATS = 7 };

typedef struct manoeuvre {
  const char *name;
  double duration, step;
  mbd_start start;
  const char *output;
  const char *scalar[SCALARS], *value[SCALARS];
} manoeuvre;

static const manoeuvre manoeuvres[] = {
    {"step descent", 4.5, 1e-3, MBD_START_GIVEN, "P1.acceleration.z", {"drop"}, {"0.01"}},
    {"lane change",
     12,
     1e-2,
     MBD_START_EQUILIBRIUM,
     "chassis.roll_rate",
     {"v", "w", "steer_out", "steer_back"},
     {"10", "36.7", "0.0065", "0.0117"}},
};

/* One manoeuvre with all that its parts need. */
typedef struct run {
  mbo_model_file *file;
  mbd_model *m;
  mbd_params *p;
  mbd_dparams *d[VARIABLES];
  unsigned char *requested; /* [ncoef] coefficients that a variable moves */
  mbd_outputs *o;
  mbd_sim *s;
  /* parts */
  mbd_work *w;
  motion_rows eq;
  int n, nphi;
  double h, *block;
  double *z, *zd, *zdd, *r, *x, *dx, *lam, *phi, *y, *rg;
  double *K, *C, *M, *T, *Phi;
  int *piv;
  mbd_nonzeros M_at, Phi_at;
} run;

static void open_run(const char *path, const manoeuvre *q, run *r) {
  static const char *const variable[VARIABLES] = {"k_f", "c_f", "k_r", "c_r", "m_c"};
  double rho[VARIABLES], *theta;
  const int *start, *index;
  const double *value;
  int nset = 0, first, count;
  mbd_error err;
  mbd_case c;
  while (nset < SCALARS && q->scalar[nset]) { nset++; }
  bench_must(mbo_model_file_read(path, nset, q->scalar, q->value, &r->file, &err), &err);
  for (int k = 0; k < VARIABLES; k++) {
    for (int i = 0; i < mbo_model_file_nscalar(r->file); i++) {
      double v;
      if (strcmp(mbo_model_file_scalar(r->file, i, &v), variable[k]) == 0) { rho[k] = v; }
    }
  }
  bench_must(mbo_model_file_vary(r->file, VARIABLES, variable, &err), &err);
  bench_must(mbd_model_create(mbo_model_file_spec(r->file), &r->m, &err), &err);
  theta = calloc((size_t)mbd_model_ncoef(r->m), sizeof *theta);
  bench_must(mbo_model_file_eval(r->file, rho, theta, &start, &index, &value, &err), &err);
  bench_must(mbd_params_create(r->m, theta, &r->p, &err), &err);
  free(theta);
  for (int k = 0; k < VARIABLES; k++) {
    bench_must(mbd_dparams_create(r->m, &r->d[k], &err), &err);
    mbd_dparams_set(r->d[k], r->p, start[k + 1] - start[k], index + start[k], value + start[k]);
  }
  r->requested = calloc((size_t)mbd_model_ncoef(r->m), 1);
  for (int i = 0; i < start[VARIABLES]; i++) { r->requested[index[i]] = 1; }
  bench_must(mbd_outputs_create(r->m, &r->o, &err), &err);
  bench_must(mbd_outputs_add(r->o, q->output, &first, &count, &err), &err);
  const mbd_term term = {.output = first, .form = "integral_square", .weight = 1};
  mbd_case_init(&c);
  c.duration = q->duration, c.step = q->step, c.start = q->start;
  bench_must(mbd_sim_create(r->m, &c, r->o, 1, &term, 1, VARIABLES, &r->s, &err), &err);
}

/* The least times of several runs without gradient, with direct differentiation, with the adjoint, in turn; NaN: there is no
 * adjoint. */
static void run_times(run *r, double time[3]) {
  double psi, grad[VARIABLES], *gtheta = calloc((size_t)mbd_model_ncoef(r->m), sizeof *gtheta);
  const mbd_adjoint_options a = {.requested = r->requested};
  mbd_error err;
  for (int i = 0; i < 3; i++) { time[i] = INFINITY; }
  for (int i = 0; i < 3 * REPEATS; i++) {
    const int k = 2 - i % 3; /* the plain run last: its counts are printed */
    double begun = bench_now();
    mbd_status status = k == 2 ? mbd_sim_adjoint(r->s, r->p, &a, &psi, gtheta, NULL, NULL, &err)
                               : mbd_sim_run(r->s, r->p, k ? VARIABLES : 0, r->d, &psi, grad, NULL, NULL, NULL, &err);
    if (status == MBD_UNSUPPORTED) {
      time[k] = NAN;
      continue;
    }
    bench_must(status, &err);
    time[k] = fmin(time[k], bench_now() - begun);
  }
  free(gtheta);
}

/* ---- parts of a step ---- */

static double *take(double **block, int n) {
  double *v = *block;
  *block += n;
  return v;
}

static void open_parts(run *r, double h) {
  const int n = r->n = mbd_model_nz(r->m), m = r->nphi = mbd_model_nphi(r->m);
  mbd_error err;
  bench_must(mbd_work_create(r->m, MBD_RTDYN1, &r->w, &err), &err);
  r->eq = motion_constraints(r->m), r->h = h;
  double *a = r->block = calloc((size_t)(6 * n + 4 * m + 4 * n * n + m * n), sizeof *a);
  double **const columns[] = {&r->z, &r->zd, &r->zdd, &r->r, &r->x, &r->dx};
  double **const rows[] = {&r->lam, &r->phi, &r->y, &r->rg};
  double **const squares[] = {&r->K, &r->C, &r->M, &r->T};
  for (int i = 0; i < 6; i++) { *columns[i] = take(&a, n); }
  for (int i = 0; i < 4; i++) { *rows[i] = take(&a, m); }
  for (int i = 0; i < 4; i++) { *squares[i] = take(&a, n * n); }
  r->Phi = take(&a, m * n);
  int *k = r->piv = calloc((size_t)(n + n + n * n + m + m * n), sizeof *k);
  r->M_at = (mbd_nonzeros){.count = k + n, .col = k + 2 * n}, k += 2 * n + n * n;
  r->Phi_at = (mbd_nonzeros){.count = k, .col = k + m};
  bench_must(mbd_sim_start(r->s, r->p, r->z, r->zd, r->zdd, r->lam, &err), &err);
}

static void close_run(run *r) {
  for (int k = 0; k < VARIABLES; k++) { mbd_dparams_destroy(r->d[k]); }
  mbd_sim_destroy(r->s), mbd_outputs_destroy(r->o), mbd_work_destroy(r->w), mbd_params_destroy(r->p);
  mbd_model_destroy(r->m);
  mbo_model_file_destroy(r->file);
  free(r->block), free(r->piv), free(r->requested);
}

static void kinematics(run *r) {
  motion_place(r->w, r->p, 0, r->z);
  motion_move(r->w, r->zd, r->zdd, 1);
}

static void forces(run *r) {
  const motion_terms e = motion_equations(r->eq, NULL);
  motion_residual(r->w, r->r);
  motion_jacobian(r->w, &e, NULL, r->K, r->C, NULL, r->M);
}

static void constraints(run *r) {
  const motion_terms e = {.rows = r->eq, .lam = r->lam};
  motion_phi(r->w, r->eq, r->phi, r->Phi);
  motion_jacobian(r->w, &e, NULL, r->T, NULL, NULL, NULL);
}

static void solve(run *r) {
  const int n = r->n, m = r->nphi;
  const double h = r->h;
  for (int i = 0; i < n * n; i++) { r->T[i] = 4 / (h * h) * r->M[i] + 2 / h * r->C[i] + r->K[i]; }
  motion_add_gram(r->m, r->Phi, mbd_saddle_penalty(n, m, r->T, r->Phi), NULL, r->T);
  mbd_lu_factor(n, r->T, r->piv);
  memcpy(r->dx, r->r, (size_t)n * sizeof *r->r);
  mbd_mulT_add(m, n, 1, -1, r->Phi, r->lam, r->dx);
  mbd_lu_solve(n, r->T, r->piv, 1, r->dx);
}

static void projection(run *r) {
  const int n = r->n, m = r->nphi;
  motion_place(r->w, r->p, 0, r->z);
  motion_mass(r->w, NULL, r->M);
  motion_phi(r->w, r->eq, r->phi, r->Phi);
  const mbd_factors lu = {.n = n, .lu = r->T, .piv = r->piv};
  mbd_saddle q = {.n = n,
                  .m = m,
                  .A = r->M,
                  .Phi = r->Phi,
                  .A_at = &r->M_at,
                  .Phi_at = &r->Phi_at,
                  .lu = &lu,
                  .alpha = mbd_saddle_penalty(n, m, r->M, r->Phi)};
  memcpy(r->T, r->M, (size_t)(n * n) * sizeof *r->T);
  motion_add_gram(r->m, r->Phi, q.alpha, NULL, r->T);
  mbd_lu_factor(n, r->T, r->piv);
  for (int k = 0; k < 2; k++) { /* velocities, then accelerations */
    if (k) {
      motion_move(r->w, r->zd, r->zdd, 0);
      motion_phidd(r->w, r->eq, r->phi);
    } else {
      motion_phi_t(r->w, r->eq, r->phi);
    }
    memset(r->r, 0, (size_t)n * sizeof *r->r);
    mbd_mul_add_at(n, n, 1, 1, r->M, &r->M_at, k ? r->zdd : r->zd, r->r);
    memset(r->y, 0, (size_t)m * sizeof *r->y);
    if (mbd_saddle_solve(&q, 1, r->r, r->phi, r->x, r->y, r->dx, r->rg, NULL) != MBD_OK) { abort(); }
  }
}

static void outputs(run *r) {
  motion_move(r->w, r->zd, r->zdd, 1);
  r->r[0] = output_value(r->w, &r->o->item[0], r->lam);
}

static double least_time(void (*f)(run *r), run *r) {
  enum { CALLS = 200 };
  double min = INFINITY;
  for (int i = 0; i < 25; i++) {
    double begun = bench_now();
    for (int k = 0; k < CALLS; k++) { f(r); }
    min = fmin(min, (bench_now() - begun) / CALLS);
  }
  return min;
}

/* The parts in the order of a step, so that each finds what it needs. */
static void part_times(run *r, double iterations, double part[6]) {
  part[0] = iterations * least_time(kinematics, r);
  part[1] = iterations * least_time(forces, r);
  part[2] = iterations * least_time(constraints, r);
  mbd_nonzeros_find(r->n, r->n, r->M, &r->M_at);
  mbd_nonzeros_find(r->nphi, r->n, r->Phi, &r->Phi_at);
  part[3] = iterations * least_time(solve, r);
  part[4] = least_time(projection, r);
  part[5] = least_time(outputs, r);
}

void bench_buggy(const char *path) {
  printf(
      "\n| manoeuvre    | steps | Newton/step | simulated s/s | (sim. + gradient)/sim. | (sim. + adjoint)/sim. | us "
      "per step |\n");
  printf(
      "|--------------|------:|------------:|--------------:|-----------------------:|----------------------:|---------"
      "---:|\n");
  double part[2][6];
  for (int k = 0; k < 2; k++) {
    const manoeuvre *q = &manoeuvres[k];
    run r = {0};
    open_run(path, q, &r);
    double time[3];
    run_times(&r, time);
    const double without = time[0];
    const mbd_stats stats = *mbd_sim_stats(r.s);
    printf("| %-12s | %5d | %11.2f | %13.0f | %22.2f | %21.2f | %11.1f |\n", q->name, stats.steps,
           (double)stats.iterations / stats.steps, q->duration / without, time[1] / without, time[2] / without,
           1e6 * without / stats.steps);
    open_parts(&r, q->step);
    part_times(&r, (double)stats.iterations / stats.steps, part[k]);
    close_run(&r);
  }
  printf(
      "\n| us per step  | kinematics | forces, inertia | constraints | factors, solution | projection | outputs |\n");
  printf("|--------------|-----------:|----------------:|------------:|------------------:|-----------:|--------:|\n");
  for (int k = 0; k < 2; k++) {
    const double *t = part[k];
    printf("| %-12s | %10.1f | %15.1f | %11.1f | %17.1f | %10.1f | %7.1f |\n", manoeuvres[k].name, 1e6 * t[0],
           1e6 * t[1], 1e6 * t[2], 1e6 * t[3], 1e6 * t[4], 1e6 * t[5]);
  }
}
