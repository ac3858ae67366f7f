/* Values of arguments, and their columns in z, zd (theory.md §4 (4.1)). */
#include <assert.h>
#include <string.h>

#include "kinematics/lift.h"
#include "kinematics/sweep.h"

static void marker_value(const mbd_work *w, int k, mbd_real sign, int rates, mbd_real *x, mbd_real *xd, mbd_real *xdd) {
  const marker_state *marker = work_marker(w, k);
  v3_axpy(x, sign, marker->p);
  if (!rates) { return; }
  v3_axpy(xd, sign, marker->v);
  v3_axpy(xdd, sign, marker->a);
  if (w->model->marker[k].is_point) { v3_axpy(xdd, sign, w->gravity.g); }
}

static void rotation_value(const mbd_work *w, int body, mbd_real sign, mbd_real *xd, mbd_real *xdd) {
  v3_axpy(xd, sign, w->body[body].V + 3);
  v3_axpy(xdd, sign, w->body[body].Vd + 3);
}

void lift_values(const mbd_work *w, const mbd_lift *l, int rates, mbd_arg_state *s) {
  assert(w->stage >= (rates ? WORK_MOVED : WORK_PLACED) && (!rates || w->moving));
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    mbd_real *x = s->x[a], *xd = s->xd[a], *xdd = s->xdd[a];
    v3_set(x, 0, 0, 0), v3_set(xd, 0, 0, 0), v3_set(xdd, 0, 0, 0);
    switch (arg->kind) {
      /* A point or vector of body b, minus one of body a if there is one. */
      case MBD_ARG_POINT:
      case MBD_ARG_VECTOR:
        marker_value(w, arg->b, 1, rates, x, xd, xdd);
        if (arg->a >= 0) { marker_value(w, arg->a, -1, rates, x, xd, xdd); }
        break;
      /* A rotation has no value, only the angular velocity and its rate, relative to body a. */
      case MBD_ARG_ROTATION:
        if (rates) {
          rotation_value(w, arg->b, 1, xd, xdd);
          if (arg->a >= 0) { rotation_value(w, arg->a, -1, xd, xdd); }
        }
        break;
      case MBD_ARG_COORDINATE:
        x[0] = w->z[arg->b];
        if (rates) { xd[0] = w->zd[arg->b], xdd[0] = w->zdd[arg->b]; }
        break;
      case MBD_ARG_VALUE: break; /* of users' forces alone, which take it themselves */
    }
  }
}

/* ---- columns in z ---- */

/* The data of one argument for its columns. A coordinate that moves both ends rotates their difference without
 * translation. */
typedef struct lift_arg {
  const mbd_real *b, *a; /* the point, or the vector, at either end */
  mbd_real between[3];   /* b - a */
  int rotation, b_point, a_point;
} lift_arg;

static lift_arg arg_of(const mbd_work *w, const mbd_arg *arg) {
  if (arg->kind == MBD_ARG_ROTATION) { return (lift_arg){.rotation = 1}; }
  lift_arg x = {.b = work_marker(w, arg->b)->p, .b_point = w->model->marker[arg->b].is_point};
  if (arg->a >= 0) {
    x.a = work_marker(w, arg->a)->p;
    x.a_point = w->model->marker[arg->a].is_point;
    v3_sub(x.between, x.b, x.a);
  }
  return x;
}

/* out = column j for one end */
static inline void end_column(const mbd_work *w, const mbd_real *p, int is_point, int j, mbd_real out[3]) {
  const mbd_real *b = w->col[j].b;
  mbd_real arm[3];
  if (!is_point) {
    v3_cross(out, b + 3, p);
    return;
  }
  v3_sub(arm, p, w->body[w->model->col_body[j]].r);
  v3_copy(out, b);
  v3_cross_add(out, b + 3, arm);
}

