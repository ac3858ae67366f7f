/* Derivatives of starts, direct and adjoint against the complex step: held angles far from the guesses, with and without
 * static equilibrium, and loops that the guesses leave open, whose free coordinates are those of the assembled position. */
#include "mbd/referee.h"
#include "model.h"

/* A body on a ball joint between gravity and a spring. */
static const char hanging[] =
    "schema = 1\n[model]\ntitle = hanging body\ngravity = 0, 0, -9.81\n"
    "[scalars]\nroll = 2.37\npitch = -0.55\nyaw = 2.9\nspin = 3\nreach = 0.6\nk = 40\n"
    "[body bob]\nmass = 2\ncom = 0.3*reach, 0.1, -0.8\ninertia = 0.3, 0.25, 0.1\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, bob\n[point T]\nat = reach, 0.2, -0.7\nbodies = bob\n"
    "[point wall]\nat = 1, 1.5, -0.3\nbodies = ground\n"
    "[force spring]\ntype = spring\npoints = wall, T\nstiffness = k\nfree_length = 0.3\n"
    "[start]\n%s"
    "hold.bob.angle.z = yaw\nrate.bob.angle.z = spin\n"
    "hold.bob.angle.x = roll\nrate.bob.angle.x = 2*spin\nhold.bob.angle.y = pitch\n";

enum { MAX = 8, N_OUTPUTS = 3 };

/* All scalars but one, in each output at the end of three steps. */
static double compare(test_model *q, mbd_start start, const char *but, const char *const output[N_OUTPUTS]) {
  mbd_case c = case_lasting(0.015, 0.005);
  const mbd_adjoint_options all = {0};
  mbd_error err = {0};
  mbd_term t[N_OUTPUTS];
  mbd_dparams *d[MAX];
  mbd_sim *s;
  mbd_referee *r;
  const char *name[MAX];
  double at[MAX], psi[N_OUTPUTS], direct[N_OUTPUTS * MAX], dpsi[N_OUTPUTS], worst = 0;
  const int nc = mbd_model_ncoef(q->m);
  double *theta = calloc((size_t)nc, sizeof *theta), *adjoint = calloc(N_OUTPUTS * (size_t)nc, sizeof *adjoint);
  const int *first, *index;
  const double *value;
  int n = 0;
  for (int k = 0; k < mbo_model_file_nscalar(q->file); k++) {
    CU_ASSERT_FATAL(n < MAX);
    name[n] = mbo_model_file_scalar(q->file, k, &at[n]);
    n += strcmp(name[n], but) != 0;
  }
  must(mbo_model_file_vary(q->file, n, name, &err), &err);
  must(mbo_model_file_eval(q->file, at, theta, &first, &index, &value, &err), &err);
  for (int k = 0; k < n; k++) {
    must(mbd_dparams_create(q->m, &d[k], &err), &err);
    mbd_dparams_set(d[k], q->p, first[k + 1] - first[k], index + first[k], value + first[k]);
  }
  for (int i = 0; i < N_OUTPUTS; i++) {
    t[i] = (mbd_term){.psi = i, .output = model_output(q, output[i]), .form = "terminal", .weight = 1};
  }
  c.start = start;
  must(mbd_sim_create(q->m, &c, q->o, N_OUTPUTS, t, N_OUTPUTS, n, &s, &err), &err);
  must(mbd_sim_run(s, q->p, n, d, psi, direct, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(s, q->p, &all, psi, adjoint, NULL, NULL, &err), &err);
  must(mbd_referee_create(mbo_model_file_spec(q->file), &c, N_OUTPUTS, output, N_OUTPUTS, t, N_OUTPUTS, &r, &err),
       &err);
  for (int k = 0; k < n; k++) {
    const int nk = first[k + 1] - first[k];
    must(mbd_referee_derivative(r, theta, nk, index + first[k], value + first[k], psi, dpsi, &err), &err);
    for (int i = 0; i < N_OUTPUTS; i++) {
      char what[200];
      double sum = 0, scale = 1e-3;
      for (int a = first[k]; a < first[k + 1]; a++) { sum += adjoint[i * nc + index[a]] * value[a]; }
      for (int j = 0; j < n; j++) { scale = fmax(scale, fabs(direct[i * n + j])); }
      snprintf(what, sizeof what, "%s by %s", output[i], name[k]);
      CHECK_NEAR(what, direct[i * n + k], dpsi[i], scale, 1e-11);
      CHECK_NEAR(what, sum, direct[i * n + k], scale, 1e-11);
      worst = fmax(worst, fmax(fabs(direct[i * n + k] - dpsi[i]), fabs(sum - direct[i * n + k])) / scale);
    }
  }
  mbd_referee_destroy(r);
  mbd_sim_destroy(s);
  for (int k = 0; k < n; k++) { mbd_dparams_destroy(d[k]); }
  free(theta), free(adjoint);
  return worst;
}

static void test_held_angles(void) {
  static const char *const output[] = {"T.position.x", "T.velocity.norm", "bob.rate.norm"};
  double worst = 0;
  for (int settles = 0; settles < 2; settles++) {
    for (int k = 0; k < 1 + settles; k++) { /* each of two that settles */
      static const char *const settle[] = {"settle = bob.angle.x\n", "settle = bob.angle.y\n"};
      char text[2000];
      snprintf(text, sizeof text, hanging, settles ? settle[k] : "");
      test_model q = model_open_text(text);
      worst = fmax(worst, compare(&q, settles ? MBD_START_EQUILIBRIUM : MBD_START_GIVEN, "", output));
      model_close(&q);
    }
  }
  printf("(largest difference %.2g) ", worst);
}

static void test_open_loops(void) {
  static const char *const output[] = {"b1.rate.norm", "C2.position.z", "A1.angle"};
  test_model q = model_open("tests/conformance/models/floating_four_bars.ini");
  printf("(largest difference %.2g) ", compare(&q, MBD_START_GIVEN, "N", output));
  model_close(&q);
}

TEST_MAIN(TEST(test_held_angles), TEST(test_open_loops))
