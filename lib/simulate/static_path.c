/* Equilibria are followed from node to node, in parts that are halved where they fail and doubled where they do not: Newton's iteration
 * on r + Phi_z' lam = 0, Phi = 0 from the last equilibrium, whose first correction is the tangent of the way.
 *
 * Beyond a limit point there may be another equilibrium, far away, and Newton's iteration may find it. A part of the way counts only if
 * its corrections shrink at once, coordinate by coordinate, as those of a short way do [Deuflhard 2004, 4.2]; or if the way back, from
 * where it leads, ends where it came from. */
#include <string.h>

#include "simulate/static.h"

enum { ITERATIONS = 20, MOST_PARTS = 400 };

static const double least_part = 1.0 / (1 << 24); /* of the way from a node to the next */
static const double quadratic_from = 1e-8; /* relative to 1 + |z|: from there on the last two say what the next is */
static const double rounding = 1e-14;
static const double shrinks_to = 0.25; /* corrections, relative to the first, if they are */
static const double counts = 1e-6;     /* larger than this, relative to 1 + |z| */
static const double returns_to = 1e-7; /* the way back, relative to 1 + |z| */

static void copy(int n, const mbd_real *from, mbd_real *to) {
  memcpy(to, from, (size_t)n * sizeof *to);
}

/* Is the correction dz small beside the first one, coordinate by coordinate? */
static int is_short(const mbd_sim *s) {
  const mbd_real *dz = s->start->settle->dz, *first = statics_of(s)->first;
  for (int j = 0; j < s->m->nz; j++) {
    const double most = fmax(shrinks_to * mbd_absre(first[j]), counts * (1 + mbd_absre(s->now.z[j])));
    if (!(mbd_absre(dz[j]) <= most)) { return 0; }
  }
  return 1;
}

/* From the position and multipliers at hand to those at the time s->t. Returns 0: it does not get there; 1: it does, 2: by
 * corrections that shrink at once. */
static int newton(mbd_sim *s) {
  sim_settle *q = s->start->settle;
  const int n = s->m->nz, m = s->eq.nrow;
  double last = INFINITY;
  int after = 0, at_once = 1;
  for (int it = 0; it < ITERATIONS; it++) {
    if (settle_correction(s, NULL) != MBD_OK) { return 0; }
    const double size = 1 + mbd_norm_inf(n, s->now.z), step = mbd_norm_inf(n, q->dz);
    if (!(step <= size)) { return 0; } /* farther than any way goes, or no number */
    if (it == 0) { copy(n, q->dz, statics_of(s)->first); }
    at_once = at_once && (it == 0 || is_short(s));
    for (int j = 0; j < n; j++) { s->now.z[j] += q->dz[j]; }
    for (int i = 0; i < m; i++) { q->y[i] += q->dy[i]; }
    if (step <= s->c.tolerance * size || (step <= quadratic_from * size && step * (step / last) <= rounding * size)) {
      after++;
    }
    if (after > EXTRA_ITERATIONS) { return 1 + at_once; }
    last = step;
  }
  return 0;
}

/* Does the way back, to the time `from`, end where it began? Leaves the position there. */
static int leads_back(mbd_sim *s, mbd_real from) {
  statics *q = statics_of(s);
  sim_settle *at = s->start->settle;
  const int n = s->m->nz, m = s->eq.nrow;
  const mbd_real to = s->t;
  copy(n, s->now.z, q->to_z), copy(m, at->y, q->to_lam);
  s->t = from;
  int back = newton(s) > 0;
  for (int j = 0; back && j < n; j++) {
    back = mbd_absre(s->now.z[j] - q->from_z[j]) <= returns_to * (1 + mbd_absre(q->from_z[j]));
  }
  s->t = to;
  copy(n, q->to_z, s->now.z), copy(m, q->to_lam, at->y);
  return back;
}

/* From the last equilibrium, of the time `from`, to the next, at s->t; 0: it is not found. */
static int advance(mbd_sim *s, mbd_real from) {
  statics *q = statics_of(s);
  copy(s->m->nz, q->from_z, s->now.z), copy(s->eq.nrow, q->from_lam, s->start->settle->y);
  const int found = newton(s);
  return found == 2 || (found == 1 && leads_back(s, from));
}

static void keep(mbd_sim *s) {
  statics *q = statics_of(s);
  copy(s->m->nz, s->now.z, q->from_z), copy(s->eq.nrow, s->start->settle->y, q->from_lam);
}

static mbd_status lost(mbd_sim *s, mbd_real last, mbd_real failed, mbd_real to, double slope, mbd_error *err) {
  statics *q = statics_of(s);
  copy(s->m->nz, q->from_z, s->now.z), copy(s->eq.nrow, q->from_lam, s->start->settle->y);
  return static_lost(s, last, failed, to, slope, err);
}

mbd_status static_follow(mbd_sim *s, mbd_error *err) {
  statics *q = statics_of(s);
  const mbd_real to = s->t, way = s->h * s->dilation, from = to - way;
  double done = 0, part = 1, slope = -1;
  copy(s->m->nz, s->before.z, q->from_z), copy(s->eq.nrow, s->before.lam, q->from_lam);
  for (int i = 0; i < MOST_PARTS && part >= least_part; i++) {
    const double end = done + part;
    s->t = end < 1 ? from + way * end : to;
    const int found = advance(s, from + way * done);
    if (slope < 0) { slope = mbd_norm_inf(s->m->nz, q->first) / (mbd_re(way) * part); }
    if (!found) {
      part /= 2;
    } else if (end >= 1) {
      return MBD_OK;
    } else {
      keep(s);
      done = end, part = fmin(2 * part, 1 - done);
    }
  }
  return lost(s, from + way * done, from + way * (done + 2 * part), to, slope, err);
}
