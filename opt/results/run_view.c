#include "results/run_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/run_settings.h"
#include "files/memory.h"
#include "files/json.h"
#include "files/text_stream.h"
#include "results/curves.h"
#include "results/mechanism_view.h"
#include "results/results.h"
#include "results/scene.h"
#include "mechanism/units.h"

enum { DIGITS = 9 };

/* ---- what was run ---- */

void run_view_files(const mechanism *m, json_t *o) {
  const mbo_model_file *file = m->variant[0].file;
  json_t *parts = json_array();
  const char *part;
  for (int i = 0; (part = mbo_model_file_part(file, i)) != NULL; i++) { json_array_append_new(parts, json_text(part)); }
  json_object_set_new(o, "mechanism", json_text(mbo_model_file_title(file)));
  json_object_set_new(o, "run_file", json_text(m->config->path));
  json_object_set_new(o, "model_file", json_text(m->config->model_path));
  json_object_set_new(o, "parts", parts);
}

static json_t *text_or_null(const char *text) {
  return text ? json_text(text) : json_null();
}

static void facts(const run_folder *f, json_t *o) {
  mbo_problem p;
  mechanism_problem(f->m, &p);
  run_view_files(f->m, o);
  json_object_set_new(o, "run_file", json_text(f->run_file));
  json_object_set_new(o, "kind", json_text(run_kind_text(f->kind)));
  json_object_set_new(o, "folder", f->title || !f->result ? json_null() : json_text(f->path));
  json_object_set_new(o, "title", text_or_null(f->title));
  json_object_set_new(o, "study", text_or_null(f->study));
  json_object_set_new(o, "values", text_or_null(f->values));
  json_object_set_new(o, "called",
                      json_pack("{s:o, s:o}", "before", json_text(f->before), "after", json_text(f->after)));
  json_object_set_new(o, "written", json_integer((json_int_t)f->written));
  json_object_set_new(o, "result", f->result ? json_incref(f->result) : json_null());
  json_object_set_new(o, "hessian", json_text(run_hessian(f->config, &p)));
  json_object_set_new(o, "tol_constraint", json_real(f->config->optimizer.tol_constraint));
  json_object_set_new(
      o, "objective",
      json_pack("{s:s, s:o}", "label", objective_label(f->m), "unit", json_own_text(unit_of_objective(f->m))));
}

static json_t *configuration(const mbo_run_config *c) {
  text_stream s;
  FILE *out = text_begin(&s);
  if (out && mbo_run_config_write(c, out) != MBD_OK) { mbd_memory_note(); }
  return json_own_text(text_end(&s));
}

/* Where the integrator's words do not apply, as in other analyses than motions, they are null. */
static json_t *cases(const mechanism *m) {
  json_t *list = json_array();
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *load = &m->cases[i];
    const mbd_case *s = &load->config->simulation;
    const int integrated = strcmp(s->analysis, "motion") == 0;
    char inverse[RESULTS_FILE], sensitivities[RESULTS_FILE];
    results_case_file(m, load, "inverse_dynamics", inverse), results_case_file(m, load, "sensitivities", sensitivities);
    json_array_append_new(
        list, json_pack("{s:s, s:f, s:f, s:s, s:s?, s:s?, s:i, s:{s:s, s:s}}", "name", load->config->name, "duration",
                        s->duration, "step", s->step, "analysis", s->analysis, "formulation",
                        integrated ? s->formulation : NULL, "integrator", integrated ? s->integrator : NULL, "outputs",
                        mbd_outputs_count(load->outputs), "files", "inverse_dynamics", inverse, "sensitivities",
                        sensitivities));
  }
  return list;
}

/* ---- design and quantities ---- */

static json_t *variables(const run_folder *f) {
  const mechanism *m = f->m;
  json_t *list = json_array();
  for (int i = 0; i < m->n; i++) {
    json_t *one = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", m->name[i], "unit", unit_of_variable(m, i),
                            "start", json_number(m->start[i]), "lower", json_number(m->lower[i]), "upper",
                            json_number(m->upper[i]), "scale", json_number(m->scale[i]));
    const char *at = f->final ? design_at_bound(&m->design, i, f->final[i]) : NULL;
    if (f->final) { json_object_set_new(one, "result", json_number(f->final[i])); }
    if (at) { json_object_set_new(one, "at_bound", json_string(at)); }
    const char *curve = m->config->design[m->design.section[i]].curve;
    if (*curve) { json_object_set_new(one, "curve", json_text(curve)); }
    json_array_append_new(list, one);
  }
  return list;
}

/* The target of an objective, "0.5, -2, 0" or "curve request"; "": it has none. */
static json_t *target_of(const mbo_objective_config *o) {
  text_stream s;
  FILE *out = text_begin(&s);
  for (int i = 0; out && i < o->target.n; i++) { fprintf(out, "%s%.*g", i ? ", " : "", DIGITS, o->target.v[i]); }
  if (out && *o->target_curve) { fprintf(out, "%scurve %s", o->target.n ? " + " : "", o->target_curve); }
  return json_own_text(text_end(&s));
}

