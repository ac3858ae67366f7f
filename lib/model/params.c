#include "model/params.h"

#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "model/frame.h"

/* ---- values ---- */

void params_joint_axis(const mbd_joint *j, int side, const mbd_real *theta, mbd_real a[3]) {
  const mbd_real *c = theta + j->axis[side];
  v3_copy(a, c);
  if (j->axis_from[side] >= 0) { v3_sub(a, c, theta + j->axis_from[side]); }
  if (j->reversed) { v3_scale(a, -1, a); }
}

static void set_joint_frame(const mbd_joint *j, int side, const mbd_real *theta, mbd_real F[9]) {
  mbd_real a[3];
  if (j->axis[side] < 0) {
    m3_identity(F);
    return;
  }
  params_joint_axis(j, side, theta, a);
  frame_about(a, F);
}

static void set_joint(const mbd_model *m, mbd_params *p, int i) {
  const mbd_joint *j = &m->joint[i];
  joint_params *q = &p->joint[i];
  for (int side = 0; side < 2; side++) {
    if (j->point[side] >= 0) {
      v3_copy(q->s[side], p->theta + j->point[side]);
    } else {
      v3_set(q->s[side], 0, 0, 0);
    }
    set_joint_frame(j, side, p->theta, q->F[side]);
  }
  m3_Tmul(q->Q, q->F[0], q->F[1]);
}

static void set_marker(const mbd_model *m, mbd_params *p, int i) {
  const mbd_marker *k = &m->marker[i];
  mbd_real *x = p->local + 3 * i;
  v3_set(x, 0, 0, 0);
  switch (k->source) {
    case MBD_MARKER_COEF:
      if (k->coef >= 0) { v3_copy(x, p->theta + k->coef); }
      break;
    case MBD_MARKER_JOINT_AXIS:
      for (int r = 0; r < 3; r++) { x[r] = p->joint[k->joint].F[k->side][3 * r + k->axis]; }
      break;
    case MBD_MARKER_FRAME_AXIS: {
      const mbd_real still[3] = {0, 0, 0};
      mbd_real none[3];
      frame_spanned(k->axis, p->theta + k->coef, p->theta + k->coef2, still, still, x, none);
      break;
    }
    case MBD_MARKER_BODY_AXIS: x[k->axis] = 1; break;
  }
}

static void set_own(mbd_params *p, const mbd_constraint *c) {
  mbd_real *own = p->aux + c->own;
  if (c->ops->hold) {
    own[0] = p->theta[c->coef];
    own[1] = p->theta[c->rate];
  } else if (c->ops->nown) {
    own[0] = p->joint[c->coef].Q[8]; /* u . w of a cut cardan joint at parallel body frames */
  }
}

static void set_derived(mbd_params *p) {
  const mbd_model *m = p->model;
  for (int i = 0; i < m->njoint; i++) { set_joint(m, p, i); }
  for (int i = 0; i < m->nmarker; i++) { set_marker(m, p, i); }
  for (int i = 0; i < m->nconstraint; i++) { set_own(p, &m->constraint[i]); }
  for (int i = 0; i < m->nhold; i++) { set_own(p, &m->hold[i]); }
  for (int i = 0; i < m->ncurve; i++) {
    const mbd_curve *k = &m->curve[i];
    if (k->ops->prepare) { k->ops->prepare(k, p->theta + k->coef, p->aux + k->aux); }
  }
}

static void params_layout(mbd_params *p, const mbd_model *m, mbd_arena *a) {
  p->theta = mbd_arena_real(a, (size_t)m->ncoef + 3); /* three more: an element without coefficients points here */
  p->aux = mbd_arena_real(a, (size_t)m->naux + 1);
  p->joint = mbd_arena_take(a, (size_t)m->njoint * sizeof *p->joint);
  p->local = mbd_arena_real(a, 3 * (size_t)m->nmarker);
}

static mbd_status check_axis(const mbd_model *m, const double *theta, const mbd_joint *j, int side, mbd_error *err) {
  double length2 = 0;
  for (int i = 0; i < 3 && j->axis[side] >= 0; i++) {
    double a = theta[j->axis[side] + i] - (j->axis_from[side] >= 0 ? theta[j->axis_from[side] + i] : 0);
    length2 += a * a;
  }
  if (j->axis[side] >= 0 && !(length2 > 0)) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "the axis of joint '%s' (%s ...) has no length", j->name,
             m->coef_name[j->axis[side]]);
  }
  return MBD_OK;
}

