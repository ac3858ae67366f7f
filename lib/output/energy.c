/* Energies of the whole mechanism, as functions of its bodies' motion V, their masses m and inertias I, places of centres of
 * mass r_G, gravity g, and the potential energies of its springs.
 * The energy of rotors is that of theory.md §3. */
#include <string.h>

#include "kinematics/sweep.h"
#include "model/state.h"
#include "output/output.h"
#include "output/sums.h"

static const char *name(const mbd_model *m, int i) {
  (void)m;
  return i == 0 ? "energy" : NULL;
}

/* ---- kinetic, T = sum_i 1/2 V_i . I_i V_i + rotors, 1/2 I zd_j^2;  dT = sum_i p_i . c_i + 1/2 V_i . dI_i V_i,  p = I V ---- */

static mbd_real kinetic(const output_at *at) {
  return motion_kinetic(at->w);
}

static void kinetic_rows(const output_at *at, const output_row *g) {
  sweep_light(at->w);
  for (int i = 1; i < at->m->nb; i++) { sv_copy(at->w->F + 6 * i, at->w->body[i].p); }
  sum_wrenches(at->w, SUM_VELOCITY, g);
  for (int i = 0; i < model_nrotor_with_energy(at->m); i++) {
    int j;
    const mbd_real I = motion_rotor(at->w, i, &j);
    g->zd[j] += I * at->w->zd[j];
  }
}

/* 1/2 V . dI V of body i, from dm, the change dc of its centre of mass and dJ about it:
 *   1/2 [ dm |v_G|^2 + w . A dJ A' w ] + m v_G . (w x dc) */
static mbd_real inertia_direction(const output_at *at, const mbd_dparams *d, int i) {
  const mbd_body *body = &at->m->body[i];
  const body_state *b = &at->w->body[i];
  const mbd_real *J = d->dtheta + body->inertia;
  mbd_real arm[3], vG[3], wl[3], dc[3], wdc[3];
  v3_sub(arm, b->g, b->r);
  v3_copy(vG, b->V);
  v3_cross_add(vG, b->V + 3, arm);
  m3_Tvec(wl, b->A, b->V + 3);
  m3_vec(dc, b->A, d->dtheta + body->com);
  v3_cross(wdc, b->V + 3, dc);
  return d->dtheta[body->mass] * v3_dot(vG, vG) / 2 + at->w->p->theta[body->mass] * v3_dot(vG, wdc) +
         (J[0] * wl[0] * wl[0] + J[1] * wl[1] * wl[1] + J[2] * wl[2] * wl[2]) / 2 + J[3] * wl[0] * wl[1] +
         J[4] * wl[0] * wl[2] + J[5] * wl[1] * wl[2];
}

static mbd_real kinetic_direction(const output_at *at) {
  const body_variation *v = at->w->variation.last.body;
  const mbd_dparams *d = at->w->variation.last.d;
  mbd_real dT = 0;
  for (int i = 1; i < at->m->nb; i++) {
    if (v[i].active) { dT += sv_dot(v[i].c, at->w->body[i].p); }
    if (d && d->body_active[i]) { dT += inertia_direction(at, d, i); }
  }
  for (int i = 0; i < model_nrotor_with_energy(at->m); i++) {
    int j;
    const mbd_real I = motion_rotor(at->w, i, &j), zd = at->w->zd[j], *dzd = at->w->variation.last.dzd;
    dT += motion_rotor_direction(at->w, i) * zd * zd / 2 + (dzd ? I * zd * dzd[j] : 0);
  }
  return dT;
}

