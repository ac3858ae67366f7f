/* Tests of values: every expected number is derived by hand in the test, from a closed form or a few independent lines, never
 * recorded from the program nor taken from the law that is tested.
 *
 * CHECK_VALUE compares a number and notes the name of what it belongs to, such as "spring.force". The last test of each program
 * walks the library's table of its kind with EXPECT_VALUE, which fails with the name of whatever no test has compared. */
#ifndef MBOPT_TEST_VALUES_H
#define MBOPT_TEST_VALUES_H

#include "model.h"

/* ---- what has been compared ---- */

enum { MAX_NOTED = 512 };

static char noted[MAX_NOTED][128];
static int nnoted;

static inline int value_noted(const char *of) {
  for (int i = 0; i < nnoted; i++) {
    if (strcmp(noted[i], of) == 0) { return 1; }
  }
  return 0;
}

static inline void note_value(const char *of) {
  if (value_noted(of)) { return; }
  if (nnoted == MAX_NOTED) {
    printf("\n  more than %d values\n", MAX_NOTED);
    exit(1);
  }
  snprintf(noted[nnoted++], sizeof noted[0], "%s", of);
}

static inline int value_close(const char *of, double got, double expected, double tol) {
  note_value(of);
  return test_close(of, got, expected, tol);
}

/* |got - want| <= tol, and a note that `of` has a value test. */
#define CHECK_VALUE(of, got, expected, tol) CU_ASSERT(value_close(of, got, expected, tol))

static inline int value_expected(const char *kind, const char *name, const char *part) {
  char of[160];
  snprintf(of, sizeof of, "%s%s%s", name, part ? "." : "", part ? part : "");
  if (value_noted(of)) { return 1; }
  printf("\n  no test in tests/values has derived %s '%s' by hand: compare it there with CHECK_VALUE\n", kind, of);
  return 0;
}

/* Fails unless name, or name.part where part is not NULL, has been compared. */
#define EXPECT_VALUE(kind, name, part) CU_ASSERT(value_expected(kind, name, part))

/* ---- values of outputs ---- */

typedef struct value_watch {
  int k, output;
  double y;
} value_watch;

static inline int watch_value(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                              const double *lam, const double *y) {
  value_watch *w = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  if (k < w->k) { return 0; }
  w->y = y[w->output];
  return 1;
}

/* An output after k steps of the case. */
static inline double value_after(const test_model *q, const mbd_case *c, const char *name, int k) {
  mbd_error err = {0};
  mbd_sim *s;
  double psi;
  value_watch w = {.k = k, .output = model_output(q, name), .y = NAN};
  const mbd_term t = {.output = w.output, .form = "terminal", .weight = 1};
  must(mbd_sim_create(q->m, c, q->o, 1, &t, 1, 0, &s, &err), &err);
  const mbd_status status = mbd_sim_run(s, q->p, 0, NULL, &psi, NULL, NULL, watch_value, &w, &err);
  if (status != MBD_INTERRUPTED) { must(status, &err); }
  mbd_sim_destroy(s);
  return w.y;
}

/* An output at the start. */
static inline double value_now(const test_model *q, const char *name) {
  const mbd_case c = case_lasting(1e-3, 1e-3);
  return value_after(q, &c, name, 0);
}

static inline void vector_now(const test_model *q, const char *name, double v[3]) {
  for (int i = 0; i < 3; i++) {
    char full[128];
    snprintf(full, sizeof full, "%s.%c", name, "xyz"[i]);
    v[i] = value_now(q, full);
  }
}

/* ---- vectors, written out once more so that no code of the library is shared ---- */

static inline double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross3(const double *a, const double *b, double *c) {
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  c[0] = x, c[1] = y, c[2] = z;
}

/* y += s x */
static inline void add3(double *y, double s, const double *x) {
  for (int i = 0; i < 3; i++) { y[i] += s * x[i]; }
}

static inline void unit3(const double *x, double *u) {
  const double length = sqrt(dot3(x, x));
  for (int i = 0; i < 3; i++) { u[i] = x[i] / length; }
}

