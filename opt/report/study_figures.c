#include "report/study_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/json.h"
#include "files/memory.h"
#include "files/text_stream.h"
#include "report/front_figures.h"

enum { ENDS_MAX = 6 }; /* of a multistart: variables whose starts and results are shown */

/* Names a figure "NAME_CATEGORY", of whose category the words are in its title, and hands it over. */
static mbd_status give(const study_drawing *w, json_t *spec, char *name, char *title, int category, mbd_error *err) {
  const char *words = category < 0 ? "" : w->d->keys.category[category], *between = *words ? "_" : "";
  json_t *file = json_own_text(name ? mbd_sprintf_dup("%s%s%s", name, between, words) : NULL);
  json_t *whole =
      json_own_text(title ? mbd_sprintf_dup("%s%s%s%s", title, *words ? " (" : "", words, *words ? ")" : "") : NULL);
  json_object_set_new(spec, "name", file), json_object_set_new(spec, "title", whole);
  free(name), free(title);
  return w->sink(w->to, spec, err);
}

/* ---- numbers of the runs ---- */

/* Only runs with values are drawn. */
static int in_category(const study_data *d, int i, int category) {
  return study_data_has_values(d, i) && (category < 0 || d->category[i] == category);
}

/* A column of the runs of a category. */
static json_t *column(const study_data *d, int category, int place) {
  json_t *list = json_array();
  for (int i = 0; i < d->nrow; i++) {
    if (in_category(d, i, category)) { json_array_append_new(list, json_number(study_data_row(d, i)[place])); }
  }
  return list;
}

/* The place of the best run among those of a category; -1: it is none of them. */
static int best_of(const study_data *d, int category) {
  for (int i = 0, k = 0; i < d->nrow; i++) {
    if (in_category(d, i, category) && d->run[i] == study_data_shown(d)) { return k; }
    k += in_category(d, i, category);
  }
  return -1;
}

/* The axis of a column: a key, or a quantity. */
static json_t *axis_of(const study_data *d, int place, int log) {
  const int k = place - d->keys.n;
  return json_pack("{s:o, s:o, s:b}", "label", json_text(k < 0 ? d->keys.key[place].name : d->quantity[k].label),
                   "unit", json_text(k < 0 ? d->key_unit[place] : d->quantity[k].unit), "log", log);
}

static json_t *axis_of_key(const study_data *d, int key) {
  return axis_of(d, key, d->keys.key[key].log);
}

/* ---- sweeps ---- */

typedef struct pair {
  double x, y;
} pair;

static int by_x(const void *a, const void *b) {
  const double x = ((const pair *)a)->x, y = ((const pair *)b)->x;
  return (x > y) - (x < y);
}

/* A quantity over one key, with a curve for each combination of words. */
static mbd_status curves(const study_drawing *w, int quantity, int key, mbd_error *err) {
  enum { MARKED_MAX = 60 };
  const study_data *d = w->d;
  pair *p = malloc(((size_t)d->nrow + 1) * sizeof *p);
  MEMORY_TRY(p, err, "a figure of the study");
  json_t *series = json_array();
  for (int k = 0; k < d->keys.ncategory; k++) {
    json_t *x = json_array(), *y = json_array();
    int n = 0;
    /* The runs of this combination of words, in the order of the key. */
    for (int i = 0; i < d->nrow; i++) {
      const double *row = study_data_row(d, i);
      if (in_category(d, i, k)) { p[n++] = (pair){row[key], row[d->keys.n + quantity]}; }
    }
    qsort(p, (size_t)n, sizeof *p, by_x);
    for (int i = 0; i < n; i++) {
      json_array_append_new(x, json_number(p[i].x)), json_array_append_new(y, json_number(p[i].y));
    }
    /* Points are marked where a curve has few of them. */
    json_array_append_new(series, json_pack("{s:o, s:s, s:o, s:o}", "name", json_text(d->keys.category[k]), "kind",
                                            n > MARKED_MAX ? "line" : "both", "x", x, "y", y));
  }
  free(p);
  /* One figure with the curves of all combinations. */
  const study_quantity *drawn = &d->quantity[quantity];
  return give(w,
              json_pack("{s:o, s:o, s:o}", "x", axis_of_key(d, key), "y", axis_of(d, d->keys.n + quantity, 0), "series",
                        series),
              mbd_strdup(drawn->name), mbd_sprintf_dup("%s over %s", drawn->label, d->keys.key[key].name), -1, err);
}

