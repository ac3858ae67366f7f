/* Kinematic cases, against the complex step: all joints, elements and outputs of the conformance models, whose free coordinates are
 * driven; three coefficients of four (the others: test_static.c), with MBOPT_LONG every one. And every output of the table, along some direction. */
#include "gradient/all_coefficients.h"
#include "output/output.h"

/* Largest seen: direct to complex step 9e-12, adjoint to direct 1e-13. */
static void test_models(void) {
  mbd_case c = case_lasting(0.05, test_long() ? 0.005 : 0.0125);
  c.analysis = "kinematic";
  take_turns_from(0);
  for (int i = 0; i < (test_slow() ? 1 : KINEMATIC_TURNS); i++) {
    c.reference = (mbd_reference)i;
    CU_ASSERT(against_complex_step(&c, 0, 1e-10) > 10);
  }
}

/* ---- every output of the table ---- */

enum { ROWS_MAX = 256, OBJECTS = 3 };
static char covered[ROWS_MAX]; /* rows of the table that some model has */

/* Terms of a step are those of motions (all_coefficients.h). */
static int of_motions(const output_ops *ops) {
  return ops->term != OUTPUT_REACTION;
}

static void cover_row(const output_ops *of) {
  const output_object *object;
  for (int i = 0, row = 0; (object = output_object_at(i)) != NULL; i++) {
    for (const output_ops *ops = object->row; ops->doc; ops++, row++) { covered[row] |= ops == of; }
  }
}

/* Components of the quantity of an object, each of them an output; a word that the object does not have adds none. */
static void add_quantity(const test_model *q, const char *object, const char *word, const output_ops *ops,
                         char *of_row) {
  char name[400];
  mbd_error err = {0};
  int first, count;
  snprintf(name, sizeof name, "%s%s%s%s", object, *word ? "." : "", word, ops->shape == OUTPUT_AXIS ? ".y" : "");
  if (mbd_outputs_add(q->o, name, &first, &count, &err) == MBD_OK) { *of_row = 1; }
}

/* Of every kind the first objects; those that have arguments as all_coefficients.h has them, but centres of motions without drives, which
 * are tested in motion alone. */
static void add_outputs(const test_model *q, int number) {
  for (const char *const *name = cases[number].output; *name; name++) {
    mbd_error err = {0};
    int first, count;
    if (!strchr(*name, '(')) { continue; }
    must(mbd_outputs_add(q->o, *name, &first, &count, &err), &err);
    cover_row(q->o->item[first].ops);
    for (int i = 0; cases[number].exact && !strstr(*name, "travel") && i < count; i++) { outputs_drop_last(q->o); }
  }
  const output_object *of;
  for (int i = 0, row = 0; (of = output_object_at(i)) != NULL; i++) {
    for (const output_ops *ops = of->row; ops->doc; ops++, row++) {
      const char *object, *word;
      if (of_motions(ops)) {
        covered[row] = 1;
        continue;
      }
      for (int n = 0; !of->relation && n < OBJECTS && (object = of->name(q->m, n)) != NULL; n++) {
        for (int k = 0; (word = ops->quantity ? ops->quantity : of->own_word(q->m, n, k)) != NULL; k++) {
          if (*object) { add_quantity(q, object, word, ops, &covered[row]); }
          if (ops->quantity) { break; }
        }
      }
    }
  }
}

