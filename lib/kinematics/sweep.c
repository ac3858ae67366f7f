/* Recursive kinematics, from the ground outwards (sweep.h): positions, columns, velocities and accelerations of all bodies.
 * Equations: theory.md §2 (2.1), (2.2), (2.3); S0 (4a), (4b), (5), (22). */
#include "kinematics/sweep.h"

#include <assert.h>
#include <string.h>

/* ---- position ---- */

/* Inertia of a body at its reference point: h = m (g - r), J = A J_G A' + m (|c|^2 1 - c c'), c = g - r. */
static void body_inertia(const mbd_real *theta, const mbd_body *body, body_state *b) {
  const mbd_real mass = theta[body->mass];
  mbd_real c[3], h[3];
  mbd_inertia *in = &b->in;
  v3_sub(c, b->g, b->r);
  v3_scale(h, mass, c);
  m3_turn_inertia(in->J, b->A, theta + body->inertia);
  const mbd_real diag = v3_dot(h, c);
  for (int i = 0; i < 3; i++) {
    for (int k = i; k < 3; k++) { in->J[3 * k + i] = in->J[3 * i + k] -= h[i] * c[k]; } /* symmetric */
    in->J[4 * i] += diag;
  }
  in->m = mass;
  v3_copy(in->h, h);
}

/* DR = D R, with R a rotation about e_z */
static void turn_frame(const mbd_real D[9], mbd_real angle, mbd_real DR[9]) {
  const mbd_real c = mbd_cos(angle), s = mbd_sin(angle);
  for (int i = 0; i < 9; i += 3) {
    DR[i] = c * D[i] + s * D[i + 1];
    DR[i + 1] = c * D[i + 1] - s * D[i];
    DR[i + 2] = D[i + 2];
  }
}

/* A_i = A_h F_P R F_C',   joint point on i = joint point on h + D d */
static void place_body(const mbd_joint *j, const joint_params *jp, const body_state *h, const mbd_real *z,
                       body_state *b) {
  mbd_real R[9], d[3], DR[9], arm[3], point[3];
  m3_mul(b->D, h->A, jp->F[0]);
  m3_vec(arm, h->A, jp->s[0]);
  v3_add(b->s, h->o, arm);
  v3_copy(point, b->s);
  if (j->ops->turns_only) {
    turn_frame(b->D, z[0], DR);
  } else {
    j->ops->pose(z, jp->own, R, d);
    m3_mul(DR, b->D, R);
    m3_vec_add(point, b->D, d);
  }
  m3_mulT(b->A, DR, jp->F[1]);
  m3_vec(arm, b->A, jp->s[1]);
  v3_sub(b->o, point, arm);
}

/* Columns b of the joint's coordinates. */
static void place_columns(const mbd_joint *j, const joint_params *jp, const mbd_real *z, const body_state *b,
                          column_state *col) {
  mbd_real H[6 * MBD_NZ_MAX];
  if (j->ops->turns_only) {
    mbd_real arm[3], *u = col->b + 3;
    v3_set(u, b->D[2], b->D[5], b->D[8]);
    v3_sub(arm, b->r, b->s);
    v3_cross(col->b, u, arm);
    return;
  }
  j->ops->h(z, jp->own, H);
  for (int k = 0; k < j->ops->nz; k++) { body_twist(col[k].b, b, H + 6 * k); }
}

static void place_reference(mbd_reference reference, const joint_params *jp, body_state *b) {
  switch (reference) {
    case MBD_RTDYN0: v3_copy(b->r, b->g); break;
    case MBD_RTDYN_AUTO: /* not in a work (work_choose_reference) */
    case MBD_RTDYN1: v3_set(b->r, 0, 0, 0); break;
    case MBD_RTDYN_JOINT:
      v3_copy(b->r, b->o);
      m3_vec_add(b->r, b->A, jp->s[1]);
      break;
  }
}

