/* Whole manoeuvres of the run files: the discrete adjoint against direct differentiation, variable by variable, and against the
 * complex step of the whole simulation along one direction in all variables. */
#include "mechanism/numerical.h"
#include "opened_run.h"

enum { MAX_SET = 8, SET = 128 };

static const struct {
  const char *file, *case_name;
  double duration; /* of the run file [s] */
  const char *set[2];
} manoeuvres[] = {
    {"configs/five_bar_gradient.ini", "swing", 5, {NULL}},
    {"configs/five_bar_gradient_found.ini", "swing", 5, {NULL}},
    {"configs/step_descent.ini", "step", 4.5, {"optimizer.hessian=limited_memory"}},
    {"configs/double_lane_change.ini", "lane_change", 12, {"optimizer.hessian=limited_memory"}},
    {"configs/bicycle_double_turn.ini", "turn", 10, {NULL}},
};
enum { N_MANOEUVRES = sizeof manoeuvres / sizeof manoeuvres[0] };

/* Of reference points, schemes and projections any two meet once. */
static const struct {
  const char *reference, *integrator, *projection;
} ways[] = {
    {"origin", "newmark", "mass"},
    {"com", "generalized_alpha", "mass"},
    {"com", "newmark", "unit"},
    {"origin", "generalized_alpha", "unit"},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

/* Against the complex step each manoeuvre is whole, and against direct differentiation if all is asked for; a tenth of it otherwise. */
static int is_whole(int complex_step) {
  return !test_slow() && (test_long() || complex_step);
}

static opened_run open_manoeuvre(int i, int way, int complex_step) {
  char text[4][SET];
  const char *set[MAX_SET] = {text[0], text[1], text[2], text[3]};
  int n = 4;
  const char *name = manoeuvres[i].case_name;
  snprintf(text[0], SET, "case.%s.duration=%g", name, manoeuvres[i].duration / (is_whole(complex_step) ? 1 : 10));
  snprintf(text[1], SET, "case.%s.reference=%s", name, ways[way].reference);
  snprintf(text[2], SET, "case.%s.integrator=%s", name, ways[way].integrator);
  snprintf(text[3], SET, "case.%s.projection_matrix=%s", name, ways[way].projection);
  for (int k = 0; k < 2 && manoeuvres[i].set[k]; k++) { set[n++] = manoeuvres[i].set[k]; }
  return run_open(manoeuvres[i].file, n, set);
}

/* [quantities][variables], to be freed; derivatives by the scaled variables */
static double *gradient_by(opened_run *q, const char *method) {
  const mechanism *m = q->m;
  const int nq = m->nobjective + m->nconstraint;
  mbd_error err = {0};
  double *grad = malloc((size_t)(nq * m->n) * sizeof *grad);
  must(mechanism_evaluate(q->m, m->start, method, &err), &err);
  for (int i = 0; i < nq * m->n; i++) { grad[i] = m->grad[i] * m->scale[i % m->n]; }
  return grad;
}

static double largest(int n, const double *x) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(x[i])); }
  return max;
}

/* Relative to the largest component of each quantity's gradient. */
static double apart(const mechanism *m, const double *got, const double *expected) {
  double worst = 0;
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    const double size = largest(m->n, expected + i * m->n);
    CU_ASSERT(size > 0);
    for (int j = 0; j < m->n; j++) {
      const int k = i * m->n + j;
      CHECK_NEAR(m->name[j], got[k], expected[k], size, 1e-9); /* 2e-10 seen: of the bicycle, 50 m from the origin */
      worst = fmax(worst, fabs(got[k] - expected[k]) / size);
    }
  }
  return worst;
}

static void test_direct(void) {
  for (int i = 0; i < N_MANOEUVRES; i++) {
    double worst = 0;
    for (int way = 0; way < N_WAYS; way++) {
      opened_run q = open_manoeuvre(i, way, 0);
      double *direct = gradient_by(&q, "direct"), *adjoint = gradient_by(&q, "discrete_adjoint");
      worst = fmax(worst, apart(q.m, adjoint, direct));
      free(direct), free(adjoint);
      run_close(&q);
    }
    printf("\n  %s: %.2g ", manoeuvres[i].file, worst);
  }
}

static void test_complex_step(void) {
  for (int i = 0; i < N_MANOEUVRES; i++) {
    mbd_error err = {0};
    opened_run q = open_manoeuvre(i, i % N_WAYS, 1);
    const int n = q.m->n, nq = q.m->nobjective + q.m->nconstraint;
    double *adjoint = gradient_by(&q, "discrete_adjoint"), worst = 0;
    double *along = malloc((size_t)n * sizeof *along), *exact = malloc((size_t)nq * sizeof *exact);
    for (int j = 0; j < n; j++) { along[j] = q.m->scale[j] * cos(1.7 * j); }
    must(numerical_derivative(q.m, q.m->start, GRADIENT_COMPLEX_STEP, along, exact, &err), &err);
    for (int k = 0; k < nq; k++) {
      double slope = 0, size = 0;
      for (int j = 0; j < n; j++) {
        const double part = adjoint[k * n + j] * cos(1.7 * j);
        slope += part, size += fabs(part);
      }
      CHECK_NEAR(manoeuvres[i].file, slope, exact[k], size, 1e-10);
      worst = fmax(worst, fabs(slope - exact[k]) / size);
    }
    printf("\n  %s: %.2g ", manoeuvres[i].file, worst);
    free(adjoint), free(along), free(exact);
    run_close(&q);
  }
}

TEST_MAIN(TEST(test_direct), TEST(test_complex_step))
