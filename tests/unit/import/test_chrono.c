/* Vehicles of Project Chrono: a car from its files at rest, whose masses, springs and hard points are typed here from these files, by virtual work on a closure of its own;
 * parts that suspensions and steerings become; what is refused, with file, line and key. */
#include "import/chrono.h"

#include <sys/stat.h>

#include "opened_run.h"
#include "values/cayley.h"

enum { PATH = 300 };
static char folder[] = "/tmp/mbopt_chrono_XXXXXX";
static const char sedan[] = MBOPT_SOURCE_DIR "/tests/unit/import/chrono/sedan";

/* ---- files ---- */

static void put(const char *name, const char *text) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  test_put(path, text);
}

static void write_vehicle(const chrono_model *m) {
  put("car_model.ini", m->model);
  for (int i = 0; i < m->nname; i++) { put(m->name[i], m->text[i]); }
}

static void import_sedan(chrono_model *m) {
  char car[PATH], tyre[PATH];
  mbd_error err = {0};
  snprintf(car, sizeof car, "%s/vehicle/Sedan_Vehicle.json", sedan);
  snprintf(tyre, sizeof tyre, "%s/tire/Sedan_TMeasyTire.json", sedan);
  must(chrono_import(car, tyre, "car", m, &err), &err);
}

/* The files of the car in a folder of their own, one of them with an edit, and what becomes of them. */
static mbd_status import_edited(const char *file, const char *from, const char *to, chrono_model *m, mbd_error *err) {
  static const char *const files[] = {
      "vehicle/Sedan_Vehicle.json",     "chassis/Sedan_Chassis.json", "suspension/Sedan_DoubleWishbone.json",
      "steering/Sedan_RackPinion.json", "wheel/Sedan_Wheel.json",     "tire/Sedan_TMeasyTire.json"};
  char path[PATH], whole[4000], car[PATH], inner_folder[PATH];
  snprintf(inner_folder, sizeof inner_folder, "%s/sedan", folder);
  mkdir(inner_folder, 0700);
  for (int i = 0; i < 6; i++) {
    char text[4000] = "";
    snprintf(path, sizeof path, "%s/%s", sedan, files[i]);
    FILE *in = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    snprintf(path, sizeof path, "%s/sedan/%.*s", folder, (int)strcspn(files[i], "/"), files[i]);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "sedan/%s", files[i]);
    const int edits = strcmp(files[i], file) == 0;
    if (edits) { edit(whole, sizeof whole, text, from, to); }
    put(path, edits ? whole : text);
  }
  snprintf(car, sizeof car, "%s/sedan/vehicle/Sedan_Vehicle.json", folder);
  return chrono_import(car, NULL, "car", m, err);
}

static const char at_rest[] =
    "schema = 1\n[model]\nfile = %s/car_model.ini\n[design mass]\n[case rest]\nanalysis = static\n"
    "duration = 1\nstep = 1\ndrive.base.{way in x y e3} = 0\ndrive.steering.linkage.slide.distance = 0\n"
    "drive.front.{side in left right}_wheel.spin.angle = 0\ndrive.rear.{side in left right}_wheel.spin.angle = 0\n"
    "[objective o]\nof = front.left.rise\nform = terminal\n";

/* ---- the car at rest, by hand ---- */

/* Sedan_DoubleWishbone.json [m, kg, N/m]: ends of the links on the chassis and on the carrier, the last one being the tie rod; centres of mass. */
static const double inner[5][3] = {{0.2, 0.42, -0.27},
                                   {-0.2, 0.47, -0.265},
                                   {-0.1, 0.47, 0.105},
                                   {-0.25, 0.51, 0.11},
                                   {-0.2, 0.42, -0.12}},
                    outer[5][3] = {{0, 0.77, -0.32},
                                   {0, 0.77, -0.32},
                                   {-0.04, 0.695, 0.105},
                                   {-0.04, 0.695, 0.105},
                                   {-0.15, 0.77, -0.12}},
                    wheel[3] = {0, 0.7979, -0.1199},
                    arm_com[2][3] = {{0.0048, 0.6112, -0.2932}, {-0.1083, 0.5972, 0.1063}},
                    upright_com[3] = {-0.0224, 0.747, -0.1118}, spring_top[3] = {-0.04, 0.52, 0.23},
                    spring_foot[3] = {0, 0.62, -0.27};
static const double arm_mass[2] = {1.611, 1.032}, upright_mass = 1.397, wheel_mass = 1.103 + 13.2 + 11.5,
                    stiffness = 500000, free_length = 0.51, chassis_mass = 1550, rack_mass = 1.889, g0 = 9.81,
                    radius = 0.3266, step = 1e-30;

