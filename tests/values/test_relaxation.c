/* Relaxation lengths of tyres: the step response of both transient slips against its closed form 1 - exp(-s/sigma) over the distance s that is rolled, forces by
 * these slips, lengths of a property file by hand, the tyre without lag as the lengths go to zero, equilibrium, and what is left alone without the keys. */
#include "values.h"

/* ---- a wheel whose hub rolls along x with the speed V, pointing to the left by the angle `toe` ---- */

static const char wheel[] =
    "schema = 1\n[model]\nname = wheel\njoints = named\n[scalars]\nV = 12\ntoe = 0.002\nspin = 39.9\n"
    "[body sled]\nmass = 1\ncom = 0, 0, 0.3\ninertia = 1, 1, 1\n"
    "[body hub]\nmass = 500\ncom = 0, 0, 0.3\ninertia = 1, 1, 1\n"
    "[body wheel]\nmass = 9\ncom = 0, 0, 0.3\ninertia = 0.4, 0.8, 0.4\n"
    "[point W]\nat = 0, 0, 0.3\nbodies = hub, wheel\n"
    "[vector x]\nalong = 1, 0, 0\nbodies = ground, sled\n[vector y]\nalong = 0, 1, 0\nbodies = sled, hub\n"
    "[vector axis]\nalong = -sin(toe), cos(toe), 0\nbodies = hub, wheel\n"
    "[joint rail]\ntype = prismatic\nbodies = ground, sled\naxis = x\n"
    "[joint slide]\ntype = prismatic\nbodies = sled, hub\naxis = y\n"
    "[joint turn]\ntype = revolute\nbodies = hub, wheel\npoint = W\naxis = axis\n"
    "[curve travel]\ntype = polynomial\ncoefficients = 0, V\n[curve turning]\ntype = polynomial\ncoefficients = 0, "
    "spin\n"
    "[constraint drive]\ntype = driven_coordinate\ncoordinate = rail.distance\nmotion = travel\n"
    "[constraint motor]\ntype = driven_coordinate\ncoordinate = turn.angle\nmotion = turning\n";
static const char guided[] =
    "[curve none]\ntype = polynomial\ncoefficients = 0\n"
    "[constraint guide]\ntype = driven_coordinate\ncoordinate = slide.distance\nmotion = none\n";
static const char contact[] =
    "type = tyre_contact\nradius = 0.31\nstiffness = 2e5\nfriction = 0.8\nslip_speed = 0.5\n"
    "slip_ratio = 0.1\n";
static const char magic[] =
    "type = tyre_magic_formula\nunloaded_radius = 0.31\nvertical_stiffness = 2e5\nvxlow = 0.5\n"
    "fnomin = 1800\n"
    "tir = " MBOPT_SOURCE_DIR "/problems/buggy/tyres/MagicFormula52_Parameters.tir\n";
static const double V = 12, v0 = 0.5, R_l = 0.3, toe = 0.002, spin = 39.9, load = 2000;

static test_model open_wheel(const char *base, const char *more, const char *type, const char *lengths) {
  char text[3000];
  snprintf(text, sizeof text, "%s[force tyre]\n%s%scentre = W@wheel\naxis = axis@wheel\nwheel = wheel\n", more, type,
           lengths);
  return model_open_parts(base, text);
}

/* The speed over which slips are. */
static double rolling(void) {
  return sqrt(V * cos(toe) * V * cos(toe) + v0 * v0);
}

/* ---- the step response ---- */

/* x = slip (1 - exp(-s/sigma)), s = v t: to the order of the scheme, two. */
static void check_step(const char *type, const char *output, double slip, double sigma) {
  const double t = 0.05, expected = slip * (1 - exp(-rolling() * t / sigma));
  test_model q = open_wheel(wheel, guided, type, "relaxation_length = 0.4\nrelaxation_length_side = 0.7\n");
  double error[2];
  for (int k = 0; k < 2; k++) {
    const mbd_case c = case_lasting(t, t / (20 << k));
    error[k] = value_after(&q, &c, output, 20 << k) - expected;
  }
  printf("\n  %s: errors %.2e, %.2e of %.4g ", output, error[0], error[1], expected);
  CHECK_CLOSE(output, log2(error[0] / error[1]), 2, 0.05);
  CHECK_CLOSE(output, (4 * error[1] - error[0]) / 3, 0, 1e-6 * fabs(slip));
  model_close(&q);
}

static void test_step_response(void) {
  check_step(contact, "tyre.transient_slip", -(V * cos(toe) - R_l * spin) / rolling(), 0.4);
  check_step(contact, "tyre.transient_side_slip", -V * sin(toe) / rolling(), 0.7);
  check_step(magic, "tyre.transient_side_slip", -V * sin(toe) / rolling(), 0.7);
}

/* ---- forces by the transient slips ---- */

static double after(const test_model *q, const char *output) {
  const mbd_case c = case_lasting(0.05, 2.5e-3);
  return value_after(q, &c, output, 20);
}

/* The law of tyre_contact at these slips; the power is that on the wheel, which slides at the contact point; slips of the motion remain. */
static void test_forces(void) {
  test_model q = open_wheel(wheel, guided, contact, "relaxation_length = 0.4\nrelaxation_length_side = 0.7\n");
  const double v = rolling(), v_t = V * cos(toe), along = -v * after(&q, "tyre.transient_slip"),
               aside = v * after(&q, "tyre.transient_side_slip");
  const double factor = 0.8 * load / sqrt(along * along + aside * aside + v0 * v0 + 0.1 * v_t * 0.1 * v_t);
  const double F_t = -factor * along, F_l = -factor * aside;
  CHECK_CLOSE("load", after(&q, "tyre.load"), load, 1e-8);
  CHECK_CLOSE("longitudinal", after(&q, "tyre.longitudinal"), F_t, 1e-9);
  CHECK_CLOSE("lateral", after(&q, "tyre.lateral"), F_l, 1e-9);
  CHECK_CLOSE("power", after(&q, "tyre.power"), F_t * (v_t - R_l * spin) - F_l * V * sin(toe), 1e-8);
  CHECK_CLOSE("slip", after(&q, "tyre.slip"), -(v_t - R_l * spin) / v, 1e-12);
  CHECK_CLOSE("slip_angle", after(&q, "tyre.slip_angle"), -atan(V * sin(toe) / v), 1e-12);
  CU_ASSERT(fabs(F_t) > 10 && fabs(F_l) > 10);
  model_close(&q);
}