/* Rotation by `angle` about u, of any length (Rodrigues). */
static inline void rotation_about(const double *axis, double angle, double R[3][3]) {
  double u[3];
  unit3(axis, u);
  const double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) { R[i][j] = (1 - c) * u[i] * u[j] + (i == j) * c; }
    R[i][(i + 1) % 3] -= s * u[(i + 2) % 3];
    R[i][(i + 2) % 3] += s * u[(i + 1) % 3];
  }
}

static inline void turn3(double R[3][3], const double *x, double *y) {
  const double a = dot3(R[0], x), b = dot3(R[1], x), c = dot3(R[2], x);
  y[0] = a, y[1] = b, y[2] = c;
}

/* ---- free bodies, whose accelerations show the force and the moment on them ---- */

/* Its frame is at r, turned by `angle` about u, moving with v and w; the centre of mass is its origin. */
typedef struct rigid {
  const char *name;
  double mass, J[3];
  double r[3], u[3], angle, v[3], w[3];
} rigid;

/* Two that move in a general way. */
static const rigid rigid_a = {"A",        2,   {0.3, 0.5, 0.4},  {0.1, -0.2, 0.3},
                              {1, 2, -1}, 0.7, {0.4, -0.3, 0.9}, {0.5, -0.8, 0.6}};
static const rigid rigid_b = {"B",        3,    {0.2, 0.6, 0.7},  {1.4, 0.9, -0.5},
                              {-2, 1, 1}, -0.5, {-0.6, 0.8, 0.2}, {-0.4, 0.7, 1.1}};

typedef struct wrench {
  double F[3], n[3]; /* force; moment about the origin of the body */
} wrench;

static inline void rigid_rotation(const rigid *b, double R[3][3]) {
  rotation_about(b->u, b->angle, R);
}

/* Position and velocity of a point of the body, given in its frame; arm: from the body's origin. */
static inline void rigid_point(const rigid *b, const double *local, double *at, double *vel, double *arm) {
  double R[3][3], wr[3];
  rigid_rotation(b, R);
  turn3(R, local, arm);
  cross3(b->w, arm, wr);
  for (int i = 0; i < 3; i++) { at[i] = b->r[i] + arm[i], vel[i] = b->v[i] + wr[i]; }
}

static inline void rigid_vector(const rigid *b, const double *local, double *v) {
  double R[3][3];
  rigid_rotation(b, R);
  turn3(R, local, v);
}

/* A force s f on a point of the body. */
static inline void wrench_add(wrench *w, const double *arm, double s, const double *f) {
  double n[3];
  cross3(arm, f, n);
  add3(w->F, s, f);
  add3(w->n, s, n);
}

static inline double wrench_power(const wrench *w, const rigid *b) {
  return dot3(w->F, b->v) + dot3(w->n, b->w);
}

static inline void append(char *text, size_t size, const char *more) {
  strncat(text, more, size - strlen(text) - 1);
}

/* The section of a free body, with its origin as the point O_NAME; of the start, its position and motion. */
static inline void rigid_sections(const rigid *b, char *text, size_t size) {
  char s[512];
  snprintf(s, sizeof s,
           "[body %s]\nmass = %.17g\ncom = 0, 0, 0\ninertia = %.17g, %.17g, %.17g\n[point O_%s]\nat = 0, 0, 0\n"
           "bodies = %s\n",
           b->name, b->mass, b->J[0], b->J[1], b->J[2], b->name, b->name);
  append(text, size, s);
}

static inline void rigid_hold(const rigid *b, const char *coordinate, int released, double value, double rate,
                              char *text, size_t size) {
  char s[256];
  if (released) {
    snprintf(s, sizeof s, "guess.%s.%s = %.17g\n", b->name, coordinate, value);
  } else {
    snprintf(s, sizeof s, "hold.%s.%s = %.17g\nrate.%s.%s = %.17g\n", b->name, coordinate, value, b->name, coordinate,
             rate);
  }
  append(text, size, s);
}

/* Euler parameters (e0, e) = (cos(angle/2), u sin(angle/2)), of the angular velocity w in the global frame
 * e' = (e0 w + w x e)/2. released: coordinates that are not held, as " x e1 "; NULL: none. */