/* A place of the carrier: x: wheel's centre x, y, Cayley's parameters. */
static void carried(const number *x, double rise, const double *point, number *r) {
  number R[3][3];
  const number centre[3] = {x[0], x[1], wheel[2] + rise + I * step};
  cayley(x + 2, R);
  for (int i = 0; i < 3; i++) {
    r[i] = centre[i];
    for (int j = 0; j < 3; j++) { r[i] += R[i][j] * (point[j] - wheel[j]); }
  }
}

static void residuals(const number *x, double rise, number *f) {
  for (int k = 0; k < 5; k++) {
    number r[3];
    carried(x, rise, outer[k], r);
    f[k] = 0;
    for (int i = 0; i < 3; i++) {
      f[k] += (r[i] - inner[k][i]) * (r[i] - inner[k][i]) - pow(outer[k][i] - inner[k][i], 2);
    }
  }
}

/* Newton's method; imaginary parts are derivatives by the rise, times `step`. */
static void close_links(double rise, number *x) {
  number start[5] = {wheel[0], wheel[1]};
  memcpy(x, start, sizeof start);
  for (int it = 0; it < 40; it++) {
    number f[5], plus[5], minus[5], A[5][6];
    residuals(x, it < 10 ? rise * (it + 1) / 10 : rise, f);
    for (int j = 0; j < 5; j++) {
      const number at = x[j];
      x[j] = at + 1e-6, residuals(x, it < 10 ? rise * (it + 1) / 10 : rise, plus);
      x[j] = at - 1e-6, residuals(x, it < 10 ? rise * (it + 1) / 10 : rise, minus);
      x[j] = at;
      for (int i = 0; i < 5; i++) { A[i][j] = creal(plus[i] - minus[i]) / 2e-6; }
    }
    for (int i = 0; i < 5; i++) { A[i][5] = f[i]; }
    for (int k = 0; k < 5; k++) { /* Gauss and Jordan, with pivots */
      int p = k;
      for (int i = k; i < 5; i++) { p = cabs(A[i][k]) > cabs(A[p][k]) ? i : p; }
      for (int j = 0; j < 6; j++) {
        const number swapped = A[k][j];
        A[k][j] = A[p][j], A[p][j] = swapped;
      }
      for (int i = 0; i < 5; i++) {
        const number factor = A[i][k] / A[k][k];
        for (int j = k; j < 6 && i != k; j++) { A[i][j] -= factor * A[k][j]; }
      }
    }
    for (int k = 0; k < 5; k++) { x[k] -= A[k][5] / A[k][k]; }
  }
}

static number dot(const number *a, const number *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void cross(const number *a, const number *b, number *c) {
  for (int i = 0; i < 3; i++) { c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]; }
}

/* A point of an arm, which turns about the line of its pivots so that its ball follows that of the carrier: 0 the lower one. */
static void on_arm(int arm, const number *x, double rise, const double *point, number *r) {
  number ball[3], axis[3], q0[3], q[3], p[3], s[3], turned[3];
  const double *front = inner[2 * arm], *rear = inner[2 * arm + 1];
  carried(x, rise, outer[2 * arm], ball);
  for (int i = 0; i < 3; i++) {
    axis[i] = front[i] - rear[i], q0[i] = outer[2 * arm][i] - front[i], q[i] = ball[i] - front[i],
    p[i] = point[i] - front[i];
  }
  const number length = csqrt(dot(axis, axis));
  for (int i = 0; i < 3; i++) { axis[i] /= length; }
  const number along0 = dot(axis, q0), along = dot(axis, q);
  for (int i = 0; i < 3; i++) { q0[i] -= along0 * axis[i], q[i] -= along * axis[i]; }
  cross(q0, q, s);
  const number cosine = dot(q0, q) / dot(q0, q0), sine = dot(axis, s) / dot(q0, q0), shift = dot(axis, p);
  cross(axis, p, turned);
  for (int i = 0; i < 3; i++) {
    r[i] = front[i] + cosine * (p[i] - shift * axis[i]) + sine * turned[i] + shift * axis[i];
  }
}

/* The load of a tyre of stiffness k by virtual work, as the wheel rises in a chassis that has the pitch: the spring, the weights, and the load at the contact, which is where
 * the tyre with this load has it, in the plane of the wheel (wheel_on_road.h). */
