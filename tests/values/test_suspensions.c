/* Parts double_wishbone, macpherson, five_link, trailing_arm, also semi-trailing, with their characteristics, against equations of their own: the place of a carrier is found by
 * Newton's method from the lengths of links and what guides it, in complex numbers, so that the imaginary part of a rise by r + i h is h times the slope. The left
 * and the right wheel stand at different heights, and the rack is not in the middle. Characteristics of axles are compared with closed forms. */

#include "cayley.h"
#include "opened_run.h"

enum { LINKS = 5, WHEEL_OUTPUTS = 11, SLOPES = 5, AXIS_OUTPUTS = 6, AXLE_OUTPUTS = 10, SPRING_OUTPUTS = 4 };
static const double step = 1e-30, mm = 1e-3, degree = 180 / 3.14159265358979323846, wheel_0[3] = {2, 760, 310},
                    radius = 305;

/* What holds the carrier besides its height, left side in mm: links from the chassis, and for a strut the points on its line, for an arm those on its axis. */
typedef struct suspension {
  const char *use;
  int links, strut, arm, rack; /* number of links; has one; has one; link on the rack or -1 */
  double inner[LINKS][3], outer[LINKS][3], line[2][3];
  double toe, camber;          /* of the wheel as drawn [rad] */
  const double *lower, *upper; /* on the steering axis; upper is on the chassis if there is a strut */
} suspension;

static const suspension suspensions[] = {
    {.use = "double_wishbone",
     .toe = 0.002,
     .camber = -0.015,
     .links = 5,
     .rack = 4,
     .inner = {{150, 350, 200}, {-160, 345, 190}, {100, 420, 505}, {-120, 430, 490}, {-120, 360, 240}},
     .outer = {{5, 700, 180}, {5, 700, 180}, {-15, 670, 520}, {-15, 670, 520}, {-130, 690, 240}},
     .lower = suspensions[0].outer[0],
     .upper = suspensions[0].outer[2]},
    {.use = "macpherson",
     .toe = 0.002,
     .camber = -0.015,
     .links = 3,
     .strut = 1,
     .rack = 2,
     .inner = {{150, 350, 200}, {-160, 345, 190}, {-120, 360, 240}},
     .outer = {{5, 700, 180}, {5, 700, 180}, {-130, 690, 240}},
     .line = {{-20, 600, 850}, {0, 640, 400}},
     .lower = suspensions[1].outer[0],
     .upper = suspensions[1].line[0]},
    {.use = "five_link",
     .toe = 0.002,
     .camber = -0.015,
     .links = 5,
     .rack = 4,
     .inner = {{150, 350, 200}, {-160, 345, 190}, {100, 420, 505}, {-120, 430, 490}, {-120, 360, 240}},
     .outer = {{12, 694, 180}, {-2, 698, 183}, {-8, 670, 526}, {-22, 672, 529}, {-123, 692, 252}}},
    {.use = "trailing_arm",
     .toe = 0.002,
     .camber = -0.015,
     .arm = 1,
     .rack = -1,
     .line = {{350, 300, 280}, {450, 700, 300}}},
    {.use = "trailing_arm",
     .toe = 0.002,
     .camber = -0.015,
     .arm = 1,
     .rack = -1,
     .line = {{320, 200, 290}, {430, 620, 310}}},
};
enum { SUSPENSIONS = sizeof suspensions / sizeof suspensions[0] };

/* ---- the place of the carrier: centre p and rotation R by Cayley's parameters, of which x [6] consists ---- */

typedef struct place {
  number p[3], R[3][3];
} place;

static place place_of(const number *x) {
  place at;
  cayley(x + 3, at.R);
  for (int i = 0; i < 3; i++) { at.p[i] = x[i]; }
  return at;
}

/* A point of the carrier, drawn at `point` [mm]. */
static void carried(const place *at, const double *point, number *r) {
  for (int i = 0; i < 3; i++) {
    r[i] = at->p[i];
    for (int j = 0; j < 3; j++) { r[i] += at->R[i][j] * mm * (point[j] - wheel_0[j]); }
  }
}

static void residuals(const suspension *s, const number *x, number rise, number rack, number *f) {
  const place at = place_of(x);
  number r[3], foot[3];
  int n = 0;
  f[n++] = at.p[2] - mm * wheel_0[2] - rise;
  for (int k = 0; k < s->links; k++) {
    carried(&at, s->outer[k], r);
    f[n] = 0;
    for (int i = 0; i < 3; i++) {
      const number d = r[i] - mm * s->inner[k][i] - (i == 1 && k == s->rack ? rack : 0);
      f[n] += d * d - pow(mm * (s->outer[k][i] - s->inner[k][i]), 2);
    }
    n++;
  }
  if (s->strut) { /* from a point of the line to the mount it goes along the line */
    carried(&at, s->line[0], r), carried(&at, s->line[1], foot);
    for (int i = 0; i < 2; i++) {
      f[n++] = (r[i] - foot[i]) * (mm * s->line[0][2] - foot[2]) - (r[2] - foot[2]) * (mm * s->line[0][i] - foot[i]);
    }
  }
  for (int k = 0; k < 2 * s->arm; k++) {
    carried(&at, s->line[k], r);
    for (int i = 0; i < 3; i += 1 + k) { f[n++] = r[i] - mm * s->line[k][i]; }
  }
  CU_ASSERT_EQUAL_FATAL(n, 6);
}

