#include "study/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"
#include "files/memory.h"
#include "files/plural.h"
#include "files/text_stream.h"
#include "study/statistics.h"

enum { TAU = PROFILES_MIDDLE };

static const char *class_of(const profiles *p, int problem) {
  return p->problem[problem] ? json_text_in(p->problem[problem], "class") : "";
}

static int has_problem(const profiles *p, const verdict *v, int problem) {
  return !v->class || strcmp(v->class, class_of(p, problem)) == 0;
}

/* ---- the rows ---- */

/* The instances of a class of which no run is left. */
static void find_instances(const profiles *p, verdict *v) {
  for (int i = 0; i < p->nproblem; i++) {
    if (!has_problem(p, v, i)) { continue; }
    v->nproblem++;
    for (int k = i * p->starts; k < (i + 1) * p->starts; k++) {
      if (!p->incomplete[k]) { v->instance[v->n++] = k; }
    }
  }
}

static int takes_part(const profiles *p, const verdict *v, int b) {
  int any = 0;
  for (int i = 0; i < p->nproblem; i++) { any |= has_problem(p, v, i) && p->takes[b * p->nproblem + i]; }
  return any;
}

/* By the median; then the one that solves more, then by the lower quartile. */
static int by_rank(const void *a, const void *b) {
  const verdict_row *x = a, *y = b;
  if (x->quartile[1] != y->quartile[1]) { return x->quartile[1] < y->quartile[1] ? -1 : 1; }
  if (x->solved != y->solved) { return x->solved > y->solved ? -1 : 1; }
  if (x->quartile[0] != y->quartile[0]) { return x->quartile[0] < y->quartile[0] ? -1 : 1; }
  return x->backend - y->backend;
}

static mbd_status find_rows(const profiles *p, verdict *v, mbd_error *err) {
  const profiles_part part = {.n = v->n, .instance = v->instance};
  for (int b = 0; b < p->nbackend && v->n > 0; b++) {
    if (!takes_part(p, v, b)) { continue; }
    verdict_row *row = &v->row[v->nrow++];
    *row = (verdict_row){.backend = b, .solved = profiles_solved(p, TAU, b, part)};
    statistics_wilson(row->solved, v->n, &row->low, &row->high);
    MBD_TRY(profiles_quartiles(profiles_costs(p, TAU, b), part, row->quartile, err));
  }
  qsort(v->row, (size_t)v->nrow, sizeof *v->row, by_rank);
  return MBD_OK;
}

/* ---- the first against the others ---- */

/* The costs are ratios of measured times: what differs by less than 1 % does not count as a difference. */
static int is_ahead(double a, double b) {
  static const double same = 0.01;
  return isfinite(a) && a < (1 - same) * b;
}

static void count_pairs(const profiles *p, const verdict *v, int a, int b, int *ahead, int *decided) {
  *ahead = *decided = 0;
  for (int k = 0; k < v->n; k++) {
    const double mine = profiles_cost(p, TAU, a, v->instance[k]), other = profiles_cost(p, TAU, b, v->instance[k]);
    *ahead += is_ahead(mine, other);
    *decided += is_ahead(mine, other) || is_ahead(other, mine);
  }
}

/* Finds the rival of the first row. */
static void find_rival(const profiles *p, verdict *v) {
  v->p = -1;
  for (int i = 1; i < v->nrow; i++) {
    int ahead, decided;
    count_pairs(p, v, v->row[0].backend, v->row[i].backend, &ahead, &decided);
    const double q = 2 * ahead > decided ? statistics_sign_test(ahead, decided) : 1;
    if (q > v->p) { v->rival = i, v->ahead = ahead, v->decided = decided, v->p = q; }
  }
  v->wins = v->rival > 0 && v->p < VERDICT_LEVEL && v->row[0].solved > 0;
  /* The starts of each problem with which the share of pairs would be significant, if as many have a difference. */
  const int pairs = statistics_pairs_needed(v->ahead, v->decided, VERDICT_LEVEL);
  const int enough = v->rival > 0 && 2 * v->ahead > v->decided && pairs > 0;
  v->starts_needed = enough ? (int)ceil((double)pairs * v->n / v->decided / v->nproblem) : 0;
}

/* ---- in words ---- */

static const char *name_of(const profiles *p, const verdict *v, int row) {
  return p->backend[v->row[row].backend];
}

/* "A solves 17 of 18 (median 34)" */
static void write_row(FILE *out, const profiles *p, const verdict *v, int row) {
  fprintf(out, "%s solves %d of %d", name_of(p, v, row), v->row[row].solved, v->n);
  if (isfinite(v->row[row].quartile[1])) { fprintf(out, " (median %.3g)", v->row[row].quartile[1]); }
}

/* The one that solves more than the first, and most of all; -1: there is none. */
static int max_solved(const verdict *v) {
  int max = 0;
  for (int i = 1; i < v->nrow; i++) {
    if (v->row[i].solved > v->row[max].solved) { max = i; }
  }
  return max > 0 ? max : -1;
}

