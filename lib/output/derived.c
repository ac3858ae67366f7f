/* Derived quantities: y(y_1, ..., y_k, theta, t) of other outputs, by an expression.
 *   y' = sum_i (dy/dy_i) y_i' + (dy/dtheta) theta',   so that every derivative of an output goes through those of its parts */
#include "output/derived.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/operator.h"

/* ---- compilation ---- */

typedef struct compiler {
  const mbd_model *m;
  output_formula *f;
  int *seen; /* [nquantity] 0: not yet; ON_PATH; else 1 + the node of its value */
  int *path; /* [nquantity] those that are being compiled, each part of the one before */
  int depth;
  mbd_error *err;
} compiler;

enum { ON_PATH = -1 };

static mbd_status add_node(compiler *c, const model_quantity *q, derived_node n, int *at) {
  output_formula *f = c->f;
  if (f->n >= DERIVED_MOST) {
    MBD_FAIL(c->err, MBD_BAD_INPUT, "quantity '%s': more than %d operations, with those of what it is made of", q->name,
             DERIVED_MOST);
  }
  derived_node *grown = mbd_list_grow(f->node, f->n, sizeof *grown);
  if (!grown) { MBD_FAIL(c->err, MBD_NO_MEMORY, "no memory for quantity '%s'", q->name); }
  f->node = grown;
  *at = f->n;
  grown[f->n++] = n;
  return MBD_OK;
}

/* The node of input i, which is there once. */
static mbd_status add_input(compiler *c, const model_quantity *q, int i, int *at) {
  for (*at = 0; *at < c->f->n; (*at)++) {
    if (c->f->node[*at].input == i) { return MBD_OK; }
  }
  return add_node(c, q, (derived_node){.op = MBD_OP_NAME, .input = i, .coef = -1}, at);
}

static mbd_status add_output(compiler *c, const model_quantity *q, const char *name, int *at) {
  int first, count;
  MBD_TRY(mbd_locate(c->err, mbd_outputs_add(c->f->input, name, &first, &count, c->err), "quantity '%s': ", q->name));
  if (count > 1) {
    MBD_FAIL(c->err, MBD_BAD_INPUT,
             "quantity '%s': output '%s' has %d components, expected one of them: '%s.x' or '%s.norm'", q->name, name,
             count, name, name);
  }
  return add_input(c, q, first, at);
}

/* "sum(PATTERN)", "mean(PATTERN)" */
static mbd_status add_sum(compiler *c, const model_quantity *q, const char *text, int *at) {
  const char *open = strchr(text, '('), *close = strrchr(text, ')');
  const int mean = strncmp(text, "mean", 4) == 0;
  char *pattern = open && close ? mbd_sprintf_dup("%.*s", (int)(close - open - 1), open + 1) : NULL;
  int count = 0, next;
  if (!pattern) { MBD_FAIL(c->err, MBD_NO_MEMORY, "no memory for quantity '%s'", q->name); }
  char name[OUTPUT_NAME];
  mbd_status status = MBD_OK;
  for (output_search s = {.pattern = pattern}; status == MBD_OK && output_match(c->m, &s, name); count++) {
    status = add_output(c, q, name, &next);
    if (status != MBD_OK || count == 0) {
      *at = next;
      continue;
    }
    status = add_node(c, q, (derived_node){.op = MBD_OP_ADD, .a = *at, .b = next, .input = -1, .coef = -1}, at);
  }
  if (status == MBD_OK && count == 0) {
    status = MBD_FAILED(c->err, MBD_BAD_INPUT,
                        "quantity '%s': no output matches '%s'; expected OBJECT.QUANTITY, as in 'wheel_*.load'",
                        q->name, pattern);
  }
  free(pattern);
  if (status != MBD_OK || !mean) { return status; }
  MBD_TRY(add_node(c, q, (derived_node){.op = MBD_OP_NUMBER, .number = count, .input = -1, .coef = -1}, &next));
  return add_node(c, q, (derived_node){.op = MBD_OP_DIV, .a = *at, .b = next, .input = -1, .coef = -1}, at);
}

static mbd_status compile(compiler *c, int quantity, int *at);

static mbd_status compile_name(compiler *c, const model_quantity *q, const char *name, int *at) {
  const int other = mbd_names_find(&c->m->quantity_names, name);
  if (strchr(name, '(') && (strncmp(name, "sum", 3) == 0 || strncmp(name, "mean", 4) == 0)) {
    return add_sum(c, q, name, at);
  }
  return other >= 0 ? compile(c, other, at) : add_output(c, q, name, at);
}

