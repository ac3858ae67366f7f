/* The models of the conformance tests in lanes: all types of joints, constraints, forces, curves, states and outputs. Of short motions the ends of some outputs
 * and their derivatives along a direction of all masses and forces are compared with those of each design by itself. */
#include <fnmatch.h>

#include "conformance/mechanism.h"
#include "mbd/lanes.h"

enum { STEPS = 5, PSI_MAX = 64 };

/* A model with its motion, in lanes and by itself. */
typedef struct motions {
  test_model q;
  mbd_lanes *lanes;
  mbd_sim *alone;
  mbd_params *p;
  mbd_dparams *d;
  int W, nc, npsi;
  double *theta, *value;    /* [W][nc] */
  int *index, first[2];     /* [nc] */
  unsigned char *requested; /* [nc] */
} motions;

static int moves(const char *coefficient) {
  const char *last = strrchr(coefficient, '.'); /* the side of a tyre is 1 or -1 */
  return strcmp(last, ".side") != 0 &&
         (strncmp(coefficient, "body.", 5) == 0 || strncmp(coefficient, "force.", 6) == 0 ||
          strncmp(coefficient, "beam.", 5) == 0);
}

static int drives(const char *coefficient) {
  return strncmp(coefficient, "gravity.", 8) == 0 || strncmp(coefficient, "start.rate.", 11) == 0;
}

/* Designs that are the same; and that differ by 1e-4 in masses and forces, the first one nearly at rest without any force that can be zero, along no direction: what
 * is left out for it is not to be left out for the others, and what is enough for it is not enough for them. */
enum { SAME, ZEROS, KINDS };

static int can_be_zero(motions *all, double *theta, int k) {
  static const char *const divide[] = {"force.gust.a", "force.speed.drive1.n", "force.speed.drive2.n"};
  const char *name = mbd_model_coef_name(all->q.m, k);
  const double was = theta[k];
  if (strncmp(name, "force.", 6) != 0 || strstr(name, ".relaxation_")) { return 0; }
  for (size_t i = 0; i < sizeof divide / sizeof divide[0]; i++) {
    if (strcmp(name, divide[i]) == 0) { return 0; }
  }
  theta[k] = 0;
  const int can = mbd_params_set(all->p, theta, NULL) == MBD_OK;
  theta[k] = was;
  return can;
}

static void set_designs(motions *all, int kind) {
  for (int lane = 0; lane < all->W; lane++) {
    double *theta = all->theta + lane * all->nc, *value = all->value + lane * all->first[1];
    for (int k = 0, n = 0; k < all->nc; k++) {
      const double nominal = mbd_model_nominal(all->q.m, k);
      theta[k] = nominal;
      if (!all->requested[k]) { continue; }
      if (kind != SAME) { theta[k] *= 1 + 1e-4 * sin(lane + k); }
      value[n++] = kind == ZEROS && lane == 0 ? 0 : nominal;
    }
  }
  for (int k = 0; kind == ZEROS && k < all->nc; k++) {
    if (all->requested[k] && can_be_zero(all, all->theta, k)) { all->theta[k] = 0; }
    if (drives(mbd_model_coef_name(all->q.m, k))) {
      all->theta[k] *= 1e-3;
    } /* not zero, where norms have no derivative */
  }
}

