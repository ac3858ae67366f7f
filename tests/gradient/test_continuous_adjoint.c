/* The continuous adjoint against the discrete one at the same steps, which are halved: the difference falls with the order of both,
 * two; of explicit steps in state space, four. With MBOPT_LONG they are halved five times, and the rows that it prints are the
 * table of bench/README.md. */
#include "integrator/integrator.h"
#include "formulation/projection.h"
#include "model.h"
#include "formulation/formulation.h"

enum { MAX_HALVINGS = 5, MAX_TERMS = 8, MAX_DESIGN = 12, MAX_SCALARS = 4 };

typedef struct objective {
  const char *output;
  const char *form;
  double sharpness;
} objective;

typedef struct study {
  const char *title, *model;
  objective term[MAX_TERMS];
  const char *design[MAX_DESIGN]; /* scalars of the model file; none: all coefficients */
  const char *scalar[MAX_SCALARS], *value[MAX_SCALARS];
  mbd_start start;
  double duration, step; /* the coarsest */
} study;

static const study pendulum = {.title = "pendulum",
                               .model = "problems/pendulum/pendulum.ini",
                               .duration = 2,
                               .step = 0.04,
                               .term = {{"ground-bar.angle", "integral_square", 0},
                                        {"tip.velocity.norm", "integral_abs", 0},
                                        {"tip.acceleration.z", "mean_square", 0},
                                        {"tip.velocity.norm", "terminal", 0},
                                        {"tip.acceleration.x", "terminal", 0},
                                        {"ground-bar.angle", "peak", 7}}};

static const study five_bar = {.title = "five-bar",
                               .model = "problems/five_bar/five_bar.ini",
                               .duration = 1,
                               .step = 0.02,
                               .design = {"Ls1", "Ls2", "mA1", "xG_A1", "LA1", "k1", "k2", "c1", "c2", "m12", "g"},
                               .term = {{"P2.position.x", "integral_square", 0},
                                        {"P2.velocity.y", "integral_square", 0},
                                        {"P2.acceleration.y", "integral_square", 0},
                                        {"P2.position.y", "terminal", 0},
                                        {"P2.velocity.x", "terminal", 0},
                                        {"P2.acceleration.x", "terminal", 0},
                                        {"P2.velocity.norm", "peak", 3}}};

static const study tree = {.title = "tree, all joints",
                           .model = "tests/conformance/models/tree.ini",
                           .duration = 0.08,
                           .step = 0.004,
                           .term = {{"T1.position.x", "integral_square", 0},
                                    {"T2.velocity.norm", "integral_square", 0},
                                    {"T3.acceleration.norm", "integral_square", 0},
                                    {"T2.velocity.norm", "terminal", 0},
                                    {"arm.roll_rate", "trough", 7}}};

static const study cuts = {.title = "all joints cut",
                           .model = "tests/conformance/models/cuts.ini",
                           .duration = 0.2,
                           .step = 0.01,
                           .term = {{"T1.position.y", "integral_square", 0},
                                    {"T2.velocity.x", "integral_square", 0},
                                    {"T3.acceleration.z", "integral_square", 0},
                                    {"T2.velocity.x", "terminal", 0},
                                    {"energy.total", "terminal", 0},
                                    {"b5.rate.norm", "peak", 7},
                                    {"j1.coincident.multiplier.norm", "integral", 0},
                                    {"j1.coincident.multiplier.norm", "terminal", 0}}};

static const study constraints = {.title = "all constraints",
                                  .model = "tests/conformance/models/constraints.ini",
                                  .duration = 0.4,
                                  .step = 0.01,
                                  .term = {{"B.acceleration.norm", "integral_square", 0},
                                           {"length.rate", "integral_abs", 0},
                                           {"b.angle.acceleration", "terminal", 0},
                                           {"energy.kinetic", "peak_abs", 7},
                                           {"k2.multiplier", "integral", 0}}};

