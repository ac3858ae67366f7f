#include "report/run_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "backend/run_settings.h"
#include "base/memory.h"
#include "files/json.h"
#include "files/text_stream.h"
#include "mechanism/warnings.h"
#include "mbd/version.h"
#include "report/assets.h"
#include "report/curves.h"
#include "files/atomic_file.h"
#include "report/fit_page.h"
#include "report/mechanism_parts.h"
#include "report/page.h"
#include "report/plots.h"
#include "report/run_parts.h"
#include "report/run_specs.h"
#include "report/scene.h"
#include "report/units.h"
#include "study/runs.h"

enum { DIGITS = PAGE_DIGITS };
typedef run_parts writer;

void page_fact_of(page *p, const char *name, const char *format, ...) {
  char *text = NULL;
  va_list list;
  va_start(list, format);
  if (vasprintf(&text, format, list) < 0) {
    text = NULL;
    page_lost(p);
  }
  va_end(list);
  page_fact(p, name, text);
  free(text);
}

/* Where no result is, that of the start counts. */
static const double *psi_after(const writer *w) {
  return w->v.after ? w->v.after->psi : NULL;
}

/* ---- what was run ---- */

/* Facts about the run: mechanism, files, values, date and program. */
static void files(const writer *w) {
  char date[64] = "";
  struct tm local;
  const char *version = run_folder_text(w->f, "mbopt"), *title = mbo_model_file_title(w->m->variant[0].file);
  if (localtime_r(&w->f->written, &local)) { strftime(date, sizeof date, "%Y-%m-%d %H:%M", &local); }
  page_fact(w->p, "mechanism", title);
  page_fact(w->p, "run file", w->f->run_file);
  page_fact(w->p, "values", w->f->values);
  page_fact_file(w->p, "model file", w->m->config->model_path);
  const char *part;
  for (int i = 0; (part = mbo_model_file_part(w->m->variant[0].file, i)) != NULL; i++) {
    page_fact_file(w->p, "part", part);
  }
  page_fact(w->p, "finished", date);
  if (strcmp(version, MBD_VERSION) == 0 || !*version) {
    page_fact_of(w->p, "program", "mbopt %s", MBD_VERSION);
  } else {
    page_fact_of(w->p, "program", "mbopt %s, this page by %s", version, MBD_VERSION);
  }
}

/* unit: of the objective, after a space; "": none */
static void gain(const writer *w, double from, double to, const char *unit) {
  if (!isfinite(from)) { return; } /* the start failed, and all with it */
  page_fact_of(w->p, "objective at the start", "%.*g%s", DIGITS, from, unit);
  if (isfinite(to) && from != 0) {
    page_fact_of(w->p, "objective of the result", "%.*g%s (%+.4g %%)", DIGITS, to, unit,
                 100 * (to - from) / fabs(from));
  } else if (isfinite(to)) {
    page_fact_of(w->p, "objective of the result", "%.*g%s", DIGITS, to, unit);
  }
}

