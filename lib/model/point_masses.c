/* The equations are in point_masses.h. An inertia acts on a displacement d through the six numbers of |d|^2 1 - d d'; where these are
 * weighted by g [6], the sum is d' N d with N = (g_xx + g_yy + g_zz) 1 - sym(g), of gradient 2 N d.
 * Equations: theory.md §3 (3.10). */
#include "model/point_masses.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/v3.h"
#include "model/beams.h"

enum { MASS, COM, INERTIA = 4, NUMBERS = 10 };

/* ---- the point masses of a model ---- */

/* Adds half of the mass of element c at each of its two points. Points on the ground get none. */
static mbd_status add_point_masses(mbd_model *m, const mbd_constraint *c, mbd_error *err) {
  const int marker[2] = {c->lift.arg[0].a, c->lift.arg[0].b};
  for (int k = 0; k < 2; k++) {
    const mbd_marker *p = &m->marker[marker[k]];
    if (p->body == 0) { continue; }
    mbd_point_mass *grown = mbd_list_grow(m->point_mass, m->npoint_mass, sizeof *grown);
    if (!grown) { MBD_FAIL(err, MBD_NO_MEMORY, "out of memory: masses at points"); }
    m->point_mass = grown;
    m->point_mass[m->npoint_mass++] =
        (mbd_point_mass){.body = p->body, .mass = c->coef + c->ops->point_masses_of - 1, .at = p->coef};
  }
  return MBD_OK;
}

static int by_body(const void *a, const void *b) {
  const mbd_point_mass *point_mass = a, *q = b;
  return point_mass->body != q->body   ? point_mass->body - q->body
         : point_mass->mass != q->mass ? point_mass->mass - q->mass
                                       : point_mass->at - q->at;
}

/* Sorts point masses by bodies, and makes each of these bodies read ten numbers of its own behind the coefficients. */
static mbd_status move_bodies(mbd_model *m, mbd_error *err) {
  qsort(m->point_mass, (size_t)m->npoint_mass, sizeof *m->point_mass, by_body);
  m->point_masses_of = calloc((size_t)m->npoint_mass, sizeof *m->point_masses_of);
  if (!m->point_masses_of) { MBD_FAIL(err, MBD_NO_MEMORY, "out of memory: masses at points"); }
  for (int i = 0; i < m->npoint_mass; i++) {
    mbd_body *body = &m->body[m->point_mass[i].body];
    if (!i || m->point_mass[i].body != m->point_mass[i - 1].body) {
      m->point_masses_of[m->npoint_masses++] = (mbd_point_masses){.name = body->name,
                                                                  .mass = body->mass,
                                                                  .com = body->com,
                                                                  .inertia = body->inertia,
                                                                  .first = i,
                                                                  .numbers = m->ntheta};
      body->mass = m->ntheta + MASS, body->com = m->ntheta + COM, body->inertia = m->ntheta + INERTIA;
      m->ntheta += NUMBERS;
    }
    m->point_masses_of[m->npoint_masses - 1].n++;
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
  beams_set(m, theta);
  point_masses_set(m, theta);
  for (int i = 0; i < m->ntheta; i++) { nominal[i] = mbd_first(theta[i]); }
  free(theta), free(m->nominal);
  m->nominal = nominal;
  return MBD_OK;
}

mbd_status point_masses_build(mbd_model *m, mbd_error *err) {
  for (int i = 0; i < m->nconstraint; i++) {
    if (m->constraint[i].ops->point_masses_of) { MBD_TRY(add_point_masses(m, &m->constraint[i], err)); }
  }
  if (!m->npoint_mass && !m->nbeam) { return MBD_OK; }
  if (m->npoint_mass) { MBD_TRY(move_bodies(m, err)); }
  return set_nominal(m, err);
}

void point_masses_destroy(mbd_model *m) {
  free(m->point_mass), free(m->point_masses_of);
}

mbd_status point_masses_check(const mbd_model *m, const double *theta, mbd_error *err) {
  for (int i = 0; i < m->npoint_masses; i++) {
    const mbd_point_masses *b = &m->point_masses_of[i];
    if (theta[b->mass] < 0) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "mass of body '%s' = %g kg, expected >= 0", b->name, theta[b->mass]);
    }
  }
  for (int i = 0; i < m->npoint_mass; i++) {
    const double mass = theta[m->point_mass[i].mass];
    if (mass < 0) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "coefficient '%s' = %g, expected >= 0", m->coef_name[m->point_mass[i].mass],
               mass);
    }
  }
  return MBD_OK;
}

/* ---- one body: its numbers, and the sums over its point masses ---- */

typedef struct sums {
  mbd_real m, s[3]; /* all masses; first moment of the point masses about the body's own centre of mass */
} sums;

/* The mass m_k of a point mass, and its arm d_k. */
static mbd_real point_mass_of(const mbd_point_mass *k, const mbd_point_masses *b, const mbd_real *theta,
                              mbd_real d[3]) {
  v3_scale(d, -1, theta + b->com);
  if (k->at >= 0) { v3_add(d, d, theta + k->at); }
  return theta[k->mass] / 2;
}

