#include "report/results.h"
#include "report/run_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/plots.h"
#include "report/units.h"

/* ---- which there are ---- */

static const motion_case *case_of(const motion *w, int in_case) {
  return w ? &w->cases[in_case] : NULL;
}

int run_output_moves(const run_figures *v, int in_case, int output) {
  const motion_case *c[] = {case_of(v->before, in_case), case_of(v->after, in_case)};
  for (int k = 0; k < 2; k++) {
    if (!c[k] || c[k]->n == 0) { continue; }
    if (motion_range(c[k], output) > 1e-12 * fmax(1, fabs(c[k]->y[output]))) { return 1; }
    if (k && c[0] && fabs(c[0]->y[output] - c[1]->y[output]) > 1e-12 * fmax(1, fabs(c[0]->y[output]))) { return 1; }
  }
  return 0;
}

static mbd_status add_simple(run_figures *v, run_part part, const char *name, const char *caption, mbd_error *err) {
  return figure_list_add(&v->list, (figure_item){(int)part, mbd_strdup(name), mbd_strdup(caption), 0, 0}, err);
}

static mbd_status add_history(run_figures *v, int in_case, int output, mbd_error *err) {
  const mechanism_case *q = &v->folder->m->cases[in_case];
  const char *name = mbd_outputs_name(q->outputs, output), *which = q->config->name;
  const int several = v->folder->m->ncase > 1;
  char *caption =
      several ? mbd_sprintf_dup("%s in case %s, over time", name, which) : mbd_sprintf_dup("%s over time", name);
  char *file = mbd_sprintf_dup("history_%s_%s", which, name);
  return figure_list_add(&v->list, (figure_item){RUN_PART_HISTORY, file, caption, in_case, output}, err);
}

static mbd_status add_inverse(run_figures *v, int in_case, int k, mbd_error *err) {
  const mechanism *m = v->folder->m;
  const char *which = m->cases[in_case].config->name;
  char *caption = mbd_sprintf_dup("The largest derivatives of the forces on the coordinates by %s (%s)%s%s, over time",
                                  inverse_matrices[k].by, inverse_matrices[k].symbol, m->ncase > 1 ? " in case " : "",
                                  m->ncase > 1 ? which : "");
  char *file = mbd_sprintf_dup("forces_by_%s_%s", inverse_matrices[k].name, which);
  return figure_list_add(&v->list, (figure_item){RUN_PART_INVERSE, file, caption, in_case, k}, err);
}

/* The name of the series that has a row of residuals.csv. */
static const char *series_of(const run_figures *v, int row) {
  const csv *c = &v->folder->residuals;
  return csv_text(c, row, csv_column(c, "measurement"));
}

static mbd_status add_fit(run_figures *v, int row, int which, mbd_error *err) {
  static const char *const what[] = {"model", "residuals"};
  const char *name = series_of(v, row);
  char *caption = which ? mbd_sprintf_dup("Residuals of %s in units of sigma, over time.", name)
                        : mbd_sprintf_dup(
                              "%s: samples, what the model shows, and the band in which a further sample "
                              "is expected, over time.",
                              name);
  char *file = mbd_sprintf_dup("%s_%s", what[which], name);
  return figure_list_add(&v->list, (figure_item){RUN_PART_FIT, file, caption, row, which}, err);
}

/* Two figures for each series. */
static mbd_status add_fits(run_figures *v, mbd_error *err) {
  for (int row = 0; row < v->folder->residuals.nrow; row++) {
    if (row > 0 && strcmp(series_of(v, row), series_of(v, row - 1)) == 0) { continue; }
    for (int which = 0; which < 2; which++) { MBD_TRY(add_fit(v, row, which, err)); }
  }
  return MBD_OK;
}

