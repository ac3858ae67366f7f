#include "mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "base/nearest.h"
#include "config/model_file.h"
#include "config/uncertain.h"
#include "mechanism/case_gradient.h"
#include "mechanism/cases.h"
#include "mechanism/choices.h"
#include "mechanism/designs.h"
#include "mechanism/scenarios.h"
#include "mechanism/series.h"
#include "mechanism/true_values.h"
#include "mechanism/window.h"
#include "plugin/plugin.h"

/* ---- variants: the model file read with the scalars of a case ---- */

static int same_pairs(const mbo_pairs *a, const mbo_pairs *b) {
  int same = a->name.n == b->name.n;
  for (int i = 0; same && i < a->name.n; i++) {
    same = strcmp(a->name.v[i], b->name.v[i]) == 0 && strcmp(a->text.v[i], b->text.v[i]) == 0;
  }
  return same;
}

static int same_text(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "") == 0;
}

static int has_numbers_of(const mechanism_variant *v, const mbo_case_config *k) {
  return same_pairs(&v->config->scalars, &k->scalars) && same_pairs(&v->config->curves, &k->curves) &&
         same_pairs(&v->config->drives, &k->drives) && same_text(v->config->steady_speed, k->steady_speed) &&
         same_text(v->config->steady_curvature, k->steady_curvature) &&
         same_text(v->config->steady_lateral_acceleration, k->steady_lateral_acceleration);
}

static int is_variant_of(const mechanism_variant *v, const mbo_case_config *k) {
  return v->config->scenario == k->scenario && has_numbers_of(v, k);
}

static mbd_status read_variant(const mechanism *m, mechanism_variant *v, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const uncertain_scenario how = v->config->scenario == 0 ? UNCERTAIN_NOMINAL
                                 : scenarios_linear(m)    ? UNCERTAIN_LINEAR
                                                          : UNCERTAIN_SAMPLED;
  char *run = mbd_sprintf_dup("%s: ", c->path);
  MEMORY_TRY(run, err, "the problem");
  mbd_status status = mbo_model_file_read_case(c->model_path,
                                               &(mbo_model_changes){.run = run,
                                                                    .scalars = &c->scalars,
                                                                    .nplugin = c->nplugin,
                                                                    .plugin = m->plugin,
                                                                    .nstate = c->nstate,
                                                                    .state = c->state,
                                                                    .nuncertain = c->nuncertain,
                                                                    .uncertain = c->uncertain,
                                                                    .scenario = (int)how,
                                                                    .nquantity = c->nquantity,
                                                                    .quantity = c->quantity,
                                                                    .of_case = v->config},
                                               &v->file, err);
  free(run);
  return mbo_run_config_locate_model(c, status, err);
}

static void duration_name(const mbo_case_config *k, char name[300]) {
  snprintf(name, 300, "case.%.280s.duration", k->name);
}

/* Makes coefficients of durations that depend on design variables, and of delays and offsets of measurements. */
static mbd_status add_coefficients(const mechanism *m, mechanism_variant *v, mbd_error *err) {
  const mbo_run_config *c = m->config;
  char name[300];
  int index;
  for (int i = 0; i < c->ncase; i++) {
    const mbo_case_config *k = &c->cases[i];
    const char *text = mbo_run_config_free_duration(c, k->name);
    if (!text || !has_numbers_of(v, k)) { continue; }
    duration_name(k, name);
    MBD_TRY(mbd_locate(err, model_file_coefficient(v->file, name, text, &index, err),
                       "%s: [case %s] duration = %s: ", c->path, k->name, text));
  }
  for (int i = 0; i < c->ncase; i++) {
    if (has_numbers_of(v, &c->cases[i])) { MBD_TRY(measured_enter(c, &c->cases[i], v->file, err)); }
  }
  return MBD_OK;
}