/* A x = b by Gauss' method with pivots, A [n][row]; b becomes x. */
static void solve(int n, int row, double *A, number *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k; i < n; i++) { p = fabs(A[i * row + k]) > fabs(A[p * row + k]) ? i : p; }
    for (int j = 0; j < n; j++) {
      const double swapped = A[k * row + j];
      A[k * row + j] = A[p * row + j], A[p * row + j] = swapped;
    }
    const number right = b[k];
    b[k] = b[p], b[p] = right;
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i * row + k] / A[k * row + k];
      for (int j = k; j < n; j++) { A[i * row + j] -= factor * A[k * row + j]; }
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) { b[k] -= A[k * row + j] * b[j]; }
    b[k] /= A[k * row + k];
  }
}

/* Newton's method with a matrix of central differences, along which rise and rack grow together. Imaginary parts are those of a step of the rise or of the rack. */
static place solve_place_along(const suspension *s, double rise, double rack, double of_rise, double of_rack) {
  number x[6] = {mm * wheel_0[0], mm * wheel_0[1], mm * wheel_0[2]}, f[6], plus[6], minus[6];
  double A[6][6];
  for (int n = 1; n <= 60; n++) {
    const double part = n < 20 ? n / 20.0 : 1;
    for (int j = 0; j < 6; j++) {
      number moved[6];
      for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < 6; i++) { moved[i] = creal(x[i]) + (i == j ? sign * 1e-6 : 0); }
        residuals(s, moved, part * rise, part * rack, sign > 0 ? plus : minus);
      }
      for (int i = 0; i < 6; i++) { A[i][j] = creal(plus[i] - minus[i]) / 2e-6; }
    }
    residuals(s, x, part * rise + I * step * of_rise, part * rack + I * step * of_rack, f);
    solve(6, 6, &A[0][0], f);
    for (int i = 0; i < 6; i++) { x[i] -= f[i]; }
  }
  return place_of(x);
}

static place solve_place(const suspension *s, double rise, double rack) {
  return solve_place_along(s, rise, rack, 1, 0);
}

/* ---- characteristics of the left wheel, by vectors ---- */

static number dot(const number *a, const number *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void cross(const number *a, const number *b, number *c) {
  for (int i = 0; i < 3; i++) { c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]; }
}
static void normalize(number *a) {
  const number size = csqrt(dot(a, a));
  for (int i = 0; i < 3; i++) { a[i] /= size; }
}

static const char *const wheel_output[WHEEL_OUTPUTS] = {
    "toe",           "camber",           "travel",        "track_change",  "wheelbase_change", "contact_to_middle",
    "toe_by_travel", "camber_by_travel", "lateral_slope", "braking_slope", "driving_slope"};
static const char *const axis_output[AXIS_OUTPUTS] = {"caster",       "kingpin",       "trail",
                                                      "scrub_radius", "caster_offset", "kingpin_offset"};

/* Axis s of the wheel; its lowest point c, across s in the plane of s and the vertical. */
static void contact_of(const suspension *q, const place *at, number *s, number *c) {
  const double drawn[3] = {sin(q->toe) * cos(q->camber), cos(q->toe) * cos(q->camber), -sin(q->camber)};
  number down[3], size = 0;
  for (int i = 0; i < 3; i++) {
    s[i] = 0;
    for (int j = 0; j < 3; j++) { s[i] += at->R[i][j] * drawn[j]; }
  }
  for (int i = 0; i < 3; i++) { down[i] = s[2] * s[i] - (i == 2); }
  size = csqrt(dot(down, down));
  for (int i = 0; i < 3; i++) { c[i] = at->p[i] + mm * radius * down[i] / size; }
}