static inline void rigid_start(const rigid *b, const char *released, char *text, size_t size) {
  static const char *const place[] = {"x", "y", "z"}, *const turn[] = {"e1", "e2", "e3"};
  double u[3], e[3], we[3];
  unit3(b->u, u);
  for (int i = 0; i < 3; i++) { e[i] = u[i] * sin(b->angle / 2); }
  cross3(b->w, e, we);
  for (int i = 0; i < 3; i++) {
    const int free_place = released && strstr(released, place[i]), free_turn = released && strstr(released, turn[i]);
    rigid_hold(b, place[i], free_place, b->r[i], b->v[i], text, size);
    rigid_hold(b, turn[i], free_turn, e[i], (cos(b->angle / 2) * b->w[i] + we[i]) / 2, text, size);
  }
}

/* n free bodies without gravity, and `more` sections of the model file; coordinates of the last one that are not held, and what
 * is held instead. */
static inline test_model rigid_model(int n, const rigid *b, const char *more, const char *released,
                                     const char *instead) {
  char text[12000] = "schema = 1\n[model]\nname = free bodies\ngravity = 0, 0, 0\njoints = named\n";
  for (int i = 0; i < n; i++) { rigid_sections(&b[i], text, sizeof text); }
  append(text, sizeof text, more);
  append(text, sizeof text, "[start]\n");
  append(text, sizeof text, instead);
  for (int i = 0; i < n; i++) { rigid_start(&b[i], i == n - 1 ? released : NULL, text, sizeof text); }
  return model_open_text(text);
}

/* ---- the motion of a free body at the start ---- */

typedef struct rigid_motion {
  double r[3], R[3][3], v[3], w[3], a[3], wd[3];
} rigid_motion;

/* Its rotation from the Euler parameters; w' = 2 (e0 e'' - e e0'' + e x e''). */
static inline rigid_motion rigid_read(const test_model *q, const char *body) {
  static const char *const names[] = {"e0", "e1", "e2", "e3"}, *const rates[] = {"position", "velocity",
                                                                                 "acceleration"};
  rigid_motion m;
  double p[4], pdd[4], turn[3], *const to[] = {m.r, m.v, m.a};
  char name[64];
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "O_%s.%s", body, rates[i]);
    vector_now(q, name, to[i]);
  }
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s.%s", body, names[i]);
    p[i] = value_now(q, name);
    snprintf(name, sizeof name, "%s.%s.acceleration", body, names[i]);
    pdd[i] = value_now(q, name);
  }
  snprintf(name, sizeof name, "%s.rate", body);
  vector_now(q, name, m.w);
  rotation_about(p + 1, 2 * atan2(sqrt(dot3(p + 1, p + 1)), p[0]), m.R);
  cross3(p + 1, pdd + 1, turn);
  for (int i = 0; i < 3; i++) { m.wd[i] = 2 * (p[0] * pdd[1 + i] - p[1 + i] * pdd[0] + turn[i]); }
  return m;
}

/* What makes the body move like this: F = m a, n = J w' + w x J w. */
static inline wrench rigid_inertia(const rigid *b, const rigid_motion *m) {
  wrench out;
  double J[3][3], R[3][3], Jw[3], gyro[3];
  memcpy(R, m->R, sizeof R);
  for (int i = 0; i < 3; i++) {
    out.F[i] = b->mass * m->a[i];
    for (int j = 0; j < 3; j++) {
      J[i][j] = 0;
      for (int k = 0; k < 3; k++) { J[i][j] += R[i][k] * b->J[k] * R[j][k]; }
    }
  }
  turn3(J, m->w, Jw);
  cross3(m->w, Jw, gyro);
  turn3(J, m->wd, out.n);
  add3(out.n, 1, gyro);
  return out;
}

static inline wrench rigid_wrench(const test_model *q, const rigid *b) {
  const rigid_motion m = rigid_read(q, b->name);
  return rigid_inertia(b, &m);
}

/* The motion equations of the body have this wrench. */
static inline void check_wrench(const char *of, const test_model *q, const rigid *b, const wrench *expected,
                                double tol) {
  const wrench got = rigid_wrench(q, b);
  double size = 1;
  for (int i = 0; i < 3; i++) { size = fmax(size, fmax(fabs(expected->F[i]), fabs(expected->n[i]))); }
  for (int i = 0; i < 3; i++) {
    CHECK_VALUE(of, got.F[i], expected->F[i], tol * size);
    CHECK_VALUE(of, got.n[i], expected->n[i], tol * size);
  }
}

#endif
