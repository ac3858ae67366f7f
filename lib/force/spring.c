/* Translational spring-damper between two points, one argument x = r_2 - r_1:
 *   s = |x|, u = x/s, sd = u . xd,   F = k (s - l0) + c sd + F_s(s) + F_v(sd),   f = -F u
 *   df/dx  = -[ u (F_s u' + F_sd w'/s) + (F/s)(1 - u u') ],  w = xd - sd u
 *   df/dxd = -F_sd u u' */
#include "force/force.h"
#include "la/v3.h"

enum { STIFFNESS, DAMPING, FREE_LENGTH };
enum { FORCE_OF_LENGTH, FORCE_OF_SPEED };

typedef struct spring_state {
  mbd_real s, sd, u[3];  /* length, speed, direction */
  mbd_real F, F_s, F_sd; /* tension and its slopes */
} spring_state;

static void spring_evaluate(const mbd_element_input *in, spring_state *q) {
  const mbd_real *x = in->s->x[0], *c = in->c;
  q->s = mbd_sqrt(v3_dot(x, x));
  v3_scale(q->u, 1 / q->s, x);
  q->sd = v3_dot(q->u, in->s->xd[0]);
  q->F = c[STIFFNESS] * (q->s - c[FREE_LENGTH]) + c[DAMPING] * q->sd;
  q->F_s = c[STIFFNESS];
  q->F_sd = c[DAMPING];
  if (in->curve[FORCE_OF_LENGTH]) {
    mbd_curve_value v;
    mbd_element_curve(in, FORCE_OF_LENGTH, q->s, &v);
    q->F += v.y, q->F_s += v.yx;
  }
  if (in->curve[FORCE_OF_SPEED]) {
    mbd_curve_value v;
    mbd_element_curve(in, FORCE_OF_SPEED, q->sd, &v);
    q->F += v.y, q->F_sd += v.yx;
  }
}

static mbd_real spring_dF(const mbd_element_input *in, const spring_state *q, const mbd_element_direction *d) {
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
  spring_state q;
  spring_evaluate(in, &q);
  v3_scale(f[0], -q.F, q.u);
}

static void spring_f_x(const mbd_element_input *in, mbd_real (*K)[MBD_ARG_MAX][9], mbd_real (*D)[MBD_ARG_MAX][9]) {
  spring_state q;
  spring_evaluate(in, &q);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      mbd_real uu = q.u[i] * q.u[j], w = in->s->xd[0][j] - q.sd * q.u[j];
      K[0][0][3 * i + j] = -q.u[i] * (q.F_s * q.u[j] + q.F_sd * w / q.s) - q.F / q.s * ((i == j) - uu);
      D[0][0][3 * i + j] = -q.F_sd * uu;
    }
  }
}

static void spring_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  spring_state q;
  spring_evaluate(in, &q);
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

/* length: g_x = u;  speed: g_x = w/s, g_xd = u;  force: by the chain rule through both */
static mbd_real spring_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  spring_state q;
  spring_evaluate(in, &q);
  mbd_real by_length = k == 0 ? 1 : k == 1 ? 0 : q.F_s, by_speed = k == 0 ? 0 : k == 1 ? 1 : q.F_sd;
  for (int i = 0; i < 3; i++) {
    mbd_real w = in->s->xd[0][i] - q.sd * q.u[i];
    g_x[0][i] = by_length * q.u[i] + by_speed * w / q.s;
    g_xd[0][i] = by_speed * q.u[i];
  }
  return k == 0 ? q.s : k == 1 ? q.sd : q.F;
}

static mbd_real spring_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  spring_state q;
  if (k != 2) { return 0; }
  spring_evaluate(in, &q);
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
    .f = spring_f,
    .f_x = spring_f_x,
    .f_c = spring_f_c,
    .potential = spring_potential,
    .potential_c = spring_potential_c,
    .nscalar = 3,
    .scalar_name = {"length", "speed", "force"},
    .scalar_unit = {"m", "m/s", "N"},
    .scalar = spring_scalar,
    .scalar_c = spring_scalar_c,
};
