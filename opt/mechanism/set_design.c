/* The numbers of a design in all variants of the model, and messages about its cases. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/mechanism.h"
#include "plugin/plugin.h"

/* Sets the directions of the variables for direct differentiation, and marks the coefficients that they change for adjoints. */
static void set_directions(mechanism_variant *v) {
  const int *start = v->start;
  for (int k = 0; v->d && k < v->directions; k++) {
    mbd_dparams_set(v->d[k], v->params, start[k + 1] - start[k], v->index + start[k], v->value + start[k]);
  }
  if (!v->requested) { return; }
  memset(v->requested, 0, (size_t)mbd_model_ncoef(v->model));
  for (int i = 0; i < start[v->directions]; i++) { v->requested[v->index[i]] = 1; }
}

mbd_status mechanism_set_design(mechanism *m, const double *rho, int directions, mbd_error *err) {
  MBD_TRY(plugin_list_open(m->plugin, m->config->nplugin, err));
  memcpy(m->with_parameters, rho, (size_t)m->n * sizeof *rho);
  for (int i = 0; i < m->nvariant; i++) {
    mechanism_variant *v = &m->variant[i];
    MBD_TRY(mbo_model_file_eval(v->file, scenarios_place(m, v, m->with_parameters), v->theta, &v->start, &v->index,
                                &v->value, err));
    MBD_TRY(mbd_params_set(v->params, v->theta, err));
    if (directions || v->rho) { set_directions(v); }
  }
  return scenarios_check(m, err);
}

mbd_status mechanism_name_case(mbd_status status, const mechanism_case *load, mbd_error *err) {
  char at[40] = "", scenario[40] = "";
  if (status == MBD_OK || !err) { return status; }
  if (!isnan(err->time)) { snprintf(at, sizeof at, ", t = %.6g s", err->time); }
  if (load->config->scenario > 0) { snprintf(scenario, sizeof scenario, ", scenario %d", load->config->scenario); }
  mbd_locate(err, status, "case '%s'%s%s: ", load->config->name, scenario, at);
  /* What the run file asks for and cannot have, and drives or rest positions that an analysis lacks, are a matter of its section. */
  const int asked = status == MBD_BAD_INPUT || status == MBD_UNSUPPORTED;
  if (!(asked || (status > 0 && strcmp(load->c.analysis, "motion") != 0)) || load->config->line <= 0) { return status; }
  return mbd_locate(err, status, "%s:%d: ", load->run->path, load->config->line);
}