static double load_by_work(double rise, double pitch, double load, double k) {
  const number up[3] = {-sin(pitch), 0, cos(pitch)};
  number x[5], R[3][3], r[3], top[3], work = 0, contact[3], e[3], t[3], axle[3];
  close_links(rise, x);
  cayley(x + 2, R);
  on_arm(0, x, rise, spring_foot, r);
  for (int i = 0; i < 3; i++) { top[i] = r[i] - spring_top[i]; }
  const number length = csqrt(dot(top, top));
  work -= stiffness * (creal(length) - free_length) * cimag(length) / step;
  const double *com[4] = {arm_com[0], arm_com[1], upright_com, wheel};
  const double mass[4] = {arm_mass[0], arm_mass[1], upright_mass, wheel_mass};
  for (int b = 0; b < 4; b++) {
    if (b < 2) {
      on_arm(b, x, rise, com[b], r);
    } else {
      carried(x, rise, com[b], r);
    }
    for (int i = 0; i < 3; i++) { work -= mass[b] * g0 * creal(up[i]) * cimag(r[i]) / step; }
  }
  /* The axle, forward and up along the wheel: t = axle x up, e = t x axle; the contact as a point of the carrier in its drawn place. */
  for (int i = 0; i < 3; i++) { axle[i] = creal(R[i][1]); }
  cross(axle, up, t), cross(t, axle, e);
  const double along = creal(csqrt(dot(t, t))), loaded = radius - load / k;
  double drawn[3];
  for (int j = 0; j < 3; j++) {
    drawn[j] = wheel[j];
    for (int i = 0; i < 3; i++) { drawn[j] -= loaded * creal(R[i][j]) * creal(e[i]) / along; }
  }
  carried(x, rise, drawn, contact);
  double by_rise = 0;
  for (int i = 0; i < 3; i++) { by_rise += creal(up[i]) * cimag(contact[i]) / step; }
  return -creal(work) / by_rise;
}

static void test_rest(void) {
  static const char *const of[] = {"front.left_tyre.load",
                                   "front.right_tyre.load",
                                   "rear.left_tyre.load",
                                   "rear.right_tyre.load",
                                   "front.left.rise",
                                   "rear.left.rise",
                                   "base.e2"};
  enum { N = 7 };
  char text[1000];
  double y[N];
  chrono_model m;
  import_sedan(&m);
  CU_ASSERT_EQUAL_FATAL(m.nwarning, 1);
  CHECK_CONTAINS(
      m.warning[0],
      "Sedan_TMeasyTire.json:4: 'Template' is no Magic Formula, and becomes a tyre_contact with radius 0.3266 m");
  write_vehicle(&m);
  chrono_model_free(&m);
  snprintf(text, sizeof text, at_rest, folder);
  run_to_end(text, N, of, 0, NULL, y);
  const double weight = g0 * (chassis_mass + rack_mass + 4 * (arm_mass[0] + arm_mass[1] + upright_mass + wheel_mass));
  CHECK_NEAR("weight", y[0] + y[1] + y[2] + y[3], weight, weight, 1e-12);
  CHECK_NEAR("right", y[1], y[0], y[0], 1e-12);
  CHECK_NEAR("right", y[3], y[2], y[2], 1e-12);
  /* the stiffness by the load index, 97 */
  const double k = g0 * 45 * pow(10, 97 / 80.0) / (0.16 * (0.3266 - 0.2286)), pitch = 2 * asin(y[6]);
  CHECK_NEAR("front", load_by_work(y[4], pitch, y[0], k), y[0], y[0], 1e-12);
  CHECK_NEAR("rear", load_by_work(y[5], pitch, y[2], k), y[2], y[2], 1e-12);
}

/* Hard points, masses and springs vary both sides at once. */
static void test_gradients(void) {
  chrono_model m;
  import_sedan(&m);
  write_vehicle(&m);
  chrono_model_free(&m);
  char text[1000], path[] = "/tmp/mbopt_run_XXXXXX";
  const int n = snprintf(text, sizeof text, at_rest, folder);
  snprintf(text + n, sizeof text - (size_t)n,
           "[objective load]\nof = rear.left_tyre.load\nform = terminal\n[design ball]\nscalar = front.lower_ball_y\n"
           "[design stiffness]\nscalar = rear.spring_stiffness\n[design upright]\nscalar = front.carrier_mass\n");
  write_file(path, text);
  opened_run r = run_read(path, 0, NULL);
  unlink(path);
  CU_ASSERT_EQUAL(run_check_gradients_of(&r), 4);
}

/* ---- parts ---- */

static const char on_ground[] =
    "schema = 1\n[model]\ngravity = 0, 0, 0\n[curve up]\ntype = polynomial\ncoefficients = 0, 0.05\n"
    "[part q]\nuse = %s\nbody.chassis = ground\n%s[part five]\nuse = five_link\nbody.chassis = "
    "ground\n"
    "body.rack = ground\n[scalars]\nradius = 300\nstatic_toe = 0.01\nstatic_camber = -0.02\nwheel_x = 10\nwheel_y = "
    "800\n"
    "wheel_z = 20\n";

