/* Parts that are elements of axles and drive lines, each against its closed form: measured damper, leaf spring, stop with two stages, stabilizers, cardan and constant-velocity joints
 * and shafts. */
#include "opened_run.h"
#include "values.h"

static const double pi = 3.14159265358979323846;

static mbd_case case_of(const char *analysis, double duration, int steps) {
  mbd_case c = case_lasting(duration, duration / steps);
  c.analysis = analysis, c.tolerance = 1e-13;
  return c;
}

/* ---- along a line: A is on the ground, B on a sled at 0.24 m, whose speed is v ---- */

static test_model open_line(double v, const char *keys) {
  char text[3000];
  snprintf(
      text, sizeof text,
      "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[body sled]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, "
      "1\n[point A]\nat = 0, 0, 0\nbodies = ground\n[point B]\nat = 0.24, 0, 0\nbodies = sled\n[vector x]\nalong = "
      "1, 0, 0\nbodies = ground, sled\n[joint slide]\ntype = prismatic\nbodies = ground, sled\naxis = x\n[constraint "
      "drive]\ntype = driven_coordinate\ncoordinate = slide.distance\nmotion = motion\n[curve motion]\ntype = "
      "polynomial\ncoefficients = 0, %.17g\n[part p]\npoint.from = A\npoint.to = B\n%s",
      v, keys);
  return model_open_text(text);
}

/* 600 N at 3 m/s and -150 N at -0.5 m/s, times half and the factors, which pass into each other by v/hypot(v, 0.01). */
static void test_measured_damper(void) {
  static const char keys[] =
      "use = measured_damper\ncurve.force_of_speed = measured\nquantity.factor = 0.5\nscalar.rebound = "
      "1.2\nscalar.compression = 0.7\n[curve measured]\ntype = table\nknots = -1, 0, 4\ncoefficients = -300, 0, 800\n";
  static const double v[] = {3, -0.5}, F[] = {600, -150};
  for (int i = 0; i < 2; i++) {
    const double factor = 0.95 + 0.25 * v[i] / hypot(v[i], 0.01);
    test_model q = open_line(v[i], keys);
    CHECK_VALUE("measured_damper", value_now(&q, "p.element.force"), 0.5 * factor * F[i], 1e-10);
    model_close(&q);
  }
}

/* An overlap of 60 mm, of which the second stage has 30 mm; beyond an onset of w the force is that of a spring from w/2 on. */
static void test_two_stage_stop(void) {
  test_model q = open_line(0.5,
                           "use = two_stage_stop\nscalar.engage = 0.3\nscalar.onset = 0.01\nscalar.onset_2 = "
                           "0.02\nscalar.damping = 40\n");
  const double soft = 30000 * (0.06 - 0.005), hard = 170000 * (0.03 - 0.01);
  CHECK_VALUE("two_stage_stop", value_now(&q, "p.force"), soft + hard - 40 * 0.5, 1e-9);
  CHECK_CLOSE("drive", value_now(&q, "drive.drive_force"), -(soft + hard - 40 * 0.5), 1e-9);
  model_close(&q);
}

/* beta R' = v f - V R at the speed v of compression, V = hypot(v, creep), R(0) = 0: R = f v/V (1 - exp(-V t/beta)), beside k d. */
static void test_leaf_spring(void) {
  const double k = 50000, f = 400, beta = 0.002, v = 0.1, V = hypot(v, 1e-3), t = 0.03, d = 0.02 + v * t;
  test_model q = open_line(-v, "use = leaf_spring\nscalar.free_length = 0.26\n");
  double error[3];
  for (int i = 0; i < 3; i++) {
    const mbd_case c = case_of("motion", t, 100 << i);
    error[i] = value_after(&q, &c, "p.force", 100 << i) - k * d - f * v / V * (1 - exp(-V * t / beta));
  }
  CHECK_CLOSE("order", log2(error[1] / error[2]), 2, 0.1);
  CHECK_VALUE("leaf_spring", (4 * error[2] - error[1]) / 3, 0, 0.01 * fabs(error[2]));
  CHECK_CLOSE("at the start", value_now(&q, "p.force"), k * 0.02, 1e-9);
  const mbd_case last = case_of("motion", 0.5, 2000);
  CHECK_CLOSE("curve in compression", value_after(&q, &last, "drive.drive_force", 2000), -k * 0.07 - f * v / V, 1e-6);
  model_close(&q);
}

