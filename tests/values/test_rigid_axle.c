/* Parts rigid_axle, watt_linkage, wheel_carrier, kingpin, drag_link and rigid_axle_characteristics against equations of their own: the place of the axle, and the angles of a rocker or of kingpins, are found by
 * Newton's method from the lengths of links and the heights of both wheels, in complex numbers, so that imaginary parts are rates. Roll centres in the drawing are compared with
 * what the drawing says. */

#include "cayley.h"
#include "opened_run.h"

enum { N = 8, LINKS = 4 };
static const double step = 1e-30, mm = 1e-3, degree = 180 / 3.14159265358979323846, wheel[3] = {4, 780, 340},
                    radius = 335, camber = -0.012, wheelbase = 2.9, height = 0.65;

static double toe = 0.003; /* of the wheels as drawn */

/* Hard points in mm. With three links there is a Watt linkage: pivot; then ends of its upper and lower link, on the rocker and on the chassis. */
typedef struct axle {
  const char *name;
  int links;
  double inner[LINKS][3], outer[LINKS][3], pivot[3], end[2][3], end_inner[2][3];
  int steered; /* with the hard points below, */
  double rack; /* which has moved to the left so far [m] */
} axle;

static const axle panhard = {.name = "Panhard rod",
                             .links = 4,
                             .inner = {{520, 420, 330}, {515, -425, 320}, {380, 20, 480}, {-160, 470, 345}},
                             .outer = {{20, 500, 270}, {25, -490, 275}, {-30, 10, 510}, {-150, -480, 315}}};
static const axle oblique = {.name = "four oblique links",
                             .links = 4,
                             .inner = {{520, 420, 330}, {520, -420, 330}, {300, 400, 470}, {300, -400, 470}},
                             .outer = {{20, 500, 270}, {20, -500, 270}, {-30, 90, 510}, {-30, -90, 510}}};
static const axle watt = {.name = "Watt linkage",
                          .links = 3,
                          .inner = {{520, 420, 330}, {520, -420, 330}, {380, 0, 480}},
                          .outer = {{20, 500, 270}, {20, -500, 270}, {-30, 0, 510}},
                          .pivot = {-90, 0, 320},
                          .end = {{-100, 3, 390}, {-100, -4, 250}},
                          .end_inner = {{-100, 500, 395}, {-95, -500, 245}}};

static const double kingpin[2][3] = {{5, 700, 250}, {-20, 680, 450}}, rod[3] = {-150, 640, 300},
                    drag[2][3] = {{130, -350, 320}, {140, 650, 330}};

/* ---- closure: x has the middle of the wheels, Cayley's parameters of the rotation, and the angle of the rocker ---- */

typedef struct place {
  number p[3], R[3][3], steer[2]; /* of the axle; angles of the kingpins, upwards */
} place;

static place place_of(const number *x) {
  place at;
  cayley(x + 3, at.R);
  for (int i = 0; i < 3; i++) { at.p[i] = x[i]; }
  at.steer[0] = x[6], at.steer[1] = x[7];
  return at;
}

/* r := a vector of a knuckle [any unit], as turned about its kingpin on the axle (Rodrigues). */
static void steered(const place *at, int side, const number *v, number *r) {
  const double sign = side ? -1 : 1;
  double u[3], size = 0;
  number across[3], on = 0;
  for (int i = 0; i < 3; i++) {
    u[i] = (i == 1 ? sign : 1) * (kingpin[1][i] - kingpin[0][i]);
    size += u[i] * u[i];
  }
  for (int i = 0; i < 3; i++) { u[i] /= sqrt(size), on += u[i] * v[i]; }
  for (int i = 0; i < 3; i++) { across[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]; }
  const number c = ccos(at->steer[side]), s = csin(at->steer[side]);
  for (int i = 0; i < 3; i++) { r[i] = c * v[i] + s * across[i] + (1 - c) * on * u[i]; }
}