/* The status of the simulation alone; one that there is goes in lanes, too. */
static mbd_status open_motions(int i, int W, mbd_coordinates coordinates, motions *all, mbd_error *err) {
  const char *name[PSI_MAX];
  mbd_term term[PSI_MAX];
  mbd_case c;
  int n = 0;
  *all = (motions){.q = model_open(cases[i].model), .W = W};
  mbd_case_init(&c);
  /* Designs that differ agree within Newton's tolerance (2.8e-10 with that of 1e-10), and rounding of positions has eps/(beta h^2) in
   * accelerations, which are some of the outputs: 1e-11 with these steps, 4e-9 with those of 1 ms. */
  c.duration = STEPS * 2e-2, c.step = 2e-2, c.tolerance = 1e-12, c.linear_solver = MBD_LINEAR_DENSE;
  c.coordinates = coordinates;
  for (const char *const *o = cases[i].output; *o; o++) {
    int first, count;
    must(mbd_outputs_add(all->q.o, *o, &first, &count, err), err);
    for (int k = first; k < first + count && n < PSI_MAX; k++) {
      name[n] = mbd_outputs_name(all->q.o, k);
      term[n] = (mbd_term){.psi = n, .output = n, .form = "terminal", .weight = 1};
      n++;
    }
  }
  all->nc = mbd_model_ncoef(all->q.m), all->npsi = n;
  all->index = calloc((size_t)all->nc + 1, sizeof *all->index);
  all->theta = calloc((size_t)(W * all->nc) + 1, sizeof *all->theta);
  all->value = calloc((size_t)(W * all->nc) + 1, sizeof *all->value);
  all->requested = calloc((size_t)all->nc + 1, 1);
  for (int k = 0; k < all->nc; k++) {
    all->requested[k] = (unsigned char)moves(mbd_model_coef_name(all->q.m, k));
    if (all->requested[k]) { all->index[all->first[1]++] = k; }
  }
  must(mbd_params_create(all->q.m, NULL, &all->p, err), err);
  must(mbd_dparams_create(all->q.m, &all->d, err), err);
  MBD_TRY(mbd_sim_create(all->q.m, &c, all->q.o, n, term, n, 1, &all->alone, err));
  must(mbd_lanes_create(W, mbo_model_file_spec(all->q.file), &c, n, name, n, term, n, 1, &all->lanes, err), err);
  return MBD_OK;
}

static void close_motions(motions *all) {
  mbd_lanes_destroy(all->lanes), mbd_sim_destroy(all->alone);
  mbd_dparams_destroy(all->d), mbd_params_destroy(all->p);
  free(all->theta), free(all->value), free(all->index), free(all->requested);
  model_close(&all->q);
}

static mbd_status run_alone(motions *all, int lane, double *psi, double *grad, mbd_error *err) {
  MBD_TRY(mbd_params_set(all->p, all->theta + lane * all->nc, err));
  mbd_dparams_set(all->d, all->p, all->first[1], all->index, all->value + lane * all->first[1]);
  return mbd_sim_run(all->alone, all->p, 1, &all->d, psi, grad, NULL, NULL, NULL, err);
}

/* The largest difference of a lane's numbers and those alone, relative to each, or to 1 where it is small. */
static double difference(int n, const double *x, const double *alone) {
  double worst = 0;
  for (int k = 0; k < n; k++) { worst = fmax(worst, fabs(x[k] - alone[k]) / fmax(1, fabs(alone[k]))); }
  return worst;
}

/* Derivatives of all objectives by each of the coefficients that designs differ in; the largest difference relative to the largest of an objective, or to 1. */
static double adjoint_difference(motions *all, int first, int lanes, mbd_error *err) {
  const int n = all->npsi, nc = all->nc;
  const mbd_adjoint_options a = {.requested = all->requested};
  double psi[MBD_LANES_WIDTH_MAX * PSI_MAX], *g = calloc((size_t)(all->W * n * nc), sizeof *g),
                                             *g_1 = calloc((size_t)(n * nc), sizeof *g_1), worst = 0;
  must(mbd_lanes_adjoint(all->lanes, all->theta, &a, psi, g, NULL, NULL, err), err);
  for (int lane = first; lane < lanes; lane += test_long() ? 1 : 2) {
    must(mbd_params_set(all->p, all->theta + lane * nc, err), err);
    must(mbd_sim_adjoint(all->alone, all->p, &a, psi, g_1, NULL, NULL, err), err);
    for (int i = 0; i < n; i++) {
      const double *own = g + (lane * n + i) * nc, *alone = g_1 + i * nc;
      double size = 1, apart = 0;
      for (int k = 0; k < nc; k++) {
        if (!all->requested[k]) { continue; }
        size = fmax(size, fabs(alone[k])), apart = fmax(apart, fabs(own[k] - alone[k]));
      }
      worst = fmax(worst, apart / size);
    }
  }
  free(g), free(g_1);
  return worst;
}

