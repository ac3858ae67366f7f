#include "model/params_pull.h"

#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "model/frame.h"

/* ---- what is wanted ---- */

enum { WANTS_OWN = 1, WANTS_CURVE = 2 }; /* curve in slot k: WANTS_CURVE << k */

static int count_coefs(const mbd_element_info *info) {
  int n = 0;
  for (const mbd_coef_info *c = info->coefs; c->key; c++) { n += c->size; }
  return n;
}

static int any_wanted(const params_pull *u, int coef, int n) {
  return coef >= 0 && n > 0 && memchr(u->wanted + coef, 1, (size_t)n) != NULL;
}

static unsigned char wants_of(const params_pull *u, int own_wanted, const int *curve) {
  unsigned wants = own_wanted ? WANTS_OWN : 0;
  for (int k = 0; k < MBD_CURVE_MAX; k++) {
    if (curve[k] >= 0 && u->curve_wanted[curve[k]]) { wants |= (unsigned)WANTS_CURVE << k; }
  }
  return (unsigned char)wants;
}

/* The design value of a closure depends on the axes of its joint, that of a held quantity on its value and rate. */
static int own_wanted(const params_pull *u, const mbd_constraint *c) {
  if (c->ops->hold) { return u->wanted[c->coef] || u->wanted[c->rate]; }
  if (!c->ops->nown) { return any_wanted(u, c->coef, count_coefs(&c->ops->info)); }
  const mbd_joint *j = &u->model->joint[c->coef];
  for (int side = 0; side < 2; side++) {
    if (any_wanted(u, j->axis[side], 3) || any_wanted(u, j->axis_from[side], 3)) { return 1; }
  }
  return 0;
}

static int joint_wanted(const params_pull *u, const mbd_joint *j) {
  for (int side = 0; side < 2; side++) {
    if (any_wanted(u, j->point[side], 3) || any_wanted(u, j->axis[side], 3) || any_wanted(u, j->axis_from[side], 3)) {
      return 1;
    }
  }
  return 0;
}

static int marker_wanted(const params_pull *u, const mbd_marker *k) {
  switch (k->source) {
    case MBD_MARKER_COEF: return any_wanted(u, k->coef, 3);
    case MBD_MARKER_JOINT_AXIS: return u->joint_wanted[k->joint];
    case MBD_MARKER_FRAME_AXIS: return any_wanted(u, k->coef, 3) || any_wanted(u, k->coef2, 3);
    case MBD_MARKER_BODY_AXIS: return 0;
  }
  return 0;
}

static void want_geometry(params_pull *u) {
  const mbd_model *m = u->model;
  u->any_joint = 0;
  for (int i = 0; i < m->njoint; i++) {
    u->joint_wanted[i] = (unsigned char)joint_wanted(u, &m->joint[i]);
    u->any_joint |= u->joint_wanted[i] && !m->joint[i].cut;
  }
  u->any_geometry = u->any_joint;
  for (int i = 0; i < m->nmarker; i++) {
    u->marker_wanted[i] = (unsigned char)marker_wanted(u, &m->marker[i]);
    u->any_geometry |= u->marker_wanted[i];
  }
}

static void want_bodies(params_pull *u) {
  const mbd_model *m = u->model;
  for (int i = 1; i < m->nb; i++) {
    const mbd_body *b = &m->body[i];
    u->body_wanted[i] = (unsigned char)(u->wanted[b->mass] || any_wanted(u, b->com, 3) || any_wanted(u, b->inertia, 6));
  }
  u->gravity_wanted = any_wanted(u, m->gravity, 3);
}

void params_pull_want(params_pull *u, const unsigned char *wanted) {
  const mbd_model *m = u->model;
  for (int k = 0; k < m->ncoef; k++) { u->wanted[k] = !wanted || wanted[k]; }
  want_geometry(u);
  want_bodies(u);
  for (int i = 0; i < m->ncurve; i++) {
    u->curve_wanted[i] = (unsigned char)any_wanted(u, m->curve[i].coef, m->curve[i].nc);
  }
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    u->force_wants[i] = wants_of(u, any_wanted(u, f->coef, count_coefs(&f->ops->info)), f->curve);
  }
  for (int i = 0; i < m->nconstraint; i++) {
    u->constraint_wants[i] = wants_of(u, own_wanted(u, &m->constraint[i]), m->constraint[i].curve);
  }
  for (int i = 0; i < m->nhold; i++) { u->hold_wants[i] = wants_of(u, own_wanted(u, &m->hold[i]), m->hold[i].curve); }
}