static const study wheels = {.title = "wheels, tyres",
                             .model = "tests/conformance/models/wheels.ini",
                             .duration = 0.1,
                             .step = 0.005,
                             .term = {{"tyre_f.load", "integral_square", 0},
                                      {"tyre_l.lateral", "integral", 0},
                                      {"O.acceleration.norm", "terminal", 0}}};

static const study lane_change = {.title = "lane change",
                                  .model = "problems/buggy/buggy.ini",
                                  .duration = 2,
                                  .step = 0.02,
                                  .start = MBD_START_EQUILIBRIUM,
                                  .scalar = {"v", "w", "steer_out", "steer_back"},
                                  .value = {"10", "36.7", "0.0065", "0.0117"},
                                  .design = {"k_f", "c_f", "k_r", "c_r", "m_c"},
                                  .term = {{"chassis.roll_rate", "integral_square", 0},
                                           {"P1.acceleration.y", "integral_square", 0},
                                           {"chassis.angle.y", "terminal", 0}}};

static const study velocities = {.title = "velocity constraints",
                                 .model = "tests/conformance/models/velocities.ini",
                                 .duration = 0.2,
                                 .step = 0.005,
                                 .term = {{"C.acceleration.norm", "integral_square", 0},
                                          {"rolls.multiplier.y", "integral", 0},
                                          {"blade.multiplier", "terminal", 0},
                                          {"B.velocity.x", "terminal", 0},
                                          {"D.position.z", "integral_square", 0}}};

static const study by_expression = {.title = "velocity constraints by expression",
                                    .model = "tests/conformance/models/velocities_expression.ini",
                                    .duration = 0.2,
                                    .step = 0.005,
                                    .term = {{"D.position.z", "integral_square", 0},
                                             {"rolls_y.multiplier", "integral", 0},
                                             {"speed.multiplier", "terminal", 0},
                                             {"B.velocity.x", "terminal", 0}}};

static const study beams = {.title = "beams",
                            .model = "tests/conformance/models/beams.ini",
                            .duration = 0.04,
                            .step = 0.001,
                            .term = {{"P.acceleration.norm", "integral_square", 0},
                                     {"rod.elastic.energy", "terminal", 0},
                                     {"strut.tension", "integral", 0},
                                     {"T.velocity@rod.x", "terminal", 0}}};

static const study *const studies[] = {&pendulum, &five_bar,    &tree,       &cuts,          &constraints,
                                       &wheels,   &lane_change, &velocities, &by_expression, &beams};
enum { N_STUDIES = sizeof studies / sizeof studies[0] };

typedef struct setup {
  const study *q;
  test_model base;
  int nterm, n; /* n: directions */
  mbd_term term[MAX_TERMS];
  mbd_case c;
  double *theta;
  const int *first, *index; /* of the design in the coefficients; NULL: all coefficients */
  const double *value;
} setup;

static int count_of(int max, const char *const *name) {
  int n = 0;
  while (n < max && name[n]) { n++; }
  return n;
}

static double value_of(const mbo_model_file *f, const char *name) {
  double value;
  for (int i = 0; i < mbo_model_file_nscalar(f); i++) {
    if (strcmp(mbo_model_file_scalar(f, i, &value), name) == 0) { return value; }
  }
  return 0;
}

static void open_design(setup *s) {
  mbd_error err = {0};
  double rho[MAX_DESIGN];
  const int ncoef = mbd_model_ncoef(s->base.m);
  s->n = count_of(MAX_DESIGN, s->q->design);
  s->theta = calloc((size_t)ncoef, sizeof *s->theta);
  if (s->n == 0) {
    s->n = ncoef;
    for (int i = 0; i < ncoef; i++) { s->theta[i] = mbd_model_nominal(s->base.m, i); }
    return;
  }
  for (int k = 0; k < s->n; k++) { rho[k] = value_of(s->base.file, s->q->design[k]); }
  must(mbo_model_file_vary(s->base.file, s->n, (const char **)s->q->design, &err), &err);
  must(mbo_model_file_eval(s->base.file, rho, s->theta, &s->first, &s->index, &s->value, &err), &err);
}

/* Where all is slow (sanitizers), the coarsest steps alone are run, of shorter motions, and no order is seen. */
static int coarse_alone(void) {
  return test_slow();
}