/* 1 + the coefficient that is the duration of a case; 0: it is a number. */
static int free_duration(const mechanism *m, const mechanism_case *load) {
  char name[300];
  int k = 0;
  if (!mbo_run_config_free_duration(m->config, load->config->name)) { return 0; }
  duration_name(load->config, name);
  while (strcmp(mbd_model_coef_name(load->v->model, k), name) != 0) { k++; }
  return k + 1;
}

/* Drives of a case are elements of its own model. */
static mbd_status compile(const mbo_run_config *c, mechanism_variant *v, mbd_error *err) {
  const mbd_status status =
      model_file_locate(v->file, mbd_model_create(mbo_model_file_spec(v->file), &v->model, err), err);
  if (!v->config || v->config->drives.name.n == 0) { return status; }
  return mbd_locate(err, status, "%s: [case %s] with its drives: ", c->path, v->config->name);
}

static mbd_status make_variant(mechanism *m, mechanism_variant *v, mbd_error *err) {
  const mbo_run_config *c = m->config;
  if (!v->file) { MBD_TRY(read_variant(m, v, err)); }
  MBD_TRY(values_enter(m, v, is_variant_of, err));
  MBD_TRY(scenarios_enter(m, v, err));
  MBD_TRY(add_coefficients(m, v, err));
  MBD_TRY(design_vary(&m->design, c, v->config, v->file, err));
  MBD_TRY(scenarios_vary(m, v, err));
  MBD_TRY(compile(c, v, err));
  v->theta = calloc((size_t)mbd_model_ncoef(v->model) + 1, sizeof *v->theta);
  MEMORY_TRY(v->theta, err, "the problem");
  return mbd_params_create(v->model, NULL, &v->params, err);
}

static mbd_status variant_of(mechanism *m, const mbo_case_config *k, mechanism_variant **out, mbd_error *err) {
  for (int i = 0; i < m->nvariant; i++) {
    *out = &m->variant[i];
    if (is_variant_of(*out, k)) { return MBD_OK; }
  }
  *out = &m->variant[m->nvariant++];
  (*out)->config = k;
  for (int i = 0; k->scenario > 0 && i < m->nvariant; i++) { /* those of all cases come before their scenarios */
    const mechanism_variant *v = &m->variant[i];
    if (v->config->scenario == 0 && has_numbers_of(v, k)) { (*out)->nominal = v; }
  }
  return make_variant(m, *out, err);
}

static void variant_free(mechanism_variant *v) {
  for (int i = 0; v->d && i < v->directions; i++) { mbd_dparams_destroy(v->d[i]); }
  mbd_dparams_destroy(v->column);
  mbd_params_destroy(v->params);
  mbd_model_destroy(v->model);
  mbo_model_file_destroy(v->file);
  free(v->d), free(v->theta), free(v->moved), free(v->requested), free(v->distribution), free(v->deviate), free(v->rho);
}

/* ---- cases ---- */

/* The curve that an objective is to follow, or the one that stands for it in this case; NULL: none. */
static mbd_status target_curve(const mechanism *m, const mechanism_case *load, const char *what,
                               const mbo_objective_config *o, const char **curve, mbd_error *err) {
  const mbo_pairs *instead = &load->config->curves;
  mbd_nearest near = {.requested = o->target_curve};
  char hint[MBD_HINT];
  int known = 0;
  *curve = NULL;
  /* Without a curve there is nothing to look for; otherwise the curve must be one of the model. */
  if (!*o->target_curve) { return MBD_OK; }
  *curve = o->target_curve;
  for (int i = 0; mbd_model_curve_name(load->v->model, i); i++) {
    known |= strcmp(mbd_model_curve_name(load->v->model, i), *curve) == 0;
  }
  if (!known) {
    /* The message proposes the curve with the nearest name. */
    for (int i = 0; mbd_model_curve_name(load->v->model, i); i++) {
      mbd_nearest_offer(&near, mbd_model_curve_name(load->v->model, i));
    }
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [%s %s] target_curve = %s is not a curve of the model%s", m->config->path, what,
             o->name, *curve, mbd_nearest_text(&near, hint, sizeof hint));
  }
  /* The case may name another curve that stands for this one. */
  for (int i = 0; i < instead->name.n; i++) {
    if (strcmp(instead->name.v[i], o->target_curve) == 0) { *curve = instead->text.v[i]; }
  }
  return MBD_OK;
}

