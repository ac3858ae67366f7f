#include "results/curves.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"
#include "mbd/picture.h"
#include "results/packed.h"
#include "files/memory.h"

/* ---- numbers ---- */

static json_t *differences(int n, const double *v, double from) {
  unsigned char *bytes = malloc(4 * (size_t)n + 1);
  for (int i = 0; bytes && i < n; i++) {
    const double d = v[i] - from;
    const float f = isfinite(d) ? (float)fmax(-FLT_MAX, fmin(FLT_MAX, d)) : NAN;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    packed_put(bytes + 4 * i, bits, 4);
  }
  return packed_bytes(4 * (size_t)n, bytes);
}

/* ---- columns ---- */

/* The motion whose column names are used; the other motion has the same ones if its mechanism is the same. */
static const motion *leading(const run_motions *v) {
  return v->after ? v->after : v->before;
}

static json_t *column_names(const mbo_run_config *c, const thinned *w) {
  static const char *const kind[] = {"time",   "coordinate", "rate",      "acceleration",
                                     "output", "multiplier", "objective", "projection"};
  json_t *list = json_array();
  for (int i = 1; i < w->columns.n; i++) {
    const series_column *column = &w->columns.column[i];
    json_t *one = json_pack("{s:o, s:o, s:s}", "name", json_text(column->name), "unit", json_text(column->unit), "kind",
                            kind[column->kind]);
    const int chosen = series_choice(c, column->name);
    if (chosen > 0) { json_object_set_new(one, "chosen", json_integer(chosen)); }
    json_array_append_new(list, one);
  }
  return list;
}

/* The number of a column by its name, from 1 on; 0: there is none. */
static int column_of(const thinned *w, const char *name) {
  for (int i = 1; i < w->columns.n; i++) {
    if (strcmp(w->columns.column[i].name, name) == 0) { return i; }
  }
  return 0;
}

/* The least and the largest value of a curve, which both are among the nodes that it keeps. */
static void range_of(const thinned_curve *curve, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int i = 0; i < curve->n; i++) { *low = fmin(*low, curve->y[i]), *high = fmax(*high, curve->y[i]); }
}

static int moves(const thinned_curve *curve) {
  double low, high;
  range_of(curve, &low, &high);
  return high - low > 1e-12 * fmax(1, fmax(fabs(low), fabs(high)));
}

/* The distances, in nodes, between successive kept nodes, as numbers of two bytes or of four; they are less than twice
 * a stretch. */
static json_t *steps_between(const thinned_curve *curve, int size) {
  unsigned char *bytes = malloc((size_t)size * (size_t)curve->n + 1);
  for (int i = 0; bytes && i < curve->n; i++) {
    packed_put(bytes + size * i, (uint64_t)(curve->node[i] - (i ? curve->node[i - 1] : 0)), size);
  }
  return packed_bytes((size_t)size * (size_t)curve->n, bytes);
}

/* Times of all nodes; if they are many at equal distances, the first and the last one. */
static json_t *times_of(const motion_case *c) {
  enum { FEW = 2200 };
  const double step = c->n > 1 ? (c->t[c->n - 1] - c->t[0]) / (c->n - 1) : 0;
  int equal = c->n > FEW;
  for (int k = 0; equal && k < c->n; k++) { equal = fabs(c->t[k] - c->t[0] - k * step) < 1e-6 * step; }
  return equal ? json_pack("{s:f, s:f}", "first", c->t[0], "last", c->t[c->n - 1]) : packed_doubles(c->n, c->t);
}

static json_t *one_column(const thinned *w, int i) {
  const thinned_curve *curve = &w->curve[i];
  if (i == 0 || curve->n == 0) { return json_null(); }
  if (!moves(curve) && isfinite(curve->y[0])) { return json_number(curve->y[0]); }
  int k = 0;
  while (k < curve->n - 1 && !isfinite(curve->y[k])) { k++; }
  const double from = isfinite(curve->y[k]) ? curve->y[k] : 0;
  json_t *o = json_pack("{s:o, s:o}", "from", json_number(from), "d", differences(curve->n, curve->y, from));
  if (curve->stretch > 1) {
    const int wide = curve->stretch > INT16_MAX;
    json_object_set_new(o, wide ? "at4" : "at", steps_between(curve, wide ? 4 : 2));
  }
  return o;
}

