#include "model/params_reverse.h"

#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "model/beams.h"
#include "model/derived.h"
#include "model/point_masses.h"

/* ---- what is wanted ---- */

/* Bits of the members force_requests and the like; the bit of the curve in slot k is REQUESTS_CURVE << k. */
enum { REQUESTS_OWN = 1, REQUESTS_CURVE = 2, REQUESTS_TIME = REQUESTS_CURVE << MBD_CURVE_MAX };

static unsigned char requests_of(const params_reverse *u, int own_is_requested, const int *curve, int has_time) {
  unsigned requests = own_is_requested ? REQUESTS_OWN : 0;
  if (u->stretch_requested && has_time) { requests |= REQUESTS_TIME; }
  for (int k = 0; k < MBD_CURVE_MAX; k++) {
    if (curve[k] >= 0 && u->curve_requested[curve[k]]) { requests |= (unsigned)REQUESTS_CURVE << k; }
  }
  return (unsigned char)requests;
}

static unsigned char constraint_requests(const params_reverse *u, const mbd_constraint *c) {
  int own_is_requested =
      c->ops->nown ? derived_own_requested(u, c) : params_any_requested(u, c->coef, params_ncoef(&c->ops->info));
  for (int i = 0; c->expression && i < c->expression->nleaf; i++) {
    const velocity_leaf *leaf = &c->expression->leaf[i];
    own_is_requested |= leaf->is == VELOCITY_COEFFICIENT && u->requested[leaf->at];
  }
  return requests_of(u, own_is_requested, c->curve, params_constraint_has_time(c));
}

/* A force by expression depends on the coefficients and curves in its values, and on those of the forces whose outputs are in them. */
static unsigned char expression_requests(const params_reverse *u, const expression_law *law) {
  int requested = 0;
  for (int k = 0; k < law->ncoef; k++) { requested |= u->requested[law->coef[k]]; }
  for (int k = 0; k < law->ncurve; k++) { requested |= u->curve_requested[law->curve[k]]; }
  for (int k = 0; k < law->nforce; k++) { requested |= u->force_requests[law->force[k]] != 0; }
  return requested ? REQUESTS_OWN : 0;
}

static void request_bodies(params_reverse *u) {
  const mbd_model *m = u->model;
  for (int i = 1; i < m->nb; i++) {
    const mbd_body *b = &m->body[i];
    u->body_requested[i] = (unsigned char)(u->requested[b->mass] || params_any_requested(u, b->com, 3) ||
                                           params_any_requested(u, b->inertia, 6));
  }
  u->gravity_requested = params_any_requested(u, m->gravity, 3);
}

void params_reverse_request(params_reverse *u, const unsigned char *requested) {
  const mbd_model *m = u->model;
  for (int k = 0; k < m->ncoef; k++) { u->requested[k] = !requested || requested[k]; }
  /* Numbers that follow from wanted coefficients are wanted, too. */
  point_masses_request(m, u->requested);
  beams_request(m, u->requested);
  derived_request(u);
  request_bodies(u);
  for (int i = 0; i < m->ncurve; i++) {
    const mbd_curve *k = &m->curve[i];
    u->curve_requested[i] =
        (unsigned char)(params_any_requested(u, k->coef, k->nc) || params_any_requested(u, k->stretch - 1, 1));
  }
  /* Elements with any wanted derivative, by coefficients, curves or the time. */
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    u->force_requests[i] = requests_of(u, params_any_requested(u, f->coef, params_ncoef(&f->ops->info)), f->curve,
                                       params_force_has_time(f));
  }
  for (int i = 0; i < m->nforce; i++) {
    if (m->force[i].expression) { u->force_requests[i] |= expression_requests(u, m->force[i].expression); }
  }
  for (int i = 0; i < m->nconstraint; i++) {
    u->constraint_requests[i] = constraint_requests(u, &m->constraint[i]);
    u->any_geometry |= m->constraint[i].ops->phi_xc && u->constraint_requests[i];
  }
  for (int i = 0; i < m->nhold; i++) { u->hold_requests[i] = constraint_requests(u, &m->hold[i]); }
}

/* ---- memory ---- */

/* The largest number of coefficients or prepared data that any element has. */
static int max_coefs(const mbd_model *m) {
  int max = 2; /* of a held quantity */
  for (int i = 0; i < m->nforce + m->nconstraint; i++) {
    const mbd_element_info *info = i < m->nforce ? &m->force[i].ops->info : &m->constraint[i - m->nforce].ops->info;
    int n = params_ncoef(info);
    if (n > max) { max = n; }
  }
  return max;
}