/* Adds to a message about an output of a drive that another case has it. */
static void note_drive_of_other_case(const mechanism *m, const mechanism_case *load, mbd_error *err) {
  for (int i = 0; err && i < m->config->ncase; i++) {
    const mbo_case_config *other = &m->config->cases[i];
    for (int k = 0; other != load->config && k < other->drives.name.n; k++) {
      char *drive = mbd_sprintf_dup("'drive.%s.", other->drives.name.v[k]);
      const int is_meant = drive && strstr(err->text, drive);
      free(drive);
      if (!is_meant) { continue; }
      const size_t used = strlen(err->text);
      snprintf(err->text + used, sizeof err->text - used, "; case '%.80s' has drive.%.80s, and case '%.80s' has not",
               other->name, other->drives.name.v[k], load->config->name);
      return;
    }
  }
}

static mbd_status add_output(const mechanism *m, const mechanism_case *load, const char *name, int *first, int *count,
                             mbd_error *err) {
  const mbd_status status = mbd_outputs_add(load->outputs, name, first, count, err);
  if (status == MBD_BAD_INPUT) { note_drive_of_other_case(m, load, err); }
  return status;
}

/* Adds `count` terms like *term, of the outputs from `first` on, each with its own target if there are several. */
static mbd_status add_terms(mechanism_case *load, mbd_term term, int first, int count, const mbo_numbers *target,
                            mbd_error *err) {
  for (int i = 0; i < count; i++) {
    mbd_term *grown = mbd_list_grow(load->term, load->nterm, sizeof *grown);
    MEMORY_TRY(grown, err, "the objectives");
    load->term = grown;
    term.output = first + i;
    term.target = target->n ? target->v[target->n > 1 ? i : 0] : 0;
    grown[load->nterm++] = term;
  }
  return MBD_OK;
}

/* The column "lam EQUATION" of trajectory.csv: the output C.multiplier of a constraint C with one equation, C.multiplier.x of one with several. */
static mbd_status add_multiplier(const mechanism_case *load, const char *equation, int *first, int *count,
                                 mbd_error *err) {
  const char *dot = strrchr(equation, '.');
  char name[400];
  snprintf(name, sizeof name, "%s.multiplier", equation);
  if (!dot || mbd_outputs_add(load->outputs, name, first, count, NULL) == MBD_OK) {
    return mbd_outputs_add(load->outputs, name, first, count, err);
  }
  snprintf(name, sizeof name, "%.*s.multiplier%s", (int)(dot - equation), equation, dot);
  return mbd_outputs_add(load->outputs, name, first, count, err);
}

/* Terms of the outputs that a program has sampled. */
static mbd_status add_samples(const mechanism *m, mechanism_case *load, const mbo_objective_config *o, int quantity,
                              mbd_error *err) {
  const mbd_term term = {.psi = load->npsi, .form = o->form, .weight = 1, .samples = &o->samples->is};
  for (int i = 0; i < o->samples->n; i++) {
    const char *column = o->samples->of[i];
    const int is_multiplier = strncmp(column, "lam ", 4) == 0;
    int first, count;
    const mbd_status status = is_multiplier ? add_multiplier(load, column + 4, &first, &count, err)
                                            : add_output(m, load, column, &first, &count, err);
    MBD_TRY(mbd_locate(err, status, "%s: a column of case '%s': ", m->config->path, load->config->name));
    MBD_TRY(add_terms(load, term, first, count, &o->target, err));
  }
  load->quantity[load->npsi++] = quantity;
  return MBD_OK;
}

