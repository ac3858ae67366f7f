#include "report/study_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/plots.h"
#include "report/study_curves.h"
#include "report/study_units.h"

static mbd_status no_memory(mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a figure");
}

/* ---- the list ---- */

/* Adds a figure "NAME_CATEGORY", whose caption has the words of the category; both are unchanged without words. */
static mbd_status add_of_category(study_figures *v, study_part part, int of, int category, const char *name,
                                  const char *caption, mbd_error *err) {
  const char *words = category < 0 ? "" : v->d->keys.category[category];
  figure_item f = {.part = (int)part, .of = of, .which = category};
  f.name = *words ? mbd_sprintf_dup("%s_%s", name, words) : mbd_strdup(name);
  f.caption = *words ? mbd_sprintf_dup("%s (%s)", caption, words) : mbd_strdup(caption);
  return figure_list_add(&v->list, f, err);
}

/* The first quantity that varies, which is the objective if that varies; -1: nothing varies. */
static int first_quantity(const study_data *d) {
  for (int k = 0; k < d->nquantity; k++) {
    if (d->quantity[k].state == QUANTITY_VARIES) { return k; }
  }
  return -1;
}

static mbd_status list_quantities(study_figures *v, study_shape shape, mbd_error *err) {
  const study_data *d = v->d;
  int which[2] = {0}; /* shapes other than parallel coordinates have at most two keys */
  (void)study_keys_varied(&d->keys, which);
  for (int k = 0; k < d->nquantity; k++) {
    if (d->quantity[k].state != QUANTITY_VARIES) { continue; }
    const char *label = d->quantity[k].label, *x = d->keys.key[which[0]].name, *y = d->keys.key[which[1]].name;
    char *caption = shape == SHAPE_CURVES ? mbd_sprintf_dup("%s over %s", label, x)
                                          : mbd_sprintf_dup("%s over %s and %s", label, x, y);
    mbd_status status = caption ? MBD_OK : no_memory(err);
    const int split = shape != SHAPE_CURVES; /* curves of all words are in one figure */
    for (int c = 0; status == MBD_OK && c < (split ? d->keys.ncategory : 1); c++) {
      status = add_of_category(v, STUDY_PART_QUANTITY, k, split ? c : -1, d->quantity[k].name, caption, err);
    }
    free(caption);
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* Lists for each combination of words a figure of parallel coordinates, and the objective over each key. */
static mbd_status list_parallel(study_figures *v, mbd_error *err) {
  const study_data *d = v->d;
  const int quantity = first_quantity(d);
  if (quantity < 0) { return MBD_OK; }
  const char *objective = d->quantity[quantity].name;
  char *all =
      mbd_sprintf_dup("A line for each run through its values, in the colour of %s; the least on top", objective);
  mbd_status status = all ? MBD_OK : no_memory(err);
  for (int c = 0; status == MBD_OK && c < d->keys.ncategory; c++) {
    status = add_of_category(v, STUDY_PART_PARALLEL, quantity, c, "parallel", all, err);
    for (int j = 0; j < d->keys.n && status == MBD_OK; j++) {
      const study_key *q = &d->keys.key[j];
      if (q->words || !(q->high > q->low)) { continue; }
      char *name = mbd_sprintf_dup("%s_over_%s", objective, q->name);
      char *caption = mbd_sprintf_dup("%s of every run over %s", objective, q->name);
      status = name && caption ? add_of_category(v, STUDY_PART_OVER_KEY, j, c, name, caption, err) : no_memory(err);
      free(name), free(caption);
    }
  }
  free(all);
  return status;
}

static mbd_status list_sweep(study_figures *v, mbd_error *err) {
  const study_shape shape = study_keys_shape(&v->d->keys);
  if (v->d->nrow < 2 || shape == SHAPE_NONE) { return MBD_OK; }
  return shape == SHAPE_PARALLEL ? list_parallel(v, err) : list_quantities(v, shape, err);
}

static mbd_status list_multistart(study_figures *v, mbd_error *err) {
  if (v->d->nrow < 2) { return MBD_OK; }
  MBD_TRY(add_of_category(v, STUDY_PART_SORTED, 0, -1, "objectives",
                          "Objectives of all runs in their order: ends at the same optimum are a step", err));
  return add_of_category(v, STUDY_PART_ENDS, 0, -1, "starts_and_results",
                         "From where every run started to where it ended, in the colour of its objective", err);
}

static mbd_status add_text(study_figures *v, study_part part, int of, char *name, char *caption, mbd_error *err) {
  return figure_list_add(&v->list, (figure_item){(int)part, name, caption, of, -1}, err);
}

/* Lists the convergence of each problem and, for several problems or starts, the profiles. */
static mbd_status list_compare(study_figures *v, mbd_error *err) {
  const study *s = v->d->s;
  if (v->d->done == 0) { return MBD_OK; }
  if (contest_is(s)) {
    return add_text(v, STUDY_PART_CONVERGENCE, 0, mbd_strdup("convergence"),
                    mbd_strdup("Best objective without violation over simulated designs, for every optimizer."), err);
  }
  for (int t = 0; t < PROFILES_NTAU; t++) {
    const double tau = profiles_tau[t];
    MBD_TRY(add_text(v, STUDY_PART_PERFORMANCE, t, mbd_sprintf_dup("performance_%g", tau),
                     mbd_sprintf_dup("Performance profile, tau = %g: share solved within so many times the simulations "
                                     "of the fastest",
                                     tau),
                     err));
    MBD_TRY(add_text(v, STUDY_PART_DATA, t, mbd_sprintf_dup("data_%g", tau),
                     mbd_sprintf_dup("Data profile, tau = %g: share solved within so many simulations", tau), err));
  }
  for (int i = 0; i < s->nfile; i++) {
    char *name = study_problem_name(s, i);
    mbd_status status = name ? add_text(v, STUDY_PART_CONVERGENCE, i, mbd_sprintf_dup("convergence_%d_%s", i + 1, name),
                                        mbd_sprintf_dup("%s from its own start: best objective without violation "
                                                        "over simulated designs",
                                                        name),
                                        err)
                             : no_memory(err);
    free(name);
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* ---- numbers of the runs ---- */

/* Columns of the runs of a category, one after the other. */
typedef struct columns {
  int n;
  double *v; /* [m][n] */
  int best;  /* index of the best run; -1: it is not among them */
} columns;

static const double *column(const columns *c, int j) {
  return c->v + (size_t)j * (size_t)c->n;
}

static int in_category(const study_data *d, int i, int category) {
  return category < 0 || d->category[i] == category;
}

static mbd_status take_columns(const study_data *d, int category, int m, const int *which, columns *c, mbd_error *err) {
  *c = (columns){.best = -1};
  for (int i = 0; i < d->nrow; i++) { c->n += in_category(d, i, category); }
  c->v = malloc(((size_t)m * (size_t)c->n + 1) * sizeof *c->v);
  if (!c->v) { return no_memory(err); }
  for (int i = 0, k = 0; i < d->nrow; i++) {
    if (!in_category(d, i, category)) { continue; }
    if (d->ntop && d->run[i] == d->top[0].run) { c->best = k; }
    for (int j = 0; j < m; j++) { c->v[(size_t)j * (size_t)c->n + (size_t)k] = study_data_row(d, i)[which[j]]; }
    k++;
  }
  return MBD_OK;
}

/* Returns 1 if values span more than two decades: then their colours and axes are logarithmic. */
static int reaches_far(int n, const double *v) {
  double low = INFINITY, high = 0;
  for (int i = 0; i < n; i++) {
    if (isfinite(v[i])) { low = fmin(low, v[i]), high = fmax(high, v[i]); }
  }
  return low > 0 && high >= 100 * low;
}

static plot_axis axis_of_key(const study_data *d, int key) {
  return (plot_axis){d->key_axis[key], d->keys.key[key].log};
}

/* ---- sweeps ---- */

typedef struct pair {
  double x, y;
} pair;

static int by_x(const void *a, const void *b) {
  const double x = ((const pair *)a)->x, y = ((const pair *)b)->x;
  return (x > y) - (x < y);
}

static mbd_status sorted_pairs(const columns *c, double *x, double *y, mbd_error *err) {
  pair *p = malloc(((size_t)c->n + 1) * sizeof *p);
  if (!p) { return no_memory(err); }
  for (int i = 0; i < c->n; i++) { p[i] = (pair){column(c, 0)[i], column(c, 1)[i]}; }
  qsort(p, (size_t)c->n, sizeof *p, by_x);
  for (int i = 0; i < c->n; i++) { x[i] = p[i].x, y[i] = p[i].y; }
  free(p);
  return MBD_OK;
}

/* Draws a quantity over one key, with a curve for each combination of words. */
static mbd_status draw_curves(const study_data *d, int quantity, int key, figure_target *t, mbd_error *err) {
  enum { MOST_MARKED = 60 };
  plot_curve curve[KEYS_CATEGORIES_MOST];
  const int which[] = {key, d->keys.n + quantity};
  double *room = malloc((2 * (size_t)d->nrow + 1) * sizeof *room), *x = room;
  mbd_status status = room ? MBD_OK : no_memory(err);
  for (int k = 0; status == MBD_OK && k < d->keys.ncategory; k++) {
    columns c;
    status = take_columns(d, k, 2, which, &c, err);
    if (status == MBD_OK) { status = sorted_pairs(&c, x, x + c.n, err); }
    const char *words = d->keys.category[k];
    curve[k] = (plot_curve){*words ? words : NULL, c.n > MOST_MARKED ? PLOT_LINE : PLOT_POINTS, c.n, x, x + c.n};
    x += 2 * c.n;
    free(c.v);
  }
  const plot_axis y = {d->quantity[quantity].axis, 0};
  if (status == MBD_OK) { status = plot_curves(t, axis_of_key(d, key), y, d->keys.ncategory, curve, err); }
  free(room);
  return status;
}

/* The levels of a key that are drawn; returns how many. */
static int drawn_levels(const study_key *q, double *v) {
  int n = 0;
  for (int i = 0; i < q->n; i += q->stride) { v[n++] = q->level[i]; }
  return n;
}

static mbd_status contours(const study_data *d, const int *key, plot_axis z, const columns *c, figure_target *t,
                           mbd_error *err) {
  const study_key *a = &d->keys.key[key[0]], *b = &d->keys.key[key[1]];
  double *xs = malloc(((size_t)a->n + (size_t)b->n) * sizeof *xs), *ys = xs ? xs + a->n : NULL;
  if (!xs) { return no_memory(err); }
  const int nx = drawn_levels(a, xs), ny = drawn_levels(b, ys);
  double *zs = malloc((size_t)nx * (size_t)ny * sizeof *zs);
  int best = -1;
  for (int i = 0; zs && i < nx * ny; i++) { zs[i] = NAN; }
  for (int i = 0; zs && i < c->n; i++) {
    const int row = study_key_place(b, column(c, 1)[i]), place = study_key_place(a, column(c, 0)[i]);
    if (row % b->stride || place % a->stride) { continue; } /* an extreme between the levels that are drawn */
    const int at = row / b->stride * nx + place / a->stride;
    zs[at] = column(c, 2)[i];
    if (i == c->best) { best = at; }
  }
  const mbd_status status =
      zs ? plot_contours(t, axis_of_key(d, key[0]), axis_of_key(d, key[1]), z, nx, xs, ny, ys, zs, best, err)
         : no_memory(err);
  free(xs), free(zs);
  return status;
}

/* Draws a quantity over two keys. */
static mbd_status draw_plane(const study_data *d, const figure_item *g, const int *key, figure_target *t,
                             mbd_error *err) {
  const int which[] = {key[0], key[1], d->keys.n + g->of};
  columns c;
  MBD_TRY(take_columns(d, g->which, 3, which, &c, err));
  const double *z = column(&c, 2);
  const plot_axis value = {d->quantity[g->of].axis, reaches_far(c.n, z)};
  const mbd_status status = study_keys_shape(&d->keys) == SHAPE_CONTOURS
                                ? contours(d, key, value, &c, t, err)
                                : plot_scatter(t, axis_of_key(d, key[0]), axis_of_key(d, key[1]), value, c.n,
                                               column(&c, 0), column(&c, 1), z, c.best, err);
  free(c.v);
  return status;
}

static mbd_status draw_quantity(const study_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const study_data *d = v->d;
  int *key = calloc((size_t)d->keys.n + 2, sizeof *key);
  if (!key) { return no_memory(err); }
  (void)study_keys_varied(&d->keys, key);
  const mbd_status status = study_keys_shape(&d->keys) == SHAPE_CURVES ? draw_curves(d, g->of, key[0], t, err)
                                                                       : draw_plane(d, g, key, t, err);
  free(key);
  return status;
}

/* The columns as rows [n][m]. */
static double *rows_of(const columns *c, int m) {
  double *v = malloc(((size_t)m * (size_t)c->n + 1) * sizeof *v);
  for (int i = 0; v && i < c->n; i++) {
    for (int j = 0; j < m; j++) { v[(size_t)i * (size_t)m + (size_t)j] = column(c, j)[i]; }
  }
  return v;
}

/* Draws the varied keys of the runs of a category, coloured by a quantity. */
static mbd_status draw_parallel(const study_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const study_data *d = v->d;
  int *key = calloc((size_t)d->keys.n + 2, sizeof *key);
  const char **name = calloc((size_t)d->keys.n + 1, sizeof *name);
  columns c = {0};
  mbd_status status = key && name ? MBD_OK : no_memory(err);
  const int n = status == MBD_OK ? study_keys_varied(&d->keys, key) : 0;
  for (int j = 0; j < n; j++) { name[j] = d->key_axis[key[j]]; }
  if (status == MBD_OK) {
    key[n] = d->keys.n + g->of;
    status = take_columns(d, g->which, n + 1, key, &c, err);
  }
  double *value = status == MBD_OK ? rows_of(&c, n) : NULL;
  if (status == MBD_OK && !value) { status = no_memory(err); }
  if (status == MBD_OK) {
    const double *z = column(&c, n);
    status =
        plot_parallel(t, n, name, NULL, (plot_axis){d->quantity[g->of].axis, reaches_far(c.n, z)}, c.n, value, z, err);
  }
  free(key), free(name), free(c.v), free(value);
  return status;
}

static mbd_status draw_over_key(const study_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const study_data *d = v->d;
  const int quantity = first_quantity(d), which[] = {g->of, d->keys.n + quantity};
  columns c;
  MBD_TRY(take_columns(d, g->which, 2, which, &c, err));
  const double *y = column(&c, 1);
  const plot_axis value = {d->quantity[quantity].axis, reaches_far(c.n, y)};
  if (t->height <= 0) { t->height = 320; }
  const mbd_status status = plot_scatter(t, axis_of_key(d, g->of), value, value, c.n, column(&c, 0), y, y, c.best, err);
  free(c.v);
  return status;
}

/* ---- multistarts ---- */

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Draws the objectives of a multistart in increasing order over their rank. */
static mbd_status draw_sorted(const study_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const study_data *d = v->d;
  const int which[] = {d->keys.n};
  columns c;
  (void)g;
  MBD_TRY(take_columns(d, -1, 1, which, &c, err));
  double *rank = malloc(((size_t)c.n + 1) * sizeof *rank);
  int n = 0;
  for (int i = 0; rank && i < c.n; i++) {
    if (isfinite(c.v[i])) { c.v[n++] = c.v[i]; }
  }
  if (rank) { qsort(c.v, (size_t)n, sizeof *c.v, ascending); }
  for (int i = 0; rank && i < n; i++) { rank[i] = (i + 1) * (double)d->keys.stride; }
  const plot_curve curve = {NULL, PLOT_POINTS, n, rank, c.v};
  const plot_axis y = {d->quantity[0].axis, n > 0 && reaches_far(n, c.v)};
  const mbd_status status =
      rank ? plot_curves(t, (plot_axis){"runs, best first", 0}, y, 1, &curve, err) : no_memory(err);
  free(rank), free(c.v);
  return status;
}

static int quantity_place(const study_data *d, const char *prefix, const char *name) {
  for (int k = 0; k < d->nquantity; k++) {
    const char *q = d->quantity[k].name;
    if (strncmp(q, prefix, strlen(prefix)) == 0 && strcmp(q + strlen(prefix), name) == 0) { return d->keys.n + k; }
  }
  return d->keys.n;
}

/* Gives start and result of a variable the same range, because otherwise results that agree would be drawn apart. */
static void shared_ranges(const columns *c, int n, double *range) {
  for (int j = 0; j < n; j += 2) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 2 * c->n; i++) {
      const double x = column(c, j)[i];
      if (isfinite(x)) { low = fmin(low, x), high = fmax(high, x); }
    }
    range[2 * j] = range[2 * j + 2] = low, range[2 * j + 1] = range[2 * j + 3] = high;
  }
}

/* Draws start and result of the first variables of a multistart as parallel coordinates, coloured by the objective. */
static mbd_status draw_ends(const study_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const study_data *d = v->d;
  const int nx = d->nx < STUDY_ENDS_MOST ? d->nx : STUDY_ENDS_MOST, n = 2 * nx;
  int which[2 * STUDY_ENDS_MOST + 1];
  double range[4 * STUDY_ENDS_MOST];
  char *name[2 * STUDY_ENDS_MOST] = {0};
  columns c;
  int have = 1;
  (void)g;
  for (int j = 0; j < n; j++) {
    which[j] = quantity_place(d, j % 2 ? "result." : "start.", d->x[j / 2]);
    name[j] = mbd_sprintf_dup("%s %s", d->x[j / 2], j % 2 ? "end" : "start");
    have = have && name[j];
  }
  which[n] = d->keys.n;
  mbd_status status = take_columns(d, -1, n + 1, which, &c, err);
  double *value = status == MBD_OK ? rows_of(&c, n) : NULL;
  if (status == MBD_OK && (!value || !have)) { status = no_memory(err); }
  if (status == MBD_OK) {
    const double *z = column(&c, n);
    shared_ranges(&c, n, range);
    status = plot_parallel(t, n, (const char *const *)name, range,
                           (plot_axis){d->quantity[0].axis, reaches_far(c.n, z)}, c.n, value, z, err);
  }
  for (int j = 0; j < n; j++) { free(name[j]); }
  free(c.v), free(value);
  return status;
}

/* ---- comparisons ---- */

static mbd_status draw_profile(const study_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const int ratio = g->part == STUDY_PART_PERFORMANCE;
  study_curves curves;
  const plot_axis axis = ratio ? (plot_axis){"simulations, times the fewest", 1} : (plot_axis){"simulations", 0};
  MBD_TRY(study_curves_profile(v->d, g->of, ratio, &curves, err));
  const mbd_status status = plot_profiles(t, axis, curves.n, curves.curve, err);
  study_curves_free(&curves);
  return status;
}

static mbd_status draw_convergence(const study_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  study_curves curves;
  MBD_TRY(study_curves_convergence(v->d, g->of, &curves, err));
  const mbd_status status = curves.n == 0 ? MBD_FAILED(err, MBD_BAD_INPUT, "no run is there yet")
                                          : plot_convergence(t, "simulated designs", v->d->objective[g->of], curves.n,
                                                             curves.curve, NULL, err);
  study_curves_free(&curves);
  return status;
}

static mbd_status draw_one(const void *from, const figure_item *g, figure_target *t, mbd_error *err) {
  static mbd_status (*const draw[])(const study_figures *, const figure_item *, figure_target *, mbd_error *) = {
      draw_quantity, draw_parallel, draw_over_key, draw_sorted,
      draw_ends,     draw_profile,  draw_profile,  draw_convergence};
  return draw[g->part](from, g, t, err);
}

/* ---- all of it ---- */

mbd_status study_figures_create(const study_data *d, study_figures *v, mbd_error *err) {
  static mbd_status (*const list[])(study_figures *, mbd_error *) = {list_sweep, list_multistart, list_compare};
  *v = (study_figures){.d = d, .list = {.from = v, .draw = draw_one}};
  const mbd_status status = list[d->kind](v, err);
  if (status != MBD_OK) { study_figures_free(v); }
  return status;
}

void study_figures_free(study_figures *v) {
  figure_list_free(&v->list);
}