/* Along any direction of all that varies: direct, adjoint and complex step. */
static void check_outputs(int q, const mbd_case *c) {
  int duration;
  mbd_error err = {0};
  test_model base = open_timed(cases[q].model, c, cases[q].by_scalar, &duration);
  add_outputs(&base, q);
  const int n = mbd_outputs_count(base.o), nc = mbd_model_ncoef(base.m);
  mbd_term *term = calloc((size_t)n + 1, sizeof *term);
  const char **name = calloc((size_t)n + 1, sizeof *name);
  double *x = calloc(4 * (size_t)n + (size_t)(n + 1) * (size_t)nc + 1, sizeof *x);
  double *psi = x, *direct = psi + n, *exact = direct + n, *dtheta = exact + n, *gtheta = dtheta + nc;
  int *index = calloc((size_t)nc + 1, sizeof *index);
  for (int i = 0; i < n; i++) {
    term[i] = (mbd_term){.psi = i, .output = i, .form = "integral_square", .weight = 1.3, .target = 0.2};
    name[i] = mbd_outputs_name(base.o, i);
  }
  for (int k = 0; k < nc; k++) { index[k] = k; }
  test_directions to = (cases[q].by_scalar ? directions_of_scalars : directions_of_coefficients)(&base);
  directions_any(&to, dtheta);
  mbd_dparams *d = direction_along(&base, dtheta);
  mbd_sim *sim;
  mbd_referee *r;
  const mbd_adjoint_options all = {0};
  must(mbd_sim_create(base.m, c, base.o, n, term, n, 1, &sim, &err), &err);
  must(mbd_sim_run(sim, base.p, 1, &d, psi, direct, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(sim, base.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  must(mbd_referee_create(mbo_model_file_spec(base.file), c, n, name, n, term, n, &r, &err), &err);
  must(mbd_referee_derivative(r, to.theta, nc, index, dtheta, psi, exact, &err), &err);
  for (int i = 0; i < n; i++) {
    char text[500];
    double adjoint = 0, scale = 1e-3;
    for (int k = 0; k < nc; k++) {
      adjoint += gtheta[i * nc + k] * dtheta[k], scale = fmax(scale, fabs(gtheta[i * nc + k] * dtheta[k]));
    }
    snprintf(text, sizeof text, "%s: %s", cases[q].model, name[i]);
    CHECK_NEAR(text, direct[i], exact[i], scale, 1e-10);
    CHECK_NEAR(text, adjoint, direct[i], scale, 1e-10);
  }
  mbd_referee_destroy(r), mbd_sim_destroy(sim), mbd_dparams_destroy(d);
  directions_free(&to), model_close(&base);
  free(term), free(name), free(x), free(index);
}

static void test_outputs(void) {
  mbd_case c = case_lasting(0.05, test_long() ? 0.01 : 0.025);
  mbd_output_info info;
  c.analysis = "kinematic";
  for (int q = 0; q < N_CASES; q++) {
    if (cases[q].start == MBD_START_GIVEN && !cases[q].undriven && !cases[q].only) { check_outputs(q, &c); }
  }
  for (int i = 0; mbd_output_info_at(i, &info); i++) {
    if (!covered[i]) {
      printf(
          "\n  no model of tests/gradient/all_coefficients.h has the output %s: add an object that has it to a model "
          "in tests/conformance/models, or the output itself there if it has arguments\n",
          info.name);
    }
    CU_ASSERT(covered[i]);
  }
}

/* What is left out above is refused: drives of one coordinate, of which it is not determined what each exerts, and tyres with states. */
static void test_refused(void) {
  mbd_case c = case_lasting(0.05, 0.01);
  c.analysis = "kinematic";
  int left_out = 0;
  for (int q = 0; q < N_CASES; q++) {
    if (!cases[q].undriven || cases[q].by_scalar) { continue; }
    int duration;
    mbd_error err = {0};
    mbd_sim *sim;
    test_model base = open_timed(cases[q].model, &c, cases[q].by_scalar, &duration);
    mbd_status status = mbd_sim_create(base.m, &c, base.o, 0, NULL, 0, 0, &sim, &err);
    if (status == MBD_OK) { status = mbd_sim_run(sim, base.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err); }
    CU_ASSERT(status < 0);
    CHECK_CONTAINS(err.text, cases[q].undriven);
    mbd_sim_destroy(sim), model_close(&base);
    left_out++;
  }
  CU_ASSERT_EQUAL(left_out, 2);
}

/* Nodes of models with states follow from one another: with little memory most are computed again in the reverse pass, bit for bit. */
static void check_checkpoints(const char *model, const char *analysis) {
  mbd_case c = case_lasting(0.2, 0.005);
  int q = 0;
  while (strcmp(cases[q].model, model) != 0) { q++; }
  c.analysis = analysis;
  setup s = {0};
  CU_ASSERT_FATAL(open_setup(&s, q, &c));
  const size_t nc = (size_t)mbd_model_ncoef(s.base.m), all = (size_t)s.nterm * nc;
  const size_t bytes = mbd_sim_step_bytes(s.sim);
  double *psi = calloc(2 * (size_t)s.nterm, sizeof *psi), *grad = calloc(2 * all, sizeof *grad), scale = 0;
  for (size_t i = 0; i < 2; i++) {
    mbd_error err = {0};
    const mbd_adjoint_options o = {.memory_limit = i == 0 ? 0 : 8 * bytes};
    must(mbd_sim_adjoint(s.sim, s.base.p, &o, psi + i * (size_t)s.nterm, grad + i * all, NULL, NULL, &err), &err);
    CU_ASSERT_EQUAL(mbd_sim_stats(s.sim)->recomputed > 0, i == 1);
  }
  for (size_t i = 0; i < (size_t)s.nterm; i++) { CHECK_CLOSE(model, psi[i], psi[(size_t)s.nterm + i], 0); }
  for (size_t i = 0; i < all; i++) {
    scale = fmax(scale, fabs(grad[i]));
    CHECK_CLOSE(model, grad[all + i], grad[i], 0);
  }
  CU_ASSERT(scale > 0);
  free(psi), free(grad);
  close_setup(&s);
}

static void test_checkpoints(void) {
  check_checkpoints("tests/conformance/models/states.ini", "kinematic");
  check_checkpoints("tests/conformance/models/measuring.ini", "kinematic");
  check_checkpoints("tests/conformance/models/measuring.ini", "motion");
}

TEST_MAIN(TEST(test_models), TEST(test_outputs), TEST(test_checkpoints), TEST(test_refused))
