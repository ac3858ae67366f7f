/* Whole simulations: direct differentiation against the complex step, and the adjoint against it, in every coefficient, for
 * every kind of output and of objective. The buggy varies by the scalars of its model file: one hard point alone can
 * contradict redundant constraints (a rod out of the plane in which it swings). */
#ifndef MBOPT_TESTS_ALL_COEFFICIENTS_H
#define MBOPT_TESTS_ALL_COEFFICIENTS_H

#include "integrator/integrator.h"
#include "mbd/referee.h"
#include "mbo/config.h"
#include "simulate/sim.h"
#include "test.h"

static const struct {
  const char *model, *output[40];
  mbd_start start;
  int by_scalar; /* directions are the model file's scalars, not its coefficients */
  int stiff;     /* slip of its tyres settles in 0.04 ms, which steps that are chosen for their error meet with noise */
  int closed;    /* loops, redundant rows among them, and few coordinates: for all kinds of projections */
} cases[] = {
    {.model = "tests/conformance/models/tree.ini",
     .output = {"T1.position.x",    "T2.velocity.norm", "T3.acceleration.norm",
                "shaft.rate.y",     "arm.angle.z",      "energy.kinetic",
                "s1.force",         "s1.length",        "s2.speed",
                "t1.force",         "stop1.force",      "stop2.force",
                "stop3.force",      "bar.force",        "wheel.torque",
                "wheel2.torque",    "wheel2.speed",     "cross.angle1.acceleration",
                "socket.e2.rate",   "f2.force",         "arm.roll",
                "arm.pitch",        "arm.yaw",          "arm.roll_rate",
                "shaft.pitch_rate", "ball.yaw_rate",    "bush.force_x",
                "bush.moment_y",    "mount.force_z",    "bush.power",
                "wheel.power",      "s1.power",         "f2.power"}},
    {.model = "tests/conformance/models/cuts.ini",
     .closed = 1,
     .output = {"T1.position.y", "T2.velocity", "T3.acceleration.z", "b5.rate.norm", "energy.total", "s2.force",
                "j1.coincident.multiplier", "j1.coincident.multiplier.norm"}},
    {.model = "tests/conformance/models/uncut.ini",
     .output = {"T1.acceleration.x", "j2.distance", "j4.angle2.rate", "energy.potential", "b5.rate.x"}},
    {.model = "tests/conformance/models/constraints.ini",
     .closed = 1,
     .output = {"B.acceleration.norm", "length.rate", "k2.multiplier", "k1.multiplier", "Q.position.z",
                "b.angle.acceleration", "energy.kinetic", "energy.potential"}},
    {.model = "tests/conformance/models/wheels.ini",
     .output = {"tyre_f.deflection", "tyre_f.load",         "tyre_f.longitudinal", "tyre_f.lateral",
                "tyre_f.slip",       "tyre_f.slip_angle",   "tyre_r.load",         "tyre_r.lateral",
                "tyre_r.slip",       "tyre_f.power",        "tyre_l.load",         "tyre_l.longitudinal",
                "tyre_l.lateral",    "tyre_l.slip",         "tyre_l.camber",       "tyre_l.aligning",
                "rider.torque",      "rider.roll",          "rider.roll_rate",     "rider.roll_error",
                "rider.power",       "O.acceleration.norm", "carriage.rate.norm"}},
    {.model = "problems/five_bar/five_bar_found.ini",
     .closed = 1,
     .output = {"P2.acceleration.norm", "energy.total", "B3.angle.z", "s2.speed"}},
    {.model = "problems/bicycle/bicycle.ini",
     .output = {"frame.roll", "saddle.velocity.norm", "tyre_F.lateral", "steer.angle.rate", "pedals.power",
                "rider.roll_error"},
     .stiff = 1},
    {.model = "problems/buggy/buggy.ini",
     .output = {"P1.acceleration", "tyre_FL.load", "s_RR.rate", "chassis.rate.y"},
     .by_scalar = 1},
    {.model = "problems/buggy/buggy.ini",
     .output = {"P1.acceleration", "P1.position.z", "tyre_RL.load", "s_FL", "chassis.angle.y",
                "upper_FL-knuckle_FL.coincident.multiplier"},
     .start = MBD_START_EQUILIBRIUM,
     .by_scalar = 1},
};
enum { N_CASES = sizeof cases / sizeof cases[0], MOST_TERMS = 48 };

typedef struct setup {
  mbo_model_file *file;
  mbd_model *m;
  mbd_params *p;
  mbd_outputs *o;
  mbd_sim *sim;
  mbd_case c;
  mbd_dparams **d;
  double *theta;
  int nc; /* directions, by columns */
  const char **direction;
  const int *start, *index;
  const double *value;
  int nterm, nname;
  mbd_term term[MOST_TERMS];
  const char *name[MOST_TERMS];
} setup;

