/* Several directions of the coordinates side by side; equations as in variation.c and vary_forces.c, without
 * coefficients: the frames of a joint before and behind its middle have the same displacement, and no marker moves
 * within its body.
 * Equations: theory.md §3 (3.4); S0 (1). */
#include "kinematics/several.h"

#include <assert.h>
#include <string.h>

#include "kinematics/sweep.h"

/* ---- bodies ---- */

static void load(int n, int k, const mbd_real *block, mbd_lane *out) {
  if (!block || k < MBD_LANES) { lanes_zero(n, out); }
  for (int j = 0; block && j < n; j++) {
    for (int r = 0; r < k; r++) { out[j].v[r] = block[j * k + r]; }
  }
}

/* m += d b of a column b [6] */
static void add_column(const mbd_real b[6], const mbd_lane *d, mbd_lane *m) {
  for (int k = 0; k < 6; k++) { lane_axpy(b[k], d, &m[k]); }
}

/* Adds the motion that coordinates cause in all bodies beyond them, by their columns (work.h). */
static void add_coordinate(const work_several *work, const column_state *col, int j, body_several *b) {
  const int requested = work->requested;
  if (requested & 1 << SEVERAL_X) {
    add_column(col->b, &work->dz[j], b->m[SEVERAL_X]);
    if (requested & 1 << SEVERAL_C) { add_column(col->c, &work->dz[j], b->m[SEVERAL_C]); }
    if (requested & 1 << SEVERAL_E) { add_column(col->e, &work->dz[j], b->m[SEVERAL_E]); }
  }
  if (!work->rates) { return; }
  if (requested & 1 << SEVERAL_C) { add_column(col->b, &work->dzd[j], b->m[SEVERAL_C]); }
  if (requested & 1 << SEVERAL_E) { add_column(col->cbd, &work->dzd[j], b->m[SEVERAL_E]); }
}

static void sweep_body(const mbd_work *w, work_several *work, int i) {
  const mbd_body *p = &w->model->body[i];
  const body_several *h = &work->body[p->parent];
  body_several *b = &work->body[i];
  mbd_real s[3];
  v3_sub(s, w->body[i].r, w->body[p->parent].r);
  /* The motions of the parent, at the reference point displaced by s: v + w x s, w. */
  for (int kind = 0; kind < SEVERAL_KINDS; kind++) {
    if (!(work->requested & 1 << kind)) { continue; }
    memcpy(b->m[kind], h->m[kind], sizeof b->m[kind]);
    lanes_cross_add(b->m[kind], 1, h->m[kind] + 3, s);
  }
  memcpy(b->x0, b->m[SEVERAL_X], sizeof b->x0);
  for (int k = 0; k < p->nz; k++) { add_coordinate(work, &w->col[p->c0 + k], p->z0 + k, b); }
}

void several_begin(mbd_work *w, int k, const mbd_real *dz, const mbd_real *dzd, int requested) {
  work_several *work = &w->several;
  assert(w->stage >= WORK_MOVED && k <= MBD_LANES && work->body); /* a work with matrices */
  sweep_all_columns(w);
  load(w->model->nz, k, dz, work->dz);
  load(w->model->nz, k, dzd, work->dzd);
  work->requested = dz ? requested : requested & ~(1 << SEVERAL_X);
  work->rates = dzd != NULL;
  for (int i = 1; i < w->model->nb; i++) { sweep_body(w, work, i); }
}

/* ---- arguments ---- */

static void zero_arguments(int narg, mbd_lanes3 *x) {
  for (int a = 0; x && a < narg; a++) { lanes_zero(3, x[a].v); }
}

/* y += sign ( u + v x arm ), u only for points */
static void add_at(mbd_real sign, const mbd_lane *m, int is_point, const mbd_real arm[3], mbd_lane *y) {
  if (is_point) { lanes_axpy(3, sign, m, y); }
  lanes_cross_add(y, sign, m + 3, arm);
}

