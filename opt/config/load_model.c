/* Model files: from sections to a description of the mechanism, and expressions of its coefficients. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/ini.h"
#include "config/model_file.h"
#include "config/options.h"
#include "config/repeat.h"
#include "files/text_file.h"
#include "config/tir.h"
#include "base/memory.h"
#include "base/nearest.h"

/* ---- coefficients and scalars ---- */

typedef struct loader {
  mbo_model_file *m;
  ini_file f;
  const mbo_pairs *scalars;   /* of the run: they take the place of the model's */
  const mbo_case_config *own; /* the load case, with scalars and curves of its own; may be NULL */
  const char *run;            /* how messages about the run file begin: its path */
  name_index scalar_at;       /* where each scalar of m is */
  mbd_error *err;
} loader;

static mbd_status no_memory(const loader *l) {
  MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for %s", l->f.path);
}

/* The n parts of a list, in new memory. */
static mbd_status list_of(const loader *l, const char *text, char ***part, int *n) {
  *n = ini_list(text, part);
  if (*n >= 0) { return MBD_OK; }
  *n = 0;
  return no_memory(l);
}

static mbd_status parse_at(loader *l, const ini_section *s, const ini_entry *e, const char *text, mbo_expr *x) {
  mbd_status status = mbo_expr_parse(text, x, l->err);
  return status == MBD_OK ? MBD_OK : ini_locate(&l->f, s, e, status, l->err);
}

static mbd_status resolve_at(loader *l, const ini_section *s, const ini_entry *e, mbo_expr *x) {
  mbo_model_file *m = l->m;
  for (int i = 0; i < x->nname; i++) {
    char hint[96];
    mbd_nearest near = {.wanted = x->name[i]};
    x->index[i] = name_index_find(&l->scalar_at, x->name[i], "");
    if (x->index[i] >= 0) { continue; }
    for (int k = 0; k < m->nscalar; k++) { mbd_nearest_offer(&near, m->scalar[k].name); }
    mbd_nearest_text(&near, hint, sizeof hint);
    return ini_fail(&l->f, s, e, l->err, "scalar '%s' is not known%s", x->name[i], hint);
  }
  return MBD_OK;
}

/* ">= 0", "<= 0", "between 0 and 1" */
static const char *range_text(double min, double max, char text[64]) {
  if (max >= 1e300) {
    snprintf(text, 64, ">= %g", min);
  } else if (min <= -1e300) {
    snprintf(text, 64, "<= %g", max);
  } else {
    snprintf(text, 64, "between %g and %g", min, max);
  }
  return text;
}

/* One number: a coefficient called `name` with the expression x, which is taken over, of value in [min, max]. *index: its
 * place. */
