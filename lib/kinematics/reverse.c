/* Reverse sweeps (reverse.h): wrenches that are derivatives by the motion of bodies are summed towards the ground and
 * projected on the columns of joints.
 * Equations: theory.md §3 (3.5), the transpose of theory.md §2 (2.1), (2.2). */
#include "kinematics/reverse.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "kinematics/sweep.h"

void reverse_layout(mbd_reverse *sweep, const mbd_model *m, mbd_arena *a) {
  const size_t nb = (size_t)m->nb, nz = (size_t)m->nz;
  sweep->body = mbd_arena_take(a, nb * sizeof *sweep->body);
  sweep->sum = mbd_arena_take(a, nb * sizeof *sweep->sum);
  for (int f = 0; f < REVERSE_FIELDS; f++) {
    sweep->field[f].U = mbd_arena_real(a, 6 * nb);
    sweep->field[f].mu = mbd_arena_real(a, nz);
  }
  MBD_ARENA_REALS(a, nz, &sweep->z, &sweep->zd, &sweep->zdd);
}

void reverse_begin(mbd_reverse *sweep, mbd_work *w, params_reverse *theta) {
  const mbd_model *m = w->model;
  const size_t bytes = (size_t)m->nz * sizeof *sweep->z;
  for (int i = 0; i < m->nb; i++) { memset(&sweep->body[i], 0, offsetof(body_reverse, Y)); }
  memset(sweep->z, 0, bytes), memset(sweep->zd, 0, bytes), memset(sweep->zdd, 0, bytes);
  sweep->moving = sweep->nfield = 0;
  sweep->w = w, sweep->theta = theta;
}

/* ---- virtual velocities ---- */

/* The parent's virtual velocity at the body's reference point. */
static void virtual_of_parent(const mbd_work *w, const virtual_field *f, int i, mbd_real Uh[6]) {
  const int parent = w->model->body[i].parent;
  mbd_real s[3];
  v3_sub(s, w->body[i].r, w->body[parent].r);
  sv_shift_motion(Uh, f->U + 6 * parent, s);
}

int reverse_virtual(mbd_reverse *sweep, const mbd_real *mu) {
  mbd_work *w = sweep->w;
  const mbd_model *m = w->model;
  const virtual_field *f = &sweep->field[sweep->nfield];
  assert(w->stage >= WORK_PLACED && sweep->nfield < REVERSE_FIELDS);
  sweep_light(w);
  memcpy(f->mu, mu, (size_t)m->nz * sizeof *mu);
  sv_zero(f->U);
  for (int i = 0; i < m->nb; i++) { sv_zero(sweep->body[i].Y[sweep->nfield]); }
  for (int i = 1; i < m->nb; i++) {
    const mbd_body *body = &m->body[i];
    mbd_real *U = f->U + 6 * i;
    virtual_of_parent(w, f, i, U);
    for (int k = 0; k < body->nz; k++) { sv_axpy(U, mu[body->z0 + k], w->col[body->c0 + k].b); }
  }
  return sweep->nfield++;
}

static void virtual_marker(const mbd_work *w, const virtual_field *f, int k, mbd_real u[3]) {
  const mbd_marker *mark = &w->model->marker[k];
  const mbd_real *U = f->U + 6 * mark->body;
  mbd_real arm[3];
  marker_arm(w, k, arm);
  v3_cross(u, U + 3, arm);
  if (mark->is_point) { v3_add(u, u, U); }
}

void reverse_virtual_arguments(const mbd_reverse *sweep, int field, const mbd_lift *l, mbd_real (*u)[3]) {
  const mbd_work *w = sweep->w;
  const virtual_field *f = &sweep->field[field];
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    mbd_real from[3];
    if (arg->kind == MBD_ARG_COORDINATE) {
      v3_set(u[a], f->mu[arg->b], 0, 0);
    } else if (arg->kind == MBD_ARG_ROTATION) {
      v3_copy(u[a], f->U + 6 * arg->b + 3);
      if (arg->a >= 0) { v3_sub(u[a], u[a], f->U + 6 * arg->a + 3); }
    } else {
      virtual_marker(w, f, arg->b, u[a]);
      if (arg->a < 0) { continue; }
      virtual_marker(w, f, arg->a, from);
      v3_sub(u[a], u[a], from);
    }
  }
}

