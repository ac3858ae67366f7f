/* Complex step of inverse dynamics: the residual at a motion with imaginary parts; only in the complex library.
 * Equations: theory.md §7.5 (7.9) on theory.md §3 (3.8). */
#include <stdlib.h>

#include "base/real.h"
#include "dynamics/motion.h"
#include "mbd/referee.h"

static const double step = 1e-30;

struct mbd_referee_inverse {
  mbd_model *model;
  mbd_params *params;
  mbd_work *work;
  mbd_real *z, *zd, *zdd, *Q; /* [nz] */
  double *scaled;             /* [ncoef] imaginary parts */
  mbd_arena arena;
};

static mbd_status create(mbd_referee_inverse *r, const mbd_spec *s, mbd_reference reference, mbd_error *err) {
  MBD_TRY(mbd_model_create(s, &r->model, err));
  MBD_TRY(mbd_params_create(r->model, NULL, &r->params, err));
  MBD_TRY(mbd_work_create(r->model, reference, &r->work, err));
  const size_t n = (size_t)r->model->nz + 1;
  while (mbd_arena_pass(&r->arena)) {
    MBD_ARENA_REALS(&r->arena, n, &r->z, &r->zd, &r->zdd, &r->Q);
    r->scaled = mbd_arena_take(&r->arena, ((size_t)r->model->ncoef + 1) * sizeof *r->scaled);
  }
  return mbd_arena_check(&r->arena, "the referee", err);
}

mbd_status mbd_referee_inverse_create(const mbd_spec *s, mbd_reference reference, mbd_referee_inverse **out,
                                      mbd_error *err) {
  mbd_referee_inverse *r = calloc(1, sizeof *r);
  *out = NULL;
  if (!r) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the referee"); }
  const mbd_status status = create(r, s, reference, err);
  if (status != MBD_OK) { mbd_referee_inverse_destroy(r); }
  *out = status == MBD_OK ? r : NULL;
  return status;
}

void mbd_referee_inverse_destroy(mbd_referee_inverse *r) {
  if (!r) { return; }
  mbd_work_destroy(r->work);
  mbd_params_destroy(r->params);
  mbd_model_destroy(r->model);
  free(r->arena.base);
  free(r);
}

/* x + i step dx, dx NULL: zero */
static void numbers(int n, const double *x, const double *dx, mbd_real *out) {
  for (int i = 0; i < n; i++) { out[i] = x[i] + MBD_IMAG_UNIT * step * (dx ? dx[i] : 0); }
}

static external_wrench wrench_of(const mbd_wrench *wrench, const mbd_wrench *d) {
  external_wrench e = {.body = wrench->body};
  numbers(3, wrench->point, d ? d->point : NULL, e.point);
  numbers(3, wrench->force, d ? d->force : NULL, e.force);
  numbers(3, wrench->torque, d ? d->torque : NULL, e.torque);
  return e;
}

/* Q and its derivative by the complex step: dQ = Im Q(theta + i step dtheta, z + i step dz, ...) / step. */
mbd_status mbd_referee_inverse_derivative(mbd_referee_inverse *r, const double *theta, const mbd_referee_motion *at,
                                          int nwrench, int n, const int *index, const double *value,
                                          const mbd_referee_motion *along, double *Q, double *dQ, mbd_error *err) {
  const int nz = r->model->nz;
  external_wrench *wrench = calloc((size_t)nwrench + 1, sizeof *wrench);
  if (!wrench) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the referee"); }
  const mbd_status status = mbd_params_set(r->params, theta, err);
  for (int k = 0; k < n; k++) { r->scaled[k] = step * value[k]; }
  if (status == MBD_OK) {
    params_set_imaginary(r->params, n, index, r->scaled);
    numbers(nz, at->z, along->z, r->z);
    numbers(nz, at->zd, along->zd, r->zd);
    numbers(nz, at->zdd, along->zdd, r->zdd);
    for (int i = 0; i < nwrench; i++) {
      wrench[i] = wrench_of(&at->wrench[i], along->wrench ? &along->wrench[i] : NULL);
    }
    motion_external(r->work, nwrench, wrench);
    motion_place(r->work, r->params, at->t, r->z);
    motion_move(r->work, r->zd, r->zdd, 1);
    motion_residual(r->work, r->Q);
    for (int j = 0; j < nz; j++) { Q[j] = creal(r->Q[j]), dQ[j] = cimag(r->Q[j]) / step; }
  }
  free(wrench);
  return status;
}