/* How the optimization went: optimizer, end, gain, what is left of the conditions of an optimum, and what it cost. */
static void facts_of_optimization(const writer *w) {
  const run_folder *folder = w->f;
  mbo_problem problem;
  mechanism_problem(w->f->m, &problem);
  const char *algorithm = run_folder_text(folder, "algorithm"), *hessian = run_hessian(w->m->config, &problem);
  const char *second = strcmp(hessian, "gauss_newton") == 0 ? ", with the Gauss-Newton matrix"
                       : strcmp(hessian, "exact") == 0      ? ", with exact second derivatives"
                                                            : "";
  page_fact_of(w->p, "optimizer", "%s%s%s%s", run_folder_text(folder, "backend"), *algorithm ? " " : "", algorithm,
               second);
  page_fact_of(w->p, "how it ended", "%s (%s)", run_folder_text(folder, "status_text"),
               run_folder_text(folder, "backend_text"));
  char *own = unit_of_objective(w->m), *unit = own && !unit_is_none(own) ? mbd_sprintf_dup(" %s", own) : mbd_strdup("");
  if (!own || !unit) { page_lost(w->p); }
  gain(w, run_folder_number(folder, "objective_at_start"), run_folder_number(folder, "objective"), unit ? unit : "");
  const double violation = run_folder_number(folder, "violation");
  if (w->m->nconstraint && isfinite(violation)) { page_fact_of(w->p, "largest violation", "%.3g", violation); }
  const double optimality = run_folder_number(folder, "optimality"); /* older results have none */
  if (isfinite(optimality)) {
    page_fact_of(w->p, "conditions of an optimum", "they still leave a decrease of %.1e%s, to first order", optimality,
                 unit ? unit : "");
  }
  free(own), free(unit);
  page_fact_of(w->p, "iterations", "%g", run_folder_number(folder, "iterations"));
  const double gradients = run_folder_number(folder, "gradients"); /* records of studies have none */
  if (isfinite(gradients)) {
    page_fact_of(w->p, "simulated designs", "%g, %g with gradient, %g failed", run_folder_number(folder, "evaluations"),
                 gradients, run_folder_number(folder, "failed_designs"));
  } else {
    page_fact_of(w->p, "simulated designs", "%g, %g failed", run_folder_number(folder, "evaluations"),
                 run_folder_number(folder, "failed_designs"));
  }
  const json_t *continuous = json_object_get(folder->result, "continuous");
  if (continuous) {
    page_fact_of(w->p, "objective with any value in place of those of the catalogues", "%.6g",
                 json_number_value(json_object_get(continuous, "objective")));
    page_fact_of(w->p, "local search among values of the catalogues", "%g designs tried beside it, of %g combinations",
                 json_number_value(json_object_get(continuous, "neighbours")),
                 json_number_value(json_object_get(continuous, "combinations")));
  }
  if (run_folder_number(folder, "watched_gradients") > 0) {
    page_fact_of(w->p, "gradients against a direct sensitivity", "%g, deviation at most %.1e",
                 run_folder_number(folder, "watched_gradients"), run_folder_number(folder, "gradient_deviation"));
  }
  page_fact_of(w->p, "time", "%.3g s", run_folder_number(folder, "seconds"));
}

/* Method and reason, one entry per case that has objectives. */
static const json_t *gradient_of(const writer *w, const char *name) {
  size_t i;
  const json_t *one, *all = json_object_get(w->f->result, "gradient");
  json_array_foreach(all, i, one) {
    const char *of = json_string_value(json_object_get(one, "case"));
    if (of && strcmp(of, name) == 0) { return one; }
  }
  return NULL;
}

static void cases(const writer *w) {
  static const char *const heading[] = {"case",        "duration [s]", "step [s]", "analysis",
                                        "formulation", "integrator",   "gradient"};
  page_heading(w->p, "Load cases");
  const int how = w->f->kind == RUN_OPTIMIZE;
  page_table_open(w->p, how ? 7 : 6, heading);
  for (int i = 0; i < w->m->ncase; i++) {
    const mbo_case_config *in_case = w->m->cases[i].config;
    const json_t *gradient = gradient_of(w, in_case->name);
    page_row(w->p);
    page_cell(w->p, in_case->name);
    page_cell_number(w->p, in_case->simulation.duration, DIGITS, NULL);
    page_cell_number(w->p, in_case->simulation.step, DIGITS, NULL);
    const int integrated = strcmp(in_case->simulation.analysis, "motion") == 0; /* nothing is, in the other analyses */
    page_cell(w->p, in_case->simulation.analysis);
    page_cell(w->p, integrated ? in_case->simulation.formulation : "–");
    page_cell(w->p, integrated ? in_case->simulation.integrator : "–");
    if (how) { page_cell(w->p, gradient ? json_string_value(json_object_get(gradient, "reason")) : "–"); }
  }
  page_table_close(w->p);
}

/* A note where the numbers of the folder differ from those of today's model. */
static void changed_since(const writer *w) {
  const json_t *all = json_object_get(w->f->result, "quantities");
  const double *now = w->f->kind == RUN_SIMULATE ? (w->v.before ? w->v.before->psi : NULL) : psi_after(w);
  for (int i = 0; now && i < w->m->nobjective + w->m->nconstraint; i++) {
    const json_t *then = json_object_get(json_array_get(all, (size_t)i), "value");
    const double was = json_is_number(then) ? json_number_value(then) : NAN,
                 start = w->v.before ? w->v.before->psi[i] : 0;
    if (!isfinite(was) || fabs(now[i] - was) <= 1e-6 * fmax(fabs(was), 1e-3 * fabs(start))) { continue; }
    page_note(
        w->p,
        "The result does not come out again: %s was %.*g and is %.*g now. The model file, or a file that it names, "
        "has changed since; motions below are those of today's model.",
        mechanism_quantity(w->m, i), DIGITS, was, DIGITS, now[i]);
    return;
  }
}