/* ---- arguments ---- */

/* Weights on one end of an argument, with its sign; `rates`: 1, those of xd or xdd are not zero; `field`: number of
 * the virtual field of u, -1: the weight of u is zero. */
typedef struct end_reverse {
  mbd_real x[3], xd[3], xdd[3], u[3];
  int rates, field;
} end_reverse;

/* dp = x_v + x_w x arm,   dv = x_w x v + c_v + c_w x arm,   da = x_w x a + 2 c_w x v + e_v + e_w x arm,
 * du = x_w x u + y_v + y_w x arm   with y the change of U; a vector has no linear parts. */
static void marker_to_body(mbd_reverse *sweep, int k, const end_reverse *g) {
  const mbd_work *w = sweep->w;
  const mbd_marker *mark = &w->model->marker[k];
  const marker_state *marker = work_marker(w, k);
  body_reverse *by_body = &sweep->body[mark->body];
  mbd_real arm[3];
  marker_arm(w, k, arm);
  /* The weight of p is a force at the marker. */
  marker_wrench_add(by_body->X, g->x, arm, mark->is_point);
  /* The weight of u acts on the change of the virtual field, and by the turn of u on the displacement. */
  if (g->field >= 0) {
    mbd_real u[3];
    marker_wrench_add(by_body->Y[g->field], g->u, arm, mark->is_point);
    virtual_marker(w, &sweep->field[g->field], k, u);
    v3_cross_add(by_body->X + 3, u, g->u);
  }
  if (!g->rates) { return; }
  /* The weights of v and a: their parts of x_w, of c and of e, where 2 c_w x v counts twice. */
  v3_cross_add(by_body->X + 3, marker->v, g->xd);
  v3_cross_add(by_body->X + 3, marker->a, g->xdd);
  marker_wrench_add(by_body->C, g->xd, arm, mark->is_point);
  v3_cross_add(by_body->C + 3, marker->v, g->xdd);
  v3_cross_add(by_body->C + 3, marker->v, g->xdd);
  marker_wrench_add(by_body->E, g->xdd, arm, mark->is_point);
}

/* A shift y fixed in the body: y in p, w x y in v, wd x y + w x (w x y) in a, U_w x y in u. */
static void marker_to_local(const mbd_reverse *sweep, int k, const end_reverse *g) {
  const mbd_work *w = sweep->w;
  const int body = w->model->marker[k].body;
  const body_state *b = &w->body[body];
  mbd_real y[3], turned[3], local[3];
  if (!sweep->theta || !sweep->theta->marker_requested[k]) { return; }
  v3_copy(y, g->x);
  if (g->field >= 0) { v3_cross_add(y, g->u, sweep->field[g->field].U + 6 * body + 3); }
  if (g->rates) {
    v3_cross_add(y, g->xd, b->V + 3);
    v3_cross_add(y, g->xdd, b->Vd + 3);
    v3_cross(turned, g->xdd, b->V + 3);
    v3_cross_add(y, turned, b->V + 3);
  }
  m3_Tvec(local, b->A, y);
  v3_add(sweep->theta->dlocal + 3 * k, sweep->theta->dlocal + 3 * k, local);
}

/* dw = x_w x w + c_w,   dwd = x_w x wd + c_w x w + e_w,   dU_w = x_w x U_w + y_w */
static void rotation_to_body(mbd_reverse *sweep, int body, const end_reverse *g) {
  const body_state *state = &sweep->w->body[body];
  body_reverse *by_body = &sweep->body[body];
  if (g->field >= 0) {
    mbd_real *Y = by_body->Y[g->field];
    v3_add(Y + 3, Y + 3, g->u);
    v3_cross_add(by_body->X + 3, sweep->field[g->field].U + 6 * body + 3, g->u);
  }
  if (!g->rates) { return; }
  v3_cross_add(by_body->X + 3, state->V + 3, g->xd);
  v3_cross_add(by_body->X + 3, state->Vd + 3, g->xdd);
  v3_add(by_body->C + 3, by_body->C + 3, g->xd);
  v3_cross_add(by_body->C + 3, state->V + 3, g->xdd);
  v3_add(by_body->E + 3, by_body->E + 3, g->xdd);
}

static int any3(const mbd_real v[3]) {
  return mbd_any(v[0] != 0 || v[1] != 0 || v[2] != 0);
}

