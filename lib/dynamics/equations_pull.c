/* Reverse derivatives of the constraint equations, their rates, and their reactions. */
#include <string.h>

#include "dynamics/element.h"
#include "dynamics/equations.h"

static int any(int n, const mbd_real *s) {
  for (int r = 0; s && r < n; r++) {
    if (s[r] != 0) { return 1; }
  }
  return 0;
}

static int wanted(const mbd_work *w, const params_pull *t, eq_list e, int i) {
  if (!t) { return 0; }
  return e.c == w->model->hold ? t->hold_wants[i] : t->constraint_wants[i];
}

static const mbd_real *rows_of(const mbd_real *s, const mbd_constraint *c) {
  return s ? s + c->row : NULL;
}

/* Phi: J.   Phid = J xd + phi_t: J by xd, H xd by x.   Phidd = J xdd + xd' H xd + phi_tt: J by xdd, 2 H xd by xd,
 * H xdd by x; with H the second derivatives summed over the rows with their weights. */
static void by_arguments(const mbd_constraint *c, element_state *q, const mbd_real *nu, const mbd_real *nud,
                         const mbd_real *nudd, arg_pull *g) {
  const int n = c->lift.narg;
  mbd_real H[MBD_ARG_MAX][MBD_ARG_MAX][9], y[MBD_ARG_MAX][3];
  memset(g, 0, sizeof *g);
  element_first(c, q);
  if (nu) { element_reaction(c, q, nu, g->x); }
  if (nud) {
    element_reaction(c, q, nud, g->xd);
    if (element_second(c, q, nud, H)) {
      element_second_times(CONSTH(H), n, CONST3(q->s.xd), y);
      for (int a = 0; a < n; a++) { v3_add(g->x[a], g->x[a], y[a]); }
    }
  }
  if (!nudd) { return; }
  element_reaction(c, q, nudd, g->xdd);
  if (!element_second(c, q, nudd, H)) { return; }
  element_second_times(CONSTH(H), n, CONST3(q->s.xd), y);
  for (int a = 0; a < n; a++) { v3_axpy(g->xd[a], 2, y[a]); }
  element_second_times(CONSTH(H), n, CONST3(q->s.xdd), y);
  for (int a = 0; a < n; a++) { v3_add(g->x[a], g->x[a], y[a]); }
}

void eq_pull(const mbd_params *p, const mbd_work *w, eq_list e, mbd_real t, const mbd_real *nu, const mbd_real *nud,
             const mbd_real *nudd, mbd_pull *q, params_pull *theta) {
  for (int i = 0; i < e.n; i++) {
    const mbd_constraint *c = &e.c[i];
    const int n = c->ops->nphi, own = wanted(w, theta, e, i);
    const mbd_real *s = rows_of(nu, c), *sd = rows_of(nud, c), *sdd = rows_of(nudd, c);
    element_state at;
    arg_pull g;
    if (!any(n, s) && !any(n, sd) && !any(n, sdd)) { continue; }
    element_evaluate(p, w, c, t, 1, &at);
    if (own) { params_pull_constraint(theta, p, c, &at.in, s, sd, sdd); }
    by_arguments(c, &at, s, sd, sdd, &g);
    pull_arguments(w, &c->lift, &g, q, theta);
  }
}

/* ---- reactions: L = sum_r s_r J_ra . u_a, that is s J on the virtual velocities and H u by x ---- */

static void linearize(const mbd_params *p, const mbd_work *w, const mbd_constraint *c, mbd_real t, const mbd_real *s,
                      element_state *at, reaction_linear *q) {
  q->nH = 0;
  q->any = any(c->ops->nphi, s);
  if (!q->any) { return; }
  element_evaluate(p, w, c, t, 0, at);
  element_first(c, at);
  element_reaction(c, at, s, q->f);
  if (element_second(c, at, s, q->H)) { q->nH = lift_blocks(c->lift.narg, CONSTH(q->H), q->H_at); }
}

static void pull_linear(const mbd_work *w, const mbd_lift *l, const reaction_linear *r, int mu, mbd_pull *q,
                        params_pull *theta) {
  mbd_real u[MBD_ARG_MAX][3];
  arg_pull g;
  if (!r->any) { return; }
  g.field = mu;
  mbd_args_zero(l->narg, g.x), mbd_args_zero(l->narg, g.xd), mbd_args_zero(l->narg, g.xdd);
  memcpy(g.u, r->f, (size_t)l->narg * sizeof g.u[0]);
  if (r->nH) { pull_virtual_arguments(w, q, mu, l, u); }
  for (int k = 0; k < r->nH; k++) { m3_vec_add(g.x[r->H_at[k].a], r->H[r->H_at[k].a][r->H_at[k].b], u[r->H_at[k].b]); }
  pull_arguments(w, l, &g, q, theta);
}

void eq_linearize_reactions(const mbd_params *p, const mbd_work *w, eq_list e, mbd_real t, const mbd_real *s,
                            reaction_linear *list) {
  for (int i = 0; i < e.n; i++) {
    element_state at;
    linearize(p, w, &e.c[i], t, s + e.c[i].row, &at, &list[i]);
  }
}

void eq_pull_linear(const mbd_work *w, eq_list e, const reaction_linear *list, int mu, mbd_pull *q,
                    params_pull *theta) {
  for (int i = 0; i < e.n; i++) { pull_linear(w, &e.c[i].lift, &list[i], mu, q, theta); }
}

void eq_pull_reaction(const mbd_params *p, const mbd_work *w, eq_list e, mbd_real t, const mbd_real *s, int mu,
                      mbd_pull *q, params_pull *theta) {
  for (int i = 0; i < e.n; i++) {
    const mbd_constraint *c = &e.c[i];
    reaction_linear r;
    element_state at;
    linearize(p, w, c, t, s + c->row, &at, &r);
    pull_linear(w, &c->lift, &r, mu, q, theta);
  }
}