static void expect_wheel(const suspension *q, const place *at, double *y) {
  const place drawn = {.p = {mm * wheel_0[0], mm * wheel_0[1], mm * wheel_0[2]},
                       .R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  number s[3], c[3], s_0[3], c_0[3];
  contact_of(q, at, s, c);
  contact_of(q, &drawn, s_0, c_0);
  const number toe = degree * catan(s[0] / s[1]), camber = -degree * casin(s[2]);
  const double rise = cimag(c[2]);
  double braked = cimag(at->p[0]);
  for (int j = 0; j < 3; j++) { /* what of the carrier is at the contact, in the carrier's frame */
    double local = 0;
    for (int i = 0; i < 3; i++) { local += creal(at->R[i][j]) * creal(c[i] - at->p[i]); }
    braked += cimag(at->R[0][j]) * local;
  }
  const double all[WHEEL_OUTPUTS] = {creal(toe),
                                     creal(camber),
                                     creal(c[2] - c_0[2]) / mm,
                                     creal(c[1] - c_0[1]) / mm,
                                     creal(c[0] - c_0[0]) / mm,
                                     creal(c[1]),
                                     cimag(toe) / rise * mm,
                                     cimag(camber) / rise * mm,
                                     cimag(c[1]) / rise,
                                     braked / rise,
                                     cimag(at->p[0]) / rise};
  memcpy(y, all, sizeof all);
}

/* Where the line from a along k has the height z, seen from `from`: along the wheel, and inward across it. */
static void offsets(const number *a, const number *k, const number *s, const number *from, double *along,
                    double *inward) {
  const number up[3] = {0, 0, 1};
  number e[3], t[3], d[3];
  cross(s, up, e), normalize(e), cross(up, e, t);
  for (int i = 0; i < 3; i++) { d[i] = a[i] + k[i] * (from[2] - a[2]) / k[2] - from[i]; }
  *along = creal(dot(d, e)) / mm, *inward = -creal(dot(d, t)) / mm;
}

/* Angular velocity of the carrier and velocity of its point p along the imaginary parts, which are those of a step. */
static void turn_of(const place *at, number *w, number *v) {
  double W[3][3] = {{0}};
  for (int i = 0; i < 9; i++) {
    for (int k = 0; k < 3; k++) { W[i / 3][i % 3] += cimag(at->R[i / 3][k]) / step * creal(at->R[i % 3][k]); }
  }
  w[0] = W[2][1], w[1] = W[0][2], w[2] = W[1][0];
  for (int i = 0; i < 3; i++) { v[i] = cimag(at->p[i]) / step; }
}

/* Five links: the axis of the screw on which the rack turns the carrier, at a = p + w x v/w^2 along k = w. */
static void expect_screw(const suspension *q, double rise, double rack, double *y) {
  const place at = solve_place_along(q, rise, rack, 0, 1);
  number s[3], c[3], w[3], v[3], a[3];
  contact_of(q, &at, s, c);
  turn_of(&at, w, v);
  cross(w, v, a);
  for (int i = 0; i < 3; i++) { a[i] = at.p[i] + a[i] / dot(w, w); }
  y[0] = degree * atan(-creal(w[0] / w[2])), y[1] = degree * atan(-creal(w[1] / w[2]));
  offsets(a, w, s, c, &y[2], &y[3]);
  offsets(a, w, s, at.p, &y[4], &y[5]);
}

static void expect_axis(const suspension *q, const place *at, double *y) {
  number s[3], c[3], a[3], k[3];
  contact_of(q, at, s, c);
  carried(at, q->lower, a), carried(at, q->upper, k);
  for (int i = 0; i < 3; i++) { k[i] = (q->strut ? mm * q->upper[i] : k[i]) - a[i]; }
  y[0] = degree * atan(-creal(k[0] / k[2])), y[1] = degree * atan(-creal(k[1] / k[2]));
  offsets(a, k, s, c, &y[2], &y[3]);
  offsets(a, k, s, at->p, &y[4], &y[5]);
}

/* ---- the program ---- */

static const double wheelbase = 2.6, height = 0.5, spring_top[3] = {30, 520, 800}, spring_foot[3] = {-40, 600, 150},
                    stiffness = 35000, free_length = 0.75;

static void write_point(FILE *f, const char *name, const double *at) {
  for (int i = 0; i < 3; i++) { fprintf(f, "%s_%c = %.17g\n", name, "xyz"[i], at[i]); }
}

/* The model file of both sides, with further lines of their parts, which ends with scalars. */
static void write_model_with(const suspension *s, const char *const more[2], const char *path) {
  static const char *const wishbones[] = {"lower_front", "lower_rear", "upper_front", "upper_rear", "rod_inner"},
                           *const strut[] = {"lower_front", "lower_rear", "rod_inner"};
  FILE *f = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  fprintf(
      f,
      "schema = 1\n[model]\ngravity = 0, 0, 0\n[body rack]\nmass = 3\ncom = 0, 0, 0.24\ninertia = 1, 1, 1\n[vector "
      "across]\nalong = 0, 1, 0\n"
      "bodies = ground, rack\n[joint rack]\ntype = prismatic\nbodies = ground, rack\naxis = across\n"
      "[part left]\nuse = %s\nbody.chassis = ground\n%s[part right]\nuse = %s\nbody.chassis = ground\nmirror = y\n%s"
      "[part axle]\nuse = axle_characteristics\nscalar.wheelbase = %.17g\nscalar.height = %.17g\nscalar.front = -1\n"
      "scalar.braking_share = 0.4\nscalar.driving_share = 0.7\nscalar.rack_per_turn = 0.05\n"
      "quantity.rack_speed = rack.distance.rate\nquantity.left_rate = 30\nquantity.right_rate = 20\n"
      "quantity.stabilizer = 4000\n"
      "[point top]\nat = %.17g, %.17g, %.17g\nbodies = ground\n[point foot]\nat = %.17g, %.17g, %.17g\nbodies = "
      "left.carrier\n"
      "[part spring]\nuse = wheel_rate\npoint.from = top\npoint.to = foot\ncoordinate.rise = left.rise\n"
      "scalar.stiffness = %.17g\nscalar.free_length = %.17g\n",
      s->use, more[0], s->use, more[1], wheelbase, height, mm * spring_top[0], mm * spring_top[1], mm * spring_top[2],
      mm * spring_foot[0], mm * spring_foot[1], mm * spring_foot[2], stiffness, free_length);
  for (int k = 0; k < 2; k++) { /* after t = 1 */
    fprintf(f, "[curve to_%s]\ntype = polynomial\ncoefficients = 0, rise_%s\n", k ? "right" : "left", k ? "r" : "l");
  }
  fprintf(f, "[scalars]\nrise_l = 0\nrise_r = 0\nradius = %.17g\nstatic_toe = %.17g\nstatic_camber = %.17g\n", radius,
          s->toe, s->camber);
  write_point(f, "wheel", wheel_0);
  for (int k = 0; k < s->links; k++) {
    char inner[20], outer[20];
    snprintf(inner, sizeof inner, "inner_%d", k + 1), snprintf(outer, sizeof outer, "outer_%d", k + 1);
    write_point(f, !s->lower ? inner : s->strut ? strut[k] : wishbones[k], s->inner[k]);
    if (!s->lower) { write_point(f, outer, s->outer[k]); }
  }
  if (s->lower) {
    write_point(f, "lower_ball", s->lower);
    write_point(f, "rod_outer", s->outer[s->rack]);
    if (!s->strut) { write_point(f, "upper_ball", s->upper); }
  }
  for (int k = 0; k < 2 * (s->strut + s->arm); k++) {
    write_point(f, s->strut ? (k ? "strut_foot" : "strut_top") : (k ? "outer" : "inner"), s->line[k]);
  }
  fclose(f);
}

static void write_model(const suspension *s, const char *path) {
  write_model_with(s, (const char *const[]){"", ""}, path);
}

static void check_outputs(const suspension *s, const char *model, const double *rise, double rack, const char *part,
                          int n, const char *const *output, const double *expected) {
  char text[1000], name[WHEEL_OUTPUTS][60];
  const char *of[WHEEL_OUTPUTS];
  double got[WHEEL_OUTPUTS];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s\n[scalars]\nrise_l = %.17g\nrise_r = %.17g\n[design radius]\n[case c]\n"
           "analysis = kinematic\nduration = 1\nstep = 0.1\ndrive.left.rise = to_left\ndrive.right.rise = to_right\n"
           "drive.rack.distance = %.17g\n[objective o]\nof = left.rise\nform = terminal\n",
           model, rise[0], rise[1], rack);
  for (int i = 0; i < n; i++) {
    snprintf(name[i], sizeof name[i], "%s.%s", part, output[i]);
    of[i] = name[i];
  }
  run_to_end(text, n, of, 0, NULL, got);
  for (int i = 0; i < n; i++) {
    char what[120];
    snprintf(what, sizeof what, "%s: %s at %g, %g, rack %g", s->use, name[i], rise[0], rise[1], rack);
    CHECK_NEAR(what, got[i], expected[i], fmax(1, fabs(expected[i])), 1e-9);
  }
}

