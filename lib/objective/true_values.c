/* The true values of smooth extrema, of quantiles, and of forms that smooth |s|: what the same form would be without its smoothing.
 *
 * A run records s of the terms of smooth extrema and of quantiles in rows, as histories do: at the nodes, or at the Gauss points of interpolated
 * steps with both ends of the run. Between rows k and k + 1, s is taken as the parabola
 *   s(t) = s_k + (s_k+1 - s_k) x + c/2 (t - t_k)(t - t_k+1),   x = (t - t_k)/(t_k+1 - t_k)
 * whose curvature c is the smaller one of the second differences at both rows, and zero if these differ in sign. So a jump or a spike of s
 * does not reach beyond its rows. Where s is smooth the polynomial of the history, which has the order of the integrator, takes its
 * place (theory.md §6 (6.2), (6.12)). All is computed when it is asked for; a step stores numbers. */
#include <math.h>
#include <stdlib.h>

#include "objective/histories.h"

struct sim_true_values {
  int *column; /* [nterm] of the history; -1: the term needs none */
  history h;   /* of s, without derivatives */
};

static int reads_rows(const form_ops *form) {
  return form->over == FORM_PEAK || form->over == FORM_RANGE || form->over == FORM_QUANTILE;
}

static mbd_status make(const mbd_sim *s, sim_true_values *made, mbd_error *err) {
  const sim_objectives *objectives = s->objectives;
  made->column = (int *)calloc((size_t)objectives->nterm + 1, sizeof *made->column);
  if (!made->column) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the extremes of %d terms", objectives->nterm); }
  for (int i = 0; i < objectives->nterm; i++) {
    made->column[i] = reads_rows(objectives->form[i]) ? made->h.ncolumn++ : -1;
  }
  made->h.stencil = s->integrator->order < 4 ? 4 : STENCIL;
  return history_reserve(&made->h, quadrature_between_nodes(s) ? 3 * s->nsteps + 1000 : s->nsteps + 1, err);
}

mbd_status true_values_create(mbd_sim *s, mbd_error *err) {
  sim_objectives *objectives = s->objectives;
  int any = 0;
  for (int i = 0; i < objectives->nterm; i++) { any |= reads_rows(objectives->form[i]); }
  if (!any) { return MBD_OK; }
  objectives->true_values = (sim_true_values *)calloc(1, sizeof *objectives->true_values);
  if (!objectives->true_values) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for objectives"); }
  return make(s, objectives->true_values, err);
}

void true_values_destroy(sim_true_values *values) {
  if (!values) { return; }
  history_release(&values->h);
  free(values->column);
  free(values);
}

void true_values_reset(sim_true_values *values) {
  values->h.rows = 0;
}

/* ---- during the run ---- */

mbd_status true_values_row(const mbd_sim *s, mbd_error *err) {
  const sim_objectives *objectives = s->objectives;
  sim_true_values *values = objectives->true_values;
  history *h = &values->h;
  if (h->rows == h->capacity) { MBD_TRY(history_reserve(h, 2 * h->capacity, err)); }
  mbd_real *row = h->y + (size_t)h->rows * (size_t)h->ncolumn;
  h->t[h->rows++] = mbd_first(s->t);
  for (int i = 0; i < objectives->nterm; i++) {
    if (values->column[i] >= 0) { row[values->column[i]] = objectives_error(s, i); }
  }
  return MBD_OK;
}

/* ---- between the rows ---- */

/* A cell of a column, with its parabola. */
typedef struct cell_curve {
  const history *h;
  int column, cell;
  double t[2], s[2], c; /* both rows, and the curvature */
} cell_curve;

static double at_row(const history *h, int column, int row) {
  return mbd_of(history_at_row(h, row, column), h->design);
}

static double at_time(const history *h, int column, int cell, double t) {
  history_point p;
  history_point_at(h, cell, t, &p);
  return mbd_of(history_sum(h, &p, p.at, column), h->design);
}

/* The second difference at a row, of the size of a second derivative. */
static double curvature(const history *h, int column, int row) {
  const double *t = h->t + row, before = at_row(h, column, row - 1), s = at_row(h, column, row);
  return 2 * ((at_row(h, column, row + 1) - s) / (t[1] - t[0]) - (s - before) / (t[0] - t[-1])) / (t[1] - t[-1]);
}

/* The smaller one of two numbers of one sign; 0: they have not. */
static double smaller(double a, double b) {
  return a * b > 0 ? fabs(a) < fabs(b) ? a : b : 0;
}

