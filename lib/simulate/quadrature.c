/* Objectives on the integrator's own nodes, and their gradients (THEORY.md 6, 7). */
#include <string.h>

#include "simulate/sim.h"

void quadrature_reset(mbd_sim *s) {
  const size_t np = (size_t)s->np, npsi = (size_t)s->npsi;
  memset(s->psi, 0, npsi * sizeof *s->psi);
  memset(s->grad, 0, npsi * np * sizeof *s->grad);
  memset(s->gn, 0, npsi * np * np * sizeof *s->gn);
}

/* value g(s) of a term and its derivative, at a node of weight q; returns 0 where the term has no part in the node */
static int term_value(const mbd_sim *s, const mbd_term *k, double q, int last, mbd_real *g, mbd_real *g_s,
                      double *square) {
  const mbd_real e = s->y[k->output] - k->target;
  *square = 0;
  switch (k->form) {
    case MBD_INTEGRAL: *g = q * e, *g_s = q; break;
    case MBD_MEAN_SQUARE: q /= s->c.duration; /* fall through */
    case MBD_INTEGRAL_SQUARE: *g = q * e * e, *g_s = 2 * q * e, *square = q; break;
    case MBD_INTEGRAL_ABS: {
      mbd_real a = mbd_sqrt(e * e + k->smoothing * k->smoothing);
      *g = q * (a - k->smoothing);
      *g_s = mbd_re(a) > 0 ? q * e / a : 0;
      break;
    }
    case MBD_TERMINAL: *g = e, *g_s = 1; return last;
  }
  return 1;
}

/* y' of one output for all directions. */
static void output_sens(mbd_sim *s, int o) {
  const int n = s->m->nz, m = s->m->nphi, np = s->np;
  const output *item = &s->o->item[o];
  const output_state at = {s->t, s->now.lam};
  output_rows(s->p, s->w, item, &at, s->g_z, s->g_zd, s->g_zdd, s->g_lam);
  memset(s->yp, 0, (size_t)np * sizeof *s->yp);
  mbd_mul_add(1, n, np, 1, s->g_z, s->sens.z, s->yp);
  mbd_mul_add(1, n, np, 1, s->g_zd, s->sens.zd, s->yp);
  mbd_mul_add(1, n, np, 1, s->g_zdd, s->sens.zdd, s->yp);
  mbd_mul_add(1, m, np, 1, s->g_lam, s->sens.lam, s->yp);
  for (int k = 0; k < np; k++) { s->yp[k] += output_direction(s->p, s->d[k], s->w, sim_vary(s, k), item, &at); }
}

void quadrature_add(mbd_sim *s, double weight, int last, int gradient, int gauss_newton) {
  const int np = s->np;
  const output_state at = {s->t, s->now.lam};
  for (int o = 0; o < s->o->n; o++) { s->y[o] = output_value(s->p, s->w, &s->o->item[o], &at); }
  for (int o = 0; o < s->o->n; o++) {
    if (!s->wanted[o]) { continue; }
    if (gradient) { output_sens(s, o); }
    for (int i = 0; i < s->nterm; i++) {
      const mbd_term *k = &s->term[i];
      mbd_real g = 0, g_s = 0;
      double square = 0;
      if (k->output != o || !term_value(s, k, weight, last, &g, &g_s, &square)) { continue; }
      s->psi[k->psi] += k->weight * g;
      for (int a = 0; gradient && a < np; a++) { s->grad[k->psi * np + a] += k->weight * g_s * s->yp[a]; }
      for (int a = 0; gauss_newton && square > 0 && a < np; a++) {
        mbd_real *row = s->gn + ((size_t)k->psi * (size_t)np + (size_t)a) * (size_t)np;
        for (int b = 0; b < np; b++) { row[b] += 2 * k->weight * square * s->yp[a] * s->yp[b]; }
      }
    }
  }
}