/* Terms of one objective or constraint: one per component of its output. */
static mbd_status add_quantity(mechanism *m, mechanism_case *load, const char *kind, const mbo_objective_config *o,
                               int quantity, mbd_error *err) {
  const char *what = o->measured ? "measurement" : kind, *curve;
  int first, count;
  const int scenario = load->config->scenario, across = scenarios_across(m, quantity) >= 0;
  /* Quantities that are expressions, and those of other cases, have no terms in this case. Those across scenarios have them in all scenarios,
   * each of its own, and others in none. */
  if (*o->value || strcmp(o->in_case, load->config->name) != 0 || across != (scenario > 0)) { return MBD_OK; }
  if (across) { quantity = scenarios_sample(m, quantity, scenario - 1); }
  if (o->samples) { return add_samples(m, load, o, quantity, err); }
  MBD_TRY(
      mbd_locate(err, add_output(m, load, o->of, &first, &count, err), "%s: [%s %s] ", m->config->path, what, o->name));
  /* Requirements: targets fit the output, and a measurement has one number. */
  if (o->target.n > 1 && o->target.n != count) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [%s %s] target has %d values, but output %s has %d", m->config->path, what,
             o->name, o->target.n, o->of, count);
  }
  MBD_TRY(target_curve(m, load, what, o, &curve, err));
  if (o->measured && count != 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [%s %s] of: output %s has %d components, expected one number, as %s",
             m->config->path, what, o->name, o->of, count, mbd_outputs_name(load->outputs, first));
  }
  /* A sharpness that is left out follows from the range of the output; until then any number stands for it (cases.h). */
  const mbd_form_info *form = mbd_form_find(o->form);
  const int is_open = form->is_peak && isnan(o->sharpness);
  m->smooths |= form->smooths;
  m->sharpness[quantity] = form->is_peak ? o->sharpness : NAN, m->sharpness_open |= is_open;
  /* What the terms have in common: form, curve, window, and the samples of a measurement. */
  char *label = load->label[load->npsi] = mbd_sprintf_dup("[%s %s]", what, o->name);
  mbd_term term = {.psi = load->npsi,
                   .form = o->form,
                   .weight = 1,
                   .smoothing = o->smoothing,
                   .sharpness = is_open ? 1 : o->sharpness,
                   .target_curve = curve};
  MEMORY_TRY(label, err, "the objectives");
  MBD_TRY(term_window(m, load, label, o, &term, err));
  if (term.width > 0) { m->sharpness[quantity] = 1 / term.width; }
  if (o->measured) {
    MBD_TRY(measured_read(m->config, o->measured, load->v->model, &load->series[load->npsi], err));
    term.samples = &load->series[load->npsi].is;
  }
  MBD_TRY(add_terms(load, term, first, count, &o->target, err));
  load->quantity[load->npsi++] = quantity;
  return MBD_OK;
}

/* Adds all derived quantities to the outputs, which are written; this checks them, too. */
static mbd_status add_derived(const mechanism *m, mechanism_case *load, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const char *name;
  for (int i = 0; (name = mbd_model_quantity_name(load->v->model, i)) != NULL; i++) {
    int first, count, k = 0;
    while (k < c->nquantity && strcmp(c->quantity[k].name, name) != 0) { k++; }
    MBD_TRY(mbd_locate(err, add_output(m, load, name, &first, &count, err),
                       "%s: ", k < c->nquantity ? c->path : c->model_path));
  }
  return MBD_OK;
}

