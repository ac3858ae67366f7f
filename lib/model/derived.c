/* Joint frames and markers of a design, and prepared data of constraints and curves, with their changes and the transposes of these.
 *
 * If the axis about which a frame F on a body is built changes (frame.h), the frame turns by phi, dF = phi~ F, and a vector x fixed in
 * it changes by phi x x. The middle rotation Q = F0' F1 of a cardan joint turns by F0'(phi1 - phi0).
 * Equations: S0 Table 11 for the joints whose frames these are. */
#include "model/derived.h"

#include "base/v3.h"
#include "model/beams.h"
#include "model/frame.h"
#include "model/point_masses.h"

int derived_nonzero(const mbd_real *x, int n) {
  for (int i = 0; i < n; i++) {
    if (mbd_any(x[i] != 0)) { return 1; }
  }
  return 0;
}

/* ---- joint frames ---- */

/* The axis of a joint on one side, where it has one, of any length: a vector, or the difference of two points. It is linear in theta, so
 * that the function takes directions as well. */
static void joint_axis(const mbd_joint *j, int side, const mbd_real *theta, mbd_real a[3]) {
  const mbd_real *c = theta + j->axis[side];
  v3_copy(a, c);
  if (j->axis_from[side] >= 0) { v3_sub(a, c, theta + j->axis_from[side]); }
  v3_scale(a, j->sign[side], a);
}

/* Returns 1 if two vectors span no frame: they are parallel, or one has length zero. */
static int parallel(const double *a, const double *b) {
  const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  double nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2],
         bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
  return !(nn > 1e-16 * aa * bb);
}

/* The beam of which a joint is a node; NULL: of none. */
static const mbd_beam *beam_of(const mbd_model *m, const mbd_joint *j) {
  for (int i = 0; i < m->nbeam; i++) {
    const mbd_beam *b = &m->beam[i];
    for (int k = 0; k < b->layout.nnode + b->layout.npoint; k++) {
      if (&m->joint[m->body[b->node[k]].joint] == j) { return b; }
    }
  }
  return NULL;
}

static mbd_status check_axis(const mbd_model *m, const double *theta, const mbd_joint *j, int side, mbd_error *err) {
  double a[3] = {0, 0, 0}, length2 = 0;
  for (int i = 0; i < 3 && j->axis[side] >= 0; i++) {
    a[i] = theta[j->axis[side] + i] - (j->axis_from[side] >= 0 ? theta[j->axis_from[side] + i] : 0);
    length2 += a[i] * a[i];
  }
  if (j->axis[side] >= 0 && !(length2 > 0)) {
    const mbd_beam *beam = beam_of(m, j);
    if (beam) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN,
               "beam '%s': its length is 0: both ends are at one place (%s ...), expected them apart", beam->name,
               m->coef_name[j->axis[side]]);
    }
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "the axis of joint '%s' (%s ...) has no length", j->name,
             m->coef_name[j->axis[side]]);
  }
  if (j->zero[side] < 0 || !parallel(a, theta + j->zero[side])) { return MBD_OK; }
  const mbd_beam *beam = beam_of(m, j);
  if (beam) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "beam '%s': `up` (%s ...) is along the beam, or 0, expected a vector across it",
             beam->name, m->coef_name[j->zero[side]]);
  }
  MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "joint '%s': its zero (%s ...) is along its axis (%s ...), or has no length",
           j->name, m->coef_name[j->zero[side]], m->coef_name[j->axis[side]]);
}

static void set_joint_frame(const mbd_joint *j, int side, const mbd_real *theta, mbd_real F[9]) {
  mbd_real a[3];
  if (j->axis[side] < 0) {
    m3_identity(F);
    return;
  }
  joint_axis(j, side, theta, a);
  if (j->zero[side] >= 0) {
    frame_across(a, theta + j->zero[side], F);
  } else {
    frame_about(a, F);
  }
}

static void set_joint(const mbd_model *m, mbd_params *p, int i) {
  const mbd_joint *j = &m->joint[i];
  joint_params *joint = &p->joint[i];
  for (int side = 0; side < 2; side++) {
    if (j->point[side] >= 0) {
      v3_copy(joint->s[side], p->theta + j->point[side]);
    } else {
      v3_set(joint->s[side], 0, 0, 0);
    }
    set_joint_frame(j, side, p->theta, joint->F[side]);
  }
  if (j->beam) { beams_set_node(p, i); }
  m3_Tmul(joint->Q, joint->F[0], joint->F[1]);
  if (!j->beam) { joint->own = joint->Q; }
}

