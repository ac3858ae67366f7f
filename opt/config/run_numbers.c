#include "config/run_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/model_file.h"

/* The model's scalars in each case. */
typedef struct evaluation {
  const ini_file *f;
  const option_expression *x; /* the present expression */
  mbo_run_config *c;
  mbo_model_file **file; /* [1 + ncase] with the scalars of the run, then of each case; NULL until needed */
  const char **varied;   /* [ndesign] scalars that are design variables, */
  int *design;           /* number of the section of each, */
  double *start;         /* and its start */
  int has_start;
  mbd_error *err;
} evaluation;

/* Puts the position of the present expression in front of the text of a failure, which quotes the expression. */
static mbd_status located_expression(const evaluation *v, const char *text, mbd_status status) {
  return ini_locate_expression(v->f, v->x->s, v->x->e, text, status, v->err);
}

/* ---- scalars ---- */

/* Makes the design variables vary. A scalar that does not exist or cannot vary is left out here; the mechanism's design reports it. */
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

mbd_status mbo_run_config_locate_model(const mbo_run_config *c, mbd_status status, mbd_error *err) {
  const size_t n = strlen(c->model_path);
  char line[16] = "";
  if (status == MBD_OK || !err || strncmp(err->text, c->model_path, n) != 0 || strncmp(err->text + n, ": ", 2) != 0) {
    return status; /* it has a line of the model file, or is about another file */
  }
  if (c->model.line > 0) { snprintf(line, sizeof line, ":%d", c->model.line); }
  return mbd_locate(err, status, "%s%s: [model] file = %s: ", c->path, line, c->model.file);
}

static mbd_status read_scalars(const evaluation *v, const mbo_case_config *of_case, mbo_model_file **m) {
  char *run = mbd_sprintf_dup("%s: ", v->c->path);
  if (!run) { return ini_no_memory(v->f, v->err); }
  mbd_status status = model_file_read_scalars(
      v->c->model_path, &(mbo_model_changes){.run = run, .scalars = &v->c->scalars, .of_case = of_case}, m, v->err);
  free(run);
  return mbo_run_config_locate_model(v->c, status, v->err);
}

/* Number of a case; -1: there is no such name. An empty name means the only case. */
static int find_case(const mbo_run_config *c, const char *name) {
  int k = c->ncase - 1;
  if (!*name) { return c->ncase == 1 ? 0 : -1; }
  while (k >= 0 && strcmp(c->cases[k].name, name) != 0) { k--; }
  return k;
}

/* The case whose scalars apply to a section. */
static int case_of(const evaluation *v) {
  const char *kind = v->x->s->kind;
  if (strcmp(kind, "case") == 0) { return find_case(v->c, v->x->s->name); }
  if (strcmp(kind, "measurement") == 0) {
    return find_case(v->c, ((const mbo_measurement_config *)v->x->base)->in_case);
  }
  if (strcmp(kind, "sensor") == 0) { return find_case(v->c, ((const mbo_sensor_config *)v->x->base)->in_case); }
  if (strcmp(kind, "objective") != 0 && strcmp(kind, "constraint") != 0) { return -1; }
  return find_case(v->c, ((const mbo_objective_config *)v->x->base)->in_case);
}

static mbd_status scalars_of(const evaluation *v, int k, mbo_model_file **m) {
  const mbo_case_config *of_case = k >= 0 && v->c->cases[k].scalars.name.n > 0 ? &v->c->cases[k] : NULL;
  mbo_model_file **place = &v->file[of_case ? 1 + k : 0];
  if (!*place) {
    MBD_TRY(read_scalars(v, of_case, place));
    MBD_TRY(vary(v, *place));
  }
  *m = *place;
  return MBD_OK;
}

/* ---- values ---- */

static mbd_status refuse_motion(const evaluation *v, int mover, const char *expected) {
  MBD_FAIL(v->err, MBD_BAD_INPUT, "moves with [design %s]; expected %s", v->c->design[v->design[mover]].name, expected);
}

/* rho := the start of the design variables: of the run, or of the model with the scalars of the first case. */
static mbd_status find_start(evaluation *v, int n) {
  mbo_model_file *m;
  int k;
  if (v->has_start) { return MBD_OK; }
  MBD_TRY(scalars_of(v, 0, &m));
  for (int i = 0; i < n; i++) {
    const mbo_design_config *d = &v->c->design[v->design[i]];
    MBD_TRY(model_file_scalar(m, v->varied[i], &k, v->err));
    v->start[i] = isnan(d->start) ? m->value[k] : d->start;
  }
  v->has_start = 1;
  return MBD_OK;
}

/* A step may vary with the duration if the number of steps is constant: the derivatives of step/duration are zero. */
static mbd_status check_step(evaluation *v, const mbo_model_file *m, const mbo_expr *step, int mover) {
  static const char expected[] = "a value that no design variable moves, or a constant part of a duration that moves";
  const char *duration = mbo_run_config_free_duration(v->c, v->x->s->name);
  char *text = duration ? mbd_sprintf_dup("(%s)/(%s)", step->text, duration) : NULL;
  double *row = calloc((size_t)m->n + 1, sizeof *row), ratio = 0;
  mbo_expr x = {0};
  mbd_status status = !duration     ? refuse_motion(v, mover, expected)
                      : text && row ? mbo_expr_parse(text, &x, v->err)
                                    : ini_no_memory(v->f, v->err);
  if (status == MBD_OK) { status = model_file_resolve(m, &x, v->err); }
  if (status == MBD_OK) { status = model_file_value(m, &x, &ratio, row, v->err); }
  for (int i = 0; i < m->n && status == MBD_OK; i++) {
    const double size = fmax(fabs(v->start[i]), 1e-6);
    if (fabs(row[i]) * size > 1e-9 * fabs(ratio)) { status = refuse_motion(v, mover, expected); }
  }
  mbo_expr_free(&x);
  free(text), free(row);
  return status;
}

