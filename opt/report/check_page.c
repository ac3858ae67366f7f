#include "report/check_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/json.h"
#include "mechanism/gradient_choice.h"
#include "report/page.h"
#include "report/run_parts.h"
#include "report/units.h"

typedef struct writer {
  page *p;
  const mechanism *m;
} writer;

static const double no_difference = 1e-17; /* place, on logarithmic axes, of differences that are zero */

static double number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

/* ---- the Taylor test ---- */

/* Texts "slope 2.00": the slope between a step and the next smaller one. */
static json_t *slopes(const json_t *step, const json_t *value) {
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(step); i++) {
    const double h = json_number_value(json_array_get(step, i)), y = json_number_value(json_array_get(value, i));
    const double next = json_number_value(json_array_get(step, i + 1));
    const double to = json_number_value(json_array_get(value, i + 1));
    if (!(next > 0) || !(y > 0) || !(to > 0)) {
      json_array_append_new(list, json_null());
      continue;
    }
    char words[48];
    snprintf(words, sizeof words, "slope %.2f to the next", log(y / to) / log(h / next));
    json_array_append_new(list, json_text(words));
  }
  return list;
}

/* A line of slope `order` through the first point. */
static json_t *guide(const json_t *step, const json_t *value, int order) {
  json_t *list = json_array();
  const double h = json_number_value(json_array_get(step, 0)), y = json_number_value(json_array_get(value, 0));
  for (size_t i = 0; i < json_array_size(step); i++) {
    const double at = json_number_value(json_array_get(step, i));
    json_array_append_new(list, json_number(y > 0 ? y * pow(at / h, order) : NAN));
  }
  return list;
}

static json_t *curve(const char *name, const char *kind, const char *colour, json_t *step, json_t *value) {
  return json_pack("{s:s, s:s, s:s, s:O, s:o}", "name", name, "kind", kind, "colour", colour, "x", step, "y", value);
}

/* The figure of the Taylor test: the remainder with the gradient and the change without it over the step, with lines of slope 2 and 1. */
static void taylor_figure(const writer *w, const json_t *q) {
  const json_t *t = json_object_get(q, "taylor");
  json_t *step = json_object_get(t, "step"), *rest = json_object_get(t, "remainder"),
         *change = json_object_get(t, "change");
  if (json_array_size(step) < 2) { return; }
  json_t *with = curve("remainder with the gradient", "both", "after", step, json_incref(rest)),
         *without = curve("change, without the gradient", "both", "before", step, json_incref(change)),
         *second = curve("slope 2", "line", "quiet", step, guide(step, rest, 2)),
         *first = curve("slope 1", "line", "quiet", step, guide(step, change, 1));
  json_object_set_new(with, "text", slopes(step, rest));
  json_object_set_new(without, "text", slopes(step, change));
  json_object_set_new(second, "mute", json_true()), json_object_set_new(first, "mute", json_true());
  char *unit = unit_of_named(w->m, text(q, "quantity"));
  if (!unit) { page_lost(w->p); }
  const double rounding = number(t, "rounding");
  json_t *levels = json_array();
  if (rounding > 0) {
    json_array_append_new(levels, json_pack("{s:f, s:s, s:s}", "y", rounding, "kind", "bound", "text", "rounding"));
  }
  page_plot(w->p, json_pack("{s:s, s:s, s:{s:s, s:b, s:s}, s:{s:s, s:s, s:b}, s:[o,o,o,o], s:o}", "title",
                            "Taylor test", "caption",
                            "How the quantity changes along a direction that moves all variables. What the gradient "
                            "does not explain falls with the square of the step where the gradient is right, until "
                            "rounding (dashed level) is all that is left; with a wrong one it falls with the step, as "
                            "the change does.",
                            "x", "label", "step in scales of the variables", "log", 1, "unit", "-", "y", "label",
                            "change of the quantity", "unit", unit ? unit : "", "log", 1, "series", with, without,
                            second, first, "levels", levels));
  free(unit);
}