/* ---- memory ---- */

/* Longest list of own coefficients or prepared data of any element. */
static int most_coefs(const mbd_model *m) {
  int most = 2; /* of a held quantity */
  for (int i = 0; i < m->nforce + m->nconstraint; i++) {
    const mbd_element_info *info = i < m->nforce ? &m->force[i].ops->info : &m->constraint[i - m->nforce].ops->info;
    int n = count_coefs(info);
    if (n > most) { most = n; }
  }
  return most;
}

static void layout(params_pull *u, const mbd_model *m, mbd_arena *a) {
  const size_t most = (size_t)most_coefs(m);
  u->theta = mbd_arena_real(a, (size_t)m->ncoef);
  u->aux = mbd_arena_real(a, (size_t)m->naux);
  u->joint = mbd_arena_take(a, (size_t)m->njoint * sizeof *u->joint);
  u->dlocal = mbd_arena_real(a, 3 * (size_t)m->nmarker);
  u->wanted = mbd_arena_take(a, (size_t)m->ncoef);
  u->force_wants = mbd_arena_take(a, (size_t)m->nforce);
  u->constraint_wants = mbd_arena_take(a, (size_t)m->nconstraint);
  u->hold_wants = mbd_arena_take(a, (size_t)m->nhold);
  u->curve_wanted = mbd_arena_take(a, (size_t)m->ncurve);
  u->joint_wanted = mbd_arena_take(a, (size_t)m->njoint);
  u->marker_wanted = mbd_arena_take(a, (size_t)m->nmarker);
  u->body_wanted = mbd_arena_take(a, (size_t)m->nb);
  MBD_ARENA_REALS(a, most, &u->unit, &u->zero);
}

mbd_status params_pull_create(const mbd_model *m, params_pull **out, mbd_error *err) {
  params_pull *u = calloc(1, sizeof *u);
  *out = NULL;
  if (!u) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for derivatives in the coefficients"); }
  u->model = m;
  while (mbd_arena_pass(&u->arena)) { layout(u, m, &u->arena); }
  const mbd_status status = mbd_arena_check(&u->arena, "derivatives in the coefficients", err);
  if (status != MBD_OK) {
    free(u);
    return status;
  }
  params_pull_want(u, NULL);
  *out = u;
  return MBD_OK;
}

void params_pull_destroy(params_pull *u) {
  if (!u) { return; }
  free(u->arena.base);
  free(u);
}

static void clear_derived(params_pull *u) {
  const mbd_model *m = u->model;
  memset(u->aux, 0, (size_t)m->naux * sizeof *u->aux);
  memset(u->joint, 0, (size_t)m->njoint * sizeof *u->joint);
  memset(u->dlocal, 0, 3 * (size_t)m->nmarker * sizeof *u->dlocal);
}

void params_pull_clear(params_pull *u) {
  memset(u->theta, 0, (size_t)u->model->ncoef * sizeof *u->theta);
  clear_derived(u);
}

/* ---- from prepared data, markers and frames to coefficients: mbd_dparams_set, transposed, in reverse order ---- */

/* Transpose of  turn -> F0' turn,  turn = phi1 - phi0:  the turn of the middle rotation Q. */
static void pull_middle(const mbd_params *p, params_pull *u, int joint, const mbd_real mid[3]) {
  mbd_real turn[3];
  m3_vec(turn, p->joint[joint].F[0], mid);
  v3_axpy(u->joint[joint].phi[1], 1, turn);
  v3_axpy(u->joint[joint].phi[0], -1, turn);
}

/* dQ_zz = (mid x q) . e_z = mid . (q x e_z),  q = Q e_z */
static void pull_own(const mbd_params *p, params_pull *u, const mbd_constraint *c) {
  const mbd_real *own = u->aux + c->own;
  if (c->ops->hold) {
    u->theta[c->coef] += own[0];
    u->theta[c->rate] += own[1];
  } else if (c->ops->nown) {
    const mbd_real *Q = p->joint[c->coef].Q, mid[3] = {Q[5] * own[0], -Q[2] * own[0], 0};
    pull_middle(p, u, c->coef, mid);
  }
}

/* Both vectors of a frame, by unit directions. */
static void pull_frame_axis(const mbd_params *p, params_pull *u, const mbd_marker *k, const mbd_real xbar[3]) {
  const mbd_real still[3] = {0, 0, 0}, *a = p->theta + k->coef, *b = p->theta + k->coef2;
  for (int i = 0; i < 3; i++) {
    mbd_real one[3] = {i == 0, i == 1, i == 2}, e[3], de[3];
    frame_spanned(k->axis, a, b, one, still, e, de);
    u->theta[k->coef + i] += v3_dot(xbar, de);
    frame_spanned(k->axis, a, b, still, one, e, de);
    u->theta[k->coef2 + i] += v3_dot(xbar, de);
  }
}