void run_parts_not_simulated(const run_parts *w) {
  if (w->v.before_error.code != MBD_OK) {
    page_note(w->p, "The %s cannot be simulated: %s", w->f->before, w->v.before_error.text);
  }
  if (w->v.after_error.code != MBD_OK) {
    page_note(w->p, "The %s cannot be simulated: %s", w->f->after, w->v.after_error.text);
  }
}

static void what_was_run(const writer *w) {
  page_section(w->p, "What was run");
  page_facts_open(w->p);
  files(w);
  if (w->f->kind == RUN_OPTIMIZE) { facts_of_optimization(w); }
  page_facts_close(w->p);
  if (w->f->study) { page_link(w->p, w->f->study, "All runs of the study"); }
  run_parts_not_simulated(w);
  changed_since(w);
  cases(w);
}

/* ---- the animation ---- */

/* The motion of one design, which scripts find as `id`. */
static mbd_status scene(const writer *w, const char *id, mechanism *m, const double *rho, mbd_error *err) {
  enum { FRAMES = 150 };
  json_t *data = NULL;
  MBD_TRY(scene_create(m, rho, FRAMES, &data, err));
  page_json(w->p, id, data);
  json_decref(data);
  return MBD_OK;
}

/* The animation: the motions of start and result as data, and the script that shows them. */
mbd_status run_parts_motion(const run_parts *w, mbd_error *err) {
  if ((!w->v.before && !w->v.after) || w->m->ncase == 0) { return MBD_OK; }
  page_section(w->p, "Motion");
  page_container(w->p, "scene");
  page_style(w->p, mbo_asset_scene_css);
  page_script(w->p, mbo_asset_scene_js);
  mechanism *first = w->f->reference ? w->f->reference : w->f->m;
  if (w->v.before) { MBD_TRY(scene(w, "first", first, first->start, err)); }
  if (w->v.after) { MBD_TRY(scene(w, w->v.before ? "second" : "first", w->f->m, w->f->final, err)); }
  json_t *names = json_pack("[s, s]", w->f->before, w->f->after);
  page_json(w->p, "names", names);
  json_decref(names);
  page_script(
      w->p,
      "(function () {\n"
      "  function data(id) { var e = document.getElementById(id); return e ? JSON.parse(e.textContent) : null; }\n"
      "  window.mbopt_motion =\n"
      "    mbopt_scene(document.getElementById('scene'), data('first'), data('second'), data('names'));\n"
      "})();\n");
  return MBD_OK;
}

/* ---- the mechanism ---- */

/* Bodies and joints. After the motions: the rank is that of their start. */
static mbd_status the_mechanism(const writer *w, mbd_error *err) {
  if ((!w->v.before && !w->v.after) || w->m->ncase == 0) { return MBD_OK; }
  const mechanism_case *q = &w->m->cases[0];
  page_section(w->p, "Mechanism");
  mechanism_part_equations(w->p, q);
  MBD_TRY(mechanism_part_graph(w->p, q,
                               "Bodies and joints with their numbers; dashed what closes loops or acts between bodies. "
                               "A body under the mouse, or with the focus, is alone in colour in the motion above; one "
                               "under the mouse there is marked here.",
                               err));
  mechanism_part_joints(w->p, q, 0);
  return MBD_OK;
}

/* ---- the result ---- */

static int any_unit(const mechanism *m) {
  int any = 0;
  for (int i = 0; i < m->n; i++) { any |= !unit_is_none(unit_of_variable(m, i)); }
  return any;
}