static void layout(params_reverse *u, const mbd_model *m, mbd_arena *a) {
  /* Unit changes are of the coefficients of an element, or of any in an expression. */
  const size_t own = (size_t)max_coefs(m), max = own > (size_t)m->ntheta ? own : (size_t)m->ntheta;
  u->theta = mbd_arena_real(a, (size_t)m->ntheta);
  u->aux = mbd_arena_real(a, (size_t)m->naux);
  u->joint = mbd_arena_take(a, (size_t)m->njoint * sizeof *u->joint);
  u->dlocal = mbd_arena_real(a, 3 * (size_t)m->nmarker);
  u->requested = mbd_arena_take(a, (size_t)m->ntheta);
  u->force_requests = mbd_arena_take(a, (size_t)m->nforce);
  u->constraint_requests = mbd_arena_take(a, (size_t)m->nconstraint);
  u->hold_requests = mbd_arena_take(a, (size_t)m->nhold);
  u->curve_requested = mbd_arena_take(a, (size_t)m->ncurve);
  u->joint_requested = mbd_arena_take(a, (size_t)m->njoint);
  u->marker_requested = mbd_arena_take(a, (size_t)m->nmarker);
  u->body_requested = mbd_arena_take(a, (size_t)m->nb);
  MBD_ARENA_REALS(a, max, &u->unit, &u->zero);
}

mbd_status params_reverse_create(const mbd_model *m, params_reverse **out, mbd_error *err) {
  params_reverse *u = calloc(1, sizeof *u);
  *out = NULL;
  if (!u) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for derivatives in the coefficients"); }
  u->model = m;
  while (mbd_arena_pass(&u->arena)) { layout(u, m, &u->arena); }
  const mbd_status status = mbd_arena_check(&u->arena, "derivatives in the coefficients", err);
  if (status != MBD_OK) {
    free(u);
    return status;
  }
  params_reverse_request(u, NULL);
  *out = u;
  return MBD_OK;
}

void params_reverse_destroy(params_reverse *u) {
  if (!u) { return; }
  free(u->arena.base);
  free(u);
}

static void clear_derived(params_reverse *u) {
  const mbd_model *m = u->model;
  memset(u->aux, 0, (size_t)m->naux * sizeof *u->aux);
  memset(u->joint, 0, (size_t)m->njoint * sizeof *u->joint);
  memset(u->dlocal, 0, 3 * (size_t)m->nmarker * sizeof *u->dlocal);
}

void params_reverse_clear(params_reverse *u) {
  memset(u->theta, 0, (size_t)u->model->ntheta * sizeof *u->theta);
  u->stretch = 0;
  clear_derived(u);
}

void params_reverse_finish(params_reverse *u, const mbd_params *p) {
  derived_reverse(p, u);
  clear_derived(u);
}

/* ---- elements ---- */

/* A weighted sum of the changes of an element, as a linear function of the direction. */
typedef struct response {
  mbd_real (*along)(const struct response *r, const mbd_element_direction *d);
  const mbd_element_input *in;
  const mbd_force_ops *force;
  const mbd_constraint_ops *constraint;
  int scalar;
  mbd_real s;
  const mbd_real (*f)[3];
  const mbd_real *nu[3]; /* weights of phi and of its first and second time derivatives; or of phi_x u */
  const mbd_real (*u)[3];
} response;

/* bar[i] += response to unit direction i of the element's coefficients or of its prepared data, while no curve changes.
 * wanted NULL: all n. */
static void probe_numbers(params_reverse *u, const response *r, int prepared, int n, const unsigned char *requested,
                          mbd_real *reverse) {
  mbd_curve_probe no_curve = {.slot = -1};
  const mbd_element_direction d = {
      .dc = prepared ? u->zero : u->unit, .down = prepared ? u->unit : u->zero, .probe = &no_curve};
  for (int i = 0; i < n; i++) {
    if (requested && !requested[i]) { continue; }
    u->unit[i] = 1;
    reverse[i] += r->along(r, &d);
    u->unit[i] = 0;
  }
}