/* out = d x / d z of an argument, whose ends are moved by the columns of[0], of[1]; flag: the ends that the coordinate moves. */
static inline void arg_column(const mbd_work *w, const lift_arg *x, int flag, const int of[2], mbd_real out[3]) {
  if (flag == LIFT_APART) {
    mbd_real a[3];
    arg_column(w, x, 1, of, out);
    arg_column(w, x, 2, of, a);
    v3_add(out, out, a);
  } else if (x->rotation) {
    const int turns = (flag & 1) - (flag >> 1);
    v3_scale(out, turns, w->col[of[flag == 2]].b + 3);
  } else if (flag == 3) {
    v3_cross(out, w->col[of[0]].b + 3, x->between);
  } else if (flag == 1) {
    end_column(w, x->b, x->b_point, of[0], out);
  } else {
    end_column(w, x->a, x->a_point, of[1], out);
    v3_scale(out, -1, out);
  }
}

void lift_columns(mbd_work *w, const mbd_lift *l) {
  assert(w->stage >= WORK_PLACED);
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    const unsigned char *flag = l->flag + a * l->ncol;
    const int *of = l->of + 2 * a * l->ncol;
    mbd_real *out = w->element.dx + lift_at(l, a, 0);
    /* The column of a coordinate argument is that of the coordinate itself. */
    if (arg->kind == MBD_ARG_COORDINATE) {
      for (int c = 0; c < l->ncol; c++) { v3_set(out + 3 * c, flag[c], 0, 0); }
      continue;
    }
    /* x_z of theory.md §4 (4.1), for the coordinates that move the argument. */
    const lift_arg x = arg_of(w, arg);
    for (int c = 0; c < l->ncol; c++, out += 3) {
      if (flag[c]) {
        arg_column(w, &x, flag[c], of + 2 * c, out);
      } else {
        v3_set(out, 0, 0, 0);
      }
    }
  }
}

/* ---- columns of rates ---- */

/* The data of a point or a vector for its rate columns; or of the difference of two that a coordinate moves both, which
 * is a vector. */
typedef struct lift_motion {
  mbd_real p[3], v[3], a[3];
  int point;
} lift_motion;

static lift_motion motion_of(const mbd_work *w, int k) {
  const marker_state *marker = work_marker(w, k);
  lift_motion motion = {.point = w->model->marker[k].is_point};
  v3_copy(motion.p, marker->p), v3_copy(motion.v, marker->v), v3_copy(motion.a, marker->a);
  return motion;
}

/* dv/dz = b_w x v + c at the marker;  da/dz = b_w x a + 2 c_w x v + e;  da/dzd = 2 b_w x v + (c + bd) */
static inline void marker_rates(const mbd_work *w, const lift_motion *motion, int j, int second, mbd_real *restrict dv,
                                mbd_real *restrict da, mbd_real *restrict da_zd) {
  const column_state *c = &w->col[j];
  mbd_real arm[3], turned[3];
  v3_copy(arm, motion->p);
  if (motion->point) { v3_sub(arm, arm, w->body[w->model->col_body[j]].r); }
  v3_cross(turned, c->b + 3, motion->v);
  v3_copy(dv, turned);
  v3_cross_add(dv, c->c + 3, arm);
  if (motion->point) { v3_add(dv, dv, c->c); }
  if (!second) { return; }
  v3_add(da_zd, dv, turned);
  v3_cross_add(da_zd, c->bd + 3, arm);
  v3_cross(da, c->c + 3, motion->v);
  v3_scale(da, 2, da);
  v3_cross_add(da, c->b + 3, motion->a);
  v3_cross_add(da, c->e + 3, arm);
  if (!motion->point) { return; }
  v3_add(da_zd, da_zd, c->bd);
  v3_add(da, da, c->e);
}

