/* Derivatives of a steady motion by the implicit function theorem, on one factorization: with the independent rows and columns of
 *   G_y y' = -G_theta theta',      G_y' nu = y^,   theta^ -= nu . G_theta
 * where y^ contains, by (5.14), the derivatives by zd and zdd, and for an input those by the coefficients that it moves.
 * Equations: theory.md §5.8 (5.15), (5.16). */
#include <string.h>

#include "curve/curve.h"
#include "model/params_reverse.h"
#include "model/state.h"
#include "simulate/steady.h"
#include "state/adjoint.h"

/* The equations at the present motion, factored; zdd stays what it is. */
static mbd_status prepare(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const size_t n = (size_t)s->m->nz;
  memcpy(trim->zdd, s->now.zdd, n * sizeof *trim->zdd);
  steady_evaluate(s);
  memcpy(s->now.zdd, trim->zdd, n * sizeof *trim->zdd);
  return steady_factor(s, err);
}

/* ---- along directions ---- */

/* yp [nunknown][np] := y' */
static void solve(mbd_sim *s) {
  sim_steady *trim = steady_of(s);
  const int np = s->np, rank = trim->rank;
  for (int k = 0; k < np; k++) {
    steady_change(s, trim->given_d[k], s->stretch[k], trim->dG);
    for (int i = 0; i < rank; i++) { trim->b[i * np + k] = -trim->row_scale[trim->row[i]] * trim->dG[trim->row[i]]; }
  }
  mbd_lu_solve(rank, trim->lu, trim->piv, np, trim->b);
  memset(trim->yp, 0, (size_t)trim->nunknown * (size_t)np * sizeof *trim->yp);
  for (int j = 0; j < rank; j++) {
    for (int k = 0; k < np; k++) {
      trim->yp[trim->col[j] * np + k] = trim->col_scale[trim->col[j]] * trim->b[j * np + k];
    }
  }
}

/* The directions with the changes of the inputs. */
static void move_directions(mbd_sim *s) {
  sim_steady *trim = steady_of(s);
  const int nc = s->m->ncoef;
  if (!trim->own) { return; }
  for (int k = 0; k < s->np; k++) {
    for (int i = 0; i < nc; i++) { trim->value[i] = mbd_first(trim->given_d[k]->dtheta[i]); }
    for (int i = 0; i < trim->ninput; i++) {
      const double change = mbd_first(trim->yp[(steady_col_input(s) + i) * s->np + k]);
      for (int j = s->c.found_first[i]; j < s->c.found_first[i + 1]; j++) {
        trim->value[s->c.found_coef[j]] += s->c.found_weight[j] * change;
      }
    }
    mbd_dparams_set(trim->d[k], s->p, nc, trim->index, trim->value);
  }
  s->d = (mbd_dparams *const *)trim->d;
}

mbd_status steady_sens(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz, np = s->np;
  MBD_TRY(prepare(s, err));
  solve(s);
  memcpy(s->sens.z, trim->yp, (size_t)n * (size_t)np * sizeof *s->sens.z);
  memset(s->sens.zd, 0, (size_t)n * (size_t)np * sizeof *s->sens.zd);
  memset(s->sens.zdd, 0, (size_t)n * (size_t)np * sizeof *s->sens.zdd);
  for (int c = 0; c < steady_col_input(s); c++) {
    if (!steady_rates_along(s, c, trim->dzd, trim->dzdd)) { continue; }
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < np; k++) {
        s->sens.zd[j * np + k] += trim->dzd[j] * trim->yp[c * np + k];
        s->sens.zdd[j * np + k] += trim->dzdd[j] * trim->yp[c * np + k];
      }
    }
  }
  move_directions(s);
  return MBD_OK;
}

/* ---- in reverse ---- */

const unsigned char *steady_request(mbd_sim *s, const unsigned char *requested) {
  sim_steady *trim = steady_of(s);
  memset(trim->by_input, 0, (size_t)trim->ninput * (size_t)s->npsi * sizeof *trim->by_input);
  if (!requested || trim->ninput == 0) { return requested; }
  memcpy(trim->requested, requested, (size_t)s->m->ncoef);
  for (int j = 0; j < s->c.found_first[trim->ninput]; j++) { trim->requested[s->c.found_coef[j]] = 1; }
  return trim->requested;
}

void steady_by_inputs(mbd_sim *s, sim_adjoint *a, mbd_real *by) {
  const sim_steady *trim = steady_of(s);
  for (int k = 0; trim->ninput > 0 && k < a->npsi; k++) {
    params_reverse_finish(a->theta[k], s->p);
    for (int i = 0; i < trim->ninput; i++) {
      mbd_real sum = 0;
      for (int j = s->c.found_first[i]; j < s->c.found_first[i + 1]; j++) {
        sum += s->c.found_weight[j] * a->theta[k]->theta[s->c.found_coef[j]];
      }
      by[i * a->npsi + k] = sum;
    }
  }
}

/* yp [nunknown][npsi] := y^, with the inputs' there already. */
static void gather(mbd_sim *s, const sim_adjoint *a, const mbd_real *by_lam) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz, np = a->npsi;
  memset(trim->yp, 0, (size_t)steady_col_input(s) * (size_t)np * sizeof *trim->yp);
  memcpy(trim->yp, a->z, (size_t)n * (size_t)np * sizeof *trim->yp);
  if (by_lam) { memcpy(trim->yp + n * np, by_lam, (size_t)s->m->nphi * (size_t)np * sizeof *trim->yp); }
  for (int c = 0; c < steady_col_input(s); c++) {
    if (!steady_rates_along(s, c, trim->dzd, trim->dzdd)) { continue; }
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < np; k++) {
        trim->yp[c * np + k] += trim->dzd[j] * a->zd[j * np + k] + trim->dzdd[j] * a->zdd[j * np + k];
      }
    }
  }
}

