/* Ratio of the rates of two distances from planes in the motion that a mechanism admits, so that it exists at rest, too (mobility.h): a velocity coefficient of
 * kinematics, such as the slope of a wheel's track over its travel, or of its turn over the length of a tie rod.
 *
 *   s_k = d_k . n_k/|n_k|,  d_k the difference of two points,  n_k a vector
 *   N_k = (u_d . n_k + d_k . u_n)/|n_k|,  u the virtual velocities of d_k and n_k, as |n_k| stays
 *   y = N_1/N_2
 *   y' = (N_1' - y N_2')/N_2,   N' = (n . u_d' + u_n . d' + d . u_n' + u_d . n')/|n| - N n . n'/|n|^2
 * Equations: theory.md §4 (4.5). */
#include <string.h>

#include "base/v3.h"
#include "output/mobility.h"

/* d_1, n_1, d_2, n_2 */
enum { MEASURED, REFERENCE = 2 };

static void ratio_arguments(const mbd_model *m, const output *o, mbd_lift *l) {
  (void)m;
  l->narg = 4;
  for (int k = 0; k < 2; k++) {
    const int *ref = o->ref + 3 * k;
    l->arg[2 * k] = (mbd_arg){MBD_ARG_POINT, ref[0], ref[1]};
    l->arg[2 * k + 1] = (mbd_arg){MBD_ARG_VECTOR, ref[2], -1};
  }
}

/* The motion with the largest N_2. */
static void ratio_covector(const mobility_at *s, int k, int which, mbd_real (*f)[3]) {
  const mbd_real *d = s->x[REFERENCE], *n = s->x[REFERENCE + 1], length = mbd_sqrt(v3_dot(n, n));
  (void)k, (void)which;
  v3_scale(f[REFERENCE], 1 / length, n);
  v3_scale(f[REFERENCE + 1], 1 / length, d);
}

/* N of the arguments from `first` on; g += scale N' */
static mbd_real rate_of(const mobility_at *s, int first) {
  const mbd_real *n = s->x[first + 1];
  return (v3_dot(s->u[0][first], n) + v3_dot(s->x[first], s->u[0][first + 1])) / mbd_sqrt(v3_dot(n, n));
}

static void add_rate(const mobility_at *s, int first, mbd_real N, mbd_real scale, mobility_at *g) {
  const mbd_real *d = s->x[first], *n = s->x[first + 1], *u_d = s->u[0][first], *u_n = s->u[0][first + 1];
  const mbd_real square = v3_dot(n, n), factor = scale / mbd_sqrt(square);
  v3_axpy(g->u[0][first], factor, n);
  v3_axpy(g->u[0][first + 1], factor, d);
  v3_axpy(g->x[first], factor, u_n);
  v3_axpy(g->x[first + 1], factor, u_d);
  v3_axpy(g->x[first + 1], -scale * N / square, n);
}

static int ratio_eval(const mobility_at *s, mbd_real y[3], mobility_at g[3]) {
  const mbd_real N = rate_of(s, MEASURED), reference = rate_of(s, REFERENCE);
  memset(g, 0, 3 * sizeof *g);
  v3_set(y, N / reference, 0, 0);
  add_rate(s, MEASURED, N, 1 / reference, &g[0]);
  add_rate(s, REFERENCE, reference, -y[0] / reference, &g[0]);
  return 1;
}

static const mobility_formula ratio = {.motions = 1, .candidates = 1, .covector = ratio_covector, .eval = ratio_eval};

const output_object output_velocity_ratios = {
    .word = "velocity_ratio(POINT, POINT, VECTOR, POINT, POINT, VECTOR, CONSTRAINT)",
    .relation = "velocity_ratio",
    .takes = "PPVPPVC",
    .noun = "velocity_ratio",
    .row = (const output_ops[]){
        {.quantity = "",
         .unit = "",
         .doc =
             "rate of distance(POINT, POINT, VECTOR) of the first three over that of the next three, in the motion "
             "that "
             "joints and constraints allow without the constraint, whether the mechanism moves or not: the slope of "
             "one "
             "distance over another, as that of a wheel's track over its travel without the constraint that drives it. "
             "It is not defined where they allow no motion in which the second one changes, or several in which the "
             "slopes differ (bushings in place of joints)",
         .value = mobility_value,
         .rows = mobility_rows,
         .direction = mobility_direction,
         .reverse = mobility_reverse,
         .formula = &ratio,
         .make = mobility_create,
         .arguments = ratio_arguments},
        {0}}};