/* Columns of a category as points with colours. */
static json_t *map_of(const study_data *d, int category, const int place[3], json_t *y, json_t *z) {
  const int best = best_of(d, category);
  json_t *spec = json_pack("{s:s, s:o, s:o, s:o, s:{s:o, s:o, s:o}}", "kind", "map", "x", axis_of_key(d, place[0]), "y",
                           y, "z", z, "points", "x", column(d, category, place[0]), "y", column(d, category, place[1]),
                           "z", column(d, category, place[2]));
  if (best >= 0) { json_object_set_new(spec, "best", json_integer(best)); }
  return spec;
}

/* Puts the points of a map into the places of the grid of its keys; those between the levels that are drawn have none. */
static mbd_status into_grid(const study_data *d, const int *key, json_t *spec, mbd_error *err) {
  const study_key *a = &d->keys.key[key[0]], *b = &d->keys.key[key[1]];
  /* Every stride-th level of a key is drawn: the grid has nx columns and ny rows. */
  const int nx = (a->n + a->stride - 1) / a->stride, ny = (b->n + b->stride - 1) / b->stride;
  json_t *list = json_object_get(spec, "points"), *z = json_object_get(list, "z");
  const json_t *best = json_object_get(spec, "best");
  int marked = -1;
  double *zs = malloc((size_t)nx * (size_t)ny * sizeof *zs);
  MEMORY_TRY(zs, err, "a figure of the study");
  /* Places of the grid without a run are NaN. */
  for (int i = 0; i < nx * ny; i++) { zs[i] = NAN; }
  /* The place of each run; runs at levels that are not drawn have none. */
  for (size_t i = 0; i < json_array_size(z); i++) {
    const int place = study_key_place(a, json_number_of(json_array_get(json_object_get(list, "x"), i)));
    const int row = study_key_place(b, json_number_of(json_array_get(json_object_get(list, "y"), i)));
    if (row < 0 || place < 0 || row % b->stride || place % a->stride) { continue; }
    const int at = row / b->stride * nx + place / a->stride;
    zs[at] = json_number_of(json_array_get(z, i));
    if (best && json_integer_value(best) == (json_int_t)i) { marked = at; }
  }
  /* The points of the grid, row by row, replace those of the runs. */
  json_t *x = json_array(), *y = json_array();
  for (int i = 0; i < nx * ny; i++) {
    json_array_append_new(x, json_number(a->level[i % nx * a->stride]));
    json_array_append_new(y, json_number(b->level[i / nx * b->stride]));
  }
  json_object_set_new(list, "x", x), json_object_set_new(list, "y", y);
  json_object_set_new(list, "z", json_numbers(zs, nx * ny));
  json_object_set_new(spec, "grid", json_pack("[i,i]", nx, ny));
  /* The mark gets its number among the points of the grid, if it is one of them. */
  json_object_del(spec, "best");
  if (marked >= 0) { json_object_set_new(spec, "best", json_integer(marked)); }
  free(zs);
  return MBD_OK;
}

/* A quantity over two keys, for each combination of words. */
static mbd_status planes(const study_drawing *w, int quantity, const int *key, study_shape shape, mbd_error *err) {
  const study_data *d = w->d;
  const int place[] = {key[0], key[1], d->keys.n + quantity};
  const study_quantity *drawn = &d->quantity[quantity];
  for (int c = 0; c < d->keys.ncategory; c++) {
    json_t *spec =
        map_of(d, c, place, axis_of_key(d, key[1]), axis_of(d, place[2], study_data_reaches_far(d, c, place[2])));
    const mbd_status status = shape == SHAPE_CONTOURS ? into_grid(d, key, spec, err) : MBD_OK;
    if (status != MBD_OK) { json_decref(spec); }
    MBD_TRY(status);
    MBD_TRY(give(w, spec, mbd_strdup(drawn->name),
                 mbd_sprintf_dup("%s over %s and %s", drawn->label, d->keys.key[key[0]].name, d->keys.key[key[1]].name),
                 c, err));
  }
  return MBD_OK;
}