/* Checks an expression that depends on a design variable. */
static mbd_status check_motion(evaluation *v, mbo_model_file *m, const mbo_expr *x, int mover, mbo_expression *kept) {
  const int in_case = strcmp(v->x->s->kind, "case") == 0;
  const int duration = in_case && strcmp(v->x->row.key, "duration") == 0;
  const int step = in_case && strcmp(v->x->row.key, "step") == 0;
  /* Bounds of a variable may be about its value in the model, which is that of the scalars until a start is set below. */
  if (strcmp(v->x->s->kind, "design") == 0) { return MBD_OK; }
  if (!duration && !step) {
    const int of_output = strcmp(v->x->s->kind, "objective") == 0 || strcmp(v->x->s->kind, "constraint") == 0;
    return refuse_motion(v, mover,
                         of_output
                             ? "a value that no design variable moves; [quantity NAME] value = OUTPUT - EXPRESSION "
                               "may contain one, and 'of' may name that quantity"
                             : "a value that no design variable moves; only the 'duration' of a case may");
  }
  /* The scalars, at the start of the design variables. */
  const int *start, *index;
  const double *value;
  double none;
  MBD_TRY(find_start(v, m->n));
  MBD_TRY(mbo_model_file_eval(m, v->start, &none, &start, &index, &value, v->err));
  kept->moves = duration;
  return step ? check_step(v, m, x, mover) : MBD_OK;
}

/* *m: the scalars of the expression, whose design variables are at their start; NULL: it has none. */
static mbd_status resolve(evaluation *v, mbo_expr *x, mbo_expression *kept, mbo_model_file **m) {
  *m = NULL;
  if (x->nname == 0) { return MBD_OK; }
  MBD_TRY(scalars_of(v, case_of(v), m));
  MBD_TRY(mbd_locate(v->err, model_file_resolve(*m, x, v->err), "expected a number or an expression; "));
  const int mover = model_file_mover(*m, x);
  return mover >= 0 ? check_motion(v, *m, x, mover, kept) : MBD_OK;
}

static mbd_status evaluate(evaluation *v, mbo_expr *x, mbo_expression *kept, double *value) {
  mbo_model_file *m;
  MBD_TRY(ini_locate(v->f, v->x->s, v->x->e, resolve(v, x, kept, &m), v->err));
  const mbd_status status = mbo_expr_eval(x, m ? m->value : NULL, value, NULL, v->err);
  return located_expression(v, x->text, status == MBD_OUT_OF_DOMAIN ? MBD_BAD_INPUT : status);
}

/* Stores the value of item i of a list, or of a number. */
static mbd_status put(evaluation *v, const char *text, int i, mbo_expression *kept) {
  double *value = &kept->value.v[i];
  mbo_expr x;
  MBD_TRY(located_expression(v, text, mbo_expr_parse(text, &x, v->err)));
  const mbd_status status = evaluate(v, &x, kept, value);
  mbo_expr_free(&x);
  MBD_TRY(status);
  return option_put_number(v->f, v->x, i, *value, v->err);
}

/* Stores the items of a list, or a number, and the expression for c. */
static mbd_status add(evaluation *v, mbo_expression *kept) {
  const option_expression *entry = v->x;
  char **part = NULL;
  const int is_list = entry->row.type == OPTION_NUMBERS, n = is_list ? ini_list(entry->e->value, &part) : 1;
  *kept = (mbo_expression){.kind = mbd_strdup(entry->s->kind),
                           .name = mbd_strdup(entry->s->name),
                           .key = mbd_strdup(entry->row.key),
                           .text = mbd_strdup(entry->e->value),
                           .value = {.n = n > 0 ? n : 0, .v = calloc((size_t)(n > 0 ? n : 1), sizeof(double))}};
  const int whole = n > 0 && kept->kind && kept->name && kept->key && kept->text && kept->value.v;
  mbd_status status = whole ? MBD_OK : ini_no_memory(v->f, v->err);
  for (int i = 0; i < n && status == MBD_OK; i++) { status = put(v, is_list ? part[i] : entry->e->value, i, kept); }
  text_list_free(part, is_list ? n : 0);
  return status;
}

static mbd_status add_all(evaluation *v, const option_expressions *later) {
  mbo_expressions *kept = &v->c->expressions;
  kept->v = calloc((size_t)later->n, sizeof *kept->v);
  if (!kept->v || !v->file || !v->varied || !v->design || !v->start) { return ini_no_memory(v->f, v->err); }
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
                  .start = calloc((size_t)c->ndesign + 1, sizeof *v.start),
                  .err = err};
  const mbd_status status = add_all(&v, later);
  for (int i = 0; v.file && i <= c->ncase; i++) { mbo_model_file_destroy(v.file[i]); }
  free(v.file), free(v.varied), free(v.design), free(v.start);
  return status;
}

const char *mbo_run_config_free_duration(const mbo_run_config *c, const char *name_of_case) {
  for (int i = 0; i < c->expressions.n; i++) {
    const mbo_expression *value = &c->expressions.v[i];
    if (value->moves && strcmp(value->name, name_of_case) == 0) { return value->text; }
  }
  return NULL;
}
