/* Second derivatives of arguments with forces on them, K_kj = sum f_a . d2 x_a/dz_k dz_j, without visiting pairs of
 * columns of every element.
 *
 * For a point p (arm = p - r) or a vector (arm = itself) of a body, and j on its chain nearer to the ground than k or of
 * the same joint:  d2p/dz_j dz_k = b_w,j x dp_k,  dp_k = b_v,k + b_w,k x arm;  so
 *   f . d2p/dz_j dz_k = b_w,j . h_k,    h_k = dp_k x f = b_v,k x f + (S - tr(S) 1) b_w,k,    S = arm f'
 * and f, S add up over all forces on the bodies beyond a joint. Twists that depend on coordinates of their own joint
 * add (db_k/dz_j) . [f ; n], n the moment of the forces. A rotation has the moment m only; its direction turns with
 * coordinates nearer to the ground, not beyond, so there the matrix is one-sided: row k, column j  (b_w,j x b_w,k) . m.
 *
 * An element that is independent of the motion of a common body depends only on the coordinates beyond that body. So
 * there are separate sums for each level of this body, which end there.
 * Equations: theory.md §3 (3.3), the part of K from second derivatives of arguments. */
#include <assert.h>
#include <string.h>

#include "kinematics/lift.h"

static second_state *state_of(const mbd_work *w, int body, int level) {
  return &w->second.state[body * w->second.nlevel + level];
}

/* The sum, which begins with zeros. */
static second_state *in_use(mbd_work *w, second_state *s) {
  w->second.any = 1;
  if (!s->any) { memset(s, 0, sizeof *s); }
  s->any = 1;
  return s;
}

/* The force on one end of an argument. */
static void add_end(mbd_work *w, mbd_arg_kind kind, int k, int common, const mbd_real f[3], mbd_real sign) {
  const mbd_model *m = w->model;
  const int body = kind == MBD_ARG_ROTATION ? k : m->marker[k].body;
  if (body == common) { return; }
  second_state *s = in_use(w, state_of(w, body, m->body[common].level));
  if (kind == MBD_ARG_ROTATION) {
    v3_axpy(s->m, sign, f);
    return;
  }
  mbd_real arm[3];
  marker_arm(w, k, arm);
  if (m->marker[k].is_point) { v3_axpy(s->f, sign, f); }
  for (int i = 0; i < 3; i++) { v3_axpy(s->S + 3 * i, sign * arm[i], f); }
}

void second_add(mbd_work *w, const mbd_lift *l, const mbd_real (*f)[3], mbd_real sign) {
  assert(w->stage >= WORK_PLACED && w->second.state);
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) { continue; }
    add_end(w, arg->kind, arg->b, l->common, f[a], sign);
    if (arg->a >= 0) { add_end(w, arg->kind, arg->a, l->common, f[a], -sign); }
  }
}

void second_add_wrench(mbd_work *w, int body, const mbd_real arm[3], const mbd_real f[3], const mbd_real n[3],
                       mbd_real sign) {
  assert(w->stage >= WORK_PLACED && w->second.state);
  second_state *s = in_use(w, state_of(w, body, 0));
  v3_axpy(s->f, sign, f);
  v3_axpy(s->m, sign, n);
  for (int i = 0; i < 3; i++) { v3_axpy(s->S + 3 * i, sign * arm[i], f); }
}

void bend_within_joint(const mbd_work *w, int i, const mbd_real F[6], mbd_real *K) {
  const mbd_model *m = w->model;
  const mbd_body *body = &m->body[i];
  const mbd_joint *joint = &m->joint[body->joint];
  mbd_real dH[MBD_NZ_MAX * MBD_NZ_MAX * 6], local[6];
  if (!joint->ops->dh) { return; }
  joint->ops->dh(w->z + body->z0, w->p->joint[body->joint].own, dH);
  body_local_wrench(local, &w->body[i], F);
  for (int j = 0; j < body->nz; j++) {
    for (int k = 0; k < body->nz; k++) {
      K[mbd_entry(w->formed.K_at, m->nz, body->z0 + k, body->z0 + j)] += sv_dot(dH + 6 * (body->nz * j + k), local);
    }
  }
}

/* Coordinate `own` of the joint of body i against all those of this joint and of joints nearer to the ground, down to `level`. */
static void pairs(const mbd_work *w, int i, int own, int level, const second_state *s, mbd_real *K) {
  const mbd_model *m = w->model;
  const mbd_body *body = &m->body[i];
  const mbd_real *b = w->col[body->c0 + own].b, trace = s->S[0] + s->S[4] + s->S[8];
  const int n = m->nz, k = body->z0 + own;
  mbd_real h[3], g[3];
  v3_cross(h, b, s->f);
  m3_vec_add(h, s->S, b + 3);
  v3_axpy(h, -trace, b + 3);
  v3_cross(g, b + 3, s->m);
  v3_add(g, g, h);
  for (int j = 0; j < body->nz; j++) {
    K[mbd_entry(w->formed.K_at, n, body->z0 + j, k)] += v3_dot(w->col[body->c0 + j].b + 3, h);
  }
  for (int a = body->parent; m->body[a].level > level; a = m->body[a].parent) {
    const mbd_body *nearer = &m->body[a];
    for (int j = nearer->z0; j < nearer->z0 + nearer->nz; j++) {
      const mbd_real *turn = w->col[nearer->c0 + j - nearer->z0].b + 3;
      const size_t row = mbd_entry(w->formed.K_at, n, k, j);
      K[w->formed.K_at ? (size_t)w->formed.K_at->mirror[row] : (size_t)j * (size_t)n + (size_t)k] += v3_dot(turn, h);
      K[row] += v3_dot(turn, g);
    }
  }
}

void second_sum(mbd_work *w, mbd_real *K) {
  const mbd_model *m = w->model;
  if (!w->second.any) { return; }
  for (int i = m->nb - 1; i > 0; i--) {
    const mbd_body *body = &m->body[i];
    mbd_real arm[3], F[6];
    v3_sub(arm, w->body[i].r, w->body[body->parent].r);
    for (int level = 0; level < body->level; level++) {
      second_state *s = state_of(w, i, level);
      if (!s->any) { continue; }
      s->any = 0;
      for (int k = 0; k < body->nz; k++) { pairs(w, i, k, level, s, K); }
      /* Twists that depend on coordinates of their own joint, with the wrench [f ; n] at r: n = m + sum of arm x f. */
      v3_copy(F, s->f);
      v3_set(F + 3, s->S[5] - s->S[7], s->S[6] - s->S[2], s->S[1] - s->S[3]);
      v3_add(F + 3, F + 3, s->m);
      bend_within_joint(w, i, F, K);
      /* The parent has the forces too, at a point displaced by arm. */
      if (level >= m->body[body->parent].level) { continue; }
      second_state *to = in_use(w, state_of(w, body->parent, level));
      v3_add(to->f, to->f, s->f);
      v3_add(to->m, to->m, s->m);
      for (int r = 0; r < 9; r++) { to->S[r] += s->S[r]; }
      for (int r = 0; r < 3; r++) { v3_axpy(to->S + 3 * r, arm[r], s->f); }
    }
  }
  w->second.any = 0;
}