/* theta += response to unit changes of the coefficients in an expression, while no curve changes. */
static void probe_leaves(params_reverse *u, const response *r, const velocity_law *law) {
  mbd_curve_probe no_curve = {.slot = -1};
  const mbd_element_direction d = {.dtheta = u->unit, .probe = &no_curve};
  for (int i = 0; law && i < law->nleaf; i++) {
    const int k = law->leaf[i].at;
    if (law->leaf[i].is != VELOCITY_COEFFICIENT || !u->requested[k]) { continue; }
    u->unit[k] = 1;
    u->theta[k] += r->along(r, &d);
    u->unit[k] = 0;
  }
}

/* Finds the weights of each evaluation of the curve in slot k by unit responses, and propagates them to the
 * coefficients of the curve. */
static void probe_curve(params_reverse *u, const mbd_params *p, const response *r, int k) {
  const mbd_curve *curve = r->in->curve[k];
  mbd_curve_probe probe = {.slot = k};
  const mbd_element_direction d = {.dc = u->zero, .down = u->zero, .probe = &probe};
  int ncall = 1; /* number of evaluations, set by the first response */
  for (probe.call = 0; probe.call < ncall; probe.call++) {
    mbd_real reverse[3];
    for (probe.order = 0; probe.order < 3; probe.order++) {
      probe.ncall = 0;
      reverse[probe.order] = r->along(r, &d);
      if (probe.ncall == 0) { return; }
    }
    ncall = probe.ncall;
    const mbd_curve_value vbar = {reverse[0], reverse[1], reverse[2]};
    curve_reverse(curve, p->theta, p->aux, probe.x, &vbar, u->requested, u->theta, u->aux);
  }
}

/* The responses to changes of the curves, and to a change of the time alone. */
static void probe_curves_and_time(params_reverse *u, const mbd_params *p, const response *r, unsigned requests) {
  mbd_curve_probe no_curve = {.slot = -1};
  const mbd_element_direction by_time = {.dc = u->zero, .down = u->zero, .probe = &no_curve, .dt = 1};
  for (int k = 0; k < MBD_CURVE_MAX; k++) {
    if (requests & (unsigned)REQUESTS_CURVE << k) { probe_curve(u, p, r, k); }
  }
  if (requests & REQUESTS_TIME) { u->stretch += r->in->t * r->along(r, &by_time); }
}

static void reverse_force(params_reverse *u, const mbd_params *p, const mbd_force *f, response *r) {
  const unsigned requests = u->force_requests[f - u->model->force];
  if (!requests) { return; }
  r->force = f->ops;
  if (requests & REQUESTS_OWN) {
    probe_numbers(u, r, 0, params_ncoef(&f->ops->info), u->requested + f->coef, u->theta + f->coef);
  }
  probe_curves_and_time(u, p, r, requests);
}

static void reverse_constraint(params_reverse *u, const mbd_params *p, const mbd_constraint *c, response *r) {
  const unsigned requests =
      c->ops->hold ? u->hold_requests[c - u->model->hold] : u->constraint_requests[c - u->model->constraint];
  if (!requests) { return; }
  r->constraint = c->ops;
  if (requests & REQUESTS_OWN && c->ops->nown) {
    probe_numbers(u, r, 1, c->ops->nown, NULL, u->aux + c->prepared);
  } else if (requests & REQUESTS_OWN) {
    probe_numbers(u, r, 0, params_ncoef(&c->ops->info), u->requested + c->coef, u->theta + c->coef);
    probe_leaves(u, r, c->expression);
  }
  probe_curves_and_time(u, p, r, requests);
}

/* The values of a force, by expression or of a user's force, have their transpose themselves; no unit responses are needed. */
static void reverse_values(params_reverse *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                           const mbd_real *weight) {
  if (u->force_requests[f - u->model->force]) { f->expression->reverse(f->expression, p, in, weight, u); }
}

/* 0: a force by expression, which depends on the coefficients and the time through its values alone. */
static int has_own_law(const mbd_force *f) {
  return !f->expression || f->expression->user;
}

static mbd_real force_along(const response *r, const mbd_element_direction *d) {
  mbd_real df[ELEMENT_ARG_MAX][3], sum = 0;
  mbd_args_zero(r->force->narg, df);
  r->force->f_c(r->in, d, df);
  for (int a = 0; a < r->force->narg; a++) { sum += v3_dot(r->f[a], df[a]); }
  return sum;
}

