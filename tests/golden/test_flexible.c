/* Problems with beams against chains of rigid segments with torsion springs, extrapolated, and against closed forms. */
#include "opened_run.h"

#include <math.h>

/* The last value of a run file, with n settings. */
static double value_of(const char *run, int n, const char *const *set) {
  mbd_error err = {0};
  opened_run r = run_open(run, n, set);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double value = r.m->psi[r.m->nobjective + r.m->nconstraint - 1];
  run_close(&r);
  return value;
}

/* The same with a model in which N rigid segments take the place of a beam. */
static double chain_of(const char *run, const char *model, int N, int n, const char *const *set) {
  char path[] = "/tmp/mbopt_model_XXXXXX", file[60], whole[4000], number[12];
  const char *all[5] = {file};
  snprintf(number, sizeof number, "N = %d", N);
  edit(whole, sizeof whole, model, "N = 0", number);
  write_file(path, whole);
  snprintf(file, sizeof file, "model.file=%s", path);
  for (int i = 0; i < n; i++) { all[1 + i] = set[i]; }
  const double value = value_of(run, n + 1, all);
  unlink(path);
  return value;
}

/* Its limit for many segments, whose errors go with 1/N^2. */
static double limit_of(const char *run, const char *model, int N, int n, const char *const *set) {
  const double coarse = chain_of(run, model, N, n, set), fine = chain_of(run, model, 2 * N, n, set);
  return fine + (fine - coarse) / 3;
}

/* ---- problems/flexible_slider_crank ---- */

static const char crank_chain[] =
    "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[scalars]\nN = 0\ncrank = 0.15\nlength = 0.3\nspeed = "
    "150\n"
    "modulus = 2.1e11\ndensity = 7850\nslider_mass = 0.033\n"
    "diameter_crank = 0.006\ndiameter_middle = diameter_crank\ndiameter_slider = diameter_crank\n"
    "part = length/N\nmass = density*pi/4*diameter_crank^2*part\nhalf = N/2\n"
    "[body crank]\nmass = 0.1\ncom = 0, 0, 0\ninertia = 1e-4, 1e-4, 1e-4\n"
    "[body s{i}]\nrepeat = i from 1 to N\nmass = mass\ncom = crank + part*({i} - 0.5), 0, 0\n"
    "inertia = 0, 0, mass*(part^2/12 + diameter_crank^2/16)\n"
    "[body slider]\nmass = slider_mass\ncom = crank + length, 0, 0\ninertia = 0, 0, 0\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, crank\n"
    "[point P]\nat = crank, 0, 0\nbodies = crank, s1\n"
    "[point P{i}]\nrepeat = i from 2 to N\nat = crank + part*({i} - 1), 0, 0\nbodies = s{i-1}, s{i}\n"
    "[point M]\nat = crank + length/2, 0, 0\nbodies = s{half}\n"
    "[point Q]\nat = crank + length, 0, 0\nbodies = s{N}, slider\n"
    "[vector axis]\nalong = 0, 0, 1\nbodies = ground, crank, slider, s{i from 1 to N}\n"
    "[vector along]\nalong = 1, 0, 0\nbodies = ground, slider\n"
    "[joint shaft]\ntype = revolute\nbodies = ground, crank\npoint = O\naxis = axis\n"
    "[joint big_end]\ntype = revolute\nbodies = crank, s1\npoint = P\naxis = axis\n"
    "[joint J{i}]\nrepeat = i from 2 to N\ntype = revolute\nbodies = s{i-1}, s{i}\npoint = P{i}\naxis = axis\n"
    "[joint small_end]\ntype = revolute\nbodies = s{N}, slider\npoint = Q\naxis = axis\n"
    "[joint guide]\ntype = prismatic\nbodies = ground, slider\naxis = along\n"
    "[force bend{i}]\nrepeat = i from 2 to N\ntype = torsion_spring\ncoordinate = J{i}.angle\n"
    "stiffness = modulus*pi/64*diameter_crank^4/part\n"
    "[curve turning]\ntype = polynomial\ncoefficients = 0, speed\n"
    "[constraint motor]\ntype = driven_coordinate\ncoordinate = shaft.angle\nmotion = turning\n"
    "[start]\nhold.shaft.angle = 0\nrate.shaft.angle = speed\n";

