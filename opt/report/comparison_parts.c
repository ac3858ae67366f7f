#include "report/comparison_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"
#include "files/memory.h"
#include "files/plural.h"
#include "study/problem_class.h"

/* ---- verdicts ---- */

/* The optimizers over all problems and of each class, best first. */
static void order_table(const comparison_parts *w) {
  static const char *const heading[] = {"problems", "optimizer",   "solved", "of",         "share from [%]",
                                        "to [%]",   "needs: 25 %", "median", "needs: 75 %"};
  const verdicts *all = &w->d->verdicts;
  page_table_open(w->p, sizeof heading / sizeof heading[0], heading);
  for (int i = all->n - 1; i >= 0; i--) {
    const verdict *v = &all->of[i];
    for (int k = 0; k < v->nrow; k++) {
      const verdict_row *row = &v->row[k];
      page_row(w->p);
      page_cell(w->p, v->class ? v->class : "all");
      page_cell(w->p, w->d->profiles.backend[row->backend]);
      page_cell_number(w->p, row->solved, PAGE_DIGITS, NULL);
      page_cell_number(w->p, v->n, PAGE_DIGITS, NULL);
      page_cell_number(w->p, 100 * row->low, 3, NULL);
      page_cell_number(w->p, 100 * row->high, 3, NULL);
      for (int q = 0; q < 3; q++) {
        page_cell_number(w->p, row->quartile[q], 4, q == 1 && k == 0 && v->wins ? "best" : NULL);
      }
    }
  }
  page_table_close(w->p);
}

mbd_status comparison_parts_verdict(const comparison_parts *w, mbd_error *err) {
  const verdicts *all = &w->d->verdicts;
  page_section(w->p, "Verdict");
  for (int i = all->n - 1; i >= 0; i--) { page_note(w->p, "%s.", all->of[i].text); }
  page_text(
      w->p,
      "A pair of a problem and a start is solved with the first design without violation whose objective is within "
      "%g of the gain from the start to the best one of all optimizers. 'needs' are equivalent simulations until "
      "then, each evaluation counted by what it costs in simulations: quartiles over all pairs, those that are not "
      "solved being infinite (a dash). The share solved has its interval of 95 %%. A verdict is about these problems.",
      profiles_tau[PROFILES_MIDDLE]);
  order_table(w);
  return study_figures_spread(w->drawing, -1, err);
}

/* ---- profiles ---- */

static mbd_status solved_table(const comparison_parts *w, mbd_error *err) {
  const profiles *solved = &w->d->profiles;
  char text[PROFILES_NTAU][48];
  const char *heading[1 + 2 * PROFILES_NTAU] = {"optimizer"};
  for (int t = 0; t < PROFILES_NTAU; t++) {
    snprintf(text[t], sizeof text[0], "solved to %g [%%]", profiles_tau[t]);
    heading[1 + 2 * t] = text[t], heading[2 + 2 * t] = "equivalent simulations";
  }
  page_table_open(w->p, 1 + 2 * PROFILES_NTAU, heading);
  for (int b = 0; b < solved->nbackend; b++) {
    page_row(w->p);
    page_cell(w->p, solved->backend[b]);
    for (int t = 0; t < PROFILES_NTAU; t++) {
      double quartile[3];
      MBD_TRY(profiles_quartiles(profiles_costs(solved, t, b), profiles_all(solved), quartile, err));
      page_cell_number(w->p, 100.0 * profiles_solved(solved, t, b, profiles_all(solved)) / solved->ninstance, 3, NULL);
      page_cell_number(w->p, quartile[1], 4, NULL);
    }
  }
  page_table_close(w->p);
  return MBD_OK;
}

