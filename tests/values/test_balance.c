/* Parts flywheel, harmonic, balancing_spring and force_balance against closed forms, of a slider-crank and a four-bar linkage at constant speed and
 * of a bar with a spring. */
#include "values.h"

static const double pi = 3.14159265358979323846, w = 20;

/* A crank of r = 0.05 m turns about its centre of mass; a rod without mass, l = 0.2 m, moves a slider of m = 3 kg. */
static const char slider_crank[] =
    "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n"
    "[body crank]\nmass = 1\ncom = 0, 0, 0\ninertia = 1e-3, 1e-3, 1e-3\n"
    "[body slider]\nmass = 3\ncom = 0.25, 0, 0\ninertia = 1e-3, 1e-3, 1e-3\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, crank\n[point B]\nat = 0.05, 0, 0\nbodies = crank\n"
    "[point C]\nat = 0.25, 0, 0\nbodies = slider\n"
    "[vector x]\nalong = 1, 0, 0\nbodies = ground, slider\n[vector z]\nalong = 0, 0, 1\nbodies = ground, crank\n"
    "[joint shaft]\ntype = revolute\nbodies = ground, crank\npoint = O\naxis = z\n"
    "[joint guide]\ntype = prismatic\nbodies = ground, slider\naxis = x\n"
    "[constraint rod]\ntype = distance\npoints = B, C\ndistance = 0.2\n"
    "[constraint drive]\ntype = driven_coordinate\ncoordinate = shaft.angle\nmotion = turning\n"
    "[curve turning]\ntype = polynomial\ncoefficients = 0, 20\n[start]\nguess.guide.distance = 0\n";

/* The speed and the acceleration of the slider at the angle a: x = r cos a + D, D^2 = l^2 - r^2 sin^2 a. */
static void slide(double a, double *v, double *acceleration) {
  const double r = 0.05, l = 0.2, s = r * sin(a), c = r * cos(a), D = sqrt(l * l - s * s);
  *v = w * (-s - s * c / D);
  *acceleration = w * w * (-c - (c * c - s * s) / D - s * s * c * c / (D * D * D));
}

static double after(const test_model *q, const char *name, double duration, int steps) {
  mbd_case c = case_lasting(duration, duration / steps);
  c.analysis = "kinematic", c.tolerance = 1e-13;
  return value_after(q, &c, name, steps);
}

/* The shaking force is minus mass times acceleration, its first harmonic m r w^2 exactly; others by sums over a turn, which are exact but for rounding, as are those
 * of the part. */
static void test_harmonic(void) {
  enum { NODES = 200 };
  char text[400];
  for (int order = 1; order <= 4; order++) {
    double expected = 0;
    for (int i = 0; i < NODES; i++) {
      double v, acceleration;
      slide(2 * pi * i / NODES, &v, &acceleration);
      expected += -3 * acceleration * cos(2 * pi * order * i / NODES) * 2 / NODES;
    }
    snprintf(text, sizeof text,
             "[part p]\nuse = harmonic\nquantity.input = mechanism.shaking_force.x\nquantity.angle = "
             "shaft.angle\nscalar.order = %d\nscalar.duration = 2*pi/20\n",
             order);
    test_model q = model_open_parts(slider_crank, text);
    CHECK_VALUE("harmonic", after(&q, "p.cosine", 2 * pi / w, NODES), expected, 1e-10);
    CHECK_CLOSE("sine", after(&q, "p.sine", 2 * pi / w, NODES), 0, 1e-9);
    CHECK_CLOSE("amplitude", after(&q, "p.amplitude", 2 * pi / w, NODES), fabs(expected), 1e-8);
    if (order == 1) { CHECK_CLOSE("primary force", expected, 3 * 0.05 * w * w, 1e-10); }
    model_close(&q);
  }
}

/* The drive gives the kinetic energy m v^2/2 and takes it again, which is what the flywheel lacks; with a mean torque it gains T_m a. By the trapezoidal rule, whose
 * error falls with the square of the step. */
static void test_flywheel(void) {
  test_model q =
      model_open_parts(slider_crank,
                       "[part p]\nuse = flywheel\nquantity.torque = drive.drive_force\nquantity.rate = "
                       "shaft.angle.rate\nscalar.speed = 20\nscalar.fluctuation = 0.02\nscalar.mean = 0.7\n");
  for (int k = 1; k < 6; k++) {
    double v, acceleration;
    slide(k, &v, &acceleration);
    const double expected = 0.7 * k - 3 * v * v / 2, coarse = after(&q, "p.excess", k / w, 100),
                 fine = after(&q, "p.excess", k / w, 200);
    CHECK_CLOSE("excess", (4 * fine - coarse) / 3, expected, 2e-6);
    CHECK_VALUE("flywheel", after(&q, "p.inertia", k / w, 200), fine / (0.02 * w * w), 1e-12);
  }
  model_close(&q);
}

/* A bar of m g l = 2 g 0.3 that stands upright, its spring between a point above the hinge and one on the bar. A slow drive needs no torque; with the free length f
 * it needs k f a b sin q/L less. */
