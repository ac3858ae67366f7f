/* The equations of a steady motion, for z, lam, the rates w and the inputs delta:
 *   r(z, zd, zdd) + Phi_z' lam = 0        zd, zdd by (5.14); of a state with a given value that value in its place
 *   Phi = 0,   A zd + b = 0               and Phid = 0 of constraints that couple cyclic coordinates
 *   held = value                          of quantities that say where along the symmetries the motion is
 *   (v . v/V - V)/2 = 0                   v the rates of the two of them that are the place
 *   r - kappa V = 0,   or  r - a/V = 0
 * They are as many as the unknowns where no constraints are redundant and what is given takes as many inputs. A mechanism on which nothing does work
 * along a symmetry takes none, and one equation less for each is independent; so the independent ones are chosen, by pivots, of which the
 * others are consequences at the solution. Rows and columns are scaled by their largest entries.
 * Equations: theory.md §5.8 (5.15). */
#include <stdio.h>
#include <string.h>

#include "curve/curve.h"
#include "model/params.h"
#include "model/state.h"
#include "simulate/steady.h"

static const double independent_from = 1e-11; /* pivots, relative to the largest */

/* ---- what is given ---- */

static mbd_real curve_at(const mbd_sim *s, int curve) {
  mbd_curve_value v;
  curve_eval(&s->m->curve[curve], s->p->theta, s->p->aux, s->t, &v);
  return v.y;
}

static mbd_real curve_change(const mbd_sim *s, int curve, const mbd_dparams *d, mbd_real stretch) {
  mbd_curve_value v, dv;
  const mbd_curve *k = &s->m->curve[curve];
  curve_eval(k, s->p->theta, s->p->aux, s->t, &v);
  curve_deval(k, s->p->theta, s->p->aux, d->dtheta, d->daux, s->t, &dv);
  return dv.y + v.yx * stretch * s->t;
}

/* Rate of phase i, at the present motion: of a held quantity without the rate at which it begins, which does not count. */
static mbd_real phase_rate(const mbd_sim *s, int i, const mbd_real *zd) {
  const sim_steady *trim = steady_of(s);
  const int row = trim->phase[i];
  return row < s->held.nrow ? mbd_dot(s->m->nz, trim->J + row * s->m->nz, zd)
                            : zd[s->start->free_z[row - s->held.nrow]];
}

/* ---- inputs ---- */

void steady_take_inputs(mbd_sim *s) {
  sim_steady *trim = steady_of(s);
  if (!trim->own) { return; }
  params_set_moved(trim->own, trim->design, trim->ninput, s->c.found_first, s->c.found_coef, s->c.found_weight,
                   trim->delta);
  s->p = trim->own;
  for (int i = 0; i < trim->ninput; i++) {
    const int first = s->c.found_first[i];
    mbd_dparams_set(trim->input[i], trim->own, s->c.found_first[i + 1] - first, s->c.found_coef + first,
                    s->c.found_weight + first);
  }
}

/* ---- the equations ---- */

void steady_evaluate(mbd_sim *s) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz, m = s->m->nphi;
  mbd_real *G = trim->G;
  steady_move(s);
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  motion_residual(s->w, G);
  motion_phi(s->w, s->held, trim->phi, trim->J);
  motion_phi_t(s->w, s->held, trim->phi_t);
  mbd_mulT_add(m, n, 1, 1, trim->J, trim->lam, G);
  for (int j = model_first_state(s->m); j < n; j++) {
    if (trim->held_state[j] >= 0) { G[j] = trim->phi[trim->held_state[j]]; }
  }
  memcpy(G + steady_row_phi(s), trim->phi, (size_t)s->velocity_row * sizeof *G);
  for (int i = 0; i < trim->nmoving; i++) {
    const int row = trim->moving[i];
    G[steady_row_rates(s) + i] = mbd_dot(n, trim->J + row * n, s->now.zd) + trim->phi_t[row];
  }
  for (int i = 0; i < trim->nphase; i++) {
    const int row = trim->phase[i], j = row < s->held.nrow ? -1 : s->start->free_z[row - s->held.nrow];
    G[steady_row_phases(s) + i] = j < 0 ? trim->phi[row] : s->now.z[j] - start_guess(s, j);
  }
  mbd_real *given = G + steady_row_given(s);
  if (trim->speed < 0) { return; }
  const mbd_real V = trim->V = curve_at(s, trim->speed);
  for (int i = 0; i < 2; i++) { trim->v[i] = phase_rate(s, trim->place[i], s->now.zd); }
  *given++ = ((trim->v[0] * trim->v[0] + trim->v[1] * trim->v[1]) / V - V) / 2;
  if (trim->curvature >= 0) { *given = steady_turn(s) - (trim->turn = trim->part * curve_at(s, trim->curvature) * V); }
  if (trim->lateral >= 0) { *given = steady_turn(s) - (trim->turn = trim->part * curve_at(s, trim->lateral) / V); }
}