static void place_markers(mbd_work *w) {
  const mbd_model *m = w->model;
  for (int n = 0; n < w->swept.n; n++) {
    const int i = w->swept.marker[n];
    const mbd_marker *marker = &m->marker[i];
    const body_state *b = &w->body[marker->body];
    m3_vec(w->mark[i].p, b->A, w->p->local + 3 * i);
    if (marker->is_point) { v3_add(w->mark[i].p, w->mark[i].p, b->o); }
  }
}

/* Of bodies that are light, or of the others, as below. Parents have smaller numbers than their children. */
static void place_bodies(mbd_work *w, int light) {
  for (int i = 1; i < w->model->nb; i++) {
    if (w->model->body[i].light != light) { continue; }
    const mbd_params *p = w->p;
    const mbd_body *body = &w->model->body[i];
    const mbd_joint *j = &w->model->joint[body->joint];
    const joint_params *jp = &p->joint[body->joint];
    const mbd_real *z = w->z + body->z0;
    body_state *b = &w->body[i];
    place_body(j, jp, &w->body[body->parent], z, b);
    v3_copy(b->g, b->o);
    m3_vec_add(b->g, b->A, p->theta + body->com);
    place_reference(w->reference, jp, b);
    place_columns(j, jp, z, b, w->col + body->c0);
    body_inertia(p->theta, body, b);
  }
}

void sweep_position(mbd_work *w, const mbd_real *z) {
  const mbd_model *m = w->model;
  body_state *ground = &w->body[0];
  memset(ground, 0, sizeof *ground);
  m3_identity(ground->A);
  memcpy(w->z, z, (size_t)m->nz * sizeof *z);
  place_bodies(w, 0);
  w->stage = WORK_PLACED, w->light = WORK_EMPTY;
  if (w->swept.light) { sweep_light(w); }
  place_markers(w);
  w->section.known = 0, w->forces.known = 0;
}

/* ---- motion ---- */

/* A motion of the parent's, at r of the body; the origin is the same point for both. */
static inline void motion_of_parent(const mbd_work *w, const body_state *b, const body_state *parent,
                                    const mbd_real V[6], mbd_real out[6]) {
  mbd_real s[3];
  if (w->reference == MBD_RTDYN1) {
    sv_copy(out, V);
    return;
  }
  v3_sub(s, b->r, parent->r);
  sv_shift_motion(out, V, s);
}

/* V_i = V_h + b zd,   Vd_i = Vd_h + b zdd + V_h x (b zd) + (joint's own part), all at r_i */
static void move_body(mbd_work *w, int i) {
  const mbd_real *zd = w->zd, *zdd = w->zdd;
  const mbd_model *m = w->model;
  const mbd_body *body = &m->body[i];
  const mbd_joint *j = &m->joint[body->joint];
  const body_state *h = &w->body[body->parent];
  body_state *b = &w->body[i];
  motion_of_parent(w, b, h, h->Vd, b->Vd);
  for (int k = 0; k < body->nz; k++) { sv_axpy(b->Vd, zdd[body->z0 + k], w->col[body->c0 + k].b); }
  if (!w->moving) { return; }
  mbd_real rel[6] = {0};
  motion_of_parent(w, b, h, h->V, b->Vh);
  for (int k = 0; k < body->nz; k++) { sv_axpy(rel, zd[body->z0 + k], w->col[body->c0 + k].b); }
  sv_cross_add(b->Vd, b->Vh, rel);
  for (int k = 0; k < 6; k++) { b->V[k] = b->Vh[k] + rel[k]; }
  if (j->ops->hd_zd) {
    mbd_real g[6], gr[6];
    j->ops->hd_zd(w->z + body->z0, w->p->joint[body->joint].own, zd + body->z0, g);
    body_twist(gr, b, g);
    sv_add(b->Vd, gr);
  }
}

