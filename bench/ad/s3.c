/* Time steps of S3 (theory.md §5.2): the penalty formulation with the trapezoidal rule,
 *   [M + h/2 C + h^2/4 (Phi_z' alpha Phi_z + K)] dz = -h^2/4 (M zdd + Phi_z' alpha Phi - Q)                             (20)
 * where K = -Q_z and C = -Q_zd are those of the forces of the open chain, without M_z zdd and Phi_zz: derivatives of R with zdd = 0 and
 * lam = 0. They are kept for three iterations, while M, Phi_z and the factors are renewed in each. The projections (24), (26)
 * take the last factors, with P = M + h/2 C + h^2/4 K:
 *   [..] zd = P v* - h^2/4 Phi_z' alpha Phi_t,     [..] zdd = P a* - h^2/4 Phi_z' alpha (Phid_z zd + Phid_t)
 * Penalty: 1e10. The simulations of all methods take their steps in turn, so that what else the machine does slows all of them. */
#include <stdlib.h>
#include <string.h>

#include "formulation/tangent.h"
#include "tangents.h"

enum { KEPT = 3, ITERATIONS_MAX = 60 };

static const double penalty = 1e10, tolerance = 1e-10;

/* The simulation of one method. */
typedef struct s3 {
  const method *m;
  double *z, *zd, *zdd; /* [nz] */
  double *K, *C;        /* [nz][nz] */
  double energy0;
  s3_result *r;
} s3;

/* ---- a step ---- */

static void evaluate_jacobian(tangents *q, s3 *a, double t) {
  mbd_sim *s = q->own;
  const double begun = bench_now();
  memset(s->now.zdd, 0, (size_t)q->nz * sizeof *s->now.zdd);
  a->m->jacobian(q, &(ad_point){t, s->now.z, ali3p_of(s)->newton.vs, s->now.zdd, q->lam}, a->K, a->C);
  a->r->in_jacobians += bench_now() - begun;
  a->r->jacobians++;
}

/* P = M + h/2 C + h^2/4 K and the factors of (20), with M and Phi_z of the iterate. */
static mbd_status factor(tangents *q, const s3 *a, double h, mbd_error *err) {
  mbd_sim *s = q->own;
  ali3p *own = ali3p_of(s);
  const int n = q->nz;
  motion_mass(s->w, &own->x.M_at, own->x.M);
  const mbd_nonzeros *K_at = &own->x.K_at, *M_at = &own->x.M_at;
  for (int i = 0; i < n; i++) {
    for (int p = 0; p < K_at->count[i]; p++) {
      const int j = mbd_nonzeros_row(K_at, i, n)[p], k = i * n + j;
      own->tangent.T0[mbd_entry(K_at, n, i, j)] = h / 2 * a->C[k] + h * h / 4 * a->K[k];
    }
    for (int p = 0; p < M_at->count[i]; p++) {
      const int j = mbd_nonzeros_row(M_at, i, n)[p];
      own->tangent.T0[mbd_entry(K_at, n, i, j)] += own->x.M[mbd_entry(M_at, n, i, j)];
    }
  }
  return matrices_factor(s, &own->x, &own->x.K_at, own->tangent.T0, h * h / 4 * penalty, NULL, &own->tangent.lu,
                         "S3's tangent cannot be factored", err);
}

