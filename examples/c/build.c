/* A model that is built by calls, without files, and optimized: the pendulum of configs/pendulum.ini with its spring and damper.
 *   cc build.c $(pkg-config --cflags --libs mbopt) -o build && ./build */
#include <math.h>
#include <mbd/simulate.h>
#include <mbo/backend.h>
#include <stdio.h>
#include <stdlib.h>

enum { STIFFNESS, DAMPING, VARIABLES };
enum { SETTLE, TIP_SPEED, OBJECTIVES };

/* The model, its one case, and the results of an evaluation. */
typedef struct pendulum {
  int spring; /* first coefficient of the spring: stiffness, damping, free angle */
  mbd_model *model;
  mbd_outputs *outputs;
  mbd_params *params;
  mbd_sim *sim;
  double *theta;    /* [ncoef] values of all coefficients */
  double *gradient; /* [OBJECTIVES][ncoef] */
} pendulum;

/* Registers three coefficients NAME.x, NAME.y, NAME.z; returns the number of the first. */
static int three(mbd_spec *s, const char *name, double x, double y, double z) {
  static const char *const axis[] = {"x", "y", "z"};
  const double value[] = {x, y, z};
  char text[64];
  int first = -1;
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text, "%s.%s", name, axis[i]);
    const int k = mbd_spec_coef(s, text, value[i]);
    if (i == 0) { first = k; }
  }
  return first;
}

/* Describes a bar of 1 m and 2 kg that hangs from a hinge, and a spring with a damper in the hinge. */
static mbd_status describe(pendulum *p, mbd_spec *s, mbd_error *err) {
  const int mass = mbd_spec_coef(s, "mass", 2), com = three(s, "com", 0.5, 0, 0);
  const int inertia = three(s, "inertia", 0, 2.0 / 12, 2.0 / 12), origin = three(s, "hinge", 0, 0, 0);
  three(s, "products of inertia", 0, 0, 0);
  const int across = three(s, "axis", 0, 1, 0), end = three(s, "tip", 1, 0, 0), zero = mbd_spec_coef(s, "start", 0);
  mbd_element_desc spring;
  mbd_spec_gravity(s, three(s, "gravity", 0, 0, -9.81));
  MBD_TRY(mbd_spec_body(s, "bar", mass, com, inertia, err));
  MBD_TRY(mbd_spec_point(s, "hinge_point", err));
  MBD_TRY(mbd_spec_point_on(s, "hinge_point", "ground", origin, err));
  MBD_TRY(mbd_spec_point_on(s, "hinge_point", "bar", origin, err));
  MBD_TRY(mbd_spec_vector(s, "axis", err));
  MBD_TRY(mbd_spec_vector_on(s, "axis", "ground", across, err));
  MBD_TRY(mbd_spec_vector_on(s, "axis", "bar", across, err)); /* a shared point and a shared vector: a revolute joint */
  MBD_TRY(mbd_spec_point(s, "tip", err));
  MBD_TRY(mbd_spec_point_on(s, "tip", "bar", end, err));
  p->spring = mbd_spec_coef(s, "stiffness", 5);
  mbd_spec_coef(s, "damping", 0.2);
  mbd_spec_coef(s, "free angle", 0);
  mbd_element_desc_init(&spring);
  spring.name = "spring", spring.type = "torsion_spring", spring.ref[0] = "ground-bar.angle", spring.coef = p->spring;
  MBD_TRY(mbd_spec_force(s, &spring, err));
  return mbd_spec_hold(s, "ground-bar.angle", zero, -1, err);
}

/* Prepares a simulation of 4 s from rest. Objectives: the deviation of the bar from half a radian down, over time, and the speed of its tip at the
 * end. */