static mbd_status check_frame(const mbd_model *m, const double *theta, const mbd_marker *k, mbd_error *err) {
  const double *a = theta + k->coef, *b = theta + k->coef2;
  const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  double nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2],
         bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
  if (!(nn > 1e-16 * aa * bb)) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "axes %s ... and %s ... make no frame: they are parallel, or one has no length",
             m->coef_name[k->coef], m->coef_name[k->coef2]);
  }
  return MBD_OK;
}

/* The ranges of an element's coefficients hold for every design, as they do for the model file. */
static mbd_status check_ranges(const mbd_model *m, const double *theta, const mbd_element_info *info, int coef,
                               mbd_error *err) {
  for (const mbd_coef_info *c = info->coefs; c->key; c++) {
    for (int i = 0; i < c->size; i++, coef++) {
      if (theta[coef] < c->min || theta[coef] > c->max) {
        MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "coefficient '%s' = %g, expected %s %g", m->coef_name[coef], theta[coef],
                 theta[coef] < c->min ? ">=" : "<=", theta[coef] < c->min ? c->min : c->max);
      }
    }
  }
  return MBD_OK;
}

static mbd_status check(const mbd_model *m, const double *theta, mbd_error *err) {
  for (int k = 0; k < m->ncoef; k++) {
    if (!isfinite(theta[k])) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "coefficient '%s' = %g is not a finite number", m->coef_name[k], theta[k]);
    }
  }
  for (int i = 1; i < m->nb; i++) {
    if (theta[m->body[i].mass] < 0) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "mass of body '%s' = %g kg, expected >= 0", m->body[i].name,
               theta[m->body[i].mass]);
    }
  }
  for (int i = 0; i < m->ncurve; i++) {
    const mbd_curve *k = &m->curve[i];
    if (curve_check(k->ops, k->name, k->nc, theta + k->coef, k->nknot, k->knot, err) != MBD_OK) {
      if (err) { err->code = MBD_OUT_OF_DOMAIN; }
      return MBD_OUT_OF_DOMAIN; /* of this design: another one may be a curve */
    }
  }
  for (int i = 0; i < m->nmarker; i++) {
    if (m->marker[i].source == MBD_MARKER_FRAME_AXIS) { MBD_TRY(check_frame(m, theta, &m->marker[i], err)); }
  }
  for (int i = 0; i < m->nforce; i++) {
    MBD_TRY(check_ranges(m, theta, &m->force[i].ops->info, m->force[i].coef, err));
  }
  for (int i = 0; i < m->njoint; i++) {
    for (int side = 0; side < 2; side++) { MBD_TRY(check_axis(m, theta, &m->joint[i], side, err)); }
  }
  return MBD_OK;
}

mbd_status mbd_params_create(const mbd_model *m, const double *theta, mbd_params **out, mbd_error *err) {
  mbd_params *p = calloc(1, sizeof *p);
  *out = NULL;
  if (!p) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the numbers of a design"); }
  p->model = m;
  while (mbd_arena_pass(&p->arena)) { params_layout(p, m, &p->arena); }
  mbd_status status = mbd_arena_check(&p->arena, "the numbers of a design", err);
  if (status == MBD_OK) { status = mbd_params_set(p, theta ? theta : m->nominal, err); }
  if (status != MBD_OK) {
    mbd_params_destroy(p);
    return status;
  }
  *out = p;
  return MBD_OK;
}

mbd_status mbd_params_set(mbd_params *p, const double *theta, mbd_error *err) {
  MBD_TRY(check(p->model, theta, err));
  for (int k = 0; k < p->model->ncoef; k++) { p->theta[k] = theta[k]; }
  set_derived(p);
  return MBD_OK;
}

#ifdef MBD_COMPLEX
void params_set_imaginary(mbd_params *p, int n, const int *index, const double *value) {
  for (int k = 0; k < n; k++) { p->theta[index[k]] += MBD_IMAG_UNIT * value[k]; }
  set_derived(p);
}
#endif

void mbd_params_destroy(mbd_params *p) {
  if (!p) { return; }
  free(p->arena.base);
  free(p);
}

/* ---- directions ---- */

