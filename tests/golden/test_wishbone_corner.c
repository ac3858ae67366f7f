/* The double-wishbone axle of problems/wishbone_corner against the closed form of its front view, a four-bar linkage: camber, track,
 * and roll centre over the travel; and the gradient of the track's change by a hard point. */
#include "edited.h"
#include "opened_run.h"

static const double A[2] = {0.25, 0.20}, B0[2] = {0.55, 0.18}, U[2] = {0.30, 0.36}, V0[2] = {0.52, 0.38},
                    W0[2] = {0.65, 0.28}, C0[2] = {0.65, 0}, stroke = 0.08;

typedef struct linkage {
  double camber, W[2], C[2], roll_centre;
} linkage;

/* A place of the knuckle, whose ball is at B and which is turned by phi. */
static void on_knuckle(const double B[2], double phi, const double at[2], double out[2]) {
  const double y = at[0] - B0[0], z = at[1] - B0[1], c = cos(phi), s = sin(phi);
  out[0] = B[0] + c * y - s * z;
  out[1] = B[1] + s * y + c * z;
}

static double distance(const double a[2], const double b[2]) {
  return hypot(a[0] - b[0], a[1] - b[1]);
}

/* Ball V where the circles about B and U meet, on the side where it is at first; the knuckle's turn follows. */
static void close_loop(double lower, linkage *q) {
  const double a = atan2(B0[1] - A[1], B0[0] - A[0]) + lower, r = distance(A, B0), e = distance(B0, V0),
               f = distance(U, V0), B[2] = {A[0] + r * cos(a), A[1] + r * sin(a)}, d = distance(B, U),
               x = (d * d + e * e - f * f) / (2 * d), h = sqrt(e * e - x * x),
               u[2] = {(U[0] - B[0]) / d, (U[1] - B[1]) / d},
               V[2] = {B[0] + x * u[0] + h * u[1], B[1] + x * u[1] - h * u[0]},
               phi = atan2(V[1] - B[1], V[0] - B[0]) - atan2(V0[1] - B0[1], V0[0] - B0[0]);
  on_knuckle(B, phi, W0, q->W);
  on_knuckle(B, phi, C0, q->C);
  q->camber = -phi * 180 / 3.14159265358979323846;
  /* the lines of the arms meet at the instantaneous centre; from there through C to the middle of the car */
  const double p[2] = {B[0] - A[0], B[1] - A[1]}, s[2] = {V[0] - U[0], V[1] - U[1]}, w[2] = {U[0] - A[0], U[1] - A[1]},
               k = (w[0] * s[1] - w[1] * s[0]) / (p[0] * s[1] - p[1] * s[0]), I[2] = {A[0] + k * p[0], A[1] + k * p[1]};
  q->roll_centre = q->C[1] - q->C[0] * (I[1] - q->C[1]) / (I[0] - q->C[0]);
}

/* The angle of the lower arm at which the wheel has risen so far. */
static linkage at_travel(double travel) {
  linkage q;
  double from = -0.5, to = 0.5;
  for (int i = 0; i < 80; i++) {
    const double middle = (from + to) / 2;
    close_loop(middle, &q);
    *(q.W[1] - W0[1] < travel ? &from : &to) = middle;
  }
  close_loop(from, &q);
  return q;
}

enum { N = 5 };

/* The values at the end of a case of that duration. */
static void simulate(double duration, double c[N]) {
  static const char *const of[N] = {"camber", "toe", "track", "left.C.position.z",
                                    "roll_centre(left.C, right.C, ground, left.forward, left.driven, right.driven).z"};
  char text[2000];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s/problems/wishbone_corner/wishbone_corner.ini\n"
           "[design Uz]\n[case stroke]\nduration = %.17g\nstep = 1e-2\n"
           "[objective track]\nof = track\nform = integral_square\ntarget = 1.3\n",
           MBOPT_SOURCE_DIR, duration);
  run_to_end(text, N, of, 0, NULL, c);
}

static void test_front_view(void) {
  static const double times[] = {0.1, 0.25, 0.4, 0.65, 0.75, 0.9};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    const linkage q = at_travel(stroke * sin(2 * 3.14159265358979323846 * times[i]));
    double c[N];
    simulate(times[i], c);
    CHECK_CLOSE("camber [deg]", c[0], q.camber, 1e-11);
    CHECK_CLOSE("toe [deg]", c[1], 0, 1e-11);
    CHECK_CLOSE("track [m]", c[2], 2 * q.C[0], 1e-12);
    CHECK_CLOSE("contact point [m]", c[3], q.C[1], 1e-12);
    CHECK_CLOSE("roll centre [m]", c[4], q.roll_centre, 1e-11);
  }
}

TEST_MAIN(TEST(test_front_view))
