/* Sparse factors give the motion and the gradients of dense ones, by every method and with every scheme: motions with
 * loops, with Euler parameters, in natural coordinates, from equilibrium; and through checkpoints to the last bit. Every model of the
 * conformance tests, of which most are so small that nothing but a test asks for sparse factors; what a formulation does not take it refuses
 * with the reason. */
#include "opened_run.h"
#include "gradient/all_coefficients.h"

enum { MAX_SET = 8 };

static const struct {
  const char *file, *set[MAX_SET]; /* up to a NULL */
} runs[] = {
    {"configs/five_bar_gradient.ini", {"case.swing.duration=0.5", "case.swing.step=1e-2"}},
    {"configs/five_bar_gradient.ini",
     {"case.swing.duration=0.3", "case.swing.step=1e-2", "case.swing.integrator=generalized_alpha",
      "case.swing.reference=com"}},
    {"configs/five_bar_gradient.ini",
     {"case.swing.duration=0.3", "case.swing.step=1e-2", "case.swing.projection_iterations=2",
      "case.swing.projection_matrix=unit"}},
    {"configs/five_bar_gradient.ini",
     {"case.swing.duration=0.3", "case.swing.step=1e-2", "case.swing.integrator=generalized_alpha",
      "case.swing.coordinates=natural"}},
    {"configs/five_bar_gradient.ini",
     {"case.swing.duration=0.3", "case.swing.step=1e-2", "case.swing.projection_iterations=1",
      "case.swing.coordinates=natural"}},
    {"configs/bicycle_double_turn.ini",
     {"case.turn.duration=3", "case.turn.step=2e-2", "scalars.points=4", "case.turn.coordinates=natural"}},
    {"configs/step_descent.ini", {"case.step.duration=0.1", "case.step.step=5e-3"}},
    {"configs/bicycle_double_turn.ini", {"case.turn.duration=3", "case.turn.step=2e-2", "scalars.points=4"}},
};
enum { N_RUNS = sizeof runs / sizeof runs[0] };

static int quantities(const opened_run *q) {
  return q->m->nobjective + q->m->nconstraint;
}

static opened_run open_run(int which, const char *solver, const char *more) {
  char choice[64];
  const char *set[2 * MAX_SET];
  int n = 0;
  while (n < MAX_SET && runs[which].set[n]) { set[n] = runs[which].set[n], n++; }
  const char *end = strchr(set[0] + strlen("case."), '.'); /* of the case's name */
  snprintf(choice, sizeof choice, "%.*s.linear_solver=%s", (int)(end - set[0]), set[0], solver);
  set[n++] = choice;
  if (more) { set[n++] = more; }
  return run_open(runs[which].file, n, set);
}

static void evaluate(opened_run *q, const char *method) {
  mbd_error err = {0};
  mbd_status status = mechanism_evaluate(q->m, q->m->start, method, &err);
  if (status != MBD_OK) { printf("\n  %s\n", err.text); }
  CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
}

static void compare(const opened_run *got, const opened_run *expected, double tol) {
  const int n = expected->m->n;
  for (int i = 0; i < quantities(expected); i++) {
    double size = 0;
    for (int j = 0; j < n; j++) { size = fmax(size, fabs(expected->m->grad[i * n + j]) * expected->m->scale[j]); }
    CU_ASSERT(size > 0);
    for (int j = 0; j < n; j++) {
      const double scale = expected->m->scale[j];
      CHECK_NEAR(expected->m->name[j], got->m->grad[i * n + j] * scale, expected->m->grad[i * n + j] * scale, size,
                 tol);
    }
  }
}