mbd_status comparison_parts_profiles(const comparison_parts *w, mbd_error *err) {
  const profiles *solved = &w->d->profiles;
  page_section(w->p, "Who solves how much, how soon");
  page_text(
      w->p,
      "%d pair%s of a problem and a start. One is solved to the accuracy tau with the first simulation whose design "
      "has no violation and f <= best + tau (start - best), best over all optimizers. Equivalent simulations count "
      "each evaluation by what it costs in simulations; the median is over all pairs, those not solved being infinite.",
      solved->ninstance, plural(solved->ninstance));
  MBD_TRY(solved_table(w, err));
  if (solved->solved_by_none) {
    page_note(w->p, "%d of them %s no design without violation from any optimizer.", solved->solved_by_none,
              solved->solved_by_none == 1 ? "has" : "have");
  }
  page_figures_open(w->p);
  MBD_TRY(study_figures_profiles(w->drawing, err));
  page_figures_close(w->p);
  return MBD_OK;
}

/* Objectives that agree but for rounding are best alike. */
const char *comparison_parts_mark(const study_data *d, int problem, double objective) {
  return objective - study_data_best(d, problem) <= study_data_same(d, problem) ? "best" : NULL;
}

/* The table of best objectives, a row for each problem and a column for each optimizer. */
static mbd_status best_objectives(const comparison_parts *w, mbd_error *err) {
  const study_data *d = w->d;
  const int n = d->profiles.nbackend;
  const char **heading = calloc((size_t)n + 2, sizeof *heading);
  MEMORY_TRY(heading, err, "the page");
  heading[0] = "best over all starts", heading[1] = "of";
  for (int b = 0; b < n; b++) { heading[b + 2] = d->profiles.backend[b]; }
  page_section(w->p, "Problems");
  page_table_open(w->p, n + 2, heading);
  /* A row for each problem. Objectives that differ from the best by rounding only are marked as best too. */
  for (int i = 0; i < d->s->nfile; i++) {
    page_row(w->p);
    page_cell(w->p, d->s->origin[i]);
    page_cell(w->p, d->objective[i]);
    for (int b = 0; b < n; b++) {
      page_cell_number(w->p, d->best[i * n + b], PAGE_DIGITS, comparison_parts_mark(d, i, d->best[i * n + b]));
    }
  }
  page_table_close(w->p);
  free(heading);
  return MBD_OK;
}

/* ---- a problem ---- */

void comparison_parts_notes(page *p, const problem_costs *cost, const json_t *problem) {
  char *counts = costs_text(cost), *scales = problem_class_scales(problem);
  page_text(p, "Equivalent simulations: %s.", counts ? counts : "");
  if (scales && *scales) { page_text(p, "Scales: %s.", scales); }
  free(counts), free(scales);
}

/* What each optimizer solved, needed and reached from the starts of a problem. */
static mbd_status spread_table(const comparison_parts *w, int problem, mbd_error *err) {
  static const char *const heading[] = {"optimizer",     "solved",         "share from [%]", "to [%]",
                                        "needs: 25 %",   "median",         "75 %",           "best objective",
                                        "reached: 25 %", "median reached", "reached: 75 %",  "its best run"};
  const study_data *d = w->d;
  const profiles *p = &d->profiles;
  const profiles_part part = profiles_of_problem(p, problem);
  page_table_open(w->p, sizeof heading / sizeof heading[0], heading);
  for (int b = 0; b < p->nbackend; b++) {
    profiles_spread spread;
    const int at = problem * p->nbackend + b;
    if (!p->takes[b * p->nproblem + problem]) { continue; }
    MBD_TRY(profiles_spread_of(p, b, part, &spread, err));
    /* The quartiles are over the starts; between them stands the best result, whose run leads to its page, if it has one. */
    page_row(w->p);
    page_cell(w->p, p->backend[b]);
    page_cell_number(w->p, spread.solved, PAGE_DIGITS, NULL);
    page_cell_number(w->p, 100 * spread.low, 3, NULL), page_cell_number(w->p, 100 * spread.high, 3, NULL);
    for (int q = 0; q < 3; q++) { page_cell_number(w->p, spread.needed[q], 4, NULL); }
    page_cell_number(w->p, d->best[at], PAGE_DIGITS, comparison_parts_mark(d, problem, d->best[at]));
    for (int q = 0; q < 3; q++) { page_cell_number(w->p, spread.reached[q], 5, NULL); }
    char *file = study_links_file(w->drawing->links, d->best_run[at]);
    page_cell_link(w->p, d->best_run[at] >= 0 ? (double)d->best_run[at] : (double)NAN, PAGE_DIGITS, file);
    free(file);
  }
  page_table_close(w->p);
  return MBD_OK;
}

