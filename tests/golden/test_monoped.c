/* The five-bar leg that jumps: its file as it is imported moves like the model; torques that hold it against virtual work by hand; the jump against the parabola; gradients; the
 * optimum that problems/monoped/README.md states. */
#include "imported.h"

static const double g = 9.81, thigh = 0.297, calf = 0.302, hips = 0.125;

/* Angle of the left thigh and height of the knees over the foot, where the hips are at a height over it, with their derivatives by the height. The foot is at the origin:
 * knee K = (-hips/2 + thigh cos q, height + thigh sin q), |K| = calf, so K.dK = 0. */
typedef struct leg {
  double q, knee_z, dq, dknee_z;
} leg;

static leg leg_at(double height) {
  const double line = hypot(hips / 2, height);
  leg l = {.q = atan2(-height, hips / 2) - acos((line * line + thigh * thigh - calf * calf) / (2 * line * thigh))};
  const double x = -hips / 2 + thigh * cos(l.q);
  l.knee_z = height + thigh * sin(l.q);
  l.dq = -l.knee_z / (thigh * (l.knee_z * cos(l.q) - x * sin(l.q)));
  l.dknee_z = 1 + thigh * cos(l.q) * l.dq;
  CHECK_CLOSE("the calf reaches the foot", hypot(x, l.knee_z), calf, 1e-15);
  return l;
}

#define MODEL        "schema = 1\n[model]\nfile = %s/problems/monoped/monoped.ini\n"
#define KNEE(height) "knee = acos((hips^2/4 + " height "^2 - thigh^2 - calf^2)/(2*thigh*calf))\n"

/* ---- as it is imported ---- */

/* With masses and torques that are equal, both models push off in the same way. The file puts the base at 0.48 m, above a foot at 0.03 m. */
static void test_import(void) {
  static const char parent[] =
      "schema = 1\n[model]\nframe = body\njoints = named\ngravity = 0, 0, -9.81\n[part leg]\nfile = %s\n"
      "scalar.motors = 1\nscalar.left_motor_control = 10\nscalar.right_motor_control = -15\nscalar.x_start = "
      "0\nscalar.z_start = 0\nscalar.left_hip_start = %.17g\nscalar.right_hip_start = %.17g\n[point spot]\nat.ground = "
      "0, 0, 0.03\n[constraint stance]\ntype = coincident\npoints = spot, leg.foot_place@leg.left_calf\n[start]\n"
      "guess.leg.left_knee.angle = 1.4\nguess.leg.right_knee.angle = -1.4\n";
  static const char push[] =
      "[case push]\nduration = 0.05\nstep = 1e-3\n[objective o]\nof = mechanism.com.x\nform = "
      "terminal\n[design d]\nscalar = %s\n";
  static const char *const of[2][4] = {
      {"x.distance", "z.distance", "left_knee.angle.rate", "right_knee.angle.rate"},
      {"leg.x.distance", "leg.z.distance", "leg.left_knee.angle.rate", "leg.right_knee.angle.rate"}};
  char part[40], text[2000], model[40] = "/tmp/mbopt_model_XXXXXX";
  double own[4], imported[4];
  const leg l = leg_at(0.45);
  if (!import_model("problems/monoped/monoped.xml", 0, part)) { return; }
  snprintf(text, sizeof text, parent, part, l.q, -3.14159265358979323846 - l.q);
  write_file(model, text);
  int n = snprintf(text, sizeof text, "schema = 1\n[model]\nfile = %s\n", model);
  snprintf(text + n, sizeof text - (size_t)n, push, "leg.T");
  run_to_end(text, 4, of[1], 0, NULL, imported);
  unlink(model), unlink(part);
  n = snprintf(text, sizeof text, MODEL "[scalars]\n" KNEE("0.45"), MBOPT_SOURCE_DIR);
  n +=
      snprintf(text + n, sizeof text - (size_t)n,
               "thigh_mass = 0.481\ncalf_mass = 0.4851\nleft_limit = 10\nright_limit = 15\nleft_part = 1\nright_part = "
               "-1\n");
  snprintf(text + n, sizeof text - (size_t)n, push, "damping");
  run_to_end(text, 4, of[0], 0, NULL, own);
  CU_ASSERT(own[0] > 0.005);
  for (int i = 0; i < 4; i++) { CHECK_CLOSE(of[0][i], imported[i], own[i], 1e-11); }
}

/* ---- by hand ---- */

/* The leg stays where the torques do the work of the weights: 2 torque dq = g (base + thighs (1 + dknee_z) + calves dknee_z) dheight, thighs and calves in their middles. It is
 * there that the centre of mass is as high as start_z, and that the foot carries the weight. */
