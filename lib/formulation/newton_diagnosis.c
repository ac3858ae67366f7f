/* Finds why Newton's iteration of a time step, theory.md §5.1 (5.2), does not converge: a dead point is near, or a force has a kink.
 *
 * A dead point is where rows of Phi_z vanish or come to depend on each other. With J the independent rows, divided by their lengths
 * at the start of the run, the least singular value of J measures how well they determine the motion; it is compared
 * with that at the start.
 *
 * At a kink the slopes of a force do not predict its change (nonsmooth.h); here the change over the last correction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formulation/nonsmooth.h"
#include "formulation/newton.h"
#include "model/loop.h"

#if !defined(MBD_COMPLEX) && !defined(MBD_SCALAR_HEADER) && MBD_DESIGNS == 1 /* with plain numbers */

enum { POWERS = 30, NAMES = 3, REASON = 600 };

static const double near_dead = 0.25; /* of the least singular value at the start */
static const double dead = 1e-4;      /* the same bound if the start is itself near a dead point */
static const double sudden = 0.3;     /* error of a force's linearization, relative to the change of the force */

/* ---- dead points ---- */

typedef struct rows {
  int n, nz;
  double *J, *G, *u; /* [n][nz], J J' [n][n], [n] */
  double *length;    /* [n] what the rows are divided by */
  int *piv;          /* [n] */
} rows;

static mbd_status no_memory(const mbd_sim *s, mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory to look for a dead point of %d constraints", s->rank);
}

static mbd_status make_rows(const mbd_sim *s, rows *list, mbd_error *err) {
  const size_t n = (size_t)s->rank, nz = (size_t)s->m->nz;
  list->n = s->rank, list->nz = s->m->nz;
  list->J = malloc((n * nz + 1) * sizeof *list->J);
  list->G = malloc((n * n + 1) * sizeof *list->G);
  list->u = malloc((n + 1) * sizeof *list->u);
  list->length = calloc(n + 1, sizeof *list->length);
  list->piv = malloc((n + 1) * sizeof *list->piv);
  return list->J && list->G && list->u && list->length && list->piv ? MBD_OK : no_memory(s, err);
}

static void free_rows(rows *list) {
  free(list->J), free(list->G), free(list->u), free(list->length), free(list->piv);
}

static double length_of(int n, const double *row) {
  double sum = 0;
  for (int j = 0; j < n; j++) { sum += row[j] * row[j]; }
  return sum > 0 ? sqrt(sum) : 1;
}

/* Computes J at z; the rows' lengths are set at the first call. */
static mbd_status fill_rows(mbd_sim *s, const double *z, rows *list, mbd_error *err) {
  double *all = calloc((size_t)(s->m->nphi * list->nz) + 1, sizeof *all);
  if (!all) { return no_memory(s, err); }
  motion_place(s->w, s->p, s->t, z);
  motion_phi(s->w, s->eq, NULL, all);
  for (int i = 0; i < list->n; i++) {
    const double *row = all + s->row[i] * list->nz;
    if (list->length[i] == 0) { list->length[i] = length_of(list->nz, row); }
    for (int j = 0; j < list->nz; j++) { list->J[i * list->nz + j] = row[j] / list->length[i]; }
  }
  free(all);
  return MBD_OK;
}

/* The least singular value of J, by inverse iteration; u: the combination of rows that belongs to it. */
static double min_singular_value(rows *list) {
  double size = 1;
  for (int i = 0; i < list->n; i++) {
    for (int j = 0; j < list->n; j++) {
      list->G[i * list->n + j] = i == j ? 1e-15 : 0; /* an exact dead point has an inverse as well */
      for (int k = 0; k < list->nz; k++) {
        list->G[i * list->n + j] += list->J[i * list->nz + k] * list->J[j * list->nz + k];
      }
    }
    list->u[i] = 1 + (double)(i * 37 % 101) / 101;
  }
  if (mbd_lu_factor(list->n, list->G, list->piv) != MBD_OK) { return 0; }
  for (int i = 0; i < POWERS; i++) {
    mbd_lu_solve(list->n, list->G, list->piv, 1, list->u);
    size = 0;
    for (int k = 0; k < list->n; k++) { size += list->u[k] * list->u[k]; }
    size = sqrt(size);
    if (!(size > 0) || !isfinite(size)) { return 0; }
    for (int k = 0; k < list->n; k++) { list->u[k] /= size; }
  }
  return 1 / sqrt(size);
}