/* A simulation has no result beside the start. Units are the last column, where any is known. */
static void design_table(const writer *w) {
  const char *const heading[] = {"variable", w->f->before, w->f->after, "change", "lower bound", "upper bound", "unit"};
  const char *const alone[] = {"variable", "value", "lower bound", "upper bound", "unit"};
  const double *x = w->f->final;
  const int both = x || w->f->kind == RUN_OPTIMIZE, units = any_unit(w->m);
  page_table_open(w->p, (both ? 6 : 4) + units, both ? heading : alone);
  for (int i = 0; i < w->m->n; i++) {
    page_row(w->p);
    page_cell(w->p, w->m->name[i]);
    page_cell_number(w->p, w->m->start[i], DIGITS, NULL);
    if (both) {
      page_cell_number(w->p, x ? x[i] : NAN, DIGITS, x ? design_at_bound(&w->m->design, i, x[i]) : NULL);
      page_cell_number(w->p, x ? x[i] - w->m->start[i] : NAN, 4, NULL);
    }
    page_cell_number(w->p, w->m->lower[i], DIGITS, NULL);
    page_cell_number(w->p, w->m->upper[i], DIGITS, NULL);
    if (units) { page_cell(w->p, unit_of_variable(w->m, i)); }
  }
  page_table_close(w->p);
}

/* Names the variables that are at a bound, at most MOST_NAMED. */
static void active_bounds(const writer *w) {
  enum { MOST_NAMED = 20 };
  int n = 0;
  text_stream s;
  if (!w->f->final) { return; }
  FILE *out = text_begin(&s);
  for (int i = 0; out && i < w->m->n; i++) {
    const char *which = design_at_bound(&w->m->design, i, w->f->final[i]);
    if (which && n++ < MOST_NAMED) { fprintf(out, "%s%s (%s)", n > 1 ? ", " : "", w->m->name[i], which); }
  }
  char *text = text_end(&s);
  if (!text) {
    page_lost(w->p);
  } else if (n) {
    page_text(w->p, "Active bounds: %s%s", text, n > MOST_NAMED ? ", ..." : "");
  } else {
    page_text(w->p, "No variable is at a bound.");
  }
  free(text);
}

void run_parts_design(const run_parts *w) {
  if (w->m->n == 0) { return; }
  page_section(w->p, w->design ? w->design : w->f->kind == RUN_SIMULATE ? "Design" : "Result");
  design_table(w);
  active_bounds(w);
  run_specs_bounds(w);
}

static const mbo_objective_config *quantity_config(const mechanism *m, int i) {
  return i < m->nobjective ? &m->config->objective[i] : &m->config->constraint[i - m->nobjective];
}

/* Writes the target of an objective, as "0.5, -2, 0" or "curve wanted"; nothing if it has none. */
static void write_target(FILE *out, const mbo_objective_config *o) {
  for (int i = 0; i < o->target.n; i++) { fprintf(out, "%s%.*g", i ? ", " : "", DIGITS, o->target.v[i]); }
  if (*o->target_curve) { fprintf(out, "%scurve %s", o->target.n ? " + " : "", o->target_curve); }
}

/* Where it counts: "from 1, until rise crosses 0", "at 2", "over rise". */
static void write_window(FILE *out, const mbo_objective_config *o) {
  const char *const key[] = {"from", "until", "at", "over"}, *const text[] = {o->from, o->until, o->at, o->over};
  for (int i = 0, n = 0; i < 4; i++) {
    if (*text[i]) { fprintf(out, "%s%s %s", n++ ? ", " : "", key[i], text[i]); }
  }
}

typedef void (*quantity_words)(FILE *out, const mbo_objective_config *o);

static void cell_by(page *p, quantity_words write, const mbo_objective_config *o) {
  text_stream s;
  FILE *out = text_begin(&s);
  if (out) { write(out, o); }
  page_cell_of(p, &s);
}

/* Does any objective or constraint say something there? */
static int any_words(page *p, const mechanism *m, quantity_words write) {
  int any = 0;
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    text_stream s;
    FILE *out = text_begin(&s);
    if (out) { write(out, quantity_config(m, i)); }
    char *text = text_end(&s);
    if (!text) { page_lost(p); }
    any |= text && *text;
    free(text);
  }
  return any;
}

