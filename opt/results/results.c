#include "results/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/json.h"
#include "files/text_stream.h"
#include "mechanism/cases.h"
#include "mechanism/choices.h"
#include "mechanism/lockstep.h"
#include "mechanism/numbers.h"
#include "mechanism/true_values.h"
#include "mechanism/series.h"
#include "mechanism/warnings.h"
#include "mbd/user_force.h"
#include "mbd/version.h"
#include "files/atomic_file.h"
#include "files/csv.h"
#include "mechanism/units.h"

json_t *results_design(const mechanism *m, const double *x) {
  json_t *o = json_object();
  for (int i = 0; i < m->n; i++) { json_object_set_new(o, m->name[i], json_number(x[i])); }
  return o;
}

json_t *results_texts(int n, const char *const *text) {
  json_t *list = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(list, json_text(text[i])); }
  return list;
}

json_t *results_quantities(const mechanism *m, int gradient) {
  json_t *a = json_array();
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(mechanism_quantity(m, i)));
    json_object_set_new(o, "kind", json_string(i < m->nobjective ? "objective" : "constraint"));
    json_object_set_new(o, "value", json_number(m->psi[i]));
    /* Of a smooth extremum, a quantile, a smoothed |s|: the true value beside it, and of extrema how sharp they are. */
    if (isfinite(m->sharpness[i])) { json_object_set_new(o, "sharpness", json_number(m->sharpness[i])); }
    if (m->truth[i].smooths) { json_object_set_new(o, "true_value", json_number(m->truth[i].value)); }
    if (isfinite(m->truth[i].time)) { json_object_set_new(o, "true_time", json_number(m->truth[i].time)); }
    if (gradient) { json_object_set_new(o, "gradient", json_numbers(m->grad + i * m->n, m->n)); }
    json_array_append_new(a, o);
  }
  return a;
}

json_t *results_plugins(const mechanism *m) {
  json_t *a = json_array();
  for (int i = 0; i < m->config->nplugin; i++) {
    const mbd_user_force *u = m->plugin[i].force;
    if (!u) { continue; }
    json_array_append_new(
        a, json_pack("{s:s, s:o, s:s, s:s}", "name", m->plugin[i].name, "file", json_text(m->config->plugin[i].file),
                     "force", u->name, "derivatives", mbd_user_force_derivatives(u)));
  }
  return a;
}

void results_put_lanes(const mechanism *m, json_t *o) {
  if (mechanism_asks_for_lanes(m)) { json_object_set_new(o, "in_lanes", lockstep_counts_json(mechanism_lanes(m))); }
}

json_t *results_gradient(const mechanism *m) {
  json_t *a = json_array();
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *load = &m->cases[i];
    if (load->npsi == 0) { continue; }
    json_t *o = choices_json(load);
    if (gradient_is_adjoint(load->choice.method)) {
      json_object_set_new(o, "bytes_stored", json_integer((json_int_t)load->stored));
      json_object_set_new(o, "steps_done_again", json_integer(load->repeated));
    }
    json_array_append_new(a, o);
  }
  return a;
}

static json_t *failures(const mechanism *m, const mbo_result *r) {
  json_t *a = json_array();
  for (int i = 0; i < r->nfailure; i++) {
    const mbo_failure *f = &r->failure[i];
    json_array_append_new(
        a, json_pack("{s:i, s:s, s:o, s:o}", "evaluation", f->number, "status", mbd_status_name(f->status), "error",
                     json_text(f->text ? f->text : ""), "design", f->x ? results_design(m, f->x) : json_object()));
  }
  return a;
}

json_t *results_flat_directions(const mechanism *m, const flat_directions *v) {
  json_t *list = json_array();
  for (int i = 0; i < v->n; i++) {
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:o}", "eigenvalue", json_number(v->eigenvalue[i]), "one_percent_worse_at",
                        json_number(v->one_percent[i]), "direction", results_design(m, v->direction + i * v->n)));
  }
  return list;
}

