#include "mechanism/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"

struct trajectory {
  mbo_run_config *run;   /* as it was read, */
  mbo_run_config config; /* and with one objective in the place of its own, and no constraints */
  mbo_objective_config objective;
  mbo_samples_config samples;
  double *time;    /* [samples.is.n] NULL: the nodes */
  double *weights; /* [rows][columns] of the present call */
  mechanism *m;
  mechanism_case *load; /* the case in m */
};

/* ---- making it ---- */

/* The run with one objective, the weighted sum. Without a method of its own it takes the discrete adjoint, and direct differentiation where there is none. */
static void describe(trajectory *t, int i) {
  static const double none[1];
  const mbo_run_config *c = t->run;
  t->samples.is.value = none; /* until the number of columns is known */
  t->objective = (mbo_objective_config){.name = (char *)"columns",
                                        .of = (char *)"",
                                        .value = (char *)"",
                                        .in_case = c->cases[i].name,
                                        .across = (char *)"",
                                        .form = "weighted_samples",
                                        .weight = 1,
                                        .target_curve = (char *)"",
                                        .samples = &t->samples};
  t->config = *c;
  t->config.objective = &t->objective, t->config.nobjective = 1, t->config.nconstraint = 0;
  t->config.objectives.combine = "sum";
  t->config.output.outputs.n = 0, t->config.output.columns.n = 0, t->config.nsensor = 0, t->config.nexperiment = 0;
  if (strcmp(c->gradient.method, "direct") != 0) { t->config.gradient.method = "auto"; }
}

static mbd_status make(trajectory *t, int i, mbd_error *err) {
  if (i < 0 || i >= t->run->ncase) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: case number %d is not there, expected 0 to %d", t->run->path, i,
             t->run->ncase - 1);
  }
  describe(t, i);
  MBD_TRY(mechanism_create(&t->config, &t->m, err));
  t->load = &t->m->cases[i];
  if (t->load->nterm == 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: a trajectory of case '%s' has no columns", t->config.path, t->load->config->name);
  }
  if (strcmp(t->config.gradient.method, "auto") == 0) { t->load->choice.method = GRADIENT_DISCRETE_ADJOINT; }
  t->weights = mbd_zeros((size_t)trajectory_rows(t) * (size_t)t->load->nterm, sizeof *t->weights);
  MEMORY_TRY(t->weights, err, "the trajectory of case '%s'", t->load->config->name);
  t->samples.is.value = t->weights;
  return MBD_OK;
}

mbd_status trajectory_create(const char *path, int nset, const char *const *set, int i, int ncolumn,
                             const char *const *column, int ntime, const double *time, trajectory **out,
                             mbd_error *err) {
  trajectory *t = mbd_zeros(1, sizeof *t);
  *out = NULL;
  MEMORY_TRY(t, err, "a trajectory");
  if (time) { t->time = mbd_zeros((size_t)ntime, sizeof *t->time); }
  if (t->time) { memcpy(t->time, time, (size_t)ntime * sizeof *time); }
  t->samples = (mbo_samples_config){.n = ncolumn, .of = column, .is = {.n = ntime, .time = t->time}};
  mbd_status status = t->time || !time ? MBD_OK : MEMORY_NONE(err, "the times of a trajectory");
  if (status == MBD_OK) { status = mbo_run_config_read(path, nset, set, &t->run, err); }
  if (status == MBD_OK) { status = make(t, i, err); }
  t->samples.of = NULL; /* the caller's */
  if (status != MBD_OK) {
    trajectory_free(t);
    return status;
  }
  *out = t;
  return MBD_OK;
}

void trajectory_free(trajectory *t) {
  if (!t) { return; }
  mechanism_destroy(t->m);
  mbo_run_config_destroy(t->run);
  free(t->time), free(t->weights), free(t);
}

/* ---- what it is ---- */

mechanism *trajectory_mechanism(trajectory *t) {
  return t->m;
}

int trajectory_rows(const trajectory *t) {
  return t->time ? t->samples.is.n : mbd_sim_steps(t->load->sim) + 1;
}

int trajectory_columns(const trajectory *t) {
  return t->load->nterm;
}

const char *trajectory_name(const trajectory *t, int column) {
  return mbd_outputs_name(t->load->outputs, t->load->term[column].output);
}

const char *trajectory_unit(const trajectory *t, int column) {
  return mbd_outputs_unit(t->load->outputs, t->load->term[column].output);
}

static size_t size_of(const trajectory *t) {
  return (size_t)trajectory_rows(t) * (size_t)trajectory_columns(t);
}

static mbd_status set_weights(trajectory *t, const double *w, mbd_error *err) {
  for (size_t i = 0; i < size_of(t); i++) {
    if (isfinite(w[i])) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: the weight of column '%s' at sample %d is %g, expected a number", t->config.path,
             trajectory_name(t, (int)(i % (size_t)trajectory_columns(t))), (int)(i / (size_t)trajectory_columns(t)),
             w[i]);
  }
  memcpy(t->weights, w, size_of(t) * sizeof *w);
  return MBD_OK;
}

/* ---- values and derivatives ---- */

mbd_status trajectory_values(trajectory *t, const double *rho, double *y, mbd_error *err) {
  MBD_TRY(mechanism_values(t->m, rho, t->m->psi, err));
  mbd_sim_measured(t->load->sim, 0, y, NULL);
  return MBD_OK;
}

mbd_status trajectory_jvp(trajectory *t, const double *rho, const double *dx, double *y, double *dy, mbd_error *err) {
  double along;
  MBD_TRY(mechanism_jvp(t->m, rho, dx, NULL, &along, err));
  mbd_sim_measured(t->load->column, 0, y, dy);
  return MBD_OK;
}

mbd_status trajectory_jacobian(trajectory *t, const double *rho, double *y, double *J, mbd_error *err) {
  MBD_TRY(mechanism_evaluate(t->m, rho, "direct", err));
  mbd_sim_measured(t->load->sim, 0, y, J);
  return MBD_OK;
}

mbd_status trajectory_vjp(trajectory *t, const double *rho, const double *w, double *y, double *g, mbd_error *err) {
  MBD_TRY(set_weights(t, w, err));
  MBD_TRY(mechanism_evaluate(t->m, rho, t->config.gradient.method, err));
  memcpy(g, t->m->grad, (size_t)t->m->n * sizeof *g);
  mbd_sim_measured(t->load->sim, 0, y, NULL);
  return MBD_OK;
}

mbd_status trajectory_second(trajectory *t, const double *rho, const double *w, const double *d, double *Hd,
                             mbd_error *err) {
  MBD_TRY(set_weights(t, w, err));
  return mechanism_second(t->m, rho, (const double[]){1}, d, Hd, err);
}