static json_t *one_run(const thinned *names, const thinned *w, const motion_case *c) {
  json_t *y = json_array();
  for (int i = 1; i < names->columns.n; i++) {
    const int column = names == w ? i : column_of(w, names->columns.column[i].name);
    json_array_append_new(y, one_column(w, column));
  }
  return json_pack("{s:i, s:o, s:o}", "nodes", w->nodes, "t", times_of(c), "y", y);
}

/* ---- figures that are shown at first ---- */

/* Returns 1 if a column varies with time or differs between the motions. */
static int worth_a_figure(const run_motions *v, int in_case, const char *name) {
  const motion *both[] = {v->before, v->after};
  double value[2] = {NAN, NAN};
  for (int k = 0; k < 2; k++) {
    const thinned *w = both[k] ? &both[k]->cases[in_case].all : NULL;
    const int i = w ? column_of(w, name) : 0;
    if (i == 0 || w->curve[i].n == 0) { continue; }
    if (moves(&w->curve[i])) { return 1; }
    value[k] = w->curve[i].y[0];
  }
  return fabs(value[0] - value[1]) > 1e-12 * fmax(1, fabs(value[0]));
}

/* Returns 1 if a curve is a linear function of another one, as of coordinates that are driven together. */
static int follows(const thinned_curve *curve, const thinned_curve *leader) {
  double low, high, size;
  int a = 0, b = 0;
  if (curve->n != leader->n || curve->stretch > 1 || leader->stretch > 1) { return 0; }
  for (int i = 1; i < leader->n; i++) {
    if (leader->y[i] < leader->y[a]) { a = i; }
    if (leader->y[i] > leader->y[b]) { b = i; }
  }
  range_of(curve, &low, &high);
  size = leader->y[b] - leader->y[a];
  for (int i = 0; i < curve->n; i++) {
    const double part = (leader->y[i] - leader->y[a]) / size, y = curve->y[a] + part * (curve->y[b] - curve->y[a]);
    if (!(fabs(curve->y[i] - y) <= 1e-6 * (high - low))) { return 0; }
  }
  return 1;
}

/* The travel of a case with prescribed motion: the column of the first driven coordinate that moves, if all others that do follow it;
 * -1: none moves, or several on their own. */
static int travel_of(const run_motions *v, int in_case, const thinned *w) {
  static const char prefix[] = "drive.";
  const mechanism_case *load = &v->folder->m->cases[in_case];
  int travel = 0;
  if (strcmp(load->c.analysis, "motion") == 0) { return -1; }
  for (int i = 0; i < mbd_model_nconstraint(load->v->model); i++) {
    const char *name = mbd_model_constraint_name(load->v->model, i, NULL, NULL, NULL);
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) { continue; }
    const int column = column_of(w, name + sizeof prefix - 1);
    if (column == 0 || !worth_a_figure(v, in_case, name + sizeof prefix - 1)) { continue; }
    if (travel > 0 && !follows(&w->curve[column], &w->curve[travel])) { return -1; }
    if (travel == 0) { travel = column; }
  }
  return travel - 1;
}

/* The column over which an output is plotted: the one of the first objective that names one, else the travel, else the time. */
static int abscissa_of(const mechanism_case *load, const thinned *w, int output, int travel) {
  for (int i = 0; i < load->nterm; i++) {
    if (load->term[i].output == output && load->term[i].over > 0) {
      return column_of(w, mbd_outputs_name(load->outputs, load->term[i].over - 1)) - 1;
    }
  }
  return travel;
}