/* A suspension, with further scalars, goes as five links between the same points do. */
static void goes_as_five_links(const char *part, const char *masses, int n, const char *const *name,
                               const double (*at)[3], const int (*link)[2]) {
  static const char *const of[] = {"q.wheel.toe",       "five.wheel.toe",           "q.wheel.camber",
                                   "five.wheel.camber", "q.wheel.wheelbase_change", "five.wheel.wheelbase_change"};
  char text[4000], run[600], path[PATH];
  double y[6];
  size_t used = (size_t)snprintf(text, sizeof text, on_ground, part,
                                 strcmp(part, "multi_link") == 0 ? "body.rack = ground\n" : "");
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s_%c = %g\n", name[i], "xyz"[k], at[i][k]);
    }
  }
  for (int i = 0; i < 10; i++) {
    for (int k = 0; k < 3; k++) {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s_%d_%c = %g\n", i % 2 ? "outer" : "inner", i / 2 + 1,
                               "xyz"[k], at[link[i / 2][i % 2]][k]);
    }
  }
  snprintf(text + used, sizeof text - used, "%s", masses);
  snprintf(path, sizeof path, "%s_model.ini", part);
  put(path, text);
  snprintf(
      run, sizeof run,
      "schema = 1\n[model]\nfile = %s/%s_model.ini\n[design radius]\n[case c]\nanalysis = kinematic\nduration = 1\n"
      "step = 0.5\ndrive.q.rise = up\ndrive.five.rise = up\n[objective o]\nof = q.rise\nform = terminal\n",
      folder, part);
  run_to_end(run, 6, of, 0, NULL, y);
  for (int i = 0; i < 6; i += 2) { CHECK_NEAR(of[i], y[i], y[i + 1], 1, 1e-12); }
  CU_ASSERT(fabs(y[1] - 180 / M_PI * 0.01) > 0.01);
}

#define MASSES(name)                                                                                        \
  name "_mass = 2\n" name "_com_x = 0\n" name "_com_y = 600\n" name "_com_z = 0\n" name "_ixx = 0.1\n" name \
       "_iyy = 0.1\n" name "_izz = 0.1\n" name "_ixy = 0\n" name "_ixz = 0\n" name "_iyz = 0\n"

static void test_suspensions(void) {
  static const char *const multi[] = {"upper_front",    "upper_rear",    "upper_ball",
                                      "lateral_inner",  "lateral_outer", "trailing_inner",
                                      "trailing_outer", "rod_inner",     "rod_outer"},
                           *const three[] = {"arm_inner", "upper_inner", "upper_outer", "lower_inner", "lower_outer"};
  static const double at_multi[][3] = {{60, 397, 82},   {-157, 358, 62},   {56, 714, 151},
                                       {36, 188, -133}, {29, 692, -93},    {723, 449, -72},
                                       {0, 714, -156},  {-257, 170, -116}, {-144, 712, -56}},
                      at_three[][3] = {{500, 600, 20},  {-10, 200, 150}, {5, 640, 160},
                                       {20, 150, -100}, {15, 660, -120}, {10, 800, 20}};
  static const int of_multi[5][2] = {{0, 2}, {1, 2}, {3, 4}, {5, 6}, {7, 8}},
                   of_three[5][2] = {{0, 2},
                                     {0, 4},
                                     {0, 5},
                                     {1, 2},
                                     {3, 4}}; /* three points of the arm keep their distance from its ball */
  goes_as_five_links("multi_link",
                     MASSES("upper") MASSES("trailing") MASSES("carrier") "lateral_mass = 1\nrod_mass = 1\n", 9, multi,
                     at_multi, of_multi);
  goes_as_five_links("three_link", MASSES("carrier") "upper_mass = 1\nlower_mass = 1\n", 5, three, at_three, of_three);
}

/* Arms of 130 and 100 mm about vertical axes at (0, 249) and (0, -325): the end of the first at 249 + 130 (sin, cos), that of the second where two circles meet. The
 * tie rod's point of the rack, on its line, and the rack of a rack. */