/* Adds the outputs of sensors, one number each. */
static mbd_status add_sensors(const mechanism *m, mechanism_case *load, mbd_error *err) {
  const mbo_run_config *c = m->config;
  load->sensor = mbd_zeros((size_t)c->nsensor, sizeof *load->sensor);
  MEMORY_TRY(load->sensor, err, "the sensors");
  for (int i = 0; i < c->nsensor; i++) {
    const mbo_sensor_config *k = &c->sensor[i];
    int count;
    load->sensor[i] = -1;
    if (strcmp(k->in_case, load->config->name) != 0) { continue; }
    MBD_TRY(mbd_locate(err, add_output(m, load, k->of, &load->sensor[i], &count, err), "%s: [sensor %s] ", c->path,
                       k->name));
    if (count != 1) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: [sensor %s] of: output %s has %d components, expected one number, as %s",
               c->path, k->name, k->of, count, mbd_outputs_name(load->outputs, load->sensor[i]));
    }
    if (load->c.free_duration && (isfinite(k->from) || isfinite(k->until))) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "%s: [sensor %s] from, until: the duration of case '%s' varies; expected samples over all of it",
               c->path, k->name, load->config->name);
    }
    if (!load->c.free_duration && (k->from > load->c.duration || k->until < 0)) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: [sensor %s] has no sample: case '%s' lasts from 0 to %g s", c->path, k->name,
               load->config->name, load->c.duration);
    }
  }
  return MBD_OK;
}

/* Adds the forces of drives to the outputs of a kinematic case, since they are its main result. */
static mbd_status add_drives(const mechanism *m, mechanism_case *load, mbd_error *err) {
  static const char *const outputs[] = {"drive_force", "power"};
  const char *drive;
  if (strcmp(load->c.analysis, "motion") == 0) { return MBD_OK; }
  for (int i = 0; (drive = mbd_model_drive_name(load->v->model, i)) != NULL; i++) {
    for (int k = 0; k < 2; k++) {
      char name[400];
      int first, count;
      snprintf(name, sizeof name, "%s.%s", drive, outputs[k]);
      MBD_TRY(mbd_locate(err, mbd_outputs_add(load->outputs, name, &first, &count, err), "%s: ", m->config->path));
    }
  }
  return MBD_OK;
}

/* Adds the columns that are named in full to the outputs. What is none, as a rate or a multiplier, is another column, which series_check
 * looks for. */
static mbd_status add_columns(const mechanism_case *load, const mbo_names *columns, mbd_error *err) {
  for (int i = 0; i < columns->n; i++) {
    mbd_error none = {0};
    int first, count;
    if (strchr(columns->v[i], '*')) { continue; }
    const mbd_status status = mbd_outputs_add(load->outputs, columns->v[i], &first, &count, &none);
    if (status != MBD_OK && status != MBD_BAD_INPUT) {
      *err = none;
      return status;
    }
  }
  return MBD_OK;
}

/* The curves of a steady motion, and the scalars that it determines. */
static mbd_status set_up_steady(const mechanism *m, mechanism_case *load, mbd_error *err) {
  const mbo_names *find = &load->config->steady_find;
  const mbo_model_file *f = load->v->file;
  load->c.steady_speed = f->steady[0], load->c.steady_curvature = f->steady[1];
  load->c.steady_lateral_acceleration = f->steady[2];
  if (find->n == 0) { return MBD_OK; }
  const size_t max = (size_t)find->n * (size_t)mbd_model_ncoef(load->v->model);
  load->found_first = mbd_zeros((size_t)find->n + 1, sizeof *load->found_first);
  load->found_coef = mbd_zeros(max, sizeof *load->found_coef);
  load->found_weight = mbd_zeros(max, sizeof *load->found_weight);
  MEMORY_TRY(load->found_first && load->found_coef && load->found_weight, err, "case '%s'", load->config->name);
  for (int i = 0; i < find->n; i++) {
    int n, *index;
    double *weight;
    const mbd_status status = model_file_input(f, find->v[i], &n, &index, &weight, err);
    for (int k = 0; k < n; k++) {
      load->found_coef[load->found_first[i] + k] = index[k], load->found_weight[load->found_first[i] + k] = weight[k];
    }
    load->found_first[i + 1] = load->found_first[i] + n;
    free(index), free(weight);
    MBD_TRY(mbd_locate(err, status, "%s: [case %s] steady.find: ", m->config->path, load->config->name));
  }
  load->c.nfound = find->n, load->c.found_name = (const char *const *)find->v;
  load->c.found_first = load->found_first, load->c.found_coef = load->found_coef;
  load->c.found_weight = load->found_weight;
  return MBD_OK;
}

