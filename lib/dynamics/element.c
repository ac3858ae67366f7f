/* Derivatives of one constraint or force in its arguments (element.h).
 * Equations: theory.md §4 (4.2), theory.md §3 (3.3), (3.5). */
#include "dynamics/element.h"

void element_value(const mbd_constraint_ops *ops, element_state *state, mbd_real *phi) {
  mbd_real b[MBD_ROW_MAX], bd[MBD_ROW_MAX];
  element_first(ops, state);
  element_explicit_time(ops, state, b, bd);
  for (int r = 0; r < ops->nphi; r++) {
    phi[r] = element_row_dot(CONST3(state->J[r]), ops->narg, CONST3(state->s.xd)) + b[r];
  }
}

void element_row_rate(const mbd_constraint_ops *ops, const element_state *state, int r, mbd_real (*g)[3],
                      mbd_real (*gd)[3], mbd_real (*g2)[3]) {
  const int n = ops->narg;
  mbd_real H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  mbd_args_zero(n, g), mbd_args_zero(n, gd), mbd_args_zero(n, g2);
  if (ops->psid) {
    mbd_real psid;
    ops->psid(&state->in, &psid, g, gd, g2);
    return;
  }
  if (!element_second_of_row(ops, state, r, H)) { return; }
  element_second_T_times(CONSTH(H), n, CONST3(state->s.xd), g);
  element_second_T_times(CONSTH(H), n, CONST3(state->s.xdd), gd);
  if (ops->velocity) { element_second_times(CONSTH(H), n, CONST3(state->s.xd), g2); }
  for (int a = 0; a < n; a++) { v3_add(g2[a], ops->velocity ? g2[a] : g[a], g[a]); }
  mbd_real one[MBD_ROW_MAX] = {0};
  one[r] = 1;
  element_third(ops, state, one, gd);
}

void element_explicit_time(const mbd_constraint_ops *ops, const element_state *state, mbd_real *phi_t,
                           mbd_real *phi_tt) {
  for (int r = 0; r < MBD_ROW_MAX; r++) { phi_t[r] = phi_tt[r] = 0; }
  if (ops->phi_t) { ops->phi_t(&state->in, phi_t, phi_tt); }
}

void element_phidd(const mbd_constraint_ops *ops, element_state *state, mbd_real *phidd) {
  const int n = ops->narg;
  mbd_real ft[MBD_ROW_MAX], ftt[MBD_ROW_MAX], H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], Hxd[ELEMENT_ARG_MAX][3];
  if (ops->psid) {
    ops->psid(&state->in, phidd, NULL, NULL, NULL);
    return;
  }
  element_first(ops, state);
  element_explicit_time(ops, state, ft, ftt);
  for (int r = 0; r < ops->nphi; r++) {
    phidd[r] = element_row_dot(CONST3(state->J[r]), n, CONST3(state->s.xdd)) + ftt[r];
    if (element_second_of_row(ops, state, r, H)) {
      element_second_times(CONSTH(H), n, CONST3(state->s.xd), Hxd);
      phidd[r] += element_row_dot(CONST3(Hxd), n, CONST3(state->s.xd));
    }
  }
}

/* J . dx,   g . dx + J . dxd,   gd . dx + g2 . dxd + J . dxdd   with g, gd, g2 of element_row_rate */
void element_row_moved(const mbd_constraint_ops *ops, const element_state *state, const mbd_arg_state *ds, int r,
                       mbd_real d[3]) {
  const int n = ops->narg;
  mbd_real g[ELEMENT_ARG_MAX][3], gd[ELEMENT_ARG_MAX][3], g2[ELEMENT_ARG_MAX][3];
  element_row_rate(ops, state, r, g, gd, g2);
  if (!ops->velocity) { d[0] += element_row_dot(CONST3(state->J[r]), n, CONST3(ds->x)); }
  d[1] += element_row_dot(CONST3(g), n, CONST3(ds->x)) + element_row_dot(CONST3(state->J[r]), n, CONST3(ds->xd));
  d[2] += element_row_dot(CONST3(gd), n, CONST3(ds->x)) + element_row_dot(CONST3(g2), n, CONST3(ds->xd)) +
          element_row_dot(CONST3(state->J[r]), n, CONST3(ds->xdd));
}

/* dphi,   dphi_t + dJ . xd,   dphi_tt + dJ . xdd + xd' dH xd */
void element_rows_own(const mbd_constraint_ops *ops, const element_state *state, const mbd_element_direction *own,
                      mbd_real (*d)[3]) {
  const int n = ops->narg;
  mbd_real dc[MBD_ROW_MAX] = {0}, dct[MBD_ROW_MAX] = {0}, dctt[MBD_ROW_MAX] = {0},
           dJ[MBD_ROW_MAX][CONSTRAINT_ARG_MAX][3];
  ops->phi_c(&state->in, own, dc, dct, dctt);
  for (int r = 0; r < ops->nphi; r++) { v3_set(d[r], dc[r], dct[r], dctt[r]); }
  if (!element_first_own(ops, state, own, dJ)) { return; }
  for (int r = 0; r < ops->nphi; r++) {
    d[r][1] += element_row_dot(CONST3(dJ[r]), n, CONST3(state->s.xd));
    d[r][2] += element_row_dot(CONST3(dJ[r]), n, CONST3(state->s.xdd));
  }
  mbd_real dq[MBD_ROW_MAX] = {0};
  if (ops->phi_xxc) { ops->phi_xxc(&state->in, own, dq); }
  for (int r = 0; r < ops->nphi; r++) { d[r][2] += dq[r]; }
}

