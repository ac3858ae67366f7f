#include "report/results.h"
#include "report/run_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/atomic_file.h"
#include "report/plots.h"
#include "report/units.h"

/* ---- which there are ---- */

static const motion_case *case_of(const motion *w, int in_case) {
  return w ? &w->cases[in_case] : NULL;
}

int run_output_moves(const run_figures *v, int in_case, int output) {
  const motion_case *moving[] = {case_of(v->before, in_case), case_of(v->after, in_case)};
  for (int k = 0; k < 2; k++) {
    if (!moving[k] || moving[k]->n == 0) { continue; }
    if (motion_range(moving[k], output) > 1e-12 * fmax(1, fabs(moving[k]->y[output]))) { return 1; }
    if (k && moving[0] &&
        fabs(moving[0]->y[output] - moving[1]->y[output]) > 1e-12 * fmax(1, fabs(moving[0]->y[output]))) {
      return 1;
    }
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
  const csv *residuals = &v->folder->residuals;
  return csv_text(residuals, row, csv_column(residuals, "measurement"));
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

/* Adds the columns of the trajectory that have an objective or a constraint up to the time, which [output] objectives asks for. */
static mbd_status add_so_far(run_figures *v, int in_case, mbd_error *err) {
  const motion_case *moving = case_of(v->before ? v->before : v->after, in_case);
  const char *which = v->folder->m->cases[in_case].config->name;
  for (int i = 1; moving && moving->all.curve && i < moving->all.columns.n; i++) {
    const series_column *column = &moving->all.columns.column[i];
    if (column->kind != SERIES_SO_FAR) { continue; }
    char *caption = mbd_sprintf_dup("%s up to the time, in case %s.", column->name, which);
    char *file = mbd_sprintf_dup("so_far_%s_%s", which, column->name);
    MBD_TRY(figure_list_add(&v->list, (figure_item){RUN_PART_SO_FAR, file, caption, in_case, i}, err));
  }
  return MBD_OK;
}

int run_next_derivative(const csv *table, int col, int shown) {
  for (; shown < RUN_DERIVATIVES && col < table->ncol; col++) {
    if (strncmp(table->cell[col], "d ", 2) != 0 || !strstr(table->cell[col], "/d ")) { continue; }
    for (int row = 0; row < table->nrow; row++) {
      if (csv_number(table, row, col) != 0) { return col; }
    }
  }
  return -1;
}

static mbd_status add_derivatives(run_figures *v, int in_case, mbd_error *err) {
  const csv *table = &v->sensitivities[in_case];
  const char *which = v->folder->m->cases[in_case].config->name;
  for (int k = 0, i; (i = run_next_derivative(table, k ? v->list.item[v->list.n - 1].which + 1 : 0, k)) >= 0; k++) {
    char *caption = mbd_sprintf_dup("%s over time, in case %s.", table->cell[i], which);
    char *file = mbd_sprintf_dup("derivative_%s_%s", which, table->cell[i] + 2);
    MBD_TRY(figure_list_add(&v->list, (figure_item){RUN_PART_DERIVATIVE, file, caption, in_case, i}, err));
  }
  return MBD_OK;
}

/* Lists the figures that the folder has data for: convergence, bounds, directions, fits, outputs that move, objectives and derivatives over time. */
static mbd_status list(run_figures *v, mbd_error *err) {
  const run_folder *folder = v->folder;
  int bounded = 0;
  for (int i = 0; i < folder->m->n; i++) {
    bounded |= isfinite(folder->m->upper[i] - folder->m->lower[i]) && folder->m->upper[i] > folder->m->lower[i];
  }
  if (folder->history.nrow > 0) {
    MBD_TRY(add_simple(v, RUN_PART_CONVERGENCE, "convergence", "Objective of the iterations, over simulated designs.",
                       err));
  }
  if (folder->final && bounded) {
    MBD_TRY(add_simple(v, RUN_PART_BOUNDS, "bounds", "Where the design lies between its bounds.", err));
  }
  if (folder->valley.n > 1) { /* of one there is one direction */
    MBD_TRY(add_simple(
        v, RUN_PART_DIRECTIONS, "directions",
        "Eigenvalues of the Gauss-Newton matrix with their directions, in variables divided by their scale: what "
        "the objective sees least comes first.",
        err));
  }
  MBD_TRY(add_fits(v, err));
  for (int i = 0; (v->before || v->after) && i < folder->m->ncase; i++) {
    for (int k = 0; k < mbd_outputs_count(folder->m->cases[i].outputs); k++) {
      if (mbd_outputs_is_repeated(folder->m->cases[i].outputs, k)) { continue; }
      if (run_output_moves(v, i, k)) { MBD_TRY(add_history(v, i, k, err)); }
    }
    MBD_TRY(add_so_far(v, i, err));
  }
  for (int i = 0; i < folder->m->ncase; i++) {
    for (int k = 0; k < INVERSE_MATRICES; k++) {
      if (v->inverse[i].count[k] > 0) { MBD_TRY(add_inverse(v, i, k, err)); }
    }
    MBD_TRY(add_derivatives(v, i, err));
  }
  return MBD_OK;
}

/* ---- how they are drawn ---- */

static mbd_status no_memory(mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a figure");
}

double *run_column(const csv *table, int col) {
  double *values = calloc((size_t)table->nrow + 1, sizeof *values);
  for (int i = 0; values && i < table->nrow; i++) { values[i] = csv_number(table, i, col); }
  return values;
}

static double *column(const csv *table, const char *name) {
  return run_column(table, csv_column(table, name));
}

static mbd_status draw_convergence(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const csv *table = &v->folder->history;
  double *x = column(table, "evaluations"), *values = column(table, "objective"),
         *violations = column(table, "violation");
  (void)g;
  const plot_curve objective = {NULL, PLOT_POINTS, table->nrow, x, values},
                   violation = {NULL, PLOT_POINTS, table->nrow, x, violations};
  char *name = objective_axis(v->folder->m);
  mbd_status status = x && values && violations && name
                          ? plot_convergence(t, "simulated designs", name, 1, &objective, &violation, err)
                          : no_memory(err);
  free(x), free(values), free(violations), free(name);
  return status;
}

static mbd_status draw_bounds(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const mechanism *m = v->folder->m;
  (void)g;
  return plot_bounds(t, m->n, m->name, m->lower, m->upper, m->start, v->folder->final, err);
}

/* Draws the directions to which the objective is least sensitive; of many directions only the first ones. */
static mbd_status draw_directions(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  enum { MOST = 12 };
  const valley *directions = &v->folder->valley;
  (void)g;
  return plot_directions(t, directions->n < MOST ? directions->n : MOST, directions->eigenvalue, directions->n,
                         v->folder->m->name, directions->direction, err);
}

/* Draws an output over time, of the motions before and after where both are there. */
static mbd_status draw_history(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  enum { MOST = 700 }; /* stretches: as many as a figure has points across */
  const mechanism_case *q = &v->folder->m->cases[g->of];
  const motion_case *moving[] = {case_of(v->before, g->of), case_of(v->after, g->of)};
  char label[OUTPUT_LABEL];
  double *room = malloc(4 * (size_t)motion_most(MOST) * sizeof *room);
  plot_curve curve[2];
  int n = 0;
  for (int k = 0; room && k < 2; k++) {
    double *x = room + 2 * k * motion_most(MOST), *y = x + motion_most(MOST);
    if (!moving[k]) { continue; }
    const int points = motion_curve(moving[k], g->which, MOST, x, y);
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
  const inverse_table *table = &v->inverse[g->of];
  plot_curve curve[INVERSE_MOST];
  for (int i = 0; i < table->count[g->which]; i++) {
    curve[i] = (plot_curve){table->name[g->which][i], PLOT_LINE, table->n, table->t, table->entry[g->which][i]};
  }
  return plot_curves(t, (plot_axis){"t [s]", 0}, (plot_axis){inverse_matrices[g->which].symbol, 0},
                     table->count[g->which], curve, err);
}

/* Draws an objective up to the time, of the motions before and after where both are there. */
static mbd_status draw_so_far(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const motion_case *moving[] = {case_of(v->before, g->of), case_of(v->after, g->of)};
  const series_column *shown = &(moving[0] ? moving[0] : moving[1])->all.columns.column[g->which];
  char label[OUTPUT_LABEL];
  plot_curve curve[2];
  int n = 0;
  for (int k = 0; k < 2; k++) {
    const thinned *w = moving[k] ? &moving[k]->all : NULL;
    if (!w || g->which >= w->columns.n || strcmp(w->columns.column[g->which].name, shown->name) != 0) { continue; }
    const thinned_curve *one = &w->curve[g->which];
    curve[n++] = (plot_curve){k ? v->folder->after : v->folder->before, k || !v->after ? PLOT_AFTER : PLOT_BEFORE,
                              one->n, one->t, one->y};
  }
  if (n == 1) { curve[0].title = NULL; }
  snprintf(label, sizeof label, *shown->unit ? "%s [%s]" : "%s", shown->name, shown->unit);
  return plot_curves(t, (plot_axis){"t [s]", 0}, (plot_axis){label, 0}, n, curve, err);
}

static mbd_status draw_derivative(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  const csv *table = &v->sensitivities[g->of];
  double *x = run_column(table, 0), *y = run_column(table, g->which);
  const plot_curve curve = {NULL, PLOT_LINE, table->nrow, x, y};
  mbd_status status =
      x && y ? plot_curves(t, (plot_axis){"t [s]", 0}, (plot_axis){table->cell[g->which], 0}, 1, &curve, err)
             : no_memory(err);
  free(x), free(y);
  return status;
}

/* Draws the samples of a measurement with the model and its band, or its residuals. */
static mbd_status draw_fit(const run_figures *v, const figure_item *g, figure_target *t, mbd_error *err) {
  static const char *const needed[] = {"t [s]", "measured", "model", "band", "residual_in_sigma"};
  enum { TIME, MEASURED, MODEL, BAND, RESIDUAL, COLUMNS };
  const csv *table = &v->folder->residuals;
  double *column_of[COLUMNS] = {0}, *lower = NULL;
  int n = 0, whole = 1;
  while (g->of + n < table->nrow && strcmp(series_of(v, g->of + n), series_of(v, g->of)) == 0) { n++; }
  for (int k = 0; k < COLUMNS; k++) { whole &= (column_of[k] = column(table, needed[k])) != NULL; }
  lower = calloc((size_t)n + 1, sizeof *lower);
  mbd_status status = whole && lower ? MBD_OK : no_memory(err);
  if (status == MBD_OK) {
    double *at[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) { at[k] = column_of[k] + g->of; }
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
  for (int k = 0; k < COLUMNS; k++) { free(column_of[k]); }
  free(lower);
  return status;
}

static mbd_status draw_one(const void *from, const figure_item *g, figure_target *t, mbd_error *err) {
  static mbd_status (*const draw[])(const run_figures *, const figure_item *, figure_target *, mbd_error *) = {
      draw_convergence, draw_bounds, draw_directions, draw_history,
      draw_inverse,     draw_fit,    draw_so_far,     draw_derivative};
  return draw[g->part](from, g, t, err);
}

/* ---- all of it ---- */

/* A design that cannot be simulated (> 0), or a plugin that may not be loaded (MBD_UNSUPPORTED), leaves no motion, and the reason. */
static mbd_status simulate(mechanism *m, const double *rho, int curves, motion **out, mbd_error *why, mbd_error *err) {
  const mbd_status status = motion_create(m, rho, curves, out, why);
  if (status >= 0 || status == MBD_UNSUPPORTED) { return MBD_OK; }
  *err = *why;
  return status;
}

static mbd_status read_if_there(const char *folder, const char *file, csv *c, mbd_error *err) {
  double when;
  MBD_TRY(file_written(folder, file, &when, err));
  if (when < 0) { return MBD_OK; }
  char *path = path_in(folder, file);
  mbd_status status = path ? csv_read(path, 0, c, err) : no_memory(err);
  free(path);
  return status;
}

/* The files of --over-time that the folder has. */
static mbd_status read_over_time(run_figures *v, mbd_error *err) {
  const mechanism *m = v->folder->m;
  v->inverse = calloc((size_t)m->ncase + 1, sizeof *v->inverse);
  v->sensitivities = calloc((size_t)m->ncase + 1, sizeof *v->sensitivities);
  if (!v->inverse || !v->sensitivities) { return no_memory(err); }
  for (int i = 0; i < m->ncase; i++) {
    char name[RESULTS_FILE];
    results_case_file(m, &m->cases[i], "inverse_dynamics", name);
    MBD_TRY(inverse_table_read(v->folder->path, name, &v->inverse[i], err));
    results_case_file(m, &m->cases[i], "sensitivities", name);
    MBD_TRY(read_if_there(v->folder->path, name, &v->sensitivities[i], err));
  }
  return MBD_OK;
}

mbd_status run_figures_create(const run_folder *f, int curves, run_figures *v, mbd_error *err) {
  *v = (run_figures){.folder = f, .list = {.from = v, .draw = draw_one}};
  mechanism *first = f->reference ? f->reference : f->m;
  curves |= f->m->config->output.objectives;
  mbd_status status = simulate(first, first->start, curves, &v->before, &v->before_error, err);
  if (status == MBD_OK && f->final) { status = simulate(f->m, f->final, curves, &v->after, &v->after_error, err); }
  if (status == MBD_OK) { status = read_over_time(v, err); }
  if (status == MBD_OK) { status = list(v, err); }
  if (status != MBD_OK) { run_figures_free(v); }
  return status;
}

void run_figures_free(run_figures *v) {
  figure_list_free(&v->list);
  motion_destroy(v->before), motion_destroy(v->after);
  for (int i = 0; v->inverse && i < v->folder->m->ncase; i++) { inverse_table_free(&v->inverse[i]); }
  for (int i = 0; v->sensitivities && i < v->folder->m->ncase; i++) { csv_free(&v->sensitivities[i]); }
  free(v->inverse), free(v->sensitivities);
  *v = (run_figures){0};
}