static void test_holding(void) {
  static const char *const of[] = {"x.distance.acceleration", "z.distance.acceleration", "stance.force.z",
                                   "mechanism.com.z", "jump"};
  const double height = 0.36, base = 1.706, thigh_mass = 0.4425 + 0.831 * 0.047 - 0.17 * 0.047 * 0.047,
               calf_mass = 0.4425 + 0.831 * 0.052 - 0.17 * 0.052 * 0.052;
  const leg l = leg_at(height);
  const double torque = g * (base + thigh_mass * (1 + l.dknee_z) + calf_mass * l.dknee_z) / (2 * l.dq);
  const double mass = base + 2 * thigh_mass + 2 * calf_mass;
  char text[1200];
  double y[5];
  snprintf(text, sizeof text,
           MODEL "[scalars]\n" KNEE("0.36") "left_limit = 100\nright_limit = 100\nleft_part = %.17g\nright_part = "
                                            "%.17g\n[case hold]\nduration = 1e-4\nstep = 1e-4\n[objective o]\nof = "
                                            "mechanism.com.x\nform = terminal\n[design damping]\n",
           MBOPT_SOURCE_DIR, torque / 100, -torque / 100);
  run_to_end(text, 5, of, 0, NULL, y);
  CU_ASSERT(fabs(torque) > 1);
  CHECK_CLOSE("along [m/s^2]", y[0], 0, 1e-9);
  CHECK_CLOSE("up [m/s^2]", y[1], 0, 1e-9);
  CHECK_CLOSE("on the foot [N]", y[2], mass * g, 1e-8);
  CHECK_CLOSE("centre of mass [m]", y[3],
              0.03 + (base * height + thigh_mass * (height + l.knee_z) + calf_mass * l.knee_z) / mass, 1e-12);
}

/* The parabola from the state in which it takes off, to the height at which it began. */
static void test_parabola(void) {
  static const char *const of[] = {"mechanism.com.x", "mechanism.com.z", "mechanism.com_velocity.x",
                                   "mechanism.com_velocity.z", "jump"};
  static const char push[] = MODEL
      "[scalars]\nT = %g\nleft_part = 0.6\nright_part = -1\n[case push]\nduration = "
      "T\nstep = T/20\n[objective o]\nof = mechanism.com.x\nform = terminal\n"
      "[design damping]\n";
  char text[600];
  double start[5], y[5];
  snprintf(text, sizeof text, push, MBOPT_SOURCE_DIR, 1e-9);
  run_to_end(text, 5, of, 0, NULL, start);
  snprintf(text, sizeof text, push, MBOPT_SOURCE_DIR, 0.08);
  run_to_end(text, 5, of, 0, NULL, y);
  const double rise = y[1] - start[1], in_air = (y[3] + sqrt(y[3] * y[3] + 2 * g * rise)) / g;
  CU_ASSERT(y[4] > 0.05 && rise > 0.005);
  CHECK_CLOSE("jump [m]", y[4], y[0] + y[2] * in_air, 1e-6); /* but for its smoothing */
}

/* ---- gradients and optima ---- */

static void test_gradients(void) {
  static const char *const coarse[] = {"case.push.step=T/10", "scalars.T=0.07"};
  static const char *const few[] = {"case.push.step=T/10", "scalars.T=0.07", "scalars.points=3"};
  CU_ASSERT_EQUAL(run_check_gradients("configs/monoped.ini", 2, coarse), 5);
  CU_ASSERT_EQUAL(run_check_gradients("configs/monoped_spring.ini", 3, few), 13);
}

enum { ENERGY, JUMP, START, GRIP };

/* The hips are at their bound; what the jump and the height of the start cost makes the slopes of all others vanish. */
static void test_optimum(void) {
  static const double x[] = {0.258915821, 0.307278806, 0.05, 2.03214499, 0.0786937775};
  mbd_error err = {0};
  opened_run r = run_open("configs/monoped.ini", 0, NULL);
  must(mechanism_evaluate(r.m, x, "auto", &err), &err);
  const double *E = r.m->grad, *jump = E + 5, *start = E + 10;
  CHECK_CLOSE("energy [J]", r.m->psi[ENERGY], 23.80479, 5e-5);
  CHECK_CLOSE("jump [m]", r.m->psi[JUMP], 1.03, 1e-6);
  CHECK_CLOSE("height [m]", r.m->psi[START], 0.3, 1e-8);
  CU_ASSERT(r.m->psi[GRIP] < -10);
  const double metre = E[4] / jump[4], of_height = (E[3] - metre * jump[3]) / start[3];
  CU_ASSERT(metre > 20 && of_height > 1);
  for (int j = 0; j < 2; j++) { CHECK_CLOSE(r.m->name[j], E[j] - metre * jump[j] - of_height * start[j], 0, 1e-4); }
  CU_ASSERT(E[2] - metre * jump[2] - of_height * start[2] > 0.1);
  run_close(&r);
}

TEST_MAIN(TEST(test_import), TEST(test_holding), TEST(test_parabola), TEST(test_gradients), TEST(test_optimum))
