/* The equations are in lumps.h. An inertia acts on a displacement d through the six numbers of |d|^2 1 - d d'; where these are
 * weighted by g [6], the sum is d' N d with N = (g_xx + g_yy + g_zz) 1 - sym(g), of gradient 2 N d.
 * Equations: theory.md §3 (3.10). */
#include "model/lumps.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/v3.h"

enum { MASS, COM, INERTIA = 4, NUMBERS = 10 };

/* ---- the lumps of a model ---- */

/* Adds half of the mass of element c at each of its two points. Points on the ground get none. */
static mbd_status add_lumps(mbd_model *m, const mbd_constraint *c, mbd_error *err) {
  const int marker[2] = {c->lift.arg[0].a, c->lift.arg[0].b};
  for (int k = 0; k < 2; k++) {
    const mbd_marker *p = &m->marker[marker[k]];
    if (p->body == 0) { continue; }
    mbd_lump *grown = mbd_list_grow(m->lump, m->nlump, sizeof *grown);
    if (!grown) { MBD_FAIL(err, MBD_NO_MEMORY, "out of memory: masses at points"); }
    m->lump = grown;
    m->lump[m->nlump++] = (mbd_lump){.body = p->body, .mass = c->coef + c->ops->lumped - 1, .at = p->coef};
  }
  return MBD_OK;
}

static int by_body(const void *a, const void *b) {
  const mbd_lump *lump = a, *q = b;
  return lump->body != q->body ? lump->body - q->body : lump->mass != q->mass ? lump->mass - q->mass : lump->at - q->at;
}

/* Sorts lumps by bodies, and makes each of these bodies read ten numbers of its own behind the coefficients. */
static mbd_status move_bodies(mbd_model *m, mbd_error *err) {
  qsort(m->lump, (size_t)m->nlump, sizeof *m->lump, by_body);
  m->lumped = calloc((size_t)m->nlump, sizeof *m->lumped);
  if (!m->lumped) { MBD_FAIL(err, MBD_NO_MEMORY, "out of memory: masses at points"); }
  for (int i = 0; i < m->nlump; i++) {
    mbd_body *body = &m->body[m->lump[i].body];
    if (!i || m->lump[i].body != m->lump[i - 1].body) {
      m->lumped[m->nlumped++] = (mbd_lumped){.name = body->name,
                                             .mass = body->mass,
                                             .com = body->com,
                                             .inertia = body->inertia,
                                             .first = i,
                                             .numbers = m->ntheta};
      body->mass = m->ntheta + MASS, body->com = m->ntheta + COM, body->inertia = m->ntheta + INERTIA;
      m->ntheta += NUMBERS;
    }
    m->lumped[m->nlumped - 1].n++;
  }
  return MBD_OK;
}

/* The nominal values of these numbers follow those of the coefficients. */
static mbd_status set_nominal(mbd_model *m, mbd_error *err) {
  const size_t n = (size_t)m->ntheta;
  mbd_real *theta = calloc(n + 1, sizeof *theta);
  double *nominal = calloc(n + 1, sizeof *nominal);
  if (!theta || !nominal) {
    free(theta), free(nominal);
    MBD_FAIL(err, MBD_NO_MEMORY, "out of memory: masses at points");
  }
  for (int i = 0; i < m->ncoef; i++) { theta[i] = m->nominal[i]; }
  lumps_set(m, theta);
  for (int i = 0; i < m->ntheta; i++) { nominal[i] = mbd_first(theta[i]); }
  free(theta), free(m->nominal);
  m->nominal = nominal;
  return MBD_OK;
}

mbd_status lumps_build(mbd_model *m, mbd_error *err) {
  for (int i = 0; i < m->nconstraint; i++) {
    if (m->constraint[i].ops->lumped) { MBD_TRY(add_lumps(m, &m->constraint[i], err)); }
  }
  if (!m->nlump) { return MBD_OK; }
  MBD_TRY(move_bodies(m, err));
  return set_nominal(m, err);
}

void lumps_destroy(mbd_model *m) {
  free(m->lump), free(m->lumped);
}