/* The slopes of the travel where nothing moves: static, at the same place. */
static void check_at_rest(const suspension *s, const char *model, const double *rise, double rack, const char *part,
                          const double *expected) {
  const char *of[SLOPES];
  char text[1000], name[SLOPES][60];
  double got[SLOPES];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s\n[design radius]\n[case c]\nanalysis = static\nduration = 1\nstep = 1\n"
           "drive.left.rise = %.17g\ndrive.right.rise = %.17g\ndrive.rack.distance = %.17g\n[objective o]\n"
           "of = left.rise\nform = terminal\n",
           model, rise[0], rise[1], rack);
  for (int i = 0; i < SLOPES; i++) {
    snprintf(name[i], sizeof name[i], "%s.%s", part, wheel_output[WHEEL_OUTPUTS - SLOPES + i]);
    of[i] = name[i];
  }
  run_to_end(text, SLOPES, of, 0, NULL, got);
  for (int i = 0; i < SLOPES; i++) {
    char what[120];
    snprintf(what, sizeof what, "%s at rest: %s at %g, %g, rack %g", s->use, name[i], rise[0], rise[1], rack);
    CHECK_NEAR(what, got[i], expected[i], fmax(1, fabs(expected[i])), 1e-9);
  }
}

static const double rises[][2] = {{0.08, -0.06}, {-0.08, 0.03}, {0.01, 0.05}}, racks[] = {0, 0.03, -0.025};

static void test_characteristics(void) {
  for (int n = 0; n < SUSPENSIONS; n++) {
    const suspension *s = &suspensions[n];
    char model[] = "/tmp/mbopt_model_XXXXXX";
    write_file(model, "");
    write_model(s, model);
    for (int k = 0; k < 3; k++) {
      for (int side = 0; side < 2; side++) { /* the right side is the left one with the rack moved the other way */
        double wheel[WHEEL_OUTPUTS], axis[AXIS_OUTPUTS];
        const place at = solve_place(s, rises[k][side], side ? -racks[k] : racks[k]);
        expect_wheel(s, &at, wheel);
        check_outputs(s, model, rises[k], racks[k], side ? "right.wheel" : "left.wheel", WHEEL_OUTPUTS, wheel_output,
                      wheel);
        check_outputs(s, model, rises[k], racks[k], side ? "right.travel" : "left.travel", SLOPES,
                      wheel_output + WHEEL_OUTPUTS - SLOPES, wheel + WHEEL_OUTPUTS - SLOPES);
        check_at_rest(s, model, rises[k], racks[k], side ? "right.travel" : "left.travel",
                      wheel + WHEEL_OUTPUTS - SLOPES);
        if (s->links == 0) { continue; }
        if (s->lower) {
          expect_axis(s, &at, axis);
        } else {
          expect_screw(s, rises[k][side], side ? -racks[k] : racks[k], axis);
        }
        check_outputs(s, model, rises[k], racks[k], side ? "right.steering" : "left.steering", AXIS_OUTPUTS,
                      axis_output, axis);
      }
    }
    unlink(model);
  }
}

/* ---- axles ---- */

static const char *const axle_output[AXLE_OUTPUTS] = {
    "track",           "steer",           "ackermann_error",    "curvature",      "roll_centre_height",
    "braking_support", "driving_support", "bump_steer_in_roll", "turning_circle", "roll_stiffness"};

/* From toe, contacts and slopes of both wheels: cot of the right angle = cot of the left one + track/wheelbase where the axes meet, and a line through each contact
 * normal to its velocity, whose height over the contact in the middle plane counts. */
