/* The adjoint of a whole run: objectives together and alone, some coefficients and all, every limit of memory, and what is
 * left behind by a run that fails. */
#include "mbd/simulate.h"

#include "model.h"

enum { MAX_PSI = 4 };

static const struct {
  const char *model, *output[MAX_PSI + 1];
  mbd_start start;
  mbd_coordinates coordinates;
} models[] = {
    {"tests/conformance/models/tree.ini",
     {"T3.acceleration.norm", "bush.force_x", "s1.length"},
     MBD_START_GIVEN,
     MBD_COORDINATES_JOINT},
    {"tests/conformance/models/cuts.ini",
     {"T3.acceleration.z", "j1.coincident.multiplier.norm", "energy.total"},
     MBD_START_GIVEN,
     MBD_COORDINATES_JOINT},
    {"tests/conformance/models/velocities.ini",
     {"C.acceleration.norm", "rolls.multiplier.y", "rod.multiplier", "energy.kinetic"},
     MBD_START_GIVEN,
     MBD_COORDINATES_JOINT},
    {"tests/conformance/models/velocities_expression.ini",
     {"C.acceleration.norm", "rolls_y.multiplier", "speed.multiplier", "energy.kinetic"},
     MBD_START_GIVEN,
     MBD_COORDINATES_NATURAL},
    {"problems/five_bar/five_bar_found.ini",
     {"P2.acceleration.norm", "s2.speed", "P2.position.x", "energy.kinetic"},
     MBD_START_GIVEN,
     MBD_COORDINATES_JOINT},
    {"problems/bicycle/bicycle.ini",
     {"frame.roll", "tyre_F.lateral", "saddle.velocity.norm"},
     MBD_START_EQUILIBRIUM,
     MBD_COORDINATES_JOINT},
    {"tests/conformance/models/cuts.ini",
     {"T3.acceleration.z", "j1.coincident.multiplier.norm", "energy.total"},
     MBD_START_GIVEN,
     MBD_COORDINATES_NATURAL},
    {"problems/five_bar/five_bar_found.ini",
     {"P2.acceleration.norm", "s2.speed", "P2.position.x", "energy.kinetic"},
     MBD_START_GIVEN,
     MBD_COORDINATES_NATURAL},
    {"tests/conformance/models/states.ini",
     {"torque", "filtered", "T.acceleration.x", "work.rate"},
     MBD_START_GIVEN,
     MBD_COORDINATES_JOINT},
    {"tests/conformance/models/states.ini",
     {"torque", "filtered", "T.acceleration.x", "work.rate"},
     MBD_START_GIVEN,
     MBD_COORDINATES_NATURAL},
};
enum { N_MODELS = sizeof models / sizeof models[0] };

/* Objectives of all kinds, of very different sizes. */
static const char *const forms[MAX_PSI] = {"integral_square", "peak_abs", "terminal", "mean_square"};
static const double weights[MAX_PSI] = {1, 1e-6, 1e4, -3};

typedef struct opened {
  test_model base;
  mbd_sim *s;
  int nc, npsi;
} opened;

/* only: this objective alone; -1: all of them. */
static opened open_model(int which, const char *integrator, double duration, int only) {
  opened q = {.base = model_open(models[which].model)};
  mbd_error err = {0};
  mbd_term term[MAX_PSI];
  for (int i = 0; models[which].output[i]; i++) {
    const int first = model_output(&q.base, models[which].output[i]);
    if (only >= 0 && i != only) { continue; }
    term[q.npsi] = (mbd_term){.psi = q.npsi,
                              .output = first,
                              .form = forms[i],
                              .weight = weights[i],
                              .target = 0.2,
                              .smoothing = 0.1,
                              .sharpness = 0.3};
    q.npsi++;
  }
  mbd_case c = case_lasting(duration, 5e-3);
  c.integrator = integrator, c.start = models[which].start, c.coordinates = models[which].coordinates;
  must(mbd_sim_create(q.base.m, &c, q.base.o, q.npsi, term, q.npsi, 0, &q.s, &err), &err);
  q.nc = mbd_model_ncoef(q.base.m);
  return q;
}

static void close_model(opened *q) {
  mbd_sim_destroy(q->s), model_close(&q->base);
}

/* psi and then gtheta: [npsi], [npsi][nc], to be freed. */
static size_t result_size(const opened *q) {
  return (size_t)q->npsi * (1 + (size_t)q->nc);
}

static double *adjoint(opened *q, size_t limit, const unsigned char *requested) {
  const mbd_adjoint_options o = {.memory_limit = limit, .requested = requested};
  mbd_error err = {0};
  double *r = calloc(result_size(q), sizeof *r);
  must(mbd_sim_adjoint(q->s, q->base.p, &o, r, r + q->npsi, NULL, NULL, &err), &err);
  return r;
}

