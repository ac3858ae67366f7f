/* The start from static equilibrium where a coordinate keeps its guess, and the derivatives by that guess, by hand. */
#include "mbd/referee.h"
#include "values.h"

/* Two carriages on parallel rails with a bar between their coordinates a and b. The first settles; nothing holds the second,
 * which keeps its guess b = p^2/2:
 *   k (a - b - d) + c (a - e) = 0,   a = (k (b + d) + c e)/(k + c)
 * with k = 300, d = 0.1 of the bar and c = 200, e = 0.25 of the spring. */
static const char carriages[] =
    "schema = 1\n[model]\nname = carriages\ngravity = 0, 0, 0\njoints = named\n[scalars]\np = 1.2\n"
    "[body A]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body B]\nmass = 3\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[vector rail]\nalong = 1, 0, 0\nbodies = ground, A, B\n"
    "[joint a]\ntype = prismatic\nbodies = ground, A\naxis = rail\n"
    "[joint b]\ntype = prismatic\nbodies = ground, B\naxis = rail\n"
    "[force bar]\ntype = anti_roll_bar\ncoordinates = a.distance, b.distance\nstiffness = 300\noffset = 0.1\n"
    "[force spring]\ntype = torsion_spring\ncoordinate = a.distance\nstiffness = 200\nfree_angle = 0.25\n"
    "[start]\nhold.a.distance = 0\nsettle = a.distance\nguess.b.distance = p*p/2\n";

static const char *const names[] = {"a.distance", "b.distance", "bar.force"};
enum { N = 3 };

/* Values, and derivatives in p: a' = k/(k + c) p, b' = p, and of the force k (a - b - d). */
static void by_hand(double *y, double *yp) {
  const double p = 1.2, b = p * p / 2, a = (300 * (b + 0.1) + 200 * 0.25) / 500;
  y[0] = a, y[1] = b, y[2] = 300 * (a - b - 0.1);
  yp[0] = 0.6 * p, yp[1] = p, yp[2] = 300 * (0.6 * p - p);
}

/* Within a microsecond B moves by 300 (a - b - d)/3 (1e-6)^2/2, less than 5e-11 m. Largest differences seen: 7e-9 N from the force by
 * hand, none between the methods. */
static void test_free_coordinate(void) {
  mbd_case c = case_lasting(1e-6, 1e-6);
  test_model q = model_open_text(carriages);
  test_directions to = directions_of_scalars(&q);
  const int nc = mbd_model_ncoef(q.m), n = to.start[1] - to.start[0];
  const mbd_adjoint_options all = {0};
  mbd_error err = {0};
  mbd_sim *s;
  mbd_dparams *d;
  mbd_referee *referee;
  mbd_term term[N];
  double expected[N], slope[N], psi[N], direct[N], exact[N], exact_psi[N],
      *gtheta = calloc((size_t)(N * nc), sizeof *gtheta);
  CU_ASSERT_EQUAL_FATAL(to.n, 1);
  for (int i = 0; i < N; i++) {
    term[i] = (mbd_term){.psi = i, .output = model_output(&q, names[i]), .form = "terminal", .weight = 1};
  }
  c.start = MBD_START_EQUILIBRIUM;
  by_hand(expected, slope);
  must(mbd_dparams_create(q.m, &d, &err), &err);
  mbd_dparams_set(d, q.p, n, to.index, to.value);
  must(mbd_sim_create(q.m, &c, q.o, N, term, N, 1, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 1, &d, psi, direct, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(s, q.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  must(mbd_referee_create(mbo_model_file_spec(q.file), &c, N, names, N, term, N, &referee, &err), &err);
  must(mbd_referee_derivative(referee, to.theta, n, to.index, to.value, exact_psi, exact, &err), &err);
  for (int i = 0; i < N; i++) {
    double back = 0;
    for (int k = 0; k < n; k++) { back += gtheta[i * nc + to.index[k]] * to.value[k]; }
    CHECK_CLOSE("value", psi[i], expected[i], 1e-7);
    CHECK_CLOSE("direct", direct[i], slope[i], 1e-7);
    CHECK_NEAR("adjoint", back, direct[i], fabs(slope[i]), 1e-13);
    CHECK_NEAR("complex step", exact[i], direct[i], fabs(slope[i]), 1e-13);
  }
  mbd_referee_destroy(referee), mbd_sim_destroy(s), mbd_dparams_destroy(d);
  directions_free(&to), free(gtheta), model_close(&q);
}

TEST_MAIN(TEST(test_free_coordinate))