/* Adds the path of a point in a plane: two of its components, or the two that the run has, vary. */
static void add_path(const run_motions *v, int in_case, const thinned *w, int output, json_t *list) {
  const char *name = mbd_outputs_name(v->folder->m->cases[in_case].outputs, output);
  const size_t n = strlen(name);
  int moving[3], count = 0;
  if (n < 11 || strcmp(name + n - 11, ".position.x") != 0) { return; }
  for (int i = 0; i < 3; i++) {
    char *part = mbd_sprintf_dup("%.*s%c", (int)n - 1, name, "xyz"[i]);
    const int column = part ? column_of(w, part) : 0;
    if (column > 0 && worth_a_figure(v, in_case, part)) { moving[count++] = column - 1; }
    free(part);
  }
  if (count == 2) { json_array_append_new(list, json_pack("[i,i]", moving[1], moving[0])); }
}

static void add_outputs(const run_motions *v, int in_case, const thinned *w, json_t *list) {
  const mechanism_case *load = &v->folder->m->cases[in_case];
  const int travel = travel_of(v, in_case, w);
  for (int i = 0; i < mbd_outputs_count(load->outputs); i++) {
    const char *name = mbd_outputs_name(load->outputs, i);
    const int y = column_of(w, name);
    if (mbd_outputs_is_repeated(load->outputs, i) || y == 0 || !worth_a_figure(v, in_case, name)) { continue; }
    json_array_append_new(list, json_pack("[i,i]", y - 1, abscissa_of(load, w, i, y - 1 == travel ? -1 : travel)));
    add_path(v, in_case, w, i, list);
  }
}

static int has_figure(const json_t *list, int y) {
  const json_t *one;
  size_t i;
  json_array_foreach(list, i, one) {
    if (json_integer_value(json_array_get(one, 0)) == y) { return 1; }
  }
  return 0;
}

/* Adds the chosen columns that have no figure yet, for they are no outputs. */
static void add_chosen(const run_motions *v, int in_case, const thinned *w, json_t *list) {
  const int travel = travel_of(v, in_case, w);
  for (int i = 1; i < w->columns.n; i++) {
    const series_column *column = &w->columns.column[i];
    if (series_choice(v->folder->m->config, column->name) > 0 && !has_figure(list, i - 1) &&
        worth_a_figure(v, in_case, column->name)) {
      json_array_append_new(list, json_pack("[i,i]", i - 1, i - 1 == travel ? -1 : travel));
    }
  }
}

/* Adds figures of the columns of a kind over the time, as long as the list has fewer than `max`. */
static void add_columns(const run_motions *v, int in_case, const thinned *w, series_kind kind, size_t max,
                        json_t *list) {
  for (int i = 1; i < w->columns.n && json_array_size(list) < max; i++) {
    const series_column *column = &w->columns.column[i];
    if (column->kind == kind && worth_a_figure(v, in_case, column->name)) {
      json_array_append_new(list, json_pack("[i,i]", i - 1, -1));
    }
  }
}

/* Adds the phase portraits, rate over coordinate, of a motion of at most two coordinates. */
static void add_portraits(const run_motions *v, int in_case, const thinned *w, json_t *list) {
  enum { MAX = 2 };
  int coordinate[MAX], n = 0;
  if (strcmp(v->folder->m->cases[in_case].c.analysis, "motion") != 0) { return; }
  for (int i = 1; i < w->columns.n; i++) {
    const series_column *column = &w->columns.column[i];
    if (column->kind != SERIES_COORDINATE || !worth_a_figure(v, in_case, column->name)) { continue; }
    if (n == MAX) { return; }
    coordinate[n++] = i;
  }
  for (int k = 0; k < n; k++) {
    char *rate = mbd_sprintf_dup("%s.rate", w->columns.column[coordinate[k]].name);
    const int column = rate ? column_of(w, rate) : 0;
    if (column > 0) { json_array_append_new(list, json_pack("[i,i]", column - 1, coordinate[k] - 1)); }
    free(rate);
  }
}

