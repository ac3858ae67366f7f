/* Velocity constraints Psi = A(z) zd + b(t) = 0 in the step of ALI3-P. Their rows are the last ones of all lists of rows, with A in the place of
 * Phi_z; the projections treat them as the others. In the equations of motion
 *   r + Phi_z' lam + A' mu = 0,   Phi = 0,   Psi/c = 0         at z, v* and a*
 * a row is divided by c of the scheme, so that it is of the size of Phi. Its derivative by z is A + E, E = Psi_z/c at v*, so that
 *   T0 dz + Phi_z' dlam + A' dmu = -r,   (A + E) dz = -Psi/c,   T = T0 + alpha (Phi_z' Phi_z + A' (A + E))
 * Rows that depend on those of Phi_z are left out (simulate/start_velocity.c): v* satisfies Phid = 0 to the order of the scheme alone.
 * Equations: theory.md §5.1 (5.3b). */
#include <string.h>

#include "formulation/ali3p.h"
#include "model/loop.h"

void ali3p_scale_velocity_rows(mbd_sim *s) {
  mbd_real *phi = ali3p_of(s)->newton.phi;
  if (s->m->nvelocity == 0) { return; }
  for (int i = s->velocity_row; i < ali3p_of(s)->m; i++) { phi[i] /= s->scheme.c; }
  sim_leave_out(s, 1, phi);
}

void ali3p_velocity_rows(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  mbd_real *E = step->tangent.E;
  const int n = step->n;
  if (s->m->nvelocity == 0) { return; }
  step->mech->velocity_rows(s, step->newton.phi + s->velocity_row, E, NULL, NULL);
  for (int i = 0; i < s->m->nvelocity_row * n; i++) {
    const int out = s->nleft_out > 0 && s->left_out[i / n];
    E[i] = out ? 0 : E[i] / s->scheme.c;
  }
  ali3p_scale_velocity_rows(s);
}

/* T0 + alpha A' W E, for the factors; row r of A is a product with a unit vector. */
const mbd_real *ali3p_matrix_of_rows(mbd_sim *s, double alpha, const double *weight) {
  ali3p *step = ali3p_of(s);
  const ali3p_tangent *tangent = &step->tangent;
  const mbd_nonzeros *at = &step->x.K_at;
  const int n = step->n;
  mbd_real *A = step->projection.step, *unit = step->projection.rg; /* scratch of the projections */
  if (s->m->nvelocity == 0) { return tangent->T0; }
  memcpy(tangent->T_rows, tangent->T0, matrices_size(&step->x, at) * sizeof *tangent->T0);
  memset(unit, 0, (size_t)step->m * sizeof *unit);
  for (int r = s->velocity_row; r < step->m; r++) {
    const mbd_real *E = tangent->E + (r - s->velocity_row) * n;
    memset(A, 0, (size_t)n * sizeof *A);
    unit[r] = mbd_weighted(alpha, weight, r);
    matrices_phi_mulT_add(&step->x, 1, 1, unit, A);
    unit[r] = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; mbd_any(A[i] != 0) && j < n; j++) {
        if (mbd_any(E[j] != 0)) { tangent->T_rows[mbd_entry(at, n, i, j)] += A[i] * E[j]; }
      }
    }
  }
  return tangent->T_rows;
}

/* y [m] += E x, of one column */
void ali3p_velocity_times(const mbd_sim *s, const mbd_real *x, mbd_real *y) {
  if (s->m->nvelocity == 0) { return; }
  mbd_mul_add(s->m->nvelocity_row, ali3p_of(s)->n, 1, 1, ali3p_of(s)->tangent.E, x, y + s->velocity_row);
}

/* Right-hand sides of (A + E) dz' with dz' = z' - z_':  -(A v_ + Psi_z z_' + Psi_theta)/c,  v_ the part of v*' that the node before has
 * fixed; rows comes with those of Phi. */
void ali3p_velocity_sens(mbd_sim *s, const mbd_real *v_history, mbd_real *rows) {
  ali3p *step = ali3p_of(s);
  const ali3p_sens *sens = &step->sens;
  const int n = step->n, m = step->m, np = s->np, first = s->velocity_row;
  if (s->m->nvelocity == 0) { return; }
  mbd_real *rate = sens->it_rate;
  memset(rate, 0, (size_t)m * (size_t)np * sizeof *rate);
  matrices_phi_mul_add(&step->x, np, 1 / s->scheme.c, v_history, rate);
  mbd_mul_add(m - first, n, np, 1, step->tangent.E, s->sens.z, rate + first * np);
  for (int k = 0; k < np; k++) {
    step->mech->direction(s, k, NULL, NULL, NULL, NULL, sens->dphid, NULL);
    for (int i = first; i < m; i++) { rate[i * np + k] += sens->dphid[i] / s->scheme.c; }
  }
  for (int i = first * np; i < m * np; i++) { rows[i] = -rate[i]; }
  sim_leave_out(s, np, rows);
}

/* Returns MBD_UNSUPPORTED if a row that depended on others at the start, and has been left out, does not follow from them any more. */
mbd_status ali3p_check_left_out(mbd_sim *s, mbd_error *err) {
  static const double follows_to = 1e-6;
  const ali3p *step = ali3p_of(s);
  mbd_real *psi = step->newton.weights;
  if (s->nleft_out == 0) { return MBD_OK; }
  step->mech->velocity_rows(s, psi, NULL, NULL, NULL);
  for (int i = 0; i < s->m->nvelocity_row; i++) {
    if (!s->left_out[i] || mbd_largest(psi[i]) <= follows_to * (1 + mbd_norm_inf(step->n, s->now.zd))) { continue; }
    const int row = s->m->nphi - s->m->nvelocity_row + i;
    const char *unit = model_equation_unit(s->m, model_row_constraint(s->m, row));
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "velocity constraint '%s' follows from other constraints at the start, but no longer here, where it is "
             "left at %.3g %s/s; "
             "expected a start at which it is independent",
             s->m->phi_name[row], mbd_largest(psi[i]), *unit ? unit : "1");
  }
  return MBD_OK;
}