static void test_steerings(void) {
  static const char model[] =
      "schema = 1\n[model]\ngravity = 0, 0, 0\n[curve turn]\ntype = polynomial\ncoefficients = 0, 0.4\n[part s]\nuse = "
      "pitman_arm\nbody.chassis = ground\n[part r]\nuse = rack\nbody.chassis = ground\nat = 0.1, 0.2, 0.3\nturn = 0, "
      "0, 0.5\n"
      "[point seen]\nat = 0.13, 0.249, 0\nbodies = s.rack\n[point other]\nat = 0.1, -0.325, 0\nbodies = s.rack\n"
      "[scalars]\narm_pivot_x = 0\narm_pivot_y = 249\narm_pivot_z = 0\narm_axis_x = 0\narm_axis_y = 0\narm_axis_z = 1\n"
      "arm_end_x = 130\narm_end_y = 249\narm_end_z = 0\njoint_arm_x = 0\njoint_arm_y = 0\njoint_arm_z = 1\njoint_rod_x "
      "= 1\n"
      "joint_rod_y = 0\njoint_rod_z = 0\nidler_pivot_x = 0\nidler_pivot_y = -325\nidler_pivot_z = 0\nidler_end_x = "
      "100\n"
      "idler_end_y = -325\nidler_end_z = 0\nidler_axis_x = 0\nidler_axis_y = 0\nidler_axis_z = 1\nradius = 1\n" MASSES(
          "arm") MASSES("rack");
  static const char *const of[] = {"seen.position.x",  "seen.position.y", "other.position.x", "other.position.y",
                                   "other.position.z", "r.rack.com.x",    "r.rack.com.y"};
  char run[600];
  double y[7];
  put("steerings.ini", model);
  snprintf(run, sizeof run,
           "schema = 1\n[model]\nfile = %s/steerings.ini\n[design radius]\n[case c]\nanalysis = kinematic\nduration = "
           "1\nstep = 0.25\n"
           "drive.s.arm_pivot.angle = turn\ndrive.r.slide.distance = 0.02\n[objective o]\nof = seen.position.x\nform = "
           "terminal\n",
           folder);
  run_to_end(run, 7, of, 0, NULL, y);
  const double ax = 0.13 * cos(0.4), ay = 0.249 + 0.13 * sin(0.4), rod = hypot(0.03, 0.574), qy = -0.325;
  const double d = hypot(ax, ay - qy), a = (d * d + 0.1 * 0.1 - rod * rod) / (2 * d), h = sqrt(0.1 * 0.1 - a * a);
  const double expected[] = {ax, ay, a * ax / d + h * (ay - qy) / d, qy + a * (ay - qy) / d - h * ax / d, 0};
  for (int i = 0; i < 5; i++) { CHECK_CLOSE(of[i], y[i], expected[i], 1e-12); }
  CHECK_CLOSE("rack x", y[5], 0.1 - 0.62 * sin(0.5), 1e-12);
  CHECK_CLOSE("rack y", y[6], 0.2 + 0.62 * cos(0.5), 1e-12);
}

/* Where circles about a and b meet, on the left of the way from a to b (side 1) or on its right (-1). */
static void meet(const double *a, double ra, const double *b, double rb, double side, double *p) {
  const double d[2] = {b[0] - a[0], b[1] - a[1]}, dd = hypot(d[0], d[1]);
  const double along = (dd * dd + ra * ra - rb * rb) / (2 * dd), across = side * sqrt(ra * ra - along * along);
  p[0] = a[0] + (along * d[0] - across * d[1]) / dd, p[1] = a[1] + (along * d[1] + across * d[0]) / dd;
}

/* What is left of two equations of the angles of both knuckles, seen from above: the tie rod of 1200 keeps its length; the end of the crank, turned by an angle, its place along
 * the rod, 550 from the left end. */
static void left_of_rod(const double *angle, double crank, double *f) {
  const double end[2] = {-200 * cos(crank) - 50 * sin(crank), -200 * sin(crank) + 50 * cos(crank)};
  const double left[2] = {-200 * cos(angle[0]) + 100 * sin(angle[0]), 700 - 200 * sin(angle[0]) - 100 * cos(angle[0])},
               right[2] = {-200 * cos(angle[1]) - 100 * sin(angle[1]),
                           -700 - 200 * sin(angle[1]) + 100 * cos(angle[1])};
  const double length = hypot(left[0] - right[0], left[1] - right[1]);
  f[0] = length - 1200;
  f[1] = ((left[0] - end[0]) * (left[0] - right[0]) + (left[1] - end[1]) * (left[1] - right[1])) / length - 550;
}

static void solve_rod(double crank, double *angle) {
  for (int it = 0; it < 30; it++) {
    double f[2], A[2][2], plus[2], minus[2];
    left_of_rod(angle, crank, f);
    for (int k = 0; k < 2; k++) {
      const double at = angle[k];
      angle[k] = at + 1e-5, left_of_rod(angle, crank, plus);
      angle[k] = at - 1e-5, left_of_rod(angle, crank, minus);
      angle[k] = at;
      for (int i = 0; i < 2; i++) { A[i][k] = (plus[i] - minus[i]) / 2e-5; }
    }
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    angle[0] -= (f[0] * A[1][1] - f[1] * A[0][1]) / det, angle[1] -= (f[1] * A[0][0] - f[0] * A[1][0]) / det;
  }
}

/* A guided axle with vertical kingpins, steered by an arm, a drag link, a bell crank and two tie rods in one plane; then it heaves and rolls, with the centres of the wheels on
 * the kingpins; what its drive carries; links that are level carry nothing. */