static void test_methods(void) {
  static const char *const methods[] = {"direct", "discrete_adjoint", "complex_step", "continuous_adjoint"};
  for (int i = 0; i < N_RUNS; i++) {
    opened_run dense = open_run(i, "dense", NULL), sparse = open_run(i, "sparse", NULL);
    opened_run reference = open_run(i, "dense", NULL);
    evaluate(&reference, "direct");
    for (int k = 0; k < 4; k++) {
      evaluate(&sparse, methods[k]);
      if (k != 2 || test_long()) {
        evaluate(&dense, methods[k]);
        compare(&sparse, &dense, 1e-10); /* 8e-12 seen */
      }
      if (k < 3) { compare(&sparse, &reference, 1e-9); }
    }
    run_close(&dense), run_close(&sparse), run_close(&reference);
  }
}

/* With few checkpoints steps are recomputed, to the same bits. */
static void test_checkpoints(void) {
  opened_run all = open_run(0, "sparse", NULL), few = open_run(0, "sparse", "gradient.memory_limit=0.02");
  evaluate(&all, "discrete_adjoint");
  evaluate(&few, "discrete_adjoint");
  CU_ASSERT_EQUAL(memcmp(all.m->grad, few.m->grad, (size_t)(quantities(&all) * all.m->n) * sizeof(double)), 0);
  run_close(&all), run_close(&few);
}

/* ---- every model ---- */

typedef struct gradients { /* of npsi terms of a setup s */
  double *psi;             /* [npsi] */
  double *direct;          /* [npsi][s->nc] */
  double *adjoint;         /* [npsi][s->to.n] */
} gradients;

static gradients gradients_by(setup *s, mbd_linear_solver solver) {
  const int npsi = s->nterm;
  mbd_error err = {0};
  gradients g = {.psi = calloc((size_t)npsi, sizeof *g.psi),
                 .direct = calloc((size_t)npsi * (size_t)s->nc, sizeof *g.direct),
                 .adjoint = calloc((size_t)npsi * (size_t)s->to.n, sizeof *g.adjoint)};
  mbd_sim_destroy(s->sim);
  s->c.linear_solver = solver;
  must(mbd_sim_create(s->base.m, &s->c, s->base.o, s->nterm, s->term, npsi, s->nc, &s->sim, &err), &err);
  run_adjoint(s, g.psi, g.adjoint);
  must(mbd_sim_run(s->sim, s->base.p, s->nc, s->d, g.psi, g.direct, NULL, NULL, NULL, &err), &err);
  return g;
}

static void gradients_free(gradients *g) {
  free(g->psi), free(g->direct), free(g->adjoint);
}

static void compare_solvers(setup *s, const char *file) {
  const int npsi = s->nterm;
  gradients dense = gradients_by(s, MBD_LINEAR_DENSE), sparse = gradients_by(s, MBD_LINEAR_SPARSE);
  for (int i = 0; i < npsi; i++) {
    const double *row = dense.adjoint + i * s->to.n;
    double scale = 0;
    for (int k = 0; k < s->to.n; k++) { scale = fmax(scale, fabs(row[k])); }
    CU_ASSERT(scale > 0);
    scale = fmax(scale, 1e-7); /* of an output that is its target curve rounding is left */
    double size = fmax(fabs(dense.psi[i]), 1e-7);
    const double tol = 1e-9 * tolerance_factor(s, i, &scale);
    tolerance_factor(s, i, &size);
    CHECK_NEAR(file, sparse.psi[i], dense.psi[i], size, tol);
    for (int k = 0; k < s->to.n; k++) {
      CHECK_NEAR(s->to.name[k], sparse.adjoint[i * s->to.n + k], row[k], scale, tol);
    }
    for (int j = 0; j < s->nc; j++) {
      const double direct = sparse.direct[i * s->nc + j];
      CHECK_NEAR(s->to.name[s->pick[j]], direct, dense.direct[i * s->nc + j], scale, tol);
      CHECK_NEAR(s->to.name[s->pick[j]], direct, sparse.adjoint[i * s->to.n + s->pick[j]], scale, tol);
    }
  }
  gradients_free(&dense), gradients_free(&sparse);
}

