/* Anti-roll bar: spring-damper on the difference of two coordinates,
 *   F = k (z_1 - z_2 - d) + c (zd_1 - zd_2),   f_1 = -F,  f_2 = +F */
#include "force/force.h"
#include "base/v3.h"

enum { STIFFNESS, DAMPING, OFFSET };

/* Difference of the coordinates beyond its free value, and its rate. */
static mbd_real bar_twist(const mbd_element_input *in) {
  return in->s->x[0][0] - in->s->x[1][0] - in->c[OFFSET];
}

static mbd_real bar_rate(const mbd_element_input *in) {
  return in->s->xd[0][0] - in->s->xd[1][0];
}

static mbd_real bar_F(const mbd_element_input *in) {
  return in->c[STIFFNESS] * bar_twist(in) + in->c[DAMPING] * bar_rate(in);
}

static mbd_real bar_dF(const mbd_element_input *in, const mbd_element_direction *d) {
  const mbd_real *dc = d->dc;
  return dc[STIFFNESS] * bar_twist(in) - in->c[STIFFNESS] * dc[OFFSET] + dc[DAMPING] * bar_rate(in);
}

static void bar_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  mbd_real F = bar_F(in);
  v3_set(f[0], -F, 0, 0);
  v3_set(f[1], F, 0, 0);
}

static void bar_f_x(const mbd_element_input *in, mbd_real (*K)[MBD_ARG_MAX][9], mbd_real (*D)[MBD_ARG_MAX][9]) {
  for (int a = 0; a < 2; a++) {
    for (int b = 0; b < 2; b++) {
      K[a][b][0] = a == b ? -in->c[STIFFNESS] : in->c[STIFFNESS];
      D[a][b][0] = a == b ? -in->c[DAMPING] : in->c[DAMPING];
    }
  }
}

static void bar_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  mbd_real dF = bar_dF(in, d);
  v3_set(df[0], -dF, 0, 0);
  v3_set(df[1], dF, 0, 0);
}

static mbd_real bar_potential(const mbd_element_input *in) {
  mbd_real e = bar_twist(in);
  return in->c[STIFFNESS] * e * e / 2;
}

static mbd_real bar_potential_c(const mbd_element_input *in, const mbd_element_direction *d) {
  mbd_real e = bar_twist(in);
  return d->dc[STIFFNESS] * e * e / 2 - in->c[STIFFNESS] * e * d->dc[OFFSET];
}

static mbd_real bar_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  (void)k;
  g_x[0][0] = in->c[STIFFNESS], g_x[1][0] = -in->c[STIFFNESS];
  g_xd[0][0] = in->c[DAMPING], g_xd[1][0] = -in->c[DAMPING];
  return bar_F(in);
}

static mbd_real bar_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  (void)k;
  return bar_dF(in, d);
}

static const mbd_ref_info refs[] = {
    {"coordinates", MBD_REF_COORDINATE, 2, "the two coordinates, such as the angles of the left and the right arm"},
    {0}};
static const mbd_coef_info coefs[] = {
    {"stiffness", 1, "N m/rad", 0, -1e300, 1e300, "stiffness k (N/m on lengths)"},
    {"damping", 1, "N m s/rad", 0, -1e300, 1e300, "damping c (N s/m on lengths)"},
    {"offset", 1, "rad", 0, -1e300, 1e300, "difference d without force (m on lengths)"},
    {0}};
static const mbd_curve_info curves[] = {{0}};

const mbd_force_ops mbd_force_anti_roll_bar = {
    .info = {"anti_roll_bar",
             "Anti-roll bar, a spring-damper on the difference of two coordinates: F = k (z1 - z2 - d) + c (z1d - z2d) "
             "against the motion of the first and along that of the second. Both must grow alike in pure bounce: turn "
             "the axis of one joint where they do not.",
             refs, coefs, curves},
    .narg = 2,
    .arg = {{MBD_ARG_COORDINATE, 0, -1}, {MBD_ARG_COORDINATE, 1, -1}},
    .frame_free = 1,
    .f = bar_f,
    .f_x = bar_f_x,
    .f_c = bar_f_c,
    .potential = bar_potential,
    .potential_c = bar_potential_c,
    .nscalar = 1,
    .scalar_name = {"force"},
    .scalar_unit = {NULL},
    .scalar = bar_scalar,
    .scalar_c = bar_scalar_c,
};