/* To a curve that is given, from the derivative by its value. */
static void given_back(const mbd_sim *s, int curve, mbd_real by, params_reverse *theta) {
  const mbd_curve *k = &s->m->curve[curve];
  const mbd_curve_value vbar = {.y = by};
  mbd_curve_value v;
  curve_reverse(k, s->p->theta, s->p->aux, s->t, &vbar, theta->requested, theta->theta, theta->aux);
  if (!theta->stretch_requested) { return; }
  curve_eval(k, s->p->theta, s->p->aux, s->t, &v);
  theta->stretch += by * v.yx * s->t;
}

/* theta^ -= nu . G_theta of the equations of what is given and of the speed's rates, nu [nrow] */
static void speed_back(mbd_sim *s, const mbd_real *nu, mbd_real *rates, params_reverse *theta) {
  const sim_steady *trim = steady_of(s);
  const mbd_real *given = nu + steady_row_given(s), V = trim->V;
  if (trim->speed < 0) { return; }
  for (int i = 0; i < 2; i++) {
    const int row = trim->phase[trim->place[i]];
    if (row >= s->held.nrow) { continue; }
    const mbd_real weight = given[0] * trim->v[i] / V;
    rates[row] -= weight;
    theta->theta[s->m->hold[row - s->m->nphi].rate] -= weight;
  }
  mbd_real by_V = given[0] * ((trim->v[0] * trim->v[0] + trim->v[1] * trim->v[1]) / (V * V) + 1) / 2;
  if (trim->curvature >= 0) {
    by_V += given[1] * trim->turn / V;
    given_back(s, trim->curvature, given[1] * trim->part * V, theta);
  }
  if (trim->lateral >= 0) {
    by_V -= given[1] * trim->turn / V;
    given_back(s, trim->lateral, given[1] * trim->part / V, theta);
  }
  given_back(s, trim->speed, by_V, theta);
}

/* theta^ -= nu . G_theta, nu [nrow] in trim->G */
static void equations_back(mbd_sim *s, sim_adjoint *a, int k) {
  sim_steady *trim = steady_of(s);
  const int n = s->m->nz, nrow = s->held.nrow;
  const mbd_real *nu = trim->G;
  mbd_real *mu = trim->dr, *rows = trim->dphi, *rates = trim->dphid, *kept = trim->phi_t;
  memset(rows, 0, (size_t)start_rows(s) * sizeof *rows), memset(rates, 0, (size_t)start_rows(s) * sizeof *rates);
  memset(kept, 0, (size_t)s->start->nfree * sizeof *kept);
  for (int j = 0; j < n; j++) {
    mu[j] = trim->held_state[j] < 0 ? -nu[j] : 0;
    if (trim->held_state[j] >= 0) { rows[trim->held_state[j]] = -nu[j]; }
  }
  for (int i = 0; i < s->velocity_row; i++) { rows[i] -= nu[steady_row_phi(s) + i]; }
  for (int i = 0; i < trim->nmoving; i++) { rates[trim->moving[i]] -= nu[steady_row_rates(s) + i]; }
  for (int i = 0; i < trim->nphase; i++) {
    const mbd_real weight = nu[steady_row_phases(s) + i];
    if (trim->phase[i] < nrow) {
      rows[trim->phase[i]] -= weight;
    } else {
      kept[trim->phase[i] - nrow] = weight;
    }
  }
  speed_back(s, nu, rates, a->theta[k]);
  start_free_back(s, kept, a->theta[k]);
  motion_reverse_residual(&a->reverse[k], &a->linear, mu);
  motion_reverse_rows(&a->reverse[k], s->held, rows, rates, NULL);
}

mbd_status steady_back(mbd_sim *s, sim_adjoint *a, const mbd_real *by_lam, const mbd_real *before, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const int np = a->npsi;
  MBD_TRY(prepare(s, err));
  const int rank = trim->rank;
  mbd_real *by = trim->yp + steady_col_input(s) * np;
  steady_by_inputs(s, a, by);
  for (int i = 0; before && i < trim->ninput * np; i++) { by[i] -= before[i]; }
  gather(s, a, by_lam);
  for (int j = 0; j < rank; j++) {
    for (int k = 0; k < np; k++) {
      trim->b[j * np + k] = trim->col_scale[trim->col[j]] * trim->yp[trim->col[j] * np + k];
    }
  }
  mbd_lu_solve_T(rank, trim->lu, trim->piv, np, trim->b);
  motion_linearize(s->w, s->held, trim->lam, &a->linear);
  adjoint_begin(s, a);
  for (int k = 0; k < np; k++) {
    memset(trim->G, 0, (size_t)trim->nrow * sizeof *trim->G);
    for (int i = 0; i < rank; i++) { trim->G[trim->row[i]] = trim->row_scale[trim->row[i]] * trim->b[i * np + k]; }
    equations_back(s, a, k);
  }
  adjoint_read_joints(a);
  return MBD_OK;
}