static void open_setup(setup *s, const study *q) {
  mbd_error err = {0};
  *s = (setup){.q = q, .c = case_lasting(q->duration, q->step)};
  s->base =
      model_open_with(q->model, count_of(MAX_SCALARS, q->scalar), (const char **)q->scalar, (const char **)q->value);
  for (int i = 0; i < MAX_TERMS && q->term[i].output; i++) {
    s->term[s->nterm++] = (mbd_term){.psi = i,
                                     .output = model_output(&s->base, q->term[i].output),
                                     .form = q->term[i].form,
                                     .weight = 1,
                                     .target = 0.1,
                                     .smoothing = 0.1,
                                     .sharpness = q->term[i].sharpness};
  }
  s->c.start = q->start;
  if (coarse_alone()) { s->c.duration = fmin(q->duration, fmax(q->duration / 8, 20 * q->step)); }
  open_design(s);
  must(mbd_params_set(s->base.p, s->theta, &err), &err);
}

static void close_setup(setup *s) {
  model_close(&s->base);
  free(s->theta);
}

static int halvings(void) {
  return coarse_alone() ? 0 : test_long() ? MAX_HALVINGS : 2;
}

/* Derivative of objective i along direction k, gtheta [ncoef], in the size of what varies. */
static double along(const setup *s, int k, const double *gtheta) {
  if (!s->first) { return gtheta[k] * (s->theta[k] != 0 ? fabs(s->theta[k]) : 1); }
  double sum = 0;
  for (int a = s->first[k]; a < s->first[k + 1]; a++) { sum += gtheta[s->index[a]] * s->value[a]; }
  return sum * fabs(value_of(s->base.file, s->q->design[k]));
}

/* gtheta [nterm][ncoef] and psi of the case, newly made ready. */
static double *gradient(const setup *s, const mbd_case *c, const mbd_adjoint_options *o, double *psi,
                        mbd_stats *stats) {
  mbd_error err = {0};
  mbd_sim *sim;
  double *g = calloc((size_t)s->nterm * (size_t)mbd_model_ncoef(s->base.m), sizeof *g);
  must(mbd_sim_create(s->base.m, c, s->base.o, s->nterm, s->term, s->nterm, 0, &sim, &err), &err);
  must(mbd_sim_adjoint(sim, s->base.p, o, psi, g, NULL, NULL, &err), &err);
  if (stats) { *stats = *mbd_sim_stats(sim); }
  mbd_sim_destroy(sim);
  return g;
}

/* Largest difference of objective i, relative to its largest component. */
static double difference(const setup *s, int i, const double *g, const double *exact) {
  const size_t row = (size_t)i * (size_t)mbd_model_ncoef(s->base.m);
  double max = 0, largest = 0;
  for (int k = 0; k < s->n; k++) {
    const double a = along(s, k, g + row), b = along(s, k, exact + row);
    max = fmax(max, fabs(a - b)), largest = fmax(largest, fabs(b));
  }
  return max / largest;
}

static void compare(const setup *s, double step, double *apart) {
  const mbd_adjoint_options discrete = {0}, continuous = {.continuous = 1};
  mbd_case c = s->c;
  double psi[MAX_TERMS], same[MAX_TERMS];
  c.step = step;
  double *exact = gradient(s, &c, &discrete, psi, NULL), *g = gradient(s, &c, &continuous, same, NULL);
  for (int i = 0; i < s->nterm; i++) {
    CU_ASSERT_EQUAL(psi[i], same[i]);
    apart[i] = difference(s, i, g, exact);
  }
  free(exact), free(g);
}

static void row(const setup *s, int i, double apart[][MAX_TERMS]) {
  const objective *k = &s->q->term[i];
  printf("| %-16s | %-29s %-15s | %5g |", s->q->title, k->output, k->form, s->q->step);
  for (int h = 0; h <= halvings(); h++) { printf(" %.1e |", apart[h][i]); }
  printf(" %.2f |\n", log2(apart[halvings() - 1][i] / apart[halvings()][i]));
}

