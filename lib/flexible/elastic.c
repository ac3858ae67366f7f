/* Elasticity and damping of a flexible body, a force on the amplitudes eta of its shapes:
 *   f = -(K eta + D etad),    potential energy 1/2 eta' K eta
 * with K and D, n x n, as its coefficients. Equations: theory.md §12 (12.6). */
#include "base/v3.h"
#include "flexible/beam.h"

/* The number of shapes is the variant of the operations. */
static int nshape(const mbd_element_input *in) {
  return in->variant;
}

/* x_a sum over b of A_ab x_b, A [n][n] */
static mbd_real quadratic(int n, const mbd_real *A, const mbd_real (*x)[3]) {
  mbd_real sum = 0;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) { sum += x[a][0] * A[n * a + b] * x[b][0]; }
  }
  return sum;
}

/* f_a = -sum_b (K_ab x_b + D_ab xd_b) */
static void elastic_force(int n, const mbd_real *K, const mbd_arg_state *s, mbd_real (*f)[3]) {
  const mbd_real *D = K + n * n;
  for (int a = 0; a < n; a++) {
    v3_set(f[a], 0, 0, 0);
    for (int b = 0; b < n; b++) { f[a][0] -= K[n * a + b] * s->x[b][0] + D[n * a + b] * s->xd[b][0]; }
  }
}

static void elastic_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  elastic_force(nshape(in), in->c, in->s, f);
}

static void elastic_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                        mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  const int n = nshape(in);
  elastic_f(in, f);
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) { K[a][b][0] = -in->c[n * a + b], D[a][b][0] = -in->c[n * (n + a) + b]; }
  }
}

static void elastic_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  elastic_force(nshape(in), d->dc, in->s, df);
}

static mbd_real elastic_potential(const mbd_element_input *in) {
  return quadratic(nshape(in), in->c, CONST3(in->s->x)) / 2;
}

static mbd_real elastic_potential_c(const mbd_element_input *in, const mbd_element_direction *d) {
  return quadratic(nshape(in), d->dc, CONST3(in->s->x)) / 2;
}

/* The only output is the potential energy. */
static mbd_real elastic_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  const int n = nshape(in);
  (void)k, (void)g_xd;
  for (int a = 0; a < n; a++) {
    g_x[a][0] = 0;
    for (int b = 0; b < n; b++) { g_x[a][0] += in->c[n * a + b] * in->s->x[b][0]; }
  }
  return elastic_potential(in);
}

static mbd_real elastic_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  (void)k;
  return elastic_potential_c(in, d);
}

void beam_elastic(int n, mbd_coef_info coefs[3], mbd_force_ops *ops) {
  static const mbd_ref_info no_refs[] = {{0}};
  coefs[0] = (mbd_coef_info){"stiffness", n * n, "J", 0, MBD_ANY, "stiffness K on the amplitudes of the shapes"};
  coefs[1] = (mbd_coef_info){"damping", n * n, "J s", 0, MBD_ANY, "damping D"};
  coefs[2] = (mbd_coef_info){0};
  *ops = (mbd_force_ops){
      .info = {"elastic", "Elasticity and damping of a flexible body.", no_refs, coefs, NO_CURVES},
      .look = MBD_LOOK_NONE,
      .variant = n,
      .narg = n,
      .frame_free = 1,
      FORCE_F(elastic),
      FORCE_POTENTIAL(elastic),
      .nscalar = 1,
      .scalar_name = {"energy"},
      .scalar_unit = {"J"},
      FORCE_SCALARS(elastic),
  };
}