mbd_status lumps_check(const mbd_model *m, const double *theta, mbd_error *err) {
  for (int i = 0; i < m->nlumped; i++) {
    const mbd_lumped *b = &m->lumped[i];
    if (theta[b->mass] < 0) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "mass of body '%s' = %g kg, expected >= 0", b->name, theta[b->mass]);
    }
  }
  for (int i = 0; i < m->nlump; i++) {
    const double mass = theta[m->lump[i].mass];
    if (mass < 0) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "coefficient '%s' = %g, expected >= 0", m->coef_name[m->lump[i].mass], mass);
    }
  }
  return MBD_OK;
}

/* ---- one body: its numbers, and the sums over its lumps ---- */

typedef struct sums {
  mbd_real m, s[3]; /* all masses; first moment of the lumps about the body's own centre of mass */
} sums;

/* The mass m_k of a lump, and its arm d_k. */
static mbd_real lump_of(const mbd_lump *k, const mbd_lumped *b, const mbd_real *theta, mbd_real d[3]) {
  v3_scale(d, -1, theta + b->com);
  if (k->at >= 0) { v3_add(d, d, theta + k->at); }
  return theta[k->mass] / 2;
}

static sums sum_up(const mbd_model *m, const mbd_lumped *b, const mbd_real *theta) {
  sums q = {.m = theta[b->mass]};
  for (int k = 0; k < b->n; k++) {
    mbd_real d[3];
    const mbd_real mass = lump_of(&m->lump[b->first + k], b, theta, d);
    q.m += mass;
    v3_axpy(q.s, mass, d);
  }
  return q;
}

/* J += w (2 a . b 1 - a b' - b a')/2, which is w (|a|^2 1 - a a') for a = b */
static void add_inertia(mbd_real *J, mbd_real w, const mbd_real a[3], const mbd_real b[3]) {
  const mbd_real ab = v3_dot(a, b);
  for (int i = 0; i < 3; i++) { J[i] += w * (ab - a[i] * b[i]); }
  J[3] -= w * (a[0] * b[1] + a[1] * b[0]) / 2;
  J[4] -= w * (a[0] * b[2] + a[2] * b[0]) / 2;
  J[5] -= w * (a[1] * b[2] + a[2] * b[1]) / 2;
}

static void set_body(const mbd_model *m, const mbd_lumped *b, mbd_real *theta) {
  const sums q = sum_up(m, b, theta);
  mbd_real *to = theta + b->numbers, *J = to + INERTIA;
  const mbd_real per_mass = mbd_select(mbd_re(q.m) > 0, 1 / q.m, 0); /* without mass s is zero, too */
  to[MASS] = q.m;
  v3_copy(to + COM, theta + b->com);
  v3_axpy(to + COM, per_mass, q.s);
  memcpy(J, theta + b->inertia, 6 * sizeof *J);
  for (int k = 0; k < b->n; k++) {
    mbd_real d[3];
    const mbd_real mass = lump_of(&m->lump[b->first + k], b, theta, d);
    add_inertia(J, mass, d, d);
  }
  add_inertia(J, -per_mass, q.s, q.s);
}

/* The formulas of lumps.h, differentiated along dtheta by the product rule. */
static void direct_body(const mbd_model *m, const mbd_lumped *b, const mbd_real *theta, mbd_real *dtheta) {
  const sums q = sum_up(m, b, theta);
  sums dq = {.m = dtheta[b->mass]};
  mbd_real *to = dtheta + b->numbers, *dJ = to + INERTIA;
  const mbd_real per_mass = mbd_select(mbd_re(q.m) > 0, 1 / q.m, 0);
  memcpy(dJ, dtheta + b->inertia, 6 * sizeof *dJ);
  for (int k = 0; k < b->n; k++) {
    const mbd_lump *lump = &m->lump[b->first + k];
    mbd_real d[3], dd[3];
    const mbd_real mass = lump_of(lump, b, theta, d), dmass = lump_of(lump, b, dtheta, dd);
    dq.m += dmass;
    v3_axpy(dq.s, dmass, d);
    v3_axpy(dq.s, mass, dd);
    add_inertia(dJ, dmass, d, d);
    add_inertia(dJ, 2 * mass, d, dd);
  }
  to[MASS] = dq.m;
  v3_copy(to + COM, dtheta + b->com);
  v3_axpy(to + COM, per_mass, dq.s);
  v3_axpy(to + COM, -per_mass * per_mass * dq.m, q.s);
  add_inertia(dJ, -2 * per_mass, q.s, dq.s);
  add_inertia(dJ, per_mass * per_mass * dq.m, q.s, q.s);
}

