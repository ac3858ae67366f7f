/* Derivatives of eigenvalues by all coefficients at once; only in the complex library. Equations: simulate/modes.c, theory.md §7.7 (7.13).
 *
 * With deviations x = (dz, dzd, dzdd, dlam) and multipliers m = (y, nudd, nud, nu) of a mode, lam' = -(m . r[x])' with both held, where r[x] is the change of
 * the residual and of the rows along x. x is a sum of real directions with complex factors, 1 of its real part and i of its imaginary part; each direction is the
 * imaginary part of a motion. A reverse pass of Re(c m) . r there has derivatives whose imaginary parts are those of Re(c m) . r[x]: by the coefficients, and by the
 * state at the start, from which the adjoint of the start goes on. */
#include <stdlib.h>
#include <string.h>

#include "mbd/linearize.h"
#include "sens/adjoint.h"
#include "simulate/steady.h"

static const double step = 1e-30;

/* The derivatives so far: by the state, z, zd, zdd, lam, and by the coefficients [ncolumn][ncoef]. */
typedef struct mode_sum {
  size_t nstate, ncoef;
  double *state, *theta;
} mode_sum;

typedef struct mode_motion {
  mbd_real *z, *zd, *zdd, *lam; /* the motion with an imaginary part */
  mbd_real *Phi_z;              /* [nphi][nz] */
  mode_sum sum, unit;
  mbd_arena arena;
} mode_motion;

static void layout_sum(mode_sum *sum, const mbd_model *m, size_t ncolumn, mbd_arena *a) {
  sum->nstate = ncolumn * (3 * (size_t)m->nz + (size_t)m->nphi), sum->ncoef = ncolumn * (size_t)m->ncoef;
  sum->state = mbd_arena_take(a, sum->nstate * sizeof *sum->state);
  sum->theta = mbd_arena_take(a, sum->ncoef * sizeof *sum->theta);
}

static void layout(mode_motion *motion, const mbd_model *m, int ncolumn, mbd_arena *a) {
  layout_sum(&motion->sum, m, (size_t)ncolumn, a), layout_sum(&motion->unit, m, (size_t)ncolumn, a);
  MBD_ARENA_REALS(a, (size_t)m->nz + 1, &motion->z, &motion->zd, &motion->zdd);
  motion->lam = mbd_arena_real(a, (size_t)m->nphi + 1);
  motion->Phi_z = mbd_arena_real(a, (size_t)m->nphi * (size_t)m->nz + 1);
}

static const double *add_imaginary(int n, const mbd_real *x, const double *change, mbd_real *to) {
  for (int i = 0; i < n; i++) { to[i] = creal(x[i]) + step * change[i] * MBD_IMAG_UNIT; }
  return change + n;
}

/* to [n] := -Re(c x), of the real parts x [n] of multipliers and the imaginary ones, `apart` behind. */
static const double *weigh(int n, const double c[2], const double *x, size_t apart, mbd_real *to) {
  const double *y = x + apart;
  for (int i = 0; i < n; i++) { to[i] = -(c[0] * x[i] - c[1] * y[i]); }
  return x + n;
}