static void dparams_layout(mbd_dparams *d, const mbd_model *m, mbd_arena *a) {
  d->dtheta = mbd_arena_real(a, (size_t)m->ncoef + 3);
  d->daux = mbd_arena_real(a, (size_t)m->naux + 1);
  d->joint = mbd_arena_take(a, (size_t)m->njoint * sizeof *d->joint);
  d->dlocal = mbd_arena_real(a, 3 * (size_t)m->nmarker);
  d->marker_active = mbd_arena_take(a, (size_t)m->nmarker);
  d->body_active = mbd_arena_take(a, (size_t)m->nb);
  d->force_active = mbd_arena_take(a, (size_t)m->nforce);
  d->constraint_active = mbd_arena_take(a, (size_t)m->nconstraint);
  d->hold_active = mbd_arena_take(a, (size_t)m->nhold);
}

mbd_status mbd_dparams_create(const mbd_model *m, mbd_dparams **out, mbd_error *err) {
  mbd_dparams *d = calloc(1, sizeof *d);
  *out = NULL;
  if (!d) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a direction of the coefficients"); }
  d->model = m;
  while (mbd_arena_pass(&d->arena)) { dparams_layout(d, m, &d->arena); }
  const mbd_status status = mbd_arena_check(&d->arena, "a direction of the coefficients", err);
  if (status != MBD_OK) {
    free(d);
    return status;
  }
  *out = d;
  return MBD_OK;
}

void mbd_dparams_destroy(mbd_dparams *d) {
  if (!d) { return; }
  free(d->arena.base);
  free(d);
}

static int nonzero(const mbd_real *x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) { return 1; }
  }
  return 0;
}

static void direct_joint_frame(const mbd_joint *j, int side, const mbd_real *theta, const mbd_real *dtheta,
                               mbd_real phi[3]) {
  mbd_real a[3], da[3];
  v3_set(phi, 0, 0, 0);
  if (j->axis[side] < 0) { return; }
  params_joint_axis(j, side, theta, a);
  params_joint_axis(j, side, dtheta, da);
  frame_about_turn(a, da, phi);
}

static void direct_joint(const mbd_params *p, mbd_dparams *d, int i) {
  const mbd_joint *j = &d->model->joint[i];
  joint_dparams *q = &d->joint[i];
  *q = (joint_dparams){0};
  for (int side = 0; side < 2; side++) {
    if (j->point[side] >= 0) { v3_copy(q->ds[side], d->dtheta + j->point[side]); }
    direct_joint_frame(j, side, p->theta, d->dtheta, q->phi[side]);
  }
  if (j->ops->mid < j->ops->nz) { /* dQ = d(F0' F1) = (F0'(phi1 - phi0))~ Q */
    mbd_real turn[3];
    v3_sub(turn, q->phi[1], q->phi[0]);
    m3_Tvec(q->phi_mid, p->joint[i].F[0], turn);
  }
  q->active = nonzero(&q->ds[0][0], 6) || nonzero(&q->phi[0][0], 6);
}

static void direct_marker(const mbd_params *p, mbd_dparams *d, int i) {
  const mbd_marker *k = &d->model->marker[i];
  mbd_real *x = d->dlocal + 3 * i;
  v3_set(x, 0, 0, 0);
  if (k->source == MBD_MARKER_COEF && k->coef >= 0) { v3_copy(x, d->dtheta + k->coef); }
  if (k->source == MBD_MARKER_JOINT_AXIS) { v3_cross(x, d->joint[k->joint].phi[k->side], p->local + 3 * i); }
  if (k->source == MBD_MARKER_FRAME_AXIS) {
    mbd_real e[3];
    frame_spanned(k->axis, p->theta + k->coef, p->theta + k->coef2, d->dtheta + k->coef, d->dtheta + k->coef2, e, x);
  }
  d->marker_active[i] = (unsigned char)nonzero(x, 3);
}

static int curves_active(const mbd_dparams *d, const int *curve) {
  for (int k = 0; k < MBD_CURVE_MAX; k++) {
    const mbd_curve *q = curve[k] < 0 ? NULL : &d->model->curve[curve[k]];
    if (q && nonzero(d->dtheta + q->coef, q->nc)) { return 1; }
  }
  return 0;
}

static int coefs_active(const mbd_dparams *d, const mbd_element_info *info, int coef) {
  int n = 0;
  for (int k = 0; info->coefs[k].key; k++) { n += info->coefs[k].size; }
  return nonzero(d->dtheta + coef, n);
}