/* Where it counts: "from 1, until rise crosses 0", "at 2", "over rise". */
static json_t *window_of(const mbo_objective_config *o) {
  const char *const key[] = {"from", "until", "at", "over"}, *const text[] = {o->from, o->until, o->at, o->over};
  text_stream s;
  FILE *out = text_begin(&s);
  for (int i = 0, n = 0; out && i < 4; i++) {
    if (*text[i]) { fprintf(out, "%s%s %s", n++ ? ", " : "", key[i], text[i]); }
  }
  return json_own_text(text_end(&s));
}

static json_t *quantities(const run_motions *v) {
  const mechanism *m = v->folder->m;
  json_t *list = json_array();
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    const int k = i - m->nobjective;
    const mbo_objective_config *o = k < 0 ? &m->config->objective[i] : &m->config->constraint[k];
    json_array_append_new(
        list,
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", mechanism_quantity(m, i),
                  "kind", k < 0 ? "objective" : "constraint", "of", *o->value ? o->value : o->of, "form", o->form,
                  "target", target_of(o), "counts", window_of(o), "weight", json_number(k < 0 ? o->weight : NAN),
                  "before", json_number(v->before ? v->before->psi[i] : NAN), "after",
                  json_number(v->after ? v->after->psi[i] : NAN), "unit", json_own_text(unit_of_quantity(m, i)),
                  "lower", json_number(k < 0 ? NAN : m->c_lower[k]), "upper",
                  json_number(k < 0 ? NAN : m->c_upper[k])));
  }
  return list;
}

/* The true value beside a smooth one; null: there is none. */
static json_t *true_value_of(const motion *w, int i) {
  return json_number(w && w->truth[i].smooths ? w->truth[i].value : NAN);
}

static void add_true_values(const run_motions *v, json_t *list) {
  size_t i;
  json_t *one;
  json_array_foreach(list, i, one) {
    json_object_set_new(one, "true_before", true_value_of(v->before, (int)i));
    json_object_set_new(one, "true_after", true_value_of(v->after, (int)i));
  }
}

/* How far the true values of constraints are inside of their bounds at the last motion, and whether that is violated. */
static void add_margins(const run_motions *v, json_t *list) {
  const double tol = v->folder->m->config->optimizer.tol_constraint;
  const char *const smooth = v->after ? "after" : "before", *const real = v->after ? "true_after" : "true_before";
  size_t i;
  json_t *one;
  json_array_foreach(list, i, one) {
    const double lower = json_number_in(one, "lower"), upper = json_number_in(one, "upper"),
                 truth = json_number_in(one, real), x = isfinite(truth) ? truth : json_number_in(one, smooth),
                 margin = fmin(x - lower, upper - x); /* without one of the bounds fmin passes over NaN */
    if (!isfinite(margin)) { continue; }
    json_object_set_new(one, "margin", json_real(margin));
    json_object_set_new(one, "verdict", json_string(margin < -tol ? "violated" : "met"));
  }
}

/* Says where the numbers of the folder differ from those of today's model; NULL: nowhere. */
static json_t *changed(const run_motions *v) {
  const run_folder *f = v->folder;
  const motion *w = f->kind == RUN_SIMULATE ? v->before : v->after;
  const json_t *all = json_object_get(f->result, "quantities");
  for (int i = 0; w && i < f->m->nobjective + f->m->nconstraint; i++) {
    const double was = json_number_in(json_array_get(all, (size_t)i), "value"),
                 start = v->before ? v->before->psi[i] : 0;
    if (!isfinite(was) || fabs(w->psi[i] - was) <= 1e-6 * fmax(fabs(was), 1e-3 * fabs(start))) { continue; }
    return json_own_text(mbd_sprintf_dup(
        "The result does not come out again: %s was %.*g and is %.*g now. The model file, or a file that it names, "
        "has changed since; motions below are those of today's model.",
        mechanism_quantity(f->m, i), DIGITS, was, DIGITS, w->psi[i]));
  }
  return NULL;
}

/* The directions of the Gauss-Newton matrix, with what the largest parts of each are as a text. */
static mbd_status directions(const run_folder *f, json_t *o, mbd_error *err) {
  const int n = f->m->n;
  size_t i;
  json_t *one, *list = json_deep_copy(f->flat_directions);
  double *parts = calloc((size_t)n + 1, sizeof *parts);
  MEMORY_TRY(parts, err, "the directions of %s", f->path);
  json_array_foreach(list, i, one) {
    text_stream s;
    FILE *out = text_begin(&s);
    for (int j = 0; j < n; j++) { parts[j] = json_number_in(json_object_get(one, "direction"), f->m->name[j]); }
    if (out) { flat_directions_write_row(out, n, f->m->name, parts); }
    json_object_set_new(one, "text", json_own_text(text_end(&s)));
  }
  free(parts);
  if (list) { json_object_set_new(o, "directions", list); }
  return MBD_OK;
}