static sums sum_up(const mbd_model *m, const mbd_point_masses *b, const mbd_real *theta) {
  sums q = {.m = theta[b->mass]};
  for (int k = 0; k < b->n; k++) {
    mbd_real d[3];
    const mbd_real mass = point_mass_of(&m->point_mass[b->first + k], b, theta, d);
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

static void set_body(const mbd_model *m, const mbd_point_masses *b, mbd_real *theta) {
  const sums q = sum_up(m, b, theta);
  mbd_real *to = theta + b->numbers, *J = to + INERTIA;
  const mbd_real per_mass = mbd_select(mbd_re(q.m) > 0, 1 / q.m, 0); /* without mass s is zero, too */
  to[MASS] = q.m;
  v3_copy(to + COM, theta + b->com);
  v3_axpy(to + COM, per_mass, q.s);
  memcpy(J, theta + b->inertia, 6 * sizeof *J);
  for (int k = 0; k < b->n; k++) {
    mbd_real d[3];
    const mbd_real mass = point_mass_of(&m->point_mass[b->first + k], b, theta, d);
    add_inertia(J, mass, d, d);
  }
  add_inertia(J, -per_mass, q.s, q.s);
}

/* The formulas of point_masses.h, differentiated along dtheta by the product rule. */
static void direct_body(const mbd_model *m, const mbd_point_masses *b, const mbd_real *theta, mbd_real *dtheta) {
  const sums q = sum_up(m, b, theta);
  sums dq = {.m = dtheta[b->mass]};
  mbd_real *to = dtheta + b->numbers, *dJ = to + INERTIA;
  const mbd_real per_mass = mbd_select(mbd_re(q.m) > 0, 1 / q.m, 0);
  /* Sums over the point masses: dm, ds = sum (dm_k d_k + m_k dd_k), changes of m_k (|d_k|^2 1 - d_k d_k') in dJ. */
  memcpy(dJ, dtheta + b->inertia, 6 * sizeof *dJ);
  for (int k = 0; k < b->n; k++) {
    const mbd_point_mass *point_mass = &m->point_mass[b->first + k];
    mbd_real d[3], dd[3];
    const mbd_real mass = point_mass_of(point_mass, b, theta, d), dmass = point_mass_of(point_mass, b, dtheta, dd);
    dq.m += dmass;
    v3_axpy(dq.s, dmass, d);
    v3_axpy(dq.s, mass, dd);
    add_inertia(dJ, dmass, d, d);
    add_inertia(dJ, 2 * mass, d, dd);
  }
  /* dm, and dc = dc_0 + ds/m - s dm/m^2. */
  to[MASS] = dq.m;
  v3_copy(to + COM, dtheta + b->com);
  v3_axpy(to + COM, per_mass, dq.s);
  v3_axpy(to + COM, -per_mass * per_mass * dq.m, q.s);
  /* The change of -(|s|^2 1 - s s')/m, the second use of the theorem of parallel axes. */
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
 * which become zero, to those by the coefficients of the body and of its point masses. */
static void reverse_body(const mbd_model *m, const mbd_point_masses *b, const mbd_real *theta, mbd_real *reverse) {
  const sums q = sum_up(m, b, theta);
  mbd_real *from = reverse + b->numbers, sbar[3], y[3];
  const mbd_real *g = from + INERTIA, per_mass = mbd_select(mbd_re(q.m) > 0, 1 / q.m, 0);
  /* Derivatives by the sums s and m, with cbar those by c and N that of the derivatives by J (head of the file):
   *   sbar = cbar/m - 2 N s/m,  mbar += (s' N s - cbar . s)/m^2 */
  const mbd_real of_s = weighted(g, q.s, y);
  v3_scale(sbar, per_mass, from + COM);
  v3_axpy(sbar, -2 * per_mass, y);
  const mbd_real mbar = from[MASS] + per_mass * per_mass * (of_s - v3_dot(from + COM, q.s));
  /* Derivatives by the coefficients of the body itself, m_0, c_0 and J_0. */
  reverse[b->mass] += mbar;
  v3_axpy(reverse + b->com, 1, from + COM);
  for (int i = 0; i < 6; i++) { reverse[b->inertia + i] += g[i]; }
  /* Derivatives by the mass of an element, of which m_k is half, and by the arm, dbar = m_k sbar + 2 m_k N d_k. */
  for (int k = 0; k < b->n; k++) {
    const mbd_point_mass *point_mass = &m->point_mass[b->first + k];
    mbd_real d[3], dbar[3];
    const mbd_real mass = point_mass_of(point_mass, b, theta, d), of_d = weighted(g, d, y);
    reverse[point_mass->mass] += (mbar + v3_dot(sbar, d) + of_d) / 2;
    v3_scale(dbar, mass, sbar);
    v3_axpy(dbar, 2 * mass, y);
    v3_axpy(reverse + b->com, -1, dbar);
    if (point_mass->at >= 0) { v3_axpy(reverse + point_mass->at, 1, dbar); }
  }
  memset(from, 0, NUMBERS * sizeof *from);
}

/* ---- all of them ---- */

void point_masses_set(const mbd_model *m, mbd_real *theta) {
  for (int i = 0; i < m->npoint_masses; i++) { set_body(m, &m->point_masses_of[i], theta); }
}

void point_masses_direct(const mbd_model *m, const mbd_real *theta, mbd_real *dtheta) {
  for (int i = 0; i < m->npoint_masses; i++) { direct_body(m, &m->point_masses_of[i], theta, dtheta); }
}

void point_masses_reverse(const mbd_model *m, const mbd_real *theta, mbd_real *thetabar) {
  for (int i = 0; i < m->npoint_masses; i++) { reverse_body(m, &m->point_masses_of[i], theta, thetabar); }
}

void point_masses_request(const mbd_model *m, unsigned char *requested) {
  for (int i = 0; i < m->npoint_masses; i++) {
    const mbd_point_masses *b = &m->point_masses_of[i];
    int any = requested[b->mass] || coefs_requested(requested, b->com, 3) || coefs_requested(requested, b->inertia, 6);
    for (int k = b->first; k < b->first + b->n; k++) {
      any |= requested[m->point_mass[k].mass] || coefs_requested(requested, m->point_mass[k].at, 3);
    }
    memset(requested + b->numbers, any, NUMBERS);
  }
}
