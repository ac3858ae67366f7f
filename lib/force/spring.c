/* Translational spring-damper between two points, along their line (line.h):
 *   F = k (s - l0) + c sd + F_s(s) + F_v(sd) */
#include "force/line.h"

enum { STIFFNESS, DAMPING, FREE_LENGTH };
enum { FORCE_OF_LENGTH, FORCE_OF_SPEED };

static void spring_evaluate(const mbd_element_input *in, force_line *q, line_tension *T) {
  const mbd_real *c = in->c;
  line_evaluate(in, q);
  *T = (line_tension){c[STIFFNESS] * (q->s - c[FREE_LENGTH]) + c[DAMPING] * q->sd, c[STIFFNESS], c[DAMPING]};
  if (in->curve[FORCE_OF_LENGTH]) {
    mbd_curve_value v;
    mbd_element_curve(in, FORCE_OF_LENGTH, q->s, &v);
    T->F += v.y, T->F_s += v.yx;
  }
  if (in->curve[FORCE_OF_SPEED]) {
    mbd_curve_value v;
    mbd_element_curve(in, FORCE_OF_SPEED, q->sd, &v);
    T->F += v.y, T->F_sd += v.yx;
  }
}

static mbd_real spring_dF(const mbd_element_input *in, const force_line *q, const mbd_element_direction *d) {
  const mbd_real *c = in->c, *dc = d->dc;
  mbd_curve_value dv;
  mbd_real dF = dc[STIFFNESS] * (q->s - c[FREE_LENGTH]) - c[STIFFNESS] * dc[FREE_LENGTH] + dc[DAMPING] * q->sd;
  if (in->curve[FORCE_OF_LENGTH]) {
    mbd_element_dcurve(in, d, FORCE_OF_LENGTH, q->s, &dv);
    dF += dv.y;
  }
  if (in->curve[FORCE_OF_SPEED]) {
    mbd_element_dcurve(in, d, FORCE_OF_SPEED, q->sd, &dv);
    dF += dv.y;
  }
  return dF;
}

static void spring_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  force_line q;
  line_tension T;
  spring_evaluate(in, &q, &T);
  v3_scale(f[0], -T.F, q.u);
}

static void spring_f_x(const mbd_element_input *in, mbd_real (*K)[MBD_ARG_MAX][9], mbd_real (*D)[MBD_ARG_MAX][9]) {
  force_line q;
  line_tension T;
  spring_evaluate(in, &q, &T);
  line_f_x(&q, &T, K[0][0], D[0][0]);
}

static void spring_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  force_line q;
  line_evaluate(in, &q);
  v3_scale(df[0], -spring_dF(in, &q, d), q.u);
}

static mbd_real spring_potential(const mbd_element_input *in) {
  mbd_real s = mbd_sqrt(v3_dot(in->s->x[0], in->s->x[0])), e = s - in->c[FREE_LENGTH];
  return in->c[STIFFNESS] * e * e / 2;
}

static mbd_real spring_potential_c(const mbd_element_input *in, const mbd_element_direction *d) {
  mbd_real s = mbd_sqrt(v3_dot(in->s->x[0], in->s->x[0])), e = s - in->c[FREE_LENGTH];
  return d->dc[STIFFNESS] * e * e / 2 - in->c[STIFFNESS] * e * d->dc[FREE_LENGTH];
}

static mbd_real spring_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  force_line q;
  line_tension T;
  spring_evaluate(in, &q, &T);
  return line_scalar(&q, &T, k, g_x[0], g_xd[0]);
}

static mbd_real spring_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  force_line q;
  if (k != LINE_FORCE) { return 0; }
  line_evaluate(in, &q);
  return spring_dF(in, &q, d);
}

static const mbd_ref_info refs[] = {{"points", MBD_REF_POINT, 2, "its two ends"}, {0}};
static const mbd_coef_info coefs[] = {{"stiffness", 1, "N/m", 0, -1e300, 1e300, "linear stiffness k"},
                                      {"damping", 1, "N s/m", 0, -1e300, 1e300, "linear damping c"},
                                      {"free_length", 1, "m", 0, 0, 1e300, "length l0 without force"},
                                      {0}};
static const mbd_curve_info curves[] = {
    {"force_of_length", 0, "additional tension [N] as a function of the length [m]"},
    {"force_of_speed", 0, "additional tension [N] as a function of the lengthening speed [m/s]"},
    {0}};

const mbd_force_ops mbd_force_spring = {
    .info = {"spring",
             "Spring-damper between two points: tension F = k (s - l0) + c sd + F_s(s) + F_v(sd), s their distance.",
             refs, coefs, curves},
    .narg = 1,
    .arg = {{MBD_ARG_POINT, 1, 0}},
    .frame_free = 1,
    .look = MBD_LOOK_SPRING,
    .f = spring_f,
    .f_x = spring_f_x,
    .f_c = spring_f_c,
    .potential = spring_potential,
    .potential_c = spring_potential_c,
    LINE_SCALARS,
    .scalar = spring_scalar,
    .scalar_c = spring_scalar_c,
};