static double largest[KINDS];

static void check_model(int i, int W, mbd_coordinates coordinates) {
  static double psi[MBD_LANES_WIDTH_MAX * PSI_MAX], grad[MBD_LANES_WIDTH_MAX * PSI_MAX], psi_1[PSI_MAX],
      grad_1[PSI_MAX];
  motions all;
  mbd_error err = {0};
  const mbd_status opened = open_motions(i, W, coordinates, &all, &err);
  const int n = all.npsi;
  CU_ASSERT(opened == MBD_OK || (opened == MBD_UNSUPPORTED && coordinates == MBD_COORDINATES_NATURAL));
  for (int kind = 0; opened == MBD_OK && kind < KINDS; kind++) {
    const int first = kind && !test_long() ? i % 2 : 0; /* unless all is asked for, every second lane */
    set_designs(&all, kind);
    const mbd_lanes_directions d = {1, all.first, all.index, all.value};
    must(mbd_lanes_run(all.lanes, all.theta, &d, psi, grad, NULL, NULL, NULL, &err), &err);
    for (int lane = first; lane < (kind ? W : 1); lane += test_long() ? 1 : 2) {
      must(run_alone(&all, lane, psi_1, grad_1, &err), &err);
      const double worst = fmax(difference(n, psi + lane * n, psi_1), difference(n, grad + lane * n, grad_1));
      CHECK_CLOSE(cases[i].model, worst, 0, kind ? 1e-10 : 0);
      largest[kind] = fmax(largest[kind], worst);
    }
    const double worst = adjoint_difference(&all, first, kind ? W : 1, &err);
    CHECK_CLOSE(cases[i].model, worst, 0, kind ? 1e-10 : 0);
    largest[kind] = fmax(largest[kind], worst);
  }
  close_motions(&all);
}

static void test_models_of_conformance(void) {
  /* More than 63 natural coordinates, whose matrices LAPACK factors alone. */
  static const char *const large[] = {"*/tree.ini", "*/axles.ini", "*/buggy.ini", "*/rolling.ini"};
  const int W = mbd_lanes_width(0);
  if (!W) {
    test_skip("no library of lanes, which clang builds, or no processor for it");
    return;
  }
  for (int i = 0; i < N_CASES; i++) {
    int is_large = 0;
    for (size_t k = 0; k < sizeof large / sizeof large[0]; k++) { is_large |= !fnmatch(large[k], cases[i].model, 0); }
    check_model(i, W, MBD_COORDINATES_JOINT);
    if (!is_large) { check_model(i, W, MBD_COORDINATES_NATURAL); }
  }
  printf("(%.2g, %.2g) ", largest[SAME], largest[ZEROS]);
}