/* One term alone, another one the next time. */
static void one_term(setup *s, int turn) {
  s->term[0] = s->term[turn % s->nterm];
  s->term[0].psi = 0;
  s->nterm = 1;
}

/* The mass matrix of the tree is for open loops, and the refusal names the constraint that makes this model another one. Natural coordinates
 * and elimination joint by joint are for rigid bodies, and it names the one that bends. */
static void check_refusal(const setup *s, int q) {
  mbd_sim *sim = NULL;
  mbd_error err = {0};
  char reason[300];
  const mbd_status status = mbd_sim_create(s->base.m, &s->c, s->base.o, 0, NULL, 0, 0, &sim, &err);
  if (s->c.coordinates == MBD_COORDINATES_NATURAL) {
    snprintf(reason, sizeof reason, "coordinates = natural: beam '%s' bends",
             cases[q].bends ? cases[q].bends : "(none)");
  } else if (cases[q].bends && strcmp(s->c.formulation, "fully_recursive") == 0) {
    snprintf(reason, sizeof reason, "the nodes of beam '%s' have the same coordinates", cases[q].bends);
  } else {
    snprintf(reason, sizeof reason,
             "'%s' is for open loops, but constraint '%s' couples coordinates of different joints", s->c.formulation,
             cases[q].couples ? cases[q].couples : "(none)");
  }
  CU_ASSERT_EQUAL(status, MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, reason);
  mbd_sim_destroy(sim);
}

/* Compares those that are drawn. The number of models that the case takes, of all or, if open is 1, of those without a constraint that couples joints. 0: it takes none,
 * because its formulation does not go with its scheme. */
static int every_model(const mbd_case *how, int open) {
  int taken = 0, all = 0, refused = 0;
  times++;
  for (int q = 0; q < N_CASES; q++) {
    setup s = {0};
    if (cases[q].driven || (cases[q].only && !strstr(cases[q].only, how->formulation))) { continue; }
    all++;
    if (open_setup(&s, q, how)) {
      CU_ASSERT(!open || !cases[q].couples);
      if (is_drawn(q, how)) {
        compare_solvers(&s, cases[q].model);
        one_term(&s, turns[q]); /* adjoints of one quantity take other ways than those of many */
        compare_solvers(&s, cases[q].model);
      }
      taken++, turns[q]++;
    } else if (taken) {
      CU_ASSERT(open || cases[q].bends);
      check_refusal(&s, q);
      refused++;
    }
    close_setup(&s);
  }
  CU_ASSERT(!taken || taken + refused == all);
  return taken;
}

/* With every formulation, and the first scheme that it takes. */
static void test_every_model(void) {
  mbd_case c = case_lasting(0.01, 0.005);
  for (int i = 0; mbd_formulation_at(i); i++) {
    int taken = 0;
    c.formulation = mbd_formulation_at(i)->name;
    const int open = strcmp(c.formulation, "semi_recursive") == 0;
    for (int k = 0; mbd_integrator_at(k) && !taken; k++) {
      c.integrator = mbd_integrator_at(k)->name;
      taken = every_model(&c, open);
    }
    CU_ASSERT(taken > (open ? 6 : 20));
  }
}

static void test_every_model_in_natural_coordinates(void) {
  mbd_case c = case_lasting(0.01, 0.005);
  c.coordinates = MBD_COORDINATES_NATURAL;
  CU_ASSERT(every_model(&c, 0) > 20);
  c.formulation = "matrix_r";
  CU_ASSERT(every_model(&c, 0) > 20);
}

/* The exact derivative is that of the complex step, with sparse factors too. */
static void test_complex_step(void) {
  mbd_case c = case_lasting(0.01, 0.005);
  c.linear_solver = MBD_LINEAR_SPARSE;
  CU_ASSERT(against_complex_step(&c, 0, 1e-9) > 20);
}

TEST_MAIN(TEST(test_methods), TEST(test_checkpoints), TEST(test_every_model),
          TEST(test_every_model_in_natural_coordinates), TEST(test_complex_step))