static void study_orders(const study *q) {
  setup s;
  double apart[MAX_HALVINGS + 1][MAX_TERMS];
  open_setup(&s, q);
  for (int h = 0; h <= halvings(); h++) { compare(&s, q->step / (1 << h), apart[h]); }
  for (int i = 0; !coarse_alone() && i < s.nterm; i++) {
    row(&s, i, apart);
    for (int h = 1; h <= halvings(); h++) { CU_ASSERT(apart[h][i] < apart[h - 1][i] / 2); } /* from the coarsest on */
    for (int h = test_long() ? halvings() - 1 : halvings(); h <= halvings(); h++) {
      CHECK_CLOSE(q->term[i].output, log2(apart[h - 1][i] / apart[h][i]), 2,
                  test_long() ? 0.03 : 0.15); /* 0.10 seen of coarse steps */
    }
  }
  close_setup(&s);
}

/* Every model, or every second one; the others: test_adaptive. */
static void test_orders(void) {
  printf("\n");
  for (int i = !test_long(); i < N_STUDIES; i += test_long() ? 1 : 2) { study_orders(studies[i]); }
}

/* Every scheme and projection matrix with derivatives, or every third pair of them: the adjoint does not know them. Order one is that of the run itself where the
 * projection matrix is not the mass matrix (projection.h). */
static void test_schemes(void) {
  setup s;
  open_setup(&s, &five_bar);
  for (int k = 0; mbd_integrator_at(k); k++) {
    if (!mbd_integrator_at(k)->scheme) { continue; }
    for (int j = 0; mbd_projection_at(j); j++) {
      if (!mbd_projection_at(j)->depends) { continue; } /* nothing to compare with */
      if (!test_long() && (k + j) % 3) { continue; }
      double coarse[MAX_TERMS], fine[MAX_TERMS];
      s.c.integrator = mbd_integrator_at(k)->name, s.c.projection_matrix = mbd_projection_at(j)->name;
      compare(&s, 1.25e-3, coarse);
      if (coarse_alone()) { continue; }
      compare(&s, 6.25e-4, fine);
      for (int i = 0; i < s.nterm; i++) {
        const int mass = strcmp(mbd_projection_at(j)->name, "mass") == 0;
        CHECK_CLOSE(five_bar.term[i].output, log2(coarse[i] / fine[i]), mass ? 2 : 1, 0.05);
      }
    }
  }
  close_setup(&s);
}

/* State-space formulations, also reactions: order four of explicit runs, two of implicit ones. What is at rounding anyway shows no
 * order. Adaptive runs do not sum over the nodes, as the continuous adjoint does, so that its rule comes in as well, of order six. */
static void orders_in(mbd_coordinates coordinates, const study *q, const char *formulation, const char *integrator,
                      int order, double step) {
  double coarse[MAX_TERMS], fine[MAX_TERMS];
  setup s;
  open_setup(&s, q);
  s.c.coordinates = coordinates, s.c.formulation = formulation, s.c.integrator = integrator;
  if (!test_long()) { s.c.duration /= 2; }
  const int sums_apart = strcmp(integrator, "dormand_prince") == 0;
  s.c.rtol = s.c.atol = 1e-13; /* adaptive steps resolve more than the nodes do */
  compare(&s, step, coarse);
  if (!coarse_alone()) { compare(&s, step / 2, fine); }
  for (int i = 0; !coarse_alone() && i < s.nterm; i++) {
    if (coarse[i] < (sums_apart ? 1e-9 : 1e-14)) {
      continue;
    } /* the steps of adaptive runs are much shorter than the nodes' */
    const double seen = log2(coarse[i] / fine[i]);
    CHECK_CLOSE(q->term[i].output, sums_apart ? fmin(seen, order) : seen, order, 0.15);
  }
  close_setup(&s);
}

static void state_space_orders(const study *q, const char *formulation, const char *integrator, int order,
                               double step) {
  orders_in(MBD_COORDINATES_JOINT, q, formulation, integrator, order, step);
}