/* A body on springs by curves of all kinds, 5 m from where they begin. */
static void write_springs(size_t size, char *text) {
  static const char body[] =
      "schema = 1\n[model]\ntitle = springs\njoints = found\n[body a]\nmass = 1\ncom = 5, 0, 0\ninertia = 1, 1, 1\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground\n[point A]\nat = 5, 0, 0\nbodies = a\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, a\n[vector y]\nalong = 0, 1, 0\nbodies = ground, a\n"
      "[start]\nhold.ground-a.distance = 0.1\n";
  static const struct {
    const char *kind, *keys;
  } curves[] = {
      {"polynomial", "coefficients = 1, 0.3, -0.2"},
      {"harmonic", "coefficients = 1, 0.5, 4, 0.3"},
      {"spline", "knots = 4, 4.6, 5.4, 6\ncoefficients = 1, 3, -2, 5"},
      {"bspline", "knots = 4, 4.6, 5.4, 6\ncoefficients = 1, 3, -2, 5"},
      {"table", "knots = 4, 4.6, 5.4, 6\ncoefficients = 1, 3, -2, 5"},
      {"step", "coefficients = 1, 3, 4.5, 1"},
      {"ramp", "coefficients = 1, 3, 4.5, 0.2, 5.5"},
      {"piecewise_linear", "coefficients = 0.1, 0.2, 4.6, 0.4, 5.4, 0.2"},
      {"expression", "value = max(x, 5)*min(x, 4.8)*abs(x - 5.2) + max(x - 5, 0)^x"},
      {"periodic_spline", "knots = 4, 4.6, 5.4, 6, 6.2\ncoefficients = 1, 3, -2, 5, 2"},
      {"periodic_bspline", "knots = 4, 4.6, 5.4, 6, 6.2\ncoefficients = 1, 3, -2, 5, 2"},
  };
  enum { N_CURVES = sizeof curves / sizeof curves[0] };
  size_t n = (size_t)snprintf(text, size, "%s", body);
  for (int k = 0; mbd_curve_name(k); k++) {
    int i = 0;
    while (i < N_CURVES && strcmp(curves[i].kind, mbd_curve_name(k)) != 0) { i++; }
    CU_ASSERT_FATAL(i < N_CURVES); /* a new kind has its row */
    n += (size_t)snprintf(text + n, size - n, "[curve c%d]\ntype = %s\n%s\n", i, curves[i].kind, curves[i].keys);
    n += (size_t)snprintf(text + n, size - n, "[force s%d]\ntype = spring\npoints = O, A\nforce_of_length = c%d\n", i,
                          i);
    CU_ASSERT_FATAL(n < size);
  }
}

/* Designs that differ in the coefficients whose names match: each has the results that it has alone, whichever is in the first lane. */
static void check_each_lane(const char *text, const char *of, const char *coefficient, const double *value) {
  const mbd_term term = {.form = "terminal", .weight = 1};
  const int W = mbd_lanes_width(0);
  mbd_error err = {0};
  mbd_case c;
  int first, count, varied = 0;
  motions all = {.q = model_open_text(text), .W = W};
  mbd_case_init(&c);
  c.duration = 0.05, c.step = 1e-2, c.tolerance = 1e-12, c.linear_solver = MBD_LINEAR_DENSE;
  must(mbd_outputs_add(all.q.o, of, &first, &count, &err), &err);
  must(mbd_params_create(all.q.m, NULL, &all.p, &err), &err);
  must(mbd_dparams_create(all.q.m, &all.d, &err), &err);
  must(mbd_sim_create(all.q.m, &c, all.q.o, 1, &term, 1, 1, &all.alone, &err), &err);
  must(mbd_lanes_create(W, mbo_model_file_spec(all.q.file), &c, 1, &of, 1, &term, 1, 1, &all.lanes, &err), &err);
  const int nc = all.nc = all.first[1] = mbd_model_ncoef(all.q.m);
  double psi[MBD_LANES_WIDTH_MAX], along[MBD_LANES_WIDTH_MAX], psi_1, along_1, *g = calloc((size_t)(W * nc), sizeof *g),
                                                                               *g_1 = calloc((size_t)nc, sizeof *g_1);
  all.theta = calloc((size_t)(W * nc), sizeof *all.theta), all.value = calloc((size_t)(W * nc), sizeof *all.value);
  all.index = calloc((size_t)nc, sizeof *all.index);
  for (int i = 0; i < W * nc; i++) {
    const char *name = mbd_model_coef_name(all.q.m, i % nc);
    const int is_place = strncmp(name, "point.", 6) == 0 || strncmp(name, "vector.", 7) == 0;
    all.index[i % nc] = i % nc;
    all.value[i] = is_place && all.q.m->nphi > 0 ? 0 : sin(1 + i % nc); /* lengths of loops contradict each other */
  }
  for (int turn = 0; turn < W; turn++) {
    for (int i = 0; i < W * nc; i++) {
      const int matches = fnmatch(coefficient, mbd_model_coef_name(all.q.m, i % nc), 0) == 0;
      all.theta[i] = matches ? value[(i / nc + turn) % W] : mbd_model_nominal(all.q.m, i % nc);
      varied += matches;
    }
    const mbd_lanes_directions d = {1, all.first, all.index, all.value};
    must(mbd_lanes_run(all.lanes, all.theta, &d, psi, along, NULL, NULL, NULL, &err), &err);
    must(mbd_lanes_adjoint(all.lanes, all.theta, &(mbd_adjoint_options){0}, psi, g, NULL, NULL, &err), &err);
    for (int lane = 0; lane < W; lane++) {
      must(run_alone(&all, lane, &psi_1, &along_1, &err), &err);
      CHECK_CLOSE(of, difference(1, along + lane, &along_1), 0, 1e-10);
      must(mbd_sim_adjoint(all.alone, all.p, &(mbd_adjoint_options){0}, &psi_1, g_1, NULL, NULL, &err), &err);
      CHECK_CLOSE(of, difference(1, psi + lane, &psi_1), 0, 1e-12);
      double size = 1, worst = 0;
      for (int k = 0; k < nc; k++) {
        size = fmax(size, fabs(g_1[k])), worst = fmax(worst, fabs(g[lane * nc + k] - g_1[k]));
      }
      CHECK_CLOSE(of, worst / size, 0, 1e-10); /* 6e-11 by lengths that redundant constraints contradict */
    }
  }
  CU_ASSERT(varied > 0);
  free(g), free(g_1);
  close_motions(&all);
}