const char *mechanism_found(const mechanism_case *load, int i, double *value) {
  int k;
  if (i >= load->c.nfound || model_file_scalar(load->v->file, load->c.found_name[i], &k, NULL) != MBD_OK) {
    return NULL;
  }
  *value = load->v->file->value[k] + mbd_sim_found(load->sim, i);
  return load->c.found_name[i];
}

/* Sets up a case: its variant of the model, its options, the terms of its objectives and constraints, its outputs and its simulation. */
static mbd_status set_up_case(mechanism *m, mechanism_case *load, const mbo_case_config *k, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const size_t max = (size_t)(m->nobjective + m->nconstraint);
  load->config = k, load->run = c;
  /* The model with the scalars, curves and drives of the case. Its duration may depend on variables. */
  MBD_TRY(variant_of(m, k, &load->v, err));
  load->c = k->simulation;
  load->c.free_duration = free_duration(m, load);
  MBD_TRY(set_up_steady(m, load, err));
  /* Memory for all quantities of the run, of which the case may have fewer. */
  load->quantity = calloc(max + 1, sizeof *load->quantity);
  load->psi = calloc(max + 1, sizeof *load->psi);
  load->label = calloc(max + 1, sizeof *load->label);
  load->series = calloc(max + 1, sizeof *load->series);
  MEMORY_TRY(load->quantity && load->psi && load->label && load->series, err, "case '%s'", k->name);
  /* Terms of the objectives, then of the constraints, with the outputs that they read. */
  MBD_TRY(mbd_outputs_create(load->v->model, &load->outputs, err));
  for (int i = 0; i < m->nobjective; i++) { MBD_TRY(add_quantity(m, load, "objective", &c->objective[i], i, err)); }
  load->nobjective = load->npsi;
  for (int i = 0; i < m->nconstraint; i++) {
    MBD_TRY(add_quantity(m, load, "constraint", &c->constraint[i], m->nobjective + i, err));
  }
  /* Further outputs, of the run file's own cases: those that the run file requests and its columns, derived quantities, and forces of drives. */
  for (int i = 0; k->scenario == 0 && i < c->output.outputs.n; i++) {
    int first, count;
    mbd_status status = add_output(m, load, c->output.outputs.v[i], &first, &count, err);
    MBD_TRY(mbd_locate(err, status, "%s: [output outputs] ", c->path));
  }
  MBD_TRY(add_sensors(m, load, err));
  if (k->scenario == 0) {
    MBD_TRY(add_columns(load, &c->output.columns, err));
    if (c->output.columns.n > 0) { mbd_outputs_shown(load->outputs); } /* nobody asked for the others */
    MBD_TRY(add_derived(m, load, err));
    MBD_TRY(add_drives(m, load, err));
  }
  /* The simulation. Errors name the line of the section of the case, if it has one. */
  const mbd_status status = case_renew(load, 0, err);
  return k->line > 0 ? mbd_locate(err, status, "%s:%d: [case %s] ", c->path, k->line, k->name)
                     : mbd_locate(err, status, "%s: [case %s] ", c->path, k->name);
}

