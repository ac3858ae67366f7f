/* Gradients of runs that change their independent coordinates on the way: the adjoint of a step goes back in the coordinates
 * of that step, and a step that is taken again has those that it had, so that a limit of memory changes no bit. The Euler
 * parameters of a spinning top take turns. */
#include "base/random.h"
#include "integrator/integrator.h"
#include "model.h"
#include "formulation/formulation.h"

enum { N_OUTPUTS = 3, MAX_COEFFICIENTS = 64 };
static const char *const outputs[N_OUTPUTS] = {"C.position.z", "top.rate.y", "C.acceleration.x"};

typedef struct top {
  test_model base;
  mbd_dparams *d[MAX_COEFFICIENTS];
  mbd_term term[N_OUTPUTS];
  int nc;
} top;

static void open_top(top *q) {
  mbd_error err = {0};
  const double one = 1;
  *q = (top){.base = model_open("problems/heavy_top/heavy_top.ini")};
  q->nc = mbd_model_ncoef(q->base.m);
  CU_ASSERT_FATAL(q->nc <= MAX_COEFFICIENTS);
  for (int i = 0; i < q->nc; i++) {
    must(mbd_dparams_create(q->base.m, &q->d[i], &err), &err);
    mbd_dparams_set(q->d[i], q->base.p, 1, &i, &one);
  }
  for (int i = 0; i < N_OUTPUTS; i++) {
    q->term[i] =
        (mbd_term){.psi = i, .output = model_output(&q->base, outputs[i]), .form = "integral_square", .weight = 1};
  }
}

static void close_top(top *q) {
  for (int i = 0; i < q->nc; i++) { mbd_dparams_destroy(q->d[i]); }
  model_close(&q->base);
}

static void adjoint(mbd_sim *s, const top *q, size_t limit, double *gtheta) {
  const mbd_adjoint_options o = {.memory_limit = limit};
  double psi[N_OUTPUTS];
  mbd_error err = {0};
  must(mbd_sim_adjoint(s, q->base.p, &o, psi, gtheta, NULL, NULL, &err), &err);
}

/* Largest difference of the adjoint to direct differentiation seen: 7e-15 of the largest derivative. */
static void compare(const top *q, mbd_sim *s) {
  const size_t bytes = (size_t)(N_OUTPUTS * q->nc) * sizeof(double);
  double *direct = malloc(bytes), *back = malloc(bytes), *limited = malloc(bytes), psi[N_OUTPUTS];
  mbd_error err = {0};
  must(mbd_sim_run(s, q->base.p, q->nc, q->d, psi, direct, NULL, NULL, NULL, &err), &err);
  CU_ASSERT(mbd_sim_stats(s)->choices > 1);
  adjoint(s, q, 0, back);
  const size_t all = mbd_sim_stats(s)->memory;
  adjoint(s, q, all / 4, limited);
  CU_ASSERT(mbd_sim_stats(s)->recomputed > 0);
  CU_ASSERT_EQUAL(memcmp(limited, back, bytes), 0);
  for (int i = 0; i < N_OUTPUTS; i++) {
    double size = 0;
    for (int k = 0; k < q->nc; k++) { size = fmax(size, fabs(direct[i * q->nc + k])); }
    CU_ASSERT(size > 0);
    for (int k = 0; k < q->nc; k++) {
      CHECK_NEAR(mbd_model_coef_name(q->base.m, k), back[i * q->nc + k], direct[i * q->nc + k], size, 1e-12);
    }
  }
  free(direct), free(back), free(limited);
}

static void test_changes(void) {
  top q;
  int taken = 0;
  open_top(&q);
  for (int i = 0; mbd_formulation_at(i); i++) {
    if (!mbd_formulation_at(i)->space) { continue; }
    for (int k = 0; mbd_integrator_at(k); k++) {
      mbd_case c;
      mbd_sim *s;
      mbd_error err = {0};
      mbd_case_init(&c);
      c.formulation = mbd_formulation_at(i)->name, c.integrator = mbd_integrator_at(k)->name;
      c.duration = 0.05, c.step = 1e-3;
      must(mbd_sim_create(q.base.m, &c, q.base.o, N_OUTPUTS, q.term, N_OUTPUTS, q.nc, &s, &err), &err);
      compare(&q, s);
      mbd_sim_destroy(s);
      taken++;
    }
  }
  CU_ASSERT(taken > 0);
  close_top(&q);
}

/* Two bars in a row on spherical joints, the second held at its end by a rod: two norms and a distance couple eight Euler
 * parameters, so that R may be larger than 1 where the coordinates are chosen. */
