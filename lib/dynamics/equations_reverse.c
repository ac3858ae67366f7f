/* Reverse derivatives of the constraint equations, their rates, and their reactions. Equations: theory.md §3 (3.5), theory.md §4 (4.2). */
#include <string.h>

#include "dynamics/element.h"
#include "dynamics/parts.h"

static int any(int n, const mbd_real *s) {
  for (int r = 0; s && r < n; r++) {
    if (mbd_any(s[r] != 0)) { return 1; }
  }
  return 0;
}

/* Returns 1 if derivatives by coefficients of the element are wanted. */
static int own_requested(const params_reverse *t, const motion_rows *rows, int i) {
  const int nc = rows->m->nconstraint;
  return t && (i < nc ? t->constraint_requests[i] : t->hold_requests[i - nc]);
}

static const mbd_real *from(const mbd_real *s, int first) {
  return s ? s + first : NULL;
}

/* Returns 1 if the row is a linear function of coordinates with constant slopes. */
static int is_constant(const mbd_constraint *c) {
  for (int a = 0; a < c->lift.narg; a++) {
    if (c->lift.arg[a].kind != MBD_ARG_COORDINATE) { return 0; }
  }
  return !c->ops->phi_xx && !c->ops->phi_xc;
}

int motion_rows_constant(const mbd_model *m) {
  for (int i = 0; i < m->nconstraint; i++) {
    if (!is_constant(&m->constraint[i])) { return 0; }
  }
  return 1;
}

static void reverse_row(mbd_reverse *sweep, const motion_rows *rows, int i, unsigned parts, const mbd_real *nu,
                        const mbd_real *nud, const mbd_real *nudd) {
  const motion_row e = rows_element(rows, i);
  const int n = e.c->ops->nphi, own = parts & MOTION_OWN && own_requested(sweep->theta, rows, i);
  const mbd_real *s = from(nu, e.first), *sd = from(nud, e.first), *sdd = from(nudd, e.first);
  element_state at;
  arg_reverse g;
  if (!own && !(parts & MOTION_MOVED)) { return; }
  if (!any(n, s) && !any(n, sd) && !any(n, sdd)) { return; }
  element_evaluate(sweep->w, e.c, sd || sdd, &at); /* at the start there may be no rates yet */
  if (own) { params_reverse_constraint(sweep->theta, sweep->w->p, e.c, &at.in, s, sd, sdd); }
  if (!(parts & MOTION_MOVED)) { return; }
  arg_reverse_zero(e.c->lift.narg, &g);
  element_rows_reverse(e.c->ops, &at, s, sd, sdd, g.x, g.xd, g.xdd);
  reverse_arguments(sweep, &e.c->lift, &g);
}

void motion_reverse_rows_part(mbd_reverse *sweep, motion_rows rows, unsigned parts, const mbd_real *nu,
                              const mbd_real *nud, const mbd_real *nudd) {
  for (int i = 0; i < rows_elements(&rows); i++) { reverse_row(sweep, &rows, i, parts, nu, nud, nudd); }
}

void motion_reverse_rows(mbd_reverse *sweep, motion_rows rows, const mbd_real *nu, const mbd_real *nud,
                         const mbd_real *nudd) {
  motion_reverse_rows_part(sweep, rows, MOTION_OWN | MOTION_MOVED, nu, nud, nudd);
}

/* ---- reactions: L = sum_r s_r J_ra . u_a, that is s J on the virtual velocities and H' u by x ---- */

static void linearize(const mbd_work *w, const mbd_constraint *c, const mbd_real *lam, reaction_linear *reaction) {
  element_state at;
  reaction->nK = 0;
  reaction->any = any(c->ops->nphi, lam);
  if (!reaction->any) { return; }
  element_evaluate(w, c, 0, &at);
  element_first(c->ops, &at);
  memcpy(reaction->lam, lam, (size_t)c->ops->nphi * sizeof *lam);
  element_reaction(c->ops, &at, lam, reaction->f);
  if (element_second(c->ops, &at, lam, reaction->K)) {
    reaction->nK = lift_blocks(c->lift.narg, CONSTH(reaction->K), reaction->K_at);
  }
}

/* Adds the derivatives by its own coefficients: sum_r s_r dJ_ra . u_a. */
static void reverse_own(mbd_reverse *sweep, const mbd_constraint *c, const reaction_linear *r, const mbd_real (*u)[3]) {
  mbd_arg_state s;
  mbd_element_input in;
  lift_values(sweep->w, &c->lift, 0, &s);
  params_constraint_input(sweep->w->p, c, sweep->w->t, &s, &in);
  params_reverse_reaction(sweep->theta, sweep->w->p, c, &in, r->lam, u);
}

/* wanted: derivatives by own coefficients are wanted. */
static void reverse_linear(mbd_reverse *sweep, const mbd_constraint *c, int requested, const reaction_linear *r,
                           int mu) {
  const mbd_lift *l = &c->lift;
  const int own = requested && c->ops->phi_xc;
  mbd_real u[ELEMENT_ARG_MAX][3];
  arg_reverse g;
  if (!r->any) { return; }
  g.field = mu;
  mbd_args_zero(l->narg, g.x), mbd_args_zero(l->narg, g.xd), mbd_args_zero(l->narg, g.xdd);
  memcpy(g.u, r->f, (size_t)l->narg * sizeof g.u[0]);
  if (r->nK || own) { reverse_virtual_arguments(sweep, mu, l, u); }
  if (own) { reverse_own(sweep, c, r, CONST3(u)); }
  for (int k = 0; k < r->nK; k++) { m3_Tvec_add(g.x[r->K_at[k].b], r->K[r->K_at[k].a][r->K_at[k].b], u[r->K_at[k].a]); }
  reverse_arguments(sweep, l, &g);
}

void reactions_linearize(const mbd_work *w, motion_rows rows, const mbd_real *lam, reaction_linear *list) {
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    linearize(w, e.c, from(lam, e.first), &list[i]);
  }
}

void reactions_reverse(mbd_reverse *sweep, motion_rows rows, const reaction_linear *list, int mu) {
  for (int i = 0; i < rows_elements(&rows); i++) {
    reverse_linear(sweep, rows_element(&rows, i).c, own_requested(sweep->theta, &rows, i), &list[i], mu);
  }
}

void reactions_reverse_once(mbd_reverse *sweep, motion_rows rows, const mbd_real *lam, int mu) {
  for (int i = 0; i < rows_elements(&rows); i++) {
    const motion_row e = rows_element(&rows, i);
    mbd_real f[CONSTRAINT_ARG_MAX][3], K[CONSTRAINT_ARG_MAX][ELEMENT_ARG_MAX][9];
    lift_block at[CONSTRAINT_ARG_MAX * CONSTRAINT_ARG_MAX];
    reaction_linear r = {.f = f, .K = K, .K_at = at};
    linearize(sweep->w, e.c, lam + e.first, &r);
    reverse_linear(sweep, e.c, own_requested(sweep->theta, &rows, i), &r, mu);
  }
}
