/* Newmark's family:
 *   z = z_ + h zd_ + h^2 ((1/2 - beta) zdd_ + beta zdd),   zd = zd_ + h ((1 - gamma) zdd_ + gamma zdd)
 * solved for v* = zd and a* = zdd, with dz = z - z_.
 * Equations: theory.md §5.1 (5.1). */
#include "integrator/integrator.h"

static mbd_scheme newmark_scheme(const mbd_case *k, mbd_real h) {
  const double b = k->beta, g = k->gamma;
  return (mbd_scheme){.c = g / (b * h),
                      .v_zd = 1 - g / b,
                      .v_zdd = h * (1 - g / (2 * b)),
                      .a = 1 / (b * h * h),
                      .a_zd = -1 / (b * h),
                      .a_zdd = 1 - 1 / (2 * b)};
}

static const mbd_case_option options[] = {
    CASE_OPTION(beta, 0, 0.25, 1e-6, 1, "", "Newmark's beta; 0.25 with gamma = 0.5: trapezoidal rule"),
    CASE_OPTION(gamma, 0, 0.5, 1e-6, 2, "", "Newmark's gamma; above 0.5: numerical damping"),
    {.key = NULL},
};

const mbd_integrator_ops mbd_integrator_newmark = {
    .name = "newmark",
    .doc =
        "Newmark's family, options beta and gamma: the trapezoidal rule as it stands, numerical damping (and order "
        "one) with gamma above 1/2.",
    .option = options,
    .order = 2,
    .scheme = newmark_scheme,
};