/* Memory of values, gradients, constraints and cases by the numbers of the run file. mechanism_destroy frees what there is. */
static mbd_status allocate(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  m->nobjective = c->nobjective;
  m->nconstraint = c->nconstraint;
  m->nall = m->nobjective + m->nconstraint + scenarios_samples(m);
  const size_t n = (size_t)m->n, nq = (size_t)m->nall;
  m->psi = calloc(nq + 1, sizeof *m->psi);
  m->dpsi = calloc(nq + 1, sizeof *m->dpsi);
  m->grad = calloc(nq * n + 1, sizeof *m->grad);
  m->share = calloc((size_t)m->nobjective + 1, sizeof *m->share);
  const size_t nc = (size_t)m->nconstraint + MECHANISM_ROWS_MAX;
  m->c_name = calloc(nc, sizeof *m->c_name);
  m->c_linear = calloc(nc, sizeof *m->c_linear);
  m->c_lower = calloc(2 * nc, sizeof *m->c_lower);
  m->work = calloc(n + 1, sizeof *m->work);
  m->cases = calloc((size_t)c->ncase * (1 + (size_t)scenarios_count(m)) + 1, sizeof *m->cases);
  m->truth = calloc(nq + 1, sizeof *m->truth);
  m->true_psi = calloc(2 * nq + n + 1, sizeof *m->true_psi);
  m->shift = calloc((size_t)m->nconstraint + 1, sizeof *m->shift);
  MEMORY_TRY(m->truth && m->true_psi && m->shift && m->psi && m->dpsi && m->grad && m->share && m->c_name &&
                 m->c_linear && m->c_lower && m->work && m->cases,
             err, "the problem");
  m->sharpness = m->true_psi + nq, m->file_start = m->sharpness + nq;
  m->worst_sharpness = c->objectives.sharpness;
  memcpy(m->file_start, m->start, n * sizeof *m->start);
  for (size_t i = 0; i < nq; i++) { /* until a design has been simulated */
    m->psi[i] = m->truth[i].value = m->sharpness[i] = NAN;
  }
  MBD_TRY(scenarios_allocate(m, err));
  m->c_upper = m->c_lower + nc;
  for (int i = 0; i < m->nconstraint; i++) {
    m->c_name[i] = c->constraint[i].name;
    m->c_lower[i] = c->constraint[i].lower;
    m->c_upper[i] = c->constraint[i].upper;
  }
  return MBD_OK;
}

/* Of each case, and without one, by itself and in each scenario. */
static int variants_max(const mechanism *m) {
  return (m->config->ncase + 1) * (1 + scenarios_count(m));
}

/* The model of the first case says how many variables there are, and where they start. */
static mbd_status make_design(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  MBD_TRY(modes_create(m, err));
  MBD_TRY(scenarios_create(m, err));
  MBD_TRY(experiments_create(m, err));
  MBD_TRY(values_create(m, err));
  m->variant = calloc((size_t)variants_max(m), sizeof *m->variant);
  MEMORY_TRY(m->variant, err, "the problem");
  m->variant[0].config = c->ncase > 0 ? &c->cases[0] : values_case(m, 0);
  MBD_TRY(read_variant(m, &m->variant[0], err));
  design *d = &m->design;
  MBD_TRY(design_create(c, m->variant[0].file, d, err));
  MBD_TRY(experiments_find_parameters(m, err));
  m->with_parameters = mbd_zeros((size_t)(d->n + d->nparameter), sizeof *m->with_parameters);
  MEMORY_TRY(m->with_parameters, err, "the problem");
  for (int i = 0; i < d->nparameter; i++) { m->with_parameters[d->n + i] = d->parameter[i]; }
  m->n = d->n, m->name = (const char *const *)d->name;
  m->start = d->start, m->lower = d->lower, m->upper = d->upper, m->scale = d->scale;
  return MBD_OK;
}

static mbd_status set_up_values(mechanism *m, mbd_error *err) {
  const mbo_case_config *k;
  for (int i = 0; (k = values_case(m, i)) != NULL; i++) {
    mechanism_variant *v;
    MBD_TRY(variant_of(m, k, &v, err));
  }
  for (int i = 0; i < m->nconstraint; i++) { m->c_linear[i] = (unsigned char)values_linear(m, m->nobjective + i); }
  return values_ready(m, err);
}