static void direct_joint_frame(const mbd_joint *j, int side, const mbd_real *theta, const mbd_real *dtheta,
                               mbd_real phi[3]) {
  mbd_real a[3], da[3];
  v3_set(phi, 0, 0, 0);
  if (j->axis[side] < 0) { return; }
  joint_axis(j, side, theta, a);
  joint_axis(j, side, dtheta, da);
  if (j->zero[side] >= 0) {
    frame_across_turn(a, theta + j->zero[side], da, dtheta + j->zero[side], phi);
  } else {
    frame_about_turn(a, da, phi);
  }
}

/* The change of the middle rotation Q = F0' F1 that turns phi0, phi1 of the two frames cause:  dQ = (F0'(phi1 - phi0))~ Q. */
static void direct_middle(const mbd_params *p, const mbd_dparams *d, int joint, mbd_real mid[3]) {
  mbd_real turn[3];
  v3_sub(turn, d->joint[joint].phi[1], d->joint[joint].phi[0]);
  m3_Tvec(mid, p->joint[joint].F[0], turn);
}

static void reverse_middle(const mbd_params *p, params_reverse *u, int joint, const mbd_real mid[3]) {
  mbd_real turn[3];
  m3_vec(turn, p->joint[joint].F[0], mid);
  v3_axpy(u->joint[joint].phi[1], 1, turn);
  v3_axpy(u->joint[joint].phi[0], -1, turn);
}

static void direct_joint(const mbd_params *p, mbd_dparams *d, int i) {
  const mbd_joint *j = &d->model->joint[i];
  joint_dparams *dframes = &d->joint[i];
  *dframes = (joint_dparams){0};
  for (int side = 0; side < 2; side++) {
    if (j->point[side] >= 0) { v3_copy(dframes->ds[side], d->dtheta + j->point[side]); }
    direct_joint_frame(j, side, p->theta, d->dtheta, dframes->phi[side]);
  }
  if (j->ops->mid < j->ops->nz) { direct_middle(p, d, i, dframes->phi_mid); }
  if (j->beam) { beams_direct_node(p, d, i); }
  dframes->active =
      derived_nonzero(&dframes->ds[0][0], 6) || derived_nonzero(&dframes->phi[0][0], 6) || mbd_any(dframes->scale != 0);
}

/* Propagates derivatives by the frame of a joint to its axis and to the vector of its zero, by unit directions, with
 * the signs and differences of joint_axis. */
static void reverse_axis(const mbd_params *p, params_reverse *u, const mbd_joint *j, int side,
                         const mbd_real phibar[3]) {
  const mbd_real still[3] = {0, 0, 0}, *zero = j->zero[side] < 0 ? NULL : p->theta + j->zero[side];
  mbd_real a[3];
  if (j->axis[side] < 0) { return; }
  joint_axis(j, side, p->theta, a);
  for (int i = 0; i < 3; i++) {
    mbd_real one[3] = {i == 0, i == 1, i == 2}, phi[3];
    if (zero) {
      frame_across_turn(a, zero, still, one, phi);
      u->theta[j->zero[side] + i] += v3_dot(phibar, phi);
      frame_across_turn(a, zero, one, still, phi);
    } else {
      frame_about_turn(a, one, phi);
    }
    const mbd_real abar = j->sign[side] * v3_dot(phibar, phi);
    u->theta[j->axis[side] + i] += abar;
    if (j->axis_from[side] >= 0) { u->theta[j->axis_from[side] + i] -= abar; }
  }
}

static void reverse_joint(const mbd_params *p, params_reverse *u, int i) {
  const mbd_joint *j = &u->model->joint[i];
  joint_reverse *by_frames = &u->joint[i];
  if (j->ops->mid < j->ops->nz) { reverse_middle(p, u, i, by_frames->phi_mid); }
  if (j->beam) { beams_reverse_node(p, u, i); }
  for (int side = 0; side < 2; side++) {
    if (j->point[side] >= 0) { v3_axpy(u->theta + j->point[side], 1, by_frames->ds[side]); }
    reverse_axis(p, u, j, side, by_frames->phi[side]);
  }
}

static int joint_requested(const params_reverse *u, const mbd_joint *j) {
  for (int side = 0; side < 2; side++) {
    if (params_any_requested(u, j->point[side], 3) || params_any_requested(u, j->axis[side], 3) ||
        params_any_requested(u, j->axis_from[side], 3) || params_any_requested(u, j->zero[side], 3)) {
      return 1;
    }
  }
  return 0;
}

/* ---- markers ---- */