/* The table of objectives and constraints at start and result. Columns without entries are left out. */
void run_parts_quantities(const run_parts *w) {
  enum { MOST = 12 };
  const char *heading[MOST] = {"quantity", "kind", "of", "form"};
  int n = 4;
  const mechanism *m = w->m;
  const double *before = w->v.before ? w->v.before->psi : NULL, *after = psi_after(w);
  if (m->nobjective + m->nconstraint == 0) { return; }
  const int targets = any_words(w->p, m, write_target), windows = any_words(w->p, m, write_window);
  if (targets) { heading[n++] = "target"; }
  if (windows) { heading[n++] = "counts"; }
  if (m->nobjective > 0) { heading[n++] = "weight"; }
  const int both = after || w->f->kind == RUN_OPTIMIZE; /* a simulation has one value */
  heading[n++] = both ? w->f->before : "value";
  if (both) { heading[n++] = w->f->after; }
  heading[n++] = "unit";
  if (m->nconstraint) { heading[n++] = "lower bound", heading[n++] = "upper bound"; }
  page_section(w->p, "Objectives and constraints");
  page_table_open(w->p, n, heading);
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    const int k = i - m->nobjective;
    const mbo_objective_config *o = quantity_config(m, i);
    page_row(w->p);
    page_cell(w->p, mechanism_quantity(m, i));
    page_cell(w->p, k < 0 ? "objective" : "constraint");
    page_cell(w->p, *o->value ? o->value : o->of);
    page_cell(w->p, o->form);
    if (targets) { cell_by(w->p, write_target, o); }
    if (windows) { cell_by(w->p, write_window, o); }
    if (m->nobjective > 0) { page_cell_number(w->p, k < 0 ? o->weight : NAN, DIGITS, NULL); }
    page_cell_number(w->p, before ? before[i] : NAN, DIGITS, NULL);
    if (both) { page_cell_number(w->p, after ? after[i] : NAN, DIGITS, NULL); }
    char *unit = unit_of_quantity(m, i);
    if (!unit) { page_lost(w->p); }
    page_cell(w->p, unit);
    free(unit);
    if (m->nconstraint) { page_cell_number(w->p, k < 0 ? NAN : m->c_lower[k], DIGITS, NULL); }
    if (m->nconstraint) { page_cell_number(w->p, k < 0 ? NAN : m->c_upper[k], DIGITS, NULL); }
  }
  page_table_close(w->p);
}

/* ---- the rest ---- */

/* Of a run of a study: the designs that its record has. */
static void designs_of_record(const writer *w) {
  const json_t *record = w->f->result;
  const int n = runs_simulations(record);
  double low = INFINITY, high = -INFINITY, best = NAN;
  if (n == 0) { return; }
  json_t *designs = json_array(), *objectives = json_array(), *least = json_array();
  for (int k = 0; k < n; k++) {
    const double v = runs_objective(record, k);
    best = fmin(best, runs_feasible(record, k)); /* passes over NaN */
    low = fmin(low, v), high = fmax(high, v);
    json_array_append_new(designs, json_integer(k + 1));
    json_array_append_new(objectives, json_number(v)), json_array_append_new(least, json_number(best));
  }
  char *unit = unit_of_objective(w->m);
  if (!unit) { page_lost(w->p); }
  json_t *spec =
      json_pack("{s:s, s:s, s:{s:s, s:b}, s:{s:s, s:s, s:b}, s:[{s:s, s:s, s:O, s:o}, {s:s, s:s, s:o, s:o}]}", "title",
                "Objective over simulated designs", "caption",
                "Every simulated design, and the best objective without violation so far.", "x", "label",
                "simulated designs", "whole", 1, "y", "label", objective_label(w->m), "unit", unit ? unit : "", "log",
                low > 0 && high >= 10 * low, "series", "name", "designs", "kind", "points", "x", designs, "y",
                objectives, "name", "best so far", "kind", "steps", "x", designs, "y", least);
  free(unit);
  if (!spec) {
    page_lost(w->p);
    return;
  }
  page_section(w->p, "Convergence");
  page_plot(w->p, spec);
}

/* The figure and the table of iterations; for a run of a study the designs of its record. */
static void convergence(const writer *w) {
  static const char *const column[] = {"iteration", "evaluations", "objective", "violation", "optimality", "step"};
  static const char *const heading[] = {"iteration", "simulated designs", "objective",
                                        "violation", "optimality",        "step"};
  const csv *history = &w->f->history;
  if (history->nrow == 0) {
    designs_of_record(w);
    return;
  }
  page_section(w->p, "Convergence");
  run_specs_convergence(w);
  page_table_open(w->p, 6, heading);
  for (int i = 0; i < history->nrow; i++) {
    page_row(w->p);
    for (int k = 0; k < 6; k++) {
      page_cell_number(w->p, csv_number(history, i, csv_column(history, column[k])), k < 2 ? DIGITS : 6, NULL);
    }
  }
  page_table_close(w->p);
}

