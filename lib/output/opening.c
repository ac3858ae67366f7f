/* The opening |Phi| over all constraints of positions and drives, theory.md §5.6 (6.50). With u = Phi/|Phi|
 *   |Phi|' = u . (Phi_z z' + Phi_theta theta')
 * Where the constraints hold but for rounding |Phi| is zero, and its derivative is taken as zero, which is that of |Phi|^2. */
#include "output/opening.h"

#include "dynamics/element.h"
#include "dynamics/parts.h"

static const double held = 1e-12;

/* Phi of one constraint at the motion of the work, with its arguments and slopes. Returns 0 for those of velocities. */
static int evaluate(const output_at *at, int i, element_state *state, mbd_real phi[MBD_ROW_MAX]) {
  const mbd_constraint *c = &at->m->constraint[i];
  if (c->ops->velocity) { return 0; }
  element_evaluate(at->w, c, 0, state);
  c->ops->phi(&state->in, phi);
  return 1;
}

mbd_real opening_value(const output_at *at) {
  mbd_real square = 0;
  for (int i = 0; i < at->m->nconstraint; i++) {
    element_state state;
    mbd_real phi[MBD_ROW_MAX];
    if (!evaluate(at, i, &state, phi)) { continue; }
    for (int r = 0; r < at->m->constraint[i].ops->nphi; r++) { square += phi[r] * phi[r]; }
  }
  return mbd_select(mbd_re(square) > held * held, mbd_sqrt(square), 0);
}

/* 1/|Phi|; 0 where the constraints hold */
static mbd_real inverse(const output_at *at) {
  const mbd_real opening = opening_value(at);
  return mbd_select(mbd_re(opening) > 0, 1 / opening, 0);
}

void opening_rows(const output_at *at, const output_row *g) {
  const mbd_real scale = inverse(at);
  for (int i = 0; i < at->m->nconstraint; i++) {
    const mbd_constraint *c = &at->m->constraint[i];
    const mbd_lift *l = &c->lift;
    element_state state;
    mbd_real phi[MBD_ROW_MAX], f[ELEMENT_ARG_MAX][3];
    if (!evaluate(at, i, &state, phi)) { continue; }
    element_first(c->ops, &state);
    element_reaction(c->ops, &state, phi, f);
    lift_columns(at->w, l);
    for (int a = 0; a < l->narg; a++) {
      for (int k = 0; k < l->ncol; k++) {
        g->z[l->col[k]] += scale * v3_dot(f[a], at->w->element.dx + lift_at(l, a, k));
      }
    }
  }
}

mbd_real opening_direction(const output_at *at) {
  const mbd_variation *v = &at->w->variation.last;
  const mbd_real scale = inverse(at);
  mbd_real sum = 0;
  for (int i = 0; i < at->m->nconstraint; i++) {
    const mbd_constraint *c = &at->m->constraint[i];
    element_state state;
    mbd_arg_state ds;
    mbd_real phi[MBD_ROW_MAX], f[ELEMENT_ARG_MAX][3];
    const int moved = vary_arguments(at->w, &c->lift, 0, &ds), own = constraint_moves(at->w, i);
    if ((!moved && !own) || !evaluate(at, i, &state, phi)) { continue; }
    element_first(c->ops, &state);
    element_reaction(c->ops, &state, phi, f);
    for (int a = 0; moved && a < c->lift.narg; a++) { sum += v3_dot(f[a], ds.x[a]); }
    if (!own || !c->ops->phi_c) { continue; }
    const mbd_element_direction e = params_direction(v->d, c->coef, c->prepared, v->stretch * at->w->t);
    mbd_real dphi[3][MBD_ROW_MAX] = {{0}};
    c->ops->phi_c(&state.in, &e, dphi[0], dphi[1], dphi[2]);
    for (int r = 0; r < c->ops->nphi; r++) { sum += phi[r] * dphi[0][r]; }
  }
  return scale * sum;
}

void opening_reverse(const output_at *at, mbd_real s, const output_back *to) {
  const mbd_real scale = s * inverse(at);
  for (int i = 0; i < at->m->nconstraint; i++) {
    const mbd_constraint *c = &at->m->constraint[i];
    element_state state;
    arg_reverse reverse;
    mbd_real phi[MBD_ROW_MAX];
    if (!evaluate(at, i, &state, phi)) { continue; }
    for (int r = 0; r < c->ops->nphi; r++) { phi[r] *= scale; }
    element_first(c->ops, &state);
    arg_reverse_zero(c->lift.narg, &reverse);
    element_reaction(c->ops, &state, phi, reverse.x);
    reverse_arguments(to->sweep, &c->lift, &reverse);
    if (to->sweep->theta && to->sweep->theta->constraint_requests[i]) {
      params_reverse_constraint(to->sweep->theta, at->w->p, c, &state.in, phi, NULL, NULL);
    }
  }
}