/* Outputs, chosen columns, phase portraits, objectives up to the time, and the first coordinates of a case without any of these. */
static json_t *first_figures(const run_motions *v, int in_case, const thinned *w) {
  json_t *list = json_array();
  add_outputs(v, in_case, w, list);
  add_chosen(v, in_case, w, list);
  add_portraits(v, in_case, w, list);
  add_columns(v, in_case, w, SERIES_SO_FAR, SIZE_MAX, list);
  if (json_array_size(list) == 0) { add_columns(v, in_case, w, SERIES_COORDINATE, 6, list); }
  return list;
}

/* ---- targets, bounds, windows ---- */

static void set_number(json_t *o, const char *key, double v) {
  if (isfinite(v)) { json_object_set_new(o, key, json_real(v)); }
}

/* The first time at which a curve crosses the value of an event, between its nodes straight; NaN: never. */
static double crossing_time(const thinned_curve *curve, const mbd_moment *moment) {
  for (int i = 1; i < curve->n; i++) {
    const double a = curve->y[i - 1] - moment->value, b = curve->y[i] - moment->value;
    const int rises = a < 0 && b >= 0, falls = a > 0 && b <= 0;
    if ((rises && moment->kind != MBD_MOMENT_FALLS) || (falls && moment->kind != MBD_MOMENT_RISES)) {
      return curve->t[i - 1] + a / (a - b) * (curve->t[i] - curve->t[i - 1]);
    }
  }
  return NAN;
}

/* A given time, or that of an event of the motion. */
static void set_moment(json_t *o, const char *key, const thinned *w, const mbd_outputs *outputs,
                       const mbd_moment *moment) {
  if (moment->kind == MBD_MOMENT_TIME) { set_number(o, key, moment->value); }
  if (moment->kind <= MBD_MOMENT_TIME) { return; }
  set_number(o, key, crossing_time(&w->curve[column_of(w, mbd_outputs_name(outputs, moment->output))], moment));
}

/* The target curve over its abscissa, in the range of the motions. */
static json_t *target_points(const run_motions *v, int in_case, const mechanism_case *load, const mbd_term *k, int x) {
  enum { POINTS = 200 };
  const motion *both[] = {v->before, v->after};
  double low = INFINITY, high = -INFINITY;
  int curve = 0;
  const char *name;
  /* The number of the target's curve in the model. */
  while ((name = mbd_model_curve_name(load->v->model, curve)) && strcmp(name, k->target_curve) != 0) { curve++; }
  /* The range of the abscissa in both motions: of the output `over`, or of the time (x = -1). */
  for (int i = 0; i < 2; i++) {
    const motion_case *c = both[i] ? &both[i]->cases[in_case] : NULL;
    const int column = c && x >= 0 ? column_of(&c->all, mbd_outputs_name(load->outputs, k->over - 1)) : 0;
    double ends[2] = {INFINITY, -INFINITY};
    if (column > 0) { range_of(&c->all.curve[column], &ends[0], &ends[1]); }
    if (c && c->n && x < 0) { ends[0] = c->t[0], ends[1] = c->t[c->n - 1]; }
    low = fmin(low, ends[0]), high = fmax(high, ends[1]);
  }
  /* Points at equal distances: the constant target plus the curve. */
  json_t *list = json_array();
  for (int i = 0; name && low < high && i <= POINTS; i++) {
    const double s = low + (high - low) * i / POINTS;
    json_array_append_new(list, json_pack("[f,f]", s, k->target + mbd_params_curve(load->v->params, curve, s)));
  }
  return list;
}

/* Returns 1 if the form is a value of the output itself, so that bounds on it are bounds on the curve. */
static int is_value(const char *form) {
  static const char *const forms[] = {"peak", "trough", "terminal", "value_at", NULL};
  int i = 0;
  while (forms[i] && strcmp(form, forms[i]) != 0) { i++; }
  return forms[i] != NULL;
}

/* The samples of a measurement [[t, value], ...]. Those of a sensor with a delay or an offset are not what the output shows, and very many would
 * cover it; the figures of a fit have them. */