static void kinetic_reverse(const output_at *at, mbd_real s, const output_back *to) {
  to->sweep->moving = 1;
  sweep_light(at->w);
  for (int i = 1; i < at->m->nb; i++) {
    const body_state *b = &at->w->body[i];
    sv_axpy(to->sweep->body[i].C, s, b->p);
    if (to->sweep->theta->body_requested[i]) { motion_reverse_inertia(to->sweep, i, b->V, b->V, s / 2); }
  }
  for (int i = 0; i < model_nrotor_with_energy(at->m); i++) {
    int j;
    const mbd_real I = motion_rotor(at->w, i, &j), zd = at->w->zd[j];
    to->sweep->zd[j] += s * I * zd;
    motion_reverse_rotor(to->sweep, i, s * zd * zd / 2);
  }
}

/* ---- potential, U = -sum_i m_i g . r_Gi + springs;
 *      dU = -sum_i [ (dm g + m dg) . r_G + m g . dr_G ] + springs: minus their forces at rest on the arguments ---- */

static mbd_status has_potential(const output *o, const mbd_model *m, const char *name, mbd_error *err) {
  (void)o;
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    if (f->ops->potential && f->curve[0] >= 0) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "output '%s': force '%s' has a curve, whose potential energy is not available",
               name, f->name);
    }
  }
  return MBD_OK;
}

static mbd_real potential(const output_at *at) {
  return motion_potential(at->w);
}

/* A spring at the position of its arguments, with zero rates and without its curves: one of the length is refused above, and that of the speed,
 * whose force at rest need not be zero, has no potential. */
typedef struct resting {
  mbd_arg_state s;
  mbd_element_input in;
  mbd_real f[ELEMENT_ARG_MAX][3];
} resting;

static void evaluate_at_rest(const output_at *at, const mbd_force *f, resting *stored) {
  lift_values(at->w, &f->lift, 1, &stored->s);
  memset(stored->s.xd, 0, sizeof stored->s.xd);
  params_force_input(at->w->p, f, at->w->t, at->w->turns, &stored->s, &stored->in);
  for (int k = 0; k < MBD_CURVE_MAX; k++) { stored->in.curve[k] = NULL; }
  f->ops->f(&stored->in, stored->f);
}

static void potential_rows(const output_at *at, const output_row *g) {
  const mbd_model *m = at->m;
  mbd_work *w = at->w;
  sweep_light(w);
  for (int i = 1; i < m->nb && m->gravity >= 0; i++) { /* -m g at the centre of mass */
    const body_state *b = &w->body[i];
    mbd_real *F = w->F + 6 * i, arm[3];
    v3_scale(F, -b->in.m, at->w->p->theta + m->gravity);
    v3_sub(arm, b->g, b->r);
    v3_cross(F + 3, arm, F);
  }
  if (m->gravity >= 0) { sum_wrenches(w, SUM_PLACE, g); }
  for (int i = 0; i < m->nforce; i++) {
    const mbd_lift *l = &m->force[i].lift;
    resting q;
    if (!m->force[i].ops->potential) { continue; }
    evaluate_at_rest(at, &m->force[i], &q);
    lift_columns(w, l);
    for (int a = 0; a < l->narg; a++) {
      for (int c = 0; c < l->ncol; c++) { g->z[l->col[c]] -= v3_dot(q.f[a], w->element.dx + lift_at(l, a, c)); }
    }
  }
}

static mbd_real weight_direction(const output_at *at, int i) {
  const mbd_body *body = &at->m->body[i];
  const body_state *b = &at->w->body[i];
  const body_variation *v = &at->w->variation.last.body[i];
  const mbd_dparams *d = at->w->variation.last.d;
  const mbd_real *gravity = at->w->p->theta + at->m->gravity;
  mbd_real dU = 0, dg[3] = {0, 0, 0}, arm[3];
  if (d) {
    m3_vec(dg, b->A, d->dtheta + body->com);
    dU -= d->dtheta[body->mass] * v3_dot(gravity, b->g) + b->in.m * v3_dot(d->dtheta + at->m->gravity, b->g);
  }
  if (v->active) {
    v3_sub(arm, b->g, b->r);
    v3_add(dg, dg, v->x);
    v3_cross_add(dg, v->x + 3, arm);
  }
  return dU - b->in.m * v3_dot(gravity, dg);
}