void derived_marker(const mbd_params *p, const mbd_marker *k, mbd_real x[3]) {
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

void derived_marker_change(const mbd_params *p, const mbd_dparams *d, const mbd_marker *k, const mbd_real local[3],
                           mbd_real x[3]) {
  mbd_real e[3];
  v3_set(x, 0, 0, 0);
  switch (k->source) {
    case MBD_MARKER_COEF:
      if (k->coef >= 0) { v3_copy(x, d->dtheta + k->coef); }
      break;
    case MBD_MARKER_JOINT_AXIS: v3_cross(x, d->joint[k->joint].phi[k->side], local); break;
    case MBD_MARKER_FRAME_AXIS:
      frame_spanned(k->axis, p->theta + k->coef, p->theta + k->coef2, d->dtheta + k->coef, d->dtheta + k->coef2, e, x);
      break;
    case MBD_MARKER_BODY_AXIS: break;
  }
}

/* Propagates derivatives by an axis of a frame to both vectors that span it, by unit directions. */
static void reverse_frame_axis(const mbd_params *p, params_reverse *u, const mbd_marker *k, const mbd_real xbar[3]) {
  const mbd_real still[3] = {0, 0, 0}, *a = p->theta + k->coef, *b = p->theta + k->coef2;
  for (int i = 0; i < 3; i++) {
    mbd_real one[3] = {i == 0, i == 1, i == 2}, e[3], de[3];
    frame_spanned(k->axis, a, b, one, still, e, de);
    u->theta[k->coef + i] += v3_dot(xbar, de);
    frame_spanned(k->axis, a, b, still, one, e, de);
    u->theta[k->coef2 + i] += v3_dot(xbar, de);
  }
}

void derived_marker_reverse(const mbd_params *p, const mbd_marker *k, const mbd_real xbar[3], params_reverse *u) {
  mbd_real local[3];
  switch (k->source) {
    case MBD_MARKER_COEF:
      if (k->coef >= 0) { v3_axpy(u->theta + k->coef, 1, xbar); }
      break;
    case MBD_MARKER_JOINT_AXIS: /* xbar . (phi x l) = phi . (l x xbar) */
      derived_marker(p, k, local);
      v3_cross_add(u->joint[k->joint].phi[k->side], local, xbar);
      break;
    case MBD_MARKER_FRAME_AXIS: reverse_frame_axis(p, u, k, xbar); break;
    case MBD_MARKER_BODY_AXIS: break;
  }
}

static int marker_requested(const params_reverse *u, const mbd_marker *k) {
  switch (k->source) {
    case MBD_MARKER_COEF: return params_any_requested(u, k->coef, 3);
    case MBD_MARKER_JOINT_AXIS: return u->joint_requested[k->joint];
    case MBD_MARKER_FRAME_AXIS: return params_any_requested(u, k->coef, 3) || params_any_requested(u, k->coef2, 3);
    case MBD_MARKER_BODY_AXIS: return 0;
  }
  return 0;
}

/* ---- prepared data of constraints: the value and rate of a held quantity; Q_zz of a cut cardan joint, the cosine of the angle
 * between its axes, which is constant:  dQ_zz = (mid x q) . e_z = mid . (q x e_z),  q = Q e_z ---- */

static void set_prepared(mbd_params *p, const mbd_constraint *c) {
  mbd_real *prepared = p->aux + c->prepared;
  if (c->ops->hold) {
    prepared[0] = p->theta[c->coef];
    prepared[1] = p->theta[c->rate];
  } else if (c->ops->nown) {
    prepared[0] =
        p->joint[c->coef].Q[8]; /* u . w of the axes of a cut cardan joint, where the body frames are parallel */
  }
}

static void direct_prepared(const mbd_params *p, mbd_dparams *d, const mbd_constraint *c) {
  mbd_real *prepared = d->daux + c->prepared;
  if (c->ops->hold) {
    prepared[0] = d->dtheta[c->coef];
    prepared[1] = d->dtheta[c->rate];
  } else if (c->ops->nown) {
    const mbd_real *Q = p->joint[c->coef].Q, q[3] = {Q[2], Q[5], Q[8]};
    mbd_real mid[3], dq[3];
    direct_middle(p, d, c->coef, mid);
    v3_cross(dq, mid, q);
    prepared[0] = dq[2];
  }
}

static void reverse_prepared(const mbd_params *p, params_reverse *u, const mbd_constraint *c) {
  const mbd_real *prepared = u->aux + c->prepared;
  if (c->ops->hold) {
    u->theta[c->coef] += prepared[0];
    u->theta[c->rate] += prepared[1];
  } else if (c->ops->nown) {
    const mbd_real *Q = p->joint[c->coef].Q, mid[3] = {Q[5] * prepared[0], -Q[2] * prepared[0], 0};
    reverse_middle(p, u, c->coef, mid);
  }
}

int derived_own_requested(const params_reverse *u, const mbd_constraint *c) {
  if (c->ops->hold) { return u->requested[c->coef] || u->requested[c->rate]; }
  const mbd_joint *j = &u->model->joint[c->coef];
  for (int side = 0; side < 2; side++) {
    if (params_any_requested(u, j->axis[side], 3) || params_any_requested(u, j->axis_from[side], 3)) { return 1; }
  }
  return 0;
}

/* ---- all of them ---- */

mbd_status derived_check(const mbd_model *m, const double *theta, mbd_error *err) {
  for (int i = 0; i < m->nmarker; i++) {
    const mbd_marker *k = &m->marker[i];
    if (k->source == MBD_MARKER_FRAME_AXIS && parallel(theta + k->coef, theta + k->coef2)) {
      MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "axes %s ... and %s ... make no frame: they are parallel, or one has no length",
               m->coef_name[k->coef], m->coef_name[k->coef2]);
    }
  }
  for (int i = 0; i < m->njoint; i++) {
    for (int side = 0; side < 2; side++) { MBD_TRY(check_axis(m, theta, &m->joint[i], side, err)); }
  }
  return MBD_OK;
}