static void test_axle(void) {
  for (int n = 0; n < SUSPENSIONS; n++) {
    const suspension *s = &suspensions[n];
    char model[] = "/tmp/mbopt_model_XXXXXX";
    write_file(model, "");
    write_model(s, model);
    for (int k = 0; k < 3; k++) {
      double left[WHEEL_OUTPUTS], right[WHEEL_OUTPUTS];
      const place at = solve_place(s, rises[k][0], racks[k]), other = solve_place(s, rises[k][1], -racks[k]);
      expect_wheel(s, &at, left), expect_wheel(s, &other, right);
      const double track = left[5] + right[5], a = -left[0] / degree, b = right[0] / degree;
      const double wanted = atan(1 / (1 / tan(a) + track / wheelbase));
      const double expected[AXLE_OUTPUTS] = {
          track / mm,
          degree * (a + b) / 2,
          degree * (b - wanted),
          sin(b) / wheelbase,
          (left[5] * left[8] + right[5] * right[8]) / 2 / mm,
          -40 * wheelbase / height * (left[9] + right[9]) / 2,
          -70 * wheelbase / height * (left[10] + right[10]) / 2,
          -(left[6] + right[6]) / 2,
          fabs(2 * wheelbase / sin(b)),
          (1000 * (30 * left[5] * left[5] + 20 * right[5] * right[5]) + 4000) / degree};
      check_outputs(s, model, rises[k], racks[k], "axle", AXLE_OUTPUTS, axle_output, expected);
    }
    unlink(model);
  }
}

/* Wishbones that turn about axes along x: seen from the front their lines meet in the instantaneous centre of the carrier, and the line from there to the contact
 * meets the middle plane in the roll centre. An arm that turns about an axis along y: the carrier's centre is on this axis, and the lines of both contacts are one, on the
 * road. Equal wishbones that are parallel: the carrier's centre is at infinity, and the line from the contact is parallel to them. */
static const suspension plane[] = {
    {.use = "double_wishbone",
     .links = 5,
     .rack = 4,
     .inner = {{120, 350, 200}, {-120, 350, 200}, {100, 420, 500}, {-100, 420, 500}, {-140, 350, 200}},
     .outer = {{0, 700, 180}, {0, 700, 180}, {0, 670, 520}, {0, 670, 520}, {-140, 700, 180}},
     .lower = plane[0].outer[0],
     .upper = plane[0].outer[2]},
    {.use = "trailing_arm", .arm = 1, .rack = -1, .line = {{400, 300, 290}, {400, 700, 290}}},
    {.use = "double_wishbone",
     .links = 5,
     .rack = 4,
     .inner = {{120, 350, 200}, {-120, 350, 200}, {100, 350, 520}, {-100, 350, 520}, {-140, 350, 200}},
     .outer = {{0, 700, 180}, {0, 700, 180}, {0, 700, 500}, {0, 700, 500}, {-140, 700, 180}},
     .lower = plane[2].outer[0],
     .upper = plane[2].outer[2]},
};

static void test_centres(void) {
  for (int n = 0; n < 3; n++) {
    const suspension *s = &plane[n];
    char model[] = "/tmp/mbopt_model_XXXXXX";
    write_file(model, "");
    write_model(s, model);
    for (int k = 0; k < 3; k++) {
      const double rise[2] = {0.04 * k - 0.05, 0.04 * k - 0.05};
      const place at = solve_place(s, rise[0], 0);
      number axle[3], contact[3], ball[2][3];
      double y = 0;
      contact_of(s, &at, axle, contact);
      const double c[3] = {creal(contact[0]), creal(contact[1]), creal(contact[2])};
      if (s->arm) { /* rear axle: the slope of the line from the centre of the arm to the contact, against the car's */
        const double line = (mm * s->line[0][2] - c[2]) / (mm * s->line[0][0] - c[0]);
        y = 40 * wheelbase / height * line;
        const double on_the_road = 0;
        check_outputs(s, model, rise, 0, "axle", 1, (const char *[]){"roll_centre_height"}, &on_the_road);
      } else {
        double a[2], b[2], r[2]; /* of each wishbone: slope and height at y = 0 */
        for (int i = 0; i < 2; i++) {
          carried(&at, s->outer[2 * i], ball[i]);
          a[i] = creal(ball[i][2] - mm * s->inner[2 * i][2]) / creal(ball[i][1] - mm * s->inner[2 * i][1]);
          b[i] = mm * s->inner[2 * i][2] - a[i] * mm * s->inner[2 * i][1];
        }
        r[0] = (b[1] - b[0]) / (a[0] - a[1]), r[1] = b[0] + a[0] * r[0];
        y = (n == 2 ? -c[1] * a[0] : -c[1] * (r[1] - c[2]) / (r[0] - c[1])) / mm;
      }
      const char *const of = s->arm ? "braking_support" : "roll_centre_height";
      check_outputs(s, model, rise, 0, "axle", 1, &of, &y);
    }
    unlink(model);
  }
}

/* ---- springs ---- */

/* Length of the spring, whose imaginary part is that of the rise times dl/dz. */
static number spring_length(const suspension *s, double rise, double rack) {
  const place at = solve_place(s, rise, rack);
  number foot[3], d[3];
  carried(&at, spring_foot, foot);
  for (int i = 0; i < 3; i++) { d[i] = foot[i] - mm * spring_top[i]; }
  return csqrt(dot(d, d));
}