static int same_bits(const opened *q, const double *a, const double *b) {
  return memcmp(a, b, result_size(q) * sizeof *a) == 0;
}

/* ---- many objectives, few coefficients ---- */

static void test_together_and_alone(void) {
  for (int i = 0; i < N_MODELS; i++) {
    opened all = open_model(i, "newmark", 0.2, -1);
    double *together = adjoint(&all, 0, NULL);
    for (int k = 0; k < all.npsi; k++) {
      opened one = open_model(i, "newmark", 0.2, k);
      double *alone = adjoint(&one, 0, NULL), size = 0;
      CU_ASSERT_EQUAL(alone[0], together[k]);
      for (int j = 0; j < all.nc; j++) { size = fmax(size, fabs(alone[1 + j])); }
      /* 1.3e-12 seen: the solver corrects each alone a last time or not */
      CU_ASSERT(size > 0);
      for (int j = 0; j < all.nc; j++) {
        CHECK_NEAR(mbd_model_coef_name(all.base.m, j), together[all.npsi + k * all.nc + j], alone[1 + j], size, 1e-11);
      }
      free(alone);
      close_model(&one);
    }
    free(together);
    close_model(&all);
  }
}

/* Every coefficient alone, or one in 16 of them, then every third. */
static void test_wanted(void) {
  const int one_in = test_long() ? 1 : 16;
  for (int i = 0; i < N_MODELS; i++) {
    opened q = open_model(i, "generalized_alpha", 0.03, -1);
    double *all = adjoint(&q, 0, NULL);
    unsigned char *requested = calloc((size_t)q.nc, 1);
    for (int only = 0; only < q.nc + 3; only++) {
      if (only < q.nc && only % one_in != i % one_in) { continue; }
      for (int j = 0; j < q.nc; j++) { requested[j] = only < q.nc ? j == only : j % 3 == only - q.nc; }
      double *some = adjoint(&q, 0, requested);
      for (int k = 0; k < q.npsi; k++) {
        double size = 0;
        for (int j = 0; j < q.nc; j++) { size = fmax(size, fabs(all[q.npsi + k * q.nc + j])); }
        for (int j = 0; j < q.nc; j++) {
          const int at = q.npsi + k * q.nc + j;
          if (requested[j]) { CHECK_NEAR(mbd_model_coef_name(q.base.m, j), some[at], all[at], size, 1e-13); }
        }
      }
      free(some);
    }
    free(all), free(requested);
    close_model(&q);
  }
}

/* ---- memory ---- */

