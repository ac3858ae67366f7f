/* Spring-damper on a coordinate (rotational on a joint angle, translational on a joint distance):
 *   F = k (z - z0) + c zd + F_z(z) + F_v(zd),   f = -F */
#include "force/force.h"

enum { STIFFNESS, DAMPING, FREE_ANGLE };
enum { FORCE_OF_ANGLE, FORCE_OF_SPEED };

typedef struct torsion_state {
  mbd_real z, zd, F, F_z, F_zd;
} torsion_state;

static void torsion_evaluate(const mbd_element_input *in, torsion_state *q) {
  const mbd_real *c = in->c;
  q->z = in->s->x[0][0];
  q->zd = in->s->xd[0][0];
  q->F = c[STIFFNESS] * (q->z - c[FREE_ANGLE]) + c[DAMPING] * q->zd;
  q->F_z = c[STIFFNESS];
  q->F_zd = c[DAMPING];
  if (in->curve[FORCE_OF_ANGLE]) {
    mbd_curve_value v;
    mbd_element_curve(in, FORCE_OF_ANGLE, q->z, &v);
    q->F += v.y, q->F_z += v.yx;
  }
  if (in->curve[FORCE_OF_SPEED]) {
    mbd_curve_value v;
    mbd_element_curve(in, FORCE_OF_SPEED, q->zd, &v);
    q->F += v.y, q->F_zd += v.yx;
  }
}

static mbd_real torsion_dF(const mbd_element_input *in, const torsion_state *q, const mbd_element_direction *d) {
  const mbd_real *c = in->c, *dc = d->dc;
  mbd_curve_value dv;
  mbd_real dF = dc[STIFFNESS] * (q->z - c[FREE_ANGLE]) - c[STIFFNESS] * dc[FREE_ANGLE] + dc[DAMPING] * q->zd;
  if (in->curve[FORCE_OF_ANGLE]) {
    mbd_element_dcurve(in, d, FORCE_OF_ANGLE, q->z, &dv);
    dF += dv.y;
  }
  if (in->curve[FORCE_OF_SPEED]) {
    mbd_element_dcurve(in, d, FORCE_OF_SPEED, q->zd, &dv);
    dF += dv.y;
  }
  return dF;
}

static void torsion_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  torsion_state q;
  torsion_evaluate(in, &q);
  f[0][0] = -q.F;
  f[0][1] = f[0][2] = 0;
}

static void torsion_f_x(const mbd_element_input *in, mbd_real (*K)[MBD_ARG_MAX][9], mbd_real (*D)[MBD_ARG_MAX][9]) {
  torsion_state q;
  torsion_evaluate(in, &q);
  K[0][0][0] = -q.F_z;
  D[0][0][0] = -q.F_zd;
}

static void torsion_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  torsion_state q;
  torsion_evaluate(in, &q);
  df[0][0] = -torsion_dF(in, &q, d);
  df[0][1] = df[0][2] = 0;
}

static mbd_real torsion_potential(const mbd_element_input *in) {
  mbd_real e = in->s->x[0][0] - in->c[FREE_ANGLE];
  return in->c[STIFFNESS] * e * e / 2;
}

static mbd_real torsion_potential_c(const mbd_element_input *in, const mbd_element_direction *d) {
  mbd_real e = in->s->x[0][0] - in->c[FREE_ANGLE];
  return d->dc[STIFFNESS] * e * e / 2 - in->c[STIFFNESS] * e * d->dc[FREE_ANGLE];
}

static mbd_real torsion_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  torsion_state q;
  (void)k;
  torsion_evaluate(in, &q);
  g_x[0][0] = q.F_z;
  g_xd[0][0] = q.F_zd;
  return q.F;
}

static mbd_real torsion_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  torsion_state q;
  (void)k;
  torsion_evaluate(in, &q);
  return torsion_dF(in, &q, d);
}

static const mbd_ref_info refs[] = {{"coordinate", MBD_REF_COORDINATE, 1, "the coordinate it acts on"}, {0}};
static const mbd_coef_info coefs[] = {{"stiffness", 1, "N m/rad", 0, -1e300, 1e300, "linear stiffness k"},
                                      {"damping", 1, "N m s/rad", 0, -1e300, 1e300, "linear damping c"},
                                      {"free_angle", 1, "rad", 0, -1e300, 1e300, "value z0 without force"},
                                      {0}};
static const mbd_curve_info curves[] = {
    {"force_of_angle", 0, "additional torque [N m] as a function of the coordinate [rad]"},
    {"force_of_speed", 0, "additional torque [N m] as a function of its rate [rad/s]"},
    {0}};

const mbd_force_ops mbd_force_torsion_spring = {
    .info = {"torsion_spring",
             "Rotational spring-damper on a joint coordinate: torque F = k (z - z0) + c zd + F_z(z) + F_v(zd) against "
             "its motion (a force, on a coordinate that is a length).",
             refs, coefs, curves},
    .narg = 1,
    .arg = {{MBD_ARG_COORDINATE, 0, -1}},
    .frame_free = 1,
    .f = torsion_f,
    .f_x = torsion_f_x,
    .f_c = torsion_f_c,
    .potential = torsion_potential,
    .potential_c = torsion_potential_c,
    .nscalar = 1,
    .scalar_name = {"force"},
    .scalar_unit = {NULL},
    .scalar = torsion_scalar,
    .scalar_c = torsion_scalar_c,
};