static void test_state_space(void) {
  static const struct {
    const study *q;
    int open_loops;
    double explicit_step, implicit_step; /* 0: stiff */
  } runs[] = {{&pendulum, 1, 2.5e-3, 5e-3},    {&five_bar, 0, 2.5e-3, 5e-3},        {&tree, 1, 1e-3, 5e-4},
              {&cuts, 0, 1.25e-3, 2.5e-3},     {&constraints, 0, 6.25e-4, 1.25e-3}, {&wheels, 1, 0, 6.25e-4},
              {&lane_change, 0, 1.25e-3, 5e-3}};
  static const char *const formulations[] = {"matrix_r", "semi_recursive", "fully_recursive"};
  const int all = test_long();
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    for (int f = 0; f < 3; f++) {
      if (f == 1 && !runs[i].open_loops) { continue; }
      if (!all && runs[i].q == &lane_change) { continue; }
      if (!all && f != (runs[i].open_loops ? (int)(i / 2 + 1) % 3 : (int)i % 2 * 2)) {
        continue;
      }                                       /* of the formulations one */
      const int even = ((int)i + f) % 2 == 0; /* the two schemes in turn, or both */
      if (all || even) { state_space_orders(runs[i].q, formulations[f], "newmark", 2, runs[i].implicit_step); }
      if (all || !even) {
        state_space_orders(runs[i].q, formulations[f], "generalized_alpha", 2, runs[i].implicit_step);
      }
      if (runs[i].explicit_step == 0 || (!all && (runs[i].q == &tree || runs[i].q == &constraints) && f < 2)) {
        continue;
      }
      state_space_orders(runs[i].q, formulations[f], "runge_kutta_4", 4, runs[i].explicit_step);
    }
  }
  state_space_orders(&five_bar, "matrix_r", "dormand_prince", 4, 5e-3);
  state_space_orders(&velocities, "matrix_r", "newmark", 2, 2.5e-3);
  state_space_orders(&velocities, "matrix_r", "runge_kutta_4", 4, 2.5e-3);
  state_space_orders(&velocities, "fully_recursive", "newmark", 2, 2.5e-3);
  state_space_orders(&beams, "matrix_r", "newmark", 2, 2.5e-4);
  if (test_long()) { state_space_orders(&beams, "matrix_r", "runge_kutta_4", 4, 1.25e-4); }
  state_space_orders(&five_bar, "fully_recursive", "dormand_prince", 4, 5e-3);
  state_space_orders(&tree, "fully_recursive", "dormand_prince", 4, 2e-3);
}

/* The same motions in natural coordinates. */
static void natural_orders(const study *q, const char *integrator, double step) {
  double coarse[MAX_TERMS], fine[MAX_TERMS];
  setup s;
  open_setup(&s, q);
  s.c.coordinates = MBD_COORDINATES_NATURAL, s.c.integrator = integrator;
  compare(&s, step, coarse);
  if (!coarse_alone()) { compare(&s, step / 2, fine); }
  for (int i = 0; !coarse_alone() && i < s.nterm; i++) {
    CU_ASSERT(coarse[i] < 1e-2);
    CHECK_CLOSE(q->term[i].output, log2(coarse[i] / fine[i]), 2, 0.06);
  }
  close_setup(&s);
}

static void test_natural(void) {
  natural_orders(&pendulum, "newmark", 5e-3);
  natural_orders(&five_bar, "generalized_alpha", 5e-3);
  natural_orders(&cuts, "newmark", 2.5e-3);
  natural_orders(&velocities, "newmark", 2.5e-3);
  if (!test_long()) { return; }
  natural_orders(&five_bar, "newmark", 5e-3);
  natural_orders(&tree, "newmark", 5e-4);
  natural_orders(&constraints, "newmark", 2.5e-3);
  natural_orders(&wheels, "newmark", 6.25e-4);
}