/* Lengths before, between and behind the knots; in or behind the last interval, or before the first one, where nothing else differs; and at both ends. */
static void test_curves_of_each_lane(void) {
  static const double start[][MBD_LANES_WIDTH_MAX] = {{-0.3, -1.4, 0.5, 1.3, 0.1, -0.7, 1.1, -1.1},
                                                      {0.5, 1.3, 0.7, 1.5, 0.6, 0.8, 1.4, 1.6},
                                                      {-0.9, -1.4, -0.7, -1.5, -0.6, -0.8, -1.3, -1.6},
                                                      {-1.4, 1.3, -1.2, 1.5, 1.4, -1.5, 1.6, -1.3}};
  char text[4000];
  write_springs(sizeof text, text);
  for (int i = 0; i < 4 && mbd_lanes_width(0); i++) {
    check_each_lane(text, "A.position.x", "start.hold.ground-a.distance", start[i]);
  }
}

/* Three cranks on one coupler, all parallel. */
static const char cranks[] =
    "schema = 1\n[model]\ntitle = three cranks\njoints = found\n[body a]\nmass = 1\ncom = 0, 0, 0.5\ninertia = 1, 1, "
    "1\n"
    "[body b]\nmass = 1\ncom = 1, 0, 0.5\ninertia = 1, 1, 1\n[body c]\nmass = 1\ncom = 2, 0, 0.5\ninertia = 1, 1, 1\n"
    "[body bar]\nmass = 1\ncom = 1, 0, 1\ninertia = 1, 1, 1\n[point A0]\nat = 0, 0, 0\nbodies = ground, a\n"
    "[point B0]\nat = 1, 0, 0\nbodies = ground, b\n[point C0]\nat = 2, 0, 0\nbodies = ground, c\n"
    "[point A1]\nat = 0, 0, 1\nbodies = a, bar\n[point B1]\nat = 1, 0, 1\nbodies = b, bar\n"
    "[point C1]\nat = 2, 0, 1\nbodies = c, bar\n[vector y]\nalong = 0, 1, 0\nbodies = ground, a, b, c, bar\n"
    "[start]\nhold.a.angle.y = 0.3\n";