static mbd_status create(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  MBD_TRY(plugin_list(c, &m->plugin, err));
  MBD_TRY(make_design(m, err));
  MBD_TRY(allocate(m, err));
  for (int i = 0; i < c->ncase; i++) {
    m->ncase = m->nload = i + 1;
    MBD_TRY(set_up_case(m, &m->cases[i], &c->cases[i], err));
  }
  for (int i = 0; i < c->ncase * scenarios_count(m); i++) { /* those of one case follow each other */
    mechanism_case *load = &m->cases[m->nload++];
    MBD_TRY(set_up_case(m, load, scenarios_case(m, i / scenarios_count(m), i % scenarios_count(m)), err));
  }
  MBD_TRY(modes_set_up(m, err));
  MBD_TRY(experiments_set_up(m, err));
  MBD_TRY(set_up_values(m, err));
  choices_begin(m);
  MBD_TRY(cases_make_lanes(m, err));
  MBD_TRY(designs_begin(m, err));
  MBD_TRY(series_check(m, err));
  return design_check_start(&m->design, c, err);
}

mbd_status mechanism_create(const mbo_run_config *c, mechanism **out, mbd_error *err) {
  mechanism *m = calloc(1, sizeof *m);
  *out = NULL;
  MEMORY_TRY(m, err, "the problem");
  m->config = c, m->lanes = m->design_lanes = 1, m->lane = -1;
  mbd_status status = create(m, err);
  if (status != MBD_OK) { mechanism_destroy(m); }
  *out = status == MBD_OK ? m : NULL;
  return status;
}

int mechanism_asks_for_lanes(const mechanism *m) {
  return m->lanes > 1 || m->design_lanes > 1;
}

lane_counts mechanism_lanes(const mechanism *m) {
  lane_counts sum = {0, 0};
  for (int i = 0; i < m->nload; i++) {
    sum.together += m->cases[i].counted.together, sum.repeated += m->cases[i].counted.repeated;
  }
  return sum;
}

/* Frees a mechanism, whole or half built. */
void mechanism_destroy(mechanism *m) {
  if (!m) { return; }
  for (int i = 0; i < m->nload; i++) {
    mechanism_case *load = &m->cases[i];
    mbd_sim_destroy(load->sim), mbd_sim_destroy(load->column);
    case_free_designs(load);
    free(load->along);
    free(load->found_first), free(load->found_coef), free(load->found_weight);
    mbd_referee_destroy(load->referee);
    mbd_outputs_destroy(load->outputs), mbd_outputs_destroy(load->shown);
    /* Quantity npsi may have a label and a series already if its setup has failed. */
    for (int k = 0; load->label && k <= load->npsi && k < m->nobjective + m->nconstraint; k++) { free(load->label[k]); }
    for (int k = 0; load->series && k <= load->npsi && k < m->nobjective + m->nconstraint; k++) {
      measured_free(&load->series[k]);
    }
    free(load->label), free(load->series), free(load->sensor);
    free(load->term), free(load->quantity), free(load->psi), free(load->grad), free(load->gn), free(load->gtheta),
        free(load->sum);
    free(load->hess), free(load->direction), free(load->moving);
  }
  for (int i = 0; m->variant && i < variants_max(m); i++) { variant_free(&m->variant[i]); }
  cases_free_lanes(m);
  values_destroy(m);
  scenarios_destroy(m);
  modes_destroy(m);
  experiments_destroy(m);
  design_free(&m->design);
  plugin_list_free(m->plugin, m->config->nplugin);
  free(m->cases), free(m->variant), free(m->psi), free(m->dpsi), free(m->grad), free(m->hess);
  free(m->decided), free(m->truth), free(m->true_psi), free(m->shift);
  free(m->c_name), free(m->c_lower), free(m->c_linear), free(m->work), free(m->share), free(m->front_at),
      free(m->with_parameters);
  free(m);
}
