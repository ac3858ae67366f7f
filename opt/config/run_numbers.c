#include "config/run_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/model_file.h"

/* The model's scalars as each case has them. */
typedef struct evaluation {
  const ini_file *f;
  const option_expression *x; /* at hand */
  mbo_run_config *c;
  mbo_model_file **file; /* [1 + ncase] with the scalars of the run, then of each case; NULL until needed */
  const char **varied;   /* [ndesign] scalars that vary, */
  int *design;           /* and in which section */
  mbd_error *err;
} evaluation;

static mbd_status located(const evaluation *v, mbd_status status) {
  return ini_locate(v->f, v->x->s, v->x->e, status, v->err);
}

/* ---- scalars ---- */

/* Which of them move. A scalar that is not there or cannot vary is left out here: the mechanism's design says so. */
static mbd_status vary(const evaluation *v, mbo_model_file *m) {
  int n = 0, k;
  for (int i = 0; i < v->c->ndesign; i++) {
    const mbo_design_config *d = &v->c->design[i];
    const char *scalar = *d->scalar ? d->scalar : d->name;
    if (*d->curve || model_file_scalar(m, scalar, &k, NULL) != MBD_OK || m->scalar[k].fixed) { continue; }
    v->design[n] = i;
    v->varied[n++] = scalar;
  }
  return mbo_model_file_vary(m, n, v->varied, v->err);
}

static mbd_status read_scalars(const evaluation *v, const mbo_case_config *own, mbo_model_file **m) {
  char *run = mbd_sprintf_dup("%s: ", v->c->path);
  if (!run) { return ini_no_memory(v->f, v->err); }
  mbd_status status = model_file_read_scalars(
      v->c->model_path, &(mbo_model_changes){.run = run, .scalars = &v->c->scalars, .own = own}, m, v->err);
  free(run);
  return status;
}

/* Number of a case; -1: there is no such name. The only case needs none. */
static int find_case(const mbo_run_config *c, const char *name) {
  int k = c->ncase - 1;
  if (!*name) { return c->ncase == 1 ? 0 : -1; }
  while (k >= 0 && strcmp(c->cases[k].name, name) != 0) { k--; }
  return k;
}

/* The case whose scalars a section means. */
static int case_of(const evaluation *v) {
  const char *kind = v->x->s->kind;
  if (strcmp(kind, "case") == 0) { return find_case(v->c, v->x->s->name); }
  if (strcmp(kind, "objective") != 0 && strcmp(kind, "constraint") != 0) { return -1; }
  return find_case(v->c, ((const mbo_objective_config *)v->x->base)->in_case);
}

static mbd_status scalars_of(const evaluation *v, int k, mbo_model_file **m) {
  const mbo_case_config *own = k >= 0 && v->c->cases[k].scalars.name.n > 0 ? &v->c->cases[k] : NULL;
  mbo_model_file **place = &v->file[own ? 1 + k : 0];
  if (!*place) {
    MBD_TRY(read_scalars(v, own, place));
    MBD_TRY(vary(v, *place));
  }
  *m = *place;
  return MBD_OK;
}

/* ---- values ---- */

static mbd_status evaluate(const evaluation *v, mbo_expr *x, double *value) {
  mbo_model_file *m = NULL;
  if (x->nname > 0) {
    MBD_TRY(scalars_of(v, case_of(v), &m));
    MBD_TRY(mbd_locate(v->err, model_file_resolve(m, x, v->err), "expected a number or an expression; "));
    const int mover = model_file_mover(m, x);
    if (mover >= 0) {
      MBD_FAIL(v->err, MBD_BAD_INPUT, "moves with [design %s]; expected a value that no design variable moves",
               v->c->design[v->design[mover]].name);
    }
  }
  const mbd_status status = mbo_expr_eval(x, m ? m->value : NULL, value, NULL, v->err);
  return status == MBD_OUT_OF_DOMAIN ? MBD_BAD_INPUT : status;
}

/* Item i of a list, or the whole. */
static mbd_status put(const evaluation *v, const char *text, int i, double *value) {
  mbo_expr x;
  MBD_TRY(located(v, mbo_expr_parse(text, &x, v->err)));
  const mbd_status status = located(v, evaluate(v, &x, value));
  mbo_expr_free(&x);
  MBD_TRY(status);
  return option_put_number(v->f, v->x, i, *value, v->err);
}

/* The items of a list, or the whole; the expression as c keeps it. */
static mbd_status add(const evaluation *v, mbo_expression *kept) {
  const option_expression *x = v->x;
  char **part = NULL;
  const int is_list = x->row.type == OPTION_NUMBERS, n = is_list ? ini_list(x->e->value, &part) : 1;
  *kept = (mbo_expression){.kind = mbd_strdup(x->s->kind),
                           .name = mbd_strdup(x->s->name),
                           .key = mbd_strdup(x->row.key),
                           .text = mbd_strdup(x->e->value),
                           .value = {.n = n > 0 ? n : 0, .v = calloc((size_t)(n > 0 ? n : 1), sizeof(double))}};
  const int whole = n > 0 && kept->kind && kept->name && kept->key && kept->text && kept->value.v;
  mbd_status status = whole ? MBD_OK : ini_no_memory(v->f, v->err);
  for (int i = 0; i < n && status == MBD_OK; i++) {
    status = put(v, is_list ? part[i] : x->e->value, i, &kept->value.v[i]);
  }
  text_list_free(part, is_list ? n : 0);
  return status;
}

static mbd_status add_all(evaluation *v, const option_expressions *later) {
  mbo_expressions *kept = &v->c->expressions;
  kept->v = calloc((size_t)later->n, sizeof *kept->v);
  if (!kept->v || !v->file || !v->varied || !v->design) { return ini_no_memory(v->f, v->err); }
  for (int i = 0; i < later->n; i++) {
    v->x = &later->v[i];
    MBD_TRY(add(v, &kept->v[kept->n++]));
  }
  return MBD_OK;
}

mbd_status run_numbers_evaluate(const ini_file *f, const option_expressions *later, mbo_run_config *c, mbd_error *err) {
  if (later->n == 0) { return MBD_OK; }
  evaluation v = {.f = f,
                  .c = c,
                  .file = calloc((size_t)c->ncase + 1, sizeof *v.file),
                  .varied = calloc((size_t)c->ndesign + 1, sizeof *v.varied),
                  .design = calloc((size_t)c->ndesign + 1, sizeof *v.design),
                  .err = err};
  const mbd_status status = add_all(&v, later);
  for (int i = 0; v.file && i <= c->ncase; i++) { mbo_model_file_destroy(v.file[i]); }
  free(v.file), free(v.varied), free(v.design);
  return status;
}