/* ---- motions ---- */

/* A design that cannot be simulated (> 0), or a plugin that may not be loaded (MBD_UNSUPPORTED), leaves no motion, and the reason. */
static mbd_status simulate(mechanism *m, const double *rho, unsigned what, motion **out, mbd_error *why,
                           mbd_error *err) {
  const motion_request request = {.scene = (what & RUN_VIEW_PAGE) != 0 && m->ncase > 0,
                                  .frames = SCENE_BY_CONTENT,
                                  .gradient = (what & RUN_VIEW_GRADIENT) != 0};
  const mbd_status status = motion_create(m, rho, request, out, why);
  if (status >= 0 || status == MBD_UNSUPPORTED) { return MBD_OK; }
  *err = *why;
  return status;
}

static void not_simulated(const run_motions *v, json_t *o) {
  const mbd_error *const error[] = {&v->before_error, &v->after_error};
  const char *const called[] = {v->folder->before, v->folder->after};
  json_t *list = json_array();
  for (int k = 0; k < 2; k++) {
    if (error[k]->code == MBD_OK) { continue; }
    json_array_append_new(list,
                          json_own_text(mbd_sprintf_dup("The %s cannot be simulated: %s", called[k], error[k]->text)));
  }
  json_object_set_new(o, "not_simulated", list);
}

/* Adds the scenes of the motions, and the mechanism, whose rank is that of the last start. */
static mbd_status scenes(const run_motions *v, unsigned what, json_t *o, mbd_error *err) {
  const run_folder *f = v->folder;
  if (v->before) { json_object_set(o, "first", v->before->scene); }
  if (v->after) { json_object_set(o, v->before ? "second" : "first", v->after->scene); }
  if (what & RUN_VIEW_LOOK) { return MBD_OK; }
  json_t *about = json_object();
  json_object_set_new(o, "about", about);
  mechanism_view(&f->m->cases[0], about);
  return mechanism_view_graph(&f->m->cases[0], about, err);
}

/* The gradient of the first motion, or why there is none. */
static void gradient(const run_motions *v, json_t *o) {
  const motion *w = v->before;
  if (!w) { return; }
  json_object_set_new(o, "gradient", w->gradient ? json_numbers(w->gradient, v->folder->m->n) : json_null());
  json_object_set_new(o, "no_gradient", w->gradient ? json_null() : json_text(w->no_gradient.text));
}

static mbd_status over_time(const run_motions *v, unsigned what, json_t *o, mbd_error *err) {
  json_t *moving, *still;
  const int any = v->folder->m->ncase > 0 && (v->before || v->after);
  if (any && what & RUN_VIEW_PAGE) { MBD_TRY(scenes(v, what, o, err)); }
  if (what & RUN_VIEW_GRADIENT) { gradient(v, o); }
  if (!(what & RUN_VIEW_LOOK)) {
    curves_single(v, (what & RUN_VIEW_FIGURES) != 0, &moving, &still);
    json_object_set_new(o, "moving", moving), json_object_set_new(o, "still", still);
  }
  if (any && what & RUN_VIEW_CURVES) {
    json_t *curves;
    MBD_TRY(curves_describe(v, &curves, err));
    json_object_set_new(o, "curves", curves);
  }
  return MBD_OK;
}

/* ---- all of it ---- */

static mbd_status fill(run_motions *v, unsigned what, json_t *o, mbd_error *err) {
  const run_folder *f = v->folder;
  mechanism *first = f->reference ? f->reference : f->m;
  MBD_TRY(simulate(first, first->start, what, &v->before, &v->before_error, err));
  if (f->final) {
    MBD_TRY(simulate(f->m, f->final, what & ~(unsigned)RUN_VIEW_GRADIENT, &v->after, &v->after_error, err));
  }
  facts(f, o);
  not_simulated(v, o);
  json_t *differs = changed(v);
  if (differs) { json_object_set_new(o, "changed", differs); }
  json_object_set_new(o, "cases", cases(f->m));
  json_object_set_new(o, "design", variables(f));
  json_t *all = quantities(v);
  add_true_values(v, all), add_margins(v, all);
  json_object_set_new(o, "quantities", all);
  if (!(what & RUN_VIEW_LOOK)) { json_object_set_new(o, "configuration", configuration(f->config)); }
  MBD_TRY(directions(f, o, err));
  return over_time(v, what, o, err);
}

mbd_status run_view_create(const run_folder *f, unsigned what, json_t **out, mbd_error *err) {
  run_motions v = {.folder = f};
  json_t *o = json_object();
  mbd_status status = fill(&v, what, o, err);
  if (status == MBD_OK) { status = MEMORY_WHOLE(err, "the data of %s", f->path); }
  motion_destroy(v.before), motion_destroy(v.after);
  if (status != MBD_OK) { json_decref(o); }
  *out = status == MBD_OK ? o : NULL;
  return status;
}
