/* Evaluation of one constraint in its arguments, for the forward and the reverse derivatives of the equations: in joint coordinates, and in
 * natural ones (lib/natural), which differ by how arguments follow from coordinates. */
#ifndef MBD_DYNAMICS_ELEMENT_H
#define MBD_DYNAMICS_ELEMENT_H

#include "kinematics/lift.h"

/* Its arguments and first derivatives in them. */
typedef struct element_state {
  mbd_arg_state s;
  mbd_element_input in;
  mbd_real J[MBD_ROW_MAX][CONSTRAINT_ARG_MAX][3];
} element_state;

static inline void element_evaluate(const mbd_work *w, const mbd_constraint *c, int rates, element_state *state) {
  lift_values(w, &c->lift, rates, &state->s);
  params_constraint_input(w->p, c, w->t, &state->s, &state->in);
}

static inline void element_first(const mbd_constraint_ops *ops, element_state *state) {
  for (int r = 0; r < ops->nphi; r++) { mbd_args_zero(ops->narg, state->J[r]); }
  ops->phi_x(&state->in, state->J);
}

/* dJ: change of J along a direction of its own coefficients; returns 0 if J does not change. */
static inline int element_first_own(const mbd_constraint_ops *ops, const element_state *state,
                                    const mbd_element_direction *d, mbd_real (*dJ)[CONSTRAINT_ARG_MAX][3]) {
  if (!ops->phi_xc) { return 0; }
  for (int r = 0; r < ops->nphi; r++) { mbd_args_zero(ops->narg, dJ[r]); }
  ops->phi_xc(&state->in, d, dJ);
  return 1;
}

/* H[a][b] = sum_r s_r d2 phi_r/dx_a dx_b; returns 0 if the element is linear. */
static inline int element_second(const mbd_constraint_ops *ops, const element_state *state, const mbd_real *s,
                                 mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  if (!ops->phi_xx) { return 0; }
  mbd_blocks_zero(ops->narg, H);
  ops->phi_xx(&state->in, s, H);
  return 1;
}

static inline int element_second_of_row(const mbd_constraint_ops *ops, const element_state *state, int row,
                                        mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  mbd_real s[MBD_ROW_MAX] = {0};
  s[row] = 1;
  return element_second(ops, state, s, H);
}

/* g[a] += sum_r s_r d(xd' phi_xx xd)/dx_a */
static inline void element_third(const mbd_constraint_ops *ops, const element_state *state, const mbd_real *s,
                                 mbd_real (*g)[3]) {
  if (ops->phi_xxx) { ops->phi_xxx(&state->in, s, g); }
}

/* sum_a J_a . x_a */
static inline mbd_real element_row_dot(const mbd_real (*J)[3], int narg, const mbd_real (*x)[3]) {
  mbd_real v = 0;
  for (int a = 0; a < narg; a++) { v += v3_dot(J[a], x[a]); }
  return v;
}

/* out[a] = sum_b H[a][b] x[b] */
static inline void element_second_times(const mbd_real (*H)[ELEMENT_ARG_MAX][9], int narg, const mbd_real (*x)[3],
                                        mbd_real (*out)[3]) {
  for (int a = 0; a < narg; a++) {
    v3_set(out[a], 0, 0, 0);
    for (int b = 0; b < narg; b++) { m3_vec_add(out[a], H[a][b], x[b]); }
  }
}

/* f_a = sum_r s_r J_ra; returns 0 when all of s is zero. */
static inline int element_reaction(const mbd_constraint_ops *ops, const element_state *state, const mbd_real *s,
                                   mbd_real (*f)[3]) {
  const int n = ops->narg;
  int any = 0;
  for (int a = 0; a < n; a++) { v3_scale(f[a], s[0], state->J[0][a]); }
  for (int r = 0; r < ops->nphi; r++) {
    any |= mbd_any(s[r] != 0);
    for (int a = 0; r > 0 && a < n; a++) { v3_axpy(f[a], s[r], state->J[r][a]); }
  }
  return any;
}

/* out[a] = sum_b H[b][a]' x[b] */
static inline void element_second_T_times(const mbd_real (*H)[ELEMENT_ARG_MAX][9], int narg, const mbd_real (*x)[3],
                                          mbd_real (*out)[3]) {
  for (int a = 0; a < narg; a++) {
    v3_set(out[a], 0, 0, 0);
    for (int b = 0; b < narg; b++) { m3_Tvec_add(out[a], H[b][a], x[b]); }
  }
}

/* Psi of a velocity constraint; with its rates. Leaves J. */
void element_value(const mbd_constraint_ops *ops, element_state *state, mbd_real *phi);

/* Derivatives of the rates of row r by the arguments, but for what moves with J: g of Phid by x, gd of Phidd by x, g2 of Phidd by xd,
 *   g = H' xd,   gd = H' xdd + d(xd' H xd)/dx,   g2 = (H + H') xd
 * with H its second derivatives in the arguments. */
void element_row_rate(const mbd_constraint_ops *ops, const element_state *state, int r, mbd_real (*g)[3],
                      mbd_real (*gd)[3], mbd_real (*g2)[3]);

/* phi_t [nphi] and phi_tt [nphi] */
void element_explicit_time(const mbd_constraint_ops *ops, const element_state *state, mbd_real *phi_t,
                           mbd_real *phi_tt);

/* phidd [nphi] := J xdd + xd' H xd + phi_tt */
void element_phidd(const mbd_constraint_ops *ops, element_state *state, mbd_real *phidd);

/* d[r]: the derivatives of Phi, Phid, Phidd of the rows (those of velocities have no Phi: zero). Adds those along the changes ds of the arguments to d of row r; sets those along a
 * direction of the element's own coefficients. */
void element_row_moved(const mbd_constraint_ops *ops, const element_state *state, const mbd_arg_state *ds, int r,
                       mbd_real d[3]);
void element_rows_own(const mbd_constraint_ops *ops, const element_state *state, const mbd_element_direction *own,
                      mbd_real (*d)[3]);

/* The reaction f = J' lam on the arguments, and its change df along ds and a direction of own coefficients; NULL: held. Returns 0 if all of
 * lam is zero. */
int element_reaction_moved(const mbd_constraint_ops *ops, element_state *state, const mbd_real *lam,
                           const mbd_arg_state *ds, const mbd_element_direction *own, mbd_real (*f)[3],
                           mbd_real (*df)[3]);

/* x, xd, xdd := the derivatives of nu . Phi + nud . Phid + nudd . Phidd (NULL: not there) by the arguments and their rates. */
void element_rows_reverse(const mbd_constraint_ops *ops, element_state *state, const mbd_real *nu, const mbd_real *nud,
                          const mbd_real *nudd, mbd_real (*x)[3], mbd_real (*xd)[3], mbd_real (*xdd)[3]);

/* A force on n arguments, f, and df += f_x dx + f_xd dxd. */
void element_force_moved(const mbd_force_ops *ops, int n, const mbd_element_input *in, const mbd_arg_state *ds,
                         mbd_real (*f)[3], mbd_real (*df)[3]);

#endif