static void weights_of_end(const arg_reverse *by_arg, int a, mbd_real sign, end_reverse *end) {
  v3_scale(end->x, sign, by_arg->x[a]);
  v3_scale(end->xd, sign, by_arg->xd[a]);
  v3_scale(end->xdd, sign, by_arg->xdd[a]);
  v3_scale(end->u, sign, by_arg->u[a]);
  end->rates = any3(end->xd) || any3(end->xdd);
  end->field = any3(end->u) ? by_arg->field : -1;
}

void reverse_place(mbd_reverse *sweep, int k, const mbd_real x[3]) {
  end_reverse end = {.field = -1};
  v3_copy(end.x, x);
  marker_to_body(sweep, k, &end);
  marker_to_local(sweep, k, &end);
}

void reverse_arguments(mbd_reverse *sweep, const mbd_lift *l, const arg_reverse *by_arg) {
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) {
      sweep->z[arg->b] += by_arg->x[a][0];
      sweep->zd[arg->b] += by_arg->xd[a][0];
      sweep->zdd[arg->b] += by_arg->xdd[a][0];
      continue;
    }
    /* Each end of the argument acts as a wrench on its body; markers also have derivatives by their places in the body. */
    for (int end = 0; end < 2; end++) {
      const int k = end ? arg->a : arg->b;
      end_reverse one;
      if (k < 0) { continue; }
      weights_of_end(by_arg, a, end ? -1 : 1, &one);
      assert(!one.rates || sweep->w->stage >= WORK_MOVED);
      sweep->moving |= one.rates;
      if (arg->kind == MBD_ARG_ROTATION) {
        rotation_to_body(sweep, k, &one);
      } else {
        marker_to_body(sweep, k, &one);
        marker_to_local(sweep, k, &one);
      }
    }
  }
}

/* ---- joints ---- */

/* The sums that are needed: of displacements and virtual velocities, and of rates if L depends on them. */
typedef struct reverse_parts {
  int place, rates, fields;
} reverse_parts;

static void sum_beyond(mbd_reverse *sweep, reverse_parts part) {
  const mbd_work *w = sweep->w;
  const mbd_model *m = w->model;
  const size_t used = offsetof(body_reverse, Y) + (size_t)part.fields * sizeof sweep->body->Y[0];
  for (int i = 1; i < m->nb; i++) { memcpy(&sweep->sum[i], &sweep->body[i], used); }
  for (int i = m->nb - 1; i > 0; i--) {
    const int parent = m->body[i].parent;
    mbd_real s[3];
    if (parent == 0) { continue; }
    body_reverse *to = &sweep->sum[parent];
    const body_reverse *from = &sweep->sum[i];
    v3_sub(s, w->body[i].r, w->body[parent].r);
    if (part.place) { sv_add_wrench_from(to->X, from->X, s); }
    if (part.rates) { sv_add_wrench_from(to->C, from->C, s), sv_add_wrench_from(to->E, from->E, s); }
    for (int f = 0; f < part.fields; f++) { sv_add_wrench_from(to->Y[f], from->Y[f], s); }
  }
}

/* z += Y . u_j with u_j = -b_j x U + sum_k db_k/dz_j mu_k, the virtual velocity's c_j. */
static void virtual_columns(const mbd_work *w, const virtual_field *f, int i, const mbd_real Y[6], mbd_real *z) {
  const mbd_body *body = &w->model->body[i];
  const mbd_joint *joint = &w->model->joint[body->joint];
  const body_state *b = &w->body[i];
  const int n = body->nz;
  mbd_real UY[6] = {0}, local[6], bent[MBD_NZ_MAX * 6];
  sv_cross_wrench_add(UY, f->U + 6 * i, Y); /* (U x b) . Y = -b . (U x* Y) */
  for (int k = 0; k < n; k++) { z[body->z0 + k] -= sv_dot(w->col[body->c0 + k].b, UY); }
  if (!joint->ops->dh) { return; }
  joint->ops->dh_times(w->z + body->z0, w->p->joint[body->joint].own, f->mu + body->z0, bent);
  body_local_wrench(local, b, Y);
  for (int j = 0; j < n; j++) { z[body->z0 + j] += sv_dot(bent + 6 * j, local); }
}

