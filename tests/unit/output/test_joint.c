/* Reactions of joints: in the tree as in a cut joint, nothing along a joint's own coordinates but what acts there, and of the order
 * of the integrator in closed loops, redundant ones too. */
#include "model.h"

enum { DIMENSIONS = 3 };

/* ---- in the tree as when cut ---- */

static const char *const joints[] = {"j1", "j2", "j3", "j4", "j5", "j6"};
enum { N_JOINTS = sizeof joints / sizeof joints[0] };

typedef struct wrenches {
  double f[N_JOINTS][DIMENSIONS], n[N_JOINTS][DIMENSIONS];
} wrenches;

static void vector_at_end(const test_model *q, const char *joint, const char *quantity, const mbd_case *c, double *v) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_term t[DIMENSIONS];
  char name[64];
  snprintf(name, sizeof name, "%s.%s", joint, quantity);
  const int first = model_output(q, name);
  for (int i = 0; i < DIMENSIONS; i++) {
    t[i] = (mbd_term){.psi = i, .output = first + i, .form = "terminal", .weight = 1};
  }
  must(mbd_sim_create(q->m, c, q->o, DIMENSIONS, t, DIMENSIONS, 0, &s, &err), &err);
  must(mbd_sim_run(s, q->p, 0, NULL, v, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s);
}

static void reactions_of(const char *model, const mbd_case *c, wrenches *w) {
  test_model q = model_open(model);
  for (int j = 0; j < N_JOINTS; j++) {
    vector_at_end(&q, joints[j], "reaction_force", c, w->f[j]);
    vector_at_end(&q, joints[j], "reaction_moment", c, w->n[j]);
  }
  model_close(&q);
}

static double along(const double *v, double x, double y, double z) {
  return (v[0] * x + v[1] * y + v[2] * z) / sqrt(x * x + y * y + z * z);
}

/* Forces are some 10 N, moments some N m. Largest seen along them: 2e-14. */
static void check_own_coordinates(const wrenches *w) {
  enum { REVOLUTE, PRISMATIC, CYLINDRICAL, CARDAN, SPHERICAL, PLANAR };
  CHECK_CLOSE("revolute", along(w->n[REVOLUTE], 0.3, 0.8, 0.2), 0, 1e-11);
  CHECK_CLOSE("prismatic", along(w->f[PRISMATIC], -0.2, 0.3, 0.9), 0, 1e-11);
  CHECK_CLOSE("cylindrical", along(w->f[CYLINDRICAL], 0.7, 0.4, 0.3), 0, 1e-11);
  CHECK_CLOSE("cylindrical", along(w->n[CYLINDRICAL], 0.7, 0.4, 0.3), 0, 1e-11);
  CHECK_CLOSE("cardan", along(w->n[CARDAN], 0.9, 0.1, -0.3), 0, 1e-11);
  CHECK_CLOSE("planar", along(w->n[PLANAR], 0.1, -0.2, 1), 0, 1e-11);
  const double *f = w->f[PLANAR], normal = along(f, 0.1, -0.2, 1);
  CHECK_CLOSE("planar", f[0] * f[0] + f[1] * f[1] + f[2] * f[2], normal * normal, 1e-9);
  for (int i = 0; i < DIMENSIONS; i++) { CHECK_CLOSE("spherical", w->n[SPHERICAL][i], 0, 1e-11); }
}

/* Every type of joint at rest, and in motion. Largest difference: 8e-8 of forces of 30 N, by the steps. */
static void test_cut(void) {
  for (int moved = 0; moved < 2; moved++) {
    mbd_case c = case_lasting(moved ? 0.4 : 1e-9, moved ? 5e-4 : 1e-9);
    wrenches tree, cut;
    c.formulation = "matrix_r", c.integrator = "runge_kutta_4";
    reactions_of("tests/conformance/models/uncut.ini", &c, &tree);
    reactions_of("tests/conformance/models/cuts.ini", &c, &cut);
    for (int j = 0; j < N_JOINTS; j++) {
      for (int i = 0; i < DIMENSIONS; i++) {
        CHECK_CLOSE(joints[j], tree.f[j][i], cut.f[j][i], 1e-6);
        CHECK_CLOSE(joints[j], tree.n[j][i], cut.n[j][i], 1e-6);
      }
    }
    check_own_coordinates(&tree);
  }
}

/* ---- the order, in a loop ---- */

static void five_bar(const mbd_case *c, const char *joint, double *v) {
  test_model q = model_open("problems/five_bar/five_bar.ini");
  vector_at_end(&q, joint, "reaction_force", c, v);
  model_close(&q);
}

static double error_of(const mbd_case *c, double step, const char *joint, const double *expected) {
  mbd_case finer = *c;
  double v[DIMENSIONS];
  finer.step = step;
  five_bar(&finer, joint, v);
  return hypot(v[0] - expected[0], v[1] - expected[1]);
}

/* A joint of the tree and the one that is cut, whose equations are redundant. The answer is that of small steps of Runge-Kutta. */
static void test_order(void) {
  static const char *const names[] = {"JA", "J2", "JB"}, *const integrators[] = {"newmark", "generalized_alpha"};
  for (int k = 0; k < 3; k++) {
    double expected[DIMENSIONS];
    mbd_case exact = case_lasting(0.8, 5e-4);
    exact.formulation = "matrix_r", exact.integrator = "runge_kutta_4";
    five_bar(&exact, names[k], expected);
    for (int i = 0; i < 2; i++) {
      mbd_case c = case_lasting(0.8, 1e-2);
      c.integrator = integrators[i];
      const double order = log2(error_of(&c, 2e-3, names[k], expected) / error_of(&c, 1e-3, names[k], expected));
      CHECK_CLOSE(names[k], order, 2, 0.05);
    }
  }
}

TEST_MAIN(TEST(test_cut), TEST(test_order))