static void set_samples(json_t *o, const mbd_samples *s) {
  enum { MAX = 60 };
  if (!s || !s->time || s->n > MAX || s->delay > 0 || s->offset > 0) { return; }
  json_t *list = json_array();
  for (int i = 0; i < s->n; i++) { json_array_append_new(list, json_pack("[f,f]", s->time[i], s->value[i])); }
  json_object_set_new(o, "samples", list);
}

/* The target, the bounds and the window of an objective or constraint for the figure of its output; NULL if the motion lacks the output. */
static json_t *mark(const run_motions *v, int in_case, const thinned *w, const mbd_term *k, int alone) {
  const mechanism *m = v->folder->m;
  const mechanism_case *load = &m->cases[in_case];
  const int y = column_of(w, mbd_outputs_name(load->outputs, k->output)), quantity = load->quantity[k->psi];
  /* Quantities are numbered with the objectives first, then the constraints: c < 0 is an objective. */
  const int c = quantity - m->nobjective;
  const mbo_objective_config *objective = c < 0 ? &m->config->objective[quantity] : &m->config->constraint[c];
  const int x = k->over > 0 ? column_of(w, mbd_outputs_name(load->outputs, k->over - 1)) - 1 : -1;
  if (y == 0) { return NULL; }
  json_t *one = json_pack("{s:o, s:s, s:i, s:i}", "of", json_text(mechanism_quantity(m, quantity)), "form", k->form,
                          "y", y - 1, "x", x);
  /* The target, if there is one: a curve or a number. */
  if (k->target_curve) {
    json_object_set_new(one, "target", target_points(v, in_case, load, k, x));
  } else if (objective->target.n > 0) {
    set_number(one, "target", k->target);
  }
  /* A constraint with one term that is a value of the output bounds this output; its bounds count from the target. */
  if (c >= 0 && alone && is_value(k->form) && !k->target_curve) {
    set_number(one, "lower", m->c_lower[c] + k->target);
    set_number(one, "upper", m->c_upper[c] + k->target);
  }
  /* One on the distance from the target is a band about it. */
  if (c >= 0 && alone && strcmp(k->form, "peak_abs") == 0) { set_number(one, "within", m->c_upper[c]); }
  if (strcmp(k->form, "measured") == 0) { set_samples(one, k->samples); }
  /* The window, and the time of a single value: a given one or the end of the motion. */
  set_moment(one, "from", w, load->outputs, &k->from);
  set_moment(one, "until", w, load->outputs, &k->until);
  if (strcmp(k->form, "value_at") == 0) { set_moment(one, "at", w, load->outputs, &k->at); }
  if (strcmp(k->form, "terminal") == 0 && k->until.kind == MBD_MOMENT_NONE) { set_number(one, "at", w->last); }
  return one;
}

/* The number of a target at point i of n, which is the same at all of them or has points of its own. */
static double target_at(const json_t *target, size_t i) {
  return json_is_array(target) ? json_number_of(json_array_get(json_array_get(target, i), 1)) : json_number_of(target);
}

/* Two components of a vector, as P.position.x and P.position.z. */
static int are_components(const thinned *w, int x, int y) {
  const char *const a = w->columns.column[x + 1].name, *const b = w->columns.column[y + 1].name;
  const size_t n = strlen(a);
  return x != y && n > 2 && strlen(b) == n && a[n - 2] == '.' && strncmp(a, b, n - 1) == 0;
}

/* Does the objective or constraint ask anything of the column over time? */
static int asks(const json_t *list, const char *of, json_int_t y) {
  const json_t *one;
  size_t i;
  json_array_foreach(list, i, one) {
    if (json_integer_value(json_object_get(one, "y")) == y && strcmp(json_text_in(one, "of"), of) == 0) { return 1; }
  }
  return 0;
}

/* Samples of two components at the same times, as points of their plane; NULL: there are none. The caller owns them. */
static json_t *samples_in_plane(const json_t *x, const json_t *y) {
  const size_t n = json_array_size(x);
  json_t *list = n > 0 && json_array_size(y) == n ? json_array() : NULL;
  for (size_t i = 0; list && i < n; i++) {
    const json_t *a = json_array_get(x, i), *b = json_array_get(y, i);
    if (json_number_of(json_array_get(a, 0)) != json_number_of(json_array_get(b, 0))) {
      json_decref(list);
      return NULL;
    }
    json_array_append_new(list, json_pack("[O,O]", json_array_get(a, 1), json_array_get(b, 1)));
  }
  return list;
}