static mbd_status prepare(pendulum *p, mbd_error *err) {
  mbd_case drop;
  mbd_term term[OBJECTIVES] = {{.psi = SETTLE, .form = "integral_square", .weight = 1, .target = 0.5},
                               {.psi = TIP_SPEED, .form = "terminal", .weight = 1}};
  int count;
  mbd_spec *s = mbd_spec_create();
  mbd_status status = s ? describe(p, s, err) : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for a description");
  if (status == MBD_OK) { status = mbd_model_create(s, &p->model, err); }
  mbd_spec_destroy(s);
  MBD_TRY(status);
  MBD_TRY(mbd_outputs_create(p->model, &p->outputs, err));
  MBD_TRY(mbd_outputs_add(p->outputs, "ground-bar.angle", &term[SETTLE].output, &count, err));
  MBD_TRY(mbd_outputs_add(p->outputs, "tip.velocity.norm", &term[TIP_SPEED].output, &count, err));
  MBD_TRY(mbd_params_create(p->model, NULL, &p->params, err));
  mbd_case_init(&drop);
  drop.duration = 4, drop.step = 5e-3;
  MBD_TRY(mbd_sim_create(p->model, &drop, p->outputs, OBJECTIVES, term, OBJECTIVES, 0, &p->sim, err));
  const int n = mbd_model_ncoef(p->model);
  p->theta = malloc((size_t)n * sizeof *p->theta), p->gradient = malloc(OBJECTIVES * (size_t)n * sizeof *p->gradient);
  if (!p->theta || !p->gradient) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d coefficients", n); }
  for (int k = 0; k < n; k++) { p->theta[k] = mbd_model_nominal(p->model, k); }
  return MBD_OK;
}

/* Evaluates the problem for the optimizer: values, and gradients by the adjoint. */
static mbd_status evaluate(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  pendulum *p = user;
  double psi[OBJECTIVES];
  for (int j = 0; j < VARIABLES; j++) { p->theta[p->spring + j] = x[j]; }
  MBD_TRY(mbd_params_set(p->params, p->theta, err));
  if (!(request & MBO_REQUEST_GRADIENT)) {
    MBD_TRY(mbd_sim_run(p->sim, p->params, 0, NULL, psi, NULL, NULL, NULL, NULL, err));
  } else {
    const mbd_adjoint_options all = {0};
    const double *equilibrium = p->gradient + p->spring, *tip_speed = equilibrium + mbd_model_ncoef(p->model);
    MBD_TRY(mbd_sim_adjoint(p->sim, p->params, &all, psi, p->gradient, NULL, NULL, err));
    for (int j = 0; j < VARIABLES; j++) { out->g[j] = equilibrium[j], out->jac[j] = tip_speed[j]; }
  }
  out->f = psi[SETTLE], out->c[0] = psi[TIP_SPEED];
  return MBD_OK;
}

static mbd_status minimize(pendulum *p, mbo_result *best, mbd_error *err) {
  static const char *const name[] = {"stiffness", "damping"}, *const limit[] = {"tip_speed"};
  const double start[] = {5, 0.2}, lower[] = {0, 0}, upper[] = {100, 20};
  const double min[] = {-INFINITY}, max[] = {0.05};
  const mbo_problem problem = {.name = "pendulum",
                               .n = VARIABLES,
                               .names = name,
                               .start = start,
                               .lower = lower,
                               .upper = upper,
                               .scale = start,
                               .nc = 1,
                               .c_names = limit,
                               .c_lower = min,
                               .c_upper = max,
                               .has_gradient = 1,
                               .user = p,
                               .eval = evaluate};
  mbo_settings settings;
  mbo_settings_init(&settings);
  return mbo_solve("ipopt", &problem, &settings, best, err);
}

int main(void) {
  pendulum p = {0};
  mbo_result best = {0};
  mbd_error err = {0};
  mbd_status status = prepare(&p, &err);
  if (status == MBD_OK) { status = minimize(&p, &best, &err); }
  if (status == MBD_OK) {
    printf("%s: %.9g, at the start %.9g\n", mbo_status_text(best.status), best.f, best.f_start);
    printf("stiffness = %.9g N m/rad\ndamping = %.9g N m s/rad\n", best.x[STIFFNESS], best.x[DAMPING]);
    printf("speed of the tip at the end = %.9g m/s\n", best.c[0]);
  } else {
    fprintf(stderr, "%s\n", err.text);
  }
  mbo_result_free(&best);
  free(p.theta), free(p.gradient);
  mbd_sim_destroy(p.sim);
  mbd_params_destroy(p.params);
  mbd_outputs_destroy(p.outputs);
  mbd_model_destroy(p.model);
  return status == MBD_OK ? 0 : 1;
}