/* dp, dv, da of a marker, lift.h */
static void add_marker(const mbd_work *w, int k, mbd_real sign, mbd_lane *x, mbd_lane *xd, mbd_lane *xdd) {
  const work_several *work = &w->several;
  const mbd_marker *marker = &w->model->marker[k];
  const marker_state *s = work_marker(w, k);
  const body_several *b = &work->body[marker->body];
  mbd_real arm[3];
  if (marker->body == 0) { return; }
  marker_arm(w, k, arm);
  if (work->requested & 1 << SEVERAL_X) {
    add_at(sign, b->m[SEVERAL_X], marker->is_point, arm, x);
    if (xd) { lanes_cross_add(xd, sign, b->m[SEVERAL_X] + 3, s->v); }
    if (xdd) { lanes_cross_add(xdd, sign, b->m[SEVERAL_X] + 3, s->a); }
  }
  if (xd) { add_at(sign, b->m[SEVERAL_C], marker->is_point, arm, xd); }
  if (xdd) {
    add_at(sign, b->m[SEVERAL_E], marker->is_point, arm, xdd);
    lanes_cross_add(xdd, 2 * sign, b->m[SEVERAL_C] + 3, s->v);
  }
}

/* dw = x_w x w + c_w;  dwd = x_w x wd + c_w x w + e_w */
static void add_rotation(const mbd_work *w, int body, mbd_real sign, mbd_lane *xd, mbd_lane *xdd) {
  const work_several *work = &w->several;
  const body_several *b = &work->body[body];
  const mbd_real *spin = w->body[body].V + 3, *spin_rate = w->body[body].Vd + 3;
  if (body == 0) { return; }
  if (work->requested & 1 << SEVERAL_X) {
    if (xd) { lanes_cross_add(xd, sign, b->m[SEVERAL_X] + 3, spin); }
    if (xdd) { lanes_cross_add(xdd, sign, b->m[SEVERAL_X] + 3, spin_rate); }
  }
  if (xd) { lanes_axpy(3, sign, b->m[SEVERAL_C] + 3, xd); }
  if (xdd) {
    lanes_cross_add(xdd, sign, b->m[SEVERAL_C] + 3, spin);
    lanes_axpy(3, sign, b->m[SEVERAL_E] + 3, xdd);
  }
}

void several_arguments(const mbd_work *w, const mbd_lift *l, mbd_lanes3 *x, mbd_lanes3 *xd, mbd_lanes3 *xdd) {
  const work_several *work = &w->several;
  zero_arguments(l->narg, x), zero_arguments(l->narg, xd), zero_arguments(l->narg, xdd);
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) {
      x[a].v[0] = work->dz[arg->b];
      if (xd) { xd[a].v[0] = work->dzd[arg->b]; }
      continue;
    }
    /* Each end moves with its body, in all directions at once. */
    for (int end = 0; end < 2; end++) {
      const int k = end ? arg->a : arg->b;
      const mbd_real sign = end ? -1 : 1;
      if (k < 0) { continue; }
      if (arg->kind == MBD_ARG_ROTATION) {
        add_rotation(w, k, sign, xd ? xd[a].v : NULL, xdd ? xdd[a].v : NULL);
      } else {
        add_marker(w, k, sign, x[a].v, xd ? xd[a].v : NULL, xdd ? xdd[a].v : NULL);
      }
    }
  }
}

/* ---- generalized forces ---- */

void several_clear(mbd_work *w) {
  work_several *work = &w->several;
  lanes_zero(w->model->nz, work->dr);
  for (int i = 0; i < w->model->nb; i++) {
    lanes_zero(6, work->body[i].dF);
    sv_zero(work->body[i].F);
  }
}

void several_wrench(mbd_work *w, int body, const mbd_real F[6], const mbd_lane dF[6]) {
  body_several *b = &w->several.body[body];
  sv_add(b->F, F);
  lanes_axpy(6, 1, dF, b->dF);
}