/* Rows with a large part in the combination u. */
static void list_rows(const mbd_sim *s, const rows *list, char *text, size_t size) {
  const double large = mbd_norm_inf(list->n, list->u) / 2;
  size_t used = 0;
  int count = 0;
  text[0] = '\0';
  for (int i = 0; i < list->n; i++) {
    if (fabs(list->u[i]) < large || ++count > NAMES || used >= size) { continue; }
    const int n = snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", s->m->phi_name[s->row[i]]);
    if (n > 0) { used += (size_t)n; }
  }
  if (count > NAMES && used < size) { snprintf(text + used, size - used, " and %d more", count - NAMES); }
}

/* " (loop A - B - C)" of the first of these rows that closes one. */
static void list_loop(const mbd_sim *s, const rows *list, char *text, size_t size) {
  const double large = mbd_norm_inf(list->n, list->u) / 2;
  char loop[160] = "";
  for (int i = 0; i < list->n && !loop[0]; i++) {
    if (fabs(list->u[i]) < large) { continue; }
    model_loop_text(s->m, model_row_constraint(s->m, s->row[i]), loop, sizeof loop);
  }
  snprintf(text, size, loop[0] ? " (loop %s)" : "%s", loop);
}

static int fastest(const mbd_sim *s) {
  int max = 0;
  for (int j = 1; j < s->m->nz; j++) {
    if (fabs(s->before.zd[j]) > fabs(s->before.zd[max])) { max = j; }
  }
  return max;
}

static mbd_status describe_dead_point(mbd_sim *s, rows *list, char *text, size_t size, int *found, mbd_error *err) {
  char names[260], loop[200];
  MBD_TRY(fill_rows(s, s->z_first, list, err));
  const double first = min_singular_value(list);
  MBD_TRY(fill_rows(s, s->before.z, list, err));
  const double now = min_singular_value(list);
  *found = now < fmax(near_dead * first, dead);
  if (!*found) { return MBD_OK; }
  list_rows(s, list, names, sizeof names);
  list_loop(s, list, loop, sizeof loop);
  const int j = fastest(s);
  snprintf(text, size,
           "the mechanism is near a dead point, where it locks: its motion is determined %.2g times as well as at the "
           "start by %.200s%.100s, and '%.60s' moves by %.3g %s/s. Other dimensions, or a drive that stops short of it",
           now / first, names, loop, s->m->z_name[j], s->before.zd[j], s->m->z_unit[j] ? s->m->z_unit[j] : "1");
  return MBD_OK;
}

/* text: describes the dead point that the mechanism is near; unchanged if it is near none. */
static mbd_status near_dead_point(mbd_sim *s, char *text, size_t size, int *found, mbd_error *err) {
  rows q = {0};
  *found = 0;
  if (s->rank == 0) { return MBD_OK; }
  mbd_status status = make_rows(s, &q, err);
  if (status == MBD_OK) { status = describe_dead_point(s, &q, text, size, found, err); }
  free_rows(&q);
  return status;
}

/* ---- kinks ---- */

/* Looks for a kink between the current iterate and the other end of the correction. A correction that is rounding changes forces by their
 * rounding, which slopes do not predict either. */