/* At an end of the run, where one of the rows has no neighbour, the next row inside takes its place. */
static cell_curve cell_of(const history *h, int column, int cell) {
  cell_curve k = {.h = h, .column = column, .cell = cell};
  const int last = h->rows - 1, left = cell > 0 ? cell : 1, right = cell + 1 < last ? cell + 1 : last - 1;
  for (int i = 0; i < 2; i++) { k.t[i] = h->t[cell + i], k.s[i] = at_row(h, column, cell + i); }
  if (last < 3) { return k; }
  const int inner = cell == 0 ? 2 : cell + 1 == last ? last - 2 : -1;
  k.c = inner > 0 ? smaller(curvature(h, column, inner), curvature(h, column, cell == 0 ? 1 : last - 1))
                  : smaller(curvature(h, column, left), curvature(h, column, right));
  return k;
}

static double parabola(const cell_curve *k, double t) {
  return k->s[0] + (k->s[1] - k->s[0]) * (t - k->t[0]) / (k->t[1] - k->t[0]) + k->c / 2 * (t - k->t[0]) * (t - k->t[1]);
}

/* ---- extremes ---- */

typedef struct extreme {
  double value, time;
} extreme;

static void offer(extreme *e, double sign, double value, double time) {
  if (sign * value > sign * e->value) { *e = (extreme){value, time}; }
}

/* The extremum of the history's polynomial beside that of the parabola at t: Newton's iteration on its rate. It is taken if both agree to a
 * part of the parabola's height above its chord, as they do where s is smooth. */
static extreme refine(const cell_curve *k, double t) {
  static const double part = 0.25;
  const double chord = k->t[1] - k->t[0], height = fabs(k->c) * chord * chord / 8;
  const extreme simple = {parabola(k, t), t};
  history_point p;
  for (int i = 0; i < 4; i++) {
    history_point_at(k->h, k->cell, t, &p);
    const double rate = mbd_of(history_sum(k->h, &p, p.rate, k->column), k->h->design);
    const double bend = mbd_of(history_sum(k->h, &p, p.bend, k->column), k->h->design);
    if (!(bend * k->c > 0)) { return simple; }
    t -= rate / bend;
    if (!(t > k->t[0] && t < k->t[1])) { return simple; }
  }
  const double value = at_time(k->h, k->column, k->cell, t);
  return fabs(value - simple.value) <= part * height ? (extreme){value, t} : simple;
}

/* The largest (sign 1) or least (sign -1) value of a column in a window: at its ends, at the rows in it, and inside of the cells. */
static extreme find_extreme(const history *h, int column, double sign, const double window[2]) {
  extreme e = {-sign * INFINITY, NAN};
  const int first = history_cell(h, window[0]), last = history_cell(h, window[1]);
  const double nothing = 1e-9 * (h->t[h->rows - 1] - h->t[0]) / h->rows;
  for (int i = 0; i < 2; i++) { offer(&e, sign, at_time(h, column, i ? last : first, window[i]), window[i]); }
  for (int row = first; row <= last + 1; row++) {
    if (h->t[row] < window[0] - nothing || h->t[row] > window[1] + nothing) { continue; }
    offer(&e, sign, at_row(h, column, row), h->t[row]);
  }
  for (int cell = first; cell <= last; cell++) {
    const cell_curve k = cell_of(h, column, cell);
    if (!(sign * k.c < 0)) { continue; }
    const double t = (k.t[0] + k.t[1]) / 2 - (k.s[1] - k.s[0]) / (k.c * (k.t[1] - k.t[0]));
    if (!(t > k.t[0] && t < k.t[1]) || !(sign * parabola(&k, t) > sign * e.value)) { continue; }
    const extreme inside = refine(&k, t);
    if (inside.time >= window[0] && inside.time <= window[1]) { offer(&e, sign, inside.value, inside.time); }
  }
  return e;
}

/* ---- quantiles ---- */

/* The part of the time of a window in which a column is below v: s goes straight between PARTS points of each cell's parabola. */
static double time_below(const history *h, int column, double v, const double window[2]) {
  enum { PARTS = 4 };
  double sum = 0;
  const int last = history_cell(h, window[1]);
  for (int cell = history_cell(h, window[0]); cell <= last; cell++) {
    const cell_curve k = cell_of(h, column, cell);
    const double begin = fmax(k.t[0], window[0]), length = (fmin(k.t[1], window[1]) - begin) / PARTS;
    double a = parabola(&k, begin) - v;
    for (int i = 1; i <= PARTS; i++) {
      const double b = parabola(&k, begin + i * length) - v;
      sum += length * (a < 0 && b < 0 ? 1 : a < 0 ? a / (a - b) : b < 0 ? b / (b - a) : 0);
      a = b;
    }
  }
  return sum / (window[1] - window[0]);
}