/* A point of the axle, drawn at `point` [mm]. */
static void carried(const place *at, const number *point, number *r) {
  const double middle[3] = {wheel[0], 0, wheel[2]};
  for (int i = 0; i < 3; i++) {
    r[i] = at->p[i];
    for (int j = 0; j < 3; j++) { r[i] += at->R[i][j] * mm * (point[j] - middle[j]); }
  }
}

/* A point that is on the left knuckle in the drawing, or its image on the right one; of the axle, where that is not steered. */
static void carried_by_wheel(const axle *a, const place *at, int side, const double *point, number *r) {
  const double sign = side ? -1 : 1;
  number on_axle[3], v[3], turned[3];
  for (int i = 0; i < 3; i++) {
    on_axle[i] = (i == 1 ? sign : 1) * point[i];
    v[i] = (i == 1 ? sign : 1) * (point[i] - kingpin[0][i]);
  }
  steered(at, side, v, turned);
  for (int i = 0; i < 3 && a->steered; i++) { on_axle[i] = (i == 1 ? sign : 1) * kingpin[0][i] + turned[i]; }
  carried(at, on_axle, r);
}

static number stretched(const number *r, const double *outer, const double *inner) {
  number f = 0;
  for (int i = 0; i < 3; i++) {
    const number d = r[i] - mm * inner[i];
    f += d * d - pow(mm * (outer[i] - inner[i]), 2);
  }
  return f;
}

static int residuals(const axle *a, const number *x, const number *rise, number *f) {
  const place at = place_of(x);
  number r[3];
  int n = 0;
  for (int side = 0; side < 2; side++) {
    carried_by_wheel(a, &at, side, wheel, r);
    f[n++] = r[2] - mm * wheel[2] - rise[side];
  }
  for (int k = 0; k < a->links; k++) {
    const number end[3] = {a->outer[k][0], a->outer[k][1], a->outer[k][2]};
    carried(&at, end, r);
    f[n++] = stretched(r, a->outer[k], a->inner[k]);
  }
  for (int k = 0; a->links == 3 && k < 2; k++) { /* the rocker turns about x of the axle by x[6] */
    const double y = a->end[k][1] - a->pivot[1], z = a->end[k][2] - a->pivot[2];
    const number end[3] = {a->end[k][0], a->pivot[1] + y * ccos(x[6]) - z * csin(x[6]),
                           a->pivot[2] + y * csin(x[6]) + z * ccos(x[6])};
    carried(&at, end, r);
    f[n++] = stretched(r, a->end[k], a->end_inner[k]);
  }
  if (a->steered) {
    number other[3];
    carried_by_wheel(a, &at, 0, rod, r), carried_by_wheel(a, &at, 1, rod, other);
    f[n] = -pow(2 * mm * rod[1], 2);
    for (int i = 0; i < 3; i++) { f[n] += (r[i] - other[i]) * (r[i] - other[i]); }
    carried_by_wheel(a, &at, 0, drag[1], r);
    r[1] -= a->rack; /* as seen from the rack */
    f[n + 1] = stretched(r, drag[1], drag[0]);
    n += 2;
  }
  return n;
}

static void solve(int n, double A[N][N], number *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k; i < n; i++) { p = fabs(A[i][k]) > fabs(A[p][k]) ? i : p; }
    for (int j = 0; j < n; j++) {
      const double swapped = A[k][j];
      A[k][j] = A[p][j], A[p][j] = swapped;
    }
    const number right = b[k];
    b[k] = b[p], b[p] = right;
    for (int i = 0; i < n; i++) {
      const double factor = i == k ? 0 : A[i][k] / A[k][k];
      for (int j = k; j < n; j++) { A[i][j] -= factor * A[k][j]; }
      b[i] -= factor * b[k];
    }
  }
  for (int k = 0; k < n; k++) { b[k] /= A[k][k]; }
}

