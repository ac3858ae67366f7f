/* Gradients through every kind of part that is in the program, in every scalar of the model and of its parts: direct differentiation against the complex
 * step of the whole simulation, and the adjoint against it. */
#include "mbd/referee.h"
#include "model.h"

enum { N = 9 };
static const struct {
  const char *file, *output[N];
} models[] = {
    {"tests/conformance/models/shipped.ini",
     {"position.output", "running.output", "weighted.output", "late.output", "high.output", "damper.element.force",
      "motor.current", "T.velocity.norm", "order.amplitude"}},
    {"tests/conformance/models/rolling.ini",
     {"T.velocity.norm", "B.position.y", "sphere.x.multiplier", "rim.along.multiplier", "rim.across.multiplier",
      "hill.up.distance", "hill.rolls.multiplier", "table.angle.rate", "table.angle"}},
    {"tests/conformance/models/elements.ini",
     {"damper.element.force", "leaf.force", "stop.force", "bar.torsion.force", "soft_bar.left_link.force",
      "column.angle", "hub.angle.rate", "drive.inner.torque.multiplier", "hub.angle"}}};

static void check_gradients(int model, const char *formulation, const char *integrator) {
  test_model q = model_open(models[model].file);
  const char *const *outputs = models[model].output;
  test_directions to = directions_of_scalars(&q);
  const int n = to.n, ncoef = mbd_model_ncoef(q.m);
  const mbd_adjoint_options all = {0};
  mbd_case c = case_lasting(model < 2 && !test_long() ? 0.02 : 0.05, 0.005);
  mbd_error err = {0};
  mbd_term t[N];
  mbd_sim *s;
  mbd_referee *r;
  mbd_dparams **d = calloc((size_t)n, sizeof *d);
  double psi[N], exact[N], worst[2] = {0};
  double *grad = calloc((size_t)(N * n), sizeof *grad), *gtheta = calloc((size_t)(N * ncoef), sizeof *gtheta);
  c.formulation = formulation, c.integrator = integrator;
  for (int i = 0; i < N; i++) {
    t[i] = (mbd_term){
        .psi = i, .output = model_output(&q, outputs[i]), .form = i % 2 ? "terminal" : "mean_square", .weight = 1};
  }
  for (int k = 0; k < n; k++) {
    const int first = to.start[k];
    must(mbd_dparams_create(q.m, &d[k], &err), &err);
    mbd_dparams_set(d[k], q.p, to.start[k + 1] - first, to.index + first, to.value + first);
  }
  must(mbd_sim_create(q.m, &c, q.o, N, t, N, n, &s, &err), &err);
  must(mbd_sim_adjoint(s, q.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  must(mbd_sim_run(s, q.p, n, d, psi, grad, NULL, NULL, NULL, &err), &err);
  must(mbd_referee_create(mbo_model_file_spec(q.file), &c, N, outputs, N, t, N, &r, &err), &err);
  for (int k = 0; k < n; k++) {
    const int first = to.start[k];
    must(mbd_referee_derivative(r, to.theta, to.start[k + 1] - first, to.index + first, to.value + first, psi, exact,
                                &err),
         &err);
    for (int i = 0; i < N; i++) {
      double adjoint = 0, scale = 0.01;
      for (int a = first; a < to.start[k + 1]; a++) { adjoint += gtheta[i * ncoef + to.index[a]] * to.value[a]; }
      for (int j = 0; j < n; j++) { scale = fmax(scale, fabs(grad[i * n + j])); }
      CHECK_NEAR(to.name[k], grad[i * n + k], exact[i], scale, 2e-11);
      CHECK_NEAR(to.name[k], adjoint, grad[i * n + k], scale, 1e-11);
      worst[0] = fmax(worst[0], fabs(grad[i * n + k] - exact[i]) / scale);
      worst[1] = fmax(worst[1], fabs(grad[i * n + k] - adjoint) / scale);
    }
    mbd_dparams_destroy(d[k]);
  }
  printf("\n  %s, %s: %d scalars, direct to complex step %.2g, adjoint to direct %.2g ", formulation, integrator, n,
         worst[0], worst[1]);
  mbd_referee_destroy(r), mbd_sim_destroy(s);
  directions_free(&to), model_close(&q);
  free(d), free(grad), free(gtheta);
}

static void test_gradients(void) {
  for (int model = 0; model < 3; model++) {
    check_gradients(model, "ali3p", "newmark");
    if (model < 2) { check_gradients(model, "ali3p", "generalized_alpha"); }
    check_gradients(model, "matrix_r", "runge_kutta_4");
  }
}

TEST_MAIN(TEST(test_gradients))