static mbd_status list(run_figures *v, mbd_error *err) {
  const run_folder *f = v->folder;
  int bounded = 0;
  for (int i = 0; i < f->m->n; i++) {
    bounded |= isfinite(f->m->upper[i] - f->m->lower[i]) && f->m->upper[i] > f->m->lower[i];
  }
  if (f->history.nrow > 0) {
    MBD_TRY(add_simple(v, RUN_PART_CONVERGENCE, "convergence", "Objective of the iterations, over simulated designs.",
                       err));
  }
  if (f->final && bounded) {
    MBD_TRY(add_simple(v, RUN_PART_BOUNDS, "bounds", "Where the design lies between its bounds.", err));
  }
  if (f->valley.n > 1) { /* of one there is one direction */
    MBD_TRY(add_simple(
        v, RUN_PART_DIRECTIONS, "directions",
        "Eigenvalues of the Gauss-Newton matrix with their directions, in variables divided by their scale: what "
        "the objective sees least comes first.",
        err));
  }
  MBD_TRY(add_fits(v, err));
  for (int i = 0; (v->before || v->after) && i < f->m->ncase; i++) {
    for (int k = 0; k < mbd_outputs_count(f->m->cases[i].outputs); k++) {
      if (mbd_outputs_is_repeated(f->m->cases[i].outputs, k)) { continue; }
      if (run_output_moves(v, i, k)) { MBD_TRY(add_history(v, i, k, err)); }
    }
  }
  for (int i = 0; i < f->m->ncase; i++) {
    for (int k = 0; k < INVERSE_MATRICES; k++) {
      if (v->inverse[i].count[k] > 0) { MBD_TRY(add_inverse(v, i, k, err)); }
    }
  }
  return MBD_OK;
}

/* ---- how they are drawn ---- */

static mbd_status no_memory(mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a figure");
}

/* A column in new memory. */
static double *column(const csv *c, const char *name) {
  double *v = calloc((size_t)c->nrow + 1, sizeof *v);
  for (int i = 0; v && i < c->nrow; i++) { v[i] = csv_number(c, i, csv_column(c, name)); }
  return v;
}

static mbd_status draw_convergence(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const csv *c = &v->folder->history;
  double *x = column(c, "evaluations"), *f = column(c, "objective"), *h = column(c, "violation");
  (void)g;
  const plot_curve objective = {NULL, PLOT_POINTS, c->nrow, x, f}, violation = {NULL, PLOT_POINTS, c->nrow, x, h};
  char *name = objective_axis(v->folder->m);
  mbd_status status = x && f && h && name
                          ? plot_convergence(t, "simulated designs", name, 1, &objective, &violation, err)
                          : no_memory(err);
  free(x), free(f), free(h), free(name);
  return status;
}

static mbd_status draw_bounds(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const mechanism *m = v->folder->m;
  (void)g;
  return plot_bounds(t, m->n, m->name, m->lower, m->upper, m->start, v->folder->final, err);
}

/* Of many directions those that the objective sees least: nobody reads more. */
static mbd_status draw_directions(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  enum { MOST = 12 };
  const valley *w = &v->folder->valley;
  (void)g;
  return plot_directions(t, w->n < MOST ? w->n : MOST, w->eigenvalue, w->n, v->folder->m->name, w->direction, err);
}

static mbd_status draw_history(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  enum { MOST = 700 }; /* stretches: as many as a figure has points across */
  const mechanism_case *q = &v->folder->m->cases[g->of];
  const motion_case *c[] = {case_of(v->before, g->of), case_of(v->after, g->of)};
  char label[OUTPUT_LABEL];
  double *room = malloc(4 * (size_t)motion_most(MOST) * sizeof *room);
  plot_curve curve[2];
  int n = 0;
  for (int k = 0; room && k < 2; k++) {
    double *x = room + 2 * k * motion_most(MOST), *y = x + motion_most(MOST);
    if (!c[k]) { continue; }
    const int points = motion_curve(c[k], g->which, MOST, x, y);
    curve[n++] =
        (plot_curve){k ? v->folder->after : v->folder->before, k || !v->after ? PLOT_AFTER : PLOT_BEFORE, points, x, y};
  }
  if (n == 1) { curve[0].title = NULL; }
  output_label(q->outputs, g->which, label);
  mbd_status status =
      room ? plot_curves(t, (plot_axis){"t [s]", 0}, (plot_axis){label, 0}, n, curve, err) : no_memory(err);
  free(room);
  return status;
}

static mbd_status draw_inverse(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const inverse_table *q = &v->inverse[g->of];
  plot_curve curve[INVERSE_MOST];
  for (int i = 0; i < q->count[g->which]; i++) {
    curve[i] = (plot_curve){q->name[g->which][i], PLOT_LINE, q->n, q->t, q->entry[g->which][i]};
  }
  return plot_curves(t, (plot_axis){"t [s]", 0}, (plot_axis){inverse_matrices[g->which].symbol, 0}, q->count[g->which],
                     curve, err);
}