static void taylor_text(const writer *w, const json_t *q) {
  const json_t *t = json_object_get(q, "taylor");
  const double order = number(q, "taylor_order"), first = number(t, "first_order"), size = number(t, "size");
  const char *verdict = text(q, "taylor_verdict");
  char words[48] = "";
  if (isfinite(order)) { snprintf(words, sizeof words, "order %.3f, expected 2; ", order); }
  if (isfinite(first) && size > 0) {
    page_text(w->p, "Taylor test: %s%.1e of the %s unexplained, known to %.1e: %s.", words, fabs(first) / size,
              json_is_true(json_object_get(t, "size_is_of_change")) ? "change" : "derivative",
              number(t, "first_order_error") / size, verdict);
  } else {
    page_text(w->p, "Taylor test: %s.", verdict);
  }
}

/* ---- agreement ---- */

static const char *method_text(const char *name) {
  static const gradient_method all[] = {GRADIENT_DIRECT, GRADIENT_DISCRETE_ADJOINT, GRADIENT_CONTINUOUS_ADJOINT,
                                        GRADIENT_COMPLEX_STEP, GRADIENT_CENTRAL_DIFFERENCES};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (strcmp(gradient_method_name(all[i]), name) == 0) { return gradient_method_text(all[i]); }
  }
  return strcmp(name, "random_directions") == 0 ? "complex step, random directions" : name;
}

/* Rows of variables, a point for each method; the k-th of n stands a little below the one before it. */
static json_t *agreement_of(const json_t *variables, const char *method, int k, int n) {
  const double beside = 0.14 * (k - 0.5 * (n - 1));
  json_t *x = json_array(), *y = json_array(), *words = json_array();
  size_t i;
  const json_t *one;
  json_array_foreach(variables, i, one) {
    const double d = number(json_object_get(one, "deviations"), method);
    json_array_append_new(x, json_number(d < no_difference ? no_difference : d));
    json_array_append_new(y, json_real((double)i + beside));
    json_array_append_new(words, d < no_difference ? json_text("no difference") : json_null());
  }
  return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", method_text(method), "kind", "points", "x", x, "y", y, "text",
                   words);
}

/* The figure of agreement: for each variable the deviation of every method from the complex step, with the tolerances. */
static void agreement_figure(const writer *w, const json_t *q) {
  const json_t *variables = json_object_get(q, "variables"), *one;
  const mbo_check_config *c = &w->m->config->check;
  json_t *names = json_array(), *curves = json_array();
  size_t i;
  const char *method;
  json_t *unused;
  json_array_foreach(variables, i, one) {
    json_array_append(names, json_object_get(one, "name"));
  }
  json_t *methods = json_object_get(json_array_get(variables, 0), "deviations");
  json_object_foreach(methods, method, unused) {
    const int k = (int)json_array_size(curves);
    json_array_append_new(curves, agreement_of(variables, method, k, (int)json_object_size(methods)));
  }
  page_plot(w->p, json_pack("{s:s, s:s, s:{s:s, s:b, s:s}, s:{s:s, s:o}, s:o, s:[{s:f,s:s,s:s},{s:f,s:s,s:s}]}",
                            "title", "Agreement with the complex step", "caption",
                            "Of each variable, relative to the largest derivative with variables in their scales. "
                            "Dashed: what is allowed of exact methods and of central differences. The continuous "
                            "adjoint differs by the order of the step.",
                            "x", "label", "deviation", "log", 1, "unit", "-", "y", "label", "variable", "names", names,
                            "series", curves, "levels", "x", c->tolerance, "kind", "bound", "text", "tolerance", "x",
                            c->difference_tolerance, "kind", "bound", "text", "difference_tolerance"));
}

/* ---- tables ---- */

static void variable_table(const writer *w, const json_t *q) {
  static const char *const heading[] = {"variable",  "derivative", "complex step", "central differences",
                                        "deviation", "verdict"};
  size_t i;
  const json_t *one;
  page_table_open(w->p, 6, heading);
  json_array_foreach(json_object_get(q, "variables"), i, one) {
    page_row(w->p);
    page_cell(w->p, text(one, "name"));
    page_cell_number(w->p, number(one, "gradient"), PAGE_DIGITS, NULL);
    page_cell_number(w->p, number(one, "complex_step"), PAGE_DIGITS, NULL);
    page_cell_number(w->p, number(one, "central_differences"), PAGE_DIGITS, NULL);
    page_cell_number(w->p, number(one, "error"), 3, NULL);
    page_cell(w->p, text(one, "verdict"));
  }
  page_table_close(w->p);
}