static mbd_real potential_direction(const output_at *at) {
  const mbd_model *m = at->m;
  mbd_real dU = 0;
  /* dU of the weights. */
  for (int i = 1; i < m->nb && m->gravity >= 0; i++) { dU += weight_direction(at, i); }
  /* dU of the springs: by their coefficients, and -f . dx by their arguments. */
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    mbd_arg_state ds;
    mbd_real work = 0;
    resting q;
    if (!f->ops->potential) { continue; }
    const int moved = vary_arguments(at->w, &f->lift, 0, &ds);
    const int by_coefs = motion_force_moves(at->w, i);
    if (!moved && !by_coefs) { continue; }
    evaluate_at_rest(at, f, &q);
    if (by_coefs) {
      const mbd_element_direction e = motion_force_along(at->w, i);
      dU += f->ops->potential_c(&q.in, &e);
    }
    for (int a = 0; moved && a < f->lift.narg; a++) { work += v3_dot(q.f[a], ds.x[a]); }
    dU -= work;
  }
  return dU;
}

static void weight_reverse(const output_at *at, int i, mbd_real s, const output_back *to) {
  const mbd_body *body = &at->m->body[i];
  const body_state *b = &at->w->body[i];
  const mbd_real *gravity = at->w->p->theta + at->m->gravity;
  mbd_real f[3], arm[3], local[3], *X = to->sweep->body[i].X, *theta = to->sweep->theta->theta;
  v3_scale(f, -s * b->in.m, gravity);
  v3_sub(arm, b->g, b->r);
  v3_add(X, X, f);
  v3_cross_add(X + 3, arm, f);
  v3_axpy(theta + at->m->gravity, -s * b->in.m, b->g);
  theta[body->mass] -= s * v3_dot(gravity, b->g);
  m3_Tvec(local, b->A, f);
  v3_add(theta + body->com, theta + body->com, local);
}

static void potential_reverse(const output_at *at, mbd_real s, const output_back *to) {
  const mbd_model *m = at->m;
  sweep_light(at->w);
  for (int i = 1; i < m->nb && m->gravity >= 0; i++) { weight_reverse(at, i, s, to); }
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    arg_reverse reverse;
    resting q;
    if (!f->ops->potential) { continue; }
    arg_reverse_zero(f->lift.narg, &reverse);
    evaluate_at_rest(at, f, &q);
    for (int a = 0; a < f->lift.narg; a++) { v3_scale(reverse.x[a], -s, q.f[a]); }
    reverse_arguments(to->sweep, &f->lift, &reverse);
    if (to->sweep->theta->force_requests[i]) { params_reverse_potential(to->sweep->theta, at->w->p, f, &q.in, s); }
  }
}

/* ---- both ---- */

static mbd_real total(const output_at *at) {
  return kinetic(at) + potential(at);
}

static void total_rows(const output_at *at, const output_row *g) {
  kinetic_rows(at, g), potential_rows(at, g);
}

static mbd_real total_direction(const output_at *at) {
  return kinetic_direction(at) + potential_direction(at);
}

static void total_reverse(const output_at *at, mbd_real s, const output_back *to) {
  kinetic_reverse(at, s, to), potential_reverse(at, s, to);
}

#define ENERGY(WORD, DOC, CHECK)                                                                    \
  {                                                                                                 \
    .quantity = #WORD, .unit = "J", .doc = DOC, .check = CHECK, .value = WORD, .rows = WORD##_rows, \
    .direction = WORD##_direction, .reverse = WORD##_reverse                                        \
  }

static const output_ops rows[] = {ENERGY(kinetic, "kinetic energy of the whole mechanism", NULL),
                                  ENERGY(potential, "potential energy of weights and springs", has_potential),
                                  ENERGY(total, "the sum of both", has_potential),
                                  {0}};

const output_object output_energies = {.word = "energy", .noun = "mechanism", .row = rows, .name = name};
