/* Values of arguments, and their columns in z, zd (theory.md §4 (4.1)). */
#include <assert.h>
#include <string.h>

#include "kinematics/lift.h"
#include "kinematics/sweep.h"

static void marker_value(const mbd_work *w, int k, mbd_real sign, int rates, mbd_real *x, mbd_real *xd, mbd_real *xdd) {
  const marker_state *s = work_marker(w, k);
  v3_axpy(x, sign, s->p);
  if (!rates) { return; }
  v3_axpy(xd, sign, s->v);
  v3_axpy(xdd, sign, s->a);
  if (w->model->marker[k].is_point) { v3_axpy(xdd, sign, w->grav); }
}

static void rotation_value(const mbd_work *w, int body, mbd_real sign, mbd_real *xd, mbd_real *xdd) {
  v3_axpy(xd, sign, w->body[body].V + 3);
  v3_axpy(xdd, sign, w->body[body].Vd + 3);
}

void lift_values(const mbd_work *w, const mbd_lift *l, int rates, mbd_arg_state *s) {
  assert(w->stage >= (rates ? WORK_MOVED : WORK_PLACED) && (!rates || w->moving));
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *q = &l->arg[a];
    mbd_real *x = s->x[a], *xd = s->xd[a], *xdd = s->xdd[a];
    v3_set(x, 0, 0, 0), v3_set(xd, 0, 0, 0), v3_set(xdd, 0, 0, 0);
    switch (q->kind) {
      case MBD_ARG_POINT:
      case MBD_ARG_VECTOR:
        marker_value(w, q->b, 1, rates, x, xd, xdd);
        if (q->a >= 0) { marker_value(w, q->a, -1, rates, x, xd, xdd); }
        break;
      case MBD_ARG_ROTATION:
        if (rates) {
          rotation_value(w, q->b, 1, xd, xdd);
          if (q->a >= 0) { rotation_value(w, q->a, -1, xd, xdd); }
        }
        break;
      case MBD_ARG_COORDINATE:
        x[0] = w->z[q->b];
        if (rates) { xd[0] = w->zd[q->b], xdd[0] = w->zdd[q->b]; }
        break;
    }
  }
}

/* ---- columns in z ---- */

/* out += sign * (velocity at a marker of the motion b taken at r) */
static void at_marker(const mbd_work *w, int k, const mbd_real *r, const mbd_real b[6], mbd_real sign,
                      mbd_real out[3]) {
  mbd_real t[3], arm[3];
  if (w->model->marker[k].is_point) {
    v3_sub(arm, work_marker(w, k)->p, r);
    v3_cross(t, b + 3, arm);
    v3_add(t, t, b);
  } else {
    v3_cross(t, b + 3, work_marker(w, k)->p);
  }
  v3_axpy(out, sign, t);
}

/* One argument, as its columns see it. A coordinate that moves both sides turns their difference, and shifts none of it. */
typedef struct lift_arg {
  const mbd_real *b, *a; /* the point, or the vector, on either side */
  mbd_real between[3];   /* b - a */
  int rotation, b_point, a_point;
} lift_arg;

static lift_arg arg_of(const mbd_work *w, const mbd_arg *q) {
  if (q->kind == MBD_ARG_ROTATION) { return (lift_arg){.rotation = 1}; }
  lift_arg x = {.b = work_marker(w, q->b)->p, .b_point = w->model->marker[q->b].is_point};
  if (q->a >= 0) {
    x.a = work_marker(w, q->a)->p;
    x.a_point = w->model->marker[q->a].is_point;
    v3_sub(x.between, x.b, x.a);
  }
  return x;
}

/* out = what coordinate j does to one side */
static inline void side_column(const mbd_work *w, const mbd_real *p, int is_point, int j, mbd_real out[3]) {
  const mbd_real *b = w->col[j].b;
  mbd_real arm[3];
  if (!is_point) {
    v3_cross(out, b + 3, p);
    return;
  }
  v3_sub(arm, p, w->body[w->model->z_body[j]].r);
  v3_copy(out, b);
  v3_cross_add(out, b + 3, arm);
}

/* out = d x / d z_j of an argument of which it moves the sides of `flag`. */
static inline void arg_column(const mbd_work *w, const lift_arg *x, int flag, int j, mbd_real out[3]) {
  if (x->rotation) {
    const int turns = (flag & 1) - (flag >> 1);
    v3_scale(out, turns, w->col[j].b + 3);
  } else if (flag == 3) {
    v3_cross(out, w->col[j].b + 3, x->between);
  } else if (flag == 1) {
    side_column(w, x->b, x->b_point, j, out);
  } else {
    side_column(w, x->a, x->a_point, j, out);
    v3_scale(out, -1, out);
  }
}