mbd_status results_look_around(const mbo_problem *p, const double *x, flat_directions *v, mbd_error *err) {
  mbd_error why = {0};
  *v = (flat_directions){0};
  if (!p->has_gauss_newton || p->n > FLAT_DIRECTIONS_MAX) { return MBD_OK; }
  if (flat_directions_create(p, x, v, &why) != MBD_NO_MEMORY) { return MBD_OK; }
  if (err) { *err = why; }
  return MBD_NO_MEMORY;
}

/* A quantity at the end of a stage. */
static json_t *of_stage(const mechanism *m, const stage *s, int i) {
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "name", mechanism_quantity(m, i), "sharpness",
                   json_number(s->sharpness[i]), "shift", json_number(s->shift[i]), "value", json_number(s->smooth[i]),
                   "true_value", json_number(s->truth[i]), "true_time", json_number(s->time[i]));
}

json_t *results_stages(const mechanism *m, const stages *list) {
  json_t *a = json_array();
  for (int k = 0; k < list->n; k++) {
    const stage *s = &list->stage[k];
    json_t *o = json_object(), *objectives = json_array(), *constraints = json_array();
    json_object_set_new(o, "status", json_string(mbo_status_name(s->status)));
    json_object_set_new(o, "designs", json_integer(s->designs));
    json_object_set_new(o, "objective", json_number(s->f));
    json_object_set_new(o, "true_objective", json_number(s->f_true));
    if (mechanism_is_worst(m)) { json_object_set_new(o, "sharpness", json_number(s->worst_sharpness)); }
    for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
      json_array_append_new(i < m->nobjective ? objectives : constraints, of_stage(m, s, i));
    }
    json_object_set_new(o, "objectives", objectives);
    json_object_set_new(o, "constraints", constraints);
    json_array_append_new(a, o);
  }
  return a;
}

/* What changes first as a number moves; null: nothing does. */
static json_t *of_change(const first_change *c) {
  if (!c->is) { return json_null(); }
  return json_pack("{s:s, s:s, s:s, s:s, s:o}", "change", c->is_reached ? "reached" : "released", "kind",
                   price_kind(c->of), "side", price_side(c->of), "name", c->name, "at", json_number(c->at));
}

static json_t *of_price(const mechanism *m, const price *p, int changes) {
  json_t *o = json_object();
  json_object_set_new(o, "name", json_string(p->name));
  if (p->of != PRICE_NUMBER) { json_object_set_new(o, "kind", json_string(price_kind(p->of))); }
  if (price_side(p->of)) { json_object_set_new(o, "side", json_string(price_side(p->of))); }
  json_object_set_new(o, "at", json_number(p->at));
  json_object_set_new(o, "unit", json_own_text(price_unit(m, p)));
  json_object_set_new(o, "slope", json_number(p->slope));
  json_object_set_new(o, "percent", json_number(p->percent));
  if (changes) {
    json_object_set_new(o, "first_below", of_change(&p->below));
    json_object_set_new(o, "first_above", of_change(&p->above));
  }
  return o;
}

json_t *results_post_optimality(const mechanism *m, const post_optimality *prices) {
  json_t *active = json_array(), *numbers = json_array();
  for (int i = 0; i < prices->n; i++) {
    const price *p = &prices->price[i];
    json_array_append_new(p->of == PRICE_NUMBER ? numbers : active, of_price(m, p, prices->changes));
  }
  json_t *o = json_pack("{s:b, s:o, s:o}", "unique", !prices->several, "active", active, "numbers", numbers);
  if (prices->why[0]) { json_object_set_new(o, "first_changes_unknown", json_text(prices->why)); }
  return o;
}

