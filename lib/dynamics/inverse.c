/* Inverse dynamics and its derivatives (S4): the residual without reactions, and what motion.h makes of it.
 * Equations: theory.md §3 (3.8), (3.3); S4 (9), (16), (17). */
#include "mbd/inverse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/motion.h"

struct mbd_inverse {
  const mbd_model *m;
  mbd_work *w;                      /* the motion of the last evaluation */
  int ready;                        /* it has succeeded */
  int nwrench;                      /* room for so many, */
  external_wrench *wrench, *change; /* [nwrench] those of the motion, and of a direction or a reverse sweep */
  double *Q_z, *Q_zd, *Q_zdd;       /* [nz][nz], zero outside of the places below */
  mbd_nonzeros K_at, M_at;          /* of Q_z and Q_zd; of Q_zdd */
  mbd_reverse reverse;
  motion_linear linear;
  params_reverse *theta;
  mbd_arena arena;
};

/* ---- memory ---- */

static void layout(mbd_inverse *v, mbd_arena *a) {
  const size_t n = (size_t)v->m->nz, wrenches = (size_t)v->nwrench + 1;
  v->wrench = mbd_arena_take(a, wrenches * sizeof *v->wrench);
  v->change = mbd_arena_take(a, wrenches * sizeof *v->change);
  MBD_ARENA_REALS(a, n * n, &v->Q_z, &v->Q_zd, &v->Q_zdd);
  mbd_nonzeros *at[] = {&v->K_at, &v->M_at};
  for (int i = 0; i < 2; i++) {
    at[i]->count = mbd_arena_take(a, n * sizeof *at[i]->count);
    at[i]->col = mbd_arena_take(a, n * n * sizeof *at[i]->col);
  }
  reverse_layout(&v->reverse, v->m, a);
  motion_linear_layout(&v->linear, v->m, a);
}

static mbd_status find_places(mbd_inverse *v, mbd_error *err) {
  const int n = v->m->nz;
  unsigned char *mark = calloc((size_t)n * (size_t)n + 1, 1);
  if (!mark) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for inverse dynamics"); }
  motion_mark_inertia(v->m, mark);
  mbd_nonzeros_list(n, n, mark, &v->M_at);
  motion_mark_forces(v->m, mark);
  mbd_nonzeros_list(n, n, mark, &v->K_at);
  free(mark);
  return MBD_OK;
}

static mbd_status create(mbd_inverse *v, mbd_reference reference, mbd_error *err) {
  while (mbd_arena_pass(&v->arena)) { layout(v, &v->arena); }
  MBD_TRY(mbd_arena_check(&v->arena, "inverse dynamics", err));
  MBD_TRY(mbd_work_create(v->m, reference, &v->w, err));
  work_sweep_element_markers(v->w);
  MBD_TRY(params_reverse_create(v->m, &v->theta, err));
  return find_places(v, err);
}

mbd_status mbd_inverse_create(const mbd_model *m, mbd_reference reference, int nwrench, mbd_inverse **out,
                              mbd_error *err) {
  *out = NULL;
  if (m->nturn > 0) {
    MBD_FAIL(
        err, MBD_UNSUPPORTED,
        "inverse dynamics: force '%s' counts the turns of an angle along a motion, which a single instant does not "
        "tell; expected a force of the coordinate of a joint, or of sin and cos of the angle",
        m->force[m->turning].name);
  }
  if (nwrench < 0) { MBD_FAIL(err, MBD_BAD_INPUT, "room for %d wrenches from outside, expected 0 or more", nwrench); }
  mbd_inverse *v = calloc(1, sizeof *v);
  if (!v) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for inverse dynamics"); }
  v->m = m, v->nwrench = nwrench;
  const mbd_status status = create(v, reference, err);
  if (status != MBD_OK) { mbd_inverse_destroy(v); }
  *out = status == MBD_OK ? v : NULL;
  return status;
}

void mbd_inverse_destroy(mbd_inverse *v) {
  if (!v) { return; }
  mbd_work_destroy(v->w);
  params_reverse_destroy(v->theta);
  free(v->arena.base);
  free(v);
}

/* ---- value ---- */

static external_wrench wrench_from(const mbd_wrench *wrench) {
  external_wrench e = {.body = wrench->body};
  v3_copy(e.point, wrench->point);
  v3_copy(e.force, wrench->force);
  v3_copy(e.torque, wrench->torque);
  return e;
}

