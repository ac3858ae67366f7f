/* A run file as an initial value problem for integrators of others, in the independent coordinates of a state-space formulation:
 *   y = [xi; eta],   y' = f(t, y; rho) = [eta; F(xi, eta, t; rho)],   psi = integral of g(t, y; rho)          (theory.md §5.3, §6)
 * with f, g and their derivatives from libmbd, so that a comparison is one of integrators and of strategies for sensitivities:
 *   forward    y_k' = f_y y_k + f_rho_k,   psi_k = integral of (g_y . y_k + g_rho_k)
 *   adjoint    mu' = -f_y^T mu - g_y^T, mu(T) = 0,   psi_k = mu(0) . y_k(0) + integral of (f_rho_k . mu + g_rho_k) */
#ifndef MBD_BENCH_RHS_H
#define MBD_BENCH_RHS_H

#include "opened.h"
#include "state/adjoint.h"

typedef struct rhs {
  const mechanism *m; /* of the run file, with one case and one objective */
  mechanism_case *load;
  mbd_sim *s; /* with memory for max(directions, ny) directions */
  sim_adjoint *a;
  params_reverse *all, *none; /* reverse sweeps: derivatives by the variables' coefficients; by none */
  mbd_dparams **still;        /* [ny] the direction along which no coefficient changes */
  int nf, ny, n;              /* independent coordinates, 2 nf, variables */
  double T, *y0;
  double size,
      mu; /* absolute tolerances of peers are relative to these: the largest entry of the gradient times its variable's scale, of mu(0) */
  double t, *y;          /* the last evaluation; NAN: none */
  double *dy;            /* [nf] */
  double *by_y, *by_rho; /* [ny], [n] scratch */
  mbd_error err;
  long evaluations, jacobians, sens, backs; /* of f, f_y, f_y y_k + f_rho_k for all k, transposes */
} rhs;

/* With the formulation, reference and start of the run file's case; directions: most variables of forward sensitivities. r keeps references to the
 * problem. */
mbd_status rhs_open(opened *of, int directions, rhs *r, mbd_error *err);
void rhs_close(rhs *r);

/* The start: y0 [ny], and with np > 0 directions y0_k: yS [np][ny]. Resets the counts. */
mbd_status rhs_begin(rhs *r, int np, double *const *yS, mbd_error *err);

/* y [ny] of all coordinates z, zd [nz] */
void rhs_read(const rhs *r, const double *z, const double *zd, double *y);

/* Absolute tolerances [n] of the gradient's entries for a relative one: of the largest entry times its variable's scale. */
void rhs_tolerances(const rhs *r, double relative, double *absolute);

/* Each returns 0; 1: the motion cannot be computed there; the message is in r->err. */
int rhs_f(rhs *r, double t, const double *y, double *yd);
int rhs_jacobian(rhs *r, double t, const double *y, int transposed, double *J); /* f_y [ny][ny], by columns */
int rhs_sens(rhs *r, double t, const double *y, int np, double *const *yS, double *const *ySd);
int rhs_g(rhs *r, double t, const double *y, double *g);
int rhs_g_sens(rhs *r, double t, const double *y, int np, double *const *yS,
               double *const *gS); /* g_y . y_k + g_rho_k */
/* by_y [ny] (NULL: not wanted) = f_y^T mu (NULL: 0) + of_g g_y; by_rho [n] (NULL: not wanted) = f_rho^T mu + of_g g_rho */
int rhs_back(rhs *r, double t, const double *y, const double *mu, int of_g, double *by_y, double *by_rho);
/* by_rho [n] += y0_rho^T mu */
int rhs_start_back(rhs *r, const double *mu, double *by_rho);

#endif