static mbd_status compile_operation(compiler *c, const model_quantity *q, const quantity_operation *o, const int *place,
                                    int *at) {
  if (o->output) { return compile_name(c, q, o->output, at); }
  derived_node n = {.op = o->op, .number = o->number, .input = -1, .coef = o->op == MBD_OP_NAME ? o->coef : -1};
  if (o->op != MBD_OP_NAME && o->op != MBD_OP_NUMBER) { n.a = place[o->a], n.b = o->b >= 0 ? place[o->b] : -1; }
  return add_node(c, q, n, at);
}

/* The end of a quantity, of a node of its own, so that nobody else's unit stands there. */
static mbd_status compile_end(compiler *c, const model_quantity *q, int *at) {
  derived_node n = {.op = MBD_OP_ADD, .a = *at, .input = -1, .coef = -1, .stated = q->unit};
  MBD_TRY(add_node(c, q, (derived_node){.op = MBD_OP_NUMBER, .input = -1, .coef = -1}, &n.b));
  return add_node(c, q, n, at);
}

/* "a -> b -> c -> a"; of a long way, its beginning. */
static mbd_status circle(const compiler *c, int quantity) {
  const model_quantity *q = c->m->quantity;
  char text[400] = "";
  size_t n = 0;
  int i = c->depth - 1;
  while (c->path[i] != quantity) { i--; }
  for (; i < c->depth && n < sizeof text / 2; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "%.100s -> ", q[c->path[i]].name);
  }
  MBD_FAIL(c->err, MBD_BAD_INPUT, "quantity '%s' depends on itself: %s%s%s", q[quantity].name, text,
           i < c->depth ? "... -> " : "", q[quantity].name);
}

static mbd_status compile(compiler *c, int quantity, int *at) {
  const model_quantity *q = &c->m->quantity[quantity];
  if (c->seen[quantity] == ON_PATH) { return circle(c, quantity); }
  *at = c->seen[quantity] - 1;
  if (c->seen[quantity]) { return MBD_OK; }
  int *place = calloc((size_t)q->n, sizeof *place);
  if (!place) { MBD_FAIL(c->err, MBD_NO_MEMORY, "no memory for quantity '%s'", q->name); }
  mbd_status status = MBD_OK;
  c->seen[quantity] = ON_PATH;
  c->path[c->depth++] = quantity;
  for (int i = 0; i < q->n && status == MBD_OK; i++) { status = compile_operation(c, q, &q->op[i], place, &place[i]); }
  *at = place[q->n - 1];
  c->depth--;
  free(place);
  if (status == MBD_OK) { status = compile_end(c, q, at); }
  c->seen[quantity] = *at + 1;
  return status;
}

mbd_status derived_create(const mbd_model *m, int quantity, output_formula **out, mbd_error *err) {
  compiler c = {.m = m,
                .f = calloc(1, sizeof *c.f),
                .seen = calloc((size_t)m->nquantity + 1, sizeof *c.seen),
                .path = calloc((size_t)m->nquantity + 1, sizeof *c.path),
                .err = err};
  int value;
  mbd_status status = c.f && c.seen && c.path ? mbd_outputs_create(m, &c.f->input, err)
                                              : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for a quantity");
  if (status == MBD_OK) { status = compile(&c, quantity, &value); }
  if (status == MBD_OK) { status = derived_check_units(c.f, &m->quantity[quantity], err); }
  free(c.seen), free(c.path);
  if (status != MBD_OK) { derived_destroy(c.f), c.f = NULL; }
  *out = c.f;
  return status;
}

void derived_destroy(output_formula *f) {
  if (!f) { return; }
  mbd_outputs_destroy(f->input);
  free(f->node);
  free(f);
}

/* ---- value and derivatives ---- */

static output_at input_at(const output_at *at, int i) {
  return (output_at){at->w, at->m, &at->o->formula->input->item[i], at->lam, at->dlam};
}

static mbd_real leaf(const output_at *at, const derived_node *n) {
  if (n->op == MBD_OP_NUMBER) { return n->number; }
  if (n->coef >= 0) { return at->w->p->theta[n->coef]; }
  if (n->input < 0) { return at->w->t; }
  const output_at part = input_at(at, n->input);
  return part.o->ops->value(&part);
}

/* v [n] */
static mbd_real evaluate(const output_at *at, mbd_real *v) {
  const output_formula *f = at->o->formula;
  for (int i = 0; i < f->n; i++) {
    const derived_node *n = &f->node[i];
    const mbd_operator *op = mbd_operator_at(n->op);
    v[i] = op->operands ? op->f(v[n->a], op->operands == 2 ? v[n->b] : 0) : leaf(at, n);
  }
  return v[f->n - 1];
}

