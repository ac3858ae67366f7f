/* Scalars that scatter: in a scenario X is an expression of two scalars that are added to the model, X.mean, which takes over the expression of X
 * (or the design variable), and X.deviate, which is set to another number for every scenario. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"
#include "config/uncertain.h"

/* Adds a scalar OF.what beside scalar `of` with an expression, which it takes over; the source says where messages point. */
static mbd_status add_scalar(loader *l, int of, const char *what, mbo_expr *x, const scalar_source *source) {
  mbo_model_file *m = l->m;
  model_scalar *grown = mbd_list_grow(m->scalar, m->nscalar, sizeof *grown);
  if (grown) { m->scalar = grown; }
  scalar_source *sources = grown ? mbd_list_grow(l->source, m->nscalar, sizeof *sources) : NULL;
  if (sources) { l->source = sources; }
  char *name = sources ? mbd_sprintf_dup("%s.%s", grown[of].name, what) : NULL;
  if (!name) {
    mbo_expr_free(x);
    return load_no_memory(l);
  }
  const int k = m->nscalar++;
  sources[k] = *source;
  grown[k] = (model_scalar){.name = name, .expr = *x, .file = grown[of].file, .line = grown[of].line};
  *x = (mbo_expr){0};
  if (name_index_find(&l->scalar_at, name, "") >= 0) {
    MBD_FAIL(l->err, MBD_BAD_INPUT, "%s[uncertain %s]: the model has a scalar '%s', expected another name of it",
             l->run, grown[of].name, name);
  }
  return name_index_add(&l->scalar_at, name, "", k) ? MBD_OK : load_no_memory(l);
}

static mbd_status scatter(loader *l, const mbo_uncertain_config *u) {
  mbo_model_file *m = l->m;
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = u->scalar};
  mbo_expr deviate, x;
  const int k = name_index_find(&l->scalar_at, u->scalar, "");
  if (k < 0) {
    for (int i = 0; i < m->nscalar; i++) { mbd_nearest_offer(&near, m->scalar[i].name); }
    MBD_FAIL(l->err, MBD_BAD_INPUT, "%s[uncertain %s] scalar = %s: the model %s has no such scalar%s", l->run, u->name,
             u->scalar, m->path, mbd_nearest_text(&near, hint, sizeof hint));
  }
  if (l->scenario == (int)UNCERTAIN_NOMINAL) { return MBD_OK; }
  /* X.mean has the expression of X, in its scope; the text of X is one of the run. */
  const scalar_source source = l->source[k];
  mbo_expr mean = m->scalar[k].expr;
  m->scalar[k].expr = (mbo_expr){0};
  MBD_TRY(add_scalar(l, k, "mean", &mean, &source));
  m->scalar[k].mean = m->nscalar;
  MBD_TRY(mbo_expr_parse(uncertain_is_triangular(u) ? "0.5" : "0", &deviate, l->err));
  MBD_TRY(add_scalar(l, k, "deviate", &deviate, &source));
  char *text = uncertain_text(u, (uncertain_scenario)l->scenario);
  if (!text) { return load_no_memory(l); }
  const mbd_status status = mbo_expr_parse(text, &x, l->err);
  free(text);
  MBD_TRY(mbd_locate(l->err, status, "%s[uncertain %s]: ", l->run, u->name));
  for (int i = 0; i < x.nname; i++) { /* its own name is its mean */
    if (strcmp(x.name[i], u->scalar) == 0) {
      char *own = mbd_sprintf_dup("%s.mean", u->scalar);
      if (own) { free(x.name[i]), x.name[i] = own; }
    }
  }
  m->scalar[k].expr = x, l->source[k].scope = l->part[0];
  return MBD_OK;
}

mbd_status load_uncertain(loader *l) {
  for (int i = 0; i < l->nuncertain; i++) { MBD_TRY(scatter(l, &l->uncertain[i])); }
  return MBD_OK;
}