/* The wheel rate is the slope of the force at the wheel, here by differences of two orders. */
static void test_wheel_rate(void) {
  static const char *const output[SPRING_OUTPUTS] = {"length", "motion_ratio", "wheel_force", "wheel_rate"};
  for (int n = 0; n < SUSPENSIONS; n++) {
    const suspension *s = &suspensions[n];
    char model[] = "/tmp/mbopt_model_XXXXXX";
    write_file(model, "");
    write_model(s, model);
    for (int k = 0; k < 3; k++) {
      double force[5], ratio[5], length[5];
      for (int i = 0; i < 5; i++) {
        const number l = spring_length(s, rises[k][0] + (i - 2) * 5e-4, racks[k]);
        length[i] = creal(l), ratio[i] = -cimag(l) / step;
        force[i] = stiffness * (free_length - length[i]) * ratio[i];
      }
      const double rate = (8 * (force[3] - force[1]) - (force[4] - force[0])) / (12 * 5e-4);
      const double expected[SPRING_OUTPUTS] = {length[2], ratio[2], force[2], rate * mm};
      check_outputs(s, model, rises[k], racks[k], "spring", SPRING_OUTPUTS, output, expected);
    }
    unlink(model);
  }
}

/* ---- axles with bushings ---- */

/* Stiffnesses in N/m and N m/rad: of a bushing along its axis, across it, about it, and about the others; of the mount of the strut; of links. */
enum { AXIAL, RADIAL, TORSION, TILT, STIFFNESSES, BODIES = 3, UNKNOWNS = 6 * BODIES + 8 };
static const double bushing_front[STIFFNESSES] = {1.5e6, 8e6, 120, 300},
                    bushing_rear[STIFFNESSES] = {6e5, 2.5e6, 120, 300}, strut_radial = 2e6,
                    link_stiffness[LINKS] = {8e6, 1.5e6, 6e6, 3e6, 7e6};

typedef struct load {
  double force[3], moment,
      support; /* at the contact [N]; about z [N m]; a vertical spring [N/m], 0: the wheel's centre keeps its height */
} load;

/* Where bodies are: carrier, lower and upper wishbone. */
static number bushing_energy(const place *at, const double *point, double axes[3][3], const double *k) {
  number r[3], y[3], f[3][3], V = 0;
  carried(at, point, r);
  for (int i = 0; i < 3; i++) {
    y[i] = 0;
    for (int j = 0; j < 3; j++) {
      y[i] += axes[i][j] * (r[j] - mm * point[j]), f[i][j] = 0;
      for (int n = 0; n < 3; n++) { f[i][j] += at->R[j][n] * axes[i][n]; }
    }
    V += k[i ? RADIAL : AXIAL] * y[i] * y[i] / 2;
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, n = (i + 2) % 3;
    number sine = 0;
    for (int m = 0; m < 3; m++) { sine += (axes[n][m] * f[j][m] - axes[j][m] * f[n][m]) / 2; }
    V += k[i ? TILT : TORSION] * sine * sine / 2;
  }
  return V;
}

/* The first axis from `to` to `from`, the second one upward across it. */
static void bushing_axes(const double *from, const double *to, double e[3][3]) {
  double size = 0, part = 0;
  for (int i = 0; i < 3; i++) { e[0][i] = from[i] - to[i], size += e[0][i] * e[0][i]; }
  for (int i = 0; i < 3; i++) { e[0][i] /= sqrt(size); }
  for (int i = 0; i < 3; i++) { e[1][i] = (i == 2) - e[0][2] * e[0][i], part += e[1][i] * e[1][i]; }
  for (int i = 0; i < 3; i++) { e[1][i] /= sqrt(part); }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, n = (i + 2) % 3;
    e[2][i] = e[0][j] * e[1][n] - e[0][n] * e[1][j];
  }
}

static number pair_energy(const place *at, const double *front, const double *rear, int reversed) {
  double e[3][3];
  bushing_axes(reversed ? rear : front, reversed ? front : rear, e);
  return bushing_energy(at, front, e, bushing_front) + bushing_energy(at, rear, e, bushing_rear);
}

/* The number of bodies that are not fixed: carrier and arms. */
static int bodies_of(const suspension *s) {
  return s->lower ? (s->strut ? 2 : 3) : 1;
}

/* Energy of bushings and of the support, and lam . Phi of joints, tie rod and height; x: six numbers of each body, then lam. */
static number lagrangian(const suspension *s, const load *p, const number *x) {
  const int n = bodies_of(s);
  const number *lam = x + 6 * n;
  place at[BODIES];
  number L = 0, r[3], q[3];
  for (int i = 0; i < n; i++) { at[i] = place_of(x + 6 * i); }
  for (int i = 1; i < n; i++) { /* a wishbone with its ball */
    const double *ball = i == 1 ? s->lower : s->upper;
    L += pair_energy(&at[i], s->inner[2 * i - 2], s->inner[2 * i - 1], 0);
    carried(&at[0], ball, r), carried(&at[i], ball, q);
    for (int k = 0; k < 3; k++) { L += *lam++ * (r[k] - q[k]); }
  }
  if (s->arm) { L += pair_energy(&at[0], s->line[0], s->line[1], 1); }
  for (int k = s->lower ? s->links - 1 : 0; k < s->links; k++) {
    number square = 0;
    double drawn = 0;
    carried(&at[0], s->outer[k], r);
    for (int i = 0; i < 3; i++) {
      square += (r[i] - mm * s->inner[k][i]) * (r[i] - mm * s->inner[k][i]);
      drawn += pow(mm * (s->outer[k][i] - s->inner[k][i]), 2);
    }
    const number longer = csqrt(square) - sqrt(drawn);
    L += s->lower ? *lam++ * longer : link_stiffness[k] * longer * longer / 2;
  }
  for (int k = 0; k < 2 * s->strut; k++) { /* across the strut: vectors of the carrier in the planes of y and of x */
    const double *top = s->line[0], *foot = s->line[1], across = foot[1 - k] - top[1 - k], up = top[2] - foot[2];
    number d = 0;
    carried(&at[0], foot, r);
    for (int i = 0; i < 3; i++) {
      const number v = at[0].R[i][1 - k] * up + at[0].R[i][2] * across;
      d += v * (mm * top[i] - r[i]) / hypot(up, across);
    }
    L += strut_radial * d * d / 2;
  }
  const number rise = at[0].p[2] - mm * wheel_0[2];
  return L + (p->support > 0 ? p->support * rise * rise / 2 : *lam * rise);
}