/* Columns of the rates of a point or a vector. */
static void point_rate_columns(mbd_work *w, const mbd_lift *l, int a, int second) {
  const mbd_arg *arg = &l->arg[a];
  const lift_motion b = motion_of(w, arg->b), from = arg->a >= 0 ? motion_of(w, arg->a) : b;
  lift_motion between = {.point = 0};
  v3_sub(between.p, b.p, from.p), v3_sub(between.v, b.v, from.v), v3_sub(between.a, b.a, from.a);
  for (int c = 0; c < l->ncol; c++) {
    const int flag = l->flag[a * l->ncol + c];
    const size_t at = lift_at(l, a, c);
    mbd_real *dv = w->element.dxd + at, *da = w->element.dxdd + at, *da_zd = w->element.dxdd_zd + at;
    const int *of = l->of + 2 * (a * l->ncol + c);
    if (flag == 0) { continue; }
    if (flag != 2) { marker_rates(w, flag == 3 ? &between : &b, of[0], second, dv, da, da_zd); }
    if (flag != 2 && flag != LIFT_APART) { continue; }
    mbd_real dv_a[3], da_a[3] = {0}, da_zd_a[3] = {0};
    marker_rates(w, &from, of[1], second, dv_a, da_a, da_zd_a);
    v3_sub(dv, dv, dv_a);
    if (second) { v3_sub(da, da, da_a), v3_sub(da_zd, da_zd, da_zd_a); }
  }
}

/* dw/dz = b_w x w + c_w, and as above for the acceleration of a vector field without arm */
static void rotation_rates(const mbd_work *w, int body, int j, mbd_real sign, int second, mbd_real *dv, mbd_real *da,
                           mbd_real *da_zd) {
  const column_state *c = &w->col[j];
  const body_state *state = &w->body[body];
  mbd_real t[3];
  v3_cross(t, c->b + 3, state->V + 3);
  v3_axpy(dv, sign, t);
  v3_axpy(dv, sign, c->c + 3);
  if (!second) { return; }
  v3_axpy(da_zd, sign, t);
  v3_axpy(da_zd, sign, c->c + 3);
  v3_axpy(da_zd, sign, c->bd + 3);
  v3_cross(t, c->b + 3, state->Vd + 3);
  v3_cross_add(t, c->c + 3, state->V + 3);
  v3_axpy(da, sign, t);
  v3_axpy(da, sign, c->e + 3);
}

/* Columns of the rates of a rotation. */
static void rotation_rate_columns(mbd_work *w, const mbd_lift *l, int a, int second) {
  const mbd_arg *arg = &l->arg[a];
  for (int c = 0; c < l->ncol; c++) {
    const int flag = l->flag[a * l->ncol + c], *of = l->of + 2 * (a * l->ncol + c);
    const size_t at = lift_at(l, a, c);
    if (flag & 1) {
      rotation_rates(w, arg->b, of[0], 1, second, w->element.dxd + at, w->element.dxdd + at, w->element.dxdd_zd + at);
    }
    if (flag & 2) {
      rotation_rates(w, arg->a, of[1], -1, second, w->element.dxd + at, w->element.dxdd + at, w->element.dxdd_zd + at);
    }
  }
}

void lift_rate_columns(mbd_work *w, const mbd_lift *l, int second) {
  size_t bytes = 3 * (size_t)l->narg * (size_t)l->ncol * sizeof(mbd_real);
  memset(w->element.dxd, 0, bytes);
  if (second) { memset(w->element.dxdd, 0, bytes), memset(w->element.dxdd_zd, 0, bytes); }
  if (!w->moving && !second) { return; }
  sweep_columns(w);
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE) { continue; }
    if (l->arg[a].kind == MBD_ARG_ROTATION) {
      rotation_rate_columns(w, l, a, second);
    } else {
      point_rate_columns(w, l, a, second);
    }
  }
}

/* ---- blocks between arguments ---- */

static int is_zero(const mbd_real B[9]) {
  int other = 0;
  for (int k = 0; k < 9; k++) { other |= mbd_any(B[k] != 0); }
  return !other;
}

int lift_blocks(int narg, const mbd_real (*H)[ELEMENT_ARG_MAX][9], lift_block list[ELEMENT_ARG_MAX * ELEMENT_ARG_MAX]) {
  int count = 0;
  for (int a = 0; a < narg; a++) {
    for (int b = 0; b < narg; b++) {
      if (!is_zero(H[a][b])) { list[count++] = (lift_block){a, b}; }
    }
  }
  return count;
}