static void pull_marker(const mbd_params *p, params_pull *u, int i) {
  const mbd_marker *k = &u->model->marker[i];
  const mbd_real *xbar = u->dlocal + 3 * i;
  switch (k->source) {
    case MBD_MARKER_COEF:
      if (k->coef >= 0) { v3_axpy(u->theta + k->coef, 1, xbar); }
      break;
    case MBD_MARKER_JOINT_AXIS: /* xbar . (phi x l) = phi . (l x xbar) */
      v3_cross_add(u->joint[k->joint].phi[k->side], p->local + 3 * i, xbar);
      break;
    case MBD_MARKER_FRAME_AXIS: pull_frame_axis(p, u, k, xbar); break;
    case MBD_MARKER_BODY_AXIS: break;
  }
}

/* The axis of a joint, by unit directions; signs and differences as in params_joint_axis. */
static void pull_axis(const mbd_params *p, params_pull *u, const mbd_joint *j, int side, const mbd_real phibar[3]) {
  mbd_real a[3];
  if (j->axis[side] < 0) { return; }
  params_joint_axis(j, side, p->theta, a);
  for (int i = 0; i < 3; i++) {
    mbd_real one[3] = {i == 0, i == 1, i == 2}, phi[3];
    frame_about_turn(a, one, phi);
    const mbd_real abar = (j->reversed ? -1 : 1) * v3_dot(phibar, phi);
    u->theta[j->axis[side] + i] += abar;
    if (j->axis_from[side] >= 0) { u->theta[j->axis_from[side] + i] -= abar; }
  }
}

static void pull_joint(const mbd_params *p, params_pull *u, int i) {
  const mbd_joint *j = &u->model->joint[i];
  joint_pull *q = &u->joint[i];
  if (j->ops->mid < j->ops->nz) { pull_middle(p, u, i, q->phi_mid); }
  for (int side = 0; side < 2; side++) {
    if (j->point[side] >= 0) { v3_axpy(u->theta + j->point[side], 1, q->ds[side]); }
    pull_axis(p, u, j, side, q->phi[side]);
  }
}

void params_pull_finish(params_pull *u, const mbd_params *p) {
  const mbd_model *m = u->model;
  for (int i = 0; i < m->ncurve; i++) {
    const mbd_curve *k = &m->curve[i];
    if (k->ops->prepare_pull && u->curve_wanted[i]) { k->ops->prepare_pull(k, u->aux + k->aux, u->theta + k->coef); }
  }
  for (int i = 0; i < m->nhold; i++) { pull_own(p, u, &m->hold[i]); }
  for (int i = 0; i < m->nconstraint; i++) { pull_own(p, u, &m->constraint[i]); }
  for (int i = 0; i < m->nmarker; i++) { pull_marker(p, u, i); }
  for (int i = 0; i < m->njoint; i++) { pull_joint(p, u, i); }
  clear_derived(u);
}

/* ---- elements ---- */

/* A weighted answer of an element, a linear function of the direction. */
typedef struct response {
  mbd_real (*along)(const struct response *r, const mbd_element_direction *d);
  const mbd_element_input *in;
  const mbd_force_ops *force;
  const mbd_constraint_ops *constraint;
  int scalar;
  mbd_real s;
  const mbd_real (*f)[3];
  const mbd_real *nu[3]; /* weights of phi, phi_t, phi_tt */
} response;

/* bar[i] += response to the unit direction i, of the element's coefficients or of its own prepared data; no curve
 * changes. wanted NULL: all n. */
static void probe_numbers(params_pull *u, const response *r, int prepared, int n, const unsigned char *wanted,
                          mbd_real *bar) {
  mbd_curve_probe no_curve = {.slot = -1};
  const mbd_element_direction d = {
      .dc = prepared ? u->zero : u->unit, .down = prepared ? u->unit : u->zero, .probe = &no_curve};
  for (int i = 0; i < n; i++) {
    if (wanted && !wanted[i]) { continue; }
    u->unit[i] = 1;
    bar[i] += r->along(r, &d);
    u->unit[i] = 0;
  }
}