static mbd_real value(const output_at *at) {
  mbd_real v[DERIVED_MOST];
  return evaluate(at, v);
}

/* bar [n]: the derivative of the value in each node, backwards from the last, whose own is `scale`. */
static void sensitivities(const output_at *at, mbd_real scale, mbd_real *bar) {
  const output_formula *f = at->o->formula;
  mbd_real v[DERIVED_MOST];
  evaluate(at, v);
  memset(bar, 0, (size_t)f->n * sizeof *bar);
  bar[f->n - 1] = scale;
  for (int i = f->n - 1; i >= 0; i--) {
    const derived_node *n = &f->node[i];
    const mbd_operator *op = mbd_operator_at(n->op);
    mbd_real da = 0, db = 0;
    if (!op->operands || bar[i] == 0) { continue; }
    op->d(v[n->a], op->operands == 2 ? v[n->b] : 0, &da, &db);
    bar[n->a] += bar[i] * da;
    if (op->operands == 2) { bar[n->b] += bar[i] * db; }
  }
}

static void add_scaled(int n, mbd_real s, const mbd_real *x, mbd_real *y) {
  for (int i = 0; i < n; i++) { y[i] += s * x[i]; }
}

static void gradient(const output_at *at, const output_row *g) {
  const output_formula *f = at->o->formula;
  const int nz = at->m->nz, nphi = at->m->nphi;
  mbd_real bar[DERIVED_MOST], *row = at->w->row;
  const output_row part = {row, row + nz, row + 2 * nz, row + 3 * nz};
  sensitivities(at, 1, bar);
  for (int i = 0; i < f->n; i++) {
    if (f->node[i].input < 0 || bar[i] == 0) { continue; }
    const output_at in = input_at(at, f->node[i].input);
    memset(row, 0, (size_t)(3 * nz + nphi) * sizeof *row);
    in.o->ops->rows(&in, &part);
    add_scaled(nz, bar[i], part.z, g->z), add_scaled(nz, bar[i], part.zd, g->zd);
    add_scaled(nz, bar[i], part.zdd, g->zdd), add_scaled(nphi, bar[i], part.lam, g->lam);
  }
}

static mbd_real direction(const output_at *at) {
  const output_formula *f = at->o->formula;
  const mbd_dparams *d = at->w->vary.d;
  mbd_real bar[DERIVED_MOST], dy = 0;
  sensitivities(at, 1, bar);
  for (int i = 0; i < f->n; i++) {
    const derived_node *n = &f->node[i];
    if (bar[i] == 0) { continue; }
    if (n->input >= 0) {
      const output_at in = input_at(at, n->input);
      dy += bar[i] * in.o->ops->direction(&in);
    } else if (n->coef >= 0 && d) {
      dy += bar[i] * d->dtheta[n->coef];
    }
  }
  return dy;
}

static void pull(const output_at *at, mbd_real s, const output_back *to) {
  const output_formula *f = at->o->formula;
  mbd_real bar[DERIVED_MOST];
  sensitivities(at, s, bar);
  for (int i = 0; i < f->n; i++) {
    const derived_node *n = &f->node[i];
    if (bar[i] == 0) { continue; }
    if (n->input >= 0) {
      const output_at in = input_at(at, n->input);
      in.o->ops->pull(&in, bar[i], to);
    } else if (n->coef >= 0) {
      to->q->theta->theta[n->coef] += bar[i];
    }
  }
}

/* ---- the row ---- */

static const char *name(const mbd_model *m, int i) {
  return i == m->nquantity ? NULL : m->quantity[i].name;
}

static int find(const mbd_model *m, const char *asked) {
  return mbd_names_find(&m->quantity_names, asked);
}

static const char *unit_of(const mbd_model *m, const output *o) {
  return m->quantity[o->object].unit;
}

static mbd_status make(const mbd_model *m, output *o, mbd_error *err) {
  return derived_create(m, o->object, &o->formula, err);
}

static const output_ops rows[] = {{.quantity = "",
                                   .unit_of = unit_of,
                                   .doc = "derived quantity, by [quantity NAME]",
                                   .make = make,
                                   .value = value,
                                   .rows = gradient,
                                   .direction = direction,
                                   .pull = pull},
                                  {0}};

const output_object output_derived = {.word = "QUANTITY", .noun = "quantity", .row = rows, .name = name, .find = find};