/* The least limit is named by the error, and so is what keeps all. */
static void byte_counts(opened *q, size_t *min, size_t *all) {
  const mbd_adjoint_options o = {.memory_limit = 1};
  mbd_error err = {0};
  double *r = calloc(result_size(q), sizeof *r);
  CU_ASSERT_EQUAL(mbd_sim_adjoint(q->s, q->base.p, &o, r, r + q->npsi, NULL, NULL, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "1 bytes for the trajectory of 40 steps");
  const char *expected = strstr(err.text, "expected at least ");
  CU_ASSERT_FATAL(expected != NULL);
  CU_ASSERT_EQUAL(sscanf(expected, "expected at least %zu; %zu bytes keep all of it", min, all), 2);
  free(r);
}

/* From the least limit to what keeps all: each model with one of the schemes in two parts, or with both in eight. */
static void test_memory_limits(void) {
  static const char *const schemes[] = {"newmark", "generalized_alpha"};
  const int step = test_long() ? 1 : 4;
  for (int i = 0; i < 2 * N_MODELS; i++) {
    if (!test_long() && i % 2 != i / 2 % 2) { continue; }
    opened q = open_model(i / 2, schemes[i % 2], 0.2, -1);
    const mbd_stats *stats = mbd_sim_stats(q.s);
    size_t min = 0, all = 0;
    byte_counts(&q, &min, &all);
    double *reference = adjoint(&q, 0, NULL);
    CU_ASSERT_EQUAL(stats->memory, all);
    CU_ASSERT_EQUAL(stats->recomputed, 0);
    long before = 40L * 39 / 2; /* from the start to each node in turn */
    for (int part = 0; part <= 8; part += step) {
      const size_t limit = min + (all - min) * (size_t)part / 8;
      double *got = adjoint(&q, limit, NULL);
      CU_ASSERT(same_bits(&q, got, reference));
      CU_ASSERT(stats->memory <= limit);
      CU_ASSERT(part == 0 ? stats->recomputed == before : stats->recomputed < before);
      before = stats->recomputed;
      free(got);
    }
    CU_ASSERT_EQUAL(before, 0);
    free(reference);
    close_model(&q);
  }
}

static void test_least_memory(void) {
  opened q = open_model(0, "newmark", 0.2, -1);
  size_t min = 0, all = 0;
  byte_counts(&q, &min, &all);
  CU_ASSERT(min > 0 && all > 10 * min);
  mbd_error err = {0};
  double *r = calloc(result_size(&q), sizeof *r);
  const mbd_adjoint_options less = {.memory_limit = min - 1}, enough = {.memory_limit = min};
  CU_ASSERT_EQUAL(mbd_sim_adjoint(q.s, q.base.p, &less, r, r + q.npsi, NULL, NULL, &err), MBD_BAD_INPUT);
  CU_ASSERT_EQUAL(mbd_sim_adjoint(q.s, q.base.p, &enough, r, r + q.npsi, NULL, NULL, &err), MBD_OK);
  free(r);
  close_model(&q);
}

/* ---- failures ---- */

typedef struct watcher {
  int seen, stop_at; /* nodes in their order; -1: never */
} watcher;

static int watch(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  watcher *w = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  CU_ASSERT_EQUAL(k, w->seen);
  w->seen++;
  return k == w->stop_at;
}

/* A run that fails writes nothing, and the next one is none the worse. */
static void fails(opened *q, int stop_at, mbd_status status, const char *text) {
  const double mark = 0.1875;
  const mbd_adjoint_options o = {.memory_limit = 8192};
  mbd_error err = {0};
  watcher w = {.stop_at = stop_at};
  double *r = calloc(result_size(q), sizeof *r);
  for (size_t i = 0; i < result_size(q); i++) { r[i] = mark; }
  CU_ASSERT_EQUAL(mbd_sim_adjoint(q->s, q->base.p, &o, r, r + q->npsi, watch, &w, &err), status);
  CHECK_CONTAINS(err.text, text);
  for (size_t i = 0; i < result_size(q); i++) { CU_ASSERT_EQUAL(r[i], mark); }
  CU_ASSERT(stop_at < 0 ? w.seen > 0 : w.seen == stop_at + 1);
  free(r);
}

static void test_failures(void) {
  opened q = open_model(2, "newmark", 0.2, -1);
  mbd_error err = {0};
  double *reference = adjoint(&q, 8192, NULL), *theta = calloc((size_t)q.nc, sizeof *theta);
  for (int j = 0; j < q.nc; j++) { theta[j] = mbd_model_nominal(q.base.m, j); }
  CU_ASSERT(mbd_sim_stats(q.s)->recomputed > 0);

  fails(&q, 17, MBD_INTERRUPTED, "stopped at t = 0.085 s");
  double *again = adjoint(&q, 8192, NULL);
  CU_ASSERT(same_bits(&q, again, reference));
  free(again);

  for (int j = 0; j < q.nc; j++) { theta[j] *= strstr(mbd_model_coef_name(q.base.m, j), "stiffness") ? 1e298 : 1; }
  must(mbd_params_set(q.base.p, theta, &err), &err);
  fails(&q, -1, MBD_SINGULAR, "the tangent matrix of the time step cannot be factored");
  for (int j = 0; j < q.nc; j++) { theta[j] = mbd_model_nominal(q.base.m, j); }
  must(mbd_params_set(q.base.p, theta, &err), &err);
  again = adjoint(&q, 8192, NULL);
  CU_ASSERT(same_bits(&q, again, reference));
  free(again);

  free(reference), free(theta);
  close_model(&q);
}

/* An observer sees every node once, those taken again under a limit of memory as well. */
static void test_observer(void) {
  opened q = open_model(2, "newmark", 0.2, -1);
  const mbd_adjoint_options o = {.memory_limit = 8192};
  mbd_error err = {0};
  watcher w = {.stop_at = -1};
  double *reference = adjoint(&q, 0, NULL), *r = calloc(result_size(&q), sizeof *r);
  must(mbd_sim_adjoint(q.s, q.base.p, &o, r, r + q.npsi, watch, &w, &err), &err);
  CU_ASSERT_EQUAL(w.seen, 41);
  CU_ASSERT(mbd_sim_stats(q.s)->recomputed > 0);
  CU_ASSERT(same_bits(&q, r, reference));
  free(reference), free(r);
  close_model(&q);
}

TEST_MAIN(TEST(test_together_and_alone), TEST(test_wanted), TEST(test_memory_limits), TEST(test_least_memory),
          TEST(test_failures), TEST(test_observer))