/* Newton's method with a matrix of central differences, along which the rises grow. */
static place solve_place(const axle *a, const double *rise, const double *rate) {
  number x[N] = {mm * wheel[0], 0, mm * wheel[2]}, f[N], plus[N], minus[N];
  double A[N][N];
  for (int n = 1; n <= 40; n++) {
    const double part = n < 12 ? n / 12.0 : 1;
    const number to[2] = {part * rise[0] + I * step * rate[0], part * rise[1] + I * step * rate[1]};
    const int size = residuals(a, x, to, f);
    for (int j = 0; j < size; j++) {
      number moved[N];
      for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < N; i++) { moved[i] = creal(x[i]) + (i == j ? sign * 1e-6 : 0); }
        residuals(a, moved, to, sign > 0 ? plus : minus);
      }
      for (int i = 0; i < size; i++) { A[i][j] = creal(plus[i] - minus[i]) / 2e-6; }
    }
    solve(size, A, f);
    for (int i = 0; i < size; i++) { x[i] -= f[i]; }
  }
  return place_of(x);
}

/* ---- characteristics ---- */

/* The lowest point of a wheel, and its angle seen from above, positive to the left; brake: rate forwards of the point of its carrier that is there. */
static void contact(const axle *a, const place *at, int side, number *c, number *angle, double *brake) {
  const double drawn[3] = {sin(toe) * cos(camber), cos(toe) * cos(camber), -sin(camber)};
  number centre[3], tip[3], s[3], down[3], size = 0;
  double end[3];
  for (int i = 0; i < 3; i++) { end[i] = wheel[i] + drawn[i] / mm; }
  carried_by_wheel(a, at, side, wheel, centre), carried_by_wheel(a, at, side, end, tip);
  for (int i = 0; i < 3; i++) {
    s[i] = tip[i] - centre[i];
    down[i] = -(i == 2);
  }
  for (int i = 0; i < 3; i++) {
    down[i] += s[2] * s[i];
    size += down[i] * down[i];
  }
  for (int i = 0; i < 3; i++) { c[i] = centre[i] + mm * radius * down[i] / csqrt(size); }
  /* Its drawn place on the carrier: by components along three of its directions. */
  double local[3] = {wheel[0], wheel[1], wheel[2]};
  for (int j = 0; j < 3; j++) {
    number moved[3];
    double beside[3] = {wheel[0], wheel[1], wheel[2]};
    beside[j] += 1 / mm;
    carried_by_wheel(a, at, side, beside, moved);
    for (int i = 0; i < 3; i++) { local[j] += creal(moved[i] - centre[i]) * creal(c[i] - centre[i]) / mm; }
  }
  number braked[3];
  carried_by_wheel(a, at, side, local, braked);
  *brake = cimag(braked[0]);
  *angle = -catan(s[0] / s[1]);
}

static const char *const outputs[] = {"axle.roll",
                                      "axle.track",
                                      "axle.lateral_shift",
                                      "axle.steer",
                                      "axle.braking_support",
                                      "axle.driving_support",
                                      "axle.roll_centre_height",
                                      "axle.roll_steer",
                                      "axle.lateral_by_travel",
                                      "axle.steer_by_travel"};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* Of the motion in which the left, or the right, wheel rises: rates of the middle between the wheels, [0] to the left and [1] upwards, and of the axle about x [2] and z [3]. */
static void motion(const axle *a, const double *rise, int side, double *rate) {
  const double one[2] = {side == 0, side == 1};
  const place at = solve_place(a, rise, one);
  number l[3], r[3];
  carried_by_wheel(a, &at, 0, wheel, l), carried_by_wheel(a, &at, 1, wheel, r);
  /* the point of the axle that is there, by its place in the axle's frame */
  const double middle[3] = {wheel[0], 0, wheel[2]};
  number drawn[3] = {middle[0], middle[1], middle[2]}, m[3];
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) { drawn[j] += creal(at.R[i][j]) * (creal(l[i] + r[i]) / 2 - creal(at.p[i])) / mm; }
  }
  carried(&at, drawn, m);
  rate[0] = cimag(m[1]) / step, rate[1] = cimag(m[2]) / step, rate[2] = rate[3] = 0;
  for (int j = 0; j < 3; j++) { /* w~ = R' R^T */
    rate[2] += cimag(at.R[2][j]) * creal(at.R[1][j]) / step;
    rate[3] += cimag(at.R[1][j]) * creal(at.R[0][j]) / step;
  }
}

