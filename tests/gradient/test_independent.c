/* Independent coordinates that a case names: the five-bar linkage by two absolute angles, and by the place of its middle point,
 * which are no joint coordinates. Direct = discrete adjoint = complex step; one limit with those that the program chooses;
 * messages. */
#include "mbd/referee.h"
#include "model.h"
#include "formulation/formulation.h"

enum { NPSI = 3 };

/* Added to problems/five_bar/five_bar.ini. */
static const char added[] =
    "\n[vector ex]\nalong.ground = 1, 0, 0\n[vector ey]\nalong.ground = 0, 1, 0\n"
    "[coordinate phi12]\nguess = a12\n"
    "[constraint of_phi12]\ntype = sum_coordinate\ncoordinates = JA.angle, J1.angle\ncoordinate = phi12\n"
    "[coordinate P2x]\nguess = x2\n"
    "[constraint of_P2x]\ntype = displacement_coordinate\npoints = A@ground, P2@B12\nalong = ex\ncoordinate = P2x\n"
    "[coordinate P2y]\nguess = y2\n"
    "[constraint of_P2y]\ntype = displacement_coordinate\npoints = A@ground, P2@B12\nalong = ey\ncoordinate = P2y\n";

static const char *const angles[] = {"JA.angle", "phi12"};
static const char *const place[] = {"P2x", "P2y"};
static const char *const watched[NPSI] = {"P2.acceleration.norm", "s2.speed", "P2.position.x"};
static const char *const form[NPSI] = {"integral_square", "terminal", "terminal"};

typedef struct setup {
  test_model base;
  mbd_term term[NPSI];
  mbd_case c;
  test_directions all; /* coefficients */
  int nc;
  double *dtheta; /* [nc] the direction */
  mbd_dparams *d;
} setup;

/* All scalars of the model at once, each by a part of its size. */
static void make_direction(setup *s) {
  test_directions all = directions_of_scalars(&s->base);
  s->all = directions_of_coefficients(&s->base);
  s->nc = s->all.n;
  s->dtheta = calloc((size_t)s->nc, sizeof *s->dtheta);
  for (int i = 0; i < all.n; i++) {
    const double change = (0.3 + 0.1 * (i % 5)) * (i % 2 ? -1 : 1) * fmax(0.1, fabs(all.at[i]));
    for (int k = all.start[i]; k < all.start[i + 1]; k++) { s->dtheta[all.index[k]] += change * all.value[k]; }
  }
  s->d = direction_along(&s->base, s->dtheta);
  directions_free(&all);
}

static void open_setup(setup *s, const char *integrator) {
  *s = (setup){.base = model_open_more("problems/five_bar/five_bar.ini", 0, NULL, NULL, added),
               .c = case_lasting(0.5, 0.01)};
  for (int i = 0; i < NPSI; i++) {
    s->term[i] =
        (mbd_term){.psi = i, .output = model_output(&s->base, watched[i]), .form = form[i], .weight = 1, .target = 0.2};
  }
  s->c.formulation = "matrix_r", s->c.integrator = integrator;
  make_direction(s);
}

static void close_setup(setup *s) {
  mbd_dparams_destroy(s->d), model_close(&s->base);
  directions_free(&s->all), free(s->dtheta);
}

typedef struct answer {
  double psi[NPSI], direct[NPSI], adjoint[NPSI], continuous[NPSI];
} answer;

static void along(const setup *s, const double *gtheta, double *d) {
  for (int i = 0; i < NPSI; i++) {
    d[i] = 0;
    for (int j = 0; j < s->nc; j++) { d[i] += gtheta[i * s->nc + j] * s->dtheta[j]; }
  }
}

