/* Scalars of model files: named expressions of each other, which the run and the load case may replace. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/way.h"
#include "config/load_model.h"

static const model_key scalars_keys[] = {
    KEY("NAME", "expression", NULL, "",
        "a name of at most 127 letters, digits and '_'; operations (256 at most): + - * / ^, sin cos tan asin acos "
        "atan atan2 sqrt exp log abs min max hypot pow, pi"),
    KEY_END,
};

const model_section model_section_scalars = {"scalars", "Named numbers, for expressions anywhere else in the file.",
                                             .key = scalars_keys};

/* ---- the order of evaluation ---- */

/* The path of scalars from the first one, each of which is used by the one before. If one occurs again, they depend on themselves. */
typedef struct visit {
  enum { NOT_SEEN, ON_PATH, DONE } * mark; /* [nscalar] */
  int *path, *next; /* [nscalar] next: number of the name in each expression that is visited next */
  int depth;
} visit;

static void visit_push(visit *v, int k) {
  v->mark[k] = ON_PATH;
  v->next[v->depth] = 0;
  v->path[v->depth++] = k;
}

/* The position of the expression of a scalar. */
typedef struct expression_place {
  ini_file *f;
  ini_section *s;
  ini_entry *e;
} expression_place;

static expression_place place_of(const loader *l, int k) {
  const scalar_source *source = &l->source[k];
  if (source->e->set && source->e->line != INI_RUN) {
    return (expression_place){&source->of->outer->f, source->of->section, source->e->set};
  }
  return (expression_place){&source->of->f, source->s, source->e};
}

static mbd_status circle(loader *l, const visit *v, int k) {
  const model_scalar *scalar = l->m->scalar;
  const expression_place at = place_of(l, k);
  mbd_way names = {0};
  int i = v->depth - 1;
  while (v->path[i] != k) { i--; }
  for (; i < v->depth; i++) { mbd_way_add(&names, scalar[v->path[i]].name); }
  return ini_fail(at.f, at.s, at.e, l->err, "scalar '%s' depends on itself: %s", scalar[k].name,
                  mbd_way_end(&names, scalar[k].name));
}

/* Visits, depth first, the scalars that a scalar uses, and puts it after them in the order. It is not recursive, since the path may have
 * as many scalars as the model. */
static mbd_status order_scalar(loader *l, int first, visit *v) {
  mbo_model_file *m = l->m;
  if (v->mark[first] == DONE) { return MBD_OK; }
  visit_push(v, first);
  while (v->depth > 0) {
    const int k = v->path[v->depth - 1], at = v->next[v->depth - 1]++;
    const mbo_expr *x = &m->scalar[k].expr;
    if (at < x->nname) {
      const int used = x->index[at];
      if (v->mark[used] == ON_PATH) { return circle(l, v, used); }
      if (v->mark[used] == NOT_SEEN) { visit_push(v, used); }
    } else {
      v->mark[k] = DONE;
      v->depth--;
      m->order[m->nordered++] = k;
    }
  }
  return MBD_OK;
}

/* ---- values of the run and of the load case ---- */

/* Replaces a scalar of the current part by the run's value, if the part has this scalar. */
static mbd_status replace_scalar(const loader *l, ini_section *s, const char *name, const char *expression) {
  const size_t n = strlen(l->p->prefix);
  ini_entry *e = strncmp(name, l->p->prefix, n) == 0 ? ini_get(s, name + n) : NULL;
  if (!e) { return MBD_OK; }
  e->line = INI_RUN;
  return load_replace(l, &e->value, expression);
}

/* Takes the run's [scalars] first, then those of the load case. */
mbd_status load_counts(loader *l) {
  ini_section *s = ini_find(l->f, "scalars", "");
  const mbo_pairs *set[] = {l->scalars, l->of_case ? &l->of_case->scalars : NULL};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; s && set[k] && i < set[k]->name.n; i++) {
      MBD_TRY(replace_scalar(l, s, set[k]->name.v[i], set[k]->text.v[i]));
    }
  }
  return MBD_OK;
}

static mbd_status check_replaced(loader *l, const char *where, const char *name, const char *expression) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  if (name_index_find(&l->scalar_at, name, "") >= 0) { return MBD_OK; }
  for (int k = 0; k < l->m->nscalar; k++) { mbd_nearest_offer(&near, l->m->scalar[k].name); }
  MBD_FAIL(l->err, MBD_BAD_INPUT, "%s%s%s = %s: the model %s has no such scalar%s", l->run, where, name, expression,
           l->m->path, mbd_nearest_text(&near, hint, sizeof hint));
}

/* Returns MBD_BAD_INPUT if the run or the load case replaces a scalar that the model does not have. */
static mbd_status check_all_replaced(loader *l) {
  const mbo_pairs *all = l->scalars, *of_case = l->of_case ? &l->of_case->scalars : NULL;
  char where[200];
  for (int i = 0; i < all->name.n; i++) { MBD_TRY(check_replaced(l, "[scalars] ", all->name.v[i], all->text.v[i])); }
  for (int i = 0; of_case && i < of_case->name.n; i++) {
    snprintf(where, sizeof where, "[case %.150s] scalar.", l->of_case->name);
    MBD_TRY(check_replaced(l, where, of_case->name.v[i], of_case->text.v[i]));
  }
  return MBD_OK;
}

/* ---- reading ---- */

int load_is_word(const char *name) {
  const char *c = name;
  while (isalnum((unsigned char)*c) || *c == '_') { c++; }
  return *c == '\0' && !isdigit((unsigned char)*name);
}