static mbd_status find_nonsmooth(mbd_sim *s, const newton_memory *step, nonsmooth *worst, mbd_error *err) {
  const double *dz = step->way;
  const size_t nz = (size_t)s->m->nz;
  const double length = mbd_norm_inf((int)nz, dz);
  double *z = malloc((nz + 1) * sizeof *z), *zd = malloc((nz + 1) * sizeof *zd);
  mbd_status status = MBD_OK;
  *worst = (nonsmooth){.force = -1};
  if (!z || !zd) {
    status = MBD_FAILED(err, MBD_NO_MEMORY, "no memory to look for kinks along %zu coordinates", nz);
  } else if (isfinite(length) && length > newton_rounding * (1 + mbd_norm_inf((int)nz, s->now.z))) {
    for (size_t j = 0; j < nz; j++) { z[j] = s->now.z[j] + dz[j], zd[j] = step->rates[j] + s->scheme.c * dz[j]; }
    const nonsmooth_motion from = {s->t, s->now.z, step->rates}, to = {s->t, z, zd};
    status = nonsmooth_find(s, &from, &to, worst, err);
  }
  free(z), free(zd);
  return status;
}

/* text: names the force that has a kink there; unchanged if there is none. */
static mbd_status at_nonsmooth(mbd_sim *s, const newton_memory *step, char *text, size_t size, int *found,
                               mbd_error *err) {
  nonsmooth worst;
  MBD_TRY(find_nonsmooth(s, step, &worst, err));
  *found = worst.force >= 0 && worst.missed > sudden * worst.change;
  if (!*found) { return MBD_OK; }
  const mbd_force *force = &s->m->force[worst.force];
  char remedy[75];
  nonsmooth_remedy(force, remedy, sizeof remedy);
  snprintf(text, size,
           "force '%.80s' (%.40s) has a kink there: over the last correction it changes by %.3g, of which its slopes "
           "miss %.3g. A smaller step, or %s",
           force->name, force->ops->info.name, worst.change, worst.missed, remedy);
  return MBD_OK;
}

/* ---- the messages ---- */

mbd_status newton_advise(mbd_sim *s, const newton_memory *step, mbd_error *err) {
  char reason[REASON];
  int found;
  if (s->advised) { return MBD_OK; }
  s->advised = 1;
  MBD_TRY(at_nonsmooth(s, step, reason, sizeof reason, &found, err));
  if (!found) { return MBD_OK; }
  sim_warn(s, "newton", mbd_re(s->t),
           "in the step to t = %.4g s, and maybe in others, Newton's iteration converges with damped corrections only, "
           "which take time: %.380s",
           mbd_re(s->t), reason);
  return MBD_OK;
}

static int moved_max(int n, const double *dz) {
  int max = 0;
  for (int j = 1; j < n; j++) {
    if (!(fabs(dz[j]) <= fabs(dz[max]))) { max = j; }
  }
  return max;
}

static mbd_status not_converged(const mbd_sim *s, const newton_memory *step, const char *reason, mbd_error *err) {
  const int max = moved_max(s->m->nz, step->way);
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "Newton's iteration of a time step did not converge in %d iterations, nor by way of shorter steps; its last "
           "correction moves '%s' by %.3g %s: %s",
           s->c.max_iterations, s->m->z_name[max], fabs(step->way[max]), s->m->z_unit[max], reason);
}

mbd_status newton_diagnosis(mbd_sim *s, const newton_memory *step, mbd_status status, mbd_error *err) {
  char reason[REASON] = "a smaller step";
  int locked, bent;
  MBD_TRY(near_dead_point(s, reason, sizeof reason, &locked, err));
  if (status == MBD_NO_CONVERGENCE) {
    if (!locked) { MBD_TRY(at_nonsmooth(s, step, reason, sizeof reason, &bent, err)); }
    return not_converged(s, step, reason, err);
  }
  if (locked) { MBD_FAIL(err, status, "%s", reason); }
  return status;
}

#else

/* The build with real numbers warns. */
mbd_status newton_advise(mbd_sim *s, const newton_memory *step, mbd_error *err) {
  (void)step, (void)err;
  s->warned_together = 1;
  return MBD_OK;
}

mbd_status newton_diagnosis(mbd_sim *s, const newton_memory *step, mbd_status status, mbd_error *err) {
  if (status != MBD_NO_CONVERGENCE) { return status; } /* only the build with real numbers gives the cause */
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "Newton's iteration of a time step did not converge in %d iterations: last correction %.3g",
           s->c.max_iterations, mbd_norm_inf(s->m->nz, step->way));
}

#endif
