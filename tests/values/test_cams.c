/* Parts roller_follower, flat_follower, rocker_follower and noncircular_gears against cams that are eccentric discs and gears that are ellipses. A driven shaft turns at
 * w = 3 rad/s from an angle of 0.4 rad, with what follows it on a prismatic or a revolute joint. */
#include "values.h"

static const double w = 3, begin = 0.4, tol = 1e-12;

static const char model[] =
    "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n"
    "[body shaft]\nmass = 1\ncom = 0, 0, 0\ninertia = 1e-3, 1e-3, 1e-3\n[body moved]\nmass = 0.7\ncom = 0, 0, "
    "0\ninertia = 0.02, 0.03, 0.05\n[point O]\nat = 0, 0, 0\nbodies = ground, shaft, moved\n[vector z]\nalong = 0, 0, "
    "1\nbodies = ground, shaft, moved\n[vector y]\nalong = 0, 1, 0\nbodies = ground, moved\n"
    "[joint turn]\ntype = revolute\nbodies = ground, shaft\npoint = O\naxis = z\n[constraint drive]\ntype = "
    "driven_coordinate\ncoordinate = turn.angle\nmotion = turning\n[curve turning]\ntype = polynomial\ncoefficients = "
    "0.4, 3\n";
static const char slide[] =
    "[joint slide]\ntype = prismatic\nbodies = ground, moved\naxis = y\n"
    "[force spring]\ntype = expression\ncoordinate = slide.distance\nvalue = -40 - 900*slide.distance\n"
    "[part p]\ncoordinate.cam = turn.angle\ncoordinate.follower = slide.distance\ncurve.motion = f\n";

static test_model open_follower(const char *more) {
  char text[4000];
  snprintf(text, sizeof text, "%s%s%s", model, slide, more);
  return model_open_text(text);
}

/* An output of the part at time t, where the shaft has turned by w t. */
static double at_time(const test_model *q, const char *name, double t) {
  mbd_case c = case_lasting(t > 0 ? t : 1, (t > 0 ? t : 1) / 100);
  c.analysis = "kinematic", c.tolerance = 1e-13;
  return value_after(q, &c, name, t > 0 ? 100 : 0);
}

/* The disc has the radius R and the centre (0, d) on the cam, which turns to (-d sin a, d cos a). The centre of a roller of radius r on the line x = e is
 * at the distance R + r from it: with q = e + d sin a, D = sqrt((R + r)^2 - q^2) at y = d cos a + D. */
static void test_roller(void) {
  const double R = 0.05, r = 0.012, d = 0.02, e = 0.007, prime = 0.045, P = R + r;
  test_model q = open_follower(
      "use = roller_follower\nscalar.prime = 0.045\nscalar.roller = 0.012\nscalar.offset = 0.007\nscalar.phase = 0.3\n"
      "[curve f]\ntype = expression\nvalue = 0.02*cos(x + 0.3) + sqrt(0.062^2 - (0.007 + 0.02*sin(x + 0.3))^2) - "
      "sqrt(0.045^2 - 0.007^2)\n");
  for (int k = 0; k < 6; k++) {
    const double t = 0.35 * k, a = begin + w * t, across = e + d * sin(a), D = sqrt(P * P - across * across);
    const double s = d * cos(a) + D - sqrt(prime * prime - e * e), along = d * cos(a);
    const double bend =
        -d * cos(a) - (along * along - across * d * sin(a)) / D - across * across * along * along / (D * D * D);
    const double lean = atan2(-across, D);
    CHECK_CLOSE("lift", at_time(&q, "slide.distance", t), s, tol);
    CHECK_CLOSE("pressure angle", at_time(&q, "p.pressure_angle", t), lean, tol);
    CHECK_VALUE("roller_follower", at_time(&q, "p.pitch_curvature", t), 1 / P, 1e-10);
    CHECK_CLOSE("undercut", at_time(&q, "p.undercut", t), r / P, 1e-12);
    CHECK_CLOSE("pitch curve", hypot(at_time(&q, "p.pitch_x", t), at_time(&q, "p.pitch_y", t) - d), P, tol);
    CHECK_CLOSE("contour", hypot(at_time(&q, "p.contour_x", t), at_time(&q, "p.contour_y", t) - d), R, tol);
    CHECK_CLOSE("force", at_time(&q, "p.contact_force", t), (0.7 * bend * w * w + 40 + 900 * s) / cos(lean), 1e-10);
  }
  model_close(&q);
}

/* The face is at y = d cos a + R. */
static void test_flat(void) {
  const double R = 0.05, d = 0.02;
  test_model q = open_follower(
      "use = flat_follower\nscalar.base = 0.03\n[curve f]\ntype = expression\nvalue = 0.02*cos(x) + 0.05 - 0.03\n");
  for (int k = 0; k < 6; k++) {
    const double t = 0.35 * k, a = begin + w * t, s = d * cos(a) + R - 0.03;
    CHECK_CLOSE("place of contact", at_time(&q, "p.slope", t), -d * sin(a), tol);
    CHECK_VALUE("flat_follower", at_time(&q, "p.radius", t), R, tol);
    CHECK_CLOSE("contour", hypot(at_time(&q, "p.contour_x", t), at_time(&q, "p.contour_y", t) - d), R, tol);
    CHECK_CLOSE("force", at_time(&q, "p.contact_force", t), -0.7 * d * cos(a) * w * w + 40 + 900 * s, 1e-10);
  }
  model_close(&q);
}