/* Adds a mark on the path of the component y over x, of one objective or of two. points: the value of its key; becomes the mark's. */
static void add_on_path(json_t *list, const json_t *a, const json_t *b, const char *key, json_t *points) {
  const char *of[] = {json_text_in(a, "of"), json_text_in(b, "of")};
  const int same = strcmp(of[0], of[1]) == 0;
  json_array_append_new(
      list,
      json_pack("{s:o, s:O, s:O, s:O, s:o}", "of",
                json_own_text(mbd_sprintf_dup("%s%s%s", of[0], same ? "" : ", ", same ? "" : of[1])), "form",
                json_object_get(a, "form"), "y", json_object_get(b, "y"), "x", json_object_get(a, "y"), key, points));
}

/* Targets and samples of two components of a vector over time are a path of the one over the other: those of one objective, or of two that
 * ask for one component each. */
static void add_path_targets(const thinned *w, json_t *list) {
  const size_t n = json_array_size(list);
  for (size_t i = 0; i < n * n; i++) {
    const json_t *a = json_array_get(list, i / n), *b = json_array_get(list, i % n);
    const json_t *const target[] = {json_object_get(a, "target"), json_object_get(b, "target")};
    const int x = (int)json_integer_value(json_object_get(a, "y")),
              y = (int)json_integer_value(json_object_get(b, "y"));
    const int timed =
        json_integer_value(json_object_get(a, "x")) < 0 && json_integer_value(json_object_get(b, "x")) < 0;
    const char *const of[] = {json_text_in(a, "of"), json_text_in(b, "of")};
    const int same = strcmp(of[0], of[1]) == 0;
    if (!timed || !are_components(w, x, y)) { continue; }
    json_t *samples = samples_in_plane(json_object_get(a, "samples"), json_object_get(b, "samples"));
    if (samples) { add_on_path(list, a, b, "samples", samples); }
    if (!target[0] || !target[1] || (!same && (asks(list, of[0], y) || asks(list, of[1], x)))) { continue; }
    json_t *points = json_array();
    size_t count = 1;
    for (int k = 0; k < 2; k++) {
      if (json_array_size(target[k]) > count) { count = json_array_size(target[k]); }
    }
    for (size_t k = 0; k < count; k++) {
      json_array_append_new(points, json_pack("[f,f]", target_at(target[0], k), target_at(target[1], k)));
    }
    add_on_path(list, a, b, "target", points);
  }
}

static json_t *marks(const run_motions *v, int in_case, const thinned *w) {
  const mechanism_case *load = &v->folder->m->cases[in_case];
  json_t *list = json_array();
  for (int i = 0; i < load->nterm; i++) {
    const mbd_term *k = &load->term[i];
    const int alone =
        (i == 0 || load->term[i - 1].psi != k->psi) && (i + 1 == load->nterm || load->term[i + 1].psi != k->psi);
    json_t *one = mark(v, in_case, w, k, alone);
    if (one) { json_array_append_new(list, one); }
  }
  add_path_targets(w, list);
  return list;
}

/* ---- single columns ---- */

/* The value of a curve at a time among its nodes, between them straight. */
static double value_at(const thinned_curve *curve, double t) {
  int a = 0, b = curve->n - 1;
  while (b - a > 1) {
    const int k = (a + b) / 2;
    if (curve->t[k] <= t) {
      a = k;
    } else {
      b = k;
    }
  }
  const double s = b > a ? (t - curve->t[a]) / (curve->t[b] - curve->t[a]) : 0;
  return curve->y[a] + s * (curve->y[b] - curve->y[a]);
}

