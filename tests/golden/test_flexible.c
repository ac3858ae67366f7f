/* Problems with beams against chains of rigid segments with torsion springs, extrapolated, and against closed forms. */
#include <math.h>

#include "mbo/backend.h"
#include "mbo/run.h"
#include "opened_run.h"

enum { VALUES = 5, SETTINGS_MAX = 10 };

/* Values of a run file, objectives first, with n settings. */
static void values_of(const char *run, int n, const char *const *set, double y[VALUES]) {
  mbd_error err = {0};
  opened_run r = run_open(run, n, set);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  for (int i = 0; i < VALUES; i++) { y[i] = i < r.m->nobjective + r.m->nconstraint ? r.m->psi[i] : NAN; }
  run_close(&r);
}

/* The same with a model in which N rigid segments take the place of a beam. */
static void chain_of(const char *run, const char *model, int N, int n, const char *const *set, double y[VALUES]) {
  char path[] = "/tmp/mbopt_model_XXXXXX", file[60], whole[6000], number[12];
  const char *all[1 + SETTINGS_MAX] = {file};
  snprintf(number, sizeof number, "N = %d", N);
  edit(whole, sizeof whole, model, "N = 0", number);
  write_file(path, whole);
  snprintf(file, sizeof file, "model.file=%s", path);
  for (int i = 0; i < n; i++) { all[1 + i] = set[i]; }
  values_of(run, n + 1, all, y);
  unlink(path);
}

/* Values from k on, of beams against the limit of N and 2 N segments, whose errors go with 1/N^2. */
static void check_chain(const char *run, const char *model, int N, int k, int n, const char *const *set, double close) {
  double y[VALUES], coarse[VALUES], fine[VALUES];
  values_of(run, n, set, y);
  chain_of(run, model, N, n, set, coarse);
  chain_of(run, model, 2 * N, n, set, fine);
  for (int i = k; i < VALUES && y[i] == y[i]; i++) {
    const double expected = fine[i] + (fine[i] - coarse[i]) / 3;
    CHECK_NEAR("beam and chain", y[i], expected, fabs(expected), close);
  }
}

/* The design that the optimizer of the run file comes to, with its objective, true values within their limits; 0: IPOPT is not built in. */
static int optimum_of(const char *run, int n, const char *const *set, double *f, double *x) {
  mbd_error err = {0};
  mbo_run *r;
  mbo_result q = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, run);
  must(mbo_run_open(path, n, set, &r, &err), &err);
  const mbd_status status = mbo_run_minimize(r, "ipopt", NULL, &q, &err);
  if (status == MBD_NOT_BUILT_IN) {
    test_skip(err.text);
  } else {
    must(status, &err);
    CU_ASSERT(q.violation < 1e-6);
    *f = q.f;
    memcpy(x, q.x, (size_t)q.n * sizeof *x);
  }
  mbo_result_free(&q);
  mbo_run_close(r);
  return status == MBD_OK;
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
    check_chain(crank_run, crank_chain, 16, 1, 3, set, close[i]);
  }
  /* The largest deflection of two turns, 0.91 mm. */
  check_chain(crank_run, crank_chain, 16, 1, 1, &modulus[1], 2e-4);
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
  double y[VALUES];
  values_of(crank_run, 3, set, y);
  CHECK_NEAR("stiff rod", y[1], sqrt(sum), sqrt(sum), 1e-3);
}

