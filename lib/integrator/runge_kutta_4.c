/* The classical Runge-Kutta method of order four. It integrates the differential equation of theory.md §5.3 (5.7) (explicit_step.c). */
#include "integrator/integrator.h"

static const double a[4 * 4] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
static const double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const double c[4] = {0, 0.5, 0.5, 1};
static const mbd_tableau classical = {.stages = 4, .a = a, .b = b, .c = c};

const mbd_integrator_ops mbd_integrator_runge_kutta_4 = {
    .name = "runge_kutta_4",
    .doc = "The classical Runge-Kutta method, explicit, of order four; for state-space formulations.",
    .order = 4,
    .tableau = &classical,
};