/* dQ[8] = (phi_mid x Q e_z) . e_z; for other joints Q turns by F0'(phi1 - phi0) just the same. */
static mbd_real dQ_zz(const mbd_params *p, const mbd_dparams *d, int joint) {
  mbd_real turn[3], phi[3], q[3] = {p->joint[joint].Q[2], p->joint[joint].Q[5], p->joint[joint].Q[8]}, dq[3];
  v3_sub(turn, d->joint[joint].phi[1], d->joint[joint].phi[0]);
  m3_Tvec(phi, p->joint[joint].F[0], turn);
  v3_cross(dq, phi, q);
  return dq[2];
}

static int direct_constraint(const mbd_params *p, mbd_dparams *d, const mbd_constraint *c) {
  mbd_real *own = d->daux + c->own;
  if (c->ops->hold) {
    own[0] = d->dtheta[c->coef];
    own[1] = d->dtheta[c->rate];
    return own[0] != 0 || own[1] != 0;
  }
  if (c->ops->nown) {
    own[0] = dQ_zz(p, d, c->coef);
    return own[0] != 0;
  }
  return coefs_active(d, &c->ops->info, c->coef) || curves_active(d, c->curve);
}

void mbd_dparams_set(mbd_dparams *d, const mbd_params *p, int n, const int *index, const double *value) {
  const mbd_model *m = d->model;
  memset(d->dtheta, 0, (size_t)m->ncoef * sizeof *d->dtheta);
  for (int k = 0; k < n; k++) { d->dtheta[index[k]] += value[k]; }
  d->any_joint = d->any_marker = d->any_body = d->any_force = d->any_constraint = 0;
  d->any_gravity = m->gravity >= 0 && nonzero(d->dtheta + m->gravity, 3);
  for (int i = 0; i < m->njoint; i++) {
    direct_joint(p, d, i);
    d->any_joint |= d->joint[i].active && !m->joint[i].cut;
  }
  for (int i = 0; i < m->nmarker; i++) {
    direct_marker(p, d, i);
    d->any_marker |= d->marker_active[i];
  }
  for (int i = 1; i < m->nb; i++) {
    const mbd_body *b = &m->body[i];
    d->body_active[i] = d->dtheta[b->mass] != 0 || nonzero(d->dtheta + b->com, 3) || nonzero(d->dtheta + b->inertia, 6);
    d->any_body |= d->body_active[i];
  }
  for (int i = 0; i < m->ncurve; i++) {
    const mbd_curve *k = &m->curve[i];
    if (k->ops->prepare) { k->ops->prepare(k, d->dtheta + k->coef, d->daux + k->aux); }
  }
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    d->force_active[i] = (unsigned char)(coefs_active(d, &f->ops->info, f->coef) || curves_active(d, f->curve));
    d->any_force |= d->force_active[i];
  }
  for (int i = 0; i < m->nconstraint; i++) {
    d->constraint_active[i] = (unsigned char)direct_constraint(p, d, &m->constraint[i]);
    d->any_constraint |= d->constraint_active[i];
  }
  d->any_hold = 0;
  for (int i = 0; i < m->nhold; i++) {
    d->hold_active[i] = (unsigned char)direct_constraint(p, d, &m->hold[i]);
    d->any_hold |= d->hold_active[i];
  }
}

/* ---- inputs of elements ---- */

static void element_input(const mbd_params *p, int coef, int own, const int *curve, mbd_real t, const mbd_arg_state *s,
                          mbd_element_input *in) {
  in->s = s;
  in->t = t;
  in->c = p->theta + coef;
  in->theta = p->theta;
  in->aux = p->aux;
  in->own = p->aux + own;
  for (int k = 0; k < MBD_CURVE_MAX; k++) { in->curve[k] = curve[k] < 0 ? NULL : &p->model->curve[curve[k]]; }
}

void params_force_input(const mbd_params *p, const mbd_force *f, mbd_real t, const mbd_arg_state *s,
                        mbd_element_input *in) {
  element_input(p, f->coef, 0, f->curve, t, s, in);
  in->variant = f->ops->variant;
  in->law = f->ops->law;
}

void params_constraint_input(const mbd_params *p, const mbd_constraint *c, mbd_real t, const mbd_arg_state *s,
                             mbd_element_input *in) {
  element_input(p, c->coef, c->own, c->curve, t, s, in);
  in->variant = c->ops->variant;
}

mbd_element_direction params_direction(const mbd_dparams *d, int coef, int own) {
  return (mbd_element_direction){.dc = d->dtheta + coef, .dtheta = d->dtheta, .daux = d->daux, .down = d->daux + own};
}