static void expect(const axle *a, const double *rise, const double *rate, double *y) {
  const place at = solve_place(a, rise, rate);
  number left[3], right[3], angle[2], l[3], r[3];
  double brake[2], m[2][4], sum[4];
  contact(a, &at, 0, left, &angle[0], &brake[0]), contact(a, &at, 1, right, &angle[1], &brake[1]);
  carried_by_wheel(a, &at, 0, wheel, l), carried_by_wheel(a, &at, 1, wheel, r);
  const double support = -50 * wheelbase / height * (brake[0] / cimag(left[2]) + brake[1] / cimag(right[2]));
  const double below = creal(l[2] + r[2] - left[2] - right[2]) / 2;
  y[0] = degree * creal(catan((left[2] - right[2]) / (left[1] - right[1])));
  y[1] = creal(left[1] - right[1]) / mm, y[2] = creal(left[1] + right[1]) / 2 / mm;
  y[3] = degree * creal(angle[0] + angle[1]) / 2;
  y[4] = 0.4 * support, y[5] = 0.8 * support;
  /* Roll: the middle does not rise; lateral rates at the height of the contacts. */
  motion(a, rise, 0, m[0]), motion(a, rise, 1, m[1]);
  for (int i = 0; i < 4; i++) { sum[i] = m[0][i] * m[1][1] - m[1][i] * m[0][1]; }
  y[6] = (sum[0] / sum[2] + below) / mm, y[7] = sum[3] / sum[2];
  /* Up without roll. */
  for (int i = 0; i < 4; i++) { sum[i] = m[0][i] * m[1][2] - m[1][i] * m[0][2]; }
  y[8] = sum[0] / sum[1], y[9] = degree * mm * sum[3] / sum[1];
}

/* ---- the program ---- */

static void write_point(FILE *f, const char *name, const double *at) {
  for (int i = 0; i < 3; i++) { fprintf(f, "%s_%c = %.17g\n", name, "xyz"[i], at[i]); }
}

static void write_model(const axle *a, const char *path) {
  static const char *const end[] = {"watt_upper", "watt_lower"}, *const inner[] = {"watt_upper_inner",
                                                                                   "watt_lower_inner"};
  FILE *f = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  const char *const use = a->steered ? "kingpin" : "wheel_carrier", *const body = a->steered ? "axle" : "carrier";
  fprintf(f,
          "schema = 1\n[part beam]\nuse = rigid_axle\nbody.chassis = ground\nscalar.links = %d\n[part left]\nuse = "
          "%s\nbody.chassis = ground\nbody.%s = beam.carrier\n[part right]\nuse = %s\nbody.chassis = ground\nbody.%s "
          "= beam.carrier\nmirror = y\n[part axle]\nuse = rigid_axle_characteristics\nbody.chassis = "
          "ground\nbody.carrier = beam.carrier\nscalar.wheelbase = %.17g\nscalar.height = %.17g\nscalar.braking_share "
          "= 0.4\nscalar.driving_share = 0.8\n"
          "[body rack]\nmass = 3\ncom = 0, 0, 0.3\ninertia = 1, 1, 1\n[vector y]\nalong = 0, 1, 0\nbodies = ground, "
          "rack\n[joint rack]\ntype = prismatic\nbodies = ground, rack\naxis = y\n",
          a->links, use, body, use, body, wheelbase, height);
  if (a->steered) {
    fprintf(f, "[part link]\nuse = drag_link\nbody.left = left.carrier\nbody.right = right.carrier\n");
  }
  for (int k = 0; k < 2; k++) { /* at t = 1 */
    const char side = "lr"[k];
    fprintf(f, "[curve rise_%c]\ntype = polynomial\ncoefficients = at_%c - rate_%c, rate_%c\n", side, side, side, side);
  }
  if (a->links == 3) {
    fprintf(f, "[part watt]\nuse = watt_linkage\nbody.chassis = ground\nbody.carrier = beam.carrier\n");
  }
  fprintf(f,
          "[scalars]\nat_l = 0\nat_r = 0\nrate_l = 0\nrate_r = 0\nradius = %.17g\nstatic_toe = %.17g\nstatic_camber = "
          "%.17g\n",
          radius, toe, camber);
  write_point(f, "wheel", wheel);
  if (a->steered) {
    write_point(f, "kingpin_lower", kingpin[0]), write_point(f, "kingpin_upper", kingpin[1]);
    write_point(f, "rod_outer", rod), write_point(f, "drag_inner", drag[0]), write_point(f, "drag_outer", drag[1]);
  }
  for (int k = 0; k < a->links; k++) {
    char name[20];
    snprintf(name, sizeof name, "inner_%d", k + 1), write_point(f, name, a->inner[k]);
    snprintf(name, sizeof name, "outer_%d", k + 1), write_point(f, name, a->outer[k]);
  }
  if (a->links == 3) { write_point(f, "watt_pivot", a->pivot); }
  for (int k = 0; a->links == 3 && k < 2; k++) {
    write_point(f, end[k], a->end[k]), write_point(f, inner[k], a->end_inner[k]);
  }
  fclose(f);
}

