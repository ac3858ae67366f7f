/* The stability of the benchmark bicycle as an objective: the derivatives of its modes by the speed against those of the published equations
 *   (lam^2 M + lam v C1 + g K0 + v^2 K2) q = 0,
 * the published speeds between which it rides by itself, and the optimum of configs/bicycle_stability.ini. */
#include <complex.h>
#include <jansson.h>

#include "mbd/linearize.h"
#include "mechanism/modes.h"
#include "opened_run.h"

enum { MODES = 3 };

typedef struct equations {
  double M[2][2], C1[2][2], K0[2][2], K2[2][2];
} equations;

static void read_matrix(const json_t *o, const char *name, double to[2][2]) {
  for (size_t i = 0; i < 2; i++) {
    for (size_t j = 0; j < 2; j++) {
      to[i][j] = json_number_value(json_array_get(json_array_get(json_object_get(o, name), i), j));
    }
  }
}

static json_t *read_published(equations *e) {
  char path[512];
  snprintf(path, sizeof path, "%s/tests/golden/whipple_linear.json", MBOPT_SOURCE_DIR);
  json_t *all = json_load_file(path, 0, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(all);
  const json_t *o = json_object_get(all, "published");
  read_matrix(o, "M", e->M), read_matrix(o, "C1", e->C1), read_matrix(o, "K0", e->K0), read_matrix(o, "K2", e->K2);
  return all;
}

/* det Q, and its derivatives by lam and v, which are tr(adj(Q) Q'). */
static double complex determinant(const equations *e, double complex lam, double v, double complex *by_lam,
                                  double complex *by_v) {
  double complex Q[2][2], L[2][2], V[2][2];
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      Q[i][j] = lam * lam * e->M[i][j] + lam * v * e->C1[i][j] + 9.81 * e->K0[i][j] + v * v * e->K2[i][j];
      L[i][j] = 2 * lam * e->M[i][j] + v * e->C1[i][j], V[i][j] = lam * e->C1[i][j] + 2 * v * e->K2[i][j];
    }
  }
  *by_lam = Q[1][1] * L[0][0] - Q[0][1] * L[1][0] - Q[1][0] * L[0][1] + Q[0][0] * L[1][1];
  *by_v = Q[1][1] * V[0][0] - Q[0][1] * V[1][0] - Q[1][0] * V[0][1] + Q[0][0] * V[1][1];
  return Q[0][0] * Q[1][1] - Q[0][1] * Q[1][0];
}

/* Weave, capsize and castering from 2 to 10 m/s, each followed from 5 m/s; their changes with the speed. */
static void test_speed(void) {
  opened_run r = run_open_rooted(
      "schema = 1\n[model]\nfile = %s/problems/bicycle/rolling_bicycle.ini\n[design v]\n[case c]\nduration = 1\nstep = "
      "0.1\n[mode weave]\nnear = 0.7\n[mode capsize]\nnear = 0\nnear_real = -0.3\n[mode castering]\nnear = "
      "0\nnear_real = -14\n"
      "[objective w]\nvalue = weave.real\n[objective f]\nvalue = 2*pi*weave.frequency\n[objective s]\nvalue = "
      "capsize.real\n[objective t]\nvalue = castering.real\n");
  equations e;
  json_t *o = read_published(&e);
  for (double v = 2; v <= 10; v += 0.5) {
    if (!run_evaluate_modes(&r, &v, "auto")) { break; }
    const double *psi = r.m->psi, *g = r.m->grad;
    const double complex lam[MODES] = {psi[0] + psi[1] * I, psi[2], psi[3]},
                         change[MODES] = {g[0] + g[1] * I, g[2], g[3]};
    for (int i = 0; i < MODES; i++) {
      double complex by_lam, by_v;
      const double complex left = determinant(&e, lam[i], v, &by_lam, &by_v);
      CHECK_CLOSE("eigenvalue", cabs(left / by_lam), 0, 1e-12 * cabs(lam[i]) + 1e-13);
      CHECK_CLOSE("by the speed", cabs(change[i] + by_v / by_lam), 0, 1e-10);
      CU_ASSERT(cabs(change[i]) > 0);
    }
    CU_ASSERT(psi[1] > 1 && psi[3] < -5);
  }
  json_decref(o);
  run_close(&r);
}