void lift_columns(mbd_work *w, const mbd_lift *l) {
  assert(w->stage >= WORK_PLACED);
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *q = &l->arg[a];
    const unsigned char *flag = l->flag + a * l->ncol;
    mbd_real *out = w->dx + lift_at(l, a, 0);
    if (q->kind == MBD_ARG_COORDINATE) {
      for (int c = 0; c < l->ncol; c++) { v3_set(out + 3 * c, flag[c], 0, 0); }
      continue;
    }
    const lift_arg x = arg_of(w, q);
    for (int c = 0; c < l->ncol; c++, out += 3) {
      if (flag[c]) {
        arg_column(w, &x, flag[c], l->col[c], out);
      } else {
        v3_set(out, 0, 0, 0);
      }
    }
  }
}

/* ---- columns of rates ---- */

/* dv/dz = b_w x v + c at the marker;  da/dz = b_w x a + 2 c_w x v + e;  da/dzd = 2 b_w x v + (c + bd) */
static void marker_rates(const mbd_work *w, int k, int j, mbd_real sign, int second, mbd_real *dv, mbd_real *da,
                         mbd_real *da_zd) {
  const column_state *c = &w->col[j];
  const marker_state *s = work_marker(w, k);
  const mbd_real *r = w->body[w->model->z_body[j]].r;
  mbd_real t[3], cbd[6];
  v3_cross(t, c->b + 3, s->v);
  v3_axpy(dv, sign, t);
  at_marker(w, k, r, c->c, sign, dv);
  if (!second) { return; }
  v3_axpy(da_zd, 2 * sign, t);
  for (int i = 0; i < 6; i++) { cbd[i] = c->c[i] + c->bd[i]; }
  at_marker(w, k, r, cbd, sign, da_zd);
  v3_cross(t, c->b + 3, s->a);
  v3_axpy(da, sign, t);
  v3_cross(t, c->c + 3, s->v);
  v3_axpy(da, 2 * sign, t);
  at_marker(w, k, r, c->e, sign, da);
}

/* dw/dz = b_w x w + c_w, and as above for the acceleration of a vector field without arm */
static void rotation_rates(const mbd_work *w, int body, int j, mbd_real sign, int second, mbd_real *dv, mbd_real *da,
                           mbd_real *da_zd) {
  const column_state *c = &w->col[j];
  const body_state *b = &w->body[body];
  mbd_real t[3];
  v3_cross(t, c->b + 3, b->V + 3);
  v3_axpy(dv, sign, t);
  v3_axpy(dv, sign, c->c + 3);
  if (!second) { return; }
  v3_axpy(da_zd, sign, t);
  v3_axpy(da_zd, sign, c->c + 3);
  v3_axpy(da_zd, sign, c->bd + 3);
  v3_cross(t, c->b + 3, b->Vd + 3);
  v3_cross_add(t, c->c + 3, b->V + 3);
  v3_axpy(da, sign, t);
  v3_axpy(da, sign, c->e + 3);
}

void lift_rate_columns(mbd_work *w, const mbd_lift *l, int second) {
  size_t bytes = 3 * (size_t)l->narg * (size_t)l->ncol * sizeof(mbd_real);
  memset(w->dxd, 0, bytes);
  if (second) { memset(w->dxdd, 0, bytes), memset(w->dxdd_zd, 0, bytes); }
  if (!w->moving && !second) { return; }
  sweep_columns(w);
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *q = &l->arg[a];
    if (q->kind == MBD_ARG_COORDINATE) { continue; }
    for (int c = 0; c < l->ncol; c++) {
      size_t at = lift_at(l, a, c);
      for (int side = 0; side < 2; side++) {
        if (!(l->flag[a * l->ncol + c] & (side ? 2 : 1))) { continue; }
        int k = side ? q->a : q->b;
        mbd_real sign = side ? -1 : 1;
        if (q->kind == MBD_ARG_ROTATION) {
          rotation_rates(w, k, l->col[c], sign, second, w->dxd + at, w->dxdd + at, w->dxdd_zd + at);
        } else {
          marker_rates(w, k, l->col[c], sign, second, w->dxd + at, w->dxdd + at, w->dxdd_zd + at);
        }
      }
    }
  }
}

/* ---- blocks between arguments ---- */

static int is_zero(const mbd_real B[9]) {
  for (int k = 0; k < 9; k++) {
    if (B[k] != 0) { return 0; }
  }
  return 1;
}

int lift_blocks(int narg, const mbd_real (*H)[MBD_ARG_MAX][9], lift_block list[MBD_ARG_MAX * MBD_ARG_MAX]) {
  int count = 0;
  for (int a = 0; a < narg; a++) {
    for (int b = 0; b < narg; b++) {
      if (!is_zero(H[a][b])) { list[count++] = (lift_block){a, b}; }
    }
  }
  return count;
}