/* The axle goes up by z in 1 s. */
static const char leaf_model[] =
    "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[scalars]\nleaf_front_x = 640\nleaf_front_y = "
    "500\nleaf_front_z = 200\nleaf_seat_x = 0\nleaf_seat_y = 500\nleaf_seat_z = 200\nleaf_rear_x = -600\nleaf_rear_y = "
    "500\nleaf_rear_z = 200\nleaf_shackle_x = -600\nleaf_shackle_y = 500\nleaf_shackle_z = 300\nz = 0\n[body "
    "axle]\nmass = 100\ncom = 0, 0, 0.2\ninertia = 1, 1, 1\n[vector up]\nalong = 0, 0, 1\nbodies = ground, "
    "axle\n[joint "
    "rise]\ntype = prismatic\nbodies = ground, axle\naxis = up\n[constraint drive]\ntype = "
    "driven_coordinate\ncoordinate = rise.distance\nmotion = to\n[curve to]\ntype = polynomial\ncoefficients = 0, "
    "z\n[part p]\nuse = leaf_links\nbody.chassis = ground\nbody.carrier = axle\nscalar.stiffness = 40000\nscalar.load "
    "= "
    "6000\nscalar.friction = 300\nscalar.radial = 2e7\nscalar.creep = 1e-4\n";

/* The leaf is level and its shackle upright, and the axle goes up and down: the rubber of eye and pin, each with half of the force, is in series with the halves. In
 * compression at a speed v the force comes to that with the friction. */
static void test_leaf_links(void) {
  const double k = 40000, load = 6000, f = 300, radial = 2e7, v = 0.02;
  double error[2];
  for (int n = 0; n < 3; n++) {
    const double z = n == 2 ? v : 1e-4 / (1 + n); /* after 1 s */
    char text[3000], more[100];
    snprintf(more, sizeof more, "z = %.17g\n[body axle]", z);
    edit(text, sizeof text, leaf_model, "z = 0\n[body axle]", more);
    test_model q = model_open_text(text);
    const double still = (load + k * z) / (1 + k / (2 * radial));
    if (n < 2) {
      const mbd_case c = case_of("static", 1, 10);
      const double force = value_after(&q, &c, "drive.drive_force", 10);
      error[n] = force / still - 1;
      CHECK_CLOSE("at the seat", value_after(&q, &c, "p.force", 10) / force, 1, 1e-6);
    } else {
      const mbd_case c = case_of("motion", 1, 500);
      CHECK_CLOSE("friction", value_after(&q, &c, "p.force", 500), still + f, 1e-3 * load);
      CHECK_CLOSE("sliding", value_after(&q, &c, "p.front_sliding", 500), f / 2, 1e-3 * f);
    }
    model_close(&q);
  }
  printf("\n  leaf of three links: %.2g, %.2g ", error[0], error[1]);
  CHECK_VALUE("leaf_links", error[0], 0, 1e-7);
  CHECK_VALUE("leaf_links", error[1], 0, 1e-7);
}

static void test_leaf_gradients(void) {
  opened_run r =
      run_open_texts(leaf_model,
                     "schema = 1\n[model]\nfile = MODEL\n[scalars]\nz = 0.2\n[case c]\nduration = 0.1\nstep = "
                     "0.005\n[design leaf_front_x]\n[design leaf_shackle_z]\n[design k]\nscalar = "
                     "p.stiffness\n[design f]\nscalar = p.friction\n[design b]\nscalar = p.beta\n[objective "
                     "a]\nof = p.force\nform = mean_square\n[objective b]\nof = p.shackle.pitch\nform = "
                     "mean_square\n[objective c]\nof = p.front_sliding\nform = terminal\n",
                     0, NULL);
  CU_ASSERT_EQUAL(run_check_gradients_of(&r), 5);
}

/* ---- stabilizers: the suspensions are sleds that go up and down ---- */

static test_model open_stabilizer(const char *use, double left, double right, const char *more) {
  char text[4000];
  int n = snprintf(text, sizeof text,
                   "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[scalars]\nbar_x = 100\nbar_y = 300\nbar_z "
                   "= 400\nbar_arm_x = -150\nbar_arm_y = 500\nbar_arm_z = 400\nbar_link_x = -150\nbar_link_y = "
                   "500\nbar_link_z = 250\n"
                   "[part bar]\nuse = %s\nbody.chassis = ground\n%s",
                   use, more);
  for (int i = 0; i < 2; i++) {
    const char *side = i ? "right" : "left";
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "[body %s]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[vector up_%s]\nalong = 0, 0, 1\nbodies = "
                  "ground, %s\n[joint rise_%s]\ntype = prismatic\nbodies = ground, %s\naxis = up_%s\n[constraint "
                  "drive_%s]\ntype = driven_coordinate\ncoordinate = rise_%s.distance\nmotion = to_%s\n[curve "
                  "to_%s]\ntype = polynomial\ncoefficients = 0, %.17g\n",
                  side, side, side, side, side, side, side, side, side, side, i ? right : left);
  }
  CU_ASSERT_FATAL(n < (int)sizeof text);
  return model_open_text(text);
}