/* The bicycle rides by itself between the published speeds at which weave and capsize are zero. There the capsize is a rigid motion, a turn that nothing
 * stops, which is a failure and not another number. */
static void test_range(void) {
  opened_run r = run_open_rooted(
      "schema = 1\n[model]\nfile = %s/problems/bicycle/rolling_bicycle.ini\n[design v]\n[case c]\nduration = 1\nstep = "
      "0.1\n[mode all]\nsharpness = 1e6\n[objective o]\nvalue = all.largest_real\n");
  equations e;
  json_t *o = read_published(&e);
  static const char *const ends[] = {"v_weave", "v_capsize"};
  for (int i = 0; i < 2; i++) {
    const double v = atof(json_string_value(json_object_get(o, ends[i])));
    const double beside = v * (1 + 1e-7);
    mbd_error err = {0};
    if (!run_evaluate_modes(&r, &beside, "auto")) { break; }
    CHECK_CLOSE(ends[i], r.m->psi[0], 0, 2e-6); /* ln 2/sharpness of a pair */
    CU_ASSERT(i == 0 ? r.m->grad[0] < -1 : r.m->grad[0] > 0.1);
    if (i == 1) {
      CU_ASSERT_EQUAL(mechanism_evaluate(r.m, &v, "auto", &err), MBD_SINGULAR);
      CHECK_CONTAINS(err.text, "case 'c' has 7 rigid motions here, and 6 at the start of the run file");
    }
  }
  json_decref(o);
  run_close(&r);
}

/* At the start of the run file each eigenvalue of a pair has the name of the section that follows it; others have none. */
static void test_names(void) {
  opened_run r = run_open("configs/bicycle_stability.ini", 0, NULL);
  if (!run_evaluate_modes(&r, r.m->start, "none")) { return; }
  const mechanism_case *at0 = &r.m->cases[0], *at1 = &r.m->cases[1];
  mbd_error err = {0};
  mbd_linear l;
  int named = 0;
  must(mbd_sim_linearize(at0->sim, at0->v->params, &l, &err), &err);
  for (int i = 0; i < l.n + l.nrate; i++) {
    const char *name = modes_name_of(r.m, at0, l.re[i], l.im[i]);
    if (!name) { continue; }
    CU_ASSERT_STRING_EQUAL(name, "weave");
    CHECK_CLOSE("frequency", fabs(l.im[i]) / (2 * acos(-1)), r.m->psi[1], 1e-9);
    CU_ASSERT_PTR_NULL(modes_name_of(r.m, at1, l.re[i], l.im[i])); /* of another speed */
    named++;
  }
  CU_ASSERT_EQUAL(named, 2);
  mbd_linear_free(&l);
  run_close(&r);
}

/* At the optimum that its README states, the constraint holds with no slack, and the gradient of the Lagrangian vanishes but at the bound. */
static void test_optimum(void) {
  opened_run r = run_open("configs/bicycle_stability.ini", 0, NULL);
  const double x[] = {3.75405956, 0.0871886744, 0.2724333, 0.25};
  if (!run_evaluate_modes(&r, x, "auto")) { return; }
  const double *of_constraint = r.m->grad + 3 * 4;
  CHECK_CLOSE("stable", r.m->psi[3], 0, 1e-6);
  CU_ASSERT(of_constraint[0] < -0.1);
  for (int j = 1; j < 3; j++) { CHECK_CLOSE("optimum", of_constraint[j] / of_constraint[0], 0, 1e-3); }
  CU_ASSERT(of_constraint[3] > 0); /* a smaller wheel would be better */
  const double start[] = {4.6, 0.08, acos(-1) / 10, 0.35};
  CU_ASSERT(run_evaluate_modes(&r, start, "auto") && r.m->psi[3] < 0);
  run_close(&r);
}

TEST_MAIN(TEST(test_speed), TEST(test_range), TEST(test_names), TEST(test_optimum))
