/* Compiles derived quantities from their descriptions: joins the formulas of a quantity and of the quantities that it
 * uses. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/operator.h"
#include "base/way.h"
#include "output/derived.h"

typedef struct compiler {
  const mbd_model *m;
  output_formula *f;
  int *seen; /* [nquantity] 0: not yet; ON_PATH; else 1 + the node of its value */
  int *path; /* [nquantity] quantities that are being compiled, each of which is used by the previous one */
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

/* The node of input i, which exists once. */
static mbd_status add_input(compiler *c, const model_quantity *q, int i, int *at) {
  for (*at = 0; *at < c->f->n; (*at)++) {
    if (c->f->node[*at].input == i) { return MBD_OK; }
  }
  return add_node(c, q, (derived_node){.op = MBD_OP_NAME, .input = i, .coef = -1}, at);
}

static mbd_status add_output(compiler *c, const model_quantity *q, const char *name, int *at) {
  int first, count;
  MBD_TRY(mbd_locate(c->err, outputs_add(c->f->input, name, &first, &count, c->err), "quantity '%s': ", q->name));
  if (count > 1) {
    MBD_FAIL(c->err, MBD_BAD_INPUT,
             "quantity '%s': output '%s' has %d components, expected one of them: '%s.x' or '%s.norm'", q->name, name,
             count, name, name);
  }
  return add_input(c, q, first, at);
}

static mbd_status compile(compiler *c, int quantity, int *at);

/* The value of another quantity or of an output. */
static mbd_status add_named(compiler *c, const model_quantity *q, const char *name, int *at) {
  const int other = mbd_names_find(&c->m->quantity_names, name);
  return other >= 0 ? compile(c, other, at) : add_output(c, q, name, at);
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
    status = add_named(c, q, name, &next);
    if (status != MBD_OK || count == 0) {
      *at = next;
      continue;
    }
    status = add_node(c, q, (derived_node){.op = MBD_OP_ADD, .a = *at, .b = next, .input = -1, .coef = -1}, at);
  }
  if (status == MBD_OK && count == 0) {
    status = MBD_FAILED(
        c->err, MBD_BAD_INPUT,
        "quantity '%s': no output matches '%s'; expected OBJECT.QUANTITY, as in 'wheel_*.load', or names of quantities",
        q->name, pattern);
  }
  free(pattern);
  if (status != MBD_OK || !mean) { return status; }
  MBD_TRY(add_node(c, q, (derived_node){.op = MBD_OP_NUMBER, .number = count, .input = -1, .coef = -1}, &next));
  return add_node(c, q, (derived_node){.op = MBD_OP_DIV, .a = *at, .b = next, .input = -1, .coef = -1}, at);
}

static mbd_status compile_name(compiler *c, const model_quantity *q, const char *name, int *at) {
  const int is_sum = strncmp(name, "sum(", 4) == 0 || strncmp(name, "mean(", 5) == 0;
  return is_sum ? add_sum(c, q, name, at) : add_named(c, q, name, at);
}

static mbd_status compile_operation(compiler *c, const model_quantity *q, const quantity_operation *operation,
                                    const int *place, int *at) {
  if (operation->output) { return compile_name(c, q, operation->output, at); }
  derived_node n = {.op = operation->op,
                    .number = operation->number,
                    .input = -1,
                    .coef = operation->op == MBD_OP_NAME ? operation->coef : -1};
  if (operation->op != MBD_OP_NAME && operation->op != MBD_OP_NUMBER) {
    n.a = place[operation->a], n.b = operation->b >= 0 ? place[operation->b] : -1;
  }
  return add_node(c, q, n, at);
}

/* The end of a quantity whose unit is stated. It has a separate node, so that the unit does not overwrite that of
 * another quantity. */
static mbd_status compile_end(compiler *c, const model_quantity *q, int *at) {
  if (!*q->unit) { return MBD_OK; }
  derived_node n = {.op = MBD_OP_ADD, .a = *at, .input = -1, .coef = -1, .stated = q->unit};
  MBD_TRY(add_node(c, q, (derived_node){.op = MBD_OP_NUMBER, .input = -1, .coef = -1}, &n.b));
  return add_node(c, q, n, at);
}

static mbd_status circle(const compiler *c, int quantity) {
  const model_quantity *q = c->m->quantity;
  mbd_way way = {0};
  int i = c->depth - 1;
  while (c->path[i] != quantity) { i--; }
  for (; i < c->depth; i++) { mbd_way_add(&way, q[c->path[i]].name); }
  MBD_FAIL(c->err, MBD_BAD_INPUT, "quantity '%s' depends on itself: %s", q[quantity].name,
           mbd_way_end(&way, q[quantity].name));
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

/* *item->formula, of an output that has none yet. */
static mbd_status make_formula(const mbd_model *m, output *item, mbd_error *err) {
  compiler c = {.m = m,
                .f = item->formula = calloc(1, sizeof *c.f),
                .seen = calloc((size_t)m->nquantity + 1, sizeof *c.seen),
                .path = calloc((size_t)m->nquantity + 1, sizeof *c.path),
                .err = err};
  mbd_status status = c.f && c.seen && c.path ? mbd_outputs_create(m, &c.f->input, err)
                                              : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for a quantity");
  if (status == MBD_OK) { status = compile(&c, item->object, &c.f->value); }
  if (status == MBD_OK) { status = derived_check_units(c.f, &m->quantity[item->object], err); }
  free(c.seen), free(c.path);
  return status;
}

mbd_status mbd_outputs_add(mbd_outputs *o, const char *quantity, int *first, int *count, mbd_error *err) {
  MBD_TRY(outputs_add(o, quantity, first, count, err));
  output *item = &o->item[*first];
  if (item->of != &output_derived || item->formula) { return MBD_OK; }
  const mbd_status status = make_formula(o->model, item, err);
  if (status != MBD_OK) {
    outputs_drop_last(o);
    return status;
  }
  for (int i = 0; i < item->formula->input->n; i++) {
    output *part = &item->formula->input->item[i];
    if (part->turn >= 0) { part->turn = o->nturn++; }
  }
  return MBD_OK;
}
