#include "report/study_specs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/json.h"
#include "report/study_curves.h"
#include "report/study_units.h"

char *study_links_file(const study_links *l, long run) {
  int a = 0, b = l->n;
  while (a < b) {
    const int k = a + (b - a) / 2;
    if (l->run[k] < run) {
      a = k + 1;
    } else {
      b = k;
    }
  }
  if (a == l->n || l->run[a] != run) { return NULL; }
  char *file = mbd_sprintf_dup("%s%ld.html", l->prefix, run);
  if (!file) { json_memory_note(); }
  return file;
}

static json_t *numbers(int n, const double *v) {
  json_t *list = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(list, json_number(v[i])); }
  return list;
}

static json_t *steps(const plot_curve *curve, const double *y) {
  return json_pack("{s:o, s:s, s:o, s:o}", "name", json_text(curve->title), "kind", "steps", "x",
                   numbers(curve->n, curve->x), "y", numbers(curve->n, y));
}

static mbd_status ended(long lost, json_t **out, mbd_error *err) {
  if (*out && json_memory_lost() == lost) { return MBD_OK; }
  json_decref(*out);
  *out = NULL;
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a figure of the comparison");
}

/* ---- profiles ---- */

static double right_end(const study_curves *c) {
  double end = 0;
  for (int i = 0; i < c->n; i++) { end = fmax(end, c->curve[i].x[c->curve[i].n - 1]); }
  return end;
}

/* A step curve for each optimizer: the share of problems solved within x simulations, or x times the simulations of the fastest one. */
mbd_status study_spec_profile(const study_data *d, int t, int ratio, json_t **out, mbd_error *err) {
  const long lost = json_memory_lost();
  const double tau = profiles_tau[t];
  study_curves c;
  MBD_TRY(study_curves_profile(d, t, ratio, &c, err));
  const double end = 1.05 * right_end(&c); /* so that a last step is visible */
  json_t *series = json_array();
  for (int i = 0; i < c.n; i++) {
    const plot_curve *q = &c.curve[i];
    json_t *one = steps(q, q->y);
    json_array_append_new(json_object_get(one, "x"), json_number(end));
    json_array_append_new(json_object_get(one, "y"), json_number(q->y[q->n - 1]));
    json_array_append_new(series, one);
  }
  char *title = mbd_sprintf_dup("%s profile, tau = %g", ratio ? "Performance" : "Data", tau);
  char *caption =
      mbd_sprintf_dup("%s profile, tau = %g: share solved within so many %s", ratio ? "Performance" : "Data", tau,
                      ratio ? "times the simulations of the fastest" : "simulations");
  if (title && caption) {
    *out = json_pack("{s:s, s:s, s:b, s:{s:s, s:b, s:[f,f]}, s:{s:s, s:[f,f]}, s:o}", "title", title, "caption",
                     caption, "across", 1, "x", "label", ratio ? "simulations, times the fewest" : "simulations", "log",
                     ratio, "range", ratio ? 0.97 : 0.0, fmax(end, ratio ? 1.1 : 1), "y", "label",
                     "share of problems solved", "range", 0.0, 1.04, "series", series);
  } else {
    *out = NULL;
    json_decref(series);
  }
  free(title), free(caption);
  study_curves_free(&c);
  return ended(lost, out, err);
}

/* ---- convergence ---- */

/* Returns 1 if the objectives above the level at which they count as equal span a decade. */
static int spans_decade(const study_curves *c, double same) {
  double low = INFINITY, high = 0;
  for (int i = 0; i < c->n; i++) {
    for (int k = 0; k < c->curve[i].n; k++) {
      const double f = c->curve[i].y[k];
      if (isfinite(f)) { low = fmin(low, fmax(f, f >= 0 ? same : f)), high = fmax(high, f); }
    }
  }
  return low > 0 && high >= 10 * low;
}

static int any_number(const study_curves *c) {
  int any = 0;
  for (int i = 0; i < c->n; i++) {
    for (int k = 0; k < c->curve[i].n; k++) { any |= isfinite(c->curve[i].y[k]) != 0; }
  }
  return any;
}

/* Values of a curve, raised to the level if they are below it; *text has their true values. */
static json_t *raised(const plot_curve *curve, int log, double same, json_t **text) {
  json_t *y = json_array();
  *text = json_array();
  for (int k = 0; k < curve->n; k++) {
    const int below = log && curve->y[k] < same;
    char *words = below ? mbd_sprintf_dup("it is %.7g, zero but for rounding", curve->y[k]) : NULL;
    json_array_append_new(y, json_number(below ? same : curve->y[k]));
    if (below && !words) { json_memory_note(); }
    json_array_append_new(*text, words ? json_text(words) : json_null());
    free(words);
  }
  return y;
}

/* The number of an optimizer among those of the study, which determines its colour: not every optimizer takes part in
 * every problem. */
static int number_of(const study_data *d, const char *backend) {
  int b = 0;
  while (b < d->profiles.nbackend && strcmp(d->profiles.backend[b], backend) != 0) { b++; }
  return b;
}

static json_t *one_backend(const study_curves *c, int i, int colour, int log, double same, const study_links *l) {
  const plot_curve *q = &c->curve[i];
  json_t *text, *y = raised(q, log, same, &text);
  json_t *one = json_pack("{s:o, s:s, s:i, s:o, s:o, s:o, s:i}", "name", json_text(q->title), "kind", "steps", "colour",
                          colour, "x", numbers(q->n, q->x), "y", y, "text", text, "run", (int)c->run[i]);
  char *file = study_links_file(l, c->run[i]);
  if (file) { json_object_set_new(one, "href", json_text(file)); }
  free(file);
  return one;
}

/* One curve for each optimizer; the axis is logarithmic if the objectives span a decade above the level at which they are equal. */
mbd_status study_spec_convergence(const study_data *d, int problem, const char *title, const study_links *l,
                                  json_t **out, mbd_error *err) {
  const long lost = json_memory_lost();
  const double same = study_data_same(d, problem);
  study_curves c;
  *out = NULL;
  MBD_TRY(study_curves_convergence(d, problem, &c, err));
  if (!any_number(&c)) {
    study_curves_free(&c);
    return MBD_OK;
  }
  const int log = spans_decade(&c, same);
  json_t *series = json_array();
  for (int i = 0; i < c.n; i++) {
    json_array_append_new(series, one_backend(&c, i, number_of(d, c.curve[i].title), log, same, l));
  }
  char *label = mbd_sprintf_dup("best %s so far", d->objective[problem]);
  char *caption = mbd_sprintf_dup(
      "The best objective without violation after so many simulated designs. Objectives closer than %.3g are equal but "
      "for rounding%s. A click on a curve opens the page of its run, where there is one.",
      same, log ? "; what is less lies on that level" : "");
  if (caption && label) {
    *out = json_pack("{s:o, s:s, s:b, s:{s:s, s:b}, s:{s:s, s:b}, s:o}", "title", json_text(title), "caption", caption,
                     "across", 1, "x", "label", "simulated designs", "whole", 1, "y", "label", label, "log", log,
                     "series", series);
  } else {
    json_decref(series);
  }
  free(caption), free(label);
  study_curves_free(&c);
  return ended(lost, out, err);
}