int element_reaction_moved(const mbd_constraint_ops *ops, element_state *state, const mbd_real *lam,
                           const mbd_arg_state *ds, const mbd_element_direction *own, mbd_real (*f)[3],
                           mbd_real (*df)[3]) {
  mbd_real H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], dJ[MBD_ROW_MAX][CONSTRAINT_ARG_MAX][3];
  element_first(ops, state);
  if (!element_reaction(ops, state, lam, f)) { return 0; }
  /* df = sum_r lam_r phi_r,xx dx: the last term of K in (3.3), along the direction. */
  mbd_args_zero(ops->narg, df);
  if (ds && element_second(ops, state, lam, H)) { element_second_times(CONSTH(H), ops->narg, CONST3(ds->x), df); }
  /* df += phi_xc' lam times the change of the coefficient c. */
  if (!own || !element_first_own(ops, state, own, dJ)) { return 1; }
  for (int r = 0; r < ops->nphi; r++) {
    for (int a = 0; a < ops->narg; a++) { v3_axpy(df[a], lam[r], dJ[r][a]); }
  }
  return 1;
}

/* The same of a row with derivatives of its own:   Psi: J by xd, g by x.   Psid: J by xdd, g2 by xd, gd by x. */
static void psid_reverse(const mbd_constraint_ops *ops, const element_state *state, const mbd_real *nud,
                         const mbd_real *nudd, mbd_real (*x)[3], mbd_real (*xd)[3], mbd_real (*xdd)[3]) {
  mbd_real g[ELEMENT_ARG_MAX][3], gd[ELEMENT_ARG_MAX][3], g2[ELEMENT_ARG_MAX][3];
  element_row_rate(ops, state, 0, g, gd, g2);
  for (int a = 0; a < ops->narg; a++) {
    if (nud) { v3_axpy(x[a], nud[0], g[a]), v3_axpy(xd[a], nud[0], state->J[0][a]); }
    if (!nudd) { continue; }
    v3_axpy(x[a], nudd[0], gd[a]), v3_axpy(xd[a], nudd[0], g2[a]), v3_axpy(xdd[a], nudd[0], state->J[0][a]);
  }
}

/* Phi: J.   Phid = J xd + phi_t: J by xd, H' xd by x.   Phidd = J xdd + xd' H xd + phi_tt: J by xdd, (H + H') xd by xd,
 * H' xdd and d(xd' H xd)/dx by x; with H the second derivatives summed over the rows with their weights. */
void element_rows_reverse(const mbd_constraint_ops *ops, element_state *state, const mbd_real *nu, const mbd_real *nud,
                          const mbd_real *nudd, mbd_real (*x)[3], mbd_real (*xd)[3], mbd_real (*xdd)[3]) {
  const int n = ops->narg;
  mbd_real H[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], y[ELEMENT_ARG_MAX][3];
  mbd_args_zero(n, x), mbd_args_zero(n, xd), mbd_args_zero(n, xdd);
  element_first(ops, state);
  if (ops->psid) {
    if (nud || nudd) { psid_reverse(ops, state, nud, nudd, x, xd, xdd); }
    return;
  }
  const int mixed = ops->velocity; /* its H is not symmetric */
  /* Phi. */
  if (nu && !mixed) { element_reaction(ops, state, nu, x); }
  /* Phid. */
  if (nud) {
    element_reaction(ops, state, nud, xd);
    if (element_second(ops, state, nud, H)) {
      element_second_T_times(CONSTH(H), n, CONST3(state->s.xd), y);
      for (int a = 0; a < n; a++) { v3_add(x[a], x[a], y[a]); }
    }
  }
  /* Phidd. */
  if (!nudd) { return; }
  element_reaction(ops, state, nudd, xdd);
  if (!element_second(ops, state, nudd, H)) { return; }
  element_second_times(CONSTH(H), n, CONST3(state->s.xd), y);
  for (int a = 0; a < n; a++) { v3_axpy(xd[a], mixed ? 1 : 2, y[a]); }
  if (mixed) {
    element_second_T_times(CONSTH(H), n, CONST3(state->s.xd), y);
    for (int a = 0; a < n; a++) { v3_add(xd[a], xd[a], y[a]); }
  }
  element_second_T_times(CONSTH(H), n, CONST3(state->s.xdd), y);
  for (int a = 0; a < n; a++) { v3_add(x[a], x[a], y[a]); }
  element_third(ops, state, nudd, x);
}

void element_force_moved(const mbd_force_ops *ops, int n, const mbd_element_input *in, const mbd_arg_state *ds,
                         mbd_real (*f)[3], mbd_real (*df)[3]) {
  mbd_real F_x[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], F_xd[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9];
  mbd_blocks_zero(n, F_x);
  mbd_blocks_zero(n, F_xd);
  ops->f_x(in, f, F_x, F_xd);
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      m3_vec_add(df[a], F_x[a][b], ds->x[b]);
      m3_vec_add(df[a], F_xd[a][b], ds->xd[b]);
    }
  }
}
