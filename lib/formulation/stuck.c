/* Why Newton's iteration of a time step does not converge: a dead point that is near, or a force with a kink.
 *
 * A dead point is where rows of Phi_z vanish or come to depend on each other. With J the independent rows, divided by their lengths
 * at the start of the run, the least singular value of J says how well they determine the motion; it is compared with that at
 * the start.
 *
 * A kink is where the slopes of a force say nothing of its next value (kink.h): here over the last correction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formulation/kink.h"
#include "formulation/newton.h"
#include "model/loop.h"

#ifndef MBD_COMPLEX

enum { POWERS = 30, NAMES = 3, REASON = 600 };

static const double near_dead = 0.25; /* of the least singular value at the start */
static const double dead = 1e-4;      /* where the start is no better */
static const double sudden = 0.3;     /* what slopes miss of a force, relative to its change */

/* ---- dead points ---- */

typedef struct rows {
  int n, nz;
  double *J, *G, *u; /* [n][nz], J J' [n][n], [n] */
  double *length;    /* [n] what the rows are divided by */
  int *piv;          /* [n] */
} rows;

static int make_rows(const mbd_sim *s, rows *q) {
  const size_t n = (size_t)s->rank, nz = (size_t)s->m->nz;
  q->n = s->rank, q->nz = s->m->nz;
  q->J = malloc((n * nz + 1) * sizeof *q->J);
  q->G = malloc((n * n + 1) * sizeof *q->G);
  q->u = malloc((n + 1) * sizeof *q->u);
  q->length = calloc(n + 1, sizeof *q->length);
  q->piv = malloc((n + 1) * sizeof *q->piv);
  return n > 0 && q->J && q->G && q->u && q->length && q->piv;
}

static void free_rows(rows *q) {
  free(q->J), free(q->G), free(q->u), free(q->length), free(q->piv);
}

static double length_of(int n, const double *row) {
  double sum = 0;
  for (int j = 0; j < n; j++) { sum += row[j] * row[j]; }
  return sum > 0 ? sqrt(sum) : 1;
}

/* J at z; the lengths are those of the first. */
static int fill_rows(mbd_sim *s, const double *z, rows *q) {
  double *all = calloc((size_t)(s->m->nphi * q->nz) + 1, sizeof *all);
  if (!all) { return 0; }
  motion_place(s->w, s->p, s->t, z);
  motion_phi(s->w, s->eq, NULL, all);
  for (int i = 0; i < q->n; i++) {
    const double *row = all + s->row[i] * q->nz;
    if (q->length[i] == 0) { q->length[i] = length_of(q->nz, row); }
    for (int j = 0; j < q->nz; j++) { q->J[i * q->nz + j] = row[j] / q->length[i]; }
  }
  free(all);
  return 1;
}

/* The least singular value of J, by inverse iteration; u: its combination of rows. */
static double least_singular_value(rows *q) {
  double size = 1;
  for (int i = 0; i < q->n; i++) {
    for (int j = 0; j < q->n; j++) {
      q->G[i * q->n + j] = i == j ? 1e-15 : 0; /* an exact dead point has an inverse as well */
      for (int k = 0; k < q->nz; k++) { q->G[i * q->n + j] += q->J[i * q->nz + k] * q->J[j * q->nz + k]; }
    }
    q->u[i] = 1 + (double)(i * 37 % 101) / 101;
  }
  if (mbd_lu_factor(q->n, q->G, q->piv) != MBD_OK) { return 0; }
  for (int i = 0; i < POWERS; i++) {
    mbd_lu_solve(q->n, q->G, q->piv, 1, q->u);
    size = 0;
    for (int k = 0; k < q->n; k++) { size += q->u[k] * q->u[k]; }
    size = sqrt(size);
    if (!(size > 0) || !isfinite(size)) { return 0; }
    for (int k = 0; k < q->n; k++) { q->u[k] /= size; }
  }
  return 1 / sqrt(size);
}

/* Rows with a large part in the combination u. */
static void list_rows(const mbd_sim *s, const rows *q, char *text, size_t size) {
  const double large = mbd_norm_inf(q->n, q->u) / 2;
  size_t used = 0;
  int count = 0;
  text[0] = '\0';
  for (int i = 0; i < q->n; i++) {
    if (fabs(q->u[i]) < large || ++count > NAMES || used >= size) { continue; }
    const int n = snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", s->m->phi_name[s->row[i]]);
    if (n > 0) { used += (size_t)n; }
  }
  if (count > NAMES && used < size) { snprintf(text + used, size - used, " and %d more", count - NAMES); }
}

/* " (loop A - B - C)" of the first of these rows that closes one. */
static void list_loop(const mbd_sim *s, const rows *q, char *text, size_t size) {
  const double large = mbd_norm_inf(q->n, q->u) / 2;
  char loop[160] = "";
  for (int i = 0; i < q->n && !loop[0]; i++) {
    if (fabs(q->u[i]) < large) { continue; }
    model_loop_text(s->m, model_row_constraint(s->m, s->row[i]), loop, sizeof loop);
  }
  snprintf(text, size, loop[0] ? " (loop %s)" : "%s", loop);
}

