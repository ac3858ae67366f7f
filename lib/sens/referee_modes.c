/* Derivatives of eigenvalues by all coefficients at once; only in the complex library. Equations: simulate/modes.c, theory.md §7.7.
 *
 * With deviations x = (dz, dzd, dzdd, dlam) and multipliers m = (y, nudd, nud, nu) of a mode, lam' = -(m . r[x])' with both held, where r[x] is the change of
 * the residual and of the rows along x. Two real directions, x = x0 + i x1, are imaginary parts of a motion, one after the other; a reverse pass of m . r
 * there has derivatives whose imaginary parts are those of m . r[x]: by the coefficients, and by the state at the start, from which the adjoint of the start
 * goes on. Of Re(c lam') with c m = p + i q these are passes of -p at x0 and of q at x1. */
#include <stdlib.h>
#include <string.h>

#include "sens/adjoint.h"

static const double step = 1e-30;

typedef struct mode_motion {
  mbd_real *z, *zd, *zdd, *lam; /* the motion with an imaginary part */
  mbd_real *Phi_z;              /* [nphi][nz] */
  mbd_arena arena;
} mode_motion;

static void layout(mode_motion *motion, const mbd_model *m, mbd_arena *a) {
  MBD_ARENA_REALS(a, (size_t)m->nz + 1, &motion->z, &motion->zd, &motion->zdd);
  motion->lam = mbd_arena_real(a, (size_t)m->nphi + 1);
  motion->Phi_z = mbd_arena_real(a, (size_t)m->nphi * (size_t)m->nz + 1);
}

static const double *add_imaginary(int n, const mbd_real *x, const double *change, mbd_real *to) {
  for (int i = 0; i < n; i++) { to[i] = creal(x[i]) + step * change[i] * MBD_IMAG_UNIT; }
  return change + n;
}

/* to [n] := -p or q, of the parts x [n] of m and y [n], `apart` behind. */
static const double *weigh(int n, int part, const double c[2], const double *x, size_t apart, mbd_real *to) {
  const double *y = x + apart;
  for (int i = 0; i < n; i++) { to[i] = part == 0 ? -(c[0] * x[i] - c[1] * y[i]) : c[0] * y[i] + c[1] * x[i]; }
  return x + n;
}

/* The reverse passes of all columns at the motion with one part of the deviations. weight [ncolumn] at a distance of `apart` pairs. */
static void pass(mbd_sim *s, sim_adjoint *a, mode_motion *motion, const double *vectors, int part, const double *weight,
                 size_t apart) {
  const int n = s->m->nz, m = s->m->nphi, np = a->npsi;
  const double *x = vectors + (size_t)part * (size_t)(3 * n + m);
  x = add_imaginary(n, s->now.z, x, motion->z), x = add_imaginary(n, s->now.zd, x, motion->zd);
  x = add_imaginary(n, s->now.zdd, x, motion->zdd), add_imaginary(m, s->now.lam, x, motion->lam);
  motion_place(s->w, s->p, s->t, motion->z);
  motion_move(s->w, motion->zd, motion->zdd, 1);
  motion_linearize(s->w, s->eq, motion->lam, &a->linear);
  motion_phi(s->w, s->eq, NULL, motion->Phi_z);
  adjoint_begin(s, a);
  for (int k = 0; k < np; k++) {
    const double *c = weight + 2 * apart * (size_t)k, *from = vectors + 2 * (size_t)(3 * n + m);
    const size_t other = (size_t)(n + 3 * m);
    from = weigh(n, part, c, from, other, a->column), from = weigh(m, part, c, from, other, a->weights[2]);
    from = weigh(m, part, c, from, other, a->weights[1]), weigh(m, part, c, from, other, a->weights[0]);
    motion_reverse_residual(&a->reverse[k], &a->linear, a->column);
    motion_reverse_rows(&a->reverse[k], s->eq, a->weights[0], a->weights[1], a->weights[2]);
    for (int i = 0; i < m; i++) { a->lam[i * np + k] += mbd_dot(n, motion->Phi_z + i * n, a->column); }
  }
  adjoint_read_all(s, a);
  adjoint_read_joints(a);
}

static void take_imaginary(size_t n, mbd_real *x) {
  for (size_t i = 0; i < n; i++) { x[i] = cimag(x[i]) / step; }
}

/* gtheta [ncolumn][ncoef] += part of the sums so far: the imaginary one, of derivatives at imaginary motions, or the real one; clears them. */
static void gather(const mbd_sim *s, sim_adjoint *a, int imaginary, double *gtheta) {
  for (int k = 0; k < a->npsi; k++) {
    params_reverse_finish(a->theta[k], s->p);
    for (int i = 0; i < s->m->ncoef; i++) {
      const mbd_real g = a->theta[k]->theta[i];
      gtheta[(size_t)k * (size_t)s->m->ncoef + (size_t)i] += imaginary ? cimag(g) / step : creal(g);
    }
    params_reverse_clear(a->theta[k]);
  }
}

static mbd_status all_passes(mbd_sim *s, sim_adjoint *a, mode_motion *motion, int nmode, const double *const *vectors,
                             const double *weight, double *gtheta, mbd_error *err) {
  const size_t n = (size_t)s->m->nz * (size_t)a->npsi, m = (size_t)s->m->nphi * (size_t)a->npsi;
  memset(a->z, 0, n * sizeof *a->z), memset(a->zd, 0, n * sizeof *a->z), memset(a->zdd, 0, n * sizeof *a->z);
  memset(a->acc, 0, n * sizeof *a->acc), memset(a->lam, 0, m * sizeof *a->lam);
  a->by_step.any = 0;
  for (int k = 0; k < a->npsi; k++) { params_reverse_clear(a->theta[k]); }
  work_sweep_all_markers(s->w);
  for (int i = 0; i < nmode; i++) {
    for (int part = 0; part < 2; part++) { pass(s, a, motion, vectors[i], part, weight + 2 * i, (size_t)nmode); }
  }
  gather(s, a, 1, gtheta);
  take_imaginary(n, a->z), take_imaginary(n, a->zd), take_imaginary(n, a->zdd), take_imaginary(m, a->lam);
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  adjoint_begin(s, a);
  MBD_TRY(adjoint_start_state(s, a, err));
  gather(s, a, 0, gtheta);
  return MBD_OK;
}

mbd_status adjoint_modes(mbd_sim *s, int ncolumn, int nmode, const double *const *vectors, const double *weight,
                         const unsigned char *requested, double *gtheta, mbd_error *err) {
  mode_motion motion = {0};
  MBD_TRY(adjoint_need(s, err));
  sim_adjoint *a = s->adjoint;
  if (ncolumn > a->max) { MBD_FAIL(err, MBD_BAD_INPUT, "%d sums of eigenvalues, but memory for %d", ncolumn, a->max); }
  a->npsi = ncolumn;
  for (int k = 0; k < ncolumn; k++) { params_reverse_request(a->theta[k], requested); }
  params_reverse_request(adjoint_of(s)->contradiction, requested);
  while (mbd_arena_pass(&motion.arena)) { layout(&motion, s->m, &motion.arena); }
  MBD_TRY(mbd_arena_check(&motion.arena, "eigenvalues", err));
  memset(gtheta, 0, (size_t)ncolumn * (size_t)s->m->ncoef * sizeof *gtheta);
  const mbd_status status = all_passes(s, a, &motion, nmode, vectors, weight, gtheta, err);
  free(motion.arena.base);
  return status;
}
