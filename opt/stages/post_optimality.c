#include "stages/post_optimality.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/optimality.h"
#include "config/model_file.h"
#include "files/memory.h"
#include "base/memory.h"
#include "mechanism/units.h"

/* ---- which numbers of the model vary beside the design variables ---- */

/* Marks the scalars whose names are words of a text of the run file: numbers there are computed once, so that derivatives by them would lack what the
 * text does. */
static void mark_words(const mbo_model_file *f, const char *text, unsigned char *read) {
  for (const char *at = text; *at;) {
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || (n > 0 && at[n] == '.') || at[n] == '_') { n++; }
    for (int k = 0; n > 0 && k < f->nscalar; k++) {
      read[k] |= strlen(f->scalar[k].name) == n && strncmp(f->scalar[k].name, at, n) == 0;
    }
    at += n > 0 ? n : 1;
  }
}

/* Marks [nscalar] what no derivative is taken by: what varies already or cannot, what a case sets, and what the run file reads, also by other
 * scalars. */
static void mark_excluded(const mechanism *m, const mbo_model_file *f, unsigned char *out) {
  const mbo_run_config *c = m->config;
  for (int i = 0; i < c->expressions.n; i++) { mark_words(f, c->expressions.v[i].text, out); }
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    const mbo_objective_config *o = i < m->nobjective ? &c->objective[i] : &c->constraint[i - m->nobjective];
    mark_words(f, o->from, out), mark_words(f, o->until, out), mark_words(f, o->at, out);
  }
  for (int i = f->nordered - 1; i >= 0; i--) { /* a scalar comes before what it uses */
    const int k = f->order[i];
    for (int p = 0; out[k] && p < f->scalar[k].expr.nname; p++) { out[f->scalar[k].expr.index[p]] = 1; }
  }
  for (int i = 0; i < c->ncase; i++) {
    for (int k = 0; k < c->cases[i].scalars.name.n; k++) { mark_words(f, c->cases[i].scalars.name.v[k], out); }
  }
  for (int k = 0; k < f->nscalar; k++) {
    out[k] |= f->scalar[k].fixed || f->scalar[k].design || f->scalar[k].expr.nname > 0;
  }
}

/* The run file with a design variable more for each fixed number; everything but the list of variables is that of the mechanism. */
static mbd_status widen(const mechanism *m, mbo_run_config *wide, mbd_error *err) {
  static char none[] = "";
  const mbo_model_file *f = m->variant[0].file;
  const mbo_run_config *c = m->config;
  *wide = *c;
  wide->design = calloc((size_t)c->ndesign + (size_t)f->nscalar + 1, sizeof *wide->design);
  unsigned char *excluded = calloc((size_t)f->nscalar + 1, 1);
  if (wide->design && excluded) {
    memcpy(wide->design, c->design, (size_t)c->ndesign * sizeof *c->design);
    mark_excluded(m, f, excluded);
    for (int k = 0; k < f->nscalar; k++) {
      if (excluded[k]) { continue; }
      wide->design[wide->ndesign++] = (mbo_design_config){.name = f->scalar[k].name,
                                                          .scalar = f->scalar[k].name,
                                                          .curve = none,
                                                          .first = 1,
                                                          .start = f->value[k],
                                                          .lower = -INFINITY,
                                                          .upper = INFINITY,
                                                          .scale = 1};
    }
  }
  free(excluded);
  MEMORY_TRY(wide->design && excluded, err, "the numbers of the model");
  return MBD_OK;
}

/* ---- conditions of the optimum ---- */

/* A constraint is at a limit where what is left is nothing beside its size, or its change over a scale of the variables. */
static int is_at(const conditions *kkt, int k, double limit) {
  static const double near = 1e-5;
  double size = fabs(limit);
  for (int i = 0; i < kkt->p->n; i++) { size = fmax(size, fabs(kkt->own_jac[k * kkt->p->n + i]) * kkt->p->scale[i]); }
  return fabs(kkt->c[k] - limit) <= near * size;
}

/* Takes the multipliers of constraints at no limit, which are those of a rest, to 0; then r. */
static void find_slopes(conditions *kkt) {
  const mbo_problem *p = kkt->p;
  for (int k = 0; k < p->nc; k++) {
    if (!is_at(kkt, k, kkt->lambda[k] > 0 ? p->c_upper[k] : p->c_lower[k])) { kkt->lambda[k] = 0; }
  }
  for (int i = 0; i < kkt->n; i++) {
    kkt->r[i] = kkt->g[i];
    for (int k = 0; k < p->nc; k++) { kkt->r[i] += kkt->lambda[k] * kkt->jac[k * kkt->n + i]; }
  }
}

/* Which bound holds variable i? */
static int find_held(const conditions *kkt, const design *d, int i) {
  const char *bound = design_at_bound(d, i, kkt->x[i]);
  if (!bound || kkt->r[i] == 0) { return 0; }
  const int at_lower = kkt->x[i] - d->lower[i] <= d->upper[i] - kkt->x[i];
  return at_lower && kkt->r[i] > 0 ? -1 : !at_lower && kkt->r[i] < 0 ? 1 : 0;
}

