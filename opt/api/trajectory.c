/* Trajectories as functions of the design, and products with Jacobians. */
#include "mechanism/trajectory.h"

#include <stdlib.h>

#include "api/run.h"
#include "files/memory.h"

/* ---- quantities ---- */

mbd_status mbo_run_jvp(mbo_run *r, const double *x, const double *dx, double *psi, double *dpsi, mbd_error *err) {
  return mechanism_jvp(r->m, run_begin(r, x), dx, psi, dpsi, err);
}

mbd_status mbo_run_vjp(mbo_run *r, const double *x, const double *w, double *psi, double *g, mbd_error *err) {
  return mechanism_vjp(r->m, run_begin(r, x), w, psi, g, err);
}

mbd_status mbo_run_second(mbo_run *r, const double *x, const double *w, const double *d, double *Hd, mbd_error *err) {
  return mechanism_second(r->m, run_begin(r, x), w, d, Hd, err);
}

/* ---- trajectories ---- */

struct mbo_trajectory {
  trajectory *is;
  mechanism *m; /* of it */
  warning_list warnings;
};

mbd_status mbo_run_trajectory(const mbo_run *r, int i, int ncolumn, const char *const *column, int ntime,
                              const double *time, mbo_trajectory **out, mbd_error *err) {
  mbo_trajectory *t = mbd_zeros(1, sizeof *t);
  *out = NULL;
  MEMORY_TRY(t, err, "a trajectory");
  const mbd_status status =
      trajectory_create(r->path, r->nset, (const char *const *)r->set, i, ncolumn, column, ntime, time, &t->is, err);
  if (status != MBD_OK) {
    free(t);
    return status;
  }
  t->m = trajectory_mechanism(t->is);
  t->m->stop = r->m->stop;
  *out = t;
  return MBD_OK;
}

void mbo_trajectory_free(mbo_trajectory *t) {
  if (!t) { return; }
  warning_forget(&t->warnings);
  trajectory_free(t->is);
  free(t);
}

int mbo_trajectory_rows(const mbo_trajectory *t) {
  return trajectory_rows(t->is);
}

int mbo_trajectory_columns(const mbo_trajectory *t) {
  return trajectory_columns(t->is);
}

static int is_column(const mbo_trajectory *t, int column) {
  return column >= 0 && column < trajectory_columns(t->is);
}

const char *mbo_trajectory_name(const mbo_trajectory *t, int column) {
  return is_column(t, column) ? trajectory_name(t->is, column) : NULL;
}

const char *mbo_trajectory_unit(const mbo_trajectory *t, int column) {
  return is_column(t, column) ? trajectory_unit(t->is, column) : NULL;
}

const char *mbo_trajectory_warning(mbo_trajectory *t, int i) {
  return warning_at(&t->warnings, t->m, i);
}

/* Returns x, or the start if x is NULL, and drops the warnings of earlier calls. */
static const double *begin(mbo_trajectory *t, const double *x) {
  warning_forget(&t->warnings);
  return x ? x : t->m->start;
}

mbd_status mbo_trajectory_values(mbo_trajectory *t, const double *x, double *y, mbd_error *err) {
  return trajectory_values(t->is, begin(t, x), y, err);
}

mbd_status mbo_trajectory_jvp(mbo_trajectory *t, const double *x, const double *dx, double *y, double *dy,
                              mbd_error *err) {
  return trajectory_jvp(t->is, begin(t, x), dx, y, dy, err);
}

mbd_status mbo_trajectory_jacobian(mbo_trajectory *t, const double *x, double *y, double *J, mbd_error *err) {
  return trajectory_jacobian(t->is, begin(t, x), y, J, err);
}

mbd_status mbo_trajectory_vjp(mbo_trajectory *t, const double *x, const double *w, double *y, double *g,
                              mbd_error *err) {
  return trajectory_vjp(t->is, begin(t, x), w, y, g, err);
}

mbd_status mbo_trajectory_second(mbo_trajectory *t, const double *x, const double *w, const double *d, double *Hd,
                                 mbd_error *err) {
  return trajectory_second(t->is, begin(t, x), w, d, Hd, err);
}