static mbd_status newton(tangents *q, s3 *a, double t, double h, mbd_error *err) {
  mbd_sim *s = q->own;
  ali3p *own = ali3p_of(s);
  const int n = q->nz;
  double *moved = own->newton.memory.moved, *z = s->now.z;
  for (int j = 0; j < n; j++) { moved[j] = h * a->zd[j] + h * h / 2 * a->zdd[j]; }
  for (int it = 0; it < ITERATIONS_MAX; it++) {
    for (int j = 0; j < n; j++) {
      z[j] = a->z[j] + moved[j];
      own->newton.vs[j] = 2 / h * moved[j] - a->zd[j];
      own->newton.as[j] = 4 / (h * h) * moved[j] - 4 / h * a->zd[j] - a->zdd[j];
    }
    if (it % KEPT == 0) { evaluate_jacobian(q, a, t); }
    motion_place(s->w, s->p, t, z);
    motion_move(s->w, own->newton.vs, own->newton.as, 1);
    matrices_phi_z(s, &own->x, own->newton.phi);
    MBD_TRY(factor(q, a, h, err));
    motion_residual(s->w, own->newton.r);
    matrices_phi_mulT_add(&own->x, 1, penalty, own->newton.phi, own->newton.r);
    for (int j = 0; j < n; j++) { own->newton.dz[j] = -h * h / 4 * own->newton.r[j]; }
    mbd_factors_solve(&own->tangent.lu, 0, 1, own->newton.dz);
    for (int j = 0; j < n; j++) { moved[j] += own->newton.dz[j]; }
    a->r->iterations++;
    if (mbd_norm_inf(n, own->newton.dz) <= tolerance * (1 + mbd_norm_inf(n, z))) { return MBD_OK; }
  }
  MBD_FAIL(err, MBD_NO_CONVERGENCE, "%s: a step of S3 at %g s did not converge", a->m->name, t);
}

/* x := P star - h^2/4 Phi_z' alpha g, on the factors of the step. */
static void project(const tangents *q, double h, const double *star, const double *g, double *x) {
  const mbd_sim *s = q->own;
  const ali3p *own = ali3p_of(s);
  memset(x, 0, (size_t)q->nz * sizeof *x);
  mbd_mul_add_at(q->nz, q->nz, 1, 1, own->tangent.T0, &q->of_forces.at, star, x);
  matrices_phi_mulT_add(&own->x, 1, -h * h / 4 * penalty, g, x);
  mbd_factors_solve(&own->tangent.lu, 0, 1, x);
}

static mbd_status step(tangents *q, s3 *a, double t, double h, mbd_error *err) {
  mbd_sim *s = q->own;
  ali3p *own = ali3p_of(s);
  const int n = q->nz;
  MBD_TRY(newton(q, a, t, h, err));
  for (int j = 0; j < n; j++) {
    s->now.z[j] = a->z[j] + own->newton.memory.moved[j];
    own->newton.vs[j] = 2 / h * own->newton.memory.moved[j] - a->zd[j];
    own->newton.as[j] = 4 / (h * h) * own->newton.memory.moved[j] - 4 / h * a->zd[j] - a->zdd[j];
    a->z[j] = s->now.z[j];
  }
  motion_place(s->w, s->p, t, a->z);
  motion_phi_t(s->w, s->eq, own->projection.phi_t);
  project(q, h, own->newton.vs, own->projection.phi_t, a->zd);
  memset(a->zdd, 0, (size_t)n * sizeof *a->zdd);
  motion_move(s->w, a->zd, a->zdd, 0);
  motion_phidd(s->w, s->eq, own->projection.phidd);
  project(q, h, own->newton.as, own->projection.phidd, a->zdd);
  return MBD_OK;
}

/* ---- a simulation ---- */

static double energy(const tangents *q, const s3 *a, double t) {
  mbd_sim *s = q->own;
  motion_place(s->w, s->p, t, a->z);
  motion_move(s->w, a->zd, a->zdd, 1);
  return motion_kinetic(s->w) + motion_potential(s->w);
}

static void begin(tangents *q, s3 *a, const method *m, s3_result *r) {
  const size_t n = (size_t)q->nz;
  *a = (s3){.m = m, .r = r};
  *r = (s3_result){0};
  a->z = calloc(n + 1, sizeof *a->z), a->zd = calloc(n + 1, sizeof *a->zd), a->zdd = calloc(n + 1, sizeof *a->zdd);
  a->K = calloc(n * n + 1, sizeof *a->K), a->C = calloc(n * n + 1, sizeof *a->C);
  memcpy(a->z, q->own->now.z, n * sizeof *a->z);
  memcpy(a->zd, q->own->now.zd, n * sizeof *a->zd), memcpy(a->zdd, q->own->now.zdd, n * sizeof *a->zdd);
  a->energy0 = energy(q, a, 0);
}

