/* Scalars of model files: named expressions of each other, which the run and the load case may replace. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
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

/* Scalars being visited, each used by the one before: where one comes up again, they go round in a circle. */
typedef struct visit {
  enum { NOT_SEEN, ON_PATH, DONE } * mark; /* [nscalar] */
  int *path, *next;                        /* [nscalar] next: which name of each comes next */
  int depth;
} visit;

static int visit_create(visit *v, int nscalar) {
  const size_t n = (size_t)nscalar + 1;
  *v = (visit){
      .mark = calloc(n, sizeof *v->mark), .path = calloc(n, sizeof *v->path), .next = calloc(n, sizeof *v->next)};
  return v->mark && v->path && v->next;
}

static void visit_free(visit *v) {
  free(v->mark), free(v->path), free(v->next);
}

static void visit_push(visit *v, int k) {
  v->mark[k] = ON_PATH;
  v->next[v->depth] = 0;
  v->path[v->depth++] = k;
}

/* "a -> b -> c -> a"; of a long way, its beginning. */
static mbd_status circle(loader *l, const visit *v, int k) {
  const mbo_model_file *m = l->m;
  ini_section *s = ini_find(&l->f, "scalars", "");
  char text[400] = "";
  size_t n = 0;
  int i = v->depth - 1;
  while (v->path[i] != k) { i--; }
  for (; i < v->depth && n < sizeof text / 2; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "%.100s -> ", m->scalar[v->path[i]].name);
  }
  return ini_fail(&l->f, s, &s->entry[k], l->err, "scalar '%s' depends on itself: %s%s%s", m->scalar[k].name, text,
                  i < v->depth ? "... -> " : "", m->scalar[k].name);
}

/* Depth first through what a scalar uses: puts it after them. The way there may be as long as there are scalars. */
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

/* The run's value takes the place of the model's. */
static mbd_status replace_scalar(loader *l, ini_section *s, const char *where, const char *name,
                                 const char *expression) {
  ini_entry *e = ini_get(s, name);
  char hint[96], *copy = mbd_strdup(expression);
  mbd_nearest near = {.wanted = name};
  if (!copy) { return load_no_memory(l); }
  if (e) {
    free(e->value);
    e->value = copy;
    e->line = INI_RUN;
    return MBD_OK;
  }
  free(copy);
  for (int k = 0; s && k < s->n; k++) { mbd_nearest_offer(&near, s->entry[k].key); }
  MBD_FAIL(l->err, MBD_BAD_INPUT, "%s%s%s = %s: the model %s has no such scalar%s", l->run, where, name, expression,
           l->f.path, mbd_nearest_text(&near, hint, sizeof hint));
}

mbd_status load_counts(loader *l) {
  ini_section *s = ini_find(&l->f, "scalars", "");
  const mbo_pairs *set[] = {l->scalars, l->own ? &l->own->scalars : NULL};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; set[k] && i < set[k]->name.n; i++) {
      const char *name = set[k]->name.v[i];
      if (ini_get(s, name)) { MBD_TRY(replace_scalar(l, s, "", name, set[k]->text.v[i])); }
    }
  }
  return MBD_OK;
}

/* ---- reading ---- */

static int is_scalar_name(const char *name) {
  const char *c = name;
  while (isalnum((unsigned char)*c) || *c == '_') { c++; }
  return *c == '\0' && !isdigit((unsigned char)*name) && c - name <= MBO_NAME_MOST;
}

static mbd_status read_scalar(loader *l, const ini_section *s, ini_entry *e) {
  mbo_model_file *m = l->m;
  if (!is_scalar_name(e->key)) {
    return ini_fail(&l->f, s, e, l->err,
                    "the name of a scalar is made of letters, digits and '_', a letter first, at most %d of them",
                    MBO_NAME_MOST);
  }
  model_scalar *grown = mbd_list_grow(m->scalar, m->nscalar, sizeof *grown);
  if (!grown) { return load_no_memory(l); }
  m->scalar = grown;
  grown[m->nscalar] = (model_scalar){.name = mbd_strdup(e->key), .line = e->line};
  e->used = 1;
  const int k = m->nscalar++;
  if (!grown[k].name || !name_index_add(&l->scalar_at, grown[k].name, "", k)) { return load_no_memory(l); }
  return load_parse(l, s, e, e->value, &grown[k].expr);
}

/* The run's [scalars], then those of the load case. */
static mbd_status replace_scalars(loader *l, ini_section *s) {
  const mbo_pairs *all = l->scalars, *own = l->own ? &l->own->scalars : NULL;
  char where[200];
  for (int i = 0; i < all->name.n; i++) { MBD_TRY(replace_scalar(l, s, "[scalars] ", all->name.v[i], all->text.v[i])); }
  for (int i = 0; own && i < own->name.n; i++) {
    snprintf(where, sizeof where, "[case %.150s] scalar.", l->own->name);
    MBD_TRY(replace_scalar(l, s, where, own->name.v[i], own->text.v[i]));
  }
  return MBD_OK;
}

static mbd_status order_scalars(loader *l) {
  visit v;
  mbd_status status = visit_create(&v, l->m->nscalar) ? MBD_OK : load_no_memory(l);
  for (int i = 0; i < l->m->nscalar && status == MBD_OK; i++) { status = order_scalar(l, i, &v); }
  visit_free(&v);
  return status;
}

mbd_status load_scalars(loader *l) {
  mbo_model_file *m = l->m;
  ini_section *s = ini_find(&l->f, "scalars", "");
  MBD_TRY(replace_scalars(l, s));
  for (int i = 0; s && i < s->n; i++) { MBD_TRY(read_scalar(l, s, &s->entry[i])); } /* scalar i is entry i */
  const size_t n = (size_t)m->nscalar + 1;
  m->value = calloc(n, sizeof *m->value);
  m->order = calloc(n, sizeof *m->order);
  if (!m->value || !m->order) { return load_no_memory(l); }
  for (int i = 0; i < m->nscalar; i++) { MBD_TRY(load_resolve(l, s, &s->entry[i], &m->scalar[i].expr)); }
  MBD_TRY(order_scalars(l));
  for (int i = 0; i < m->nordered; i++) {
    const int k = m->order[i];
    MBD_TRY(load_evaluate(l, s, &s->entry[k], &m->scalar[k].expr, &m->value[k]));
  }
  return MBD_OK;
}

mbd_status load_fix_scalar(loader *l, int k, const char *why) {
  model_scalar *q = &l->m->scalar[k];
  if (!q->fixed) { q->fixed = mbd_strdup(why); }
  return q->fixed ? MBD_OK : load_no_memory(l);
}

/* Those that a scalar uses stand before it in the order. */
mbd_status load_spread_fixed(loader *l) {
  const mbo_model_file *m = l->m;
  for (int i = m->nordered - 1; i >= 0; i--) {
    const model_scalar *q = &m->scalar[m->order[i]];
    for (int k = 0; q->fixed && k < q->expr.nname; k++) { MBD_TRY(load_fix_scalar(l, q->expr.index[k], q->fixed)); }
  }
  return MBD_OK;
}