/* Adds a vertical axis of parallel coordinates: from the least to the largest value of n columns in runs of the category whose z is a number. */
static void add_axis(const study_data *d, int category, json_t *axes, json_t *label, int n, const int *place, int z) {
  double end[2] = {INFINITY, -INFINITY};
  for (int i = 0; i < d->nrow; i++) {
    for (int k = 0; k < n; k++) {
      const double v = study_data_row(d, i)[place[k]];
      if (!in_category(d, i, category) || !isfinite(v) || !isfinite(study_data_row(d, i)[z])) { continue; }
      end[0] = fmin(end[0], v), end[1] = fmax(end[1], v);
    }
  }
  json_array_append_new(axes, json_pack("{s:o, s:o}", "label", label, "range", json_numbers(end, 2)));
}

/* The runs of a category through n columns, coloured by quantity `z`; the axes are given. */
static json_t *parallel_of(const study_data *d, int category, json_t *axes, int n, const int *place, int z) {
  json_t *values = json_array();
  for (int i = 0; i < d->nrow; i++) {
    if (!in_category(d, i, category)) { continue; }
    json_t *row = json_array();
    for (int j = 0; j < n; j++) { json_array_append_new(row, json_number(study_data_row(d, i)[place[j]])); }
    json_array_append_new(values, row);
  }
  return json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", "parallel", "axes", axes, "z",
                   axis_of(d, z, study_data_reaches_far(d, category, z)), "values", values, "values_z",
                   column(d, category, z));
}

/* For each combination of words parallel coordinates, and the objective over each of the n keys. */
static mbd_status many_keys(const study_drawing *w, int n, const int *key, mbd_error *err) {
  const study_data *d = w->d;
  const int quantity = study_data_first_quantity(d), z = d->keys.n + quantity;
  if (quantity < 0) { return MBD_OK; }
  const char *objective = d->quantity[quantity].name;
  for (int c = 0; c < d->keys.ncategory; c++) {
    /* Parallel coordinates: an axis for each key, and the first quantity that varies as the colour. */
    json_t *axes = json_array();
    for (int j = 0; j < n; j++) { add_axis(d, c, axes, json_text(d->key_axis[key[j]]), 1, &key[j], z); }
    MBD_TRY(give(
        w, parallel_of(d, c, axes, n, key, z), mbd_strdup("parallel"),
        mbd_sprintf_dup("A line for each run through its values, in the colour of %s; the least on top", objective), c,
        err));
    for (int j = 0; j < n; j++) {
      /* Points of the quantity over this key, which have the quantity as colour too. */
      const int place[] = {key[j], z, z}, log = study_data_reaches_far(d, c, z);
      const char *name = d->keys.key[key[j]].name;
      json_t *spec = map_of(d, c, place, axis_of(d, z, log), axis_of(d, z, log));
      json_object_set_new(spec, "height", json_integer(320));
      MBD_TRY(give(w, spec, mbd_sprintf_dup("%s_over_%s", objective, name),
                   mbd_sprintf_dup("%s of every run over %s", objective, name), c, err));
    }
  }
  return MBD_OK;
}

static mbd_status figures_of_keys(const study_drawing *w, int *key, mbd_error *err) {
  const study_data *d = w->d;
  const study_shape shape = study_keys_shape(&d->keys);
  const int n = study_keys_varied(&d->keys, key);
  if (shape == SHAPE_PARALLEL) { return many_keys(w, n, key, err); }
  for (int k = 0; k < d->nquantity; k++) {
    if (d->quantity[k].state != QUANTITY_VARIES) { continue; }
    MBD_TRY(shape == SHAPE_CURVES ? curves(w, k, key[0], err) : planes(w, k, key, shape, err));
  }
  return MBD_OK;
}

static mbd_status figures_of_sweep(const study_drawing *w, mbd_error *err) {
  if (w->d->nrow < 2 || study_keys_shape(&w->d->keys) == SHAPE_NONE) { return MBD_OK; }
  int *key = calloc((size_t)w->d->keys.n + 2, sizeof *key);
  const mbd_status status = key ? figures_of_keys(w, key, err) : MEMORY_NONE(err, "a figure of the study");
  free(key);
  return status;
}

/* ---- multistarts ---- */