/* dL/dx less the loads: F along the way of the centre, c x F and the moment along the turn. */
static void equilibrium(const suspension *s, const load *p, const double *x, int n, double *f) {
  number z[UNKNOWNS], axle[3], contact[3], arm[3], F[3], M[3];
  for (int i = 0; i < n; i++) { z[i] = x[i]; }
  place at = place_of(z);
  contact_of(s, &at, axle, contact);
  for (int i = 0; i < 3; i++) { arm[i] = contact[i] - at.p[i], F[i] = p->force[i]; }
  cross(arm, F, M);
  M[2] += p->moment;
  for (int j = 0; j < n; j++) {
    z[j] += I * step;
    f[j] = cimag(lagrangian(s, p, z)) / step;
    if (j < 6) {
      number w[3], v[3];
      at = place_of(z);
      turn_of(&at, w, v);
      f[j] -= creal(dot(F, v) + dot(M, w));
    }
    z[j] = x[j];
  }
}

/* Newton's method with a matrix of central differences. */
static place solve_equilibrium(const suspension *s, const load *p) {
  const int m = bodies_of(s), n = 6 * m + (s->lower ? 3 * (m - 1) + 1 : 0) + (p->support == 0);
  double x[UNKNOWNS] = {0}, f[UNKNOWNS], minus[UNKNOWNS];
  number z[6];
  for (int i = 0; i < 3 * m; i++) { x[6 * (i / 3) + i % 3] = mm * wheel_0[i % 3]; }
  for (int round = 0; round < 7; round++) {
    double A[UNKNOWNS][UNKNOWNS];
    number b[UNKNOWNS];
    for (int j = 0; j < n; j++) {
      const double at = x[j], h = j < 6 * m ? 1e-6 : 1;
      x[j] = at + h, equilibrium(s, p, x, n, f);
      x[j] = at - h, equilibrium(s, p, x, n, minus);
      x[j] = at;
      for (int i = 0; i < n; i++) { A[i][j] = (f[i] - minus[i]) / (2 * h); }
    }
    equilibrium(s, p, x, n, f);
    for (int i = 0; i < n; i++) { b[i] = f[i]; }
    solve(n, UNKNOWNS, &A[0][0], b);
    for (int i = 0; i < n; i++) { x[i] -= creal(b[i]); }
  }
  for (int i = 0; i < 6; i++) { z[i] = x[i]; }
  return place_of(z);
}

enum { COMPLIANCES = 6 };
static const char *const compliance_output[COMPLIANCES] = {"toe",     "camber", "outward",
                                                           "forward", "upward", "roll_centre_height"};

static void expect_compliance(const suspension *s, const load *p, double per, double *y) {
  double at[2][WHEEL_OUTPUTS];
  for (int i = 0; i < 2; i++) {
    const double sign = i ? -1 : 1;
    const load one = {{sign * p->force[0], sign * p->force[1], sign * p->force[2]}, sign * p->moment, p->support};
    const place is = solve_equilibrium(s, &one);
    expect_wheel(s, &is, at[i]);
  }
  const int way[] = {0, 1, 3, 4, 2};
  for (int i = 0; i < 5; i++) { y[i] = (at[0][way[i]] - at[1][way[i]]) / (2 * per); }
  y[5] = (at[0][5] + at[1][5]) / 2 / mm * y[2] / y[4];
}

static void write_stiffness(FILE *f, const char *name, const char *end, const double *k) {
  if (k) {
    fprintf(f, "%s%s_axial = %.17g\n%s%s_radial = %.17g\n", name, end, mm * k[AXIAL], name, end, mm * k[RADIAL]);
  }
}