/* Lists the outputs without a figure of their own. */
static void standing_still(const writer *w) {
  for (int i = 0; (w->v.before || w->v.after) && i < w->m->ncase; i++) {
    const mechanism_case *q = &w->m->cases[i];
    const motion_case *moving = w->v.before ? &w->v.before->cases[i] : &w->v.after->cases[i];
    for (int k = 0; k < mbd_outputs_count(q->outputs); k++) {
      if (run_output_moves(&w->v, i, k) || mbd_outputs_is_repeated(q->outputs, k)) { continue; }
      page_text(w->p, "%s does not move in case %s: %.*g %s.", mbd_outputs_name(q->outputs, k), q->config->name, DIGITS,
                moving->y[k], mbd_outputs_unit(q->outputs, k));
    }
  }
}

/* Curves that answer the mouse. */
static mbd_status histories_as_curves(const run_parts *w, mbd_error *err) {
  json_t *data = NULL;
  MBD_TRY(curves_describe(&w->v, &data, err));
  page_container(w->p, "time-curves");
  page_uses_plots(w->p);
  page_script(w->p, mbo_asset_dygraph_js);
  page_script(w->p, mbo_asset_curves_js);
  page_json(w->p, "curves", data);
  json_decref(data);
  page_script(w->p,
              "window.mbopt_figures = mbopt_curves(document.getElementById('time-curves'),\n"
              "  JSON.parse(document.getElementById('curves').textContent), window.mbopt_motion || null);\n");
  return MBD_OK;
}

static void histories_as_figures(const run_parts *w) {
  page_note(w->p,
            "Each output has a figure of its own, and columns cannot be chosen: this mbopt was built without dygraphs; "
            "install the package libjs-dygraphs and build it anew.");
  page_figures_open(w->p);
  run_specs_histories(w);
  page_figures_close(w->p);
}

mbd_status run_parts_histories(const run_parts *w, mbd_error *err) {
  int outputs = 0;
  for (int i = 0; (w->v.before || w->v.after) && i < w->m->ncase; i++) {
    outputs += mbd_outputs_count(w->m->cases[i].outputs);
  }
  const int curves = curves_are_built_in() && w->m->ncase > 0 && (w->v.before || w->v.after);
  if (!outputs && !curves) { return MBD_OK; }
  page_section(w->p, "Time histories");
  if (curves) {
    MBD_TRY(histories_as_curves(w, err));
  } else {
    histories_as_figures(w);
  }
  standing_still(w);
  return MBD_OK;
}

static void forces_by_motion(const writer *w) {
  int any = 0;
  for (int i = 0; i < w->m->ncase; i++) {
    for (int k = 0; k < INVERSE_MATRICES; k++) { any |= w->v.inverse[i].count[k] > 0; }
  }
  if (!any) { return; }
  page_section(w->p, "Forces by motion");
  page_text(
      w->p,
      "Derivatives of the forces Q on the coordinates by the motion%s: of each matrix the %d entries with the largest "
      "root mean square; inverse_dynamics.csv has all of them.",
      w->f->kind == RUN_OPTIMIZE ? " of the start" : "", (int)INVERSE_MOST);
  page_figures_open(w->p);
  run_specs_inverse(w);
  page_figures_close(w->p);
}

static void derivatives_over_time(const writer *w) {
  int any = 0;
  for (int i = 0; i < w->m->ncase; i++) { any |= run_next_derivative(&w->v.sensitivities[i], 0, 0) >= 0; }
  if (!any) { return; }
  page_section(w->p, "Derivatives over time");
  page_text(w->p,
            "Derivatives of the outputs by the design variables at the start, by direct differentiation: of each case "
            "the first %d that are not zero "
            "throughout; sensitivities.csv has all of them.",
            (int)RUN_DERIVATIVES);
  page_figures_open(w->p);
  run_specs_derivatives(w);
  page_figures_close(w->p);
}

static void directions_table(const run_parts *w) {
  static const char *const heading[] = {"eigenvalue", "1 % worse after", "direction"};
  const valley *v = &w->f->valley;
  page_table_open(w->p, 3, heading);
  for (int i = 0; i < v->n; i++) {
    text_stream s;
    FILE *out = text_begin(&s);
    if (out) { valley_write_direction(out, v->n, w->m->name, v->direction + i * v->n); }
    page_row(w->p);
    page_cell_number(w->p, v->eigenvalue[i], 4, NULL);
    page_cell_number(w->p, v->one_percent[i], 3, NULL);
    page_cell_of(w->p, &s);
  }
  page_table_close(w->p);
}