/* One length alone: the other slip is that of the motion, with a force as of the tyre without lag after a long way. */
static void test_one_length(void) {
  static const char *const lengths[] = {"", "relaxation_length_side = 0.01\n", "relaxation_length = 0.01\n"};
  const char *const types[] = {contact, magic};
  for (int i = 0; i < 2; i++) {
    double lateral = 0, longitudinal = 0;
    for (int k = 0; k < 3; k++) {
      test_model q = open_wheel(wheel, guided, types[i], lengths[k]);
      CU_ASSERT_EQUAL(mbd_model_nstate(q.m), k > 0);
      if (k == 0) { lateral = after(&q, "tyre.lateral"), longitudinal = after(&q, "tyre.longitudinal"); }
      CHECK_NEAR("lateral", after(&q, "tyre.lateral"), lateral, load, 1e-6);
      CHECK_NEAR("longitudinal", after(&q, "tyre.longitudinal"), longitudinal, load, 1e-6);
      model_close(&q);
    }
  }
}

/* The mirror image: side = -1, and the wheel points to the right. */
static void test_other_side(void) {
  static const char length[] = "relaxation_length_side = 0.7\n";
  char lengths[100], text[4000];
  double y[2], F[2];
  for (int k = 0; k < 2; k++) {
    snprintf(lengths, sizeof lengths, "%s%s", length, k ? "side = -1\n" : "");
    edit(text, sizeof text, wheel, "toe = 0.002", k ? "toe = -0.002" : "toe = 0.002");
    test_model q = open_wheel(text, guided, magic, lengths);
    y[k] = after(&q, "tyre.transient_side_slip"), F[k] = after(&q, "tyre.lateral");
    model_close(&q);
  }
  CHECK_CLOSE("state", y[0], -y[1], 1e-15);
  CHECK_CLOSE("lateral", F[0], -F[1], 1e-9);
  CU_ASSERT(fabs(F[0]) > 10);
}

/* ---- lengths of a property file ---- */

/* At the start x = 0, so that the rate is v slip/sigma. */
static void test_lengths_of_file(void) {
  const double R0 = 0.31, ratio = load / 1800, dfz = ratio - 1, v = rolling();
  const double kappa = ratio * (1.1898 - 6.148e-4 * dfz) * exp(-0.3717 * dfz) * R0;
  const double alpha = 1.6245 * sin(2 * atan(ratio / 2.8506)) * R0;
  test_model q = open_wheel(wheel, guided, magic, "relaxation_scale = 0.5\nrelaxation_length = 0.1\nlsgal = 1.2\n");
  CHECK_CLOSE("longitudinal", v * value_now(&q, "tyre.slip") / value_now(&q, "tyre.transient_slip.rate"),
              0.1 + 0.5 * kappa, 1e-9);
  CHECK_CLOSE("lateral", -V * sin(toe) / value_now(&q, "tyre.transient_side_slip.rate"), 0.5 * 1.2 * alpha, 1e-9);
  model_close(&q);
}

/* ---- lengths go to zero ---- */

/* Where the hub, which slides freely to the side, is: the difference from the tyre without lag is of order one in the length. */
static double aside(const char *type, double length) {
  char lengths[200];
  const mbd_case c = case_lasting(0.2, 1e-3);
  snprintf(lengths, sizeof lengths, "relaxation_length_side = %g\ntransient_side_slip_start = 0.5/%.17g\n", length,
           rolling());
  test_model q = open_wheel(wheel, "[start]\nhold.slide.distance = 0\nrate.slide.distance = 0.5\n", type, lengths);
  const double y = value_after(&q, &c, "slide.distance", 200);
  model_close(&q);
  return y;
}

static void test_short_lengths(void) {
  const char *const types[] = {contact, magic};
  for (int i = 0; i < 2; i++) {
    const double without = aside(types[i], 0),
                 y[2] = {aside(types[i], 0.02) - without, aside(types[i], 0.01) - without};
    printf("\n  differences %.3e, %.3e of %.4f m ", y[0], y[1], without);
    CHECK_CLOSE("order", log2(y[0] / y[1]), 1, 0.03);
  }
}

/* ---- equilibrium ---- */

/* At rest nothing slips, so that the states settle at zero, whatever their start; with a given start they have it. */
static void test_equilibrium(void) {
  test_model q = open_wheel(wheel, guided, contact, "relaxation_length_side = 0.7\ntransient_side_slip_start = 0.3\n");
  mbd_case c = case_lasting(1e-3, 1e-3);
  CHECK_CLOSE("given", value_after(&q, &c, "tyre.transient_side_slip", 0), 0.3, 1e-15);
  c.start = MBD_START_EQUILIBRIUM;
  CHECK_CLOSE("equilibrium", value_after(&q, &c, "tyre.transient_side_slip", 0), 0, 1e-12);
  model_close(&q);
}

TEST_MAIN(TEST(test_step_response), TEST(test_forces), TEST(test_one_length), TEST(test_other_side),
          TEST(test_lengths_of_file), TEST(test_short_lengths), TEST(test_equilibrium))
