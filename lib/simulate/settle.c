/* Static equilibrium as the start: of the held quantities some stay (where the car stands, which way it looks), the others
 * settle. With J the rows of Phi, of the quantities that stay and of the coordinates that keep their guess,
 *   r(z, zd = 0, zdd = 0) + J' y = 0,   rows = 0
 * by Newton's iteration, begun as implicit steps of a strongly damped motion: (K + sigma M) dz + J' y = -r, where sigma
 * falls to zero as the steps shrink, so that a wheel that does not touch yet falls onto the road instead of through it. It
 * grows again where the steps do. Where they never settle, rounding decides where they lead, and a second way, on which sigma
 * grows less, may end at an equilibrium.
 * The derivative is that of the equations: K z' + J' y' = -r_theta, J z' = -rows_theta. */
#include <string.h>

#include "kinematics/sweep.h"
#include "state/sim.h"

enum { SETTLE_ITERATIONS = 200, WAYS = 2 };

static const double first_sigma = 1e3, last_sigma = 1e-3; /* [1/s^2] */
static const double longest_step = 0.1;                   /* [m or rad] */
static const double shrinks = 4, grows[WAYS] = {2, 1.5};  /* sigma, by factors */

static int rows(const mbd_sim *s) {
  return s->m->nphi + s->m->nhold_kept + s->nfree;
}

eq_list settle_kept(const mbd_sim *s) {
  return (eq_list){s->m->hold, s->m->nhold_kept, s->m->nhold_kept};
}

/* Coordinates that keep their guess: F [nfree], J [nfree][nz] */
static void free_rows(const mbd_sim *s, mbd_real *F, mbd_real *J) {
  const int n = s->m->nz;
  memset(J, 0, (size_t)s->nfree * (size_t)n * sizeof *J);
  for (int i = 0; i < s->nfree; i++) { J[i * n + s->free_z[i]] = 1; }
  start_free_values(s, F);
}

/* r + J' y, rows F, J and the stiffness K with the reactions' part, at rest. */
static void evaluate(mbd_sim *s) {
  const mbd_model *m = s->m;
  const int n = m->nz, nk = m->nhold_kept;
  sweep_position(s->p, s->w, s->now.z);
  memset(s->as, 0, (size_t)n * sizeof *s->as); /* velocities and accelerations; forces read them */
  sweep_motion(s->p, s->w, s->as, s->as, 1);
  dyn_residual(s->p, s->w, s->t, DYN_INERTIA | DYN_FORCES, s->r);
  eq_phi_z(s->p, s->w, s->eq, s->t, s->F, s->J);
  eq_phi_z(s->p, s->w, settle_kept(s), s->t, s->F + m->nphi, s->J + m->nphi * n);
  free_rows(s, s->F + m->nphi + nk, s->J + (m->nphi + nk) * n);
  mbd_mulT_add(rows(s), n, 1, 1, s->J, s->y_static, s->r);
  sweep_columns(s->p, s->w);
  dyn_jacobian(s->p, s->w, s->t, DYN_INERTIA | DYN_FORCES, s->K, s->C, s->M);
  eq_hessian(s->p, s->w, s->eq, s->t, s->y_static, s->K);
  eq_hessian(s->p, s->w, settle_kept(s), s->t, s->y_static + m->nphi, s->K);
}

static mbd_status factor(mbd_sim *s, double sigma, mbd_saddle *q, mbd_error *err) {
  const int n = s->m->nz, nrow = rows(s);
  for (int i = 0; i < n * n; i++) { s->T0[i] = s->K[i] + sigma * s->M[i]; }
  *q = (mbd_saddle){.n = n,
                    .m = nrow,
                    .A = s->T0,
                    .Phi = s->J,
                    .lu = &s->dense_lu,
                    .alpha = mbd_saddle_penalty(n, nrow, s->T0, s->J),
                    .weak = &s->weak_static,
                    .at_least = EXTRA_ITERATIONS,
                    .what = "static equilibrium"};
  memcpy(s->T, s->T0, (size_t)n * (size_t)n * sizeof *s->T);
  mbd_mulT_add(nrow, n, n, q->alpha, s->J, s->J, s->T);
  if (mbd_factors_make(&s->dense_lu) != MBD_OK) {
    MBD_FAIL(err, MBD_SINGULAR,
             "static equilibrium: the stiffness matrix is singular; some quantity in 'settle' has no "
             "force that determines it");
  }
  return MBD_OK;
}

mbd_status settle_system(mbd_sim *s, mbd_saddle *q, mbd_error *err) {
  evaluate(s);
  return factor(s, 0, q, err);
}

static mbd_status not_settled(const mbd_sim *s, mbd_error *err) {
  int worst = 0;
  for (int j = 1; j < s->m->nz; j++) {
    if (mbd_absre(s->dz[j]) > mbd_absre(s->dz[worst])) { worst = j; }
  }
  MBD_FAIL(err, MBD_NO_ASSEMBLY,
           "no static equilibrium found in %d iterations; coordinate '%s' still moves by %.3g (is there a force for "
           "every quantity in 'settle'?)",
           SETTLE_ITERATIONS, s->m->z_name[worst], mbd_re(s->dz[worst]));
}