static json_t *of_scatter(const mechanism *m, const scatter_control *c, const scatter_of *k) {
  json_t *portions = json_array();
  for (int i = 0; i < m->scenarios->nuncertain; i++) {
    json_array_append_new(
        portions, json_pack("{s:s, s:o}", "name", m->config->uncertain[i].name, "share", json_number(k->share[i])));
  }
  const across_measure *is = m->scenarios->across[scenarios_across(m, k->quantity)].is;
  json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name", mechanism_quantity(m, k->quantity),
                        "across", measure_word(is), "unit", json_own_text(unit_of_quantity(m, k->quantity)), "value",
                        json_number(k->reported), "mean", json_number(k->mean), "sigma", json_number(k->sigma),
                        "mean_second", json_number(k->mean_second), "shares", portions);
  if (c->samples == 0) { return o; }
  json_object_set_new(o, "check",
                      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "value", json_number(k->value), "low",
                                json_number(k->low), "high", json_number(k->high), "beyond", json_number(k->beyond),
                                "mean", json_number(k->sample_mean), "sigma", json_number(k->sample_sigma), "differs",
                                scatter_control_differs(k), "violates", scatter_control_violates(m, k)));
  return o;
}

json_t *results_scatter(const mechanism *m, const scatter_control *c) {
  json_t *list = json_array();
  for (int i = 0; i < c->n; i++) { json_array_append_new(list, of_scatter(m, c, &c->of[i])); }
  return json_pack("{s:i, s:f, s:o, s:s*}", "samples", c->samples, "confidence", c->confidence, "quantities", list,
                   "failure", *c->failure ? c->failure : NULL);
}

/* The contents of result.json after an optimization. */
json_t *results_optimization(const mechanism *m, const mbo_result *r, const char *backend, const char *algorithm) {
  json_t *o = json_object(), *bounds = json_array();
  /* The program, the files, and how the optimizer ended. */
  json_object_set_new(o, "mbopt", json_string(MBD_VERSION));
  json_object_set_new(o, "run", json_text(m->config->path));
  json_object_set_new(o, "model", json_text(m->config->model_path));
  json_object_set_new(o, "status", json_string(mbo_status_name(r->status)));
  json_object_set_new(o, "status_text", json_string(mbo_status_text(r->status)));
  json_object_set_new(o, "backend", json_string(backend));
  json_object_set_new(o, "algorithm", json_string(algorithm));
  json_object_set_new(o, "backend_code", json_integer(r->code));
  json_object_set_new(o, "backend_text", json_text(r->text));
  /* Of a fit: the number of samples and the relative offset (evaluate/evaluator.h). */
  if (r->samples) {
    json_object_set_new(o, "samples", json_integer(r->samples));
    json_object_set_new(o, "relative_offset", json_number(r->offset));
  }
  json_object_set_new(o, "plugins", results_plugins(m));
  json_object_set_new(o, "gradient", results_gradient(m));
  results_put_lanes(m, o);
  /* The result: objective, violation, optimality, and the design with the variables that are at a bound. */
  json_object_set_new(o, "objective", json_number(r->f));
  if (isfinite(r->f) && true_values_differ(m)) { json_object_set_new(o, "true_objective", json_number(m->f_true)); }
  json_object_set_new(o, "noise", json_number(r->noise));
  json_object_set_new(o, "objective_at_start", json_number(r->f_start));
  json_object_set_new(o, "violation", json_number(r->violation));
  json_object_set_new(o, "optimality", json_number(r->optimality));
  json_object_set_new(o, "design", results_design(m, r->x));
  json_object_set_new(o, "start", results_design(m, m->start));
  for (int i = 0; i < m->n; i++) {
    if (design_at_bound(&m->design, i, r->x[i])) { json_array_append_new(bounds, json_string(m->name[i])); }
  }
  json_object_set_new(o, "at_bound", bounds);
  /* With catalogues: the optimum before their values were chosen, and the search among these. */
  if (r->x_continuous) {
    json_object_set_new(o, "continuous",
                        json_pack("{s:o, s:o, s:i, s:o}", "objective", json_number(r->f_continuous), "design",
                                  results_design(m, r->x_continuous), "neighbours", r->neighbours, "combinations",
                                  json_number(design_combinations(&m->design))));
  }
  json_object_set_new(o, "quantities", results_quantities(m, 0));
  /* Counts, designs that failed, and warnings if any design could be simulated. */
  json_object_set_new(o, "iterations", json_integer(r->iterations));
  json_object_set_new(o, "evaluations", json_integer(r->evaluations));
  json_object_set_new(o, "replayed", json_integer(r->replayed));
  json_object_set_new(o, "gradients", json_integer(r->gradients));
  json_object_set_new(o, "watched_gradients", json_integer(r->watched));
  json_object_set_new(o, "gradient_deviation", json_number(r->deviation));
  json_object_set_new(o, "hessians", json_integer(r->hessians));
  json_object_set_new(o, "restarts", json_integer(r->restarts));
  json_object_set_new(o, "failed_designs", json_integer(r->failures));
  json_object_set_new(o, "failures", failures(m, r));
  json_object_set_new(o, "warnings", isfinite(r->f) ? warnings_json(m) : json_array());
  json_object_set_new(o, "seconds", json_number(r->seconds));
  return o;
}

