/* Reverse derivatives of outputs: s dy added to a reverse sweep. */
#include <string.h>

#include "output/output.h"

static void scaled(int n, mbd_real s, const mbd_real (*g)[3], mbd_real (*out)[3]) {
  for (int a = 0; a < n; a++) { v3_scale(out[a], s, g[a]); }
}

static void argument(const mbd_work *w, const output *o, mbd_real s, mbd_pull *q, params_pull *theta) {
  mbd_arg_state a;
  output_gradient y = {0};
  arg_pull g = {0};
  lift_values(w, &o->lift, 1, &a);
  o->eval(o, &a, &y);
  scaled(o->lift.narg, s, CONST3(y.x), g.x);
  scaled(o->lift.narg, s, CONST3(y.xd), g.xd);
  scaled(o->lift.narg, s, CONST3(y.xdd), g.xdd);
  pull_arguments(w, &o->lift, &g, q, theta);
}

static void force(const mbd_params *p, const mbd_work *w, const output *o, mbd_real t, mbd_real s, mbd_pull *q,
                  params_pull *theta) {
  const mbd_force *f = &w->model->force[o->force];
  const int n = f->lift.narg;
  output_force y;
  arg_pull g = {0};
  output_force_evaluate(p, w, o, t, &y);
  scaled(n, s, CONST3(y.g_x), g.x);
  scaled(n, s, CONST3(y.g_xd), g.xd);
  pull_arguments(w, &f->lift, &g, q, theta);
  if (!theta->force_wants[o->force]) { return; }
  if (o->kind == OUTPUT_POWER) {
    mbd_real xd[MBD_ARG_MAX][3];
    scaled(n, s, CONST3(y.s.xd), xd);
    params_pull_force(theta, p, f, &y.in, CONST3(xd));
  } else {
    params_pull_force_scalar(theta, p, f, o->scalar, &y.in, s);
  }
}

/* dT = sum_i p_i . c_i + 1/2 V_i . dI_i V_i */
static void kinetic(const mbd_params *p, const mbd_work *w, mbd_real s, mbd_pull *q, params_pull *theta) {
  q->moving = 1;
  for (int i = 1; i < w->model->nb; i++) {
    const body_state *b = &w->body[i];
    sv_axpy(q->body[i].C, s, b->p);
    if (theta->body_wanted[i]) { dyn_pull_inertia(p, w, i, b->V, b->V, s / 2, theta); }
  }
}

/* dU = -sum_i [ (dm g + m dg) . r_G + m g . dr_G ] */
static void weights(const mbd_params *p, const mbd_work *w, mbd_real s, mbd_pull *q, params_pull *theta) {
  const mbd_model *m = w->model;
  for (int i = 1; i < m->nb && m->gravity >= 0; i++) {
    const body_state *b = &w->body[i];
    const mbd_real *gravity = p->theta + m->gravity;
    mbd_real f[3], arm[3], local[3], *X = q->body[i].X;
    v3_scale(f, -s * b->in.m, gravity);
    v3_sub(arm, b->g, b->r);
    v3_add(X, X, f);
    v3_cross_add(X + 3, arm, f);
    v3_axpy(theta->theta + m->gravity, -s * b->in.m, b->g);
    theta->theta[m->body[i].mass] -= s * v3_dot(gravity, b->g);
    m3_Tvec(local, b->A, f);
    v3_add(theta->theta + m->body[i].com, theta->theta + m->body[i].com, local);
  }
}

/* dU of springs: minus their forces at rest on the arguments */
static void springs(const mbd_params *p, const mbd_work *w, mbd_real t, mbd_real s, mbd_pull *q, params_pull *theta) {
  const mbd_model *m = w->model;
  for (int i = 0; i < m->nforce; i++) {
    const mbd_force *f = &m->force[i];
    mbd_arg_state at;
    mbd_element_input in;
    mbd_real out[MBD_ARG_MAX][3];
    arg_pull g = {0};
    if (!f->ops->potential) { continue; }
    lift_values(w, &f->lift, 1, &at);
    memset(at.xd, 0, sizeof at.xd);
    params_force_input(p, f, t, &at, &in);
    f->ops->f(&in, out);
    scaled(f->lift.narg, -s, CONST3(out), g.x);
    pull_arguments(w, &f->lift, &g, q, theta);
    if (theta->force_wants[i]) { params_pull_potential(theta, p, f, &in, s); }
  }
}

void output_pull(const mbd_params *p, const mbd_work *w, const output *o, const output_state *at, mbd_real s,
                 mbd_pull *q, params_pull *theta, mbd_real *lam) {
  switch (o->kind) {
    case OUTPUT_ARGUMENT: argument(w, o, s, q, theta); break;
    case OUTPUT_POWER:
    case OUTPUT_FORCE: force(p, w, o, at->t, s, q, theta); break;
    case OUTPUT_TOTAL:
    case OUTPUT_KINETIC: kinetic(p, w, s, q, theta); break;
    case OUTPUT_POTENTIAL: break;
    case OUTPUT_MULTIPLIER: lam[o->row] += s; break;
    case OUTPUT_REACTION: {
      const mbd_real norm = output_reaction_norm(o, at);
      for (int r = 0; r < o->nrow && mbd_re(norm) > 0; r++) { lam[o->row + r] += s * at->lam[o->row + r] / norm; }
      break;
    }
  }
  if (o->kind == OUTPUT_POTENTIAL || o->kind == OUTPUT_TOTAL) {
    weights(p, w, s, q, theta);
    springs(p, w, at->t, s, q, theta);
  }
}
