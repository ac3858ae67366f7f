/* Change of the motion along a direction of coefficients and coordinates: moved joint frames act like virtual joints at rest,
 * coordinates by the columns of their joints. The transpose of reverse.c.
 * Equations: theory.md §3 (3.4), the derivative of theory.md §2 (2.1), (2.2); S0 (1). */
#include "kinematics/lift.h"

#include <assert.h>
#include <string.h>

#include "kinematics/sweep.h"

/* A small displacement xi of everything beyond a frame that moves with V, Vd (all at one point):
 *   x += xi,   c += -xi x V,   e += -xi x Vd - (-xi x V) x V */
static void add_virtual(body_variation *moved, const mbd_real xi[6], const mbd_real V[6], const mbd_real Vd[6]) {
  mbd_real c[6];
  sv_cross(c, V, xi);
  sv_add(moved->x, xi);
  sv_add(moved->c, c);
  sv_cross_sub(moved->e, xi, Vd);
  sv_cross_sub(moved->e, c, V);
}

/* Displacement [sign * A ds ; sign * A phi] of a frame at point `at`, taken at r. */
static void frame_shift(mbd_real xi[6], const mbd_real *A, const mbd_real ds[3], const mbd_real phi[3], mbd_real sign,
                        const mbd_real at[3], const mbd_real r[3]) {
  mbd_real arm[3], u[3];
  m3_vec(xi, A, ds);
  m3_vec(xi + 3, A, phi);
  v3_sub(arm, r, at);
  v3_cross(u, xi + 3, arm);
  for (int k = 0; k < 3; k++) {
    xi[k] = sign * (xi[k] + u[k]);
    xi[3 + k] = sign * xi[3 + k];
  }
}

/* The frame behind the first coordinate of a cardan joint. */
static void vary_middle(const mbd_work *w, const mbd_body *body, const body_state *b, const joint_dparams *dj,
                        body_variation *moved) {
  mbd_real V[6], Vd[6], rel[6] = {0}, xi[6], R1[9], c = mbd_cos(w->z[body->z0]), s = mbd_sin(w->z[body->z0]), phi[3];
  const mbd_real zero[3] = {0, 0, 0};
  m3_identity(R1);
  R1[0] = c, R1[1] = -s, R1[3] = s, R1[4] = c;
  m3_vec(phi, R1, dj->phi_mid);
  frame_shift(xi, b->D, zero, phi, 1, b->s, b->r);
  sv_axpy(rel, w->zd[body->z0], w->col[body->c0].b);
  for (int k = 0; k < 6; k++) { V[k] = b->Vh[k] + rel[k]; }
  const body_state *h = &w->body[body->parent];
  mbd_real arm[3];
  v3_sub(arm, b->r, h->r);
  sv_shift_motion(Vd, h->Vd, arm);
  sv_axpy(Vd, w->zdd[body->z0], w->col[body->c0].b);
  sv_cross_add(Vd, b->Vh, rel);
  add_virtual(moved, xi, V, Vd);
}

/* The displacements of a joint's own frames, in addition to those of its parent. */
static void vary_frames(const mbd_work *w, int i, body_variation *vi) {
  const mbd_model *m = w->model;
  const mbd_body *body = &m->body[i];
  const joint_dparams *dj = &w->variation.last.d->joint[body->joint];
  const body_state *b = &w->body[i], *h = &w->body[body->parent];
  mbd_real s[3], Vd[6], xi[6], at[3];
  v3_sub(s, b->r, h->r);
  frame_shift(xi, h->A, dj->ds[0], dj->phi[0], 1, b->s, b->r);
  sv_shift_motion(Vd, h->Vd, s);
  add_virtual(vi, xi, b->Vh, Vd);
  sv_copy(vi->x0, vi->x);
  if (m->joint[body->joint].ops->mid < body->nz) { vary_middle(w, body, b, dj, vi); }
  sv_copy(vi->x1, vi->x);
  v3_copy(at, b->o);
  m3_vec_add(at, b->A, w->p->joint[body->joint].s[1]);
  frame_shift(xi, b->A, dj->ds[1], dj->phi[1], -1, at, b->r);
  add_virtual(vi, xi, b->V, b->Vd);
}

/* The scale of a joint moves all that is beyond, as a coordinate would. */
static void vary_scale(const mbd_work *w, int i, mbd_real scale, body_variation *vi) {
  column_state column;
  joint_scale_column(w, i, 1, &column);
  sv_axpy(vi->x, scale, column.b);
  sv_axpy(vi->c, scale, column.c);
  sv_axpy(vi->e, scale, column.e);
}