static mbd_status settle_by(mbd_sim *s, double growth, mbd_error *err) {
  const int n = s->m->nz;
  double sigma = first_sigma, last = INFINITY;
  int after = 0;
  memset(s->y_static, 0, (size_t)rows(s) * sizeof *s->y_static);
  for (int it = 0; it < SETTLE_ITERATIONS; it++) {
    mbd_saddle q;
    evaluate(s);
    MBD_TRY(factor(s, sigma, &q, err));
    for (int j = 0; j < n; j++) { s->r[j] = -s->r[j]; }
    for (int i = 0; i < rows(s); i++) { s->F[i] = -s->F[i]; }
    memset(s->dy_static, 0, (size_t)rows(s) * sizeof *s->dy_static);
    if (!after) { q.weak = NULL, q.at_least = 0; } /* on the way a rough direction will do */
    const mbd_status solved = mbd_saddle_solve(&q, 1, s->r, s->F, s->dz, s->dy_static, s->vs, s->rg_static, err);
    double step = mbd_norm_inf(n, s->dz), part = fmin(1, longest_step / step);
    if (isnan(step)) { MBD_FAIL(err, MBD_NOT_FINITE, "static equilibrium: the motion is no longer finite"); }
    for (int j = 0; j < n; j++) { s->now.z[j] += part * s->dz[j]; }
    for (int i = 0; i < rows(s); i++) { s->y_static[i] += part * s->dy_static[i]; }
    const int small = step <= s->c.tolerance * (1 + mbd_norm_inf(n, s->now.z));
    if (sigma == 0 && (after || small)) {
      if (after++ >= EXTRA_ITERATIONS + 1) { return solved; }
    }
    if (!after) {
      sim_drop_imaginary(n, s->now.z);
      sim_drop_imaginary(rows(s), s->y_static);
    }
    sigma = step < last ? sigma / shrinks : fmax(sigma, last_sigma) * growth;
    if (sigma < last_sigma || after || small) { sigma = 0; } /* small steps at the level of rounding shrink no more */
    last = step;
  }
  return not_settled(s, err);
}

mbd_status settle_state(mbd_sim *s, mbd_error *err) {
  mbd_status status = MBD_NO_ASSEMBLY;
  memcpy(s->z_assembled, s->now.z, (size_t)s->m->nz * sizeof *s->now.z);
  for (int i = 0; i < WAYS && status != MBD_OK; i++) {
    memcpy(s->now.z, s->z_assembled, (size_t)s->m->nz * sizeof *s->now.z);
    status = settle_by(s, grows[i], err);
  }
  if (status == MBD_OK) { settle_check(s, rows(s)); }
  return status;
}

mbd_status settle_sens(mbd_sim *s, mbd_error *err) {
  const mbd_model *m = s->m;
  const int n = m->nz, np = s->np, nk = m->nhold_kept;
  const size_t block = (size_t)rows(s) * (size_t)np;
  mbd_saddle q;
  MBD_TRY(settle_system(s, &q, err));
  memset(s->B, 0, (size_t)n * (size_t)np * sizeof *s->B);
  memset(s->F, 0, block * sizeof *s->F);
  memset(s->dy_static, 0, block * sizeof *s->dy_static);
  for (int k = 0; k < np; k++) {
    const mbd_variation *v = sim_vary(s, k);
    dyn_direction(s->p, s->d[k], s->w, v, s->t, DYN_INERTIA | DYN_FORCES, s->dr);
    eq_reaction_direction(s->p, s->d[k], s->w, v, s->eq, s->t, s->y_static, s->dr);
    eq_reaction_direction(s->p, s->d[k], s->w, v, settle_kept(s), s->t, s->y_static + m->nphi, s->dr);
    sens_subtract(n, np, k, s->dr, s->B);
    eq_direction(s->p, s->d[k], s->w, v, s->eq, s->t, s->dphi, NULL, NULL);
    sens_subtract(m->nphi, np, k, s->dphi, s->F);
    eq_direction(s->p, s->d[k], s->w, v, settle_kept(s), s->t, s->dphi, NULL, NULL);
    sens_subtract(nk, np, k, s->dphi, s->F + m->nphi * np);
    start_free_sens(s, k, s->F + (m->nphi + nk) * np);
  }
  MBD_TRY(mbd_saddle_solve(&q, np, s->B, s->F, s->sens.z, s->dy_static, s->V0, s->rg_static, err));
  memset(s->ep, 0, (size_t)np * sizeof *s->ep);
  start_column_sizes(rows(s), np, s->F, s->ep);
  mbd_mul_add(rows(s), n, np, -1, s->J, s->sens.z, s->F);
  start_check_remainder(s, m->nphi + nk, s->F, s->ep);
  return MBD_OK;
}