/* dF += sign [df ; arm x df + dp x f] of a point, [0 ; arm x df + dp x f] of a vector, with the wrench itself into F */
static void add_marker_force(mbd_work *w, int k, const mbd_real f[3], const mbd_lane *df, mbd_real sign) {
  const mbd_marker *marker = &w->model->marker[k];
  body_several *b = &w->several.body[marker->body];
  mbd_real arm[3], n[3];
  mbd_lane dp[3];
  if (marker->body == 0) { return; }
  marker_arm(w, k, arm);
  v3_cross(n, arm, f);
  if (marker->is_point) {
    v3_axpy(b->F, sign, f);
    lanes_axpy(3, sign, df, b->dF);
  }
  v3_axpy(b->F + 3, sign, n);
  lanes_cross_add(b->dF + 3, -sign, df, arm);
  lanes_zero(3, dp);
  add_at(sign, b->m[SEVERAL_X], marker->is_point, arm, dp);
  lanes_cross_add(b->dF + 3, 1, dp, f);
}

void several_forces(mbd_work *w, const mbd_lift *l, const mbd_real (*f)[3], const mbd_lanes3 *df) {
  work_several *work = &w->several;
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) {
      lane_axpy(1, &df[a].v[0], &work->dr[arg->b]);
      continue;
    }
    /* dF of vary_forces.c: the change of the force, and the change of its arm. */
    for (int end = 0; end < 2; end++) {
      const int k = end ? arg->a : arg->b;
      const mbd_real sign = end ? -1 : 1;
      if (k < 0) { continue; }
      if (arg->kind == MBD_ARG_ROTATION) {
        v3_axpy(work->body[k].F + 3, sign, f[a]);
        lanes_axpy(3, sign, df[a].v, work->body[k].dF + 3);
      } else {
        add_marker_force(w, k, f[a], df[a].v, sign);
      }
    }
  }
}

/* dr_k += sum_j dz_j (db_k/dz_j) . F */
static void bend(const mbd_work *w, work_several *work, int i) {
  const mbd_body *p = &w->model->body[i];
  const mbd_joint *joint = &w->model->joint[p->joint];
  mbd_real dH[MBD_NZ_MAX * MBD_NZ_MAX * 6], local[6];
  if (!joint->ops->dh) { return; }
  joint->ops->dh(w->z + p->z0, w->p->joint[p->joint].own, dH);
  body_local_wrench(local, &w->body[i], work->body[i].F);
  for (int j = 0; j < p->nz; j++) {
    for (int k = 0; k < p->nz; k++) {
      lane_axpy(sv_dot(dH + 6 * (p->nz * j + k), local), &work->dz[p->z0 + j], &work->dr[p->z0 + k]);
    }
  }
}

/* dr_j += b_j . (dF - x0 x* F) */
static void read_joint(const mbd_work *w, work_several *work, int i) {
  const mbd_body *p = &w->model->body[i];
  const body_several *b = &work->body[i];
  mbd_lane G[6];
  memcpy(G, b->dF, sizeof G);
  lanes_cross_add(G, -1, b->x0 + 3, b->F);
  lanes_cross_add(G + 3, -1, b->x0 + 3, b->F + 3);
  lanes_cross_add(G + 3, -1, b->x0, b->F);
  for (int k = 0; k < p->nz; k++) { lane_dot_add(6, w->col[p->c0 + k].b, G, &work->dr[p->z0 + k]); }
  bend(w, work, i);
}

void several_sum(mbd_work *w) {
  const mbd_model *m = w->model;
  work_several *work = &w->several;
  for (int i = m->nb - 1; i > 0; i--) {
    const int parent = m->body[i].parent;
    body_several *b = &work->body[i], *to = &work->body[parent];
    read_joint(w, work, i);
    if (parent == 0) { continue; }
    mbd_real arm[3];
    v3_sub(arm, w->body[i].r, w->body[parent].r);
    sv_add_wrench_from(to->F, b->F, arm);
    lanes_axpy(6, 1, b->dF, to->dF);
    lanes_cross_add(to->dF + 3, -1, b->dF, arm);
  }
}