static void test_axles(void) {
  static const char model[] =
      "schema = 1\n[model]\n[curve turn]\ntype = polynomial\ncoefficients = 0, 0.2\n[part arm]\nuse = "
      "rotary_arm\nbody.chassis = "
      "ground\n[part beam]\nuse = guided_axle\nbody.chassis = ground\n[part left]\nuse = kingpin\nscalar.masses = "
      "1\nbody.chassis = "
      "ground\nbody.axle = beam.carrier\n[part right]\nuse = kingpin\nscalar.masses = 1\nbody.chassis = "
      "ground\nbody.axle = "
      "beam.carrier\nmirror = y\n[part link]\nuse = bell_crank\nbody.axle = beam.carrier\nbody.left = "
      "left.carrier\nbody.right = "
      "right.carrier\nbody.rack = arm.rack\n[part other]\nuse = rigid_axle\nscalar.masses = 1\nbody.chassis = "
      "ground\n[part ol]\n"
      "use = wheel_carrier\nbody.chassis = ground\nbody.carrier = other.carrier\n[part or]\nuse = "
      "wheel_carrier\nbody.chassis = "
      "ground\nbody.carrier = other.carrier\nmirror = y\n[scalars]\nradius = 300\nstatic_toe = 0\nstatic_camber = 0\n"
      "drag_link_mass = 4\n";
  static const struct {
    const char *name;
    double at[3];
  } points[] = {{"arm_pivot", {600, 300, 0}},  {"arm_axis", {0, 0, 1}},           {"crank_pivot", {0, 0, 0}},
                {"drag_inner", {600, 100, 0}}, {"crank_drag", {0, 100, 0}},       {"crank_rod", {-200, 50, 0}},
                {"rod_outer", {-200, 600, 0}}, {"kingpin_lower", {0, 700, -100}}, {"kingpin_upper", {0, 700, 100}},
                {"wheel", {0, 700, 0}},        {"inner_1", {500, 200, 0}},        {"outer_1", {0, 400, 0}},
                {"inner_2", {500, -200, 0}},   {"outer_2", {0, -400, 0}},         {"inner_3", {500, 400, 200}},
                {"outer_3", {0, 400, 200}},    {"inner_4", {500, -400, 200}},     {"outer_4", {0, -400, 200}}};
  static const char *const body[] = {"rack", "beam", "knuckle", "crank", "tie_rod"};
  static const char *const of[] = {"left.wheel.toe",
                                   "right.wheel.toe",
                                   "left.rise",
                                   "right.rise",
                                   "drive.beam.heave.distance.drive_force",
                                   "drive.ol.rise.drive_force",
                                   "drive.or.rise.drive_force"};
  char text[6000], relay[6000], run[700];
  double y[7];
  size_t n = (size_t)snprintf(text, sizeof text, "%s", model);
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    for (int k = 0; k < 3; k++) {
      n += (size_t)snprintf(text + n, sizeof text - n, "%s_%c = %g\n", points[i].name, "xyz"[k], points[i].at[k]);
    }
  }
  for (int i = 0; i < 5; i++) { /* masses 10, 20, 30, 40, 50 kg in the origin, but the crank, which is in its pivot */
    n += (size_t)snprintf(
        text + n, sizeof text - n,
        "%s_mass = %d\n%s_com_{way in x y z} = 0\n%s_i{way in xx yy zz} = 1\n%s_i{way in xy xz yz} = 0\n"
        "link_%d_mass = %d\n",
        body[i], 10 * (i + 1), body[i], body[i], body[i], i + 1, 2 * i);
  }
  put("axles.ini", text);
  static const char cases[] =
      "schema = 1\n[model]\nfile = %s/axles.ini\n[design radius]\n[case c]\nanalysis = kinematic\nduration = 1\nstep = "
      "0.25\n"
      "drive.arm.arm_pivot.angle = %s\ndrive.beam.heave.distance = %g\ndrive.beam.roll.angle = %g\ndrive.ol.rise = 0\n"
      "drive.or.rise = 0\n[objective o]\nof = left.rise\nform = terminal\n";
  snprintf(run, sizeof run, cases, folder, "turn", 0.0, 0.0);
  run_to_end(run, 7, of, 0, NULL, y);
  const double inner_end[2] = {600 + 200 * sin(0.2), 300 - 200 * cos(0.2)}, pivot[2] = {0, 0},
               axes[2][2] = {{0, 700}, {0, -700}};
  double drag[2];
  meet(pivot, 100, inner_end, 600, 1, drag);
  const double crank = atan2(drag[1], drag[0]) - M_PI / 2;
  for (int right = 0; right < 2; right++) {
    const double y0 = right ? -50 : 50, outer_y = right ? -600 : 600;
    const double end[2] = {-200 * cos(crank) - y0 * sin(crank), -200 * sin(crank) + y0 * cos(crank)};
    double knuckle[2];
    meet(axes[right], hypot(200, 100), end, 550, right ? 1 : -1, knuckle);
    const double angle =
        atan2(knuckle[1] - axes[right][1], -knuckle[0]) - atan2(outer_y - axes[right][1], 200); /* seen from below */
    CHECK_CLOSE(of[right], y[right], 180 / M_PI * (right ? -angle : angle), 1e-11);
    CU_ASSERT(fabs(angle) > 0.1);
  }
  char *steered = strstr(text, "use = bell_crank");
  double angle[2] = {0, 0};
  CU_ASSERT_PTR_NOT_NULL_FATAL(steered);
  snprintf(relay, sizeof relay, "%.*suse = relay_crank%s", (int)(steered - text), text,
           steered + strlen("use = bell_crank"));
  put("axles.ini", relay);
  run_to_end(run, 7, of, 0, NULL, y);
  solve_rod(crank, angle);
  CHECK_CLOSE("left by a relay", y[0], -180 / M_PI * angle[0], 1e-10);
  CHECK_CLOSE("right by a relay", y[1], 180 / M_PI * angle[1], 1e-10);
  put("axles.ini", text);
  snprintf(run, sizeof run, cases, folder, "0", 0.03, 0.05);
  run_to_end(run, 7, of, 0, NULL, y);
  CHECK_CLOSE("left rise", y[2], 0.03 + 0.7 * sin(0.05), 1e-14);
  CHECK_CLOSE("right rise", y[3], 0.03 - 0.7 * sin(0.05), 1e-14);
  snprintf(run, sizeof run, cases, folder, "0", 0.0, 0.0);
  run_to_end(run, 7, of, 0, NULL, y);
  CHECK_CLOSE("weight", y[4], g0 * (20 + 2 * 30 + 40 + 2 * 50 + 4 / 2.0), 1e-10);
  CHECK_CLOSE("weight on links", y[5] + y[6], g0 * (20 + (0 + 2 + 4 + 6) / 2.0), 1e-10);
}