static void test_spring(void) {
  static const char bar[] =
      "schema = 1\n[model]\ngravity = 0, 0, -9.81\njoints = named\n[body bar]\nmass = 2\ncom = 0, 0, 0.3\ninertia = "
      "0.1, 0.1, 0.1\n[point O]\nat = 0, 0, 0\nbodies = ground, bar\n[point post]\nat = 0, 0, 0.12\nbodies = "
      "ground\n[point hook]\nat = 0, 0, 0.2\nbodies = bar\n[vector y]\nalong = 0, 1, 0\nbodies = ground, bar\n"
      "[joint hinge]\ntype = revolute\nbodies = ground, bar\npoint = O\naxis = y\n[constraint drive]\ntype = "
      "driven_coordinate\ncoordinate = hinge.angle\nmotion = turning\n[curve turning]\ntype = polynomial\n"
      "coefficients = 0, 1\n";
  for (int i = 0; i < 2; i++) {
    char text[300];
    const double f = i * 0.05, a = 0.12, b = 0.2, k = 2 * 9.81 * 0.3 / (a * b);
    snprintf(text, sizeof text,
             "[part p]\nuse = balancing_spring\npoint.post = post\npoint.hook = hook\nscalar.moment = "
             "2*9.81*0.3\nscalar.post = 0.12\nscalar.hook = 0.2\nscalar.free_length = %g\n",
             f);
    test_model q = model_open_parts(bar, text);
    for (int n = 1; n < 6; n++) {
      const double L = sqrt(a * a + b * b - 2 * a * b * cos(n));
      CHECK_VALUE("balancing_spring", after(&q, "drive.drive_force", n, 10), -k * f * a * b * sin(n) / L, 1e-11);
    }
    model_close(&q);
  }
}

/* The linkage of problems/four_bar_motor: static moments as by its README, with which nothing shakes. Counterweights are 0.06 m from their axes. */
static void test_four_bar(void) {
  static const char linkage[] =
      "schema = 1\n[model]\ngravity = 0, 0, 0\nframe = body\n"
      "[body crank]\nmass = 0.5\ncom = 0.02, 0, 0\ninertia = 1e-5, 2e-4, 2e-4\n"
      "[body coupler]\nmass = 0.9\ncom = 0.07, 0.02, 0\ninertia = 1e-4, 2.4e-3, 2.4e-3\n"
      "[body follower]\nmass = 0.6\ncom = 0.04, 0, 0\ninertia = 1e-5, 5e-4, 5e-4\n"
      "[body on_crank]\nmass = hypot(b.crank_x, b.crank_y)/0.06\ncom = 0.06*b.crank_x/hypot(b.crank_x, b.crank_y), "
      "0.06*b.crank_y/hypot(b.crank_x, b.crank_y), 0\ninertia = 0, 0, 0\n"
      "[body on_follower]\nmass = hypot(b.follower_x, b.follower_y)/0.06\ncom = 0.06*b.follower_x/hypot(b.follower_x, "
      "b.follower_y), 0.06*b.follower_y/hypot(b.follower_x, b.follower_y), 0\ninertia = 0, 0, 0\n"
      "[point A]\nat.ground = 0, 0, 0\nat.crank = 0, 0, 0\n[point B]\nat.crank = 0.05, 0, 0\nat.coupler = 0, 0, 0\n"
      "[point C]\nat.coupler = 0.15, 0, 0\nat.follower = 0.08, 0, 0\n[point D]\nat.ground = 0.14, 0, 0\nat.follower = "
      "0, 0, 0\n[vector axis]\nalong.ground = 0, 0, 1\nalong.crank = 0, 0, 1\nalong.coupler = 0, 0, 1\nalong.follower "
      "= 0, 0, 1\n"
      "[joint crank_bolt]\ntype = weld\nbodies = crank, on_crank\n[joint follower_bolt]\ntype = weld\nbodies = "
      "follower, on_follower\n[constraint drive]\ntype = driven_coordinate\ncoordinate = ground-crank.angle\nmotion = "
      "turning\n[curve turning]\ntype = polynomial\ncoefficients = 0, 50\n[start]\nguess.crank-coupler.angle = "
      "0.5\nguess.ground-follower.angle = 1.8\n[quantity crank_x]\nvalue = b.crank_x + 0*time\n[quantity "
      "crank_y]\nvalue = b.crank_y + 0*time\n[quantity follower_x]\nvalue = b.follower_x + 0*time\n[quantity "
      "follower_y]\nvalue = b.follower_y + 0*time\n";
  static const struct {
    const char *name;
    double moment;
  } expected[] = {{"crank_x", -0.034}, {"crank_y", 0.006}, {"follower_x", -0.0576}, {"follower_y", -0.0096}};
  test_model q = model_open_parts(
      linkage,
      "[part b]\nuse = force_balance\nscalar.crank_mass = 0.5\nscalar.crank_along = 0.02\nscalar.coupler_mass = "
      "0.9\nscalar.coupler_across = 0.02\nscalar.follower_mass = 0.6\nscalar.follower_along = 0.04\n");
  for (int i = 0; i < 4; i++) {
    CHECK_VALUE("force_balance", after(&q, expected[i].name, 0.1, 10), expected[i].moment, 1e-15);
  }
  CHECK_CLOSE("shaking force", after(&q, "mechanism.shaking_force.norm", 0.11, 50), 0, 1e-10);
  model_close(&q);
}

TEST_MAIN(TEST(test_harmonic), TEST(test_flywheel), TEST(test_spring), TEST(test_four_bar))
