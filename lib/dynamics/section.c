/* The wrench through a section, theory.md §3 (3.7), with its derivatives. About a fixed place,
 *   F = sum W_i - sum f on the part + sum lam' J on the part,       -sum lam' J  through constraints
 * where an argument that is a difference has one side on the part, or two, or none. Forces on coordinates are no wrenches on
 * bodies, and are left out. */
#include <assert.h>
#include <string.h>

#include "dynamics/element.h"
#include "dynamics/parts.h"
#include "kinematics/sweep.h"

/* ---- what belongs to the part ---- */

/* Marks the bodies of the part. */
static void mark_part(mbd_work *w, const motion_section *s) {
  const mbd_model *m = w->model;
  assert(w->external.n == 0);
  memset(w->section.beyond, 0, (size_t)m->nb);
  w->section.beyond[s->body] = 1;
  for (int i = s->body + 1; s->count < 0 && i < m->nb; i++) {
    w->section.beyond[i] = w->section.beyond[m->body[i].parent];
  }
}

/* Constraints of the section, and the sign of their reactions in F. */
typedef struct section_rows {
  int first, end;
  mbd_real sign;
} section_rows;

static section_rows rows_of(const mbd_work *w, const motion_section *s) {
  return s->count >= 0 ? (section_rows){s->first, s->first + s->count, -1}
                       : (section_rows){0, w->model->nconstraint, 1};
}

/* One side of an argument that is on the part. */
typedef struct part_side {
  int arg, marker; /* marker: -1: the rotation of `body` */
  mbd_real sign;
} part_side;

/* Lists the sides of an element that are on the part; returns their number. */
static int sides_of(const mbd_work *w, const mbd_lift *l, part_side list[2 * ELEMENT_ARG_MAX]) {
  int n = 0;
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) { continue; }
    for (int side = 0; side < 2; side++) {
      const int k = side ? arg->a : arg->b, rotation = arg->kind == MBD_ARG_ROTATION;
      if (k < 0 || !w->section.beyond[rotation ? k : w->model->marker[k].body]) { continue; }
      list[n++] = (part_side){a, rotation ? -1 : k, side ? -1 : 1};
    }
  }
  return n;
}

/* Sets arm to the vector from `at` to a point; for a vector, to the vector itself. */
static void arm_from(const mbd_work *w, int k, const mbd_real at[3], mbd_real arm[3]) {
  v3_copy(arm, work_marker(w, k)->p);
  if (w->model->marker[k].is_point) { v3_sub(arm, arm, at); }
}

/* F += s times the wrench about `at` of a force f on one side. */
static void add_force(const mbd_work *w, const part_side *side, mbd_real s, const mbd_real f[3], const mbd_real at[3],
                      mbd_real F[6]) {
  mbd_real arm[3], sf[3];
  v3_scale(sf, s * side->sign, f);
  if (side->marker < 0) {
    v3_add(F + 3, F + 3, sf);
    return;
  }
  arm_from(w, side->marker, at, arm);
  marker_wrench_add(F, sf, arm, w->model->marker[side->marker].is_point);
}

/* ---- value ---- */

static void reaction_at(const mbd_work *w, const mbd_constraint *c, const mbd_real *lam, element_state *e,
                        mbd_real (*f)[3]) {
  element_evaluate(w, c, 0, e);
  element_first(c->ops, e);
  element_reaction(c->ops, e, lam, f);
}

/* Computes the wrenches through all joints of the tree at once. */
static void sum_through(mbd_work *w, const mbd_real *lam) {
  const mbd_model *m = w->model;
  const size_t rows = (size_t)m->nphi * sizeof *lam;
  assert(w->external.n == 0);
  if (w->section.known && memcmp(w->section.lam, lam, rows) == 0) { return; }
  wrenches_of_bodies(w, NULL);
  for (int i = 0; i < m->nconstraint; i++) {
    element_state e;
    mbd_real f[ELEMENT_ARG_MAX][3];
    reaction_at(w, &m->constraint[i], lam + m->constraint[i].row, &e, f);
    wrenches_apply(w, &m->constraint[i].lift, -1, CONST3(f));
  }
  wrenches_inwards(w, NULL);
  memcpy(w->section.wrench, w->F, 6 * (size_t)m->nb * sizeof *w->F);
  memcpy(w->section.lam, lam, rows);
  w->section.known = 1;
}

void motion_section_wrench(mbd_work *w, const motion_section *s, const mbd_real *lam, mbd_real F[6]) {
  const section_rows rows = rows_of(w, s);
  assert(w->stage >= WORK_MOVED && w->moving);
  /* Through a joint of the tree: the sum over all bodies beyond it, theory.md §3 (3.7). */
  if (s->count < 0) {
    sum_through(w, lam);
    sv_copy(F, w->section.wrench + 6 * s->body);
    return;
  }
  /* Through a cut joint: what its closure, the given rows of Phi_q' lam, exerts on this part. */
  sv_zero(F);
  mark_part(w, s);
  for (int i = rows.first; i < rows.end; i++) {
    const mbd_constraint *c = &w->model->constraint[i];
    element_state e;
    mbd_real f[ELEMENT_ARG_MAX][3];
    part_side side[2 * ELEMENT_ARG_MAX];
    const int n = sides_of(w, &c->lift, side);
    reaction_at(w, c, lam + c->row, &e, f);
    for (int k = 0; k < n; k++) { add_force(w, &side[k], rows.sign, f[side[k].arg], w->body[s->body].r, F); }
  }
}

