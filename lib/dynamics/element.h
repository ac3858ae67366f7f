/* Evaluation of one constraint at the present state, for the forward and the reverse derivatives of the equations. */
#ifndef MBD_DYNAMICS_ELEMENT_H
#define MBD_DYNAMICS_ELEMENT_H

#include "kinematics/lift.h"

/* Its arguments and first derivatives in them. */
typedef struct element_state {
  mbd_arg_state s;
  mbd_element_input in;
  mbd_real J[MBD_ROW_MAX][MBD_ARG_MAX][3];
} element_state;

static inline void element_evaluate(const mbd_work *w, const mbd_constraint *c, int rates, element_state *q) {
  lift_values(w, &c->lift, rates, &q->s);
  params_constraint_input(w->p, c, w->t, &q->s, &q->in);
}

static inline void element_first(const mbd_constraint *c, element_state *q) {
  for (int r = 0; r < c->ops->nphi; r++) { mbd_args_zero(c->lift.narg, q->J[r]); }
  c->ops->phi_x(&q->in, q->J);
}

/* dJ: change of J along a direction of its own coefficients; returns 0 if J does not change. */
static inline int element_first_own(const mbd_constraint *c, const element_state *q, const mbd_element_direction *d,
                                    mbd_real (*dJ)[MBD_ARG_MAX][3]) {
  if (!c->ops->phi_xc) { return 0; }
  for (int r = 0; r < c->ops->nphi; r++) { mbd_args_zero(c->lift.narg, dJ[r]); }
  c->ops->phi_xc(&q->in, d, dJ);
  return 1;
}

/* H[a][b] = sum_r s_r d2 phi_r/dx_a dx_b; returns 0 if the element is linear. */
static inline int element_second(const mbd_constraint *c, const element_state *q, const mbd_real *s,
                                 mbd_real (*H)[MBD_ARG_MAX][9]) {
  if (!c->ops->phi_xx) { return 0; }
  mbd_blocks_zero(c->lift.narg, H);
  c->ops->phi_xx(&q->in, s, H);
  return 1;
}

static inline int element_second_of_row(const mbd_constraint *c, const element_state *q, int row,
                                        mbd_real (*H)[MBD_ARG_MAX][9]) {
  mbd_real s[MBD_ROW_MAX] = {0};
  s[row] = 1;
  return element_second(c, q, s, H);
}

/* g[a] += sum_r s_r d(xd' phi_xx xd)/dx_a */
static inline void element_third(const mbd_constraint *c, const element_state *q, const mbd_real *s, mbd_real (*g)[3]) {
  if (c->ops->phi_xxx) { c->ops->phi_xxx(&q->in, s, g); }
}

/* sum_a J_a . x_a */
static inline mbd_real element_row_dot(const mbd_real (*J)[3], int narg, const mbd_real (*x)[3]) {
  mbd_real v = 0;
  for (int a = 0; a < narg; a++) { v += v3_dot(J[a], x[a]); }
  return v;
}

/* out[a] = sum_b H[a][b] x[b] */
static inline void element_second_times(const mbd_real (*H)[MBD_ARG_MAX][9], int narg, const mbd_real (*x)[3],
                                        mbd_real (*out)[3]) {
  for (int a = 0; a < narg; a++) {
    v3_set(out[a], 0, 0, 0);
    for (int b = 0; b < narg; b++) { m3_vec_add(out[a], H[a][b], x[b]); }
  }
}

/* f_a = sum_r s_r J_ra; returns 0 when all of s is zero. */
static inline int element_reaction(const mbd_constraint *c, const element_state *q, const mbd_real *s,
                                   mbd_real (*f)[3]) {
  const int n = c->lift.narg;
  int any = 0;
  for (int a = 0; a < n; a++) { v3_scale(f[a], s[0], q->J[0][a]); }
  for (int r = 0; r < c->ops->nphi; r++) {
    any |= mbd_any(s[r] != 0);
    for (int a = 0; r > 0 && a < n; a++) { v3_axpy(f[a], s[r], q->J[r][a]); }
  }
  return any;
}

#endif
