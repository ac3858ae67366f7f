/* Compiles derived quantities from their descriptions: joins the expressions of a quantity and of the quantities that it uses. */
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "base/operator.h"
#include "base/way.h"
#include "output/derived.h"

typedef struct compiler {
  const mbd_model *m;
  output_formula *f;
  int *end;  /* [nquantity] the operation that is its value; or: */
  int *path; /* [nquantity] quantities that are being compiled, each of which is used by the previous one */
  int depth;
  mbd_error *err;
} compiler;

enum { NOT_SEEN = -1, ON_PATH = -2 };

static mbd_status no_memory(const compiler *c, const model_quantity *quantity) {
  MBD_FAIL(c->err, MBD_NO_MEMORY, "no memory for %s '%s'", quantity->noun, quantity->name);
}

static mbd_status add_operation(const compiler *c, const model_quantity *quantity, mbd_operation o, int *at) {
  if (c->f->value.n >= DERIVED_MAX) {
    MBD_FAIL(c->err, MBD_BAD_INPUT, "%s '%s': more than %d operations, with those of what it is made of",
             quantity->noun, quantity->name, DERIVED_MAX);
  }
  *at = mbd_expression_append(&c->f->value, o);
  return *at < 0 ? no_memory(c, quantity) : MBD_OK;
}

static mbd_status add_leaf(const compiler *c, const model_quantity *quantity, mbd_leaf_kind is, int which, int *at) {
  output_formula *f = c->f;
  formula_leaf *grown = mbd_list_grow(f->leaf, f->nleaf, sizeof *grown);
  if (!grown) { return no_memory(c, quantity); }
  f->leaf = grown;
  grown[f->nleaf++] = (formula_leaf){is, which};
  return add_operation(c, quantity, (mbd_operation){.op = MBD_OP_LEAF, .a = f->nleaf - 1}, at);
}

/* The operation that reads an output, which exists once. */
static mbd_status add_output(compiler *c, const model_quantity *quantity, const char *name, int *at) {
  const output_formula *f = c->f;
  int first, count;
  MBD_TRY(mbd_locate(c->err, outputs_add(f->input, name, &first, &count, c->err), "%s '%s': ", quantity->noun,
                     quantity->name));
  if (count > 1) {
    MBD_FAIL(c->err, MBD_BAD_INPUT, "%s '%s': output '%s' has %d components, expected one of them: '%s.x' or '%s.norm'",
             quantity->noun, quantity->name, name, count, name, name);
  }
  for (*at = 0; *at < f->value.n; (*at)++) {
    const mbd_operation *o = &f->value.op[*at];
    if (o->op == MBD_OP_LEAF && f->leaf[o->a].is == MBD_LEAF_OUTPUT && f->leaf[o->a].at == first) { return MBD_OK; }
  }
  return add_leaf(c, quantity, MBD_LEAF_OUTPUT, first, at);
}

static mbd_status compile(compiler *c, int quantity, int *at);

/* The value of another quantity or of an output. */
static mbd_status add_named(compiler *c, const model_quantity *quantity, const char *name, int *at) {
  const int other = mbd_names_find(&c->m->quantity_names, name);
  return other >= 0 ? compile(c, other, at) : add_output(c, quantity, name, at);
}

/* "sum(PATTERN)", "mean(PATTERN)" */
static mbd_status add_sum(compiler *c, const model_quantity *quantity, const char *text, int *at) {
  /* The pattern between the parentheses. */
  const char *open = strchr(text, '('), *close = strrchr(text, ')');
  const int mean = strncmp(text, "mean", 4) == 0;
  char *pattern = open && close ? mbd_sprintf_dup("%.*s", (int)(close - open - 1), open + 1) : NULL;
  int count = 0, next;
  if (!pattern) { return no_memory(c, quantity); }
  /* The sum: each output or quantity that matches is added to the sum of those before. */
  char name[OUTPUT_NAME];
  mbd_status status = MBD_OK;
  for (output_search s = {.pattern = pattern}; status == MBD_OK && output_match(c->m, &s, name); count++) {
    status = add_named(c, quantity, name, &next);
    if (status != MBD_OK || count == 0) {
      *at = next;
      continue;
    }
    status = add_operation(c, quantity, (mbd_operation){.op = MBD_OP_ADD, .a = *at, .b = next}, at);
  }
  if (status == MBD_OK && count == 0) {
    status = MBD_FAILED(
        c->err, MBD_BAD_INPUT,
        "%s '%s': no output matches '%s'; expected OBJECT.QUANTITY, as in 'wheel_*.load', or names of quantities",
        quantity->noun, quantity->name, pattern);
  }
  free(pattern);
  /* The mean is the sum divided by the number of matches. */
  if (status != MBD_OK || !mean) { return status; }
  MBD_TRY(add_operation(c, quantity, (mbd_operation){.op = MBD_OP_NUMBER, .number = count}, &next));
  return add_operation(c, quantity, (mbd_operation){.op = MBD_OP_DIV, .a = *at, .b = next}, at);
}

static mbd_status compile_name(compiler *c, const model_quantity *quantity, const char *name, int *at) {
  const int is_sum = strncmp(name, "sum(", 4) == 0 || strncmp(name, "mean(", 5) == 0;
  return is_sum ? add_sum(c, quantity, name, at) : add_named(c, quantity, name, at);
}