static const char bars[] =
    "schema = 1\n[model]\nname = bars\njoints = named\n"
    "[body upper]\nmass = 2\ncom = 0.3, 0.2, 0.1\ninertia = 0.1, 0.25, 0.2\n"
    "[body lower]\nmass = 1\ncom = 0.7, 0.2, -0.3\ninertia = 0.1, 0.05, 0.12\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, upper\n[point E]\nat = 0.6, 0, 0\nbodies = upper, lower\n"
    "[point P]\nat = 0.8, 0.3, -0.6\nbodies = lower\n[point G]\nat = 0, 0, 0.8\nbodies = ground\n"
    "[joint j]\ntype = spherical\nbodies = ground, upper\npoint = O\n"
    "[joint k]\ntype = spherical\nbodies = upper, lower\npoint = E\n"
    "[constraint rod]\ntype = distance\npoints = P, G\ndistance = 1.2\n"
    "[start]\nhold.j.e1 = 0.2\nrate.j.e1 = -4\nhold.j.e3 = 0.1\nrate.j.e3 = 6\nhold.k.e1 = 0.1\nrate.k.e1 = 3\n"
    "hold.k.e2 = 0\nhold.k.e3 = 0.3\nrate.k.e3 = 2\n";

/* A choice serves until R has grown threefold since it was made: its spread, the largest entry of R then, decides when the next one
 * is due. Steps that an adjoint takes again must find the spread of their own choice, not that of the last one: here the spreads
 * are between 1 and 1.4, and with a wrong one the choices come at other nodes, so that the gradient has other bits. */
static void test_spread_is_restored(void) {
  mbd_case c = case_lasting(0.95, 2e-3);
  test_model f = model_open_text(bars);
  const int nc = mbd_model_ncoef(f.m);
  const size_t bytes = (size_t)nc * sizeof(double);
  const mbd_term term = {.output = model_output(&f, "P.position.x"), .form = "integral_square", .weight = 1};
  const top q = {.base = f, .nc = nc};
  double *all = malloc(bytes), *limited = malloc(bytes);
  mbd_error err = {0};
  mbd_sim *s;
  c.formulation = "matrix_r", c.integrator = "runge_kutta_4";
  must(mbd_sim_create(f.m, &c, f.o, 1, &term, 1, 0, &s, &err), &err);
  adjoint(s, &q, 0, all);
  const size_t memory = mbd_sim_stats(s)->memory;
  CU_ASSERT(mbd_sim_stats(s)->choices > 5);
  for (size_t part = 4; part <= 16; part *= 2) {
    adjoint(s, &q, memory / part, limited);
    CU_ASSERT(mbd_sim_stats(s)->recomputed > 0);
    CU_ASSERT_EQUAL(memcmp(limited, all, bytes), 0);
  }
  mbd_sim_destroy(s), model_close(&f);
  free(all), free(limited);
}

/* Parallelograms: both sides of each have the same vectors, so that entries of R are equal but for rounding. */
static test_model open_parallelograms(void) {
  char text[4000], wide[4200], path[512];
  snprintf(path, sizeof path, "%s/problems/linkages/linkages.ini", MBOPT_SOURCE_DIR);
  FILE *in = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  CU_ASSERT_FATAL(feof(in));
  fclose(in);
  edit(wide, sizeof wide, text, "at = 0, {j}*length, -{k-1}*length",
       "at = 0, {j}*1.41106*length, -{k-1}*0.875232*length");
  return model_open_text(wide);
}

/* Independent natural coordinates are the same ones where the numbers of the model change in their last digit: a choice between equal entries
 * of R by their last digit had changed the end of the motion by 3e-4 of itself. Largest change seen: 1.3e-13. */
static void test_equal_entries(void) {
  test_model f = open_parallelograms();
  const int nc = mbd_model_ncoef(f.m);
  mbd_case c = case_lasting(2, 1e-2);
  const mbd_term term = {.output = model_output(&f, "tip.position.y"), .form = "terminal", .weight = 1};
  double *theta = malloc((size_t)nc * sizeof *theta), first = 0, psi;
  mbd_error err = {0};
  mbd_sim *s;
  c.formulation = "matrix_r", c.coordinates = MBD_COORDINATES_NATURAL;
  must(mbd_sim_create(f.m, &c, f.o, 1, &term, 1, 0, &s, &err), &err);
  for (int k = 0; k < 6; k++) {
    uint64_t state = (uint64_t)k;
    for (int i = 0; i < nc; i++) {
      theta[i] = mbd_model_nominal(f.m, i) * (1 + (k > 0) * 2e-16 * (2 * random_unit(&state) - 1));
    }
    must(mbd_params_set(f.p, theta, &err), &err);
    must(mbd_sim_run(s, f.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
    if (k == 0) { first = psi; }
    CHECK_NEAR("tip.position.y", psi, first, fabs(first), 1e-10);
  }
  mbd_sim_destroy(s), model_close(&f);
  free(theta);
}

TEST_MAIN(TEST(test_changes), TEST(test_spread_is_restored), TEST(test_equal_entries))