/* y = N d, weights g [6]; d . y is the weighted inertia of d. */
static mbd_real weighted(const mbd_real *g, const mbd_real d[3], mbd_real y[3]) {
  const mbd_real trace = g[0] + g[1] + g[2];
  y[0] = (trace - g[0]) * d[0] - (g[3] * d[1] + g[4] * d[2]) / 2;
  y[1] = (trace - g[1]) * d[1] - (g[3] * d[0] + g[5] * d[2]) / 2;
  y[2] = (trace - g[2]) * d[2] - (g[4] * d[0] + g[5] * d[1]) / 2;
  return v3_dot(d, y);
}

/* The transpose of direct_body: propagates the derivatives by the summed mass, centre of mass and inertia of a body,
 * which become zero, to those by the coefficients of the body and of its lumped masses. */
static void pull_body(const mbd_model *m, const mbd_lumped *b, const mbd_real *theta, mbd_real *bar) {
  const sums q = sum_up(m, b, theta);
  mbd_real *from = bar + b->numbers, sbar[3], y[3];
  const mbd_real *g = from + INERTIA, per_mass = mbd_select(mbd_re(q.m) > 0, 1 / q.m, 0);
  const mbd_real of_s = weighted(g, q.s, y);
  v3_scale(sbar, per_mass, from + COM);
  v3_axpy(sbar, -2 * per_mass, y);
  const mbd_real mbar = from[MASS] + per_mass * per_mass * (of_s - v3_dot(from + COM, q.s));
  bar[b->mass] += mbar;
  v3_axpy(bar + b->com, 1, from + COM);
  for (int i = 0; i < 6; i++) { bar[b->inertia + i] += g[i]; }
  for (int k = 0; k < b->n; k++) {
    const mbd_lump *lump = &m->lump[b->first + k];
    mbd_real d[3], dbar[3];
    const mbd_real mass = lump_of(lump, b, theta, d), of_d = weighted(g, d, y);
    bar[lump->mass] += (mbar + v3_dot(sbar, d) + of_d) / 2;
    v3_scale(dbar, mass, sbar);
    v3_axpy(dbar, 2 * mass, y);
    v3_axpy(bar + b->com, -1, dbar);
    if (lump->at >= 0) { v3_axpy(bar + lump->at, 1, dbar); }
  }
  memset(from, 0, NUMBERS * sizeof *from);
}

/* ---- all of them ---- */

void lumps_set(const mbd_model *m, mbd_real *theta) {
  for (int i = 0; i < m->nlumped; i++) { set_body(m, &m->lumped[i], theta); }
}

void lumps_direct(const mbd_model *m, const mbd_real *theta, mbd_real *dtheta) {
  for (int i = 0; i < m->nlumped; i++) { direct_body(m, &m->lumped[i], theta, dtheta); }
}

void lumps_pull(const mbd_model *m, const mbd_real *theta, mbd_real *thetabar) {
  for (int i = 0; i < m->nlumped; i++) { pull_body(m, &m->lumped[i], theta, thetabar); }
}

static int any_of(const unsigned char *wanted, int first, int n) {
  return first >= 0 && memchr(wanted + first, 1, (size_t)n) != NULL;
}

void lumps_want(const mbd_model *m, unsigned char *wanted) {
  for (int i = 0; i < m->nlumped; i++) {
    const mbd_lumped *b = &m->lumped[i];
    int any = wanted[b->mass] || any_of(wanted, b->com, 3) || any_of(wanted, b->inertia, 6);
    for (int k = b->first; k < b->first + b->n; k++) {
      any |= wanted[m->lump[k].mass] || any_of(wanted, m->lump[k].at, 3);
    }
    memset(wanted + b->numbers, any, NUMBERS);
  }
}