static mbd_real entry(const mbd_real *x, int j) {
  return x ? x[j] : 0;
}

static int coordinate_moves(const mbd_variation *v, int j) {
  return mbd_any(entry(v->dz, j) != 0 || entry(v->dzd, j) != 0 || entry(v->dzdd, j) != 0);
}

static int coordinates_given(const mbd_variation *v) {
  return v->dz || v->dzd || v->dzdd;
}

static int joint_moves(const mbd_body *body, const mbd_variation *v) {
  if (!coordinates_given(v)) { return 0; }
  for (int j = body->z0; j < body->z0 + body->nz; j++) {
    if (coordinate_moves(v, j)) { return 1; }
  }
  return 0;
}

/* Adds the motion that coordinates cause in all bodies beyond them, by their columns (work.h). */
static void vary_coordinates(const mbd_work *w, const mbd_body *body, body_variation *vi) {
  const mbd_variation *v = &w->variation.last;
  for (int j = body->z0; j < body->z0 + body->nz; j++) {
    const column_state *c = &w->col[body->c0 + j - body->z0];
    if (v->dz) {
      sv_axpy(vi->x, v->dz[j], c->b);
      sv_axpy(vi->c, v->dz[j], c->c);
      sv_axpy(vi->e, v->dz[j], c->e);
    }
    if (v->dzd) {
      sv_axpy(vi->c, v->dzd[j], c->b);
      sv_axpy(vi->e, v->dzd[j], c->c);
      sv_axpy(vi->e, v->dzd[j], c->bd);
    }
    if (v->dzdd) { sv_axpy(vi->e, v->dzdd[j], c->b); }
  }
}

static void vary_body(mbd_work *w, int i) {
  const mbd_body *body = &w->model->body[i];
  const mbd_dparams *d = w->variation.last.d;
  const body_variation *vh = &w->variation.moved[body->parent];
  body_variation *vi = &w->variation.moved[i];
  const int framed = d && d->joint[body->joint].active, moved = joint_moves(body, &w->variation.last);
  vi->active = vh->active || framed || moved;
  if (!vi->active) { return; }
  /* The displacement of the parent, moved to the reference point of the body. */
  if (vh->active) {
    mbd_real s[3];
    v3_sub(s, w->body[i].r, w->body[body->parent].r);
    sv_shift_motion(vi->x, vh->x, s);
    sv_shift_motion(vi->c, vh->c, s);
    sv_shift_motion(vi->e, vh->e, s);
  } else {
    sv_zero(vi->x), sv_zero(vi->c), sv_zero(vi->e);
  }
  /* Joint frames that the direction displaces; x0, x1 are the displacements before and behind the joint's middle. */
  if (framed) {
    vary_frames(w, i, vi);
  } else {
    sv_copy(vi->x0, vi->x);
    sv_copy(vi->x1, vi->x);
  }
  if (framed && mbd_any(d->joint[body->joint].scale != 0)) { vary_scale(w, i, d->joint[body->joint].scale, vi); }
  if (moved) { vary_coordinates(w, body, vi); }
}

void vary_motion(mbd_work *w, const mbd_dparams *d, const mbd_real *dz, const mbd_real *dzd, const mbd_real *dzdd) {
  mbd_variation *v = &w->variation.last;
  assert(w->stage >= WORK_PLACED);
  *v = (mbd_variation){.d = d, .dz = dz, .dzd = dzd, .dzdd = dzdd, .body = w->variation.still};
  v->any = coordinates_given(v);
  if (v->any) {
    sweep_all_columns(w);
  } else {
    sweep_light(w);
  }
  if (!v->any && !(d && d->any_joint)) { return; }
  assert(w->stage >= WORK_MOVED);
  v->body = w->variation.moved;
  w->variation.moved[0].active = 0;
  for (int i = 1; i < w->model->nb; i++) {
    vary_body(w, i);
    v->any |= w->variation.moved[i].active;
  }
}

/* ---- arguments ---- */

static int marker_shifted(const mbd_dparams *d, int k) {
  return d && d->marker_active[k];
}

static int marker_moves(const mbd_work *w, int k) {
  return marker_shifted(w->variation.last.d, k) || w->variation.last.body[w->model->marker[k].body].active;
}