/* Adds a scalar with its expression to the list; the names of the expression belong to the part in which it is written. */
static mbd_status read_scalar(loader *l, ini_section *s, ini_entry *e) {
  mbo_model_file *m = l->m;
  model_part *of = l->p;
  if (!load_is_word(e->key) || strlen(of->prefix) + strlen(e->key) > MBO_NAME_MAX) {
    return load_fail(l, s, e,
                     "the name of a scalar is made of letters, digits and '_', a letter first, at most %d of them%s",
                     MBO_NAME_MAX, of->outer ? " with the names of its parts" : "");
  }
  /* One more scalar in both lists. */
  model_scalar *grown = mbd_list_grow(m->scalar, m->nscalar, sizeof *grown);
  if (grown) { m->scalar = grown; }
  scalar_source *sources = grown ? mbd_list_grow(l->source, m->nscalar, sizeof *sources) : NULL;
  if (!sources) { return load_no_memory(l); }
  l->source = sources;
  /* Where its value is given, and its expression. */
  const int k = m->nscalar++, set = e->set && e->line != INI_RUN;
  const model_part *written = set ? of->outer : of;
  sources[k] = (scalar_source){of, set ? of->outer : e->line == INI_RUN ? l->part[0] : of, s, e, 0};
  grown[k] = (model_scalar){
      .name = mbd_sprintf_dup("%s%s", of->prefix, e->key), .file = written->file, .line = set ? e->set->line : e->line};
  e->used = 1;
  if (!grown[k].name || !name_index_add(&l->scalar_at, grown[k].name, "", k)) { return load_no_memory(l); }
  const expression_place at = place_of(l, k);
  const mbd_status status = mbo_expr_parse(at.e->value, &grown[k].expr, l->err);
  return ini_locate_expression(at.f, at.s, at.e, at.e->value, status, l->err);
}

static mbd_status order_scalars(loader *l) {
  const size_t n = (size_t)l->m->nscalar + 1;
  visit v = {.mark = calloc(n, sizeof *v.mark), .path = calloc(n, sizeof *v.path), .next = calloc(n, sizeof *v.next)};
  mbd_status status = v.mark && v.path && v.next ? MBD_OK : load_no_memory(l);
  for (int i = 0; i < l->m->nscalar && status == MBD_OK; i++) { status = order_scalar(l, i, &v); }
  free(v.mark), free(v.path), free(v.next);
  return status;
}

mbd_status load_scalars(loader *l) {
  mbo_model_file *m = l->m;
  /* The scalars of all parts. */
  for (int i = 0; i < l->npart; i++) {
    load_enter(l, l->part[i]);
    ini_section *s = ini_find(l->f, "scalars", "");
    for (int k = 0; s && k < s->n; k++) { MBD_TRY(read_scalar(l, s, &s->entry[k])); }
  }
  MBD_TRY(check_all_replaced(l));
  MBD_TRY(load_uncertain(l));
  const size_t n = (size_t)m->nscalar + 1;
  m->value = calloc(n, sizeof *m->value);
  m->order = calloc(n, sizeof *m->order);
  if (!m->value || !m->order) { return load_no_memory(l); }
  /* Names are resolved in the part in which the expression is written. */
  for (int k = 0; k < m->nscalar; k++) {
    const expression_place at = place_of(l, k);
    l->p = l->source[k].scope, l->f = at.f;
    MBD_TRY(load_resolve(l, at.s, at.e, &m->scalar[k].expr));
  }
  load_enter(l, l->part[0]);
  /* Each is evaluated after those that it uses. */
  MBD_TRY(order_scalars(l));
  for (int i = 0; i < m->nordered; i++) {
    const int k = m->order[i];
    const mbo_expr *x = &m->scalar[k].expr;
    if (mbo_expr_eval(x, m->value, &m->value[k], NULL, l->err) == MBD_OK) { continue; }
    const expression_place at = place_of(l, k);
    return ini_locate_expression(at.f, at.s, at.e, x->text, MBD_BAD_INPUT, l->err);
  }
  return MBD_OK;
}

mbd_status load_fix_scalar(loader *l, int k, const char *why) {
  model_scalar *scalar = &l->m->scalar[k];
  l->source[k].used = 1;
  if (!scalar->fixed) { scalar->fixed = mbd_strdup(why); }
  return scalar->fixed ? MBD_OK : load_no_memory(l);
}

mbd_status load_fixed_number(loader *l, const ini_section *s, const ini_entry *e, const char *text, double *value) {
  mbo_expr x;
  char why[300];
  MBD_TRY(load_parse(l, s, e, text, &x));
  mbd_status status = load_resolve(l, s, e, &x);
  if (status == MBD_OK) { status = load_evaluate(l, s, e, &x, value); }
  snprintf(why, sizeof why, "determines the points of curve '%.200s'", l->name);
  for (int i = 0; i < x.nname && status == MBD_OK; i++) { status = load_fix_scalar(l, x.index[i], why); }
  mbo_expr_free(&x);
  return status;
}

/* Goes backwards from the last scalar, since those that a scalar uses are before it in the order. */
mbd_status load_spread_fixed(loader *l) {
  const mbo_model_file *m = l->m;
  for (int i = m->nordered - 1; i >= 0; i--) {
    const model_scalar *scalar = &m->scalar[m->order[i]];
    for (int k = 0; scalar->fixed && k < scalar->expr.nname; k++) {
      MBD_TRY(load_fix_scalar(l, scalar->expr.index[k], scalar->fixed));
    }
  }
  return MBD_OK;
}