void params_reverse_force(params_reverse *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                          const mbd_real (*ybar)[3]) {
  response r = {.along = force_along, .in = in, .f = ybar};
  mbd_real weight[EXPRESSION_VALUES];
  if (has_own_law(f)) { reverse_force(u, p, f, &r); }
  if (!f->expression) { return; }
  expression_weights(in, ybar, weight);
  reverse_values(u, p, f, in, weight);
}

static mbd_real scalar_along(const response *r, const mbd_element_direction *d) {
  return r->s * r->force->scalar_c(r->in, r->scalar, d);
}

void params_reverse_force_scalar(params_reverse *u, const mbd_params *p, const mbd_force *f, int k,
                                 const mbd_element_input *in, mbd_real s) {
  response r = {.along = scalar_along, .in = in, .scalar = k, .s = s};
  mbd_real weight[EXPRESSION_VALUES];
  if (has_own_law(f)) { reverse_force(u, p, f, &r); }
  if (!f->expression) { return; }
  expression_scalar_weights(in, k, s, weight);
  reverse_values(u, p, f, in, weight);
}

static mbd_real potential_along(const response *r, const mbd_element_direction *d) {
  return r->s * r->force->potential_c(r->in, d);
}

void params_reverse_potential(params_reverse *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                              mbd_real s) {
  response r = {.along = potential_along, .in = in, .s = s};
  if (f->ops->potential) { reverse_force(u, p, f, &r); }
}

static mbd_real rotor_along(const response *r, const mbd_element_direction *d) {
  return r->s * r->force->inertia_c(r->in, d);
}

void params_reverse_rotor(params_reverse *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                          mbd_real s) {
  response r = {.along = rotor_along, .in = in, .s = s};
  reverse_force(u, p, f, &r);
}

/* sum_r weight_r dJ_ra . x_a */
static mbd_real slopes_along(const response *r, const mbd_element_direction *d, const mbd_real *weight,
                             const mbd_real (*x)[3]) {
  const mbd_constraint_ops *constraint_ops = r->constraint;
  mbd_real dJ[MBD_ROW_MAX][CONSTRAINT_ARG_MAX][3], sum = 0;
  for (int i = 0; i < constraint_ops->nphi; i++) { mbd_args_zero(constraint_ops->narg, dJ[i]); }
  constraint_ops->phi_xc(r->in, d, dJ);
  for (int i = 0; i < constraint_ops->nphi; i++) {
    for (int a = 0; a < constraint_ops->narg; a++) { sum += weight[i] * v3_dot(dJ[i][a], x[a]); }
  }
  return sum;
}

static mbd_real constraint_along(const response *r, const mbd_element_direction *d) {
  mbd_real dphi[3][MBD_ROW_MAX] = {{0}}, sum = 0;
  r->constraint->phi_c(r->in, d, dphi[0], dphi[1], dphi[2]);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; r->nu[k] && i < r->constraint->nphi; i++) { sum += r->nu[k][i] * dphi[k][i]; }
  }
  if (r->constraint->phi_xc && r->nu[1]) { sum += slopes_along(r, d, r->nu[1], CONST3(r->in->s->xd)); }
  if (r->constraint->phi_xc && r->nu[2]) { sum += slopes_along(r, d, r->nu[2], CONST3(r->in->s->xdd)); }
  mbd_real dq[MBD_ROW_MAX] = {0};
  if (r->constraint->phi_xxc && r->nu[2]) { r->constraint->phi_xxc(r->in, d, dq); }
  for (int i = 0; r->nu[2] && i < r->constraint->nphi; i++) { sum += r->nu[2][i] * dq[i]; }
  return sum;
}

static mbd_real reaction_along(const response *r, const mbd_element_direction *d) {
  return slopes_along(r, d, r->nu[0], r->u);
}

void params_reverse_reaction(params_reverse *u, const mbd_params *p, const mbd_constraint *c,
                             const mbd_element_input *in, const mbd_real *lam, const mbd_real (*v)[3]) {
  response r = {.along = reaction_along, .in = in, .nu = {lam}, .u = v};
  if (c->ops->phi_xc) { reverse_constraint(u, p, c, &r); }
}

void params_reverse_constraint(params_reverse *u, const mbd_params *p, const mbd_constraint *c,
                               const mbd_element_input *in, const mbd_real *nu, const mbd_real *nud,
                               const mbd_real *nudd) {
  response r = {.along = constraint_along, .in = in, .nu = {nu, nud, nudd}};
  if (c->ops->phi_c) { reverse_constraint(u, p, c, &r); }
}