void steady_change(mbd_sim *s, const mbd_dparams *d, mbd_real stretch, mbd_real *dG) {
  sim_steady *trim = steady_of(s);
  const motion_terms e = motion_equations(s->held, trim->lam);
  const int n = s->m->nz;
  motion_along(s->w, d, NULL, NULL, NULL);
  motion_stretch(s->w, stretch);
  motion_direction(s->w, &e, dG, trim->dphi, trim->dphid, NULL);
  for (int j = model_first_state(s->m); j < n; j++) {
    if (trim->held_state[j] >= 0) { dG[j] = trim->dphi[trim->held_state[j]]; }
  }
  memcpy(dG + steady_row_phi(s), trim->dphi, (size_t)s->velocity_row * sizeof *dG);
  for (int i = 0; i < trim->nmoving; i++) { dG[steady_row_rates(s) + i] = trim->dphid[trim->moving[i]]; }
  for (int i = 0; i < trim->nphase; i++) {
    const int row = trim->phase[i];
    mbd_real *change = dG + steady_row_phases(s) + i;
    *change = row < s->held.nrow ? trim->dphi[row] : 0;
    if (row < s->held.nrow) { continue; }
    int coef[4];
    mbd_real slope[4];
    const int count = start_guess_slopes(s, s->start->free_z[row - s->held.nrow], coef, slope);
    for (int k = 0; k < count; k++) { *change -= slope[k] * d->dtheta[coef[k]]; }
  }
  mbd_real *given = dG + steady_row_given(s);
  if (trim->speed < 0) { return; }
  const mbd_real V = trim->V, dV = curve_change(s, trim->speed, d, stretch);
  mbd_real sum = 0;
  for (int i = 0; i < 2; i++) {
    const int row = trim->phase[trim->place[i]];
    /* Phid of a held quantity has the rate at which it begins. */
    if (row < s->held.nrow) { sum += trim->v[i] * (trim->dphid[row] + d->dtheta[s->m->hold[row - s->m->nphi].rate]); }
  }
  *given++ = sum / V - ((trim->v[0] * trim->v[0] + trim->v[1] * trim->v[1]) / (V * V) + 1) / 2 * dV;
  if (trim->curvature >= 0) {
    *given = -trim->part * curve_change(s, trim->curvature, d, stretch) * V - trim->turn / V * dV;
  }
  if (trim->lateral >= 0) {
    *given = -trim->part * curve_change(s, trim->lateral, d, stretch) / V + trim->turn / V * dV;
  }
}

/* ---- their derivatives by the unknowns ---- */

/* Column c := derivatives by an unknown that changes zd and zdd, beside those at fixed zd, zdd that are there. */
static void add_rates(mbd_sim *s, int c) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz, N = trim->nunknown;
  if (!steady_rates_along(s, c, trim->dzd, trim->dzdd)) { return; }
  for (int i = 0; i < n; i++) {
    if (trim->held_state[i] >= 0) { continue; }
    trim->Gy[i * N + c] += mbd_dot(n, trim->C + i * n, trim->dzd) + mbd_dot(n, trim->M + i * n, trim->dzdd);
  }
  for (int i = 0; i < trim->nmoving; i++) {
    trim->Gy[(steady_row_rates(s) + i) * N + c] += mbd_dot(n, trim->J + trim->moving[i] * n, trim->dzd);
  }
  for (int i = 0; trim->speed >= 0 && i < 2; i++) {
    trim->Gy[steady_row_given(s) * N + c] += trim->v[i] / trim->V * phase_rate(s, trim->place[i], trim->dzd);
  }
}