/* Draws the samples of a measurement with the model and its band, or its residuals. */
static mbd_status draw_fit(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  static const char *const needed[] = {"t [s]", "measured", "model", "band", "residual_in_sigma"};
  enum { TIME, MEASURED, MODEL, BAND, RESIDUAL, COLUMNS };
  const csv *c = &v->folder->residuals;
  double *x[COLUMNS] = {0}, *lower = NULL;
  int n = 0, whole = 1;
  while (g->of + n < c->nrow && strcmp(series_of(v, g->of + n), series_of(v, g->of)) == 0) { n++; }
  for (int k = 0; k < COLUMNS; k++) { whole &= (x[k] = column(c, needed[k])) != NULL; }
  lower = calloc((size_t)n + 1, sizeof *lower);
  mbd_status status = whole && lower ? MBD_OK : no_memory(err);
  if (status == MBD_OK) {
    double *at[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) { at[k] = x[k] + g->of; }
    for (int i = 0; i < n; i++) { lower[i] = at[MODEL][i] - at[BAND][i], at[BAND][i] += at[MODEL][i]; }
    const plot_curve shown[] = {{"measured", PLOT_DOTS, n, at[TIME], at[MEASURED]},
                                {"model", PLOT_AFTER, n, at[TIME], at[MODEL]},
                                {"band", PLOT_EDGE, n, at[TIME], lower},
                                {NULL, PLOT_EDGE, n, at[TIME], at[BAND]}},
                     residuals = {NULL, PLOT_DOTS, n, at[TIME], at[RESIDUAL]};
    const char *label = g->which ? "residual / sigma" : series_of(v, g->of);
    status = plot_curves(t, (plot_axis){"t [s]", 0}, (plot_axis){label, 0}, g->which ? 1 : 4,
                         g->which ? &residuals : shown, err);
  }
  for (int k = 0; k < COLUMNS; k++) { free(x[k]); }
  free(lower);
  return status;
}

static mbd_status draw_one(const void *from, const figure_item *g, figure_target *t, mbd_error *err) {
  static mbd_status (*const draw[])(const run_figures *, const figure_item *, figure_target *, mbd_error *) = {
      draw_convergence, draw_bounds, draw_directions, draw_history, draw_inverse, draw_fit};
  return draw[g->part](from, g, t, err);
}

/* ---- all of it ---- */

/* A design that cannot be simulated (> 0) leaves no motion, and the reason. */
static mbd_status simulate(mechanism *m, const double *rho, int curves, motion **out, mbd_error *why, mbd_error *err) {
  const mbd_status status = motion_create(m, rho, curves, out, why);
  if (status >= 0) { return MBD_OK; }
  *err = *why;
  return status;
}

/* The files of --over-time that the folder has. */
static mbd_status read_inverse(run_figures *v, mbd_error *err) {
  const mechanism *m = v->folder->m;
  v->inverse = calloc((size_t)m->ncase + 1, sizeof *v->inverse);
  if (!v->inverse) { return no_memory(err); }
  for (int i = 0; i < m->ncase; i++) {
    char name[RESULTS_FILE];
    results_case_file(m, &m->cases[i], "inverse_dynamics", name);
    MBD_TRY(inverse_table_read(v->folder->path, name, &v->inverse[i], err));
  }
  return MBD_OK;
}

mbd_status run_figures_create(const run_folder *f, int curves, run_figures *v, mbd_error *err) {
  *v = (run_figures){.folder = f, .list = {.from = v, .draw = draw_one}};
  mechanism *first = f->reference ? f->reference : f->m;
  mbd_status status = simulate(first, first->start, curves, &v->before, &v->before_error, err);
  if (status == MBD_OK && f->final) { status = simulate(f->m, f->final, curves, &v->after, &v->after_error, err); }
  if (status == MBD_OK) { status = read_inverse(v, err); }
  if (status == MBD_OK) { status = list(v, err); }
  if (status != MBD_OK) { run_figures_free(v); }
  return status;
}

void run_figures_free(run_figures *v) {
  figure_list_free(&v->list);
  motion_destroy(v->before), motion_destroy(v->after);
  for (int i = 0; v->inverse && i < v->folder->m->ncase; i++) { inverse_table_free(&v->inverse[i]); }
  free(v->inverse);
  *v = (run_figures){0};
}