static const char crank_run[] = "configs/flexible_slider_crank.ini";

/* The root of the mean square of the deflection: beam and chain come together with the square of the deflection, since slopes are of second order in the
 * beam. */
static void test_crank_chain(void) {
  static const char *const modulus[] = {"case.run.scalar.modulus=2.1e11", "case.run.scalar.modulus=8.4e11",
                                        "case.run.scalar.modulus=3.36e12"};
  static const double close[] = {4e-3, 2e-4, 1e-5};
  for (int i = 0; i < 3; i++) {
    const char *const set[] = {modulus[i], "constraint.deflection.form=rms", "constraint.deflection.smoothing="};
    const double found = value_of(crank_run, 3, set), expected = limit_of(crank_run, crank_chain, 16, 3, set);
    CHECK_NEAR("deflection", found, expected, expected, close[i]);
  }
}

/* A stiff rod bends as inertia of its rigid motion bends a beam on two supports: in the middle by 5 p L^4/(384 E I), p that load there, for a load that is
 * linear along it. */
static void test_crank_rigid(void) {
  const double r = 0.15, L = 0.3, omega = 150, d = 0.006, E = 2.1e15, rho = 7850;
  double sum = 0;
  enum { N = 720 };
  for (int i = 0; i < N; i++) {
    const double theta = 2 * acos(-1) * i / N, s = -r / L * sin(theta), c = sqrt(1 - s * s);
    const double rate = -r / L * omega * cos(theta) / c,
                 second = (r / L * omega * omega * sin(theta) + s * rate * rate) / c;
    /* the acceleration of P across the rod, and that of the middle about P */
    const double across = -omega * omega * r * (cos(theta) * -s + sin(theta) * c) + second * L / 2;
    const double w = -5 * rho * across * pow(L, 4) / (384 * E * d * d / 16);
    sum += w * w / N;
  }
  const char *const set[] = {"case.run.scalar.modulus=2.1e15", "constraint.deflection.form=rms",
                             "constraint.deflection.smoothing="};
  const double found = value_of(crank_run, 3, set);
  CHECK_NEAR("stiff rod", found, sqrt(sum), sqrt(sum), 1e-3);
}

static void test_crank_gradients(void) {
  CU_ASSERT_EQUAL(run_check_gradients(crank_run, 0, NULL), 3);
}

/* ---- problems/anti_roll_bar ---- */

/* By the energy of bending and torsion under a small force on each end, up and down; its stress at a bearing. */
static void test_anti_roll_bar(void) {
  static const char run[] = "configs/anti_roll_bar.ini";
  const double a = 0.25, w = 0.05, s = 0.45, e = 0.35, E = 2.06e11, G = 7.9e10, D = 0.024, d = 0.014;
  const double I = acos(-1) / 64 * (pow(D, 4) - pow(d, 4)), J = 2 * I, arm = hypot(a, w), out = s - e + w;
  const double bent = 2 * pow(arm, 3) + 2 * (pow(out, 3) - pow(w, 3)) + 2 * e * out * out;
  const double lift = bent / (3 * E * I) + 2 * s * a * a / (G * J), stress = hypot(out / I, sqrt(3) * a / J) * D / 2;
  const char *const small[] = {"case.press.scalar.load=1"};
  mbd_error err = {0};
  opened_run r = run_open(run, 1, small);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  CHECK_NEAR("1000 lift/load", r.m->psi[1], 1e3 * lift, 1e3 * lift, 1e-7);
  CHECK_NEAR("stress", r.m->psi[2], stress / 1e6, stress / 1e6, 1e-7);
  run_close(&r);
  CU_ASSERT_EQUAL(run_check_gradients(run, 0, NULL), 2);
}

TEST_MAIN(TEST(test_crank_chain), TEST(test_crank_rigid), TEST(test_crank_gradients), TEST(test_anti_roll_bar))