static void test_natural_state_space(void) {
  orders_in(MBD_COORDINATES_NATURAL, &five_bar, "matrix_r", "newmark", 2, 5e-3);
  orders_in(MBD_COORDINATES_NATURAL, &velocities, "matrix_r", "newmark", 2, 2.5e-3);
  orders_in(MBD_COORDINATES_NATURAL, &five_bar, "matrix_r", "runge_kutta_4", 4, 2.5e-3);
  if (test_long()) { orders_in(MBD_COORDINATES_NATURAL, &cuts, "matrix_r", "runge_kutta_4", 4, 1.25e-3); }
}

/* Four links whose hinges resist with a stiff damper: the run takes some steps of its own from node to node, and so must the
 * adjoint. */
static void test_stiff(void) {
  static const char *const formulations[] = {"matrix_r", "semi_recursive", "fully_recursive"}, *const damping[] = {
                                                                                                   "30", "3000"};
  static const objective of[] = {{"tip.position.x", "terminal", 0}, {"tip.position.z", "integral_square", 0}};
  for (int i = 0; i < 6; i++) {
    if (!test_long() && i / 3 != i % 2) { continue; }
    static const char *const name[] = {"N", "damping"};
    const char *const value[] = {"4", damping[i / 3]};
    const study chain = {.title = "stiff chain",
                         .model = "tests/gradient/stiff_chain.ini",
                         .duration = 0.3,
                         .step = 1e-3,
                         .scalar = {name[0], name[1]},
                         .value = {value[0], value[1]},
                         .term = {of[0], of[1]}};
    double apart[MAX_TERMS];
    setup s;
    open_setup(&s, &chain);
    s.c.formulation = formulations[i % 3], s.c.integrator = "dormand_prince";
    compare(&s, s.c.step, apart);
    for (int k = 0; k < 2; k++) { CHECK_CLOSE(of[k].output, apart[k], 0, coarse_alone() ? 0.05 : 1e-5); }
    close_setup(&s);
  }
}

/* Every model, or every second one, with steps of the run's own choice, where the nodes are far apart. */
static void test_adaptive(void) {
  for (int i = 0; i < N_STUDIES; i += test_long() ? 1 : 2) {
    double apart[MAX_TERMS];
    setup s;
    open_setup(&s, studies[i]);
    s.c.formulation = "matrix_r", s.c.integrator = "dormand_prince";
    s.c.duration = fmin(s.c.duration, 20 * s.c.step);
    for (int k = 0; k < s.nterm; k++) { /* integral_abs looks between the nodes */
      if (strcmp(s.term[k].form, "integral_abs") == 0) { s.term[k].form = "integral_square"; }
    }
    compare(&s, s.c.step / 2, apart);
    for (int k = 0; k < s.nterm; k++) { CHECK_CLOSE(studies[i]->term[k].output, apart[k], 0, 0.05); }
    close_setup(&s);
  }
}

/* Coordinates are chosen anew on the way, which its order does not see. */
static void test_new_choices(void) {
  static const struct {
    const char *integrator;
    int order;
  } runs[] = {{"runge_kutta_4", 4}, {"newmark", 2}};
  const mbd_adjoint_options continuous = {.continuous = 1};
  for (int k = !test_long(); k < 2; k++) { /* explicit steps take longest */
    double coarse[MAX_TERMS], fine[MAX_TERMS], psi[MAX_TERMS];
    mbd_stats stats;
    setup s;
    open_setup(&s, &cuts);
    s.c.formulation = "matrix_r", s.c.integrator = runs[k].integrator, s.c.duration = test_long() ? 1.5 : 0.4,
    s.c.step = 1.25e-3;
    free(gradient(&s, &s.c, &continuous, psi, &stats));
    CU_ASSERT(stats.choices > 1);
    compare(&s, 1.25e-3, coarse);
    compare(&s, 6.25e-4, fine);
    for (int i = 0; i < s.nterm; i++) {
      CHECK_CLOSE(cuts.term[i].output, log2(coarse[i] / fine[i]), runs[k].order, 0.25);
    }
    close_setup(&s);
  }
}