/* The objectives in increasing order over their rank. */
static mbd_status sorted(const study_drawing *w, mbd_error *err) {
  const study_data *d = w->d;
  double *v = malloc(((size_t)d->nrow + 1) * sizeof *v);
  MEMORY_TRY(v, err, "a figure of the study");
  json_t *rank = json_array();
  int n = 0;
  for (int i = 0; i < d->nrow; i++) {
    const double f = study_data_row(d, i)[d->keys.n];
    if (isfinite(f)) { v[n++] = f; }
  }
  mbd_sort_values(n, v);
  for (int i = 0; i < n; i++) { json_array_append_new(rank, json_real((i + 1) * (double)d->keys.stride)); }
  json_t *spec = json_pack("{s:{s:s}, s:o, s:[{s:s, s:s, s:o, s:o}]}", "x", "label", "runs, best first", "y",
                           axis_of(d, d->keys.n, study_data_reaches_far(d, -1, d->keys.n)), "series", "name", "runs",
                           "kind", "both", "x", rank, "y", json_numbers(v, n));
  free(v);
  return give(w, spec, mbd_strdup("objectives"),
              mbd_strdup("Objectives of all runs in their order: ends at the same optimum are a step"), -1, err);
}

/* Start and result of the first variables as parallel coordinates. Both have the same range, because otherwise results that agree would be
 * drawn apart. */
static mbd_status starts_and_results(const study_drawing *w, mbd_error *err) {
  static const char *const end[][2] = {{"start.", "start"}, {"result.", "end"}};
  const study_data *d = w->d;
  int place[2 * ENDS_MAX], n = 0;
  json_t *axes = json_array();
  for (int j = 0; j < d->nx && j < ENDS_MAX; j++, n += 2) {
    for (int k = 0; k < 2; k++) { place[n + k] = d->keys.n + study_data_quantity(d, end[k][0], d->x[j]); }
    for (int k = 0; k < 2; k++) {
      add_axis(d, -1, axes, json_own_text(mbd_sprintf_dup("%s %s", d->x[j], end[k][1])), 2, place + n, d->keys.n);
    }
  }
  return give(w, parallel_of(d, -1, axes, n, place, d->keys.n), mbd_strdup("starts_and_results"),
              mbd_strdup("From where every run started to where it ended, in the colour of its objective"), -1, err);
}

static mbd_status figures_of_multistart(const study_drawing *w, mbd_error *err) {
  if (w->d->nrow < 2) { return MBD_OK; }
  MBD_TRY(sorted(w, err));
  return starts_and_results(w, err);
}

/* ---- profiles ---- */

/* The places x at which the profile of one backend rises, since it solves an instance: equivalent simulations, or their ratio to the fewest;
 * at most MAX of them, evenly chosen. Returns how many. */
static int rises(const profiles *p, int t, int b, int ratio, double *x) {
  enum { MAX = 200 };
  int n = 0, k = 0;
  for (int i = 0; i < p->ninstance; i++) {
    const double cost = profiles_cost(p, t, b, i);
    if (isfinite(cost)) { x[n++] = ratio ? cost / profiles_fewest(p, t, i) : cost; }
  }
  mbd_sort_values(n, x);
  const int stride = (n + MAX - 1) / MAX;
  for (int i = 0; i < n; i++) {
    if (i % stride == 0 || i == n - 1) { x[k++] = x[i]; }
  }
  return k;
}