/* ---- files ---- */

/* Compares the configuration that the file gives with the text of the one that was written; an error quotes the first
 * line that differs. */
static mbd_status same_text(const char *path, const char *text, mbd_error *err) {
  mbo_run_config *c = NULL;
  text_stream stream;
  size_t line = 0;
  MBD_TRY(mbo_run_config_read(path, 0, NULL, &c, err));
  FILE *out = text_begin(&stream);
  if (out) { mbo_run_config_write(c, out); }
  char *again = text_end(&stream);
  mbo_run_config_destroy(c);
  MBD_TRY(MEMORY_WHOLE(err, "%s", path));
  text = strstr(text, "\nschema"); /* the lines before it contain the origin of the values */
  const char *other = strstr(again, "\nschema");
  size_t k = 0;
  for (; text[k] && text[k] == other[k]; k++) {
    if (text[k] == '\n') { line = k + 1; }
  }
  const int same = text[k] == other[k];
  free(again);
  if (same) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%.*s", (int)strcspn(text + line, "\n"), text + line);
}

/* Refuses a configuration that could not be read back unchanged, for example because a path has a line break. */
static mbd_status read_back(const atomic_file *file, const mbo_run_config *c, mbd_error *err) {
  text_stream stream;
  mbd_error why = {0};
  FILE *out = text_begin(&stream);
  if (out) { mbo_run_config_write(c, out); }
  char *text = text_end(&stream);
  mbd_status status = MEMORY_WHOLE(&why, "%s", file->path);
  if (status == MBD_OK) { status = same_text(file->temporary, text, &why); }
  free(text);
  if (status == MBD_BAD_INPUT) {
    (void)MBD_FAILED(err, status,
                     "%s: a path cannot stand in %s: expected one line of UTF-8 without blanks at its ends; found: %s",
                     c->path, file->path, why.text);
  } else if (status != MBD_OK && err) {
    *err = why;
  }
  return status;
}

mbd_status results_write_config(const char *folder, const mbo_run_config *c, mbd_error *err) {
  atomic_file file;
  MBD_TRY(atomic_open_in(folder, "resolved.ini", &file, err));
  mbo_run_config_write(c, file.out);
  mbd_status status = MEMORY_WHOLE(err, "%s", file.path);
  if (status == MBD_OK && stream_flush(file.out) == 0) { status = read_back(&file, c, err); }
  return atomic_end(&file, status, err);
}

void history_add(history *h, const mbo_iteration *it) {
  mbo_iteration *grown = mbd_list_grow(h->it, h->n, sizeof *grown);
  if (!grown) { return; } /* the evaluations are still in the journal */
  h->it = grown;
  grown[h->n++] = *it;
}

void history_free(history *h) {
  free(h->it);
  *h = (history){0};
}