/* dp, dv, da of a marker, added with a sign; xd, xdd NULL: dp alone. */
static void vary_marker(const mbd_work *w, int k, mbd_real sign, mbd_real *x, mbd_real *xd, mbd_real *xdd) {
  const mbd_model *m = w->model;
  const mbd_dparams *d = w->variation.last.d;
  const mbd_marker *marker = &m->marker[k];
  const marker_state *held = work_marker(w, k);
  const body_state *b = &w->body[marker->body];
  const body_variation *vi = &w->variation.last.body[marker->body];
  /* The marker moves with its body (kinematics/lift.h): x_v + x_w x arm, and the changes of its rates. */
  if (vi->active) {
    mbd_real arm[3], t[3] = {0, 0, 0};
    marker_arm(w, k, arm);
    if (marker->is_point) { v3_copy(t, vi->x); }
    v3_cross_add(t, vi->x + 3, arm);
    v3_axpy(x, sign, t);
    if (xd && xdd) {
      v3_cross(t, vi->x + 3, held->v);
      v3_cross_add(t, vi->c + 3, arm);
      if (marker->is_point) { v3_add(t, t, vi->c); }
      v3_axpy(xd, sign, t);
      v3_cross(t, vi->x + 3, held->a);
      v3_cross_add(t, vi->e + 3, arm);
      if (marker->is_point) { v3_add(t, t, vi->e); }
      v3_axpy(xdd, sign, t);
      v3_cross(t, vi->c + 3, held->v);
      v3_axpy(xdd, 2 * sign, t);
    }
  }
  /* The direction of the coefficients shifts the marker in its body. */
  if (marker_shifted(d, k)) { /* a shift fixed in the body: y, w x y, wd x y + w x (w x y) */
    mbd_real y[3], yd[3], ydd[3];
    m3_vec(y, b->A, d->dlocal + 3 * k);
    v3_axpy(x, sign, y);
    if (xd && xdd) {
      v3_cross(yd, b->V + 3, y);
      v3_cross(ydd, b->Vd + 3, y);
      v3_cross_add(ydd, b->V + 3, yd);
      v3_axpy(xd, sign, yd);
      v3_axpy(xdd, sign, ydd);
    }
  }
}

int vary_marker_place(const mbd_work *w, int k, mbd_real sign, mbd_real dp[3]) {
  if (!marker_moves(w, k)) { return 0; }
  vary_marker(w, k, sign, dp, NULL, NULL);
  return 1;
}

/* dw = x_w x w + c_w;  dwd = x_w x wd + c_w x w + e_w */
static void vary_rotation(const mbd_work *w, int body, mbd_real sign, mbd_real *xd, mbd_real *xdd) {
  const body_variation *vi = &w->variation.last.body[body];
  const body_state *b = &w->body[body];
  mbd_real t[3];
  if (!vi->active) { return; }
  v3_cross(t, vi->x + 3, b->V + 3);
  v3_add(t, t, vi->c + 3);
  v3_axpy(xd, sign, t);
  v3_cross(t, vi->x + 3, b->Vd + 3);
  v3_cross_add(t, vi->c + 3, b->V + 3);
  v3_add(t, t, vi->e + 3);
  v3_axpy(xdd, sign, t);
}

int vary_arguments(const mbd_work *w, const mbd_lift *l, int rates, mbd_arg_state *s) {
  const mbd_variation *v = &w->variation.last;
  int any = 0;
  if (!v->any && !(v->d && v->d->any_marker)) { return 0; }
  assert(!rates || w->moving);
  /* First, check whether any argument changes along the direction. */
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) {
      any |= coordinate_moves(v, arg->b);
      continue;
    }
    for (int end = 0; end < 2; end++) {
      int k = end ? arg->a : arg->b;
      if (k < 0) { continue; }
      any |= arg->kind == MBD_ARG_ROTATION ? v->body[k].active : marker_moves(w, k);
    }
  }
  if (!any) { return 0; }
  /* Then the changes of all arguments. */
  memset(s, 0, sizeof *s);
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) {
      s->x[a][0] = entry(v->dz, arg->b);
      s->xd[a][0] = entry(v->dzd, arg->b);
      s->xdd[a][0] = entry(v->dzdd, arg->b);
      continue;
    }
    for (int end = 0; end < 2; end++) {
      int k = end ? arg->a : arg->b;
      mbd_real sign = end ? -1 : 1;
      if (k < 0) { continue; }
      if (arg->kind == MBD_ARG_ROTATION) {
        if (rates) { vary_rotation(w, k, sign, s->xd[a], s->xdd[a]); }
      } else {
        vary_marker(w, k, sign, s->x[a], rates ? s->xd[a] : NULL, s->xdd[a]);
      }
    }
  }
  return 1;
}
