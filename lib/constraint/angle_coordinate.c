/* The angle between two bodies about an axis of the first, as a coordinate s that the user adds to the model. With v a direction of
 * the second body, e and f two directions of the first, perpendicular to the axis and to each other, f a quarter turn beyond e:
 *   Phi = theta - s  within half a turn of zero,   theta = arg zeta,   zeta = v.e + i v.f
 * theta is the imaginary part of log zeta and zeta bilinear in the arguments x = (v, e, f), so that along any directions
 *   theta_x dx = Im(dzeta/zeta),   theta_xx = Im(d2zeta/zeta - dzeta dzeta/zeta^2)
 *   d/dx (xd' theta_xx xd) = Im(-zetadd dzeta/zeta^2 - 2 zetad dzetad/zeta^2 + 2 zetad^2 dzeta/zeta^3)
 * with zetad = zeta_x xd, zetadd = xd' zeta_xx xd, dzetad = xd' zeta_xx dx.
 * Phi is lifted to z, and differentiated by time, in theory.md §4 (4.1), (4.2). */
#include "base/v3.h"
#include "constraint/constraint.h"

enum { V, E, F, ANGLE, VECTORS = ANGLE };

static const double smallest_projection = 1e-8; /* part of v across the axis below which it has no angle */

/* A complex number, whose parts may be complex themselves in the referee. */
typedef struct pair {
  mbd_real re, im;
} pair;

static pair times(pair a, pair b) {
  return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static pair zeta(const mbd_element_input *in) {
  const mbd_real(*x)[3] = CONST3(in->s->x);
  return (pair){v3_dot(x[V], x[E]), v3_dot(x[V], x[F])};
}

static pair inverse(pair a) {
  const mbd_real size2 = a.re * a.re + a.im * a.im;
  return (pair){a.re / size2, -a.im / size2};
}

/* g[x] += Im(w zeta_x) with zeta = y_V . (y_E + i y_F):  zeta_V = y_E + i y_F, zeta_E = y_V, zeta_F = i y_V */
static void add_gradient(pair w, const mbd_real (*y)[3], mbd_real (*g)[3]) {
  v3_axpy(g[V], w.im, y[E]);
  v3_axpy(g[V], w.re, y[F]);
  v3_axpy(g[E], w.im, y[V]);
  v3_axpy(g[F], w.re, y[V]);
}

static void angle_phi(const mbd_element_input *in, mbd_real *phi) {
  const mbd_real s = in->s->x[ANGLE][0], cs = mbd_cos(s), sn = mbd_sin(s);
  const pair z = zeta(in);
  const mbd_truth defined =
      mbd_re(z.re) * mbd_re(z.re) + mbd_re(z.im) * mbd_re(z.im) > smallest_projection * smallest_projection;
  phi[0] = mbd_select(defined, mbd_atan2(z.im * cs - z.re * sn, z.re * cs + z.im * sn), NAN);
}

static void angle_phi_x(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]) {
  add_gradient(inverse(zeta(in)), CONST3(in->s->x), J[0]);
  J[0][ANGLE][0] = -1;
}

/* Im(w d2zeta) + Im(u dzeta dzeta) with w = 1/zeta, u = -w^2 */
static void angle_phi_xx(const mbd_element_input *in, const mbd_real *weight, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  const pair w = inverse(zeta(in)), w2 = times(w, w), u = {-w2.re, -w2.im};
  const mbd_real(*x)[3] = CONST3(in->s->x), none[3] = {0, 0, 0}, s = weight[0];
  const mbd_real *re[VECTORS] = {[V] = x[E], [E] = x[V], [F] = none}; /* zeta_x */
  const mbd_real *im[VECTORS] = {[V] = x[F], [E] = none, [F] = x[V]};
  for (int a = 0; a < VECTORS; a++) {
    for (int b = 0; b < VECTORS; b++) {
      for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
          const pair square = {re[a][i] * re[b][k] - im[a][i] * im[b][k], re[a][i] * im[b][k] + im[a][i] * re[b][k]};
          H[a][b][3 * i + k] += s * (u.im * square.re + u.re * square.im);
        }
      }
    }
  }
  for (int i = 0; i < 3; i++) {
    H[V][E][4 * i] += s * w.im, H[E][V][4 * i] += s * w.im;
    H[V][F][4 * i] += s * w.re, H[F][V][4 * i] += s * w.re;
  }
}

static void angle_phi_xxx(const mbd_element_input *in, const mbd_real *weight, mbd_real (*g)[3]) {
  const mbd_real(*x)[3] = CONST3(in->s->x), (*xd)[3] = CONST3(in->s->xd), s = weight[0];
  const pair w = inverse(zeta(in)), w2 = times(w, w), w3 = times(w2, w);
  const pair zd = {v3_dot(xd[V], x[E]) + v3_dot(x[V], xd[E]), v3_dot(xd[V], x[F]) + v3_dot(x[V], xd[F])};
  const pair zdd = {2 * v3_dot(xd[V], xd[E]), 2 * v3_dot(xd[V], xd[F])};
  const pair bent = times(zdd, w2), turned = times(times(zd, zd), w3), rate = times(zd, w2);
  add_gradient((pair){s * (2 * turned.re - bent.re), s * (2 * turned.im - bent.im)}, x, g);
  add_gradient((pair){-2 * s * rate.re, -2 * s * rate.im}, xd, g);
}

/* A frame has six references, three axes on each body: the first along the axis, then e and f. */
enum { COORDINATE = 2, FIRST = 3, SECOND = 6 };

static const mbd_ref_info refs[] = {
    {"bodies", MBD_REF_BODY, 2, "the body that carries the axis, and the one whose turn is measured"},
    {"coordinate", MBD_REF_COORDINATE, 1, "the coordinate that is the angle"},
    {"axes", MBD_REF_FRAME, 2,
     "two vectors, each given on both bodies: the axis, and the direction from which the angle counts. Only its part "
     "perpendicular to the axis matters, and no length; the angle is zero where both vectors are parallel on both "
     "bodies"},
    {0}};

const mbd_constraint_ops mbd_constraint_angle_coordinate = {
    .info = {"angle_coordinate",
             "Makes an added coordinate s the angle of the second body relative to the first, about an axis of the "
             "first, over "
             "any number of turns: atan2(v . f, v . e) - s = 0, with e and f across the axis on the first body, v like "
             "e on the "
             "second. Where the second body's axis tilts, it is the angle of v seen along the first's.",
             refs, NO_COEFS, NO_CURVES},
    .image = IMAGE({"axes", MBD_IMAGE_AXIS}),
    .narg = 4,
    .arg = {[V] = {MBD_ARG_VECTOR, SECOND + 1, -1},
            [E] = {MBD_ARG_VECTOR, FIRST + 1, -1},
            [F] = {MBD_ARG_VECTOR, FIRST + 2, -1},
            [ANGLE] = {MBD_ARG_COORDINATE, COORDINATE, -1}},
    .nphi = 1,
    .lam_unit = "N m",
    .coordinate_unit = "rad",
    .frame_free = 1,
    PHI_QUADRATIC(angle),
    .phi_xxx = angle_phi_xxx,
};