/* W = I Vd + V x* (I V) */
static void inertia_wrench(body_state *b, int moving) {
  sv_inertia_mul(b->W, &b->in, b->Vd);
  if (moving) {
    sv_inertia_mul(b->p, &b->in, b->V);
    sv_cross_wrench_add(b->W, b->V, b->p);
  }
}

static void move_bodies(mbd_work *w, int light) {
  for (int i = 1; i < w->model->nb; i++) {
    if (w->model->body[i].light != light) { continue; }
    body_state *b = &w->body[i];
    if (!w->moving) { sv_zero(b->V), sv_zero(b->Vh), sv_zero(b->p); }
    move_body(w, i);
    inertia_wrench(b, w->moving);
  }
}

static void move_markers(mbd_work *w) {
  const mbd_model *m = w->model;
  for (int n = 0; n < w->swept.n; n++) {
    const int i = w->swept.marker[n];
    const body_state *b = &w->body[m->marker[i].body];
    marker_state *k = &w->mark[i];
    mbd_real arm[3];
    v3_copy(arm, k->p);
    v3_set(k->v, 0, 0, 0);
    v3_set(k->a, 0, 0, 0);
    /* v = V_v + w x arm, a = Vd_v + wd x arm + w x v; a vector has the parts of the rotation alone, with itself as arm. */
    if (m->marker[i].is_point) {
      v3_sub(arm, k->p, b->r);
      v3_copy(k->v, b->V);
      v3_copy(k->a, b->Vd);
    }
    v3_cross_add(k->v, b->V + 3, arm);
    v3_cross_add(k->a, b->Vd + 3, arm);
    v3_cross_add(k->a, b->V + 3, k->v);
  }
}

void sweep_motion(mbd_work *w, const mbd_real *zd, const mbd_real *zdd, int gravity) {
  assert(w->stage >= WORK_PLACED);
  const mbd_model *m = w->model;
  body_state *ground = &w->body[0];
  size_t bytes = (size_t)m->nz * sizeof *zdd;
  /* Gravity is an acceleration of the ground by -g. */
  w->moving = zd != NULL;
  w->gravity.on = gravity && m->gravity >= 0;
  for (int k = 0; k < 3; k++) { w->gravity.g[k] = w->gravity.on ? w->p->theta[m->gravity + k] : 0; }
  v3_scale(ground->Vd, -1, w->gravity.g);
  /* The rates, which elements with coordinates as arguments read. */
  if (zd) {
    memcpy(w->zd, zd, bytes);
  } else {
    memset(w->zd, 0, bytes);
  }
  memcpy(w->zdd, zdd, bytes);
  /* Velocities, accelerations and inertia wrenches from the ground outwards, then the rates of markers. */
  move_bodies(w, 0);
  w->stage = WORK_MOVED, w->light = w->light < WORK_PLACED ? w->light : WORK_PLACED;
  if (w->swept.light) { sweep_light(w); }
  if (zd) { move_markers(w); } /* a projection does not need their rates */
  w->section.known = 0, w->forces.known = 0;
}

/* ---- columns ---- */

/* A joint whose twists depend on its coordinates, in the global frame at r:
 *   c_j  = -b_j x V + sum_k db_k/dz_j zd_k
 *   bd_k =  V_h x b_k + sum_j db_k/dz_j zd_j
 *   e_j  =  d(Vd)/dz_j - b_j x Vd - c_j x V,   d(Vd)/dz_j = sum_k db_k/dz_j zdd_k + V_h x sum_k db_k/dz_j zd_k + dg_j */
