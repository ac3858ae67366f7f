/* Generalized-alpha (Chung and Hulbert 1993), with an algorithmic acceleration acc beside the true one zdd, as required
 * for constrained systems (Arnold and Bruels 2007):
 *   z = z_ + h zd_ + h^2 ((1/2 - beta) acc_ + beta acc),   zd = zd_ + h ((1 - gamma) acc_ + gamma acc)
 *   (1 - alpha_m) acc + alpha_m acc_ = (1 - alpha_f) zdd + alpha_f zdd_
 * The equations of motion hold at the nodes. With r the spectral radius at infinite frequency,
 *   alpha_m = (2 r - 1)/(r + 1),  alpha_f = r/(r + 1),  gamma = 1/2 - alpha_m + alpha_f,  beta = (gamma + 1/2)^2/4
 * give order two and the least damping of low frequencies for that r. Solved for v* = zd and a* = zdd,
 * with w = (1 - alpha_m)/(1 - alpha_f):
 *   acc = (dz/h - zd_)/(beta h) + (1 - 1/(2 beta)) acc_
 *   a*  = w acc + (alpha_m acc_ - alpha_f zdd_)/(1 - alpha_f)
 * Equations: theory.md §5.1 (5.1), with acc_ beside zdd_. */
#include "integrator/integrator.h"

static mbd_scheme generalized_alpha_scheme(const mbd_case *k, mbd_real h) {
  const double r = k->rho_inf, alpha_m = (2 * r - 1) / (r + 1), alpha_f = r / (r + 1);
  const double g = 0.5 - alpha_m + alpha_f, b = (g + 0.5) * (g + 0.5) / 4, w = (1 - alpha_m) / (1 - alpha_f);
  return (mbd_scheme){.c = g / (b * h),
                      .v_zd = 1 - g / b,
                      .v_acc = h * (1 - g / (2 * b)),
                      .a = w / (b * h * h),
                      .a_zd = -w / (b * h),
                      .a_zdd = -alpha_f / (1 - alpha_f),
                      .a_acc = w * (1 - 1 / (2 * b)) + alpha_m / (1 - alpha_f),
                      .acc_zdd = 1 / w,
                      .acc_zdd_before = alpha_f / (1 - alpha_m),
                      .acc_acc = -alpha_m / (1 - alpha_m),
                      .has_acc = 1};
}

static const mbd_case_option options[] = {
    CASE_OPTION(rho_inf, 0, 0.8, 0, 1, "",
                "generalized_alpha: spectral radius at infinite frequency, the part of the fastest oscillations that a "
                "step keeps; 1: no damping, the trapezoidal rule; 0: a step removes them"),
    {.key = NULL},
};

const mbd_integrator_ops mbd_integrator_generalized_alpha = {
    .name = "generalized_alpha",
    .doc =
        "Generalized-alpha of order two, option rho_inf: damps the oscillations that the step cannot resolve, and "
        "hardly those that it can.",
    .option = options,
    .order = 2,
    .scheme = generalized_alpha_scheme,
};