static void by_rates(const mbd_work *w, const mbd_reverse *sweep, int i, mbd_real *z, mbd_real *zd, mbd_real *zdd) {
  const mbd_body *body = &w->model->body[i];
  const body_reverse *s = &sweep->sum[i];
  for (int j = body->z0; j < body->z0 + body->nz; j++) {
    const column_state *c = &w->col[body->c0 + j - body->z0];
    if (z) { z[j] += sv_dot(c->c, s->C) + sv_dot(c->e, s->E); }
    if (zd) { zd[j] += sv_dot(c->b, s->C) + sv_dot(c->c, s->E) + sv_dot(c->bd, s->E); }
    if (zdd) { zdd[j] += sv_dot(c->b, s->E); }
  }
}

static void add_coordinates(int n, const mbd_real *swept, mbd_real *x) {
  for (int j = 0; x && j < n; j++) { x[j] += swept[j]; }
}

void reverse_coordinates(mbd_reverse *sweep, mbd_real *z, mbd_real *zd, mbd_real *zdd) {
  mbd_work *w = sweep->w;
  const mbd_model *m = w->model;
  add_coordinates(m->nz, sweep->z, z);
  add_coordinates(m->nz, sweep->zd, zd);
  add_coordinates(m->nz, sweep->zdd, zdd);
  if (!z && !sweep->moving) { return; }
  if (sweep->moving) {
    sweep_all_columns(w);
  } else {
    sweep_light(w);
  }
  sum_beyond(sweep, (reverse_parts){z != NULL, sweep->moving, z ? sweep->nfield : 0});
  for (int i = 1; i < m->nb; i++) {
    const body_reverse *s = &sweep->sum[i];
    const mbd_body *body = &m->body[i];
    if (sweep->moving) { by_rates(w, sweep, i, z, zd, zdd); }
    if (!z) { continue; }
    for (int k = 0; k < body->nz; k++) { z[body->z0 + k] += sv_dot(w->col[body->c0 + k].b, s->X); }
    for (int f = 0; f < sweep->nfield; f++) { virtual_columns(w, &sweep->field[f], i, s->Y[f], z); }
  }
}

/* ---- joint frames ---- */

/* Motion of the frame at which a displacement acts: velocity, acceleration, virtual velocities. */
typedef struct frame_motion {
  mbd_real V[6], Vd[6], U[REVERSE_FIELDS][6];
} frame_motion;

/* x += xi,   c += V x xi,   e += Vd x xi - (V x xi) x V,   y += U x xi:  so, with (a x xi) . F = -xi . (a x* F),
 *   dL/dxi = X - V x* C - Vd x* E + V x* (V x* E) - U x* Y */
static void by_displacement(const mbd_reverse *sweep, int i, const frame_motion *motion, mbd_real g[6]) {
  const body_reverse *s = &sweep->sum[i];
  mbd_real back[6] = {0};
  sv_copy(g, s->X);
  for (int k = 0; k < sweep->nfield; k++) { sv_cross_wrench_add(back, motion->U[k], s->Y[k]); }
  if (sweep->moving) {
    mbd_real VE[6] = {0};
    sv_cross_wrench_add(back, motion->V, s->C);
    sv_cross_wrench_add(back, motion->Vd, s->E);
    sv_cross_wrench_add(VE, motion->V, s->E);
    sv_cross_wrench_add(g, motion->V, VE);
  }
  sv_axpy(g, -1, back);
}

/* xi = sign [A ds + A phi x arm ; A phi],  arm = r - at, of a frame at `at` */
static void to_frame(const mbd_real g[6], const mbd_real *A, mbd_real sign, const mbd_real at[3], const mbd_real r[3],
                     mbd_real *ds, mbd_real phi[3]) {
  mbd_real arm[3], n[3], local[3];
  v3_sub(arm, r, at);
  v3_copy(n, g + 3);
  v3_cross_add(n, arm, g);
  m3_Tvec(local, A, n);
  v3_axpy(phi, sign, local);
  if (!ds) { return; }
  m3_Tvec(local, A, g);
  v3_axpy(ds, sign, local);
}