/* Weights of each evaluation of the curve in slot k by unit responses, and from there to its coefficients. */
static void probe_curve(params_pull *u, const mbd_params *p, const response *r, int k) {
  const mbd_curve *q = r->in->curve[k];
  mbd_curve_probe probe = {.slot = k};
  const mbd_element_direction d = {.dc = u->zero, .down = u->zero, .probe = &probe};
  int ncall = 1; /* the first answer says how many there are */
  for (probe.call = 0; probe.call < ncall; probe.call++) {
    mbd_real bar[3];
    for (probe.order = 0; probe.order < 3; probe.order++) {
      probe.ncall = 0;
      bar[probe.order] = r->along(r, &d);
      if (probe.ncall == 0) { return; }
    }
    ncall = probe.ncall;
    const mbd_curve_value vbar = {bar[0], bar[1], bar[2]};
    q->ops->pull(q, p->theta + q->coef, p->aux + q->aux, probe.x, &vbar, u->theta + q->coef, u->aux + q->aux);
  }
}

static void probe_curves(params_pull *u, const mbd_params *p, const response *r, unsigned wants) {
  for (int k = 0; k < MBD_CURVE_MAX; k++) {
    if (wants & (unsigned)WANTS_CURVE << k) { probe_curve(u, p, r, k); }
  }
}

static void pull_force(params_pull *u, const mbd_params *p, const mbd_force *f, response *r) {
  const unsigned wants = u->force_wants[f - u->model->force];
  if (!wants) { return; }
  r->force = f->ops;
  if (wants & WANTS_OWN) {
    probe_numbers(u, r, 0, count_coefs(&f->ops->info), u->wanted + f->coef, u->theta + f->coef);
  }
  probe_curves(u, p, r, wants);
}

static void pull_constraint(params_pull *u, const mbd_params *p, const mbd_constraint *c, response *r) {
  const unsigned wants =
      c->ops->hold ? u->hold_wants[c - u->model->hold] : u->constraint_wants[c - u->model->constraint];
  if (!wants) { return; }
  r->constraint = c->ops;
  if (wants & WANTS_OWN && c->ops->nown) {
    probe_numbers(u, r, 1, c->ops->nown, NULL, u->aux + c->own);
  } else if (wants & WANTS_OWN) {
    probe_numbers(u, r, 0, count_coefs(&c->ops->info), u->wanted + c->coef, u->theta + c->coef);
  }
  probe_curves(u, p, r, wants);
}

static mbd_real force_along(const response *r, const mbd_element_direction *d) {
  mbd_real df[MBD_ARG_MAX][3], sum = 0;
  mbd_args_zero(r->force->narg, df);
  r->force->f_c(r->in, d, df);
  for (int a = 0; a < r->force->narg; a++) { sum += v3_dot(r->f[a], df[a]); }
  return sum;
}

void params_pull_force(params_pull *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                       const mbd_real (*ybar)[3]) {
  response r = {.along = force_along, .in = in, .f = ybar};
  pull_force(u, p, f, &r);
}

static mbd_real scalar_along(const response *r, const mbd_element_direction *d) {
  return r->s * r->force->scalar_c(r->in, r->scalar, d);
}

void params_pull_force_scalar(params_pull *u, const mbd_params *p, const mbd_force *f, int k,
                              const mbd_element_input *in, mbd_real s) {
  response r = {.along = scalar_along, .in = in, .scalar = k, .s = s};
  pull_force(u, p, f, &r);
}

static mbd_real potential_along(const response *r, const mbd_element_direction *d) {
  return r->s * r->force->potential_c(r->in, d);
}

void params_pull_potential(params_pull *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                           mbd_real s) {
  response r = {.along = potential_along, .in = in, .s = s};
  if (f->ops->potential) { pull_force(u, p, f, &r); }
}

static mbd_real constraint_along(const response *r, const mbd_element_direction *d) {
  mbd_real dphi[3][MBD_ROW_MAX] = {{0}}, sum = 0;
  r->constraint->phi_c(r->in, d, dphi[0], dphi[1], dphi[2]);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; r->nu[k] && i < r->constraint->nphi; i++) { sum += r->nu[k][i] * dphi[k][i]; }
  }
  return sum;
}

void params_pull_constraint(params_pull *u, const mbd_params *p, const mbd_constraint *c, const mbd_element_input *in,
                            const mbd_real *nu, const mbd_real *nud, const mbd_real *nudd) {
  response r = {.along = constraint_along, .in = in, .nu = {nu, nud, nudd}};
  if (c->ops->phi_c) { pull_constraint(u, p, c, &r); }
}