/* The numbers of a column of a motion at the nodes of another one. */
static json_t *along(const thinned_curve *curve, const thinned_curve *nodes) {
  json_t *list = json_array();
  for (int i = 0; curve->n > 0 && i < nodes->n; i++) {
    json_array_append_new(list, json_number(value_at(curve, nodes->t[i])));
  }
  return list;
}

/* Returns 1 if the curve rises or falls all the time between two times. */
static int is_one_way(const thinned_curve *curve, double from, double until) {
  int rises = 0, falls = 0;
  for (int i = 1; i < curve->n; i++) {
    if (curve->t[i - 1] < from || curve->t[i] > until) { continue; }
    rises |= curve->y[i] > curve->y[i - 1], falls |= curve->y[i] < curve->y[i - 1];
  }
  return !(rises && falls);
}

/* What is asked at a time, in a window or at all times, over another column: there where this is at these times, as in the page (curves.js:
 * elsewhere). NULL: in its window the column turns back, so that it has no place. The caller owns it. */
static json_t *elsewhere(const json_t *mark, const thinned_curve *column) {
  const double at = json_number_in(mark, "at"), from = json_number_in(mark, "from"),
               until = json_number_in(mark, "until");
  json_t *moved = json_copy((json_t *)mark);
  const json_t *samples = json_object_get(mark, "samples"), *one;
  if (samples && json_integer_value(json_object_get(mark, "x")) < 0) {
    json_t *list = json_array();
    size_t i;
    json_array_foreach(samples, i, one) {
      json_array_append_new(
          list, json_pack("[f,O]", value_at(column, json_number_of(json_array_get(one, 0))), json_array_get(one, 1)));
    }
    json_object_set_new(moved, "samples", list);
  }
  if (isfinite(at)) { set_number(moved, "at", value_at(column, at)); }
  if (isfinite(at) || (!isfinite(from) && !isfinite(until))) { return moved; }
  const double begin = isfinite(from) ? from : column->t[0], end = isfinite(until) ? until : column->t[column->n - 1];
  const double a = value_at(column, begin), b = value_at(column, end);
  if (!is_one_way(column, begin, end)) {
    json_decref(moved);
    return NULL;
  }
  set_number(moved, "from", fmin(a, b)), set_number(moved, "until", fmax(a, b));
  return moved;
}

static int is_of(const json_t *mark, int y, int x) {
  return json_integer_value(json_object_get(mark, "y")) == y && json_integer_value(json_object_get(mark, "x")) == x;
}

/* What is asked of the column y over x; of what is asked over time the targets and bounds, where x has no path of its own. column: x in the
 * last motion; NULL: x is the time. */
static json_t *marks_of(const json_t *all, int y, int x, const thinned_curve *column) {
  json_t *list = json_array();
  const json_t *one;
  size_t i;
  int path = 0;
  json_array_foreach(all, i, one) {
    path |= is_of(one, y, x) && (json_is_array(json_object_get(one, "target")) || json_object_get(one, "samples"));
  }
  json_array_foreach(all, i, one) {
    const json_t *target = json_object_get(one, "target");
    const int asked = target || json_object_get(one, "samples"),
              timed = column && is_of(one, y, -1) && !json_is_array(target) && !(path && asked);
    if (!is_of(one, y, x) && !timed) { continue; }
    json_t *moved = column && column->n > 0 ? elsewhere(one, column) : json_incref((json_t *)one);
    if (moved) { json_array_append_new(list, moved); }
  }
  return list;
}