static mbd_status add_coefficient(loader *l, const ini_section *s, const ini_entry *e, const char *name, mbo_expr *x,
                                  double min, double max, int *index) {
  mbo_model_file *m = l->m;
  mbo_expr *grown = mbd_list_grow(m->coef, m->ncoef, sizeof *grown);
  double value;
  char range[64];
  if (grown) { m->coef = grown; }
  int *lines = grown ? mbd_list_grow(m->line, m->ncoef, sizeof *lines) : NULL;
  if (!lines) {
    mbo_expr_free(x);
    MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for %s", l->f.path);
  }
  m->line = lines;
  lines[m->ncoef] = e ? e->line : 0;
  grown[m->ncoef] = *x;
  x = &grown[m->ncoef++];
  MBD_TRY(resolve_at(l, s, e, x));
  mbd_status status = mbo_expr_eval(x, m->value, &value, NULL, l->err);
  if (status != MBD_OK) { return ini_locate(&l->f, s, e, MBD_BAD_INPUT, l->err); }
  if (value < min || value > max || !isfinite(value)) {
    return ini_fail(&l->f, s, e, l->err, "the value is %g, expected %s", value, range_text(min, max, range));
  }
  *index = mbd_spec_coef(m->spec, name, value);
  if (*index < 0) { MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for %s", l->f.path); }
  return MBD_OK;
}

static mbd_status coefficient(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *text,
                              double min, double max, int *index) {
  mbo_expr x;
  MBD_TRY(parse_at(l, s, e, text, &x));
  return add_coefficient(l, s, e, name, &x, min, max, index);
}

/* n numbers separated by commas, called base.x base.y ...; accepts between least and n of them, the rest zero. */
static mbd_status coefficients(loader *l, const ini_section *s, const ini_entry *e, const char *base,
                               const char *const *suffix, int least, int n, const char *text, double min, double max,
                               int *first) {
  char **part, name[300];
  int k;
  mbd_status status = MBD_OK;
  MBD_TRY(list_of(l, text, &part, &k));
  if (k < least || k > n) {
    status = least == n
                 ? ini_fail(&l->f, s, e, l->err, "%d values, expected %d separated by commas", k, n)
                 : ini_fail(&l->f, s, e, l->err, "%d values, expected %d or %d separated by commas", k, least, n);
  }
  for (int i = 0; i < n && status == MBD_OK; i++) {
    int index = -1;
    if (suffix) {
      snprintf(name, sizeof name, "%s.%s", base, suffix[i]);
    } else {
      snprintf(name, sizeof name, "%s.%d", base, i + 1);
    }
    status = coefficient(l, s, e, name, i < k ? part[i] : "0", min, max, &index);
    if (i == 0) { *first = index; }
  }
  ini_free_list(part, k);
  return status;
}

static const char *const xyz[] = {"x", "y", "z"};
#define ANY -1e300, 1e300

static int find_scalar(const mbo_model_file *m, const char *name) {
  for (int i = 0; i < m->nscalar; i++) {
    if (strcmp(m->scalar[i].name, name) == 0) { return i; }
  }
  return -1;
}

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

/* The run's value takes the place of the model's. */
static mbd_status replace_scalar(loader *l, ini_section *s, const char *where, const char *name,
                                 const char *expression) {
  ini_entry *e = ini_get(s, name);
  char hint[96], *copy = mbd_strdup(expression);
  mbd_nearest near = {.wanted = name};
  if (!copy) { MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for %s", l->f.path); }
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

/* The same where there is such a scalar before repetitions: it may count them. */
static mbd_status replace_counts(loader *l) {
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
  if (!grown) { MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for %s", l->f.path); }
  m->scalar = grown;
  grown[m->nscalar] = (model_scalar){.name = mbd_strdup(e->key), .line = e->line};
  e->used = 1;
  const int k = m->nscalar++;
  if (!grown[k].name || !name_index_add(&l->scalar_at, grown[k].name, "", k)) {
    MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for %s", l->f.path);
  }
  return parse_at(l, s, e, e->value, &grown[k].expr);
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

static mbd_status read_scalars(loader *l) {
  mbo_model_file *m = l->m;
  ini_section *s = ini_find(&l->f, "scalars", "");
  mbd_status status = MBD_OK;
  MBD_TRY(replace_scalars(l, s));
  for (int i = 0; s && i < s->n; i++) { MBD_TRY(read_scalar(l, s, &s->entry[i])); } /* scalar i is entry i */
  size_t n = (size_t)m->nscalar + 1;
  m->value = calloc(n, sizeof *m->value);
  m->order = calloc(n, sizeof *m->order);
  visit v;
  if (!visit_create(&v, m->nscalar) || !m->value || !m->order) {
    visit_free(&v);
    MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for %s", l->f.path);
  }
  for (int i = 0; i < m->nscalar && status == MBD_OK; i++) {
    status = resolve_at(l, s, &s->entry[i], &m->scalar[i].expr);
  }
  for (int i = 0; i < m->nscalar && status == MBD_OK; i++) { status = order_scalar(l, i, &v); }
  visit_free(&v);
  for (int i = 0; i < m->nordered && status == MBD_OK; i++) {
    int k = m->order[i];
    status = mbo_expr_eval(&m->scalar[k].expr, m->value, &m->value[k], NULL, l->err);
    if (status != MBD_OK) { status = ini_locate(&l->f, s, &s->entry[k], MBD_BAD_INPUT, l->err); }
  }
  return status;
}

/* A scalar cannot vary; why: what it does, as "numbers what is repeated". Those that it uses follow in the end. */
static mbd_status fix_scalar(loader *l, int k, const char *why) {
  model_scalar *q = &l->m->scalar[k];
  if (!q->fixed) { q->fixed = mbd_strdup(why); }
  return q->fixed ? MBD_OK : no_memory(l);
}

/* From each fixed scalar to those that it uses, which stand before it in the order. */
static mbd_status spread_fixed(loader *l) {
  const mbo_model_file *m = l->m;
  for (int i = m->nordered - 1; i >= 0; i--) {
    const model_scalar *q = &m->scalar[m->order[i]];
    for (int k = 0; q->fixed && k < q->expr.nname; k++) { MBD_TRY(fix_scalar(l, q->expr.index[k], q->fixed)); }
  }
  return MBD_OK;
}

static mbd_status fix_counts(loader *l, const mbo_names *counts) {
  for (int i = 0; i < counts->n; i++) {
    MBD_TRY(fix_scalar(l, name_index_find(&l->scalar_at, counts->v[i], ""), "numbers what is repeated or named"));
  }
  return MBD_OK;
}

/* ---- keys ---- */

static mbd_status missing(loader *l, const ini_section *s, const char *const *known, const char *key,
                          const char *what) {
  return options_missing_key(&l->f, s, known, key, what, l->err);
}

static mbd_status required(loader *l, ini_section *s, const char *const *known, const char *key, const char *what,
                           ini_entry **e) {
  *e = ini_get(s, key);
  return *e ? MBD_OK : missing(l, s, known, key, what);
}

static const char *value_or(ini_section *s, const char *key, const char *dflt) {
  const ini_entry *e = ini_get(s, key);
  return e ? e->value : dflt;
}

static mbd_status choice(loader *l, ini_section *s, const char *key, const char *const *choices, int *which) {
  ini_entry *e = ini_get(s, key);
  char all[128] = "", hint[96];
  if (!e) {
    *which = 0;
    return MBD_OK;
  }
  mbd_nearest near = {.wanted = e->value};
  for (int i = 0; choices[i]; i++) {
    size_t n = strlen(all);
    *which = i;
    if (strcmp(e->value, choices[i]) == 0) { return MBD_OK; }
    snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", choices[i]);
    mbd_nearest_offer(&near, choices[i]);
  }
  mbd_nearest_text(&near, hint, sizeof hint);
  return ini_fail(&l->f, s, e, l->err, "expected one of %s%s", all, hint);
}

/* A status from the description's functions, located. */
static mbd_status located(loader *l, const ini_section *s, const ini_entry *e, mbd_status status) {
  return status == MBD_OK ? MBD_OK : ini_locate(&l->f, s, e, status, l->err);
}

/* ---- sections ---- */

static mbd_status read_model(loader *l, ini_section *s) {
  static const char *const frames[] = {"global", "body", NULL}, *const joints[] = {"found", "named", NULL};
  static const char *const known[] = {"name", "title", "frame", "gravity", "joints", NULL};
  int which, g;
  MBD_TRY(choice(l, s, "frame", frames, &which));
  l->m->own_frames = which;
  MBD_TRY(choice(l, s, "joints", joints, &which));
  mbd_spec_find_joints(l->m->spec, which == 0);
  l->m->title = mbd_strdup(value_or(s, "title", value_or(s, "name", l->f.path)));
  if (!l->m->title) { return no_memory(l); }
  ini_get(s, "name");
  const ini_entry *e = ini_get(s, "gravity");
  MBD_TRY(coefficients(l, s, e, "gravity", xyz, 3, 3, e ? e->value : "0, 0, -9.81", ANY, &g));
  mbd_spec_gravity(l->m->spec, g);
  return s ? options_unknown_key(&l->f, s, known, l->err) : MBD_OK;
}

static mbd_status read_body(loader *l, ini_section *s) {
  static const char *const known[] = {"mass", "com", "inertia", NULL};
  static const char *const tensor[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  char name[256];
  int mass, com, inertia;
  ini_entry *e;
  MBD_TRY(required(l, s, known, "mass", "mass of the body [kg]", &e));
  snprintf(name, sizeof name, "body.%s.mass", s->name);
  MBD_TRY(coefficient(l, s, e, name, e->value, 0, 1e300, &mass));
  MBD_TRY(required(l, s, known, "com", "centre of mass, x, y, z [m]", &e));
  snprintf(name, sizeof name, "body.%s.com", s->name);
  MBD_TRY(coefficients(l, s, e, name, xyz, 3, 3, e->value, ANY, &com));
  MBD_TRY(
      required(l, s, known, "inertia", "Ixx, Iyy, Izz or also Ixy, Ixz, Iyz about the centre of mass [kg m^2]", &e));
  snprintf(name, sizeof name, "body.%s.inertia", s->name);
  char **part;
  int n;
  MBD_TRY(list_of(l, e->value, &part, &n));
  ini_free_list(part, n);
  if (n != 3 && n != 6) {
    return ini_fail(&l->f, s, e, l->err, "%d values, expected 3 (Ixx, Iyy, Izz) or 6 (also Ixy, Ixz, Iyz)", n);
  }
  MBD_TRY(coefficients(l, s, e, name, tensor, n, n, e->value, ANY, &inertia));
  for (int k = 3; n == 3 && k < 6; k++) {
    int unused;
    char full[300];
    snprintf(full, sizeof full, "%s.%s", name, tensor[k]);
    MBD_TRY(coefficient(l, s, e, full, "0", ANY, &unused));
  }
  for (int k = 0; k < 3; k++) {
    if (mbd_spec_nominal(l->m->spec, inertia + k) < 0) {
      return ini_fail(&l->f, s, e, l->err, "I%s = %g, expected >= 0", tensor[k],
                      mbd_spec_nominal(l->m->spec, inertia + k));
    }
  }
  MBD_TRY(located(l, s, NULL, mbd_spec_body(l->m->spec, s->name, mass, com, inertia, l->err)));
  return options_unknown_key(&l->f, s, known, l->err);
}

static mbd_status known_body(loader *l, const ini_section *s, const ini_entry *e, const char *name) {
  char hint[96];
  mbd_nearest near = {.wanted = name};
  if (strcmp(name, "ground") == 0 || ini_find(&l->f, "body", name)) { return MBD_OK; }
  mbd_nearest_offer(&near, "ground");
  for (int i = 0; i < l->f.n; i++) {
    if (strcmp(l->f.section[i].kind, "body") == 0) { mbd_nearest_offer(&near, l->f.section[i].name); }
  }
  mbd_nearest_text(&near, hint, sizeof hint);
  return ini_fail(&l->f, s, e, l->err, "body '%s' is not known%s", name, hint);
}

typedef struct marker_kind {
  const char *kind, *key; /* "point", "at" */
  mbd_status (*create)(mbd_spec *, const char *, mbd_error *);
  mbd_status (*place)(mbd_spec *, const char *, const char *, int, mbd_error *);
} marker_kind;

static mbd_status place_on(loader *l, ini_section *s, const ini_entry *e, const marker_kind *q, const char *body) {
  char base[300];
  int coords;
  MBD_TRY(known_body(l, s, e, body));
  snprintf(base, sizeof base, "%s.%s@%s", q->kind, s->name, body);
  MBD_TRY(coefficients(l, s, e, base, xyz, 3, 3, e->value, ANY, &coords));
  return located(l, s, e, q->place(l->m->spec, s->name, body, coords, l->err));
}

static mbd_status read_marker(loader *l, ini_section *s, const marker_kind *q) {
  const char *known[] = {q->key, "bodies", NULL};
  size_t n = strlen(q->key);
  MBD_TRY(located(l, s, NULL, q->create(l->m->spec, s->name, l->err)));
  const ini_entry *at = ini_get(s, q->key), *bodies = ini_get(s, "bodies");
  if (at && l->m->own_frames) {
    return ini_fail(&l->f, s, at, l->err, "with frame = body, coordinates are given per body: %s.BODY = x, y, z",
                    q->key);
  }
  if (at && !bodies) { return missing(l, s, known, "bodies", "the bodies that share it"); }
  if (bodies && !at) { return missing(l, s, known, q->key, "x, y, z"); }
  if (at) {
    char **part;
    int k;
    mbd_status status = MBD_OK;
    MBD_TRY(list_of(l, bodies->value, &part, &k));
    for (int i = 0; i < k && status == MBD_OK; i++) {
      status = known_body(l, s, bodies, part[i]);
      if (status == MBD_OK) { status = place_on(l, s, at, q, part[i]); }
    }
    ini_free_list(part, k);
    MBD_TRY(status);
  }
  for (int i = 0; i < s->n; i++) {
    ini_entry *e = &s->entry[i];
    if (strncmp(e->key, q->key, n) != 0 || e->key[n] != '.') { continue; }
    e->used = 1;
    MBD_TRY(place_on(l, s, e, q, e->key + n + 1));
  }
  return options_unknown_key(&l->f, s, known, l->err);
}

static mbd_status read_joint(loader *l, ini_section *s) {
  static const char *const known[] = {"type", "bodies", "point", "points", "axis", "axis2", "cut", NULL};
  static const char *const cuts[] = {"auto", "no", "yes", NULL};
  mbd_joint_desc d;
  ini_entry *type, *bodies;
  char **body = NULL, **point = NULL;
  int cut, np = 0;
  mbd_joint_desc_init(&d);
  MBD_TRY(required(l, s, known, "type", "type of the joint", &type));
  MBD_TRY(required(l, s, known, "bodies", "the two bodies, separated by a comma", &bodies));
  MBD_TRY(choice(l, s, "cut", cuts, &cut));
  d.name = s->name;
  d.type = type->value;
  d.axis = value_or(s, "axis", NULL);
  d.axis2 = value_or(s, "axis2", NULL);
  d.cut = (mbd_cut)cut;
  int nb;
  MBD_TRY(list_of(l, bodies->value, &body, &nb));
  const ini_entry *one = ini_get(s, "point"), *two = ini_get(s, "points");
  mbd_status status = two ? list_of(l, two->value, &point, &np) : MBD_OK;
  if (status == MBD_OK && one && two) {
    status = ini_fail(&l->f, s, two, l->err, "expected either 'point' or 'points', not both");
  }
  if (status == MBD_OK && nb != 2) {
    status = ini_fail(&l->f, s, bodies, l->err, "%d bodies, expected 2 separated by a comma", nb);
  }
  for (int i = 0; i < nb && status == MBD_OK; i++) { status = known_body(l, s, bodies, body[i]); }
  if (status == MBD_OK && two && np != 2) {
    status = ini_fail(&l->f, s, two, l->err, "%d points, expected 2: one on each body", np);
  }
  if (status == MBD_OK) {
    for (int i = 0; i < 2; i++) {
      d.body[i] = body[i];
      d.point[i] = two ? point[i] : one ? one->value : NULL;
    }
    status = located(l, s, NULL, mbd_spec_joint(l->m->spec, &d, l->err));
  }
  ini_free_list(body, nb);
  ini_free_list(point, np);
  MBD_TRY(status);
  return options_unknown_key(&l->f, s, known, l->err);
}

/* ---- curves ---- */

/* The curve that a load case has in the place of this one. */
static const char *curve_instead(const loader *l, const char *name) {
  const mbo_pairs *q = l->own ? &l->own->curves : NULL;
  for (int i = 0; name && q && i < q->name.n; i++) {
    if (strcmp(q->name.v[i], name) == 0) { return q->text.v[i]; }
  }
  return name;
}

static int plain_number(const char *text, double *value) {
  const char *end;
  *value = mbo_decimal(text, &end);
  return end != text && *end == '\0';
}

/* A number that no design changes: an expression of scalars that then cannot vary. */
static mbd_status fixed_number(loader *l, const ini_section *s, const ini_entry *e, double *value) {
  mbo_expr x;
  MBD_TRY(parse_at(l, s, e, e->value, &x));
  mbd_status status = resolve_at(l, s, e, &x);
  if (status == MBD_OK && mbo_expr_eval(&x, l->m->value, value, NULL, l->err) != MBD_OK) {
    status = ini_locate(&l->f, s, e, MBD_BAD_INPUT, l->err);
  }
  char why[300];
  snprintf(why, sizeof why, "says where the points of curve '%.200s' are", s->name);
  for (int i = 0; i < x.nname && status == MBD_OK; i++) { status = fix_scalar(l, x.index[i], why); }
  mbo_expr_free(&x);
  return status;
}

static const char *const curve_keys[] = {"type", "coefficients", "knots", "from", "to",
                                         "file", "points",       "value", NULL};

static mbd_status read_knots(loader *l, ini_section *s, int nc, int needs, double **knot, int *n) {
  const ini_entry *e = ini_get(s, "knots"), *from = ini_get(s, "from"), *to = ini_get(s, "to");
  char **part;
  *n = 0;
  *knot = calloc((size_t)nc + 1, sizeof **knot);
  if (!*knot) { return no_memory(l); }
  if (!needs) {
    return e || from || to ? ini_fail(&l->f, s,
                                      e      ? e
                                      : from ? from
                                             : to,
                                      l->err, "this type of curve has no knots")
                           : MBD_OK;
  }
  if (!e && from) {
    if (!to) { return missing(l, s, curve_keys, "to", "where the last knot is"); }
  } else if (!e && to) {
    return missing(l, s, curve_keys, "from", "where the first knot is");
  } else if (!e) {
    return missing(l, s, curve_keys, "knots", "a knot for each coefficient (or 'from' and 'to')");
  }
  if (e && (from || to)) {
    return ini_fail(&l->f, s, from ? from : to, l->err, "expected either 'knots' or 'from' and 'to', not both");
  }
  double ends[2] = {0, 1};
  const ini_entry *end[2] = {from, to};
  for (int i = 0; !e && i < 2; i++) { MBD_TRY(fixed_number(l, s, end[i], &ends[i])); }
  for (int i = 0; !e && i < nc; i++) { (*knot)[i] = ends[0] + (ends[1] - ends[0]) * i / (nc > 1 ? nc - 1 : 1); }
  *n = nc;
  if (!e) { return MBD_OK; }
  int k, bad = -1;
  MBD_TRY(list_of(l, e->value, &part, &k));
  for (int i = 0; i < k && i < nc; i++) {
    if (bad < 0 && !plain_number(part[i], &(*knot)[i])) { bad = i; }
  }
  mbd_status status = MBD_OK;
  if (bad >= 0) { status = ini_fail(&l->f, s, e, l->err, "'%s', expected a number", part[bad]); }
  if (status == MBD_OK && k != nc) {
    status = ini_fail(&l->f, s, e, l->err, "%d knots for %d coefficients, expected one knot each", k, nc);
  }
  ini_free_list(part, k);
  return status;
}

/* "x, y" (or with a semicolon or white space between, and a comment behind): 1, *at: where y begins; a comment or an
 * empty line: 0; anything else: -1. */
static int two_numbers(const char *line, double *x, double *y, const char **at) {
  static const char blank[] = " \t\r\n";
  const char *c = line + strspn(line, blank), *end;
  if (*c == '\0' || *c == '#') { return 0; }
  *x = mbo_decimal(c, &end);
  const char *gap = end + strspn(end, blank);
  gap += *gap == ',' || *gap == ';';
  gap += strspn(gap, blank);
  if (end == c || gap == end) { return -1; }
  *at = gap;
  *y = mbo_decimal(gap, &end);
  const char *rest = end + strspn(end, blank);
  return end != gap && (*rest == '\0' || (*rest == '#' && rest > end)) ? 1 : -1;
}

/* The heads of columns, in the first line: it does not begin like a number. */
static int is_header(const char *line) {
  return !strchr("+-.0123456789", line[strspn(line, " \t\"")]);
}

/* Points of a curve while they are read: the knots so far, and the first of the coefficients that are their values. */
typedef struct curve_points {
  double *knot;
  int n, first;
} curve_points;

/* One more point: y, a number at the start of text, becomes a coefficient. */
static mbd_status add_point(loader *l, const ini_section *s, const ini_entry *e, double x, const char *text,
                            curve_points *q) {
  char name[300], number[300];
  int index;
  double *grown = mbd_list_grow(q->knot, q->n, sizeof *grown);
  if (!grown) { MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for a curve of %s", l->f.path); }
  q->knot = grown;
  grown[q->n++] = x;
  snprintf(name, sizeof name, "curve.%s.%d", s->name, q->n);
  snprintf(number, sizeof number, "%.*s", (int)strcspn(text, " \t\r\n"), text);
  MBD_TRY(coefficient(l, s, e, name, number, ANY, &index));
  if (q->n == 1) { q->first = index; }
  return MBD_OK;
}

/* Line `number` of the file at `path`. */
static mbd_status read_curve_line(loader *l, const ini_section *s, const ini_entry *e, const char *path, int number,
                                  const char *line, curve_points *q) {
  double x, y;
  const char *at;
  int row = two_numbers(line, &x, &y, &at);
  if (row == 0 || (row < 0 && number == 1 && is_header(line))) { return MBD_OK; }
  if (row < 0) {
    return ini_fail(&l->f, s, e, l->err, "%s:%d: '%.60s', expected two numbers: knot, value", path, number, line);
  }
  if (q->n && !(x > q->knot[q->n - 1])) {
    return ini_fail(&l->f, s, e, l->err, "%s:%d: knots must increase, but %g follows %g", path, number, x,
                    q->knot[q->n - 1]);
  }
  return add_point(l, s, e, x, at, q);
}

/* Two columns of numbers, knots and values, in a file beside the model file. Any number of rows. */
static mbd_status read_curve_file(loader *l, ini_section *s, const ini_entry *e, curve_points *q) {
  text_file in = {0};
  char *path = ini_beside(l->f.path, e->value);
  mbd_status status = path ? located(l, s, e, text_file_read(path, TEXT_FILE_TABLE, &in, l->err))
                           : mbd_fail(l->err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for %s", l->f.path);
  for (const char *line; status == MBD_OK && (line = text_file_line(&in)) != NULL;) {
    status = read_curve_line(l, s, e, path, in.line, line, q);
  }
  if (status == MBD_OK && q->n == 0) { status = ini_fail(&l->f, s, e, l->err, "'%s' has no row of two numbers", path); }
  text_file_free(&in);
  free(path);
  return status;
}

enum { MOST_POINTS = 1000000, MOST_TEXT = 16 }; /* points; MiB of their expressions, as if each were written out */

/* How many: a whole number. */
static mbd_status read_count(loader *l, const ini_section *s, const ini_entry *e, int *n) {
  double count;
  MBD_TRY(fixed_number(l, s, e, &count));
  if (count != floor(count) || count < 2 || count > MOST_POINTS) {
    return ini_fail(&l->f, s, e, l->err, "the value is %g, expected a whole number from 2 to %d", count, MOST_POINTS);
  }
  *n = (int)count;
  return MBD_OK;
}

/* The value at one abscissa, where x stands for it, becomes a coefficient. */
static mbd_status add_value(loader *l, ini_section *s, const ini_entry *value, const mbo_expr *of_x, int number,
                            double x, int *index) {
  char name[300];
  mbo_expr y;
  snprintf(name, sizeof name, "curve.%s.%d", s->name, number);
  if (!mbo_expr_copy(of_x, &y)) { MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for %s", l->f.path); }
  if (mbo_expr_bind(&y, "x", x) && name_index_find(&l->scalar_at, "x", "") >= 0) {
    mbo_expr_free(&y);
    return ini_fail(&l->f, s, value, l->err,
                    "x is the abscissa here, but also a scalar; expected another name for that");
  }
  return add_coefficient(l, s, value, name, &y, ANY, index);
}

/* Those at all knots; *first: the first of these coefficients. */
static mbd_status add_values(loader *l, ini_section *s, const ini_entry *value, const curve_points *q, int *first) {
  mbo_expr of_x;
  MBD_TRY(parse_at(l, s, value, value ? value->value : "0", &of_x));
  mbd_status status = MBD_OK;
  for (int i = 0; i < q->n && status == MBD_OK; i++) {
    int index = -1;
    status = add_value(l, s, value, &of_x, i + 1, q->knot[i], &index);
    if (i == 0) { *first = index; }
  }
  mbo_expr_free(&of_x);
  return status;
}

/* points = N, from, to: equally spaced, with the values of a function of x. */
static mbd_status read_curve_points(loader *l, ini_section *s, const ini_entry *points, curve_points *q, int *nc) {
  const ini_entry *value = ini_get(s, "value");
  MBD_TRY(read_count(l, s, points, nc));
  if (value && strlen(value->value) > ((size_t)MOST_TEXT << 20) / (size_t)*nc) {
    return ini_fail(&l->f, s, value, l->err,
                    "%zu characters for %d points, expected at most %zu: give long parts of it to scalars",
                    strlen(value->value), *nc, ((size_t)MOST_TEXT << 20) / (size_t)*nc);
  }
  if (ini_get(s, "knots")) {
    return ini_fail(&l->f, s, ini_get(s, "knots"), l->err, "expected 'from' and 'to' with 'points', not 'knots'");
  }
  MBD_TRY(read_knots(l, s, *nc, 1, &q->knot, &q->n));
  return add_values(l, s, value, q, &q->first);
}

/* Points from `file`, or from `coefficients` and `knots`. */
static mbd_status read_curve_numbers(loader *l, ini_section *s, const mbd_curve_kind_info *info, const ini_entry *e,
                                     int from_file, curve_points *q, int *nc) {
  char name[300], **part;
  int nknot;
  if (from_file) { MBD_TRY(read_curve_file(l, s, e, q)); }
  *nc = q->n;
  if (!from_file) {
    MBD_TRY(list_of(l, e->value, &part, nc));
    ini_free_list(part, *nc);
  }
  if (*nc < info->nc_min || (info->nc_max >= 0 && *nc > info->nc_max)) {
    int few = *nc < info->nc_min;
    return ini_fail(&l->f, s, e, l->err, "%d coefficients, expected %s%d (%s)", *nc,
                    info->nc_max == info->nc_min ? ""
                    : few                        ? "at least "
                                                 : "at most ",
                    few ? info->nc_min : info->nc_max, info->coefs);
  }
  if (from_file) { return MBD_OK; }
  MBD_TRY(read_knots(l, s, *nc, info->needs_knots, &q->knot, &nknot));
  q->n = nknot;
  snprintf(name, sizeof name, "curve.%s", s->name);
  return coefficients(l, s, e, name, NULL, *nc, *nc, e->value, ANY, &q->first);
}

/* The one key that says where the numbers of a curve come from: coefficients, file or points. */
static mbd_status curve_source(loader *l, ini_section *s, const mbd_curve_kind_info *info, const ini_entry **source) {
  static const char *const keys[] = {"coefficients", "file", "points"};
  int found = 0;
  for (int i = 0; i < 3; i++) {
    const ini_entry *e = ini_get(s, keys[i]);
    if (e) { *source = e, found++; }
    if (e && i > 0 && !info->needs_knots) {
      return ini_fail(&l->f, s, e, l->err, "this type of curve has no knots, expected 'coefficients' (%s)",
                      info->coefs);
    }
  }
  char what[200];
  snprintf(what, sizeof what, "%.120s%s", info->coefs, info->needs_knots ? " (or 'file' or 'points')" : "");
  if (found == 0) { return missing(l, s, curve_keys, "coefficients", what); }
  if (found > 1) { return ini_fail(&l->f, s, NULL, l->err, "expected one of 'coefficients', 'file' and 'points'"); }
  const ini_entry *value = ini_get(s, "value");
  if (value && strcmp((*source)->key, "points") != 0) {
    return ini_fail(&l->f, s, value, l->err, "a value over x belongs to 'points', not to '%s'", (*source)->key);
  }
  return MBD_OK;
}

/* Remember the curve for whoever varies its control points. */
static mbd_status add_curve(loader *l, const ini_section *s, int has_points, int first, int n) {
  mbo_model_file *m = l->m;
  model_curve *grown = mbd_list_grow(m->curve, m->ncurve, sizeof *grown);
  if (!grown) { MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for a curve of %s", l->f.path); }
  m->curve = grown;
  grown[m->ncurve++] = (model_curve){.name = mbd_strdup(s->name), .points = has_points, .first = first, .n = n};
  return grown[m->ncurve - 1].name ? MBD_OK : no_memory(l);
}

static mbd_status read_curve(loader *l, ini_section *s) {
  mbd_curve_kind_info info = {0};
  curve_points q = {0};
  char hint[96];
  int nc = 0, i = 0;
  ini_entry *type;
  MBD_TRY(required(l, s, curve_keys, "type", "kind of curve", &type));
  mbd_nearest near = {.wanted = type->value};
  while (mbd_curve_info_at(i++, &info) && strcmp(info.name, type->value) != 0) { mbd_nearest_offer(&near, info.name); }
  if (!info.name || strcmp(info.name, type->value) != 0) {
    mbd_nearest_text(&near, hint, sizeof hint);
    return ini_fail(&l->f, s, type, l->err, "this kind of curve is not known%s", hint);
  }
  const ini_entry *source = NULL;
  MBD_TRY(curve_source(l, s, &info, &source));
  mbd_status status = strcmp(source->key, "points") == 0
                          ? read_curve_points(l, s, source, &q, &nc)
                          : read_curve_numbers(l, s, &info, source, strcmp(source->key, "file") == 0, &q, &nc);
  if (status == MBD_OK) { status = add_curve(l, s, info.needs_knots, q.first, nc); }
  if (status == MBD_OK) {
    status = located(l, s, NULL, mbd_spec_curve(l->m->spec, s->name, info.name, nc, q.first, q.n, q.knot, l->err));
  }
  free(q.knot);
  MBD_TRY(status);
  return options_unknown_key(&l->f, s, curve_keys, l->err);
}

/* ---- forces and constraints: keys come from the library's tables ---- */

typedef struct element_kind {
  const char *kind;
  const mbd_element_info *(*info)(int i);
  mbd_status (*add)(mbd_spec *, const mbd_element_desc *, mbd_error *);
} element_kind;

static mbd_status element_type(loader *l, ini_section *s, const element_kind *q, const mbd_element_info **info) {
  static const char *const known[] = {"type", NULL};
  ini_entry *e;
  char hint[96];
  MBD_TRY(required(l, s, known, "type", "what it is", &e));
  mbd_nearest near = {.wanted = e->value};
  for (int i = 0; (*info = q->info(i)); i++) {
    if (strcmp((*info)->name, e->value) == 0) { return MBD_OK; }
    mbd_nearest_offer(&near, (*info)->name);
  }
  mbd_nearest_text(&near, hint, sizeof hint);
  return ini_fail(&l->f, s, e, l->err, "this type of %s is not known%s", q->kind, hint);
}

/* References into d->ref; the strings live in *store until the description has copied them. */
static mbd_status element_refs(loader *l, ini_section *s, const mbd_element_info *info, const char *const *known,
                               mbd_element_desc *d, char ***store) {
  int at = 0;
  for (const mbd_ref_info *r = info->refs; r->key; r++, store++) {
    ini_entry *e;
    MBD_TRY(required(l, s, known, r->key, r->doc, &e));
    int n;
    MBD_TRY(list_of(l, e->value, store, &n));
    if (n != r->count) {
      ini_free_list(*store, n);
      *store = NULL;
      return ini_fail(&l->f, s, e, l->err, "%d names, expected %d: %s", n, r->count, r->doc);
    }
    for (int i = 0; i < n; i++) { d->ref[at++] = (*store)[i]; }
  }
  return MBD_OK;
}

/* Where coefficients of an element may come from besides its keys: the file under the key of size 0. */
typedef struct property_file {
  tir_file file;
  const ini_entry *e; /* the key that names it; NULL: there is none */
} property_file;

static mbd_status open_property_file(loader *l, ini_section *s, const mbd_element_info *info, property_file *p) {
  const mbd_coef_info *c = info->coefs;
  while (c->key && c->size > 0) { c++; }
  p->e = c->key ? ini_get(s, c->key) : NULL;
  if (!p->e) { return MBD_OK; }
  char *path = ini_beside(l->f.path, p->e->value);
  mbd_status status = path ? tir_read(path, &p->file, l->err)
                           : mbd_fail(l->err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for %s", l->f.path);
  free(path);
  return located(l, s, p->e, status);
}

/* The file's value of c as text; *found: whether it has one. */
static mbd_status property(loader *l, ini_section *s, const property_file *p, const char *const *known,
                           const mbd_coef_info *c, char *text, size_t size, int *found) {
  const tir_entry *t = NULL;
  double value = 0;
  if (p->e) { MBD_TRY(located(l, s, p->e, tir_number(&p->file, c->key, &value, &t, l->err))); }
  *found = t != NULL;
  if (t && (value < c->min || value > c->max)) {
    char range[64];
    return ini_fail(&l->f, s, p->e, l->err, "%s:%d: %s = %s, expected %s (%s)", p->file.path, t->line, t->key, t->value,
                    range_text(c->min, c->max, range), c->doc);
  }
  if (t) { snprintf(text, size, "%.17g", value); }
  if (!t && p->e && isnan(c->dflt)) {
    char misspelt[OPTIONS_HINT];
    return ini_fail(&l->f, s, p->e, l->err, "the file gives no value of '%s', nor does the section: %.200s [%s]%s",
                    c->key, c->doc, c->unit, options_misspelt_key(s, known, c->key, misspelt));
  }
  return MBD_OK;
}

static mbd_status element_coef(loader *l, ini_section *s, const element_kind *q, const char *const *known,
                               const mbd_coef_info *c, const property_file *p, int *first) {
  const ini_entry *e = ini_get(s, c->key);
  char name[300], dflt[96], what[300];
  int found = 0;
  snprintf(dflt, sizeof dflt, c->size == 3 ? "%.17g,%.17g,%.17g" : "%.17g", c->dflt, c->dflt, c->dflt);
  if (!e) { MBD_TRY(property(l, s, p, known, c, dflt, sizeof dflt, &found)); }
  if (!e && !found && isnan(c->dflt)) {
    snprintf(what, sizeof what, "%.200s [%s]", c->doc, c->unit);
    return missing(l, s, known, c->key, what);
  }
  snprintf(name, sizeof name, "%s.%s.%s", q->kind, s->name, c->key);
  const char *text = e ? e->value : dflt;
  if (found) { e = p->e; }
  return c->size == 3 ? coefficients(l, s, e, name, xyz, 3, 3, text, c->min, c->max, first)
                      : coefficient(l, s, e, name, text, c->min, c->max, first);
}

static mbd_status element_coefs(loader *l, ini_section *s, const element_kind *q, const mbd_element_info *info,
                                const char *const *known, mbd_element_desc *d) {
  property_file p = {0};
  mbd_status status = open_property_file(l, s, info, &p);
  for (const mbd_coef_info *c = info->coefs; c->key && status == MBD_OK; c++) {
    int first;
    if (c->size == 0) { continue; }
    status = element_coef(l, s, q, known, c, &p, &first);
    if (status == MBD_OK && d->coef < 0) { d->coef = first; }
  }
  tir_free(&p.file);
  return status;
}

/* All keys of an element, NULL-terminated. New memory; NULL: none. */
static const char **element_keys(const mbd_element_info *info) {
  int n = 0, nref = 0, ncoef = 0, ncurve = 0;
  while (info->refs[nref].key) { nref++; }
  while (info->coefs[ncoef].key) { ncoef++; }
  while (info->curves[ncurve].key) { ncurve++; }
  const char **known = calloc((size_t)(nref + ncoef + ncurve) + 2, sizeof *known);
  if (!known) { return NULL; }
  known[n++] = "type";
  for (int k = 0; k < nref; k++) { known[n++] = info->refs[k].key; }
  for (int k = 0; k < ncoef; k++) { known[n++] = info->coefs[k].key; }
  for (int k = 0; k < ncurve; k++) { known[n++] = info->curves[k].key; }
  return known;
}

/* Names of curves into d->curve, which are the section's own texts. */
static mbd_status element_curves(loader *l, ini_section *s, const mbd_element_info *info, const char *const *known,
                                 mbd_element_desc *d) {
  for (int k = 0; info->curves[k].key; k++) {
    d->curve[k] = curve_instead(l, value_or(s, info->curves[k].key, NULL));
    if (!d->curve[k] && info->curves[k].required) {
      return missing(l, s, known, info->curves[k].key, info->curves[k].doc);
    }
  }
  return MBD_OK;
}

static mbd_status read_known_element(loader *l, ini_section *s, const element_kind *q, const mbd_element_info *info,
                                     const char *const *known) {
  mbd_element_desc d;
  char **store[MBD_REF_MAX] = {0};
  mbd_element_desc_init(&d);
  d.name = s->name;
  d.type = info->name;
  mbd_status status = element_refs(l, s, info, known, &d, store);
  if (status == MBD_OK) { status = element_coefs(l, s, q, info, known, &d); }
  if (status == MBD_OK) { status = element_curves(l, s, info, known, &d); }
  if (status == MBD_OK) { status = located(l, s, NULL, q->add(l->m->spec, &d, l->err)); }
  for (int k = 0; info->refs[k].key; k++) {
    if (store[k]) { ini_free_list(store[k], info->refs[k].count); }
  }
  return status == MBD_OK ? options_unknown_key(&l->f, s, known, l->err) : status;
}

static mbd_status read_element(loader *l, ini_section *s, const element_kind *q) {
  const mbd_element_info *info;
  MBD_TRY(element_type(l, s, q, &info));
  const char **known = element_keys(info);
  if (!known) { MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for %s", l->f.path); }
  const mbd_status status = read_known_element(l, s, q, info, known);
  free(known);
  return status;
}

static mbd_status read_coordinate(loader *l, ini_section *s) {
  static const char *const known[] = {"guess", NULL};
  char name[300];
  int guess;
  ini_entry *e;
  MBD_TRY(required(l, s, known, "guess", "its value at the start, about", &e));
  snprintf(name, sizeof name, "coordinate.%s.guess", s->name);
  MBD_TRY(coefficient(l, s, e, name, e->value, ANY, &guess));
  MBD_TRY(located(l, s, NULL, mbd_spec_coordinate(l->m->spec, s->name, guess, l->err)));
  return options_unknown_key(&l->f, s, known, l->err);
}

/* settle = QUANTITY, ...: which of the held ones a static equilibrium determines */
static mbd_status read_settle(loader *l, ini_section *s) {
  ini_entry *e = s ? ini_get(s, "settle") : NULL;
  char **part;
  mbd_status status = MBD_OK;
  if (!e) { return MBD_OK; }
  int n;
  MBD_TRY(list_of(l, e->value, &part, &n));
  for (int i = 0; i < n && status == MBD_OK; i++) {
    status = located(l, s, e, mbd_spec_settle(l->m->spec, part[i], l->err));
  }
  ini_free_list(part, n);
  return status;
}

/* [start]: hold.QUANTITY = value, rate.QUANTITY = value, guess.COORDINATE = value */
static mbd_status read_start(loader *l, ini_section *s) {
  static const char *const known[] = {"hold.QUANTITY", "rate.QUANTITY", "settle", "guess.COORDINATE", NULL};
  for (int i = 0; s && i < s->n; i++) {
    ini_entry *e = &s->entry[i];
    char name[320], rate_key[300];
    int value, rate = -1;
    snprintf(name, sizeof name, "start.%s", e->key);
    if (strncmp(e->key, "hold.", 5) == 0) {
      e->used = 1;
      MBD_TRY(coefficient(l, s, e, name, e->value, ANY, &value));
      snprintf(rate_key, sizeof rate_key, "rate.%s", e->key + 5);
      const ini_entry *r = ini_get(s, rate_key);
      snprintf(name, sizeof name, "start.%s", rate_key);
      MBD_TRY(coefficient(l, s, r, name, r ? r->value : "0", ANY, &rate));
      MBD_TRY(located(l, s, e, mbd_spec_hold(l->m->spec, e->key + 5, value, rate, l->err)));
    } else if (strncmp(e->key, "guess.", 6) == 0) {
      e->used = 1;
      MBD_TRY(coefficient(l, s, e, name, e->value, ANY, &value));
      MBD_TRY(located(l, s, e, mbd_spec_guess(l->m->spec, e->key + 6, value, l->err)));
    }
  }
  MBD_TRY(read_settle(l, s));
  for (int i = 0; s && i < s->n; i++) { /* a rate whose quantity is not held */
    ini_entry *e = &s->entry[i];
    if (!e->used && strncmp(e->key, "rate.", 5) == 0) {
      return ini_fail(&l->f, s, e, l->err, "expected also hold.%s = VALUE", e->key + 5);
    }
  }
  return s ? options_unknown_key(&l->f, s, known, l->err) : MBD_OK;
}

/* ---- all sections, in the order in which they need each other ---- */

static const marker_kind points = {"point", "at", mbd_spec_point, mbd_spec_point_on};
static const marker_kind vectors = {"vector", "along", mbd_spec_vector, mbd_spec_vector_on};
static const element_kind forces = {"force", mbd_force_info, mbd_spec_force};
static const element_kind constraints = {"constraint", mbd_constraint_info, mbd_spec_constraint};

static mbd_status read_point(loader *l, ini_section *s) {
  return read_marker(l, s, &points);
}
static mbd_status read_vector(loader *l, ini_section *s) {
  return read_marker(l, s, &vectors);
}
static mbd_status read_force(loader *l, ini_section *s) {
  return read_element(l, s, &forces);
}
static mbd_status read_constraint(loader *l, ini_section *s) {
  return read_element(l, s, &constraints);
}

static const struct {
  const char *kind;
  mbd_status (*read)(loader *l, ini_section *s); /* NULL: read elsewhere, without a name */
} kinds[] = {{"model", NULL},
             {"scalars", NULL},
             {"start", NULL},
             {"body", read_body},
             {"point", read_point},
             {"vector", read_vector},
             {"joint", read_joint},
             {"curve", read_curve},
             {"coordinate", read_coordinate},
             {"force", read_force},
             {"constraint", read_constraint}};

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

int model_file_has_section(const char *kind) {
  int k = 0;
  while (k < N_KINDS && strcmp(kinds[k].kind, kind) != 0) { k++; }
  return k < N_KINDS;
}

static mbd_status check_sections(loader *l) {
  for (int i = 0; i < l->f.n; i++) {
    const ini_section *s = &l->f.section[i];
    char hint[96];
    int k = 0;
    mbd_nearest near = {.wanted = s->kind};
    for (; k < N_KINDS && strcmp(kinds[k].kind, s->kind) != 0; k++) { mbd_nearest_offer(&near, kinds[k].kind); }
    mbd_nearest_text(&near, hint, sizeof hint);
    if (k == N_KINDS) {
      return ini_fail(&l->f, s, NULL, l->err, "section '%s' is not known in a model file%s", s->kind, hint);
    }
    if (kinds[k].read && !*s->name) { return ini_fail(&l->f, s, NULL, l->err, "expected a name: [%s NAME]", s->kind); }
    if (!kinds[k].read && *s->name) {
      return ini_fail(&l->f, s, NULL, l->err, "expected [%s] without a name", s->kind);
    }
  }
  return MBD_OK;
}

/* Both names of every replaced curve must be those of curves. */
static mbd_status check_curves(loader *l) {
  const mbo_pairs *q = l->own ? &l->own->curves : NULL;
  for (int i = 0; q && i < 2 * q->name.n; i++) {
    const char *name = i % 2 ? q->text.v[i / 2] : q->name.v[i / 2];
    char hint[96];
    mbd_nearest near = {.wanted = name};
    if (ini_find(&l->f, "curve", name)) { continue; }
    for (int k = 0; k < l->f.n; k++) {
      if (strcmp(l->f.section[k].kind, "curve") == 0) { mbd_nearest_offer(&near, l->f.section[k].name); }
    }
    MBD_FAIL(l->err, MBD_BAD_INPUT, "%s[case %s] curve.%s = %s: the model %s has no curve '%s'%s", l->run, l->own->name,
             q->name.v[i / 2], q->text.v[i / 2], l->f.path, name, mbd_nearest_text(&near, hint, sizeof hint));
  }
  return MBD_OK;
}

/* Scalars, and all sections for what is repeated. */
static mbd_status expand(loader *l, mbo_names *counts) {
  MBD_TRY(replace_counts(l));
  MBD_TRY(repeat_expand(&l->f, counts, l->err));
  MBD_TRY(read_scalars(l));
  return fix_counts(l, counts);
}

static mbd_status load(loader *l) {
  mbo_names counts = {0};
  MBD_TRY(check_sections(l));
  mbd_status status = expand(l, &counts);
  ini_free_list(counts.v, counts.n);
  MBD_TRY(status);
  MBD_TRY(check_curves(l));
  MBD_TRY(read_model(l, ini_find(&l->f, "model", "")));
  for (int k = 0; k < N_KINDS; k++) {
    for (int i = 0; i < l->f.n && kinds[k].read; i++) {
      if (strcmp(l->f.section[i].kind, kinds[k].kind) == 0) { MBD_TRY(kinds[k].read(l, &l->f.section[i])); }
    }
  }
  MBD_TRY(spread_fixed(l));
  return read_start(l, ini_find(&l->f, "start", ""));
}

mbd_status mbo_model_file_read(const char *path, int nset, const char *const *name, const char *const *expression,
                               mbo_model_file **out, mbd_error *err) {
  const mbo_pairs scalars = {{nset, (char **)name}, {nset, (char **)expression}};
  return mbo_model_file_read_case(path, "", &scalars, NULL, out, err);
}

mbd_status mbo_model_file_read_case(const char *path, const char *run, const mbo_pairs *scalars,
                                    const mbo_case_config *own, mbo_model_file **out, mbd_error *err) {
  loader l = {.scalars = scalars, .own = own, .run = run, .err = err};
  *out = NULL;
  l.m = calloc(1, sizeof *l.m);
  if (!l.m) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", path); }
  l.m->spec = mbd_spec_create();
  l.m->path = mbd_strdup(path);
  mbd_status status = l.m->spec && l.m->path
                          ? ini_read(path, &l.f, err)
                          : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for %s", path);
  if (status == MBD_OK) { status = load(&l); }
  ini_free(&l.f);
  name_index_free(&l.scalar_at);
  if (status != MBD_OK) {
    mbo_model_file_destroy(l.m);
    return status;
  }
  *out = l.m;
  return MBD_OK;
}

/* Used by mbo_model_file_vary. */
mbd_status model_file_find(const mbo_model_file *m, const char *scalar, int *index, mbd_error *err) {
  char hint[96];
  *index = find_scalar(m, scalar);
  if (*index >= 0) { return MBD_OK; }
  mbd_nearest near = {.wanted = scalar};
  for (int i = 0; i < m->nscalar; i++) { mbd_nearest_offer(&near, m->scalar[i].name); }
  MBD_FAIL(err, MBD_BAD_INPUT, "scalar '%s' is not known in %s%s", scalar, m->path,
           mbd_nearest_text(&near, hint, sizeof hint));
}