static void method_table(const writer *w, const json_t *q) {
  static const char *const heading[] = {"compared with", "largest deviation", "at half the steps",
                                        "at a hundredth of the steps' tolerance", "verdict"};
  size_t i;
  const json_t *one;
  page_table_open(w->p, 5, heading);
  json_array_foreach(json_object_get(q, "methods"), i, one) {
    page_row(w->p);
    page_cell(w->p, method_text(text(one, "method")));
    page_cell_number(w->p, number(one, "deviation"), 3, NULL);
    page_cell_number(w->p, number(one, "deviation_at_half_steps"), 3, NULL);
    page_cell_number(w->p, number(one, "deviation_at_tighter_tolerance"), 3, NULL);
    page_cell(w->p, text(one, "verdict"));
  }
  page_table_close(w->p);
}

static void quantity(const writer *w, const json_t *q) {
  page_section(w->p, text(q, "quantity"));
  taylor_text(w, q);
  page_figures_open(w->p);
  taylor_figure(w, q);
  agreement_figure(w, q);
  page_figures_close(w->p);
  variable_table(w, q);
  page_heading(w->p, "Methods");
  method_table(w, q);
}

static void second_derivatives(const writer *w, const json_t *all) {
  static const char *const heading[] = {"quantity", "asymmetry", "verdict", "against central differences", "verdict"};
  size_t i;
  const json_t *one;
  if (json_array_size(all) == 0) { return; }
  page_section(w->p, "Second derivatives");
  page_table_open(w->p, 5, heading);
  json_array_foreach(all, i, one) {
    page_row(w->p);
    page_cell(w->p, text(one, "quantity"));
    page_cell_number(w->p, number(one, "symmetry"), 3, NULL);
    page_cell(w->p, text(one, "symmetry_verdict"));
    page_cell_number(w->p, number(one, "central_differences"), 3, NULL);
    page_cell(w->p, text(one, "verdict"));
  }
  page_table_close(w->p);
}

static void own_forces(const writer *w, const json_t *all) {
  static const char *const heading[] = {"case", "force", "of", "verdict", "finding"};
  size_t i;
  const json_t *one;
  if (json_array_size(all) == 0) { return; }
  page_section(w->p, "Forces of one's own");
  page_table_open(w->p, 5, heading);
  json_array_foreach(all, i, one) {
    page_row(w->p);
    for (int k = 0; k < 5; k++) {
      static const char *const key[] = {"case", "force", "of", "verdict", "text"};
      page_cell(w->p, text(one, key[k]));
    }
  }
  page_table_close(w->p);
}

static void what_was_checked(const writer *w, const json_t *o) {
  size_t i;
  const json_t *one;
  page_section(w->p, "What was checked");
  page_facts_open(w->p);
  page_fact(w->p, "mechanism", mbo_model_file_title(w->m->variant[0].file));
  page_fact(w->p, "run file", w->m->config->path);
  page_fact(w->p, "verdict", strcmp(text(o, "verdict"), "right") == 0 ? "all right" : "WRONG");
  page_facts_close(w->p);
  json_array_foreach(json_object_get(o, "gradient"), i, one) {
    page_text(w->p, "Gradient of case %s: %s.", text(one, "case"), text(one, "reason"));
  }
  json_array_foreach(json_object_get(o, "warnings"), i, one) {
    page_note(w->p, "%s", text(one, "text"));
  }
}

/* Writes the sections on the checked design, on each quantity, on second derivatives and on users' forces. */
mbd_status check_page_write(const mechanism *m, const json_t *o, const char *path, mbd_error *err) {
  writer w = {.m = m};
  size_t i;
  const json_t *one;
  const char *slash = strrchr(m->config->path, '/');
  char *title = mbd_sprintf_dup("%s: check of the gradient", slash ? slash + 1 : m->config->path);
  mbd_status status = title ? page_create(title, &w.p, err) : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the page");
  if (status == MBD_OK) {
    what_was_checked(&w, o);
    json_array_foreach(json_object_get(o, "quantities"), i, one) {
      quantity(&w, one);
    }
    second_derivatives(&w, json_object_get(o, "second_derivatives"));
    own_forces(&w, json_object_get(o, "forces_of_ones_own"));
    status = page_write(w.p, path, err);
  }
  page_destroy(w.p);
  free(title);
  return status;
}