static mbd_status take_wrenches(mbd_inverse *v, int n, const mbd_wrench *wrench, mbd_error *err) {
  if (n < 0 || n > v->nwrench) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%d wrenches from outside, expected 0 .. %d, for which there is room", n, v->nwrench);
  }
  for (int i = 0; i < n; i++) {
    if (wrench[i].body < 1 || wrench[i].body >= v->m->nb) {
      MBD_FAIL(err, MBD_BAD_INPUT, "wrench %d from outside acts on body %d, expected 1 .. %d", i + 1, wrench[i].body,
               v->m->nb - 1);
    }
    /* Sweeps then include points of inertia of beams. */
    v->w->swept.light |= v->m->body[wrench[i].body].light;
    v->wrench[i] = wrench_from(&wrench[i]);
  }
  motion_external(v->w, n, v->wrench);
  return MBD_OK;
}

mbd_status mbd_inverse_dynamics(mbd_inverse *v, const mbd_params *p, double t, const double *z, const double *zd,
                                const double *zdd, int nwrench, const mbd_wrench *wrench, double *Q, mbd_error *err) {
  v->ready = 0;
  if (p->model != v->m) { MBD_FAIL(err, MBD_BAD_INPUT, "inverse dynamics with parameters of another model"); }
  MBD_TRY(take_wrenches(v, nwrench, wrench, err));
  motion_place(v->w, p, t, z);
  motion_move(v->w, zd, zdd, 1);
  motion_residual(v->w, Q);
  for (int j = 0; j < v->m->nz; j++) {
    if (isfinite(Q[j])) { continue; }
    MBD_FAIL(err, MBD_NOT_FINITE, "inverse dynamics at t = %g s: the force on coordinate '%s' is %g", t,
             v->m->z_name[j], Q[j]);
  }
  v->ready = 1;
  return MBD_OK;
}

/* ---- derivatives ---- */

static motion_terms terms_of(const mbd_inverse *v) {
  return motion_equations(motion_constraints(v->m), NULL);
}

void mbd_inverse_jacobian(mbd_inverse *v, const double **Q_z, const double **Q_zd, const double **Q_zdd) {
  const motion_terms terms = terms_of(v);
  assert(v->ready);
  motion_jacobian(v->w, &terms, &v->K_at, v->Q_z, v->Q_zd, NULL, v->Q_zdd);
  *Q_z = v->Q_z, *Q_zd = v->Q_zd, *Q_zdd = v->Q_zdd;
}

void mbd_inverse_pattern(const mbd_inverse *v, mbd_inverse_by by, const int **count, const int **col) {
  const mbd_nonzeros *at = by == MBD_INVERSE_ZDD ? &v->M_at : &v->K_at;
  *count = at->count, *col = at->col;
}

void mbd_inverse_along(mbd_inverse *v, const mbd_dparams *d, const double *dz, const double *dzd, const double *dzdd,
                       const mbd_wrench *dwrench, double *dQ) {
  const motion_terms terms = terms_of(v);
  assert(v->ready);
  for (int i = 0; dwrench && i < v->w->external.n; i++) { v->change[i] = wrench_from(&dwrench[i]); }
  motion_along(v->w, d, dz, dzd, dzdd);
  motion_external_along(v->w, dwrench ? v->change : NULL);
  motion_direction(v->w, &terms, dQ, NULL, NULL, NULL);
}

/* Adds the derivatives by the wrenches. */
static void reverse_wrenches(mbd_inverse *v, mbd_wrench *wrench) {
  const int n = v->w->external.n;
  memset(v->change, 0, (size_t)n * sizeof *v->change);
  motion_reverse_external(&v->reverse, v->change);
  for (int i = 0; i < n; i++) {
    v3_add(wrench[i].point, wrench[i].point, v->change[i].point);
    v3_add(wrench[i].force, wrench[i].force, v->change[i].force);
    v3_add(wrench[i].torque, wrench[i].torque, v->change[i].torque);
  }
}

void mbd_inverse_transpose(mbd_inverse *v, const double *mu, double *theta, double *z, double *zd, double *zdd,
                           mbd_wrench *wrench) {
  assert(v->ready);
  if (theta) { params_reverse_clear(v->theta); }
  motion_linearize(v->w, motion_constraints(v->m), NULL, &v->linear);
  reverse_begin(&v->reverse, v->w, theta ? v->theta : NULL);
  motion_reverse_residual(&v->reverse, &v->linear, mu);
  reverse_coordinates(&v->reverse, z, zd, zdd);
  if (wrench) { reverse_wrenches(v, wrench); }
  if (!theta) { return; }
  reverse_joints(&v->reverse);
  params_reverse_finish(v->theta, v->w->p);
  mbd_axpy(v->m->ncoef, 1, v->theta->theta, theta);
}