/* place: where earlier operations of the quantity are in the formula. */
static mbd_status compile_operation(compiler *c, const model_quantity *quantity, mbd_operation o, const int *place,
                                    int *at) {
  const mbd_leaf *leaf = o.op == MBD_OP_LEAF ? &quantity->leaf[o.a] : NULL;
  if (leaf) {
    return leaf->is == MBD_LEAF_OUTPUT ? compile_name(c, quantity, leaf->output, at)
                                       : add_leaf(c, quantity, leaf->is, leaf->coef, at);
  }
  const int operands = mbd_operator_at(o.op)->operands;
  if (operands > 0) { o.a = place[o.a]; }
  if (operands > 1) { o.b = place[o.b]; }
  return add_operation(c, quantity, o, at);
}

static mbd_status circle(const compiler *c, int quantity) {
  const model_quantity *formula = c->m->quantity;
  mbd_way way = {0};
  int i = c->depth - 1;
  while (c->path[i] != quantity) { i--; }
  for (; i < c->depth; i++) { mbd_way_add(&way, formula[c->path[i]].name); }
  MBD_FAIL(c->err, MBD_BAD_INPUT, "quantity '%s' depends on itself: %s", formula[quantity].name,
           mbd_way_end(&way, formula[quantity].name));
}

/* Adds the operations of a description, with those of the quantities in it. *at: that of its value. */
static mbd_status compile_operations(compiler *c, const model_quantity *formula, int *at) {
  const int n = formula->value.n;
  int *place = calloc((size_t)n, sizeof *place);
  if (!place) { return no_memory(c, formula); }
  mbd_status status = MBD_OK;
  for (int i = 0; i < n && status == MBD_OK; i++) {
    status = compile_operation(c, formula, formula->value.op[i], place, &place[i]);
  }
  *at = place[n - 1];
  free(place);
  return status;
}

static mbd_status compile(compiler *c, int quantity, int *at) {
  const model_quantity *formula = &c->m->quantity[quantity];
  if (c->end[quantity] == ON_PATH) { return circle(c, quantity); }
  *at = c->end[quantity];
  if (*at != NOT_SEEN) { return MBD_OK; }
  c->end[quantity] = ON_PATH;
  c->path[c->depth++] = quantity;
  mbd_status status = compile_operations(c, formula, at);
  c->depth--;
  /* A quantity whose unit is stated ends with a separate operation, + 0, so that the unit does not overwrite that of
   * another quantity. */
  if (status == MBD_OK && *formula->unit) {
    mbd_operation end = {.op = MBD_OP_ADD, .a = *at};
    status = add_operation(c, formula, (mbd_operation){.op = MBD_OP_NUMBER}, &end.b);
    if (status == MBD_OK) { status = add_operation(c, formula, end, at); }
  }
  c->end[quantity] = *at;
  return status;
}

/* Operations behind the value, if a description has such, are left out. */
mbd_status derived_compile(const mbd_model *m, const model_quantity *formula, output_formula **out, mbd_error *err) {
  const size_t n = (size_t)m->nquantity + 1;
  const int is_listed = formula >= m->quantity && formula < m->quantity + m->nquantity;
  const int quantity = is_listed ? (int)(formula - m->quantity) : -1;
  compiler c = {.m = m,
                .f = *out = calloc(1, sizeof *c.f),
                .end = malloc(n * sizeof *c.end),
                .path = malloc(n * sizeof *c.path),
                .err = err};
  int value = 0;
  mbd_status status = c.f && c.end && c.path ? mbd_outputs_create(m, &c.f->input, err)
                                             : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for a quantity");
  for (int k = 0; c.end && k < m->nquantity; k++) { c.end[k] = NOT_SEEN; }
  if (status == MBD_OK) {
    status = is_listed ? compile(&c, quantity, &value) : compile_operations(&c, formula, &value);
  }
  if (status == MBD_OK) {
    c.f->value.n = value + 1;
    status = derived_check_units(m, c.f, formula, quantity, c.end, err);
  }
  free(c.end), free(c.path);
  return status;
}

/* What an output that was added is made of, if it is a derived quantity. */
static mbd_status complete(mbd_outputs *o, output *item, mbd_error *err) {
  if (item->of != &output_derived || item->formula) { return MBD_OK; }
  const mbd_status status = derived_compile(o->model, &o->model->quantity[item->object], &item->formula, err);
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

mbd_status mbd_outputs_add(mbd_outputs *o, const char *quantity, int *first, int *count, mbd_error *err) {
  MBD_TRY(outputs_add(o, quantity, first, count, err));
  return complete(o, &o->item[*first], err);
}

mbd_status mbd_outputs_copy(const mbd_outputs *from, mbd_outputs **out, mbd_error *err) {
  mbd_status status = mbd_outputs_create(from->model, out, err);
  for (int i = 0; status == MBD_OK && i < from->n; i++) {
    status = outputs_add_like(*out, &from->item[i], err);
    if (status == MBD_OK) { status = complete(*out, &(*out)->item[i], err); }
  }
  if (status != MBD_OK) {
    mbd_outputs_destroy(*out);
    *out = NULL;
    return status;
  }
  (*out)->nwatched = from->nwatched < 0 ? from->n : from->nwatched;
  (*out)->ncopied = from->n;
  return MBD_OK;
}