static void fill_positions(mbd_sim *s) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz, N = trim->nunknown;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      trim->Gy[i * N + j] = trim->held_state[i] < 0 ? trim->K[i * n + j] : trim->J[trim->held_state[i] * n + j];
    }
    for (int i = 0; i < s->velocity_row; i++) { trim->Gy[(steady_row_phi(s) + i) * N + j] = trim->J[i * n + j]; }
    for (int i = 0; i < trim->nmoving; i++) {
      trim->Gy[(steady_row_rates(s) + i) * N + j] = trim->Phid_z[trim->moving[i] * n + j];
    }
    for (int i = 0; i < trim->nphase; i++) {
      const int row = trim->phase[i];
      trim->Gy[(steady_row_phases(s) + i) * N + j] =
          row < s->held.nrow ? trim->J[row * n + j] : s->start->free_z[row - s->held.nrow] == j;
    }
    for (int i = 0; trim->speed >= 0 && i < 2; i++) {
      const int row = trim->phase[trim->place[i]];
      if (row < s->held.nrow) {
        trim->Gy[steady_row_given(s) * N + j] += trim->v[i] / trim->V * trim->Phid_z[row * n + j];
      }
    }
  }
}

/* Redundant constraints have neither equations nor multipliers: the latter keep the values that they have. */
static void leave_out_redundant(mbd_sim *s) {
  sim_steady *trim = steady_of(s);
  const int N = trim->nunknown;
  for (int i = 0; i < s->m->nphi; i++) {
    if (!trim->dependent[i]) { continue; }
    for (int j = 0; j < s->m->nz; j++) { trim->Gy[j * N + steady_col_lam(s) + i] = 0; }
    if (i < s->velocity_row) { memset(trim->Gy + (steady_row_phi(s) + i) * N, 0, (size_t)N * sizeof *trim->Gy); }
    for (int k = 0; k < trim->nmoving; k++) {
      if (trim->moving[k] != i) { continue; }
      memset(trim->Gy + (steady_row_rates(s) + k) * N, 0, (size_t)N * sizeof *trim->Gy);
    }
  }
}

/* The largest entries of rows, and then of columns, become one. */
static void scale(sim_steady *trim) {
  const int M = trim->nrow, N = trim->nunknown;
  for (int i = 0; i < M; i++) {
    const double max = mbd_norm_inf(N, trim->Gy + i * N);
    trim->row_scale[i] = max > 0 ? 1 / max : 0;
  }
  for (int j = 0; j < N; j++) {
    double max = 0;
    for (int i = 0; i < M; i++) { max = fmax(max, mbd_largest(trim->row_scale[i] * trim->Gy[i * N + j])); }
    trim->col_scale[j] = max > 0 ? 1 / max : 0;
  }
}