/* ---- along a direction ---- */

/* dF += s times the change: of the force, and for f not NULL of the place that it acts on. */
static void add_change(const mbd_work *w, const mbd_lift *l, mbd_real s, const mbd_real (*f)[3],
                       const mbd_real (*df)[3], const mbd_real at[3], mbd_real dF[6]) {
  part_side side[2 * ELEMENT_ARG_MAX];
  const int n = sides_of(w, l, side);
  for (int k = 0; k < n; k++) {
    mbd_real dp[3] = {0, 0, 0};
    add_force(w, &side[k], s, df[side[k].arg], at, dF);
    if (!f || side[k].marker < 0 || !vary_marker_place(w, side[k].marker, s * side[k].sign, dp)) { continue; }
    v3_cross_add(dF + 3, dp, f[side[k].arg]);
  }
}

static void bodies_change(const mbd_work *w, const motion_section *s, mbd_real dF[6]) {
  for (int i = s->body; i < w->model->nb; i++) {
    mbd_real dW[6], arm[3];
    if (!w->section.beyond[i] || !inertia_change(w, i, dW)) { continue; }
    v3_sub(arm, w->body[i].r, w->body[s->body].r);
    sv_add_wrench_from(dF, dW, arm);
  }
}

static void forces_change(const mbd_work *w, const motion_section *s, mbd_real dF[6]) {
  for (int i = 0; i < w->model->nforce; i++) {
    mbd_real f[ELEMENT_ARG_MAX][3], df[ELEMENT_ARG_MAX][3];
    const element_change change = force_change(w, i, f, df);
    if (change == ELEMENT_SAME) { continue; }
    add_change(w, &w->model->force[i].lift, -1, change == ELEMENT_MOVED ? CONST3(f) : NULL, CONST3(df),
               w->body[s->body].r, dF);
  }
}

void motion_section_direction(mbd_work *w, const motion_section *s, const mbd_real *lam, const mbd_real *dlam,
                              mbd_real dF[6]) {
  const section_rows rows = rows_of(w, s);
  sv_zero(dF);
  mark_part(w, s);
  /* Inertia and applied forces belong to sections through joints of the tree alone. */
  if (s->count < 0) { bodies_change(w, s, dF), forces_change(w, s, dF); }
  for (int i = rows.first; i < rows.end; i++) {
    const mbd_constraint *c = &w->model->constraint[i];
    element_state e;
    mbd_real f[ELEMENT_ARG_MAX][3], df[ELEMENT_ARG_MAX][3];
    const int own = constraint_moves(w, i);
    /* The change of phi_x' lam at fixed lam, and of the place where it acts. */
    const element_change change = reaction_change(w, c, own, lam + c->row, f, df);
    if (change != ELEMENT_SAME) {
      add_change(w, &c->lift, rows.sign, change == ELEMENT_MOVED ? CONST3(f) : NULL, CONST3(df), w->body[s->body].r,
                 dF);
    }
    /* The change by dlam: a reaction is linear in lam. */
    if (!dlam) { continue; }
    reaction_at(w, c, dlam + c->row, &e, df);
    add_change(w, &c->lift, rows.sign, NULL, CONST3(df), w->body[s->body].r, dF);
  }
}

/* ---- in reverse ---- */

/* Computes the velocities u of arguments by the motion T at `at`, for the sides on the part only. */
static int part_moves(const mbd_work *w, const mbd_lift *l, const mbd_real T[6], const mbd_real at[3],
                      part_side side[2 * ELEMENT_ARG_MAX], mbd_real (*u)[3]) {
  const int n = sides_of(w, l, side);
  mbd_args_zero(l->narg, u);
  for (int k = 0; k < n; k++) {
    mbd_real arm[3], v[3];
    if (side[k].marker < 0) {
      v3_axpy(u[side[k].arg], side[k].sign, T + 3);
      continue;
    }
    arm_from(w, side[k].marker, at, arm);
    v3_cross(v, T + 3, arm);
    if (w->model->marker[side[k].marker].is_point) { v3_add(v, v, T); }
    v3_axpy(u[side[k].arg], side[k].sign, v);
  }
  return n;
}

/* L = s sum u . f at fixed f: a place that moves by dp changes u by T_w x dp, so L by dp . s (f x T_w). */
static void reverse_places(mbd_reverse *sweep, int n, const part_side *side, mbd_real s, const mbd_real (*f)[3],
                           const mbd_real T[6]) {
  for (int k = 0; k < n; k++) {
    mbd_real x[3];
    if (side[k].marker < 0) { continue; }
    v3_cross(x, f[side[k].arg], T + 3);
    v3_scale(x, s * side[k].sign, x);
    reverse_place(sweep, side[k].marker, x);
  }
}