/* The prepared data of a curve are linear in its coefficients: theta and aux are values, or changes of both. */
static void prepare_curves(const mbd_model *m, const mbd_real *theta, mbd_real *aux) {
  for (int i = 0; i < m->ncurve; i++) {
    const mbd_curve *curve = &m->curve[i];
    if (curve->ops->prepare) { curve->ops->prepare(curve, theta + curve->coef, aux + curve->aux); }
  }
}

void derived_set(mbd_params *p) {
  const mbd_model *m = p->model;
  beams_set(m, p->theta);
  point_masses_set(m, p->theta);
  for (int i = 0; i < m->njoint; i++) { set_joint(m, p, i); }
  for (int i = 0; i < m->nmarker; i++) { derived_marker(p, &m->marker[i], p->local + 3 * i); }
  for (int i = 0; i < m->nconstraint; i++) { set_prepared(p, &m->constraint[i]); }
  for (int i = 0; i < m->nhold; i++) { set_prepared(p, &m->hold[i]); }
  prepare_curves(m, p->theta, p->aux);
}

void derived_direct(const mbd_params *p, mbd_dparams *d) {
  const mbd_model *m = d->model;
  d->any_joint = 0;
  beams_direct(m, p->theta, d->dtheta);
  point_masses_direct(m, p->theta, d->dtheta);
  for (int i = 0; i < m->njoint; i++) {
    direct_joint(p, d, i);
    d->any_joint |= d->joint[i].active && !m->joint[i].cut;
  }
  for (int i = 0; i < m->nmarker; i++) {
    mbd_real *x = d->dlocal + 3 * i;
    derived_marker_change(p, d, &m->marker[i], p->local + 3 * i, x);
    d->marker_active[i] = (unsigned char)derived_nonzero(x, 3);
  }
  for (int i = 0; i < m->nconstraint; i++) { direct_prepared(p, d, &m->constraint[i]); }
  for (int i = 0; i < m->nhold; i++) { direct_prepared(p, d, &m->hold[i]); }
  prepare_curves(m, d->dtheta, d->daux);
}

void derived_reverse(const mbd_params *p, params_reverse *u) {
  const mbd_model *m = u->model;
  for (int i = 0; i < m->ncurve; i++) {
    const mbd_curve *curve = &m->curve[i];
    if (curve->ops->prepare_reverse && u->curve_requested[i]) {
      curve->ops->prepare_reverse(curve, u->aux + curve->aux, u->theta + curve->coef);
    }
  }
  for (int i = 0; i < m->nhold; i++) { reverse_prepared(p, u, &m->hold[i]); }
  for (int i = 0; i < m->nconstraint; i++) { reverse_prepared(p, u, &m->constraint[i]); }
  for (int i = 0; i < m->nmarker; i++) { derived_marker_reverse(p, &m->marker[i], u->dlocal + 3 * i, u); }
  for (int i = 0; i < m->njoint; i++) { reverse_joint(p, u, i); }
  point_masses_reverse(m, p->theta, u->theta);
  beams_reverse(m, p->theta, u->requested, u->theta);
}

void derived_request(params_reverse *u) {
  const mbd_model *m = u->model;
  u->any_joint = 0;
  for (int i = 0; i < m->njoint; i++) {
    u->joint_requested[i] = (unsigned char)joint_requested(u, &m->joint[i]);
    u->any_joint |= u->joint_requested[i] && !m->joint[i].cut;
  }
  u->any_geometry = u->any_joint;
  for (int i = 0; i < m->nmarker; i++) {
    u->marker_requested[i] = (unsigned char)marker_requested(u, &m->marker[i]);
    u->any_geometry |= i < m->nmarker_core && u->marker_requested[i]; /* the other markers are used by outputs alone */
  }
}