/* A step curve for each optimizer, all of which go on to the right end. */
static mbd_status profile(const study_drawing *w, int t, int ratio, mbd_error *err) {
  const profiles *p = &w->d->profiles;
  const double tau = profiles_tau[t];
  double end = 0, *x = malloc(((size_t)p->ninstance + 2) * sizeof *x);
  MEMORY_TRY(x, err, "a figure of the study");
  json_t *series = json_array(), *one;
  size_t b;
  for (int i = 0; i < p->nbackend; i++) {
    json_t *y = json_array();
    x[0] = ratio ? 1 : 0; /* from here on */
    const int n = 1 + rises(p, t, i, ratio, x + 1);
    for (int k = 0; k < n; k++) {
      json_array_append_new(y, json_number((ratio ? profiles_performance : profiles_data)(p, t, i, x[k])));
    }
    json_array_append_new(series, json_pack("{s:o, s:s, s:o, s:o}", "name", json_text(p->backend[i]), "kind", "steps",
                                            "x", json_numbers(x, n), "y", y));
    end = fmax(end, 1.05 * x[n - 1]); /* so that a last step is visible */
  }
  free(x);
  json_array_foreach(series, b, one) {
    json_t *y = json_object_get(one, "y");
    json_array_append_new(json_object_get(one, "x"), json_number(end));
    json_array_append(y, json_array_get(y, json_array_size(y) - 1));
  }
  const char *kind = ratio ? "Performance" : "Data";
  json_t *caption = json_own_text(
      mbd_sprintf_dup("%s profile, tau = %g: share solved within so many %s", kind, tau,
                      ratio ? "times the equivalent simulations of the fastest" : "equivalent simulations"));
  json_t *spec = json_pack("{s:o, s:b, s:{s:s, s:b, s:[f,f]}, s:{s:s, s:[f,f]}, s:o}", "caption", caption, "across", 1,
                           "x", "label", ratio ? "equivalent simulations, times the fewest" : "equivalent simulations",
                           "log", ratio, "range", ratio ? 0.97 : 0.0, fmax(end, ratio ? 1.1 : 1), "y", "label",
                           "share of problems solved", "range", 0.0, 1.04, "series", series);
  return give(w, spec, mbd_sprintf_dup("%s_%g", ratio ? "performance" : "data", tau),
              mbd_sprintf_dup("%s profile, tau = %g", kind, tau), -1, err);
}

mbd_status study_figures_profiles(const study_drawing *w, mbd_error *err) {
  for (int ratio = 1; ratio >= 0; ratio--) {
    for (int t = 0; t < PROFILES_NTAU; t++) { MBD_TRY(profile(w, t, ratio, err)); }
  }
  return MBD_OK;
}

/* ---- spread over starts ---- */

/* The numbers v [ninstance] of a backend on the instances first, ..., first + n - 1, as dots above each other around a line `row`; what
 * is below `floor` lies there. */
static json_t *dots(const profiles *p, const double *v, int b, int row, int first, int n, double floor) {
  static const double height = 0.5;
  json_t *x = json_array(), *y = json_array(), *text = json_array();
  for (int k = 0; k < n; k++) {
    const double value = v[first + k];
    if (!isfinite(value)) { continue; }
    json_array_append_new(x, json_number(fmax(value, floor)));
    json_array_append_new(y, json_number(row + height * (n > 1 ? (double)k / (n - 1) - 0.5 : 0)));
    json_array_append_new(text, value < floor
                                    ? json_own_text(mbd_sprintf_dup("it is %.7g, zero but for rounding", value))
                                    : json_own_text(mbd_sprintf_dup("start %d", (first + k) % p->starts)));
  }
  return json_pack("{s:o, s:s, s:i, s:o, s:o, s:o}", "name", json_text(p->backend[b]), "kind", "points", "colour", b,
                   "x", x, "y", y, "text", text);
}

/* The caption with the numbers of starts without a dot of each backend, which has n of them, "Without a dot of 6: ipopt 2, lbfgsb 3."; NULL: no memory. */
static char *with_missing(const char *caption, const json_t *series, int n) {
  text_stream stream;
  FILE *out = text_begin(&stream);
  int written = 0;
  if (out) { fputs(caption, out); }
  size_t i;
  const json_t *one;
  json_array_foreach(series, i, one) {
    const int missing = n - (int)json_array_size(json_object_get(one, "x"));
    if (!out || missing == 0) { continue; }
    if (!written++) { fprintf(out, " Without a dot of %d:", n); }
    fprintf(out, "%s %s %d", written > 1 ? "," : "", json_string_value(json_object_get(one, "name")), missing);
  }
  if (out && written) { fputc('.', out); }
  return text_end(&stream);
}