/* T . W_i: its displacement x at fixed T gives T . (x x* W) = -x . (T x* W); rates and coefficients as in residual_reverse.c. */
static void reverse_body(mbd_reverse *sweep, int i, const mbd_real T[6]) {
  const body_state *b = &sweep->w->body[i];
  mbd_real TW[6] = {0};
  inertia_reverse_rates(b, T, sweep->w->moving, &sweep->body[i]);
  sv_cross_wrench_add(TW, T, b->W);
  sv_axpy(sweep->body[i].X, -1, TW);
  if (sweep->theta) { inertia_reverse_coefficients(sweep, i, T); }
}

/* -u . f:  by x and xd as in residual_reverse.c. */
static void reverse_force(mbd_reverse *sweep, int i, const mbd_real T[6], const mbd_real at[3]) {
  const mbd_force *force = &sweep->w->model->force[i];
  const int n = force->lift.narg;
  part_side side[2 * ELEMENT_ARG_MAX];
  mbd_arg_state state;
  mbd_element_input in;
  mbd_real u[ELEMENT_ARG_MAX][3], f[ELEMENT_ARG_MAX][3], K[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9],
      D[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  arg_reverse g;
  const int nside = part_moves(sweep->w, &force->lift, T, at, side, u);
  if (nside == 0) { return; }
  force_input(sweep->w, force, &state, &in);
  arg_reverse_zero(n, &g), mbd_blocks_zero(n, K), mbd_blocks_zero(n, D);
  force->ops->f_x(&in, f, K, D);
  /* -u . f by the arguments: -K' u by x, -D' u by xd. */
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) { m3_Tvec_sub(g.x[b], K[a][b], u[a]), m3_Tvec_sub(g.xd[b], D[a][b], u[a]); }
  }
  reverse_arguments(sweep, &force->lift, &g);
  reverse_places(sweep, nside, side, -1, CONST3(f), T);
  /* By the force's own coefficients. */
  if (!sweep->theta || !sweep->theta->force_requests[i]) { return; }
  for (int a = 0; a < n; a++) { v3_scale(u[a], -1, u[a]); }
  params_reverse_force(sweep->theta, sweep->w->p, force, &in, CONST3(u));
}

/* sign u . J' lam */
static void reverse_reaction(mbd_reverse *sweep, const mbd_constraint *c, mbd_real sign, const mbd_real *lam,
                             const mbd_real T[6], const mbd_real at[3], mbd_real *lam_T) {
  const int n = c->lift.narg, i = (int)(c - sweep->w->model->constraint);
  part_side side[2 * ELEMENT_ARG_MAX];
  element_state e;
  mbd_real u[ELEMENT_ARG_MAX][3], f[ELEMENT_ARG_MAX][3], H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  const int nside = part_moves(sweep->w, &c->lift, T, at, side, u);
  if (nside == 0) { return; }
  reaction_at(sweep->w, c, lam + c->row, &e, f);
  /* By lam, in which it is linear. */
  for (int r = 0; r < c->ops->nphi; r++) { lam_T[c->row + r] += sign * element_row_dot(CONST3(e.J[r]), n, CONST3(u)); }
  /* By the places of the forces, and by own coefficients of the constraint. */
  reverse_places(sweep, nside, side, sign, CONST3(f), T);
  for (int a = 0; a < n; a++) { v3_scale(u[a], sign, u[a]); }
  if (sweep->theta && sweep->theta->constraint_requests[i]) {
    params_reverse_reaction(sweep->theta, sweep->w->p, c, &e.in, lam + c->row, CONST3(u));
  }
  /* By the arguments: the second derivatives of Phi, weighted by lam. */
  if (!element_second(c->ops, &e, lam + c->row, H)) { return; }
  arg_reverse g;
  arg_reverse_zero(n, &g);
  element_second_T_times(CONSTH(H), n, CONST3(u), g.x);
  reverse_arguments(sweep, &c->lift, &g);
}

void motion_section_reverse(mbd_reverse *sweep, const motion_section *s, const mbd_real *lam, const mbd_real T[6],
                            mbd_real *lam_T) {
  mbd_work *w = sweep->w;
  const mbd_model *m = w->model;
  const mbd_real *at = w->body[s->body].r;
  const section_rows rows = rows_of(w, s);
  assert(w->stage >= WORK_MOVED && w->moving);
  mark_part(w, s);
  if (s->count < 0) {
    sweep->moving = 1;
    sweep_light(w);
  }
  for (int i = s->body; s->count < 0 && i < m->nb; i++) {
    mbd_real Ti[6], arm[3];
    if (!w->section.beyond[i]) { continue; }
    v3_sub(arm, w->body[i].r, at);
    sv_shift_motion(Ti, T, arm);
    reverse_body(sweep, i, Ti);
  }
  for (int i = 0; s->count < 0 && i < m->nforce; i++) { reverse_force(sweep, i, T, at); }
  for (int i = rows.first; i < rows.end; i++) {
    reverse_reaction(sweep, &m->constraint[i], rows.sign, lam, T, at, lam_T);
  }
}