/* ---- springs ---- */

/* A progressive spring with preload, stops that the car at rest is in, a curve of the damper; forces at the length that results. */
static void test_springs(void) {
  static const char *const of[] = {"front.left_spring.spring.length", "front.left_spring.spring.force",
                                   "front.left_spring.stops.force", "front.left_spring.shock.force"};
  mbd_error err = {0};
  chrono_model m;
  must(import_edited("suspension/Sedan_DoubleWishbone.json", "\"Spring Coefficient\":       500000.0",
                     "\"Spring Curve Data\": [[-0.1, -40000], [-0.02, -5000], [0, 0], [0.1, 50000]], \"Preload\": 700, "
                     "\"Minimum Length\": 0.5, \"Maximum Length\": 0.9",
                     &m, &err),
       &err);
  CHECK_CONTAINS(m.warning[0], "vehicle/Sedan_Vehicle.json:10: 'Axles' names no tyre: radius 0.35 m");
  write_vehicle(&m);
  chrono_model_free(&m);
  char run[1000];
  double y[4];
  snprintf(run, sizeof run, at_rest, folder);
  run_to_end(run, 4, of, 0, NULL, y);
  const double deflection = y[0] - 0.51, in = 0.5 - y[0];
  CU_ASSERT_FATAL(deflection < -0.02 && deflection > -0.1 && in > 0.01 && in < 0.02);
  CHECK_NEAR("spring", y[1], -5000 + (deflection + 0.02) / 0.08 * 35000 - 700, 1e4, 1e-12);
  CHECK_NEAR("stops", y[2], -1000 - (in - 0.01) / 0.01 * 1500, 1e3, 1e-12);
  CHECK_CLOSE("shock", y[3], 0, 1e-9);
}

/* ---- what is refused, or warned of ---- */

static const char arm[] =
    "{\"Name\": \"arm\", \"Type\": \"Steering\", \"Template\": \"RotaryArm\", \"Pitman Arm\": {\"Mass\": 1, "
    "\"Inertia\": [1, 1, 1], \"Maximum Angle (deg)\": 30, \"Point of Rotation\": [0, 0, 0], \"Axis of Rotation\": "
    "[0, 1, 0], \"Point to Draglink\": [0, 0, -0.2]}}\n";

