/* The natural model: values by hand, what bodies share, and what is refused. */
#include "model.h"
#include "natural/natural.h"

typedef struct bench {
  test_model base;
  natural *n;
  natural_params *v;
} bench;

static bench bench_of(test_model base) {
  bench b = {.base = base};
  mbd_error err = {0};
  must(natural_create(b.base.m, &b.n, &err), &err);
  must(natural_params_create(b.n, b.base.p, &b.v, &err), &err);
  return b;
}

static void close_bench(bench *b) {
  natural_params_destroy(b->v), natural_destroy(b->n);
  model_close(&b->base);
}

static int has_row(const natural *n, const char *name) {
  for (int i = 0; i < n->nphi; i++) {
    if (strcmp(n->phi_name[i], name) == 0) { return 1; }
  }
  return 0;
}

static void check_matrix(const char *name, const double *got, const double expected[16]) {
  for (int i = 0; i < 16; i++) { CHECK_CLOSE(name, got[i], expected[i], 1e-13); }
}

/* A uniform rod on two points, m = 3: m/3 and m/6, and nothing for vectors across it, for there is no inertia about its axis. */
static void test_rod(void) {
  static const double expected[16] = {1, 0.5, 0, 0, 0.5, 1, 0, 0};
  bench b = bench_of(
      model_open_text("schema = 1\n[model]\njoints = named\n"
                      "[body rod]\nmass = 3\ncom = 1, 0, 0\ninertia = 0, 1, 1\n"
                      "[body bob]\nmass = 1\ncom = 2, 0, 0\ninertia = 1, 1, 1\n"
                      "[point A]\nat = 0, 0, 0\nbodies = ground, rod\n[point B]\nat = 2, 0, 0\nbodies = rod, bob\n"
                      "[joint a]\ntype = spherical\nbodies = ground, rod\npoint = A\n"
                      "[joint b]\ntype = spherical\nbodies = rod, bob\npoint = B\n"));
  check_matrix("rod", b.v->mass[1], expected);
  CHECK_CLOSE("weight on A", b.v->moment[1][0], 1.5, 1e-14);
  CHECK_CLOSE("weight on B", b.v->moment[1][1], 1.5, 1e-14);
  close_bench(&b);
}

/* A free body, on its centre of mass and its axes: the mass, and 1 tr(J)/2 - J. */
static void test_inertia(void) {
  static const double expected[16] = {2, 0, 0, 0, 0, 5.5, -0.3, 0.2, 0, -0.3, 3.5, -0.1, 0, 0.2, -0.1, 1.5};
  bench b =
      bench_of(model_open_text("schema = 1\n[model]\n"
                               "[body brick]\nmass = 2\ncom = 1, 2, 3\ninertia = 5, 7, 9, 0.3, -0.2, 0.1\n"));
  check_matrix("free body", b.v->mass[1], expected);
  CU_ASSERT_EQUAL(b.n->nq, 12);
  CU_ASSERT_EQUAL(b.n->nphi, 6);
  close_bench(&b);
}

/* A sphere of mass 2 at (-1, 0, 0) from P and a mass of 1 at (3, 0, 0), welded: o = P, Q - P = (0, 0, 2), x, y. Together m = 3,
 * h = (1, 0, 0), S = 1/2 + diag(2 + 9, 0, 0). */
static void test_weld(void) {
  bench b = bench_of(
      model_open_text("schema = 1\n[model]\njoints = named\n"
                      "[body a]\nmass = 2\ncom = -1, 0, 0\ninertia = 1, 1, 1\n"
                      "[body b]\nmass = 1\ncom = 3, 0, 0\ninertia = 0, 0, 0\n[body c]\nmass = 1\ncom = 0, 0, 2\n"
                      "inertia = 1, 1, 1\n"
                      "[point P]\nat = 0, 0, 0\nbodies = ground, a\n[point Q]\nat = 0, 0, 2\nbodies = b, c\n"
                      "[joint p]\ntype = spherical\nbodies = ground, a\npoint = P\n"
                      "[joint q]\ntype = spherical\nbodies = b, c\npoint = Q\n"
                      "[joint seam]\ntype = weld\nbodies = a, b\n"));
  CU_ASSERT_EQUAL(b.n->nrigid, 3);
  const double *M = b.v->mass[1];
  CHECK_CLOSE("Q, Q", M[5], 0.5 / 4, 1e-14);
  CHECK_CLOSE("P, Q", M[1], -0.5 / 4, 1e-14);
  CHECK_CLOSE("P, P", M[0], 3 + 0.5 / 4, 1e-14);
  CHECK_CLOSE("P, x", M[2], 1, 1e-14);
  CHECK_CLOSE("x, x", M[10], 0.5 + 2 + 9, 1e-14);
  CHECK_CLOSE("y, y", M[15], 0.5, 1e-14);
  close_bench(&b);
}

/* The published sizes without angles that no element needs: README.md of the problems. */
static void test_sizes(void) {
  static const struct {
    const char *model;
    int nq, nphi;
  } expected[] = {{"problems/five_bar/five_bar.ini", 21, 20},
                  {"problems/five_bar/five_bar_found.ini", 21, 20},
                  {"problems/five_bar/five_bar_driven.ini", 22, 21},
                  {"problems/bicycle/bicycle.ini", 34, 25},
                  {"problems/buggy/buggy.ini", 158, 148}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    bench b = bench_of(model_open(expected[i].model));
    CU_ASSERT_EQUAL(b.n->nq, expected[i].nq);
    CU_ASSERT_EQUAL(b.n->nphi, expected[i].nphi);
    close_bench(&b);
  }
}