/* A column y of the motions over another one, or over the time (x = 0), as curves for a figure. */
static json_t *figure_of(const run_motions *v, int in_case, int y, int x, const json_t *all_marks) {
  const motion *both[] = {v->before, v->after};
  const char *const called[] = {v->folder->before, v->folder->after};
  const thinned *last = &leading(v)->cases[in_case].all;
  const series_column *list = last->columns.column, *column = &list[y];
  json_t *runs = json_array();
  for (int k = 0; k < 2; k++) {
    const thinned *w = both[k] ? &both[k]->cases[in_case].all : NULL;
    const int i = w ? column_of(w, column->name) : 0, j = w && x > 0 ? column_of(w, list[x].name) : 0;
    if (i == 0 || (x > 0 && j == 0)) { continue; }
    const thinned_curve *curve = &w->curve[i];
    json_array_append_new(runs, json_pack("{s:o, s:o, s:o}", "name", json_text(called[k]), "x",
                                          x > 0 ? along(&w->curve[j], curve) : json_numbers(curve->t, curve->n), "y",
                                          json_numbers(curve->y, curve->n)));
  }
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
                   column->kind == SERIES_SO_FAR ? "so_far" : "output", "case",
                   json_text(v->folder->m->cases[in_case].config->name), "name", json_text(column->name), "unit",
                   json_text(column->unit), "over", json_text(x > 0 ? list[x].name : "t"), "over_unit",
                   json_text(x > 0 ? list[x].unit : "s"), "runs", runs, "marks",
                   marks_of(all_marks, y - 1, x - 1, x > 0 ? &last->curve[x] : NULL));
}

static void add_still(const run_motions *v, int in_case, json_t *still) {
  const mbd_outputs *outputs = v->folder->m->cases[in_case].outputs;
  const thinned *first = &(v->before ? v->before : v->after)->cases[in_case].all;
  for (int i = 0; i < mbd_outputs_count(outputs); i++) {
    const char *name = mbd_outputs_name(outputs, i);
    const int column = column_of(first, name);
    if (mbd_outputs_is_repeated(outputs, i) || column_of(&leading(v)->cases[in_case].all, name) == 0 || column == 0 ||
        worth_a_figure(v, in_case, name)) {
      continue;
    }
    json_array_append_new(
        still, json_pack("{s:o, s:s, s:s, s:o}", "case", json_text(v->folder->m->cases[in_case].config->name), "name",
                         name, "unit", mbd_outputs_unit(outputs, i), "value", json_number(first->curve[column].y[0])));
  }
}

void curves_single(const run_motions *v, int plain, json_t **moving, json_t **still) {
  *moving = json_array(), *still = json_array();
  for (int c = 0; leading(v) && c < v->folder->m->ncase; c++) {
    const thinned *w = &leading(v)->cases[c].all;
    add_still(v, c, *still);
    json_t *figures = plain ? first_figures(v, c, w) : json_array(), *asked = plain ? marks(v, c, w) : json_array(),
           *one;
    size_t i;
    json_array_foreach(figures, i, one) {
      const int y = (int)json_integer_value(json_array_get(one, 0)),
                x = (int)json_integer_value(json_array_get(one, 1));
      json_array_append_new(*moving, figure_of(v, c, y + 1, x + 1, asked));
    }
    json_decref(figures), json_decref(asked);
  }
}

/* ---- all of it ---- */

static json_t *one_case(const run_motions *v, int in_case) {
  const mechanism_case *load = &v->folder->m->cases[in_case];
  const motion *both[] = {v->before, v->after};
  const thinned *names = &leading(v)->cases[in_case].all;
  json_t *runs = json_array();
  for (int k = 0; k < 2; k++) {
    if (both[k]) {
      json_array_append_new(runs, one_run(names, &both[k]->cases[in_case].all, &both[k]->cases[in_case]));
    }
  }
  return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "name", json_text(load->config->name), "analysis",
                   load->c.analysis, "columns", column_names(v->folder->m->config, names), "runs", runs, "first",
                   first_figures(v, in_case, names), "marks", marks(v, in_case, names));
}

mbd_status curves_describe(const run_motions *v, json_t **out, mbd_error *err) {
  json_t *called = json_array(), *cases = json_array();
  if (v->before) { json_array_append_new(called, json_text(v->folder->before)); }
  if (v->after) { json_array_append_new(called, json_text(v->folder->after)); }
  for (int i = 0; i < v->folder->m->ncase; i++) { json_array_append_new(cases, one_case(v, i)); }
  *out = json_pack("{s:o, s:o}", "called", called, "cases", cases);
  return *out ? MBD_OK : MEMORY_NONE(err, "the curves of the page");
}