static void by_coefficients(setup *s) {
  s->nc = mbd_model_ncoef(s->m);
  int *count = calloc((size_t)s->nc + 2, sizeof *count);
  double *one = calloc((size_t)s->nc + 1, sizeof *one);
  s->direction = calloc((size_t)s->nc + 1, sizeof *s->direction);
  for (int i = 0; i <= s->nc; i++) { count[i] = i, one[i] = 1; }
  for (int i = 0; i < s->nc; i++) {
    s->theta[i] = mbd_model_nominal(s->m, i);
    s->direction[i] = mbd_model_coef_name(s->m, i);
  }
  s->start = s->index = count, s->value = one;
}

static void by_scalars(setup *s) {
  mbd_error err = {0};
  s->nc = mbo_model_file_nscalar(s->file);
  double *rho = calloc((size_t)s->nc + 1, sizeof *rho);
  s->direction = calloc((size_t)s->nc + 1, sizeof *s->direction);
  for (int i = 0; i < s->nc; i++) { s->direction[i] = mbo_model_file_scalar(s->file, i, &rho[i]); }
  must(mbo_model_file_vary(s->file, s->nc, s->direction, &err), &err);
  must(mbo_model_file_eval(s->file, rho, s->theta, &s->start, &s->index, &s->value, &err), &err);
  free(rho);
}

/* Sharp enough to tell peaks from means, in the units of the output. */
static double sharpness_for(const char *of) {
  static const char *const forces[] = {"multiplier", "load", "force", "power", "longitudinal", "lateral"};
  for (size_t i = 0; i < sizeof forces / sizeof forces[0]; i++) {
    if (strstr(of, forces[i])) { return 0.01; }
  }
  return 7;
}

/* Curve number i of the model, beginning again after the last; NULL: it has none. */
static const char *curve_in_turn(const mbd_model *m, int i) {
  int n = 0;
  while (mbd_model_curve_name(m, n)) { n++; }
  return n ? mbd_model_curve_name(m, i % n) : NULL;
}

static int chooses_steps(const mbd_case *c) {
  const mbd_tableau *t = mbd_integrator_find(c->integrator)->tableau;
  return t && t->error;
}

/* Returns 0 where the formulation does not take the model or the integrator. */
static int open_setup(setup *s, int q, const mbd_case *how) {
  char path[512];
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, cases[q].model);
  must(mbo_model_file_read(path, 0, NULL, NULL, &s->file, &err), &err);
  must(mbd_model_create(mbo_model_file_spec(s->file), &s->m, &err), &err);
  must(mbd_params_create(s->m, NULL, &s->p, &err), &err);
  must(mbd_outputs_create(s->m, &s->o, &err), &err);
  for (int i = 0; cases[q].output[i]; i++) {
    int first, count;
    must(mbd_outputs_add(s->o, cases[q].output[i], &first, &count, &err), &err);
    for (int k = 0; k < count; k++) { /* every form in turn, each a psi of its own, some along a curve */
      s->term[s->nterm] = (mbd_term){s->nterm,
                                     first + k,
                                     (mbd_form)(s->nterm % 8),
                                     1.3,
                                     0.2,
                                     0.1,
                                     sharpness_for(cases[q].output[i]),
                                     s->nterm % 3 ? NULL : curve_in_turn(s->m, s->nterm / 3)};
      s->nterm++;
    }
  }
  s->nname = mbd_outputs_count(s->o);
  for (int i = 0; i < s->nname; i++) { s->name[i] = mbd_outputs_name(s->o, i); }
  s->c = *how;
  s->c.start = cases[q].start;
  if (cases[q].stiff && chooses_steps(how)) { s->c.duration = 2e-3, s->c.step = 5e-4, s->c.max_step = 1e-4; }
  s->theta = calloc((size_t)mbd_model_ncoef(s->m) + 1, sizeof *s->theta);
  if (cases[q].by_scalar) {
    by_scalars(s);
  } else {
    by_coefficients(s);
  }
  s->d = calloc((size_t)s->nc + 1, sizeof *s->d);
  for (int i = 0; i < s->nc; i++) {
    must(mbd_dparams_create(s->m, &s->d[i], &err), &err);
    mbd_dparams_set(s->d[i], s->p, s->start[i + 1] - s->start[i], s->index + s->start[i], s->value + s->start[i]);
  }
  const mbd_status status = mbd_sim_create(s->m, &s->c, s->o, s->nterm, s->term, s->nterm, s->nc, &s->sim, &err);
  if (status == MBD_UNSUPPORTED) { return 0; }
  must(status, &err);
  return 1;
}

static void close_setup(setup *s) {
  for (int i = 0; i < s->nc; i++) { mbd_dparams_destroy(s->d[i]); }
  mbd_sim_destroy(s->sim);
  mbd_outputs_destroy(s->o);
  mbd_params_destroy(s->p);
  mbd_model_destroy(s->m);
  mbo_model_file_destroy(s->file);
  if (s->start == s->index) { free((void *)s->index), free((void *)s->value); } /* else they belong to the file */
  free(s->d), free(s->theta), free(s->direction);
}