/* ---- the true value of an objective ---- */

static int first_term(const sim_objectives *objectives, int psi) {
  int i = 0;
  while (i < objectives->nterm && objectives->term[i].psi != psi) { i++; }
  return i < objectives->nterm ? i : -1;
}

/* The objective as it was computed from histories; NULL: it was not. */
static const history_objective *history_of(const sim_objectives *objectives, int psi) {
  const sim_histories *histories = objectives->histories;
  for (int k = 0; histories && k < histories->n; k++) {
    if (histories->objective[k].psi == psi) { return &histories->objective[k]; }
  }
  return NULL;
}

/* The largest and the least s of all terms of an objective. */
static void both_extremes(const sim_objectives *objectives, int psi, const double window[2], extreme e[2]) {
  const sim_true_values *values = objectives->true_values;
  e[0] = (extreme){-INFINITY, NAN}, e[1] = (extreme){INFINITY, NAN};
  for (int i = 0; i < objectives->nterm; i++) {
    if (objectives->term[i].psi != psi) { continue; }
    for (int side = 0; side < 2; side++) {
      const double sign = side ? -1 : 1;
      const extreme one = find_extreme(&values->h, values->column[i], sign, window);
      offer(&e[side], sign, one.value, one.time);
    }
  }
}

/* The largest u among those of the largest s, the least s and, between them, of s = 0, without smoothing. *min_u: the least of them. */
static extreme largest_u(const form_ops *form, const mbd_term *term, const extreme e[2], double *min_u) {
  mbd_term sharp = *term;
  extreme largest = {-INFINITY, NAN};
  mbd_real u_s[2];
  sharp.smoothing = 0, *min_u = INFINITY;
  for (int i = 0; i < 3; i++) {
    if (i == 2 && !(e[1].value < 0 && e[0].value > 0)) { continue; }
    const double u = mbd_first(form->u(&sharp, 1, i < 2 ? e[i].value : 0, u_s));
    offer(&largest, 1, u, i < 2 ? e[i].time : NAN);
    *min_u = fmin(*min_u, u);
  }
  return largest;
}

/* The value that all terms together are below for the part `level` of the time, by bisection between the extremes. */
static double quantile_of(const sim_objectives *objectives, int psi, double level, const double window[2],
                          const extreme e[2]) {
  const sim_true_values *values = objectives->true_values;
  double low = e[1].value, high = e[0].value;
  for (int k = 0; k < 60; k++) {
    const double middle = low + (high - low) / 2;
    double below = 0;
    int n = 0;
    for (int i = 0; i < objectives->nterm; i++) {
      if (objectives->term[i].psi == psi) { n++, below += time_below(&values->h, values->column[i], middle, window); }
    }
    if (below < n * level) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low + (high - low) / 2;
}

/* An integral of a smoothed |s| or max(s, 0), with the same points, without smoothing. */
static double split_value(const mbd_sim *s, const history_objective *l) {
  history_objective sharp = *l;
  mbd_term term = *l->k;
  mbd_real value = 0;
  term.smoothing = 0, sharp.k = &term;
  return history_value(s, &sharp, &value, NULL) == MBD_OK ? sim_of(s, value) : NAN;
}

int mbd_sim_true_value(const mbd_sim *s, int psi, double *value, double *time, double *range) {
  const sim_objectives *objectives = s->objectives;
  const int first = first_term(objectives, psi);
  if (first < 0) { return 0; }
  const form_ops *form = objectives->form[first];
  const mbd_term *term = &objectives->term[first];
  const history_objective *l = history_of(objectives, psi);
  *time = *range = NAN;
  if (!form->info.smooths) { return 0; }
  if (form->over == FORM_SPLIT) {
    if (!l || objectives->histories->h.rows < 2) { return 0; }
    *value = term->weight * split_value(s, l);
    return 1;
  }
  if (objectives->true_values->h.rows < 2) { return 0; }
  objectives->true_values->h.design = s->design;
  /* Window and extremes of s; then what the form makes of them. */
  const double window[2] = {l ? sim_of(s, l->from.t) : 0, l ? sim_of(s, l->until.t) : s->c.duration};
  extreme e[2];
  double min_u;
  both_extremes(objectives, psi, window, e);
  const extreme top = largest_u(form, term, e, &min_u);
  *range = form->over == FORM_PEAK ? top.value - min_u : e[0].value - e[1].value;
  if (form->over == FORM_PEAK) {
    *value = form->sign * top.value, *time = top.time;
  } else {
    *value = form->over == FORM_RANGE ? *range : quantile_of(objectives, psi, term->level, window, e);
  }
  *value *= term->weight;
  return 1;
}