/* The arm of 250 mm points backwards, so that it is at (-a cos q, a sin q) where it has turned upwards by q, and the foot of the link of 150 mm at (-a, z - h): from the length
 * of the link q by Newton's method. */
static double arm_angle(double z) {
  const double a = 0.25, h = 0.15;
  double q = z / a;
  for (int i = 0; i < 20; i++) {
    const double x = a - a * cos(q), y = a * sin(q) - z + h;
    q -= (x * x + y * y - h * h) / (2 * x * a * sin(q) + 2 * y * a * cos(q));
  }
  return q;
}

static void test_stabilizer(void) {
  const double z[2] = {0.06, -0.04}, a = 0.25, h = 0.15;
  test_model q = open_stabilizer("stabilizer", z[0], z[1], "scalar.stiffness = 900\n");
  const mbd_case c = case_of("static", 1, 10);
  const double l = arm_angle(z[0]), r = arm_angle(z[1]), torque = 900 * (l - r);
  CHECK_VALUE("stabilizer", value_after(&q, &c, "bar.twist", 10), 180 / pi * (l - r), 1e-9);
  CHECK_CLOSE("torque", fabs(value_after(&q, &c, "bar.torsion.force", 10)), torque, 1e-8);
  /* the torque is the lever of the link about the bar times its force, of which the vertical part is on the suspension */
  const double x = a - a * cos(l), y = a * sin(l) - z[0] + h; /* from the foot to the arm, y upwards */
  const double lever = (a * cos(l) * y + a * sin(l) * x) / h, force = torque / lever;
  CHECK_CLOSE("link", value_after(&q, &c, "bar.left_link.tension", 10), -force, 1e-7);
  CHECK_CLOSE("suspension", value_after(&q, &c, "drive_left.drive_force", 10), force * y / h, 1e-7);
  model_close(&q);
}

/* Both feet go 0.2 mm and half of that against each other: the yields of bar, mounts and links add up, and what is of second order falls to a fourth. */
static void test_stabilizer_bushings(void) {
  const double a = 0.25, L = 0.5, b = 0.3, k = 900, mount = 2e6, link = 1.5e6;
  const double soft = a * a / (2 * k) + L * L / (b * b * mount) + 1 / link;
  double error[2];
  for (int i = 0; i < 2; i++) {
    const double z = 2e-4 / (1 + i);
    test_model q = open_stabilizer("stabilizer_bushings", z, -z,
                                   "scalar.stiffness = 900\nscalar.mount = 2e6\nscalar.link = 1.5e6\n");
    const mbd_case c = case_of("static", 1, 10);
    error[i] = value_after(&q, &c, "drive_left.drive_force", 10) / (z / soft) - 1;
    CHECK_NEAR("of the other side", -value_after(&q, &c, "drive_right.drive_force", 10), z / soft, z / soft, 1e-5);
    model_close(&q);
  }
  CHECK_VALUE("stabilizer_bushings", error[1], 0, 1e-6);
  CHECK_CLOSE("extrapolated", (4 * error[1] - error[0]) / 3, 0, 1e-8);
}

/* ---- axles in rubber ---- */

/* The way of a point to the left under a lateral load of 100 N, with the wheels held at their heights. */
static double yields(const char *scalars, const char *axle, const char *point, const char *body, const char *wheels) {
  char text[4000];
  const int n = snprintf(text, sizeof text,
                         "schema = 1\n[model]\ngravity = 0, 0, 0\n[scalars]\nwheel_x = 0\nwheel_y = 750\nwheel_z = "
                         "320\nradius = 320\nstatic_toe = 0\nstatic_camber = 0\n%s%s[point P]\nat = %s\nbodies = %s\n"
                         "[force F]\ntype = point_force\npoint = P\ndirection = 0, 100, 0\n[curve "
                         "zero]\ntype = polynomial\ncoefficients = 0\n[constraint {side}]\nrepeat = side in %s\ntype = "
                         "driven_coordinate\ncoordinate = w_{side}.rise\nmotion = zero\n",
                         scalars, axle, point, body, wheels);
  CU_ASSERT_FATAL(n < (int)sizeof text);
  test_model q = model_open_text(text);
  const mbd_case c = case_of("static", 1, 2);
  const double y = value_after(&q, &c, "P.position.y", 2) - value_now(&q, "P.position.y");
  model_close(&q);
  return y;
}