/* A row of dots for each backend that takes the problem; which: the rows [nbackend][ninstance] of the numbers. */
static mbd_status strip(const study_drawing *w, const double *which, int problem, double floor, json_t *x, char *name,
                        char *title, const char *caption, mbd_error *err) {
  const profiles *p = &w->d->profiles;
  const int first = problem < 0 ? 0 : problem * p->starts, n = problem < 0 ? p->ninstance : p->starts;
  json_t *series = json_array(), *names = json_array();
  double low = INFINITY, high = -INFINITY;
  for (int b = 0; b < p->nbackend; b++) {
    const double *v = profiles_row(p, which, b);
    if (problem >= 0 && !p->takes[b * p->nproblem + problem]) { continue; }
    json_array_append_new(names, json_text(p->backend[b]));
    json_array_append_new(series, dots(p, v, b, (int)json_array_size(series), first, n, floor));
    for (int k = first; k < first + n; k++) {
      if (isfinite(v[k])) { low = fmin(low, fmax(v[k], floor)), high = fmax(high, fmax(v[k], floor)); }
    }
  }
  if (low > high) {
    json_decref(series), json_decref(names), json_decref(x);
    free(name), free(title);
    return MBD_OK;
  }
  json_object_set_new(x, "log", json_boolean(low > 0 && high >= 10 * low));
  json_t *told = json_own_text(with_missing(caption, series, n));
  json_t *spec = json_pack("{s:o, s:o, s:{s:s, s:o}, s:o}", "caption", told, "x", x, "y", "label", "optimizer", "names",
                           names, "series", series);
  return give(w, spec, name, title, -1, err);
}

/* The run file's name without folder and ending, which tells the problems apart; *length of it. */
static const char *problem_name(const study_data *d, int problem, int *length) {
  const char *file = study_links_name(d->s->origin[problem]), *dot = strrchr(file, '.');
  *length = dot ? (int)(dot - file) : (int)strlen(file);
  return file;
}

mbd_status study_figures_spread(const study_drawing *w, int problem, mbd_error *err) {
  static const char caption[] =
      "A dot for every start: equivalent simulations until the pair of problem and start is solved. Starts from which "
      "an optimizer does not solve it have no dot.";
  const study_data *d = w->d;
  const double *needed = profiles_costs(&d->profiles, PROFILES_MIDDLE, 0);
  json_t *x = json_pack("{s:s}", "label", "equivalent simulations");
  if (problem < 0) {
    return strip(w, needed, problem, 0, x, mbd_strdup("needed"),
                 mbd_strdup("What every pair of a problem and a start needs"), caption, err);
  }
  int length;
  const char *name = problem_name(d, problem, &length);
  MBD_TRY(strip(w, needed, problem, 0, x, mbd_sprintf_dup("needed_%d_%.*s", problem + 1, length, name),
                mbd_sprintf_dup("%.*s: what every start needs", length, name), caption, err));
  x = json_pack("{s:o}", "label", json_text(d->objective[problem]));
  const double same = study_data_same(d, problem);
  return strip(w, d->profiles.reached, problem, study_data_best(d, problem) >= 0 ? same : (double)-INFINITY, x,
               mbd_sprintf_dup("reached_%d_%.*s", problem + 1, length, name),
               mbd_sprintf_dup("%.*s: what is reached from every start", length, name),
               "A dot for every start: the objective of the result. Results that violate constraints have none.", err);
}

/* ---- convergence ---- */

/* The best objective of an optimizer, by its number, over equivalent simulations; NaN before there is one. NULL: no memory. */
static json_t *best_so_far(const study_drawing *w, int problem, int backend, long run, const json_t *record) {
  const int n = runs_simulations(record);
  double best = NAN;
  double *cost = costs_of_designs(&w->d->profiles.costs.of[problem], record);
  if (!cost) { return NULL; }
  json_t *x = json_array(), *y = json_array();
  for (int k = 0; k < n; k++) {
    best = fmin(best, runs_feasible(record, k)); /* fmin ignores NaN */
    json_array_append_new(x, json_number(cost[k])), json_array_append_new(y, json_number(best));
  }
  free(cost);
  json_t *one = json_pack("{s:o, s:s, s:i, s:o, s:o, s:i}", "name", json_text(w->d->profiles.backend[backend]), "kind",
                          "steps", "colour", backend, "x", x, "y", y, "run", (int)run);
  char *file = study_links_file(w->links, run);
  if (file) { json_object_set_new(one, "href", json_text(file)); }
  free(file);
  return one;
}

/* Returns 1 if the objectives above the level at which they count as equal span a decade; *any: there is a number. */
static int spans_decade(const json_t *series, double same, int *any) {
  double low = INFINITY, high = 0;
  size_t i, k;
  const json_t *one, *v;
  *any = 0;
  json_array_foreach(series, i, one) {
    json_array_foreach(json_object_get(one, "y"), k, v) {
      const double f = json_number_of(v);
      if (isfinite(f)) { low = fmin(low, fmax(f, f >= 0 ? same : f)), high = fmax(high, f), *any = 1; }
    }
  }
  return low > 0 && high >= 10 * low;
}