static int fastest(const mbd_sim *s) {
  int most = 0;
  for (int j = 1; j < s->m->nz; j++) {
    if (fabs(s->before.zd[j]) > fabs(s->before.zd[most])) { most = j; }
  }
  return most;
}

static int describe_dead_point(mbd_sim *s, rows *q, char *text, size_t size) {
  char names[260], loop[200];
  if (!fill_rows(s, s->z_first, q)) { return 0; }
  const double first = least_singular_value(q);
  if (!fill_rows(s, s->before.z, q)) { return 0; }
  const double now = least_singular_value(q);
  if (!(now < fmax(near_dead * first, dead))) { return 0; }
  list_rows(s, q, names, sizeof names);
  list_loop(s, q, loop, sizeof loop);
  const int j = fastest(s);
  snprintf(text, size,
           "the mechanism is near a dead point, where it locks: its motion is determined %.2g times as well as at the "
           "start by %.200s%.100s, and '%.60s' moves by %.3g %s/s. Other dimensions, or a drive that stops short of it",
           now / first, names, loop, s->m->z_name[j], s->before.zd[j], s->m->z_unit[j] ? s->m->z_unit[j] : "1");
  return 1;
}

static int near_dead_point(mbd_sim *s, char *text, size_t size) {
  rows q = {0};
  const int found = make_rows(s, &q) && describe_dead_point(s, &q, text, size);
  free_rows(&q);
  return found;
}

/* ---- kinks ---- */

/* From the iterate at hand to the other end of the correction. */
static int find_kink(mbd_sim *s, const newton_memory *step, kink *worst) {
  const double *dz = step->way;
  const size_t nz = (size_t)s->m->nz;
  double *z = malloc((nz + 1) * sizeof *z), *zd = malloc((nz + 1) * sizeof *zd);
  int found = 0;
  if (z && zd && isfinite(mbd_norm_inf((int)nz, dz))) {
    for (size_t j = 0; j < nz; j++) { z[j] = s->now.z[j] + dz[j], zd[j] = step->rates[j] + s->scheme.c * dz[j]; }
    const kink_motion from = {s->t, s->now.z, step->rates}, to = {s->t, z, zd};
    found = kink_find(s, &from, &to, worst) && worst->missed > sudden * worst->change;
  }
  free(z), free(zd);
  return found;
}

static int at_kink(mbd_sim *s, const newton_memory *step, char *text, size_t size) {
  kink worst;
  if (!find_kink(s, step, &worst)) { return 0; }
  const mbd_force *q = &s->m->force[worst.force];
  snprintf(
      text, size,
      "force '%.80s' (%.40s) has a kink there: over the last correction it changes by %.3g, of which its slopes miss "
      "%.3g. "
      "A smaller step, or a smoother law (of tyres a larger slip_speed, of stops a wider onset, of curves no corners)",
      q->name, q->ops->info.name, worst.change, worst.missed);
  return 1;
}

/* ---- the messages ---- */

void newton_advise(mbd_sim *s, const newton_memory *step) {
  char reason[REASON];
  if (s->advised) { return; }
  s->advised = 1;
  if (!at_kink(s, step, reason, sizeof reason)) { return; }
  sim_warn(s, "newton", mbd_re(s->t),
           "in the step to t = %.4g s, and maybe in others, Newton's iteration converges with damped corrections only, "
           "which take time: %.380s",
           mbd_re(s->t), reason);
}

static int moved_most(int n, const double *dz) {
  int most = 0;
  for (int j = 1; j < n; j++) {
    if (!(fabs(dz[j]) <= fabs(dz[most]))) { most = j; }
  }
  return most;
}

static mbd_status not_converged(const mbd_sim *s, const newton_memory *step, const char *reason, mbd_error *err) {
  const int most = moved_most(s->m->nz, step->way);
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "Newton's iteration of a time step did not converge in %d iterations, nor by way of shorter steps; its last "
           "correction moves '%s' by %.3g: %s",
           s->c.max_iterations, s->m->z_name[most], fabs(step->way[most]), reason);
}

mbd_status newton_stuck(mbd_sim *s, const newton_memory *step, mbd_status status, mbd_error *err) {
  char reason[REASON] = "a smaller step";
  const int locked = near_dead_point(s, reason, sizeof reason);
  if (status == MBD_NO_CONVERGENCE) {
    if (!locked) { at_kink(s, step, reason, sizeof reason); }
    return not_converged(s, step, reason, err);
  }
  if (locked) { MBD_FAIL(err, status, "%s", reason); }
  return status;
}

#else

void newton_advise(mbd_sim *s, const newton_memory *step) {
  (void)s, (void)step;
}

mbd_status newton_stuck(mbd_sim *s, const newton_memory *step, mbd_status status, mbd_error *err) {
  if (status != MBD_NO_CONVERGENCE) { return status; } /* the product build says more */
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "Newton's iteration of a time step did not converge in %d iterations: last correction %.3g",
           s->c.max_iterations, mbd_norm_inf(s->m->nz, step->way));
}

#endif