/* The records of the best run of each optimizer on a problem [nbackend]; NULL: there is none. */
static mbd_status best_records(const study_data *d, int problem, json_t **record, mbd_error *err) {
  for (int b = 0; b < d->profiles.nbackend; b++) {
    const long run = d->best_run[problem * d->profiles.nbackend + b];
    if (run >= 0) { MBD_TRY(study_data_run(d, run, &record[b], err)); }
  }
  return MBD_OK;
}

/* A row for each variable, with its value in the best design of each optimizer. */
static void design_rows(const comparison_parts *w, json_t *const *record) {
  static const char prefix[] = "result.";
  const int n = w->d->profiles.nbackend;
  const json_t *any = NULL;
  const char *name;
  json_t *value;
  int rows = 0;
  for (int b = 0; b < n && !any; b++) { any = json_object_get(record[b], "columns"); }
  json_object_foreach((json_t *)any, name, value) {
    if (strncmp(name, prefix, strlen(prefix)) != 0 || rows++ >= STUDY_TABLE_MAX) { continue; }
    page_row(w->p);
    page_cell(w->p, name + strlen(prefix));
    for (int b = 0; b < n; b++) {
      if (record[b]) { page_cell_number(w->p, runs_number(record[b], name), 7, NULL); }
    }
  }
}

static mbd_status best_designs(const comparison_parts *w, int problem, mbd_error *err) {
  const profiles *p = &w->d->profiles;
  json_t **record = mbd_zeros((size_t)p->nbackend, sizeof *record);
  const char **heading = mbd_zeros((size_t)p->nbackend + 1, sizeof *heading);
  mbd_status status = record && heading ? best_records(w->d, problem, record, err) : MEMORY_NONE(err, "the page");
  int n = 0;
  if (status == MBD_OK) {
    heading[n++] = "best design";
    for (int b = 0; b < p->nbackend; b++) {
      if (record[b]) { heading[n++] = p->backend[b]; }
    }
  }
  if (n > 1) {
    page_table_open(w->p, n, heading);
    design_rows(w, record);
    page_table_close(w->p);
  }
  for (int b = 0; record && b < p->nbackend; b++) { json_decref(record[b]); }
  free(record), free(heading);
  return status;
}

/* The section of a problem. */
static mbd_status problem_section(const comparison_parts *w, int problem, mbd_error *err) {
  const profiles *p = &w->d->profiles;
  char *title = mbd_sprintf_dup("Problem %d: %s", problem + 1, study_links_name(w->d->s->origin[problem]));
  const char *class = json_text_in(p->problem[problem], "class");
  page_section(w->p, title ? title : "");
  free(title);
  page_text(w->p, "%s%s%s, from %d start%s.", w->d->s->origin[problem], *class ? ": " : "", class, p->starts,
            plural(p->starts));
  MBD_TRY(spread_table(w, problem, err));
  comparison_parts_notes(w->p, &p->costs.of[problem], p->problem[problem]);
  page_figures_open(w->p);
  if (p->starts > 1) { MBD_TRY(study_figures_spread(w->drawing, problem, err)); }
  MBD_TRY(study_figures_history(w->drawing, problem, err));
  page_figures_close(w->p);
  return best_designs(w, problem, err);
}

mbd_status comparison_parts_problems(const comparison_parts *w, mbd_error *err) {
  MBD_TRY(best_objectives(w, err));
  for (int i = 0; i < w->d->s->nfile; i++) { MBD_TRY(problem_section(w, i, err)); }
  return MBD_OK;
}