static void test_messages(void) {
  static const char *const file[] = {"vehicle/Sedan_Vehicle.json", "chassis/Sedan_Chassis.json",
                                     "suspension/Sedan_DoubleWishbone.json", "steering/Sedan_RackPinion.json",
                                     "wheel/Sedan_Wheel.json"};
  enum { CAR, CHASSIS, AXLE, STEERING, WHEEL };
  static const struct {
    int file;
    const char *from, *to, *message;
  } cases[] = {
      {CAR, "\"Chassis\": {", "\"Chasis\": {", "Sedan_Vehicle.json:1: 'Chassis' is missing, did you mean 'Chasis'?"},
      {CAR, "\"Axles\": [", "\"Axles\": [,", "Sedan_Vehicle.json:10: "},
      {CAR, "\"WheeledVehicle\"", "\"TrackedVehicle\"", "is a vehicle that is not taken, expected WheeledVehicle"},
      {CAR, "\"Type\": \"Vehicle\"", "\"Type\": \"Tire\"", "'Type' = Tire, expected Vehicle"},
      {CAR, "sedan/chassis/Sedan", "../sedan/chassis/Sedan", "expected a path that goes down from a folder"},
      {CAR, "sedan/chassis/Sedan", "/sedan/chassis/Sedan", "Sedan_Vehicle.json:7: 'Chassis/Input File' = /sedan"},
      {CAR, "sedan/chassis/Sedan", "sedan/chassis/Seden", "is no file in the folder of this one"},
      {CAR, "chassis/Sedan_Chassis", "wheel/Sedan_Wheel", "'Type' = Wheel, expected Chassis, as "},
      {CAR, "\"Steering Index\": 0", "\"Steering Index\": 1", "expected the number of a steering, below 1"},
      {CAR, "\"Steering Index\": 0", "\"Wheel Separation\": 0.3", "expected one wheel on each side"},
      {CAR, "[ 1.388, 0, 0.25 ]", "[ 1.388, 0 ]", "'Axles/0/Suspension Location' expected 3 numbers"},
      {CAR, "[ 1, 0, 0, 0 ]", "[ 0, 0, 0, 0 ]", "expected a quaternion"},
      {CAR, "\"Suspension Indexes\": [ 1 ]", "\"Suspension Indexes\": [ 2 ]", "has 2, expected the number of an axle"},
      {CAR, "\"Wheelbase\"", "\"Rear Chassis\"", "'Rear Chassis' is not taken"},
      {CHASSIS, "1550", "\"1550\"", "'Components/0/Mass' expected a number"},
      {CHASSIS, "false", "true", "expected a mass > 0"},
      {AXLE, "\"Free Length\"", "\"Free Lenght\"", "'Spring' has no 'Free Length', did you mean 'Free Lenght'?"},
      {AXLE, "\"DoubleWishbone\"", "\"DoubleWishbones\"",
       ":4: 'Template' = DoubleWishbones is not taken, did you mean"},
      {AXLE, "[-0.250, 0.5100, 0.1100]", "[-0.100, 0.4700, 0.1050]", "'Upper Control Arm' has its points on one line"},
      {AXLE, "500000.0", "-1", "expected a number > 0"},
      {AXLE, "\"Spring Coefficient\":       500000.0", "\"Spring Curve Data\": [[0, 0], [0, 1]]",
       "'Spring/Spring Curve Data/1/0' does not rise"},
      {CAR, "\"Steering Subsystems\": [",
       "\"Steering Subsystems\": [{\"Input File\": \"arm.json\", \"Location\": [0, 0, 0], \"Orientation\": "
       "[1, 0, 0, 0]},",
       "Sedan_Vehicle.json:33: 'Steering Subsystems/1/Input File' is of another kind than the first steering"},
      {STEERING, "\"RackPinion\"", "\"RackPinions\"", "= RackPinions is not taken, did you mean 'RackPinion'?"},
      {WHEEL, "\"Mass\":                       13.2,", "", "Sedan_Wheel.json:1: 'Mass' is missing"},
  };
  put("sedan/vehicle/arm.json", arm);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mbd_error err = {0};
    chrono_model m;
    CU_ASSERT_EQUAL(import_edited(file[cases[i].file], cases[i].from, cases[i].to, &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
    chrono_model_free(&m);
  }
  mbd_error err = {0};
  chrono_model m;
  must(import_edited(file[CAR], "\"Right Wheel Input File\": \"sedan", "\"Right Wheel Input File\": \"suv", &m, &err),
       &err);
  CU_ASSERT_EQUAL_FATAL(m.nwarning, 2);
  CHECK_CONTAINS(m.warning[0],
                 "Sedan_Vehicle.json:16: 'Axles/0/Right Wheel Input File' is another wheel than the left one");
  chrono_model_free(&m);
}

TEST_MAIN_IN(folder, TEST(test_rest), TEST(test_gradients), TEST(test_suspensions), TEST(test_steerings),
             TEST(test_axles), TEST(test_springs), TEST(test_messages))