/* A Panhard rod across the car at the height of the load, beside links along it: F/k but for what is of second order in the yield. Bushings of an arm whose axis is across the
 * car: F divided by both stiffnesses along it. */
static void test_bushings(void) {
  const double rod = yields(
      "inner_{i from 1 to 2}_x = 500\ninner_1_y = 400\ninner_2_y = -400\ninner_{i from 1 to 2}_z = "
      "250\nouter_{i from 1 to 2}_x = 0\nouter_1_y = 400\nouter_2_y = -400\nouter_{i from 1 to 2}_z "
      "= 250\ninner_3_x = 500\ninner_3_y = 0\ninner_3_z = 450\nouter_3_x = 0\nouter_3_y = "
      "0\nouter_3_z = 450\ninner_4_x = 0\ninner_4_y = 500\ninner_4_z = 320\nouter_4_x = 0\nouter_4_y "
      "= -500\nouter_4_z = 320\nlink_{i from 1 to 4}_stiffness = 5000\n",
      "[part beam]\nuse = rigid_axle\nbody.chassis = ground\nscalar.bushings = 1\n[part "
      "w_left]\nuse = wheel_carrier\nbody.chassis = ground\nbody.carrier = beam.carrier\n[part "
      "w_right]\nuse = wheel_carrier\nbody.chassis = ground\nbody.carrier = beam.carrier\nmirror = "
      "y\n",
      "0, 0.1, 0.32", "beam.carrier", "left right");
  const double arm = yields(
      "inner_x = 400\ninner_y = 300\ninner_z = 300\nouter_x = 400\nouter_y = 600\nouter_z = "
      "300\ninner_radial = 4000\ninner_axial = 800\nouter_radial = 4000\nouter_axial = "
      "1200\ntorsion = 1e5\ntilt = 1e6\n",
      "[part w_left]\nuse = trailing_arm\nbody.chassis = ground\nscalar.bushings = 1\n", "0.4, 0.45, 0.3",
      "w_left.carrier", "left");
  printf("\n  in rubber: %.2g, %.2g ", rod / 2e-5 - 1, arm / 5e-5 - 1);
  CHECK_CLOSE("links", rod / 2e-5, 1, 1e-6);
  CHECK_CLOSE("arm", arm / 5e-5, 1, 1e-9);
}

/* ---- shafts: a flange that turns about x or y of the ground, another one about its axis ---- */

/* The first one turns by 2 pi in 1 s, in 72 steps. */
static test_model open_shafts(const double *first, const double *at, const double *axis, const char *keys) {
  char text[4000];
  const int n = snprintf(
      text, sizeof text,
      "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[body in]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, "
      "1\n[body out]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point O]\nat = 0, 0, 0\nbodies = ground, in\n[point "
      "P]\nat = %.17g, %.17g, %.17g\nbodies = ground, out\n[vector a]\nalong = %.17g, %.17g, %.17g\nbodies = ground, "
      "in\n[vector b]\nalong = %.17g, %.17g, %.17g\nbodies = ground, out\n[joint in]\ntype = revolute\nbodies = "
      "ground, in\npoint = O\naxis = a\n[joint out]\ntype = revolute\nbodies = ground, out\npoint = P\naxis = "
      "b\n[constraint drive]\ntype = driven_coordinate\ncoordinate = in.angle\nmotion = turn\n[curve turn]\ntype = "
      "polynomial\ncoefficients = 0, 2*pi\n[part p]\nbody.from = in\nbody.to = out\n%s",
      at[0], at[1], at[2], first[0], first[1], first[2], axis[0], axis[1], axis[2], keys);
  CU_ASSERT_FATAL(n < (int)sizeof text);
  return model_open_text(text);
}

enum { TURN = 72 };

/* tan b = r tan a on the same branch as a. */
static double by_tangents(double a, double r) {
  return a + atan2((r - 1) * sin(a) * cos(a), cos(a) * cos(a) + r * sin(a) * sin(a));
}

static const double along[3] = {1, 0, 0}, across[3] = {0, 1, 0}, origin[3] = {0, 0, 0};