/* Both sides with bushings and loads, in addition to write_model. */
static void add_bushings(const suspension *s, const load *p, double per, const char *path) {
  FILE *f = fopen(path, "a");
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  fprintf(f, "force_x = %.17g\nforce_y = %.17g\nforce_z = %.17g\nmoment = %.17g\nper = %.17g\nsupport = %.17g\n",
          p->force[0], p->force[1], p->force[2], p->moment, per, p->support);
  for (int i = 1; i < bodies_of(s); i++) {
    const char *arm = i == 1 ? "lower" : "upper";
    write_stiffness(f, arm, "_front", bushing_front), write_stiffness(f, arm, "_rear", bushing_rear);
    fprintf(f, "%s_torsion = %.17g\n%s_tilt = %.17g\n", arm, bushing_front[TORSION] / mm, arm,
            bushing_front[TILT] / mm);
  }
  if (s->arm) {
    write_stiffness(f, "inner", "", bushing_front), write_stiffness(f, "outer", "", bushing_rear);
    fprintf(f, "torsion = %.17g\ntilt = %.17g\n", bushing_front[TORSION] / mm, bushing_front[TILT] / mm);
  }
  if (s->strut) { fprintf(f, "strut_radial = %.17g\n", mm * strut_radial); }
  for (int k = 0; !s->lower && k < s->links; k++) {
    fprintf(f, "link_%d_stiffness = %.17g\n", k + 1, mm * link_stiffness[k]);
  }
  for (int side = 0; p->support > 0 && side < 2; side++) {
    fprintf(f, "[force support_%d]\ntype = torsion_spring\ncoordinate = %s.rise\nstiffness = support\n", side,
            side ? "right" : "left");
  }
  fprintf(f, "[part per_load]\nuse = axle_compliance\nquantity.load = per\n");
  fclose(f);
}

/* The rack moves at a constant speed, the wheels stay at their heights: way of the rack by the mean steer angle. */
static void test_steering(void) {
  static const char *const output[] = {"axle.rack_ratio", "axle.steering_ratio"};
  for (int n = 0; n < SUSPENSIONS; n++) {
    const suspension *s = &suspensions[n];
    char model[] = "/tmp/mbopt_model_XXXXXX", text[1000];
    if (s->rack < 0) { continue; }
    write_file(model, "");
    write_model(s, model);
    for (int k = 1; k < 3; k++) { /* the first rack stands still */
      double got[2], steer = 0;
      for (int side = 0; side < 2; side++) { /* of the right wheel by its own rack, which is the opposite one */
        const place at = solve_place_along(s, rises[k][side], side ? -racks[k] : racks[k], 0, 1);
        number axle[3], c[3];
        contact_of(s, &at, axle, c);
        steer -= cimag(degree * catan(axle[0] / axle[1])) / step / 2;
      }
      snprintf(
          text, sizeof text,
          "schema = 1\n[model]\nfile = %s\n[scalars]\nrise_l = %.17g\n[design radius]\n[case c]\nanalysis = kinematic\n"
          "duration = 1\nstep = 0.1\ndrive.left.rise = %.17g\ndrive.right.rise = %.17g\ndrive.rack.distance = to_left\n"
          "[objective o]\nof = left.rise\nform = terminal\n",
          model, racks[k], rises[k][0], rises[k][1]);
      run_to_end(text, 2, output, 0, NULL, got);
      CHECK_NEAR(s->use, got[0], 1000 / steer, fabs(1000 / steer), 1e-9);
      CHECK_NEAR(s->use, got[1], 0.36 / 0.05 * 1000 / steer, fabs(7200 / steer), 1e-9);
    }
    unlink(model);
  }
}

/* Sections of the parts left and right for write_model: loads, those on the right with the opposite sign. */
static const char *const loaded[] = {
    "quantity.longitudinal_force = force_x\nquantity.lateral_force = force_y\nquantity.vertical_force = force_z\n"
    "quantity.aligning_moment = moment\nscalar.loads = 1\nscalar.bushings = 1\n",
    "quantity.longitudinal_force = -force_x\nquantity.lateral_force = -force_y\nquantity.vertical_force = -force_z\n"
    "quantity.aligning_moment = -moment\nscalar.loads = 1\nscalar.bushings = 1\n"};

static void test_compliance(void) {
  static const load loads[] = {
      {.force = {0, 2000, 0}}, {.force = {-1500, 0, 0}}, {.moment = 100}, {.force = {0, 0, 600}, .support = 25000}};
  static const double per[] = {2, -1.5, 1, 0.6};
  for (int n = 0; n < SUSPENSIONS; n++) {
    const suspension *s = &suspensions[n];
    for (int k = 0; k < 4; k++) {
      const load *p = &loads[k];
      char model[] = "/tmp/mbopt_model_XXXXXX", text[1000], name[COMPLIANCES][60];
      const char *of[COMPLIANCES];
      double got[COMPLIANCES], expected[COMPLIANCES];
      write_file(model, "");
      write_model_with(s, loaded, model);
      add_bushings(s, p, per[k], model);
      const int outputs = p->support > 0 ? COMPLIANCES : 4;
      snprintf(text, sizeof text,
               "schema = 1\n[model]\nfile = %s\n[design radius]\n[case c]\nanalysis = static\nduration = 1\nstep = 1\n"
               "drive.rack.distance = 0\n%s[objective o]\nof = left.rise\nform = terminal\n",
               model, p->support > 0 ? "" : "drive.left.rise = 0\ndrive.right.rise = 0\n");
      for (int i = 0; i < outputs; i++) {
        snprintf(name[i], sizeof name[i], "per_load.%s", compliance_output[i]);
        of[i] = name[i];
      }
      run_to_end(text, outputs, of, 0, NULL, got);
      expect_compliance(s, p, per[k], expected);
      for (int i = 0; i < outputs; i++) {
        char what[120];
        snprintf(what, sizeof what, "%s with bushings, load %d: %s", s->use, k, name[i]);
        CHECK_NEAR(what, got[i], expected[i], fmax(1, fabs(expected[i])), 1e-9);
      }
      unlink(model);
    }
  }
}

TEST_MAIN(TEST(test_compliance), TEST(test_characteristics), TEST(test_axle), TEST(test_steering), TEST(test_centres),
          TEST(test_wheel_rate))