/* The same disc under a roller on an arm of length l about (p, h): the roller's centre is at the distance P = R + r from the disc's, C, and the angle of the arm
 * is that of the way from the pivot to C less the angle in their triangle. An arm of inertia J that nothing else moves. */
static void test_rocker(void) {
  const double R = 0.05, r = 0.012, P = R + r, d = 0.02, l = 0.11, p = 0.09, h = 0.03, J = 0.05, step = 1e-3;
  char text[4000];
  snprintf(
      text, sizeof text, "%s%s", model,
      "[joint arm]\ntype = revolute\nbodies = ground, moved\npoint = O\naxis = z\n[part p]\nuse = "
      "rocker_follower\ncoordinate.cam = turn.angle\ncoordinate.follower = arm.angle\ncurve.motion = f\nscalar.arm = "
      "0.11\nscalar.pivot_x = 0.09\nscalar.pivot_y = 0.03\nscalar.zero = 2\nscalar.roller = 0.012\n[curve f]\ntype = "
      "expression\nvalue = atan2(0.02*cos(x) - 0.03, -0.02*sin(x) - 0.09) \\\n - acos((0.11^2 - 0.062^2 + (0.02*sin(x) "
      "+ "
      "0.09)^2 + (0.02*cos(x) - 0.03)^2) \\\n /(0.22*hypot(0.02*sin(x) + 0.09, 0.02*cos(x) - 0.03))) - 2\n");
  test_model q = model_open_text(text);
  for (int k = 0; k < 6; k++) {
    const double t = 0.35 * k;
    double b[3], C[2], v[2];
    for (int i = 0; i < 3; i++) { /* the angle of the arm now and a little before and after */
      const double a = begin + w * t + (i - 1) * step;
      C[0] = -d * sin(a) - p, C[1] = d * cos(a) - h;
      const double way = hypot(C[0], C[1]);
      b[i] = atan2(C[1], C[0]) - acos((l * l + way * way - P * P) / (2 * l * way));
      b[i] += b[i] < 0 ? 2 * acos(-1) : 0;
    }
    const double a = begin + w * t, bend = (b[2] - 2 * b[1] + b[0]) / (step * step);
    C[0] = -d * sin(a), C[1] = d * cos(a), v[0] = p + l * cos(b[1]), v[1] = h + l * sin(b[1]);
    /* the force on the roller is away from C, the way of its centre across the arm */
    const double n[2] = {(v[0] - C[0]) / P, (v[1] - C[1]) / P};
    const double turning = n[1] * cos(b[1]) - n[0] * sin(b[1]),
                 lean = atan2(-n[1] * sin(b[1]) - n[0] * cos(b[1]), turning);
    const double angle = at_time(&q, "arm.angle", t) + 2;
    CHECK_CLOSE("angle", cos(angle - b[1]), 1, 1e-12);
    CHECK_VALUE("rocker_follower", at_time(&q, "p.pitch_curvature", t), 1 / P, 1e-9);
    CHECK_CLOSE("pressure angle", at_time(&q, "p.pressure_angle", t), lean, 1e-11);
    CHECK_CLOSE("pitch curve", hypot(at_time(&q, "p.pitch_x", t), at_time(&q, "p.pitch_y", t) - d), P, tol);
    CHECK_CLOSE("contour", hypot(at_time(&q, "p.contour_x", t), at_time(&q, "p.contour_y", t) - d), R, tol);
    CHECK_CLOSE("force", at_time(&q, "p.contact_force", t), J * bend * w * w / (l * turning), 1e-4);
  }
  model_close(&q);
}

/* Equal ellipses of eccentricity e that turn about a focus each, their distance being the major axis: tan(b/2) = (1 + e)/(1 - e) tan(a/2), which is
 * b = a + 2 atan(e sin a/(1 - e cos a)); the pitch curve is the ellipse in polar coordinates about the focus. */
static void test_gears(void) {
  const double e = 0.4, axis = 0.12, J = 0.05;
  char text[4000];
  snprintf(text, sizeof text, "%s%s", model,
           "[joint other]\ntype = revolute\nbodies = ground, moved\npoint = O\naxis = z\n[part p]\nuse = "
           "noncircular_gears\ncoordinate.first = turn.angle\ncoordinate.second = other.angle\nscalar.distance = "
           "0.12\ncurve.motion = f\n[curve f]\ntype = expression\nvalue = x + 2*atan(0.4*sin(x)/(1 - 0.4*cos(x)))\n");
  test_model q = model_open_text(text);
  for (int k = 0; k < 6; k++) {
    const double t = 0.35 * k, a = begin + w * t, size = 1 + e * e - 2 * e * cos(a), b = at_time(&q, "other.angle", t);
    const double ellipse = axis / 2 * (1 - e * e) / (1 - e * cos(a));
    const double torque = -J * (1 - e * e) * 2 * e * sin(a) / (size * size) * w * w;
    CHECK_CLOSE("angle", sin(b / 2) * cos(a / 2) * (1 - e), (1 + e) * sin(a / 2) * cos(b / 2), tol);
    CHECK_CLOSE("ratio", at_time(&q, "p.ratio", t), (1 - e * e) / size, tol);
    CHECK_VALUE("noncircular_gears", at_time(&q, "p.radius_1", t), ellipse, tol);
    CHECK_CLOSE("second radius", at_time(&q, "p.radius_2", t), axis - ellipse, tol);
    CHECK_CLOSE("force", at_time(&q, "p.tooth_force", t), torque / (axis - ellipse), 1e-10);
  }
  model_close(&q);
}

TEST_MAIN(TEST(test_roller), TEST(test_flat), TEST(test_rocker), TEST(test_gears))