static answer simulate(const setup *s, const char *const *name, double step) {
  const mbd_adjoint_options discrete = {0}, continuous = {.continuous = 1};
  mbd_error err = {0};
  mbd_case c = s->c;
  mbd_sim *sim;
  answer a;
  double again[NPSI], *gtheta = calloc((size_t)NPSI * (size_t)s->nc, sizeof *gtheta);
  c.step = step, c.independent = name, c.nindependent = name ? 2 : 0;
  must(mbd_sim_create(s->base.m, &c, s->base.o, NPSI, s->term, NPSI, 1, &sim, &err), &err);
  must(mbd_sim_run(sim, s->base.p, 1, &s->d, a.psi, a.direct, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(sim, s->base.p, &discrete, again, gtheta, NULL, NULL, &err), &err);
  along(s, gtheta, a.adjoint);
  must(mbd_sim_adjoint(sim, s->base.p, &continuous, again, gtheta, NULL, NULL, &err), &err);
  along(s, gtheta, a.continuous);
  mbd_sim_destroy(sim);
  free(gtheta);
  return a;
}

static void compare(const setup *s, const char *const *name) {
  mbd_error err = {0};
  mbd_referee *r;
  mbd_case c = s->c;
  double psi[NPSI], exact[NPSI];
  const answer a = simulate(s, name, c.step);
  c.independent = name, c.nindependent = 2;
  must(mbd_referee_create(mbo_model_file_spec(s->base.file), &c, NPSI, watched, NPSI, s->term, NPSI, &r, &err), &err);
  must(mbd_referee_derivative(r, s->all.theta, s->nc, s->all.index, s->dtheta, psi, exact, &err), &err);
  for (int i = 0; i < NPSI; i++) {
    CU_ASSERT(fabs(exact[i]) > 1e-3);
    CHECK_NEAR(name[0], a.psi[i], psi[i], fabs(psi[i]), 1e-11);
    CHECK_NEAR(name[0], a.adjoint[i], a.direct[i], fabs(exact[i]), 1e-10);
    CHECK_NEAR(name[0], a.direct[i], exact[i], fabs(exact[i]), 1e-10);
  }
  mbd_referee_destroy(r);
}

static void test_gradients(void) {
  static const char *const integrators[] = {"runge_kutta_4", "newmark", "generalized_alpha", "dormand_prince"};
  static const char *const formulations[] = {"matrix_r", "fully_recursive"};
  for (int k = 0; k < 8; k++) {
    setup s;
    open_setup(&s, integrators[k / 2]);
    s.c.formulation = formulations[k % 2];
    compare(&s, angles);
    compare(&s, place);
    close_setup(&s);
  }
}

/* Values, gradients and the continuous adjoint approach those of coordinates that the program chooses, in the scheme's
 * order. */
static void test_one_limit(void) {
  static const struct {
    const char *integrator;
    int order;
  } runs[] = {{"runge_kutta_4", 4}, {"newmark", 2}};
  for (int k = 0; k < 2; k++) {
    setup s;
    open_setup(&s, runs[k].integrator);
    const answer limit = simulate(&s, NULL, 1.5625e-4);
    for (int v = 0; v < 2; v++) {
      const char *const *name = v ? place : angles;
      const answer coarse = simulate(&s, name, 2.5e-3), fine = simulate(&s, name, 1.25e-3);
      for (int i = 1; i < NPSI; i++) { /* the integral has the order of its own quadrature */
        const double psi = log2(fabs((coarse.psi[i] - limit.psi[i]) / (fine.psi[i] - limit.psi[i])));
        const double direct = log2(fabs((coarse.direct[i] - limit.direct[i]) / (fine.direct[i] - limit.direct[i])));
        const double continuous =
            log2(fabs((coarse.continuous[i] - coarse.adjoint[i]) / (fine.continuous[i] - fine.adjoint[i])));
        CHECK_CLOSE(name[0], psi, runs[k].order, 0.3);
        CHECK_CLOSE(name[0], direct, runs[k].order, 0.3);
        CHECK_CLOSE(name[0], continuous, runs[k].order, 0.3);
      }
    }
    close_setup(&s);
  }
}

static mbd_status refused(const setup *s, int n, const char *const *name, double duration, mbd_error *err) {
  mbd_case c = s->c;
  mbd_sim *sim = NULL;
  double psi[NPSI];
  *err = (mbd_error){0};
  c.independent = name, c.nindependent = n, c.duration = duration;
  mbd_status status = mbd_sim_create(s->base.m, &c, s->base.o, NPSI, s->term, NPSI, 1, &sim, err);
  if (status == MBD_OK) { status = mbd_sim_run(sim, s->base.p, 0, NULL, psi, NULL, NULL, NULL, NULL, err); }
  mbd_sim_destroy(sim);
  return status;
}

static void test_messages(void) {
  static const char *const unknown[] = {"J1.angel"}, *const quantity[] = {"P2.velocity.x"},
                           *const alike[] = {"P2y", "J2.angle"}, *const later[] = {"P2y", "J3.angle"};
  mbd_error err;
  setup s;
  open_setup(&s, "runge_kutta_4");
  CU_ASSERT_EQUAL(refused(&s, 1, unknown, 0.5, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "independent = J1.angel: not a coordinate of the model, did you mean 'J1.angle'?");
  CU_ASSERT_EQUAL(refused(&s, 1, quantity, 0.5, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "another quantity is one if [coordinate NAME] and a constraint make it one");
  CU_ASSERT_EQUAL(refused(&s, 1, angles, 0.5, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "have 2 degrees of freedom, of which 1 are named; for example: ");
  CU_ASSERT_EQUAL(refused(&s, 2, alike, 0.5, &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "those named do not determine the other coordinates");
  CU_ASSERT_EQUAL(refused(&s, 2, later, 20, &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "those named hardly determine the other coordinates");
  CHECK_CONTAINS(err.text, "times as much as at the start: independent = auto");
  CU_ASSERT(err.time > 10);
  s.c.formulation = "ali3p", s.c.integrator = "newmark";
  CU_ASSERT_EQUAL(refused(&s, 2, place, 0.5, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "independent = P2x, ...: formulation 'ali3p' has no independent coordinates");
  close_setup(&s);
}

TEST_MAIN(TEST(test_gradients), TEST(test_one_limit), TEST(test_messages))