/* The reverse passes of all columns at the motion with one of the right vectors times a factor. weight [ncolumn] at a distance of `apart` pairs. */
static void pass(mbd_sim *s, sim_adjoint *a, mode_motion *motion, const double *vectors, int part, const double *factor,
                 const double *weight, size_t apart) {
  const int n = s->m->nz, m = s->m->nphi, np = a->npsi;
  const size_t size = (size_t)(3 * n + m), other = (size_t)(n + 3 * m);
  const double *x = vectors + 2 + 2 * MBD_MODE_RIGHT + (size_t)part * size;
  const double *left = vectors + 2 + 2 * MBD_MODE_RIGHT + (size_t)MBD_MODE_RIGHT * size;
  x = add_imaginary(n, s->now.z, x, motion->z), x = add_imaginary(n, s->now.zd, x, motion->zd);
  x = add_imaginary(n, s->now.zdd, x, motion->zdd), add_imaginary(m, s->now.lam, x, motion->lam);
  motion_place(s->w, s->p, s->t, motion->z);
  motion_move(s->w, motion->zd, motion->zdd, 1);
  motion_linearize(s->w, s->eq, motion->lam, &a->linear);
  motion_phi(s->w, s->eq, NULL, motion->Phi_z);
  adjoint_begin(s, a);
  for (int k = 0; k < np; k++) {
    const double *w = weight + 2 * apart * (size_t)k, *from = left;
    const double c[] = {w[0] * factor[0] - w[1] * factor[1], w[0] * factor[1] + w[1] * factor[0]};
    from = weigh(n, c, from, other, a->column), from = weigh(m, c, from, other, a->weights[2]);
    from = weigh(m, c, from, other, a->weights[1]), weigh(m, c, from, other, a->weights[0]);
    motion_reverse_residual(&a->reverse[k], &a->linear, a->column);
    motion_reverse_rows(&a->reverse[k], s->eq, a->weights[0], a->weights[1], a->weights[2]);
    for (int i = 0; i < m; i++) { a->lam[i * np + k] += mbd_dot(n, motion->Phi_z + i * n, a->column); }
  }
  adjoint_read_all(s, a);
  adjoint_read_joints(a);
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

/* state := imaginary parts of a->z, zd, zdd, lam, which are zero then, theta := those of the coefficients. */
static void gather_all(const mbd_sim *s, sim_adjoint *a, mode_sum *sum) {
  const size_t n = (size_t)s->m->nz * (size_t)a->npsi, m = (size_t)s->m->nphi * (size_t)a->npsi;
  mbd_real *const block[] = {a->z, a->zd, a->zdd, a->lam};
  double *to = sum->state;
  for (int i = 0; i < 4; i++) {
    for (size_t k = 0; k < (i < 3 ? n : m); k++) { *to++ = cimag(block[i][k]) / step, block[i][k] = 0; }
  }
  memset(sum->theta, 0, sum->ncoef * sizeof *sum->theta);
  gather(s, a, 1, sum->theta);
}

static double largest(size_t n, const double *x) {
  double max = 0;
  for (size_t i = 0; i < n; i++) { max = fmax(max, fabs(x[i])); }
  return max;
}

static double largest_by_coefficient(const mbd_sim *s, const mode_sum *sum) {
  double max = 0;
  for (size_t i = 0; i < sum->ncoef; i++) {
    const double theta = creal(s->p->theta[i % (size_t)s->m->ncoef]);
    max = fmax(max, fabs(sum->theta[i]) * fmax(fabs(theta), 1));
  }
  return max;
}

static const double rounding = 1e-11; /* of a reverse pass */

/* Adds the derivatives of a rigid motion of unit size times `scale`, where they are more than rounding: at the numbers around, nearly always, it is one, too. */
static void add_rigid(const mbd_sim *s, mode_sum *sum, const mode_sum *unit, double scale) {
  const double size = largest(sum->nstate, sum->state), size_theta = largest_by_coefficient(s, sum);
  const int by_state = largest(unit->nstate, unit->state) > rounding * size;
  const int by_theta = largest_by_coefficient(s, unit) > rounding * size_theta;
  for (size_t i = 0; by_state && i < sum->nstate; i++) { sum->state[i] += scale * unit->state[i]; }
  for (size_t i = 0; by_theta && i < sum->ncoef; i++) { sum->theta[i] += scale * unit->theta[i]; }
}

static void begin(const mbd_sim *s, sim_adjoint *a) {
  const size_t n = (size_t)s->m->nz * (size_t)a->npsi, m = (size_t)s->m->nphi * (size_t)a->npsi;
  memset(a->z, 0, n * sizeof *a->z), memset(a->zd, 0, n * sizeof *a->z), memset(a->zdd, 0, n * sizeof *a->z);
  memset(a->acc, 0, n * sizeof *a->acc), memset(a->lam, 0, m * sizeof *a->lam);
  a->by_step.any = 0;
  for (int k = 0; k < a->npsi; k++) { params_reverse_clear(a->theta[k]); }
}

/* From the derivatives by the state at the start to those by the coefficients. */
static mbd_status start_back(mbd_sim *s, sim_adjoint *a, const mode_sum *sum, double *gtheta, mbd_error *err) {
  const size_t n = (size_t)s->m->nz * (size_t)a->npsi, m = (size_t)s->m->nphi * (size_t)a->npsi;
  mbd_real *const block[] = {a->z, a->zd, a->zdd, a->lam};
  const double *from = sum->state;
  for (int i = 0; i < 4; i++) {
    for (size_t k = 0; k < (i < 3 ? n : m); k++) { block[i][k] = *from++; }
  }
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  adjoint_begin(s, a);
  for (int k = 0; k < a->npsi; k++) { /* what a steady motion finds depends on them */
    for (int i = 0; i < s->m->ncoef; i++) {
      a->theta[k]->theta[i] = sum->theta[(size_t)k * (size_t)s->m->ncoef + (size_t)i];
    }
  }
  MBD_TRY(adjoint_start_state(s, a, err));
  memset(gtheta, 0, sum->ncoef * sizeof *gtheta);
  gather(s, a, 0, gtheta);
  return MBD_OK;
}

/* The rate of a steady turn, in which zdd = r S zd, as a function of the state: with p = S zd, S' = -S,
 *   r = p.zdd/(p.p),   dr = (p.dzdd + r S p.dzd)/(p.p) */
static void add_turn(mbd_sim *s, mode_motion *motion, int ncolumn, int nmode, const double *const *vectors,
                     const double *weight) {
  const int n = s->m->nz;
  if (!steady_requested(s) || creal(steady_turn(s)) == 0) { return; }
  mbd_real *p = motion->z, *Sp = motion->zd;
  steady_generator(s, s->now.zd, p), steady_generator(s, p, Sp);
  const double size = creal(mbd_dot(n, p, p)), r = creal(steady_turn(s));
  double *by_zd = motion->sum.state + (size_t)n * (size_t)ncolumn, *by_zdd = by_zd + (size_t)n * (size_t)ncolumn;
  for (int k = 0; k < ncolumn; k++) {
    double by = 0;
    for (int i = 0; i < nmode; i++) {
      const double *c = weight + 2 * ((size_t)k * (size_t)nmode + (size_t)i);
      by += c[0] * vectors[i][0] - c[1] * vectors[i][1];
    }
    for (int j = 0; size > 0 && j < n; j++) {
      by_zdd[j * ncolumn + k] += by * creal(p[j]) / size, by_zd[j * ncolumn + k] += by * r * creal(Sp[j]) / size;
    }
  }
}

static mbd_status all_passes(mbd_sim *s, sim_adjoint *a, mode_motion *motion, int nmode, const double *const *vectors,
                             const double *weight, double *gtheta, mbd_error *err) {
  mode_sum *sum = &motion->sum, *unit = &motion->unit;
  begin(s, a);
  work_sweep_all_markers(s->w);
  for (int i = 0; i < nmode; i++) {
    for (int part = 0; part < 2; part++) {
      pass(s, a, motion, vectors[i], part, vectors[i] + 2 + 2 * part, weight + 2 * i, (size_t)nmode);
    }
  }
  gather_all(s, a, sum);
  add_turn(s, motion, a->npsi, nmode, vectors, weight);
  for (int i = 0; i < nmode; i++) {
    for (int part = 2; part < MBD_MODE_RIGHT; part++) {
      const double *factor = vectors[i] + 2 + 2 * part, size = hypot(factor[0], factor[1]);
      const double direction[] = {factor[0] / size, factor[1] / size};
      if (size == 0) { continue; }
      pass(s, a, motion, vectors[i], part, direction, weight + 2 * i, (size_t)nmode);
      gather_all(s, a, unit);
      add_rigid(s, sum, unit, size);
    }
  }
  return start_back(s, a, sum, gtheta, err);
}

mbd_status adjoint_modes(mbd_sim *s, int ncolumn, int nmode, const double *const *vectors, const double *weight,
                         const unsigned char *requested, double *gtheta, mbd_error *err) {
  mode_motion motion = {0};
  MBD_TRY(adjoint_need(s, err));
  sim_adjoint *a = s->adjoint;
  if (ncolumn > a->max) { MBD_FAIL(err, MBD_BAD_INPUT, "%d sums of eigenvalues, but memory for %d", ncolumn, a->max); }
  a->npsi = ncolumn;
  if (steady_requested(s)) { requested = steady_request(s, requested); }
  for (int k = 0; k < ncolumn; k++) { params_reverse_request(a->theta[k], requested); }
  params_reverse_request(adjoint_of(s)->contradiction, requested);
  while (mbd_arena_pass(&motion.arena)) { layout(&motion, s->m, ncolumn, &motion.arena); }
  MBD_TRY(mbd_arena_check(&motion.arena, "eigenvalues", err));
  const mbd_status status = all_passes(s, a, &motion, nmode, vectors, weight, gtheta, err);
  free(motion.arena.base);
  return status;
}