#define TWO_BODIES                                                                        \
  "schema = 1\n[model]\njoints = named\n"                                                 \
  "[body a]\nmass = 1\ncom = 1, 0, 0\ninertia = 1, 1, 1\n"                                \
  "[body b]\nmass = 1\ncom = 3, 0, 0\ninertia = 1, 1, 1\n"                                \
  "[point O]\nat = 0, 0, 0\nbodies = ground, a\n[point P]\nat = 2, 0, 0\nbodies = a, b\n" \
  "[vector u]\nalong = 0, 0, 3\nbodies = ground, a, b\n"

/* A revolute joint needs no equation, whatever the length of its vector; its angle is a variable where a force names it. */
static void test_shared(void) {
  bench b =
      bench_of(model_open_text(TWO_BODIES "[joint o]\ntype = revolute\nbodies = ground, a\npoint = O\naxis = u\n"
                                          "[joint p]\ntype = revolute\nbodies = a, b\npoint = P\naxis = u\n"
                                          "[curve one]\ntype = polynomial\ncoefficients = 1\n"
                                          "[force m]\ntype = coordinate_force\ncoordinate = p.angle\nforce = one\n"));
  CU_ASSERT_EQUAL(b.n->nadded, 1);
  CU_ASSERT_EQUAL(b.n->nq, 3 + 3 + 6 + 1); /* P; a vector of a, two of b; the angle */
  CU_ASSERT_EQUAL(b.n->nphi, 5 + 5 + 1);
  CU_ASSERT(has_row(b.n, "a: |P - O|") && has_row(b.n, "p.angle") && has_row(b.n, "b: u . b.x"));
  close_bench(&b);
}

/* Around a loop, two points of the ground cannot be one: the joint that would make them one keeps its equations. */
static void test_loop(void) {
  bench b =
      bench_of(model_open_text("schema = 1\n[model]\njoints = named\n"
                               "[body a]\nmass = 1\ncom = 1, 0, 0\ninertia = 1, 1, 1\n"
                               "[point O]\nat = 0, 0, 0\nbodies = ground, a\n[point P]\nat = 0, 0, 0\nbodies = ground\n"
                               "[joint o]\ntype = spherical\nbodies = ground, a\npoint = O\n"
                               "[joint p]\ntype = spherical\nbodies = ground, a\npoints = P, O\n"));
  CU_ASSERT(has_row(b.n, "p.coincident.x") && has_row(b.n, "p.coincident.z"));
  CU_ASSERT(!has_row(b.n, "o.coincident.x"));
  close_bench(&b);
}

static void test_refused(void) {
  mbd_error err = {0};
  natural *n;
  test_model q = model_open_text(TWO_BODIES
                                 "[joint o]\ntype = spherical\nbodies = ground, a\npoint = O\n"
                                 "[joint p]\ntype = revolute\nbodies = a, b\npoint = P\naxis = u\n"
                                 "[curve one]\ntype = polynomial\ncoefficients = 1\n"
                                 "[force m]\ntype = coordinate_force\ncoordinate = o.e1\nforce = one\n");
  CU_ASSERT_EQUAL(natural_create(q.m, &n, &err), MBD_UNSUPPORTED);
  CU_ASSERT_PTR_NULL(n);
  CHECK_CONTAINS(err.text,
                 "'m' names coordinate 'o.e1', an Euler parameter, for which natural coordinates have no equation");
  model_close(&q);
}

/* A basis is chosen at the nominal coefficients; a design may flatten it. */
static void test_flat(void) {
  mbd_error err = {0};
  bench b =
      bench_of(model_open_text("schema = 1\n[model]\njoints = named\n"
                               "[body a]\nmass = 1\ncom = 1, 0, 0\ninertia = 1, 1, 1\n"
                               "[body b]\nmass = 1\ncom = 1, 0, 0\ninertia = 1, 1, 1\n"
                               "[point O]\nat = 0, 0, 0\nbodies = ground, a\n[point P]\nat = 2, 0, 0\nbodies = a, b\n"
                               "[joint o]\ntype = spherical\nbodies = ground, a\npoint = O\n"
                               "[joint p]\ntype = spherical\nbodies = a, b\npoint = P\n"));
  const int n = mbd_model_ncoef(b.base.m);
  double *theta = calloc((size_t)n, sizeof *theta);
  for (int k = 0; k < n; k++) {
    const char *name = mbd_model_coef_name(b.base.m, k);
    theta[k] = strstr(name, "point P") || strstr(name, "P.") || strstr(name, "P@") ? 0 : mbd_model_nominal(b.base.m, k);
  }
  must(mbd_params_set(b.base.p, theta, &err), &err);
  CU_ASSERT_EQUAL(natural_params_set(b.v, b.base.p, &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "body 'a': the points and vectors by which natural coordinates describe it");
  free(theta);
  close_bench(&b);
}

TEST_MAIN(TEST(test_rod), TEST(test_inertia), TEST(test_weld), TEST(test_sizes), TEST(test_shared), TEST(test_loop),
          TEST(test_refused), TEST(test_flat))
