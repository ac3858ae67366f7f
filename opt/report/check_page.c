#include "report/check_page.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "files/json.h"
#include "report/page.h"

typedef struct writer {
  page *p;
  const json_t *o;
} writer;

static const double no_difference = 1e-17; /* place, on logarithmic axes, of differences that are zero */

static void figure(const writer *w, json_t *spec) {
  (void)page_figure(w->p, spec, NULL); /* page_write says what is lost */
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
static void taylor_figure(const writer *w, const json_t *given) {
  const json_t *t = json_object_get(given, "taylor");
  json_t *step = json_object_get(t, "step"), *remainder = json_object_get(t, "remainder"),
         *change = json_object_get(t, "change");
  if (json_array_size(step) < 2) { return; }
  /* The remainder is of second order in the step if the gradient is right; the change is of first order. */
  json_t *with = curve("remainder with the gradient", "both", "after", step, json_incref(remainder)),
         *without = curve("change, without the gradient", "both", "before", step, json_incref(change)),
         *second = curve("slope 2", "line", "quiet", step, guide(step, remainder, 2)),
         *first = curve("slope 1", "line", "quiet", step, guide(step, change, 1));
  /* A point of the curves has its slope to the next point as text. The guides are mute: they have no values to read. */
  json_object_set_new(with, "text", slopes(step, remainder));
  json_object_set_new(without, "text", slopes(step, change));
  json_object_set_new(second, "mute", json_true()), json_object_set_new(first, "mute", json_true());
  /* Remainders below this level are rounding. */
  const double rounding = json_number_in(t, "rounding");
  json_t *levels = json_array();
  if (rounding > 0) {
    json_array_append_new(levels, json_pack("{s:f, s:s, s:s}", "y", rounding, "kind", "bound", "text", "rounding"));
  }
  figure(w, json_pack("{s:s, s:s, s:s, s:{s:s, s:b, s:s}, s:{s:s, s:s, s:b}, s:[o,o,o,o], s:o}", "name", "taylor",
                      "title", "Taylor test", "caption",
                      "How the quantity changes along a direction that moves all variables. What the gradient does not "
                      "explain falls with the square of the step where the gradient is right, until rounding (dashed "
                      "level) is all that is left; with a wrong one it falls with the step, as the change does.",
                      "x", "label", "step in scales of the variables", "log", 1, "unit", "-", "y", "label",
                      "change of the quantity", "unit", json_text_in(given, "unit"), "log", 1, "series", with, without,
                      second, first, "levels", levels));
}

static void taylor_text(const writer *w, const json_t *given) {
  const json_t *t = json_object_get(given, "taylor");
  const double order = json_number_in(given, "taylor_order"), first = json_number_in(t, "first_order"),
               size = json_number_in(t, "size");
  const char *verdict = json_text_in(given, "taylor_verdict");
  char words[48] = "";
  if (isfinite(order)) { snprintf(words, sizeof words, "order %.3f, expected 2; ", order); }
  if (isfinite(first) && size > 0) {
    page_text(w->p, "Taylor test: %s%.1e of the %s unexplained, known to %.1e: %s.", words, fabs(first) / size,
              json_is_true(json_object_get(t, "size_is_of_change")) ? "change" : "derivative",
              json_number_in(t, "first_order_error") / size, verdict);
  } else {
    page_text(w->p, "Taylor test: %s.", verdict);
  }
}

/* ---- agreement ---- */

static const char *method_text(const writer *w, const char *name) {
  const char *words = json_text_in(json_object_get(w->o, "method_words"), name);
  return *words ? words : name;
}

/* Rows of variables, a point for each method; the k-th of n stands a little below the one before it. */
static json_t *agreement_of(const writer *w, const json_t *variables, const char *method, int k, int n) {
  const double beside = 0.14 * (k - 0.5 * (n - 1));
  json_t *x = json_array(), *y = json_array(), *words = json_array();
  size_t i;
  const json_t *one;
  json_array_foreach(variables, i, one) {
    const double d = json_number_in(json_object_get(one, "deviations"), method);
    json_array_append_new(x, json_number(d < no_difference ? no_difference : d));
    json_array_append_new(y, json_real((double)i + beside));
    json_array_append_new(words, d < no_difference ? json_text("no difference") : json_null());
  }
  return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", method_text(w, method), "kind", "points", "x", x, "y", y,
                   "text", words);
}

/* The figure of agreement: for each variable the deviation of every method from the complex step, with the tolerances. */
static void agreement_figure(const writer *w, const json_t *given) {
  const json_t *variables = json_object_get(given, "variables"), *one;
  json_t *names = json_array(), *curves = json_array();
  size_t i;
  const char *method;
  json_t *unused;
  /* The rows: one for each variable. */
  json_array_foreach(variables, i, one) {
    json_array_append(names, json_object_get(one, "name"));
  }
  /* The points of each method. All variables have the methods of the first one. */
  json_t *methods = json_object_get(json_array_get(variables, 0), "deviations");
  json_object_foreach(methods, method, unused) {
    const int k = (int)json_array_size(curves);
    json_array_append_new(curves, agreement_of(w, variables, method, k, (int)json_object_size(methods)));
  }
  /* The tolerances are levels: that of exact methods and that of central differences. */
  figure(w,
         json_pack("{s:s, s:s, s:s, s:{s:s, s:b, s:s}, s:{s:s, s:o}, s:o, s:[{s:f,s:s,s:s},{s:f,s:s,s:s}]}", "name",
                   "agreement", "title", "Agreement with the complex step", "caption",
                   "Of each variable, relative to the largest derivative with variables in their scales. "
                   "Dashed: what is allowed of exact methods and of central differences. The continuous "
                   "adjoint differs by the order of the step.",
                   "x", "label", "deviation", "log", 1, "unit", "-", "y", "label", "variable", "names", names, "series",
                   curves, "levels", "x", json_number_in(w->o, "tolerance"), "kind", "bound", "text", "tolerance", "x",
                   json_number_in(w->o, "difference_tolerance"), "kind", "bound", "text", "difference_tolerance"));
}