static void bend_columns(const mbd_joint *j, const joint_params *jp, mbd_work *w, const mbd_body *body) {
  const body_state *b = &w->body[body - w->model->body];
  mbd_real by_zdd[MBD_NZ_MAX * 6], by_zd[MBD_NZ_MAX * 6], Hd[MBD_NZ_MAX * 6], dg[MBD_NZ_MAX * 6], at_r[6];
  const mbd_real *z = w->z + body->z0, *zd = w->zd + body->z0, *zdd = w->zdd + body->z0;
  /* The products of the derivatives of H, in the frame of the joint. */
  j->ops->dh_times(z, jp->own, zdd, by_zdd);
  if (w->moving) {
    j->ops->dhd_zd(z, jp->own, zd, dg);
    j->ops->dh_times(z, jp->own, zd, by_zd);
    j->ops->hd(z, jp->own, zd, Hd);
  }
  for (int i = 0; i < body->nz; i++) {
    column_state *ci = &w->col[body->c0 + i];
    /* e_j: sum_k db_k/dz_j zdd_k + dg_j. */
    if (w->moving) { sv_add(by_zdd + 6 * i, dg + 6 * i); }
    body_twist(at_r, b, by_zdd + 6 * i);
    sv_add(ci->e, at_r);
    if (!w->moving) { continue; }
    /* sum_k db_k/dz_j zd_k is a part of c_j, and V_h x it one of e_j; sum_j db_k/dz_j zd_j is a part of bd_k. */
    body_twist(at_r, b, by_zd + 6 * i);
    sv_add(ci->c, at_r);
    sv_cross_add(ci->e, b->Vh, at_r);
    body_twist(at_r, b, Hd + 6 * i);
    sv_add(ci->bd, at_r);
  }
}

static void change_columns(mbd_work *w, int i) {
  const mbd_model *m = w->model;
  const mbd_body *body = &m->body[i];
  const mbd_joint *j = &m->joint[body->joint];
  const body_state *b = &w->body[i];
  const int single = body->nz == 1 && !j->ops->dh;
  /* What all joints have: e = -b x Vd, bd = V_h x b, c = -b x V. */
  for (int k = body->c0; k < body->c0 + body->nz; k++) {
    column_state *c = &w->col[k];
    sv_cross(c->e, b->Vd, c->b);
    if (!w->moving) {
      sv_zero(c->c), sv_zero(c->bd);
      continue;
    }
    sv_cross(c->bd, b->Vh, c->b);
    if (single) { /* -b x V = (V_h + b zd) x b */
      sv_copy(c->c, c->bd);
    } else {
      sv_cross(c->c, b->V, c->b);
    }
  }
  /* The parts of joints whose twists depend on their coordinates, then e -= c x V with the complete c. */
  if (j->ops->dh) { bend_columns(j, &w->p->joint[body->joint], w, body); }
  for (int k = body->c0; w->moving && k < body->c0 + body->nz; k++) {
    column_state *c = &w->col[k];
    sv_cross_sub(c->e, c->c, b->V);
    for (int r = 0; r < 6; r++) { c->cbd[r] = c->c[r] + c->bd[r]; }
  }
}

/* ---- light bodies ---- */

void sweep_light(mbd_work *w) {
  if (w->light < WORK_PLACED) {
    place_bodies(w, 1);
    w->light = WORK_PLACED;
  }
  if (w->light < WORK_MOVED && w->stage >= WORK_MOVED) {
    move_bodies(w, 1);
    w->light = WORK_MOVED;
  }
}

static void light_columns(mbd_work *w) {
  sweep_light(w);
  for (int i = 1; w->light < WORK_COLUMNS && i < w->model->nb; i++) {
    if (w->model->body[i].light) { change_columns(w, i); }
  }
  w->light = WORK_COLUMNS;
}

void sweep_columns(mbd_work *w) {
  const mbd_model *m = w->model;
  assert(w->stage >= WORK_MOVED);
  if (w->stage == WORK_COLUMNS) { return; }
  w->stage = WORK_COLUMNS;
  for (int i = 1; i < m->nb; i++) {
    if (!m->body[i].light) { change_columns(w, i); }
  }
  if (w->swept.light) { light_columns(w); }
}

void sweep_all_columns(mbd_work *w) {
  sweep_columns(w), light_columns(w);
}