static mbd_status take_steps(tangents *q, int n, s3 *a, double h, int steps, mbd_error *err) {
  for (int k = 1; k <= steps; k++) {
    for (int i = 0; i < n; i++) {
      const double begun = bench_now();
      MBD_TRY(step(q, &a[i], k * h, h, err));
      a[i].r->seconds += bench_now() - begun;
      a[i].r->drift = fmax(a[i].r->drift, fabs(energy(q, &a[i], k * h) - a[i].energy0));
    }
  }
  return MBD_OK;
}

mbd_status s3_simulate(tangents *q, int n, const method *const *m, double h, double duration, s3_result *r,
                       mbd_error *err) {
  s3 a[MAX_METHODS] = {{0}};
  MBD_TRY(tangents_start(q, h, duration, err));
  q->use = &q->of_forces;
#ifdef BENCH_HAVE_ADOLC
  ad_adolc()->keep_tape(q->ad[1], !q->forces);
#endif
  for (int i = 0; i < n; i++) { begin(q, &a[i], m[i], &r[i]); }
  const mbd_status status = take_steps(q, n, a, h, (int)(duration / h + 0.5), err);
  for (int i = 0; i < n; i++) { free(a[i].z), free(a[i].zd), free(a[i].zdd), free(a[i].K), free(a[i].C); }
  return status;
}

/* ---- the program's own steps ---- */

/* The hook of libmbd's Newton iteration: this method, and what it has taken. */
typedef struct hook {
  tangents *q;
  const method *m;
  s3_result *r;
} hook;

static void by_hook(mbd_sim *s, const tangent_motion *at, mbd_real *K, mbd_real *C) {
  const hook *a = s->tangent_memory;
  const double begun = bench_now();
  a->m->jacobian(a->q, &(ad_point){s->t, at->z, at->zd, at->zdd, at->lam}, K, C);
  a->r->in_jacobians += bench_now() - begun;
  a->r->jacobians++;
  motion_place(s->w, s->p, s->t, at->z);
  motion_move(s->w, at->zd, at->zdd, 1);
}

typedef struct energies {
  mbd_sim *s;
  double first, drift;
} energies;

static int watch(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  energies *e = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  const double now = motion_kinetic(e->s->w) + motion_potential(e->s->w);
  if (k == 0) { e->first = now; }
  e->drift = fmax(e->drift, fabs(now - e->first));
  return 0;
}

mbd_status own_simulate(tangents *q, const method *m, double h, double duration, s3_result *r, mbd_error *err) {
  static const mbd_tangent_ops ops = {.name = "method", .doc = "", .evaluate = by_hook};
  double psi;
  *r = (s3_result){0};
  hook a = {q, m, r};
  MBD_TRY(tangents_start(q, h, duration, err));
  q->use = &q->of_all;
  mbd_sim *s = q->own;
  energies e = {.s = s};
  const mbd_tangent_ops *const kept = s->tangent;
  s->tangent = &ops, s->tangent_memory = &a;
#ifdef BENCH_HAVE_ADOLC
  ad_adolc()->keep_tape(q->ad[1], 0); /* accelerations and multipliers are numbers on it */
#endif
  const double begun = bench_now();
  const mbd_status status = mbd_sim_run(s, s->p, 0, NULL, &psi, NULL, NULL, watch, &e, err);
  r->seconds = bench_now() - begun, r->iterations = mbd_sim_stats(s)->iterations, r->drift = e.drift;
  s->tangent = kept, s->tangent_memory = NULL;
  return status;
}