void run_parts_directions(const run_parts *w) {
  if (w->f->valley.n == 0) { return; }
  page_section(w->p, "What the objective sees");
  page_text(
      w->p,
      "The Gauss-Newton matrix at the result, variables divided by their scale: along the directions with the smallest "
      "eigenvalues the design may move at little cost, as far as '1 %% worse after' says; data or objectives that tell "
      "them "
      "apart are missing.");
  directions_table(w);
  run_specs_directions(w);
}

static void write_design(FILE *out, const mechanism *m, const json_t *values) {
  enum { MOST = 12 };
  for (int i = 0; i < m->n && i < MOST; i++) {
    fprintf(out, "%s%s = %.6g", i ? ", " : "", m->name[i], json_number_value(json_object_get(values, m->name[i])));
  }
  if (m->n > MOST) { fprintf(out, ", ... (%d)", m->n); }
}

static void failed_designs(const writer *w) {
  static const char *const heading[] = {"design", "status", "reason", "variables"};
  size_t i;
  const json_t *one, *all = json_object_get(w->f->result, "failures");
  if (json_array_size(all) == 0) { return; }
  page_section(w->p, "Failed designs");
  page_table_open(w->p, 4, heading);
  json_array_foreach(all, i, one) {
    text_stream s;
    FILE *out = text_begin(&s);
    if (out) { write_design(out, w->m, json_object_get(one, "design")); }
    page_row(w->p);
    page_cell_number(w->p, json_number_value(json_object_get(one, "evaluation")), DIGITS, NULL);
    page_cell(w->p, json_string_value(json_object_get(one, "status")));
    page_cell(w->p, json_string_value(json_object_get(one, "error")));
    page_cell_of(w->p, &s);
  }
  page_table_close(w->p);
}

static void warnings(const writer *w) {
  const json_t *one, *all = json_object_get(w->f->result, "warnings");
  size_t i;
  if (json_array_size(all) == 0) { return; }
  page_section(w->p, "Warnings");
  json_array_foreach(all, i, one) {
    char *words = warning_words(one);
    if (!words) { page_lost(w->p); }
    page_text(w->p, "%s", words ? words : "");
    free(words);
  }
}

static mbd_status configuration(const writer *w, mbd_error *err) {
  text_stream s;
  FILE *out = text_begin(&s);
  if (out && mbo_run_config_write(w->m->config, out) != MBD_OK) { page_lost(w->p); }
  char *text = text_end(&s);
  if (!text) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the page"); }
  page_section(w->p, "Configuration");
  page_details(w->p, "the run file with every default", text);
  free(text);
  return MBD_OK;
}

static void fitted(const writer *w) {
  const json_t *fit = json_object_get(w->f->result, "fit");
  if (!fit) { return; }
  page_section(w->p, "Fit");
  fit_page_tables(w, fit);
  fit_page_figures(w, fit);
}

static mbd_status all_parts(writer *w, mbd_error *err) {
  what_was_run(w);
  MBD_TRY(run_parts_motion(w, err));
  MBD_TRY(the_mechanism(w, err));
  run_parts_design(w);
  fitted(w);
  run_parts_quantities(w);
  if (w->f->kind == RUN_OPTIMIZE) { convergence(w); }
  MBD_TRY(run_parts_histories(w, err));
  forces_by_motion(w);
  derivatives_over_time(w);
  run_parts_directions(w);
  failed_designs(w);
  warnings(w);
  return configuration(w, err);
}

mbd_status run_page_write(const run_folder *folder, const char *path, mbd_error *err) {
  writer w = {.f = folder, .m = folder->m};
  const char *slash = strrchr(folder->run_file, '/');
  char *title = mbd_sprintf_dup("%s: %s", slash ? slash + 1 : folder->run_file,
                                folder->title ? folder->title : run_kind_text(folder->kind));
  mbd_status status = title ? page_create(title, &w.p, err) : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the page");
  if (status == MBD_OK) { status = run_figures_create(folder, curves_are_built_in(), &w.v, err); }
  if (status == MBD_OK) { status = all_parts(&w, err); }
  if (status == MBD_OK) { status = page_write(w.p, path, err); }
  run_figures_free(&w.v);
  page_destroy(w.p);
  free(title);
  return status;
}
