/* The method of Dormand and Prince (J. Comput. Appl. Math. 6 (1980) 19-26): order five, seven stages of which the last is
 * the end of the step, with an embedded method of order four for the error, and the interpolation of order four in Hairer,
 * Norsett, Wanner, Solving Ordinary Differential Equations I, section II.6.
 * It integrates the differential equation of theory.md §5.3 (5.7) (adaptive_step.c). */
#include "integrator/integrator.h"

/* clang-format off */
static const double a[7 * 7] = {
    0,              0,              0,              0,            0,               0,         0,
    1.0 / 5,        0,              0,              0,            0,               0,         0,
    3.0 / 40,       9.0 / 40,       0,              0,            0,               0,         0,
    44.0 / 45,      -56.0 / 15,     32.0 / 9,       0,            0,               0,         0,
    19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0,              0,         0,
    9017.0 / 3168,  -355.0 / 33,    46732.0 / 5247, 49.0 / 176,   -5103.0 / 18656, 0,         0,
    35.0 / 384,     0,              500.0 / 1113,   125.0 / 192,  -2187.0 / 6784,  11.0 / 84, 0};
static const double b[7] = {
    35.0 / 384,     0,              500.0 / 1113,   125.0 / 192,  -2187.0 / 6784,  11.0 / 84, 0};
static const double error[7] = {
    71.0 / 57600,   0,              -71.0 / 16695,  71.0 / 1920,  -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
/* clang-format on */
static const double c[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double dense[7] = {-12715105075.0 / 11282082432,  0,
                                87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                69997945.0 / 29380423};
static const mbd_tableau pair = {.stages = 7, .a = a, .b = b, .c = c, .error = error, .error_order = 5, .dense = dense};

static const mbd_case_option options[] = {
    CASE_OPTION(
        rtol, 0, 1e-8, 1e-14, 1, "",
        "dormand_prince: error that a step of its own may make, relative to each independent coordinate and rate. "
        "Derivatives take no part in the choice of the steps: their errors go with rtol too, but are larger than "
        "those of the motion, seen up to 1e4 rtol"),
    CASE_OPTION(atol, 0, 1e-10, 1e-300, 1e300, "",
                "dormand_prince: error allowed beside that, in the units of the coordinates and rates"),
    CASE_OPTION(
        max_step, 0, 0, 0, 1e9, "s",
        "dormand_prince: longest step of its own; 0: no limit. A stiff model that starts at rest needs a limit: "
        "without motion there is no error, so that steps grow until the motion and its gradients are unstable"),
    {.key = NULL},
};

const mbd_integrator_ops mbd_integrator_dormand_prince = {
    .name = "dormand_prince",
    .doc =
        "The Runge-Kutta method of Dormand and Prince, explicit, of order five; for state-space formulations. It "
        "chooses its own steps, to options rtol, atol and max_step; nodes every `step` are interpolated between them.",
    .option = options,
    .order = 5,
    .tableau = &pair,
};