/* Raises values below the level to it; their texts have the true ones. */
static void raise_to(json_t *one, int log, double same) {
  json_t *y = json_object_get(one, "y"), *text = json_array();
  for (size_t k = 0; k < json_array_size(y); k++) {
    const double f = json_number_of(json_array_get(y, k));
    const int below = log && f < same;
    json_array_append_new(text,
                          below ? json_own_text(mbd_sprintf_dup("it is %.7g, zero but for rounding", f)) : json_null());
    if (below) { json_array_set_new(y, k, json_real(same)); }
  }
  json_object_set_new(one, "text", text);
}

/* One curve for each optimizer on a problem; the axis is logarithmic if the objectives span a decade above the level at which they are
 * equal. */
mbd_status study_figures_history(const study_drawing *w, int problem, mbd_error *err) {
  const study_data *d = w->d;
  const double same = study_data_same(d, problem);
  json_t *series = json_array(), *one;
  size_t i;
  int any;
  /* A curve for each optimizer that has a record of its run from the problem's own start. */
  for (int b = 0; b < d->profiles.nbackend; b++) {
    const long run = d->from_own[problem * d->profiles.nbackend + b];
    json_t *record = NULL;
    const mbd_status status = run >= 0 ? study_data_run(d, run, &record, err) : MBD_OK;
    if (record) { json_array_append_new(series, best_so_far(w, problem, b, run, record)); }
    json_decref(record);
    if (status != MBD_OK) { json_decref(series); }
    MBD_TRY(status);
  }
  /* There is no figure without a curve; on a page there is none without a number either. */
  const int log = spans_decade(series, same, &any);
  if (json_array_size(series) == 0 || (!any && w->links)) {
    json_decref(series);
    return MBD_OK;
  }
  /* A logarithmic axis shows objectives that are only rounding at the level `same`. */
  json_array_foreach(series, i, one) {
    raise_to(one, log, same);
  }
  int length;
  const char *file = problem_name(d, problem, &length);
  const int alone = comparison_is(d->s);
  json_t *caption =
      json_own_text(mbd_sprintf_dup("The best objective without violation after so many equivalent simulations. "
                                    "Objectives closer than %.3g are equal but "
                                    "for rounding%s. A click on a curve opens the page of its run, where there is one.",
                                    same, log ? "; what is less lies on that level" : ""));
  json_t *label = json_own_text(mbd_sprintf_dup("best %s so far", d->objective[problem]));
  json_t *spec = json_pack("{s:o, s:b, s:{s:s}, s:{s:o, s:b}, s:o}", "caption", caption, "across", 1, "x", "label",
                           "equivalent simulations", "y", "label", label, "log", log, "series", series);
  return give(w, spec,
              alone ? mbd_strdup("convergence") : mbd_sprintf_dup("convergence_%d_%.*s", problem + 1, length, file),
              alone ? mbd_strdup("Best objective over equivalent simulations")
                    : mbd_sprintf_dup("%.*s from its own start", length, file),
              -1, err);
}

mbd_status study_figures_convergence(const study_drawing *w, mbd_error *err) {
  for (int i = 0; i < w->d->s->nfile; i++) { MBD_TRY(study_figures_history(w, i, err)); }
  return MBD_OK;
}

static mbd_status figures_of_compare(const study_drawing *w, mbd_error *err) {
  if (w->d->done == 0) { return MBD_OK; }
  if (!comparison_is(w->d->s)) {
    MBD_TRY(study_figures_spread(w, -1, err));
    MBD_TRY(study_figures_profiles(w, err));
  }
  for (int i = 0; i < w->d->s->nfile && w->d->profiles.starts > 1; i++) { MBD_TRY(study_figures_spread(w, i, err)); }
  return study_figures_convergence(w, err);
}

mbd_status study_figures(const study_drawing *w, mbd_error *err) {
  static mbd_status (*const figures[])(const study_drawing *, mbd_error *) = {figures_of_sweep, figures_of_multistart,
                                                                              figures_of_compare, front_figures};
  return figures[w->d->kind](w, err);
}