/* adjoint [terms][directions] := gtheta [terms][coefficients] times the columns of the directions */
static void along_directions(const setup *s, const double *gtheta, double *adjoint) {
  const int ncoef = mbd_model_ncoef(s->m);
  for (int i = 0; i < s->nterm; i++) {
    for (int k = 0; k < s->nc; k++) {
      double sum = 0;
      for (int a = s->start[k]; a < s->start[k + 1]; a++) { sum += gtheta[i * ncoef + s->index[a]] * s->value[a]; }
      adjoint[i * s->nc + k] = sum;
    }
  }
}

static void run_adjoint(setup *s, double *psi, double *adjoint) {
  mbd_error err = {0};
  const mbd_adjoint_options all = {0};
  double *gtheta = calloc((size_t)s->nterm * (size_t)mbd_model_ncoef(s->m) + 1, sizeof *gtheta);
  must(mbd_sim_adjoint(s->sim, s->p, &all, psi, gtheta, NULL, NULL, &err), &err);
  along_directions(s, gtheta, adjoint);
  free(gtheta);
}

/* Returns the number of models. */
static int against_complex_step(const mbd_case *how, int closed, double tol) {
  const int each = getenv("MBOPT_SLOW") ? 16 : 1; /* where all is slow (sanitizers), the complex step of some alone */
  double worst = 0, apart = 0;
  int taken = 0;
  for (int q = 0; q < N_CASES; q++) {
    if (closed && !cases[q].closed) { continue; }
    setup s = {0};
    mbd_error err = {0};
    mbd_referee *r;
    if (!open_setup(&s, q, how)) {
      close_setup(&s);
      continue;
    }
    taken++;
    double *psi = calloc((size_t)s.nterm, sizeof *psi), *dpsi = calloc((size_t)s.nterm, sizeof *dpsi);
    double *grad = calloc((size_t)s.nterm * (size_t)s.nc, sizeof *grad),
           *exact = calloc((size_t)s.nterm * (size_t)s.nc, sizeof *exact),
           *adjoint = calloc((size_t)s.nterm * (size_t)s.nc, sizeof *adjoint);
    run_adjoint(&s, psi, adjoint);
    must(mbd_sim_run(s.sim, s.p, s.nc, s.d, psi, grad, NULL, NULL, NULL, &err), &err);
    must(mbd_referee_create(mbo_model_file_spec(s.file), &s.c, s.nname, s.name, s.nterm, s.term, s.nterm, &r, &err),
         &err);
    for (int k = 0; k < s.nc; k += each) {
      must(mbd_referee_derivative(r, s.theta, s.start[k + 1] - s.start[k], s.index + s.start[k], s.value + s.start[k],
                                  psi, dpsi, &err),
           &err);
      for (int i = 0; i < s.nterm; i++) { exact[i * s.nc + k] = dpsi[i]; }
    }
    for (int i = 0; i < s.nterm; i++) {
      double scale = 0;
      for (int k = 0; k < s.nc; k++) { scale = fmax(scale, fabs(grad[i * s.nc + k])); }
      CU_ASSERT(scale > 0); /* some coefficient moves every output */
      for (int k = 0; k < s.nc; k++) {
        char name[400];
        double difference = fabs(grad[i * s.nc + k] - exact[i * s.nc + k]) / scale;
        snprintf(name, sizeof name, "%s: d %s (form %d) / d %s", cases[q].model, s.name[s.term[i].output],
                 (int)s.term[i].form, s.direction[k]);
        if (k % each == 0) {
          CHECK_NEAR(name, grad[i * s.nc + k], exact[i * s.nc + k], scale, tol);
          worst = fmax(worst, difference);
        }
        snprintf(name, sizeof name, "%s: adjoint of %s (form %d) by %s", cases[q].model, s.name[s.term[i].output],
                 (int)s.term[i].form, s.direction[k]);
        CHECK_NEAR(name, adjoint[i * s.nc + k], grad[i * s.nc + k], scale, tol);
        difference = fabs(adjoint[i * s.nc + k] - grad[i * s.nc + k]) / scale;
        if (difference > apart) { apart = difference; }
      }
    }
    mbd_referee_destroy(r);
    free(psi), free(dpsi), free(grad), free(exact), free(adjoint);
    close_setup(&s);
  }
  printf("\n  %s, %s: %d models, direct to complex step %.2g, adjoint to direct %.2g ", how->formulation,
         how->integrator, taken, worst, apart);
  return taken;
}

static mbd_case short_case(void) {
  mbd_case c;
  mbd_case_init(&c);
  c.duration = 0.05;
  c.step = 0.005;
  return c;
}

#endif
