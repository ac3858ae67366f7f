/* The residual by recursive inverse dynamics: no mass matrix is formed (S4 (9), S0 (23); theory.md §3 (3.2)). */
#include <assert.h>
#include <string.h>

#include "dynamics/element.h"
#include "dynamics/parts.h"
#include "kinematics/sweep.h"
#include "model/state.h"

/* Subtracts an applied force on one side of an argument from the wrench of its body. */
static inline void apply_side(mbd_work *w, mbd_arg_kind kind, int k, mbd_real sign, const mbd_real f[3]) {
  const mbd_marker *marker = &w->model->marker[k];
  mbd_real g[3], arm[3];
  if (kind == MBD_ARG_ROTATION) {
    v3_axpy(w->F + 6 * k + 3, -sign, f);
    return;
  }
  marker_arm(w, k, arm);
  v3_scale(g, -sign, f);
  marker_wrench_add(w->F + 6 * marker->body, g, arm, marker->is_point);
}

void motion_force(const mbd_work *w, int i, mbd_arg_state *x, mbd_real (*f)[3]) {
  const mbd_force *force = &w->model->force[i];
  mbd_element_input in;
  force_input(w, force, x, &in);
  force->ops->f(&in, f);
}

/* Subtracts sign times the forces f on arguments from the wrenches of the bodies; forces on coordinates are left out. */
void wrenches_apply(mbd_work *w, const mbd_lift *l, mbd_real sign, const mbd_real (*f)[3]) {
  for (int a = 0; a < l->narg; a++) {
    const mbd_arg *arg = &l->arg[a];
    if (arg->kind == MBD_ARG_COORDINATE) { continue; }
    apply_side(w, arg->kind, arg->b, sign, f[a]);
    if (arg->a >= 0) { apply_side(w, arg->kind, arg->a, -sign, f[a]); }
  }
}

static void apply_force(mbd_work *w, int i, mbd_real *r) {
  const mbd_force *force = &w->model->force[i];
  mbd_arg_state x;
  mbd_real now[ELEMENT_ARG_MAX][3], (*f)[3] = w->forces.known ? w->forces.on_args[i] : now;
  if (!w->forces.known) { motion_force(w, i, &x, f); }
  for (int a = 0; r && a < force->lift.narg; a++) {
    if (force->lift.arg[a].kind == MBD_ARG_COORDINATE) { r[force->lift.arg[a].b] -= f[a][0]; }
  }
  wrenches_apply(w, &force->lift, 1, CONST3(f));
}

void wrenches_of_bodies(mbd_work *w, mbd_real *r) {
  const mbd_model *m = w->model;
  assert(w->stage >= WORK_MOVED && w->moving);
  sv_zero(w->F);
  for (int i = 1; i < m->nb; i++) {
    if (m->body[i].light) { /* its inertia is summed with its beam; forces can only be wrenches from outside */
      sv_zero(w->F + 6 * i);
    } else {
      sv_copy(w->F + 6 * i, w->body[i].W);
    }
  }
  beams_residual(w, r);
  for (int i = 0; i < m->nforce; i++) { apply_force(w, i, r); }
  externals_apply(w);
}

/* F_h += F_i towards the ground, r_j = b_j . F_i */
void wrenches_inwards(mbd_work *w, mbd_real *r) {
  const mbd_model *m = w->model;
  for (int i = m->nb - 1; i > 0; i--) {
    const mbd_body *body = &m->body[i];
    const mbd_real *F = w->F + 6 * i;
    if (body->light && !w->swept.light) { continue; }
    for (int k = 0; r && k < body->nz; k++) { r[body->z0 + k] += sv_dot(w->col[body->c0 + k].b, F); }
    mbd_real s[3], *parent = w->F + 6 * body->parent;
    sv_add(parent, F);
    if (w->reference == MBD_RTDYN1) { continue; } /* the origin for both */
    v3_sub(s, w->body[i].r, w->body[body->parent].r);
    v3_cross_add(parent + 3, s, F);
  }
}

void motion_residual(mbd_work *w, mbd_real *r) {
  memset(r, 0, (size_t)w->model->nz * sizeof *r);
  wrenches_of_bodies(w, r);
  wrenches_inwards(w, r);
  rotors_residual(w, r);
}

/* Computes Phi (Psi of velocities) of one constraint, and applies its reactions. */
static void apply_reaction(mbd_work *w, const motion_row *e, const mbd_real *lam, mbd_real *phi, mbd_real *r) {
  const mbd_lift *l = &e->c->lift;
  element_state state;
  mbd_real f[ELEMENT_ARG_MAX][3];
  element_evaluate(w, e->c, e->c->ops->velocity, &state);
  if (e->c->ops->velocity) {
    element_value(e->c->ops, &state, phi + e->first);
  } else {
    e->c->ops->phi(&state.in, phi + e->first);
  }
  element_first(e->c->ops, &state);
  if (!element_reaction(e->c->ops, &state, lam + e->first, f)) { return; }
  for (int a = 0; a < l->narg; a++) {
    if (l->arg[a].kind == MBD_ARG_COORDINATE) { r[l->arg[a].b] += f[a][0]; }
  }
  wrenches_apply(w, l, -1, CONST3(f));
}

void motion_residual_held(mbd_work *w, motion_rows rows, const mbd_real *lam, mbd_real *phi, mbd_real *r) {
  memset(r, 0, (size_t)w->model->nz * sizeof *r);
  wrenches_of_bodies(w, r);
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    apply_reaction(w, &e, lam, phi, r);
  }
  wrenches_inwards(w, r);
  rotors_residual(w, r);
}

/* ---- energy ---- */

mbd_real motion_kinetic(mbd_work *w) {
  assert(w->stage >= WORK_MOVED);
  sweep_light(w);
  mbd_real T = 0;
  for (int i = 1; i < w->model->nb; i++) { T += sv_dot(w->body[i].V, w->body[i].p); }
  for (int i = 0; i < model_nrotor_with_energy(w->model); i++) {
    int j;
    const mbd_real I = motion_rotor(w, i, &j);
    T += I * w->zd[j] * w->zd[j];
  }
  return T / 2;
}

mbd_real motion_potential(mbd_work *w) {
  const mbd_model *m = w->model;
  mbd_real U = 0;
  sweep_light(w);
  for (int i = 1; i < m->nb && m->gravity >= 0; i++) {
    U -= w->body[i].in.m * v3_dot(w->p->theta + m->gravity, w->body[i].g);
  }
  for (int i = 0; i < m->nforce; i++) {
    mbd_arg_state s;
    mbd_element_input in;
    if (!m->force[i].ops->potential) { continue; }
    force_input(w, &m->force[i], &s, &in);
    U += m->force[i].ops->potential(&in);
  }
  return U;
}