/* The frame behind the first coordinate of a cardan joint; see vary_middle. */
static void to_middle(const mbd_work *w, const mbd_reverse *sweep, int i, frame_motion *motion, joint_reverse *out) {
  const mbd_body *body = &w->model->body[i];
  const body_state *b = &w->body[i];
  const mbd_real *column = w->col[body->c0].b, c = mbd_cos(w->z[body->z0]), s = mbd_sin(w->z[body->z0]);
  mbd_real rel[6] = {0}, g[6], turned[3] = {0, 0, 0}, R1[9];
  sv_axpy(rel, w->zd[body->z0], column);
  sv_axpy(motion->Vd, w->zdd[body->z0], column);
  sv_cross_add(motion->Vd, motion->V, rel);
  sv_add(motion->V, rel);
  for (int k = 0; k < sweep->nfield; k++) { sv_axpy(motion->U[k], sweep->field[k].mu[body->z0], column); }
  by_displacement(sweep, i, motion, g);
  to_frame(g, b->D, 1, b->s, b->r, NULL, turned);
  m3_identity(R1);
  R1[0] = c, R1[1] = -s, R1[3] = s, R1[4] = c;
  mbd_real local[3];
  m3_Tvec(local, R1, turned);
  v3_add(out->phi_mid, out->phi_mid, local);
}

/* The derivative by the scale of a joint, of which x, c, e and u are those of a coordinate at rest. */
static void by_scale(const mbd_reverse *sweep, int i, joint_reverse *out) {
  const mbd_work *w = sweep->w;
  const body_reverse *s = &sweep->sum[i];
  column_state column;
  joint_scale_column(w, i, sweep->moving, &column);
  out->scale += sv_dot(column.b, s->X);
  if (sweep->moving) { out->scale += sv_dot(column.c, s->C) + sv_dot(column.e, s->E); }
  for (int f = 0; f < sweep->nfield; f++) {
    const virtual_field *field = &sweep->field[f];
    mbd_real UY[6] = {0}, change[6];
    sv_cross_wrench_add(UY, field->U + 6 * i, s->Y[f]);
    joint_scale_times(w, i, field->mu + w->model->body[i].z0, change);
    out->scale += sv_dot(change, s->Y[f]) - sv_dot(column.b, UY);
  }
}

static void one_joint(const mbd_reverse *sweep, int i) {
  const mbd_work *w = sweep->w;
  const mbd_model *m = w->model;
  const mbd_body *body = &m->body[i];
  const body_state *b = &w->body[i], *h = &w->body[body->parent];
  joint_reverse *out = &sweep->theta->joint[body->joint];
  frame_motion motion;
  mbd_real g[6], at[3], s[3];
  /* The frame on the parent moves with the parent: its displacement moves all that is beyond the joint. */
  v3_sub(s, b->r, h->r);
  sv_copy(motion.V, b->Vh);
  sv_shift_motion(motion.Vd, h->Vd, s);
  for (int k = 0; k < sweep->nfield; k++) { virtual_of_parent(w, &sweep->field[k], i, motion.U[k]); }
  by_displacement(sweep, i, &motion, g);
  to_frame(g, h->A, 1, b->s, b->r, out->ds[0], out->phi[0]);
  if (m->joint[body->joint].ops->mid < body->nz) { to_middle(w, sweep, i, &motion, out); }
  if (m->joint[body->joint].ops->scaled) { by_scale(sweep, i, out); }
  /* The frame on the child moves with the child, and its displacement moves the child in the opposite direction. */
  sv_copy(motion.V, b->V);
  sv_copy(motion.Vd, b->Vd);
  for (int k = 0; k < sweep->nfield; k++) { sv_copy(motion.U[k], sweep->field[k].U + 6 * i); }
  by_displacement(sweep, i, &motion, g);
  v3_copy(at, b->o);
  m3_vec_add(at, b->A, w->p->joint[body->joint].s[1]);
  to_frame(g, b->A, -1, at, b->r, out->ds[1], out->phi[1]);
}

void reverse_joints(mbd_reverse *sweep) {
  const mbd_model *m = sweep->w->model;
  if (!sweep->theta || !sweep->theta->any_joint) { return; }
  sweep_light(sweep->w);
  sum_beyond(sweep, (reverse_parts){1, sweep->moving, sweep->nfield});
  for (int i = 1; i < m->nb; i++) {
    if (sweep->theta->joint_requested[m->body[i].joint]) { one_joint(sweep, i); }
  }
}