/* Are the gradients of the constraints that hold the design dependent, in the variables that no bound holds? By Gram and Schmidt on rows of length 1,
 * in rows [nc][p->n] of scratch. */
static int are_dependent(const conditions *kkt, double *rows) {
  static const double part_left = 1e-7;
  const int n = kkt->p->n;
  int m = 0;
  for (int k = 0; k < kkt->p->nc; k++) {
    if (kkt->lambda[k] == 0) { continue; }
    double *row = rows + (size_t)m++ * (size_t)n, before = 0, after = 0;
    for (int i = 0; i < n; i++) {
      row[i] = kkt->held[i] ? 0 : kkt->own_jac[k * n + i] * kkt->p->scale[i];
      before += row[i] * row[i];
    }
    for (int pass = 0; pass < 2; pass++) { /* twice, so that rounding leaves no part of the others */
      for (const double *other = rows; other < row; other += n) {
        double part = 0;
        for (int i = 0; i < n; i++) { part += other[i] * row[i]; }
        for (int i = 0; i < n; i++) { row[i] -= part * other[i]; }
      }
    }
    for (int i = 0; i < n; i++) { after += row[i] * row[i]; }
    if (!(sqrt(after) > part_left * sqrt(before))) { return 1; }
    for (int i = 0; i < n; i++) { row[i] /= sqrt(after); }
  }
  return 0;
}

/* ---- prices ---- */

static void add(post_optimality *out, const conditions *kkt, price_of of, int index, const char *name, double at,
                double slope) {
  const double percent = at != 0 && kkt->f != 0 ? fabs(at) * slope / fabs(kkt->f) : NAN;
  out->price[out->n++] = (price){.of = of, .index = index, .name = name, .at = at, .slope = slope, .percent = percent};
}

static void add_all(post_optimality *out, const conditions *kkt, const mechanism *wide) {
  static const double rounding = 1e-11; /* influence of a number that has none but that of rounding */
  const mbo_problem *p = kkt->p;
  for (int k = 0; k < p->nc; k++) {
    const double slope = -kkt->lambda[k];
    if (slope == 0) { continue; }
    const int equation = p->c_lower[k] == p->c_upper[k];
    add(out, kkt,
        equation    ? PRICE_EQUATION
        : slope < 0 ? PRICE_UPPER_LIMIT
                    : PRICE_LOWER_LIMIT,
        k, p->c_names[k], slope < 0 ? p->c_upper[k] : p->c_lower[k], slope);
  }
  for (int i = 0; i < p->n; i++) {
    const int bound = kkt->held[i];
    if (!bound) { continue; }
    add(out, kkt, bound < 0 ? PRICE_LOWER_BOUND : PRICE_UPPER_BOUND, i, p->names[i],
        bound < 0 ? p->lower[i] : p->upper[i], kkt->r[i]);
  }
  for (int i = p->n; i < kkt->n; i++) {
    if (kkt->r[i] != 0 && (kkt->x[i] == 0 || fabs(kkt->x[i] * kkt->r[i]) > rounding * fabs(kkt->f))) {
      add(out, kkt, PRICE_NUMBER, i, wide->config->design[wide->design.section[i]].name, kkt->x[i], kkt->r[i]);
    }
  }
}

/* What holds the design before numbers, and of each the largest influence first. */
static int by_influence(const void *first, const void *second) {
  const price *a = first, *b = second;
  const int numbers = (a->of == PRICE_NUMBER) - (b->of == PRICE_NUMBER);
  const double x = isnan(a->percent) ? 0 : fabs(a->percent), y = isnan(b->percent) ? 0 : fabs(b->percent);
  return numbers ? numbers : (x < y) - (x > y);
}

/* What changes first of every price. Where that is not determined, out->why says so, and there are prices alone. */
static mbd_status find_first_changes(mechanism *wide, const conditions *kkt, post_optimality *out, mbd_error *err) {
  const size_t n = (size_t)out->n;
  mbd_error own = {0};
  moving_number *number = calloc(n + 1, sizeof *number);
  first_change *first = calloc(2 * n + 1, sizeof *first);
  mbd_status status = number && first ? MBD_OK : MEMORY_NONE(err, "what changes first");
  for (int i = 0; i < out->n && status == MBD_OK; i++) {
    const price *p = &out->price[i];
    number[i] = (moving_number){p->of, p->index, p->at};
  }
  if (status == MBD_OK) { status = first_changes(wide, kkt, out->n, number, first, &own); }
  for (int i = 0; i < out->n && status == MBD_OK; i++) {
    out->price[i].below = first[2 * i], out->price[i].above = first[2 * i + 1];
  }
  out->changes = status == MBD_OK;
  free(number), free(first);
  if (status == MBD_OK || status == MBD_NO_MEMORY || status == MBD_INTERRUPTED) {
    if (status != MBD_OK && err && own.text[0]) { *err = own; }
    return status;
  }
  snprintf(out->why, sizeof out->why, "%.*s", (int)sizeof out->why - 1, own.text);
  return MBD_OK;
}