/* The speed of the second shaft is cos c/(cos^2 a + cos^2 c sin^2 a) times that of the first; of b - a the part of twice a turn is -tan^2(c/2) sin 2a. */
static void test_cardan_joint(void) {
  const double c = 0.5, axis[3] = {cos(c), 0, -sin(c)};
  char keys[200];
  snprintf(keys, sizeof keys, "use = cardan_joint\nscalar.axis_x = %.17g\nscalar.axis_z = %.17g\n", axis[0], axis[2]);
  test_model q = open_shafts(along, origin, axis, keys);
  const mbd_case turn = case_of("kinematic", 1, TURN);
  double second = 0;
  for (int k = 0; k < TURN; k++) {
    const double a = 2 * pi * k / TURN, b = value_after(&q, &turn, "out.angle", k);
    CHECK_VALUE("cardan_joint", b, by_tangents(a, cos(c)), 1e-12);
    CHECK_CLOSE("speed", value_after(&q, &turn, "out.angle.rate", k),
                2 * pi * cos(c) / (cos(a) * cos(a) + pow(cos(c) * sin(a), 2)), 1e-11);
    second += 2.0 / TURN * (b - a) * sin(2 * a);
  }
  CHECK_CLOSE("second order", second, -pow(tan(c / 2), 2), 1e-12);
  model_close(&q);
}

/* tan b = tan a cos c_1 and tan b = tan e cos c_2: the shaft falls by 0.1 rad, and the axis of the second flange rises by 0.15 against it. */
static void test_cardan_shaft(void) {
  const double c_1 = 0.1, c_2 = 0.15, to[3] = {1.2 * cos(c_1), 0, -1.2 * sin(c_1)};
  const double slopes[2] = {c_1 - c_2,
                            0}; /* of the second flange; parallel to the first, where both shafts turn alike */
  for (int i = 0; i < 2; i++) {
    const double axis[3] = {cos(slopes[i]), 0, -sin(slopes[i])}, ratio = cos(c_1) / cos(c_1 - slopes[i]);
    char keys[300];
    snprintf(keys, sizeof keys,
             "use = cardan_shaft\nscalar.from_x = 0\nscalar.from_y = 0\nscalar.from_z = 0\nscalar.to_x = "
             "%.17g\nscalar.to_y = 0\nscalar.to_z = %.17g\n",
             to[0], to[2]);
    test_model q = open_shafts(along, to, axis, keys);
    const mbd_case turn = case_of("kinematic", 1, TURN);
    for (int k = 0; k <= TURN; k += 5) {
      CHECK_VALUE("cardan_shaft", value_after(&q, &turn, "out.angle", k), by_tangents(2 * pi * k / TURN, ratio), 1e-12);
      CHECK_CLOSE("length", value_after(&q, &turn, "p.spline.distance", k), 0, 1e-12);
    }
    model_close(&q);
  }
}

/* Bent by c in a general direction, both turn alike. */
static void test_constant_velocity(void) {
  const double axis[3] = {0.3, 1, -0.2}, to[3] = {0.05, 0.5, -0.08};
  const mbd_case turn = case_of("kinematic", 1, TURN);
  test_model joint = open_shafts(across, origin, axis,
                                 "use = constant_velocity_joint\nscalar.to_x = 0.3\nscalar.to_z = -0.2\n"),
             shaft = open_shafts(across, to, axis,
                                 "use = constant_velocity_shaft\nscalar.from_x = 0\nscalar.from_y = 0\nscalar.from_z = "
                                 "0\nscalar.to_x = 0.05\nscalar.to_y = 0.5\nscalar.to_z = -0.08\nscalar.to_axis_x = "
                                 "0.3\nscalar.to_axis_z = -0.2\n");
  for (int k = 0; k <= TURN; k += 5) {
    CHECK_VALUE("constant_velocity_joint", value_after(&joint, &turn, "out.angle", k), 2 * pi * k / TURN, 1e-12);
    CHECK_VALUE("constant_velocity_shaft", value_after(&shaft, &turn, "out.angle", k), 2 * pi * k / TURN, 1e-12);
    CHECK_CLOSE("rate", value_after(&shaft, &turn, "out.angle.rate", k), 2 * pi, 1e-11);
  }
  CHECK_CLOSE("bend", value_now(&joint, "p.bend"), 180 / pi * acos(1 / sqrt(1.13)), 1e-12);
  model_close(&joint), model_close(&shaft);
}

TEST_MAIN(TEST(test_measured_damper), TEST(test_two_stage_stop), TEST(test_leaf_spring), TEST(test_leaf_links),
          TEST(test_leaf_gradients), TEST(test_stabilizer), TEST(test_stabilizer_bushings), TEST(test_bushings),
          TEST(test_cardan_joint), TEST(test_cardan_shaft), TEST(test_constant_velocity))