/* Outputs `first` to `last` in the drawing, or at other heights of the wheels. */
static void outputs_of(const axle *a, const double *rise, const double *rate, int first, int last, double *y) {
  char model[] = "/tmp/mbopt_model_XXXXXX", text[1000];
  write_file(model, "");
  write_model(a, model);
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s\n[scalars]\nat_l = %.17g\nat_r = %.17g\nrate_l = %.17g\nrate_r = %.17g\n"
           "[design radius]\n[case c]\nanalysis = kinematic\nduration = 1\nstep = 0.1\ndrive.left.rise = "
           "rise_l\ndrive.right.rise = rise_r\ndrive.rack.distance = %.17g\n[objective o]\nof = left.rise\nform = "
           "terminal\n",
           model, rise[0], rise[1], rate[0], rate[1], a->rack);
  run_to_end(text, last - first + 1, outputs + first, 0, NULL, y + first);
  unlink(model);
}

static void test_closure(void) {
  axle front = panhard;
  front.name = "steered", front.steered = 1, front.rack = 0.03;
  const axle *const all[] = {&panhard, &oblique, &watt, &front};
  static const double rise[][2] = {{0.08, -0.06}, {-0.05, 0.02}, {0.03, 0.03}},
                      rate[][2] = {{0.1, -0.1}, {0.1, 0.07}, {0.1, 0.1}};
  for (int n = 0; n < 4; n++) {
    for (int k = 0; k < 3; k++) {
      double got[OUTPUTS], expected[OUTPUTS];
      expect(all[n], rise[k], rate[k], expected);
      outputs_of(all[n], rise[k], rate[k], 0, OUTPUTS - 1, got);
      for (int i = 0; i < OUTPUTS; i++) {
        char what[120];
        snprintf(what, sizeof what, "%s: %s at %g, %g", all[n]->name, outputs[i], rise[k][0], rise[k][1]);
        CHECK_NEAR(what, got[i], expected[i], fmax(1, fabs(expected[i])), 1e-9);
      }
    }
  }
}

/* In the drawing, with everything but the rod symmetrical: where a Panhard rod in the plane of the wheels meets the middle plane; the pivot of a Watt linkage there, whose links
 * are level and whose rocker is upright; and for oblique links the line through the points where both pairs meet, at the place of the wheels. */