/* No prices where the conditions leave more than a thousandth of the objective: derivatives by numbers would be off by as much as the design is, and a
 * model file that has changed since the start would go unnoticed. */
static mbd_status evaluate(const mechanism *m, mechanism *wide, const double *x, double tol, int changes,
                           post_optimality *out, mbd_error *err) {
  static const double rest = 1e-3;
  mbo_problem own, all;
  conditions at = {.x = x, .p = &own}, *kkt = &at;
  mechanism_problem((mechanism *)m, &own); /* its arrays alone are read */
  mechanism_problem(wide, &all);
  const size_t n = (size_t)all.n, nc = (size_t)own.nc, own_n = (size_t)own.n;
  double *block = calloc(2 * n + (2 + n + 2 * own_n) * nc + 1, sizeof *block), left;
  out->price = calloc(n + nc + 1, sizeof *out->price);
  kkt->held = calloc(own_n + 1, sizeof *kkt->held);
  mbd_status status = block && out->price && kkt->held ? MBD_OK : MEMORY_NONE(err, "what the optimum costs");
  if (status == MBD_OK) {
    kkt->n = all.n;
    kkt->g = block, kkt->r = kkt->g + n, kkt->c = kkt->r + n, kkt->lambda = kkt->c + nc, kkt->jac = kkt->lambda + nc;
    kkt->own_jac = kkt->jac + nc * n;
    mbo_eval e = {.g = kkt->g, .c = kkt->c, .jac = kkt->jac};
    status = all.eval(all.user, x, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &e, err);
    kkt->f = e.f;
  }
  for (size_t k = 0; k < nc && status == MBD_OK; k++) {
    memcpy(kkt->own_jac + k * own_n, kkt->jac + k * n, own_n * sizeof *kkt->own_jac);
  }
  if (status == MBD_OK) { status = optimality(&own, x, kkt->g, kkt->c, kkt->own_jac, tol, &left, kkt->lambda, err); }
  if (status == MBD_OK && left <= rest * fabs(kkt->f)) {
    out->is = 1;
    find_slopes(kkt);
    for (int i = 0; i < own.n; i++) { kkt->held[i] = find_held(kkt, &m->design, i); }
    add_all(out, kkt, wide);
    out->several = are_dependent(kkt, kkt->own_jac + nc * own_n);
    qsort(out->price, (size_t)out->n, sizeof *out->price, by_influence);
    status = changes ? find_first_changes(wide, kkt, out, err) : MBD_OK;
  }
  free(block), free(kkt->held);
  return status;
}

mbd_status post_optimality_create(const mechanism *m, const double *x, const stage *at, double tol_constraint,
                                  int changes, post_optimality *out, mbd_error *err) {
  mbo_run_config config;
  mechanism *wide = NULL;
  *out = (post_optimality){0};
  if (gradient_method_find(m->config->gradient.method) == GRADIENT_NONE) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "what the optimum costs needs gradients");
  }
  MBD_TRY(widen(m, &config, err));
  mbd_status status = mechanism_create(&config, &wide, err);
  double *all = status == MBD_OK ? calloc((size_t)wide->n + 1, sizeof *all) : NULL;
  if (status == MBD_OK && !all) { status = MEMORY_NONE(err, "what the optimum costs"); }
  if (status == MBD_OK) {
    wide->threads = m->threads, wide->stop = m->stop;
    memcpy(all, wide->start, (size_t)wide->n * sizeof *all);
    memcpy(all, x, (size_t)m->n * sizeof *all);
    if (at) { status = stages_take(wide, at, err); }
  }
  if (status == MBD_OK) { status = evaluate(m, wide, all, tol_constraint, changes, out, err); }
  if (status != MBD_OK) { post_optimality_free(out); }
  free(all);
  mechanism_destroy(wide);
  free(config.design);
  return status;
}

const char *price_side(price_of of) {
  switch (of) {
    case PRICE_LOWER_LIMIT:
    case PRICE_LOWER_BOUND: return "lower";
    case PRICE_UPPER_LIMIT:
    case PRICE_UPPER_BOUND: return "upper";
    default: return NULL;
  }
}

const char *price_kind(price_of of) {
  switch (of) {
    case PRICE_NUMBER: return "number";
    case PRICE_LOWER_BOUND:
    case PRICE_UPPER_BOUND: return "variable";
    default: return "constraint";
  }
}

char *price_unit(const mechanism *m, const price *p) {
  if (p->of == PRICE_NUMBER) { return mbd_strdup(unit_of_scalar(m, p->name)); }
  if (strcmp(price_kind(p->of), "variable") == 0) { return mbd_strdup(unit_of_variable(m, p->index)); }
  return unit_of_named(m, p->name);
}

void post_optimality_free(post_optimality *p) {
  free(p->price);
  *p = (post_optimality){0};
}