mbd_status steady_factor(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const motion_terms e = motion_equations(s->eq, trim->lam);
  const int n = s->m->nz, M = trim->nrow, N = trim->nunknown;
  motion_jacobian(s->w, &e, NULL, trim->K, trim->C, NULL, trim->M);
  motion_rates_z(s->w, s->held, trim->Phid_z, NULL, NULL);
  memset(trim->Gy, 0, (size_t)M * (size_t)N * sizeof *trim->Gy);
  fill_positions(s);
  for (int i = 0; i < s->m->nphi; i++) {
    for (int j = 0; j < n; j++) {
      if (trim->held_state[j] < 0) { trim->Gy[j * N + steady_col_lam(s) + i] = trim->J[i * n + j]; }
    }
  }
  for (int c = 0; c < steady_col_input(s); c++) { add_rates(s, c); }
  const int turns = trim->base >= 0 && (trim->curvature >= 0 || trim->lateral >= 0);
  if (turns) { trim->Gy[(steady_row_given(s) + 1) * N + steady_col_rate(s) + 2] = 1; }
  for (int k = 0; k < trim->ninput; k++) {
    steady_change(s, trim->input[k], 0, trim->dG);
    for (int i = 0; i < M; i++) { trim->Gy[i * N + steady_col_input(s) + k] = trim->dG[i]; }
  }
  leave_out_redundant(s);
  /* The independent ones, in the order of their pivots, which are then on the diagonal. */
  scale(trim);
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      trim->work[i * N + j] = mbd_first(trim->row_scale[i] * trim->Gy[i * N + j] * trim->col_scale[j]);
    }
  }
  if (isnan(mbd_norm_inf(M * N, trim->Gy))) { MBD_FAIL(err, MBD_NOT_FINITE, "the steady motion is no longer finite"); }
  const int rank = trim->rank = mbd_rank(M, N, trim->work, independent_from, trim->row, trim->col);
  for (int i = 0; i < rank; i++) {
    for (int j = 0; j < rank; j++) {
      trim->lu[i * rank + j] =
          trim->row_scale[trim->row[i]] * trim->Gy[trim->row[i] * N + trim->col[j]] * trim->col_scale[trim->col[j]];
    }
  }
  if (mbd_lu_factor(rank, trim->lu, trim->piv) != MBD_OK) {
    MBD_FAIL(err, MBD_SINGULAR, "the equations of the steady motion are singular");
  }
  return MBD_OK;
}

void steady_correct(mbd_sim *s, mbd_real *dy) {
  sim_steady *trim = steady_of(s);
  memset(dy, 0, (size_t)trim->nunknown * sizeof *dy);
  for (int i = 0; i < trim->rank; i++) { trim->b[i] = -trim->row_scale[trim->row[i]] * trim->G[trim->row[i]]; }
  mbd_lu_solve(trim->rank, trim->lu, trim->piv, 1, trim->b);
  for (int j = 0; j < trim->rank; j++) { dy[trim->col[j]] = trim->col_scale[trim->col[j]] * trim->b[j]; }
}

/* ---- for messages ---- */

const char *steady_worst_row(const mbd_sim *s, int *row, double *left) {
  const sim_steady *trim = steady_of(s);
  int worst = 0;
  for (int i = 1; i < trim->nrow; i++) {
    if (mbd_largest(trim->row_scale[i] * trim->G[i]) > mbd_largest(trim->row_scale[worst] * trim->G[worst])) {
      worst = i;
    }
  }
  *row = worst, *left = mbd_first(trim->G[worst]);
  if (worst < steady_row_phi(s)) { return s->m->z_name[worst]; }
  if (worst < steady_row_rates(s)) { return s->m->phi_name[worst - steady_row_phi(s)]; }
  if (worst < steady_row_phases(s)) { return s->m->phi_name[trim->moving[worst - steady_row_rates(s)]]; }
  if (worst < steady_row_given(s)) { return start_row_name(s, trim->phase[worst - steady_row_phases(s)]); }
  return worst == steady_row_given(s) ? "speed" : trim->curvature >= 0 ? "curvature" : "lateral_acceleration";
}

const char *steady_unknown_name(const mbd_sim *s, int c) {
  const sim_steady *trim = steady_of(s);
  if (c < steady_col_lam(s)) { return s->m->z_name[c]; }
  if (c < steady_col_rate(s)) { return s->m->phi_name[c - steady_col_lam(s)]; }
  if (c >= steady_col_input(s)) { return s->c.found_name[c - steady_col_input(s)]; }
  const int i = c - steady_col_rate(s), cyclic = i - (trim->base >= 0 ? 3 : 0);
  return cyclic >= 0 ? s->m->z_name[trim->cyclic[cyclic]] : i < 2 ? s->m->z_name[trim->shift[i]] : "turn";
}