/* ---- tables ---- */

static void variable_table(const writer *w, const json_t *given) {
  static const page_column column[] = {{"variable", "name", PAGE_WORDS, NULL},
                                       {"derivative", "gradient", PAGE_DIGITS, NULL},
                                       {"complex step", "complex_step", PAGE_DIGITS, NULL},
                                       {"central differences", "central_differences", PAGE_DIGITS, NULL},
                                       {"deviation", "error", 3, NULL},
                                       {"verdict", "verdict", PAGE_WORDS, NULL}};
  page_table(w->p, 6, column, json_object_get(given, "variables"));
}

static void method_table(const writer *w, const json_t *given) {
  static const page_column column[] = {
      {"compared with", "method", PAGE_WORDS, NULL},
      {"largest deviation", "deviation", 3, NULL},
      {"at half the steps", "deviation_at_half_steps", 3, NULL},
      {"at a hundredth of the steps' tolerance", "deviation_at_tighter_tolerance", 3, NULL},
      {"verdict", "verdict", PAGE_WORDS, NULL}};
  size_t i;
  json_t *one, *all = json_deep_copy(json_object_get(given, "methods"));
  json_array_foreach(all, i, one) {
    json_object_set_new(one, "method", json_text(method_text(w, json_text_in(one, "method"))));
  }
  page_table(w->p, 5, column, all);
  json_decref(all);
}

static void quantity(const writer *w, const json_t *given) {
  page_section(w->p, json_text_in(given, "quantity"));
  taylor_text(w, given);
  page_figures_open(w->p);
  taylor_figure(w, given);
  agreement_figure(w, given);
  page_figures_close(w->p);
  variable_table(w, given);
  page_heading(w->p, "Methods");
  method_table(w, given);
}

static void second_derivatives(const writer *w) {
  static const page_column column[] = {{"quantity", "quantity", PAGE_WORDS, NULL},
                                       {"asymmetry", "symmetry", 3, NULL},
                                       {"verdict", "symmetry_verdict", PAGE_WORDS, NULL},
                                       {"against central differences", "central_differences", 3, NULL},
                                       {"verdict", "verdict", PAGE_WORDS, NULL}};
  page_table_section(w->p, "Second derivatives", 5, column, json_object_get(w->o, "second_derivatives"));
}

static void users_forces(const writer *w) {
  static const page_column column[] = {{"case", "case", PAGE_WORDS, NULL},
                                       {"force", "force", PAGE_WORDS, NULL},
                                       {"of", "of", PAGE_WORDS, NULL},
                                       {"verdict", "verdict", PAGE_WORDS, NULL},
                                       {"finding", "text", PAGE_WORDS, NULL}};
  page_table_section(w->p, "Forces of one's own", 5, column, json_object_get(w->o, "forces_of_ones_own"));
}

static void what_was_checked(const writer *w) {
  const json_t *o = w->o;
  size_t i;
  const json_t *one;
  page_section(w->p, "What was checked");
  const int right = strcmp(json_text_in(o, "verdict"), "right") == 0;
  page_verdict_owned(w->p, right,
                     mbd_strdup(right ? "The gradient is right." : "The gradient is WRONG: see the verdicts below."));
  page_facts_open(w->p);
  page_fact(w->p, "mechanism", json_text_in(o, "mechanism"));
  page_fact(w->p, "run file", json_text_in(o, "run_file"));
  page_facts_close(w->p);
  json_array_foreach(json_object_get(o, "gradient"), i, one) {
    page_text(w->p, "Gradient of case %s: %s.", json_text_in(one, "case"), json_text_in(one, "reason"));
  }
  json_array_foreach(json_object_get(o, "warnings"), i, one) {
    page_note(w->p, "%s", json_text_in(one, "text"));
  }
}

/* Writes the sections on the checked design, on each quantity, on second derivatives and on users' forces. */
mbd_status check_page_write(const json_t *o, const char *path, mbd_error *err) {
  writer w = {.o = o};
  size_t i;
  const json_t *one;
  MBD_TRY(page_create_about(json_text_in(o, "run_file"), "check of the gradient", &w.p, err));
  what_was_checked(&w);
  json_array_foreach(json_object_get(o, "quantities"), i, one) {
    quantity(&w, one);
  }
  second_derivatives(&w);
  users_forces(&w);
  const mbd_status status = page_write(w.p, path, err);
  page_destroy(w.p);
  return status;
}