static void write_winner(FILE *out, const profiles *p, const verdict *v) {
  fprintf(out, "%s solves %d of %d with the fewest equivalent simulations", name_of(p, v, 0), v->row[0].solved, v->n);
  /* The medians of the first two, as far as they solve half of the pairs. */
  if (isfinite(v->row[0].quartile[1])) {
    fprintf(out, " (median %.3g, next %s", v->row[0].quartile[1], name_of(p, v, 1));
    if (isfinite(v->row[1].quartile[1])) { fprintf(out, " %.3g", v->row[1].quartile[1]); }
    fputs(")", out);
  }
  fprintf(out, "; hardest to tell from it is %s, of which it is ahead in %d of %d pairs (sign test p = %.2g)",
          name_of(p, v, v->rival), v->ahead, v->decided, v->p);
}

static void write_no_winner(FILE *out, const profiles *p, const verdict *v) {
  const int starts = v->n / (v->nproblem > 0 ? v->nproblem : 1);
  fprintf(out, "no winner: %s and %s cannot be told apart with %d start%s", name_of(p, v, 0), name_of(p, v, v->rival),
          starts, plural(starts));
  if (v->decided == 0) {
    fputs(", as they need the same in every pair; ", out);
  } else {
    fprintf(out, " (%s is ahead in %d of %d pairs, sign test p = %.2g); ", name_of(p, v, 0), v->ahead, v->decided,
            v->p);
    if (v->starts_needed) {
      fprintf(out, "about %d starts would be needed; ", v->starts_needed);
    } else if (2 * v->ahead > v->decided) {
      fprintf(out, "more than %d pairs would be needed; ", STATISTICS_PAIRS_MAX);
    }
  }
  write_row(out, p, v, 0);
  fputs(", ", out);
  write_row(out, p, v, v->rival);
}

static char *text_of(const profiles *p, const verdict *v) {
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (!out) { return text_end(&stream); }
  fprintf(out, "%s (%d problem%s, %d run%s of each optimizer): ", v->class ? v->class : "over all", v->nproblem,
          plural(v->nproblem), v->n, plural(v->n));
  if (v->n == 0) {
    fputs("no verdict: runs are left", out);
  } else if (v->row[0].solved == 0) {
    fputs("no winner: no optimizer found a design without violation", out);
  } else if (v->nrow == 1) {
    write_row(out, p, v, 0);
    fputs("; no other optimizer was compared", out);
  } else if (v->wins) {
    write_winner(out, p, v);
  } else {
    write_no_winner(out, p, v);
  }
  const int max = v->n > 0 ? max_solved(v) : -1;
  if (max > 0 && (v->wins || max != v->rival)) {
    fputs("; most are solved by another one: ", out);
    write_row(out, p, v, max);
  }
  return text_end(&stream);
}

/* ---- all of them ---- */

static mbd_status judge(const profiles *p, const char *class, verdict *v, mbd_error *err) {
  *v = (verdict){.class = class ? mbd_strdup(class) : NULL,
                 .instance = mbd_zeros((size_t)p->ninstance, sizeof *v->instance),
                 .row = mbd_zeros((size_t)p->nbackend, sizeof *v->row)};
  MBD_TRY(MEMORY_WHOLE(err, "the verdict"));
  find_instances(p, v);
  MBD_TRY(find_rows(p, v, err));
  if (v->nrow > 0) { find_rival(p, v); }
  v->text = text_of(p, v);
  return MEMORY_WHOLE(err, "the verdict");
}

/* Is this the first problem of its class? */
static int begins_class(const profiles *p, int problem) {
  for (int i = 0; i < problem; i++) {
    if (strcmp(class_of(p, i), class_of(p, problem)) == 0) { return 0; }
  }
  return *class_of(p, problem) != '\0';
}

mbd_status verdicts_create(const profiles *p, verdicts *v, mbd_error *err) {
  int classes = 0;
  *v = (verdicts){.of = mbd_zeros((size_t)p->nproblem + 1, sizeof *v->of)};
  mbd_status status = MEMORY_WHOLE(err, "the verdict");
  for (int i = 0; i < p->nproblem; i++) { classes += begins_class(p, i); }
  for (int i = 0; i < p->nproblem && status == MBD_OK; i++) {
    if (begins_class(p, i)) { status = judge(p, class_of(p, i), &v->of[v->n++], err); }
  }
  if (classes != 1 && status == MBD_OK) { status = judge(p, NULL, &v->of[v->n++], err); }
  if (status != MBD_OK) { verdicts_free(v); }
  return status;
}

void verdicts_free(verdicts *v) {
  for (int i = 0; i < v->n; i++) {
    verdict *one = &v->of[i];
    free(one->class), free(one->instance), free(one->row), free(one->text);
  }
  free(v->of);
  *v = (verdicts){0};
}