/* Of cranks that stand upright, and of those in a plane of the global frame, many numbers are zero that are not in other positions. */
static void test_zeros_of_each_lane(void) {
  static const double angle[MBD_LANES_WIDTH_MAX] = {0, 0.3, -0.2, 0.7, 0, 0.1, -0.6, 0.5};
  if (!mbd_lanes_width(0)) { return; }
  check_each_lane(cranks, "B1@b.position.x", "start.hold.a.angle.y", angle);
  check_each_lane(cranks, "B1@b.position.x", "vector.y*.x", angle);
  check_each_lane(cranks, "instant_centre(b, ground, B1@b, ground.y).x", "start.hold.a.angle.y", angle);
  check_each_lane(cranks, "instant_centre(b, ground, B1@b, ground.y).x", "vector.y*.x", angle);
}

/* Two bodies that slide. */
static const char sliders[] =
    "schema = 1\n[model]\njoints = named\n[body a]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[body b]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point A]\nat = 0, 0, 0\nbodies = ground, a\n"
    "[point B]\nat = 0, 0, 0\nbodies = ground, b\n[vector x]\nalong = 1, 0, 0\nbodies = ground, a\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, b\n[joint ja]\ntype = prismatic\nbodies = ground, a\npoint = "
    "A\naxis = x\n"
    "[joint jb]\ntype = prismatic\nbodies = ground, b\npoint = B\naxis = y\n"
    "[start]\nhold.ja.distance = 0.4\nrate.ja.distance = 1\nhold.jb.distance = 0\n"
    "[curve c]\ntype = polynomial\ncoefficients = 1, 0.3, -0.2\n"
    "[quantity product]\nvalue = A@a.position.x*B@b.position.y\n"
    "[quantity gain]\ncurve = c\nvalue = A@a.position.x\n[quantity curved]\nvalue = gain*B@b.position.y\n[quantity "
    "quotient]\nvalue = 1/B@b.position.y\n"
    "[quantity root]\nvalue = sqrt(B@b.position.y)\n";

/* Factors of a product, and a curve's slope, of which one is zero: the derivative by the other one. */
static void test_products_of_each_lane(void) {
  static const double place[MBD_LANES_WIDTH_MAX] = {0, 0.3, -0.2, 0.7, 0, 0.1, -0.6, 0.5};
  if (!mbd_lanes_width(0)) { return; }
  check_each_lane(sliders, "product", "start.hold.jb.distance", place);
  check_each_lane(sliders, "curved", "start.hold.jb.distance", place);
}

/* A value, and a derivative, that is not finite in one lane is that of none. */
static void test_not_finite_in_one_lane(void) {
  static const char *const of[] = {"quotient", "root"};
  const mbd_term end = {.form = "terminal", .weight = 1};
  const int W = mbd_lanes_width(0), start[2] = {0, 1};
  int place = 0;
  if (!W) { return; }
  test_model q = model_open_text(sliders);
  const int nc = mbd_model_ncoef(q.m);
  while (strcmp(mbd_model_coef_name(q.m, place), "start.hold.jb.distance") != 0) { place++; }
  double psi[MBD_LANES_WIDTH_MAX], grad[MBD_LANES_WIDTH_MAX], along[MBD_LANES_WIDTH_MAX],
      *theta = calloc((size_t)(W * nc), sizeof *theta), *g = calloc((size_t)(W * nc), sizeof *g);
  for (int k = 0; k < 2; k++) {
    mbd_case c;
    mbd_lanes *l;
    mbd_error err = {0};
    mbd_case_init(&c);
    c.duration = c.step = 1e-2;
    must(mbd_lanes_create(W, mbo_model_file_spec(q.file), &c, 1, &of[k], 1, &end, 1, 1, &l, &err), &err);
    for (int lane = -1; lane < W; lane++) { /* -1: all are */
      for (int i = 0; i < W * nc; i++) { theta[i] = mbd_model_nominal(q.m, i % nc); }
      for (int i = 0; i < W; i++) { theta[i * nc + place] = i == lane ? 0 : 0.3, along[i] = 1; }
      const mbd_lanes_directions d = {1, start, &place, along};
      const mbd_status expected = lane < 0 ? MBD_OK : MBD_NOT_FINITE;
      CU_ASSERT_EQUAL(mbd_lanes_run(l, theta, &d, psi, grad, NULL, NULL, NULL, &err), expected);
      CU_ASSERT_EQUAL(mbd_lanes_adjoint(l, theta, &(mbd_adjoint_options){0}, psi, g, NULL, NULL, &err), expected);
    }
    mbd_lanes_destroy(l);
  }
  free(theta), free(g);
  model_close(&q);
}