static void test_crank_gradients(void) {
  const char *const coarse[] = {"case.run.step=2*pi/speed/50"};
  CU_ASSERT_EQUAL(run_check_gradients(crank_run, 1, coarse), 3);
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

/* The lightest tube: of two variables with two limits, which small displacements have near by (README). */
static void test_anti_roll_bar_optimum(void) {
  double f, x[2];
  if (optimum_of("configs/anti_roll_bar.ini", 0, NULL, &f, x)) {
    CHECK_CLOSE("mass", f, 1.81634078, 1e-7);
    CHECK_CLOSE("diameter", x[0], 0.02525624, 1e-7);
    CHECK_CLOSE("wall", x[1], 0.00227287, 1e-7);
  }
}

/* ---- problems/four_bar_flexible ---- */

static const char bar_run[] = "configs/four_bar_flexible.ini";

/* Strips whose thickness is that of their beams. The crank is clamped to a hub by the spring of half of a segment. */
static const char bar_chain[] =
    "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[scalars]\nN = 0\n"
    "base = 0.254\ncrank = 0.108\ncoupler = 0.2794\nfollower = 0.2705\nwidth = 0.0254\ncrank_height = 0.00424\n"
    "coupler_end = 0.0016\ncoupler_middle = 0.0016\nfollower_end = 0.0016\nfollower_middle = 0.0016\n"
    "damping = 0\nmodulus = 7.1016e10\ndensity = 2714\njoint_mass = 0.042\nspeed = 35.6\nrun_up = 2*pi/speed\n"
    "half = N/2\nnext = half + 1\n"
    "reach = base - crank\nC_along = (coupler^2 - follower^2 + reach^2)/(2*reach)\nC_x = crank + C_along\n"
    "C_y = sqrt(coupler^2 - C_along^2)\na = density*width*crank_height*crank/N\n"
    "b = density*width*coupler/N\nc = density*width*follower/N\n"
    "more_b = coupler_middle - coupler_end\nmore_c = follower_middle - follower_end\nbend = modulus*width/12*N\n"
    "[body hub]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[body a{i}]\nrepeat = i from 1 to N\nmass = a\ncom = crank*({i} - 0.5)/N, 0, 0\n"
    "inertia = 0, 0, a*((crank/N)^2 + crank_height^2)/12\n"
    "[body b{i}]\nrepeat = i from 1 to N\nmass = b*(coupler_end + more_b*(1 - abs(2*({i} - 0.5)/N - 1)))\ncom = crank "
    "+ C_along*({i} - 0.5)/N, C_y*({i} - 0.5)/N, 0\n"
    "inertia = 0, 0, b*(coupler_end + more_b*(1 - abs(2*({i} - 0.5)/N - 1)))*((coupler/N)^2 + (coupler_end + more_b*(1 "
    "- abs(2*({i} - 0.5)/N - 1)))^2)/12\n"
    "[body c{i}]\nrepeat = i from 1 to N\nmass = c*(follower_end + more_c*(1 - abs(2*({i} - 0.5)/N - 1)))\n"
    "com = base + (C_x - base)*({i} - 0.5)/N, C_y*({i} - 0.5)/N, 0\n"
    "inertia = 0, 0, c*(follower_end + more_c*(1 - abs(2*({i} - 0.5)/N - 1)))*((follower/N)^2 + (follower_end + "
    "more_c*(1 - abs(2*({i} - 0.5)/N - 1)))^2)/12\n"
    "[body pin_B]\nmass = joint_mass\ncom = crank, 0, 0\ninertia = 0, 0, 0\n"
    "[body pin_C]\nmass = joint_mass\ncom = C_x, C_y, 0\ninertia = 0, 0, 0\n"
    "[point A]\nat = 0, 0, 0\nbodies = ground, hub, a1\n"
    "[point A{i}]\nrepeat = i from 2 to N\nat = crank*({i} - 1)/N, 0, 0\nbodies = a{i-1}, a{i}\n"
    "[point B]\nat = crank, 0, 0\nbodies = a{N}, b1, pin_B\n"
    "[point B{i}]\nrepeat = i from 2 to N\nat = crank + C_along*({i} - 1)/N, C_y*({i} - 1)/N, 0\n"
    "bodies = b{i-1}, b{i}\n"
    "[point M]\nat = crank + C_along/2, C_y/2, 0\nbodies = b{half}\n"
    "[point C]\nat = C_x, C_y, 0\nbodies = b{N}, c{N}, pin_C\n"
    "[point C{i}]\nrepeat = i from 2 to N\nat = base + (C_x - base)*({i} - 1)/N, C_y*({i} - 1)/N, 0\n"
    "bodies = c{i-1}, c{i}\n"
    "[point D]\nat = base, 0, 0\nbodies = ground, c1\n"
    "[vector axis]\nalong = 0, 0, 1\nbodies = ground, hub, a{i from 1 to N}, b{i from 1 to N}, c{i from 1 to N}\n"
    "[joint shaft]\ntype = revolute\nbodies = ground, hub\npoint = A\naxis = axis\n"
    "[joint A1]\ntype = revolute\nbodies = hub, a1\npoint = A\naxis = axis\n"
    "[joint A{i}]\nrepeat = i from 2 to N\ntype = revolute\nbodies = a{i-1}, a{i}\npoint = A{i}\naxis = axis\n"
    "[joint B1]\ntype = revolute\nbodies = a{N}, b1\npoint = B\naxis = axis\n"
    "[joint B{i}]\nrepeat = i from 2 to N\ntype = revolute\nbodies = b{i-1}, b{i}\npoint = B{i}\naxis = axis\n"
    "[joint C1]\ntype = revolute\nbodies = b{N}, c{N}\npoint = C\naxis = axis\n"
    "[joint C{i}]\nrepeat = i from 2 to N\ntype = revolute\nbodies = c{i-1}, c{i}\npoint = C{i}\naxis = axis\n"
    "[joint D1]\ntype = revolute\nbodies = ground, c1\npoint = D\naxis = axis\n"
    "[joint on_B]\ntype = weld\nbodies = a{N}, pin_B\npoint = B\n"
    "[joint on_C]\ntype = weld\nbodies = c{N}, pin_C\npoint = C\n"
    "[force root]\ntype = torsion_spring\ncoordinate = A1.angle\nstiffness = 2*bend*crank_height^3/crank\n"
    "[force ka{i}]\nrepeat = i from 2 to N\ntype = torsion_spring\ncoordinate = A{i}.angle\n"
    "stiffness = bend*crank_height^3/crank\n"
    "[force kb{i}]\nrepeat = i from 2 to N\ntype = torsion_spring\ncoordinate = B{i}.angle\n"
    "stiffness = bend*(coupler_end + more_b*(1 - abs(2*({i} - 1)/N - 1)))^3/coupler\n"
    "[force kc{i}]\nrepeat = i from 2 to N\ntype = torsion_spring\ncoordinate = C{i}.angle\n"
    "stiffness = bend*(follower_end + more_c*(1 - abs(2*({i} - 1)/N - 1)))^3/follower\n"
    "[curve turning]\ntype = expression\nvalue = speed*(min(x, run_up)/2 - "
    "run_up/(2*pi)*sin(pi*min(x, run_up)/run_up) + max(x - run_up, 0))\n"
    "[constraint motor]\ntype = driven_coordinate\ncoordinate = shaft.angle\nmotion = turning\n";
static const char bar_outputs[] =
    "[quantity diagonal]\nvalue = sqrt(base^2 + crank^2 - 2*base*crank*cos(shaft.angle))\n"
    "[quantity coupler_angle]\nvalue = atan2(-crank*sin(shaft.angle), base - crank*cos(shaft.angle)) + "
    "acos((coupler^2 + diagonal^2 - follower^2)/(2*coupler*diagonal))\n"
    "[quantity error_x]\nvalue = M.position.x - crank*cos(shaft.angle) - coupler/2*cos(coupler_angle)\n"
    "[quantity error_y]\nvalue = M.position.y - crank*sin(shaft.angle) - coupler/2*sin(coupler_angle)\n"
    "[quantity error]\nvalue = 1000*sqrt(error_x^2 + error_y^2 + 1e-14)\n"
    "[quantity coupler_stress]\nvalue = 1e-6*modulus*coupler_middle/2*B{next}.angle*N/coupler\n"
    "[quantity follower_stress]\nvalue = 1e-6*modulus*follower_middle/2*C{next}.angle*N/follower\n"
    "[quantity follower_slope]\nvalue = sum(C*.angle) - C1.angle\n"
    "[start]\nhold.shaft.angle = 0\n";

/* The lightest strips, as the optimizer finds them from near by with steps of twice the length. */
static const char *const bar_names[] = {"crank_height", "coupler_end", "coupler_middle", "follower_end",
                                        "follower_middle"};
static const double bar_optimum[] = {5.60229951e-3, 1.18549309e-3, 3.47385898e-3, 1.28135759e-3, 2.22698183e-3};

static void test_bar_optimum(void) {
  static const char *const near[] = {"design.crank_height.start=0.0055",    "design.coupler_end.start=0.0012",
                                     "design.coupler_middle.start=0.0034",  "design.follower_end.start=0.0013",
                                     "design.follower_middle.start=0.0022", "case.run.step=4*pi/speed/200"};
  double f, x[5];
  if (!optimum_of(bar_run, 6, near, &f, x)) { return; }
  CHECK_CLOSE("mass", f, 0.119290487, 1e-3);
  for (int i = 0; i < 5; i++) { CHECK_NEAR(bar_names[i], x[i], bar_optimum[i], bar_optimum[i], 3e-2); }
}

/* Error of the path, stresses and slope, without damping, near whose frequency is the eighth harmonic of the speed: of strips of constant thickness with
 * four times the modulus; of the lightest ones, whose stresses are those in their ridges. */
static void test_bar_chain(void) {
  char chain[6000], text[5][60];
  const char *set[8] = {"case.run.scalar.damping=0", "constraint.follower_slope.form=rms",
                        "case.run.step=4*pi/speed/250", "case.run.scalar.modulus=2.84064e11"};
  snprintf(chain, sizeof chain, "%s%s", bar_chain, bar_outputs);
  check_chain(bar_run, chain, 8, 1, 4, set, 5e-3);
  for (int i = 0; i < 5; i++) {
    snprintf(text[i], sizeof text[i], "design.%s.start=%.9g", bar_names[i], bar_optimum[i]);
    set[3 + i] = text[i];
  }
  check_chain(bar_run, chain, 8, 1, 8, set, 1e-2);
}

static void test_bar_gradients(void) {
  const char *const coarse[] = {"case.run.step=4*pi/speed/50"};
  CU_ASSERT_EQUAL(run_check_gradients(bar_run, 1, coarse), 5);
}

/* ---- problems/flexible_pendulum ---- */

static const char pendulum_run[] = "configs/flexible_pendulum.ini";

static const char pendulum_chain[] =
    "schema = 1\n"
    "[model]\ngravity = 0, -9.81, 0\njoints = named\n"
    "[scalars]\nN = 0\nlength = 1\nheight = 0.02\nwidth = 0.02\nmodulus = 1e9\ndensity = 1000\nbob = 0.1\npart = "
    "length/N\nmass = density*height*width*part\n"
    "[body s{i}]\nrepeat = i from 1 to N\nmass = mass\ncom = part*({i} - 0.5), 0, 0\ninertia = 0, 0, mass*(part^2 + "
    "height^2)/12\n"
    "[body bob]\nmass = bob\ncom = length, 0, 0\ninertia = 0, 0, 0\n"
    "[point hinge]\nat = 0, 0, 0\nbodies = ground, s1\n"
    "[point P{i}]\nrepeat = i from 2 to N\nat = part*({i} - 1), 0, 0\nbodies = s{i-1}, s{i}\n"
    "[point tip]\nat = length, 0, 0\nbodies = s{N}, bob\n"
    "[vector axis]\nalong = 0, 0, 1\nbodies = ground, s{i from 1 to N}\n"
    "[joint pivot]\ntype = revolute\nbodies = ground, s1\npoint = hinge\naxis = axis\n"
    "[joint J{i}]\nrepeat = i from 2 to N\ntype = revolute\nbodies = s{i-1}, s{i}\npoint = P{i}\naxis = axis\n"
    "[joint bolt]\ntype = weld\nbodies = s{N}, bob\npoint = tip\n"
    "[force k{i}]\nrepeat = i from 2 to N\ntype = torsion_spring\ncoordinate = J{i}.angle\nstiffness = "
    "modulus*width*height^3/(12*part)\n"
    "[start]\nhold.pivot.angle = 0\n";

/* The height of the end after a second, against a chain; without foreshortening it would be 1 mm off. */
static void test_pendulum_chain(void) {
  const char *const coarse[] = {"case.fall.step=2e-3"};
  check_chain(pendulum_run, pendulum_chain, 8, 1, 1, coarse, 1e-2);
}

/* a'' = -k cos(a), a the angle over the horizontal, by Runge and Kutta's scheme. */
static void test_pendulum_rigid(void) {
  const double L = 1, h = 0.02, m = 1000 * h * h * L, bob = 0.1;
  const double k = 9.81 * (m / 2 + bob) * L / (m * (L * L / 3 + h * h / 12) + bob * L * L), step = 1e-3;
  double a = 0, v = 0;
  for (int i = 0; i < 1000; i++) {
    const double k1 = -k * cos(a), k2 = -k * cos(a + step / 2 * v),
                 k3 = -k * cos(a + step / 2 * v + step * step / 4 * k1),
                 k4 = -k * cos(a + step * v + step * step / 2 * k2);
    a += step * v + step * step / 6 * (k1 + k2 + k3);
    v += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const char *const stiff[] = {"case.fall.scalar.modulus=1e12"};
  double y[VALUES];
  values_of(pendulum_run, 1, stiff, y);
  CHECK_CLOSE("end of a stiff pendulum", y[1], sin(a), 1e-6);
}

/* The mean deflection is that by inertia of the rigid motion, in proportion to 1/E. */
static void test_pendulum_rigid_limit(void) {
  static const char *const modulus[] = {"case.fall.scalar.modulus=1e11", "case.fall.scalar.modulus=1e12"};
  double y[2][VALUES];
  for (int i = 0; i < 2; i++) {
    const char *const set[] = {modulus[i], "objective.x.of=rod.tip.deflection_up", "objective.x.form=integral",
                               "case.fall.step=1e-3"};
    values_of(pendulum_run, 4, set, y[i]);
  }
  CHECK_CLOSE("deflections", y[0][0] / y[1][0], 10, 0.03);
}

/* Its energy, of 4.9 N m times its length: nothing is lost but by the scheme. */
static void test_pendulum_energy(void) {
  const char *const set[] = {
      "case.fall.formulation=matrix_r", "case.fall.integrator=dormand_prince", "case.fall.rho_inf=",
      "case.fall.duration=0.2",         "objective.x.of=energy.total",         "objective.x.form=range"};
  double y[VALUES];
  values_of(pendulum_run, 6, set, y);
  CHECK_CLOSE("range of the energy", y[0], 0, 1e-11);
}

static void test_pendulum_gradients(void) {
  const char *const coarse[] = {"case.fall.step=1e-2"};
  CU_ASSERT_EQUAL(run_check_gradients(pendulum_run, 1, coarse), 3);
}

/* ---- problems/lightweight_arm ---- */

/* The first frequency of the straight arm with its motors locked, of tubes without mass: two masses on a cantilever. */
static void test_arm_frequency(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = %s/problems/lightweight_arm/lightweight_arm.ini\n"
      "[design upper_wall]\nlower = 1e-3\nupper = 4e-3\n"
      "[case pick]\nduration = 0.1\nstep = 0.1\nscalar.density = 0.01\nscalar.damping = 0\n"
      "[mode first]\nnear = 6\n[objective first]\nvalue = first.frequency\n";
  const double pi = acos(-1), a = 0.5, b = 0.4, L = a + b, motor = 1.5, load = 2, E = 7e10;
  const double upper = E * pi / 64 * (pow(0.07, 4) - pow(0.067, 4)),
               lower = E * pi / 64 * (pow(0.05, 4) - pow(0.047, 4));
  const double elbow = pow(a, 3) / (3 * upper), both = elbow + a * a * b / (2 * upper),
               tip = (pow(L, 3) - pow(b, 3)) / (3 * upper) + pow(b, 3) / (3 * lower);
  const double trace = motor * elbow + load * tip, det = motor * load * (elbow * tip - both * both);
  const double expected = 1 / (2 * pi * sqrt(trace / 2 + sqrt(trace * trace / 4 - det)));
  opened_run r = run_open_rooted(run);
  if (run_evaluate_modes(&r, r.m->start, "none")) {
    CHECK_NEAR("frequency [Hz]", r.m->psi[0], expected, expected, 1e-6);
  }
  run_close(&r);
}

/* The lightest arm: walls as thin as they may be, and 1.5 mm off its way. */
static void test_arm_optimum(void) {
  static const double known[] = {0.104043744, 0.0681858591, 0.001, 0.0743735185, 0.0153088942, 0.001};
  double f, x[6];
  if (!optimum_of("configs/lightweight_arm.ini", 0, NULL, &f, x)) { return; }
  CHECK_CLOSE("mass", f, 0.509734357, 1e-6);
  for (int i = 0; i < 6; i++) { CHECK_CLOSE("dimension", x[i], known[i], 1e-4); }
}

static void test_arm_gradients(void) {
  const char *const coarse[] = {"case.pick.step=1e-2"};
  CU_ASSERT_EQUAL(run_check_gradients("configs/lightweight_arm.ini", 1, coarse), 6);
}

/* ---- problems/twist_beam ---- */

/* Small loads: in roll the beam only twists, since arms on balls put no moment into its bending; side forces F at both wheels bend it by couples whose
 * sum is 2 F a, and the mean of its slopes at the ends is F a L/(6 E I). */
static void test_twist_beam(void) {
  static const char run[] = "configs/twist_beam.ini";
  const char *const small[] = {"case.roll.scalar.roll_load=1", "case.side.scalar.side_load=1"};
  const double a = 0.4, L = 1.2, h = 0.09, b = 0.06, t = 0.006, E = 2.06e11, G = 7.9e10;
  const double J = (2 * b + h - 2 * t) * pow(t, 3) / 3, I = (b * pow(h, 3) - (b - t) * pow(h - 2 * t, 3)) / 12;
  const double lift = 1e3 * a * a * L / (2 * G * J), steer = 180 / acos(-1) * a * L / (6 * E * I),
               stress = 1e-6 * a / J * t;
  double y[VALUES];
  values_of(run, 2, small, y);
  CHECK_NEAR("lift", y[1], lift, lift, 1e-6);
  CHECK_NEAR("steer", y[2], -steer, steer, 1e-6);
  CHECK_NEAR("shear stress", y[3], -stress, stress, 1e-6);
  CU_ASSERT_EQUAL(run_check_gradients(run, 0, NULL), 4);
}

/* The lightest beam: as high as it may be, with a web as thin as it may be. */
static void test_twist_beam_optimum(void) {
  double f, x[4];
  if (optimum_of("configs/twist_beam.ini", 0, NULL, &f, x)) {
    CHECK_CLOSE("mass", f, 8.98409502, 1e-6);
    CHECK_CLOSE("height", x[0], 0.12, 1e-7);
    CHECK_CLOSE("width", x[1], 0.03199363, 1e-6);
    CHECK_CLOSE("flange", x[2], 0.0102389, 1e-6);
    CHECK_CLOSE("web", x[3], 0.003, 1e-7);
  }
}

TEST_MAIN(TEST(test_twist_beam), TEST(test_twist_beam_optimum), TEST(test_anti_roll_bar_optimum),
          TEST(test_arm_frequency), TEST(test_arm_gradients), TEST(test_pendulum_chain),
          TEST(test_pendulum_rigid_limit), TEST(test_pendulum_energy), TEST(test_pendulum_rigid),
          TEST(test_pendulum_gradients), TEST(test_crank_chain), TEST(test_crank_rigid), TEST(test_crank_gradients),
          TEST(test_anti_roll_bar), TEST(test_bar_chain), TEST(test_bar_gradients), TEST(test_bar_optimum),
          TEST(test_arm_optimum))