/* The other reference point, and steps taken again: the same gradient. */
static void test_same_gradient(void) {
  static const study *const some[] = {&five_bar, &tree, &cuts};
  static const char *const run[][2] = {{"ali3p", "newmark"}, {"matrix_r", "newmark"}, {"matrix_r", "runge_kutta_4"}};
  for (size_t v = 0; v < 9; v++) {
    const size_t q = v / 3;
    setup s;
    double psi[MAX_TERMS];
    mbd_stats stats;
    open_setup(&s, some[q]);
    s.c.formulation = run[v % 3][0], s.c.integrator = run[v % 3][1];
    mbd_adjoint_options o = {.continuous = 1};
    double *g = gradient(&s, &s.c, &o, psi, &stats);
    o.memory_limit = stats.memory / 3;
    double *again = gradient(&s, &s.c, &o, psi, &stats);
    CU_ASSERT(stats.recomputed > 0);
    s.c.reference = MBD_RTDYN0;
    double *other = gradient(&s, &s.c, &o, psi, NULL);
    CU_ASSERT_EQUAL(memcmp(g, again, (size_t)s.nterm * (size_t)mbd_model_ncoef(s.base.m) * sizeof *g), 0);
    for (int i = 0; i < s.nterm; i++) { CHECK_CLOSE(some[q]->term[i].output, difference(&s, i, other, g), 0, 1e-10); }
    free(g), free(again), free(other);
    close_setup(&s);
  }
}

/* Both methods in turn on one object, and coefficients wanted one by one. */
static void test_in_turn(void) {
  setup s;
  mbd_error err = {0};
  mbd_sim *sim;
  double psi[MAX_TERMS];
  open_setup(&s, &five_bar);
  const int ncoef = mbd_model_ncoef(s.base.m);
  const mbd_adjoint_options discrete = {0}, continuous = {.continuous = 1};
  double *g = gradient(&s, &s.c, &continuous, psi, NULL);
  double *part = calloc((size_t)s.nterm * (size_t)ncoef, sizeof *part);
  unsigned char *requested = calloc((size_t)ncoef, 1);
  must(mbd_sim_create(s.base.m, &s.c, s.base.o, s.nterm, s.term, s.nterm, 0, &sim, &err), &err);
  for (int k = 0; k < s.n; k++) {
    must(mbd_sim_adjoint(sim, s.base.p, &discrete, psi, part, NULL, NULL, &err), &err);
    memset(requested, 0, (size_t)ncoef);
    for (int a = s.first[k]; a < s.first[k + 1]; a++) { requested[s.index[a]] = 1; }
    const mbd_adjoint_options one = {.continuous = 1, .requested = requested};
    must(mbd_sim_adjoint(sim, s.base.p, &one, psi, part, NULL, NULL, &err), &err);
    for (int i = 0; i < s.nterm; i++) {
      const double whole = along(&s, k, g + i * ncoef);
      CHECK_NEAR(five_bar.design[k], along(&s, k, part + i * ncoef), whole, fabs(whole), 1e-12);
    }
  }
  mbd_sim_destroy(sim);
  free(g), free(part), free(requested);
  close_setup(&s);
}

static void test_not_available(void) {
  setup s;
  mbd_error err = {0};
  mbd_sim *sim;
  double psi[MAX_TERMS];
  open_setup(&s, &pendulum);
  must(mbd_sim_create(s.base.m, &s.c, s.base.o, s.nterm, s.term, s.nterm, 0, &sim, &err), &err);
  mbd_formulation_ops without = *sim->ops;
  without.continuous_adjoint = NULL;
  sim->ops = &without;
  const mbd_adjoint_options continuous = {.continuous = 1};
  CU_ASSERT_EQUAL(mbd_sim_adjoint(sim, s.base.p, &continuous, psi, NULL, NULL, NULL, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "formulation 'ali3p' has no continuous adjoint");
  mbd_sim_destroy(sim);
  close_setup(&s);
}

TEST_MAIN(TEST(test_orders), TEST(test_schemes), TEST(test_state_space), TEST(test_natural),
          TEST(test_natural_state_space), TEST(test_stiff), TEST(test_adaptive), TEST(test_new_choices),
          TEST(test_same_gradient), TEST(test_in_turn), TEST(test_not_available))