static void test_roll_centres(void) {
  static const double still[2] = {0}, roll[2] = {0.1, -0.1};
  const double road = wheel[2] - radius * cos(camber);
  axle a = panhard;
  double y[OUTPUTS];
  toe = 0;                      /* so that the contacts turn with the axle */
  for (int i = 0; i < 3; i++) { /* the links of the symmetrical one */
    memcpy(a.inner[i], watt.inner[i], sizeof a.inner[i]), memcpy(a.outer[i], watt.outer[i], sizeof a.outer[i]);
  }
  a.inner[3][0] = a.outer[3][0] = wheel[0];
  outputs_of(&a, still, roll, 6, 7, y);
  CHECK_NEAR("Panhard rod", y[6], 345 + (315 - 345) * 470 / 950. - road, 300, 1e-9);

  a = watt;
  for (int k = 0; k < 2; k++) {
    a.end[k][0] = a.end_inner[k][0] = wheel[0], a.end[k][1] = 0, a.end_inner[k][2] = a.end[k][2];
  }
  a.pivot[0] = wheel[0];
  outputs_of(&a, still, roll, 6, 7, y);
  CHECK_NEAR("Watt linkage", y[6], 320 - road, 300, 1e-9);

  double meet[2][2]; /* x and z of the point in the middle plane where a pair meets */
  for (int k = 0; k < 2; k++) {
    const double *in = oblique.inner[2 * k], *out = oblique.outer[2 * k], part = in[1] / (in[1] - out[1]);
    meet[k][0] = in[0] + part * (out[0] - in[0]), meet[k][1] = in[2] + part * (out[2] - in[2]);
  }
  const double slope = (meet[1][1] - meet[0][1]) / (meet[1][0] - meet[0][0]);
  outputs_of(&oblique, still, roll, 6, 7, y);
  CHECK_NEAR("oblique links", y[6], meet[0][1] + slope * (wheel[0] - meet[0][0]) - road, 300, 1e-9);
  CHECK_NEAR("roll steer", y[7], slope, 1, 1e-9); /* the axle turns about that line */
}

/* Through every part: hard points of links, rod, Watt linkage, kingpin and drag link. */
static void test_gradients(void) {
  static const char *const point[][4] = {{"inner_4_z", "outer_3_x", "kingpin_upper_y", "drag_outer_z"},
                                         {"watt_pivot_z", "watt_upper_inner_z", "watt_lower_y", "outer_1_z"}},
                           *const of[][4] = {
                               {"axle.roll_steer", "left.steering.trail", "axle.steer", "axle.roll_centre_height"},
                               {"axle.lateral_shift", "axle.roll_centre_height", "axle.lateral_by_travel",
                                "axle.driving_support"}};
  static const double rise[] = {0.05, -0.03}, rate[] = {0.1, -0.08};
  axle front = panhard;
  front.steered = 1, front.rack = 0.03;
  for (int n = 0; n < 2; n++) {
    char model[] = "/tmp/mbopt_model_XXXXXX", path[] = "/tmp/mbopt_run_XXXXXX", text[2500];
    write_file(model, "");
    write_model(n ? &watt : &front, model);
    int used =
        snprintf(text, sizeof text,
                 "schema = 1\n[model]\nfile = %s\n[scalars]\nat_l = %g\nat_r = %g\nrate_l = %g\nrate_r = %g\n[case "
                 "c]\nanalysis = kinematic\nduration = 1\nstep = 0.1\ndrive.left.rise = rise_l\ndrive.right.rise "
                 "= rise_r\ndrive.rack.distance = %g\n",
                 model, rise[0], rise[1], rate[0], rate[1], n ? 0 : front.rack);
    for (int i = 0; i < 4; i++) {
      used += snprintf(text + used, sizeof text - (size_t)used,
                       "[design %s]\n[objective o%d]\nof = %s\nform = mean_square\n", point[n][i], i, of[n][i]);
    }
    write_file(path, text);
    opened_run r = run_read(path, 0, NULL);
    CU_ASSERT_EQUAL(run_check_gradients_of(&r), 4);
    unlink(path), unlink(model);
  }
}

TEST_MAIN(TEST(test_closure), TEST(test_roll_centres), TEST(test_gradients))