mbd_status history_write(const char *folder, const history *h, mbd_error *err) {
  atomic_file file;
  MBD_TRY(MEMORY_WHOLE(err, "%s/history.csv", folder));
  MBD_TRY(atomic_open_in(folder, "history.csv", &file, err));
  fprintf(file.out, "iteration,evaluations,objective,violation,optimality,step\n");
  for (int i = 0; i < h->n; i++) {
    const mbo_iteration *it = &h->it[i];
    fprintf(file.out, "%d,%d", it->iteration, it->evaluations);
    csv_put_number(file.out, it->f);
    csv_put_number(file.out, it->violation);
    csv_put_number(file.out, it->optimality);
    csv_put_number(file.out, it->step);
    fputc('\n', file.out);
  }
  return atomic_commit(&file, err);
}

/* ---- trajectory ---- */

typedef struct trajectory {
  FILE *out;
  int every, nodes; /* nodes: written so far */
  series columns;
} trajectory;

static int write_row(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                     const double *lam, const double *y) {
  trajectory *w = user;
  series *s = &w->columns;
  if (s->m->stop && *s->m->stop) { return 1; }
  if (k % w->every) { return 0; }
  w->nodes++;
  series_fill(s, t, z, zd, zdd, lam, y);
  fprintf(w->out, "%.17g", t);
  for (int i = 1; i < s->n; i++) { csv_put_number(w->out, s->row[i]); }
  fputc('\n', w->out);
  return 0;
}

static const char *label_of(const char *name, const char *unit, char text[OUTPUT_LABEL]) {
  snprintf(text, OUTPUT_LABEL, *unit ? "%s [%s]" : "%s", name, unit);
  return text;
}

const char *output_label(const mbd_outputs *outputs, int i, char text[OUTPUT_LABEL]) {
  return label_of(mbd_outputs_name(outputs, i), mbd_outputs_unit(outputs, i), text);
}

const char *results_case_file(const mechanism *m, const mechanism_case *load, const char *stem,
                              char name[RESULTS_FILE]) {
  if (m->ncase > 1) {
    snprintf(name, RESULTS_FILE, "%.40s_%.250s.csv", stem, load->config->name);
  } else {
    snprintf(name, RESULTS_FILE, "%.40s.csv", stem);
  }
  return name;
}

/* A motion that could not be simulated to its end is written as far as it goes, if there is more than its start. */
static mbd_status end_trajectory(atomic_file *file, mbd_status status, int nodes, mbd_error *err) {
  mbd_error why = {0};
  if (status <= 0 || nodes < 2) { return atomic_end(file, status, err); }
  const mbd_status written = atomic_commit(file, &why);
  if (written == MBD_OK) { return status; }
  if (err) { *err = why; }
  return written;
}

mbd_status results_write_trajectory(const char *folder, mechanism *m, const double *rho, int every, int *ended,
                                    mbd_error *err) {
  *ended = -1;
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) { m->psi[i] = NAN; }
  MBD_TRY(cases_choose_sharpness(m, err));
  MBD_TRY(mechanism_set_design(m, rho, 0, err));
  *ended = 0;
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *load = &m->cases[i];
    char name[RESULTS_FILE];
    atomic_file file;
    MBD_TRY(atomic_open_in(folder, results_case_file(m, load, "trajectory", name), &file, err));
    trajectory w = {.out = file.out, .every = every};
    mbd_status status = series_create(m, load, SERIES_CHOSEN, &w.columns, err);
    /* A header with names and units, and a row for each node. */
    for (int k = 0; k < w.columns.n && status == MBD_OK; k++) {
      char label[OUTPUT_LABEL];
      (k ? csv_put_text : csv_put_first)(file.out, label_of(w.columns.column[k].name, w.columns.column[k].unit, label));
    }
    fputc('\n', file.out);
    if (status == MBD_OK) { status = series_run(&w.columns, write_row, &w, err); }
    series_free(&w.columns);
    MBD_TRY(end_trajectory(&file, status, w.nodes, err));
    for (int k = 0; k < load->npsi; k++) { m->psi[load->quantity[k]] = load->psi[k]; }
    *ended = i + 1;
  }
  MBD_TRY(cases_simulate_scenarios(m, err));
  MBD_TRY(numbers_evaluate(m, rho, 0, err));
  MBD_TRY(values_evaluate(m, m->psi, err));
  true_values_find(m);
  return MBD_OK;
}