/* One of the cranks is redundant, and its length alone cannot change. Each lane has the warning, once. */
static void test_contradiction_of_each_lane(void) {
  static const char *const name = "third", *const of = "B1@b.position.x";
  const int W = mbd_lanes_width(0), start[2] = {0, 1};
  const double one = 1;
  if (!W) { return; }
  test_model q = model_open_text(cranks);
  const int nc = mbd_model_ncoef(q.m);
  const mbd_term end = {.form = "terminal", .weight = 1};
  mbd_case c;
  mbd_lanes *l;
  mbd_error err = {0};
  double psi[MBD_LANES_WIDTH_MAX], *theta = calloc((size_t)(W * nc), sizeof *theta),
                                   *g = calloc((size_t)(W * nc), sizeof *g);
  int third = 0;
  while (strcmp(mbd_model_coef_name(q.m, third), "point.C1@c.z") != 0) { third++; }
  for (int i = 0; i < W * nc; i++) { theta[i] = mbd_model_nominal(q.m, i % nc); }
  mbd_case_init(&c);
  c.duration = c.step = 1e-2;
  must(mbd_lanes_create(W, mbo_model_file_spec(q.file), &c, 1, &of, 1, &end, 1, 1, &l, &err), &err);
  must(mbd_lanes_adjoint(l, theta, &(mbd_adjoint_options){0}, psi, g, NULL, NULL, &err), &err);
  for (int lane = 0; lane < W; lane++) {
    CU_ASSERT_PTR_NULL(mbd_lanes_warning(l, lane, 0));
    mbd_lanes_check_directions(l, lane, 1, &name, start, &third, &one);
    const mbd_warning *w = mbd_lanes_warning(l, lane, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    CHECK_CONTAINS(w->text, "as 'third' varies, redundant constraints of the start contradict each other");
    CU_ASSERT_PTR_NULL(mbd_lanes_warning(l, lane, 1));
  }
  CU_ASSERT_EQUAL(mbd_lanes_warned_together(l), 0);
  /* Directly: of all lanes together, whichever has it. */
  double grad[MBD_LANES_WIDTH_MAX], along[MBD_LANES_WIDTH_MAX] = {0};
  for (int lane = 0; lane <= W; lane++) {
    for (int i = 0; i < W; i++) { along[i] = i == lane; }
    must(mbd_lanes_run(l, theta, &(mbd_lanes_directions){1, start, &third, along}, psi, grad, NULL, NULL, NULL, &err),
         &err);
    CU_ASSERT_EQUAL(mbd_lanes_warned_together(l), lane < W);
  }
  mbd_lanes_destroy(l), free(theta), free(g);
  model_close(&q);
}

TEST_MAIN(TEST(test_models_of_conformance), TEST(test_curves_of_each_lane), TEST(test_zeros_of_each_lane),
          TEST(test_products_of_each_lane), TEST(test_not_finite_in_one_lane), TEST(test_contradiction_of_each_lane))
