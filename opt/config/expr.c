#include "config/expr.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/operator.h"

/* ---- parser ---- */

enum {
  DEEPEST = 200
}; /* levels of parentheses, signs and powers inside each other, which the parser reads recursively */

typedef struct parser {
  const char *text, *at;
  size_t (*name_span)(const char *text);
  mbo_expr *e;
  mbd_error *err;
  mbd_status status;
  int depth;
} parser;

static int expression(parser *p);

static int fail(parser *p, const char *expected) {
  if (p->status == MBD_OK) {
    char found[32];
    snprintf(found, sizeof found, "%.12s", p->at);
    p->status = MBD_FAILED(p->err, MBD_BAD_INPUT, "expression '%s', column %d: found %s%s%s, expected %s", p->text,
                           (int)(p->at - p->text) + 1, *p->at ? "'" : "", *p->at ? found : "the end", *p->at ? "'" : "",
                           expected);
  }
  return 0;
}

static void spaces(parser *p) {
  while (isspace((unsigned char)*p->at)) { p->at++; }
}

static int add_node(parser *p, expr_node n) {
  if (p->status != MBD_OK) { return 0; }
  if (p->e->n >= MBO_EXPR_NODES) { return fail(p, "a shorter expression"); }
  expr_node *grown = mbd_list_grow(p->e->node, p->e->n, sizeof *grown);
  if (!grown) {
    p->status = MBD_FAILED(p->err, MBD_NO_MEMORY, "no memory for an expression");
    return 0;
  }
  p->e->node = grown;
  grown[p->e->n] = n;
  return p->e->n++;
}

static int operation(parser *p, int op, int a, int b) {
  return add_node(p, (expr_node){.op = op, .a = a, .b = b});
}

static int number(parser *p, double v) {
  return add_node(p, (expr_node){.op = MBD_OP_NUMBER, .a = -1, .b = -1, .number = v});
}

static int name_node(parser *p, const char *name) {
  mbo_expr *e = p->e;
  int k = 0;
  while (k < e->nname && strcmp(e->name[k], name) != 0) { k++; }
  if (k == e->nname) {
    char **grown = mbd_list_grow(e->name, e->nname, sizeof *grown), *copy = mbd_strdup(name);
    if (grown) { e->name = grown; }
    if (!grown || !copy) {
      free(copy);
      p->status = MBD_FAILED(p->err, MBD_NO_MEMORY, "no memory for an expression");
      return 0;
    }
    grown[e->nname++] = copy;
  }
  return add_node(p, (expr_node){.op = MBD_OP_NAME, .a = -1, .b = -1, .scalar = k});
}

static int closing(parser *p, char c, const char *expected) {
  spaces(p);
  if (*p->at != c) { return fail(p, expected); }
  p->at++;
  return 1;
}

static int call(parser *p, const char *name, const char *start) {
  const int op = mbd_operator_find(name);
  if (op < 0) {
    mbd_nearest near = {.wanted = name};
    char hint[96], expected[160];
    for (int i = MBD_OP_FUNCTIONS; mbd_operator_at(i); i++) { mbd_nearest_offer(&near, mbd_operator_at(i)->name); }
    snprintf(expected, sizeof expected, "a function%s", mbd_nearest_text(&near, hint, sizeof hint));
    p->at = start;
    return fail(p, expected);
  }
  p->at++; /* ( */
  int a = expression(p), b = -1;
  if (mbd_operator_at(op)->operands == 2) {
    closing(p, ',', "',' and a second argument");
    b = expression(p);
  }
  closing(p, ')', "')'");
  return operation(p, op, a, b);
}

/* Returns the number of letters, digits and '_' at the start of a text. */
static size_t word_span(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_') { n++; }
  return n;
}

/* Returns the same with names of parts in front: "front_left.k". */
static size_t scalar_span(const char *text) {
  size_t n = word_span(text), next;
  while (n > 0 && text[n] == '.' && !isdigit((unsigned char)text[n + 1]) && (next = word_span(text + n + 1)) > 0) {
    n += 1 + next;
  }
  return n;
}

static int name_or_call(parser *p) {
  const char *start = p->at;
  const size_t n = p->name_span(start), word = word_span(start);
  const char *behind = start + word;
  char name[MBO_NAME_MOST + 1];
  if ((n ? n : word) > MBO_NAME_MOST) { return fail(p, "a shorter name"); }
  while (isspace((unsigned char)*behind)) { behind++; }
  const int is_call = *behind == '(' && n <= word;
  snprintf(name, sizeof name, "%.*s", (int)(is_call || !n ? word : n), start);
  p->at = is_call ? behind : start + strlen(name);
  if (is_call) { return call(p, name, start); }
  return strcmp(name, "pi") == 0 ? number(p, 3.14159265358979323846) : name_node(p, name);
}

static const char *digits(const char *s) {
  while (isdigit((unsigned char)*s)) { s++; }
  return s;
}

/* The end of [+-] digits [. digits] [e [+-] digits]; text itself if there is no digit. */
static const char *decimal_end(const char *text) {
  const char *s = text + (*text == '+' || *text == '-'), *end = digits(s);
  if (*end == '.') { end = digits(end + 1); }
  if (end == s || (end == s + 1 && *s == '.')) { return text; }
  if (*end == 'e' || *end == 'E') {
    const char *power = end + 1 + (end[1] == '+' || end[1] == '-');
    if (isdigit((unsigned char)*power)) { end = digits(power); }
  }
  return end;
}

/* Reads up to so many digits that a double represents them exactly: most numbers of repetitions. -1: the text is something else. */
static double whole_decimal(const char *text, const char *end) {
  double v = 0;
  if (end - text > 15 || digits(text) != end) { return -1; }
  for (; text < end; text++) { v = 10 * v + (*text - '0'); }
  return v;
}

double mbo_decimal(const char *text, const char **end) {
  *end = decimal_end(text);
  if (*end == text) { return 0; }
  const double whole = whole_decimal(text, *end);
  if (whole >= 0) { return whole; }
  locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0); /* a constant of the C library, which takes no memory */
  const char *first = text + (*text == '+' || *text == '-');
  const int is_hexadecimal =
      *first == '0' &&
      (first[1] == 'x' || first[1] == 'X'); /* hexadecimal, which is no number here: only its zero is read */
  double v = is_hexadecimal ? 0 : c ? strtod_l(text, NULL, c) : INFINITY;
  if (c) { freelocale(c); }
  if (isinf(v)) { *end = text; }
  return v;
}

int mbo_number(const char *text, double *value) {
  const char *end;
  *value = mbo_decimal(text, &end);
  return end != text && *end == '\0';
}

static int literal(parser *p) {
  const char *end;
  double v = mbo_decimal(p->at, &end);
  if (end == p->at) { return fail(p, "a number"); }
  p->at = end;
  return number(p, v);
}

static int primary(parser *p) {
  spaces(p);
  if (++p->depth > DEEPEST) { return fail(p, "fewer nested parentheses"); }
  int result;
  if (*p->at == '(') {
    p->at++;
    result = expression(p);
    closing(p, ')', "')'");
  } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
    result = literal(p);
  } else if (isalpha((unsigned char)*p->at) || *p->at == '_') {
    result = name_or_call(p);
  } else {
    result = fail(p, "a number, a name or '('");
  }
  p->depth--;
  return result;
}

static int unary(parser *p);

static int power(parser *p) {
  int a = primary(p);
  spaces(p);
  if (*p->at != '^') { return a; }
  if (++p->depth > DEEPEST) { return fail(p, "fewer powers of powers"); }
  p->at++;
  int b = unary(p); /* right associative, and 2^-3 */
  p->depth--;
  return operation(p, MBD_OP_POW, a, b);
}

static int unary(parser *p) {
  spaces(p);
  char sign = *p->at;
  if (sign != '+' && sign != '-') { return power(p); }
  if (++p->depth > DEEPEST) { return fail(p, "fewer signs"); }
  p->at++;
  int a = unary(p);
  p->depth--;
  return sign == '-' ? operation(p, MBD_OP_NEG, a, -1) : a;
}

/* Operands with one of two signs between them, from left to right. */
static int operations(parser *p, int (*operand)(parser *p), const char signs[2], const int op[2]) {
  int a = operand(p);
  for (;;) {
    spaces(p);
    const char c = *p->at;
    if ((c != signs[0] && c != signs[1]) || p->status != MBD_OK) { return a; }
    p->at++;
    const int b = operand(p);
    a = operation(p, op[c == signs[1]], a, b);
  }
}

static int product(parser *p) {
  return operations(p, unary, "*/", (const int[]){MBD_OP_MUL, MBD_OP_DIV});
}

static int expression(parser *p) {
  return operations(p, product, "+-", (const int[]){MBD_OP_ADD, MBD_OP_SUB});
}

mbd_status mbo_expr_parse(const char *text, mbo_expr *e, mbd_error *err) {
  return mbo_expr_parse_names(text, scalar_span, e, err);
}

mbd_status mbo_expr_parse_names(const char *text, size_t (*name_span)(const char *text), mbo_expr *e, mbd_error *err) {
  *e = (mbo_expr){.text = mbd_strdup(text)};
  if (!e->text) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for an expression"); }
  parser p = {.text = text, .at = text, .name_span = name_span, .e = e, .err = err, .status = MBD_OK};
  int result = expression(&p);
  spaces(&p);
  if (p.status == MBD_OK && *p.at) { fail(&p, "an operator or the end"); }
  if (p.status == MBD_OK && result != e->n - 1) { fail(&p, "one value"); }
  e->index = malloc(((size_t)e->nname + 1) * sizeof *e->index);
  if (!e->index && p.status == MBD_OK) { p.status = MBD_FAILED(err, MBD_NO_MEMORY, "no memory for an expression"); }
  for (int i = 0; e->index && i < e->nname; i++) { e->index[i] = -1; }
  if (p.status != MBD_OK) { mbo_expr_free(e); }
  return p.status;
}

void mbo_expr_free(mbo_expr *e) {
  for (int i = 0; i < e->nname; i++) { free(e->name[i]); }
  free(e->name), free(e->index), free(e->node), free(e->text);
  *e = (mbo_expr){0};
}

/* Copies text, nodes and names; a copy that is not whole is freed. */
int mbo_expr_copy(const mbo_expr *e, mbo_expr *copy) {
  const size_t nodes = (size_t)e->n * sizeof *e->node, names = (size_t)e->nname;
  *copy = (mbo_expr){.text = mbd_strdup(e->text),
                     .n = e->n,
                     .node = malloc(nodes + 1),
                     .name = calloc(names + 1, sizeof *copy->name),
                     .index = malloc((names + 1) * sizeof *copy->index)};
  int whole = copy->text && copy->node && copy->name && copy->index;
  for (int i = 0; whole && i < e->nname; i++) {
    copy->name[copy->nname] = mbd_strdup(e->name[i]);
    if (!copy->name[copy->nname]) {
      whole = 0;
      break;
    }
    copy->index[copy->nname++] = e->index[i];
  }
  if (whole) {
    memcpy(copy->node, e->node, nodes);
  } else {
    mbo_expr_free(copy);
  }
  return whole;
}

/* ---- sums ---- */

/* Appends a node of a sum. Returns 0: no memory, or too many; which of the two *many says. */
static int append_node(mbo_expr *e, expr_node n, int *many) {
  *many = e->n >= MBO_EXPR_NODES;
  expr_node *grown = *many ? NULL : mbd_list_grow(e->node, e->n, sizeof *grown);
  if (!grown) { return 0; }
  e->node = grown;
  grown[e->n++] = n;
  return 1;
}

/* Returns the place of a resolved name among those of a sum; -1: no memory. */
static int share_name(mbo_expr *e, const char *name, int index) {
  for (int k = 0; k < e->nname; k++) {
    if (e->index[k] == index) { return k; }
  }
  char **names = mbd_list_grow(e->name, e->nname, sizeof *names);
  if (names) { e->name = names; }
  int *places = names ? mbd_list_grow(e->index, e->nname, sizeof *places) : NULL;
  if (places) { e->index = places; }
  if (!places || !(names[e->nname] = mbd_strdup(name))) { return -1; }
  places[e->nname] = index;
  return e->nname++;
}

/* Appends weight times x to the sum; *last: its node. */
static int append_term(mbo_expr *e, double weight, const mbo_expr *x, int *last, int *many) {
  const int base = e->n;
  *many = 0;
  for (int i = 0; i < x->n; i++) {
    expr_node n = x->node[i];
    if (n.a >= 0) { n.a += base; }
    if (n.b >= 0) { n.b += base; }
    if (n.op == MBD_OP_NAME && (n.scalar = share_name(e, x->name[n.scalar], x->index[n.scalar])) < 0) { return 0; }
    if (!append_node(e, n, many)) { return 0; }
  }
  *last = e->n - 1;
  if (weight == 1) { return 1; }
  expr_node n = {.op = MBD_OP_NEG, .a = *last, .b = -1};
  if (weight != -1) {
    if (!append_node(e, (expr_node){.op = MBD_OP_NUMBER, .a = -1, .b = -1, .number = weight}, many)) { return 0; }
    n = (expr_node){.op = MBD_OP_MUL, .a = *last + 1, .b = *last};
  }
  *last = e->n;
  return append_node(e, n, many);
}

static int is_zero(const mbo_expr *x) {
  return x->n == 1 && x->node[0].op == MBD_OP_NUMBER && x->node[0].number == 0;
}

/* Appends each summand times its weight, and after the first one an addition; an empty sum is the number 0. */
mbd_status mbo_expr_sum(int n, const double *weight, const mbo_expr *const *x, mbo_expr *sum, mbd_error *err) {
  int result = -1, many = 0, whole = 1;
  *sum = (mbo_expr){.text = mbd_strdup(x[0]->text), .index = malloc(sizeof *sum->index)};
  whole = sum->text && sum->index;
  for (int i = 0; i < n && whole; i++) {
    int last = 0;
    if (weight[i] == 0 || is_zero(x[i])) { continue; }
    whole = append_term(sum, weight[i], x[i], &last, &many);
    if (whole && result >= 0) {
      whole = append_node(sum, (expr_node){.op = MBD_OP_ADD, .a = result, .b = last}, &many);
      last = sum->n - 1;
    }
    result = last;
  }
  if (whole && result < 0) { whole = append_node(sum, (expr_node){.op = MBD_OP_NUMBER, .a = -1, .b = -1}, &many); }
  if (whole) { return MBD_OK; }
  mbo_expr_free(sum);
  if (!many) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for an expression"); }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "with the place of its part it has more than %d operations; expected a shorter expression", MBO_EXPR_NODES);
}

int mbo_expr_bind(mbo_expr *e, const char *name, double value) {
  int k = 0;
  while (k < e->nname && strcmp(e->name[k], name) != 0) { k++; }
  if (k == e->nname) { return 0; }
  free(e->name[k]);
  memmove(e->name + k, e->name + k + 1, (size_t)(e->nname - k - 1) * sizeof *e->name);
  e->nname--;
  for (int i = 0; i < e->n; i++) {
    expr_node *n = &e->node[i];
    if (n->op != MBD_OP_NAME) { continue; }
    if (n->scalar == k) { *n = (expr_node){.op = MBD_OP_NUMBER, .a = -1, .b = -1, .number = value}; }
    if (n->op == MBD_OP_NAME && n->scalar > k) { n->scalar--; }
  }
  return 1;
}

static mbd_status out_of_domain(const mbo_expr *e, const expr_node *n, double a, double b, double v, mbd_error *err) {
  const char *operation = mbd_operator_at(n->op)->name;
  if (isnan(v)) { v = NAN; } /* without a sign */
  if (n->b >= 0) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "expression '%s': '%s' of %g and %g is %g", e->text, operation, a, b, v);
  }
  MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "expression '%s': '%s' of %g is %g", e->text, operation, a, v);
}

mbd_status mbo_expr_eval(const mbo_expr *e, const double *scalar, double *value, double *partial, mbd_error *err) {
  double v[MBO_EXPR_NODES], adjoint[MBO_EXPR_NODES];
  for (int i = 0; i < e->n; i++) {
    const expr_node *n = &e->node[i];
    if (n->op == MBD_OP_NUMBER) {
      v[i] = n->number;
    } else if (n->op == MBD_OP_NAME) {
      v[i] = scalar[e->index[n->scalar]];
    } else {
      double a = v[n->a], b = n->b >= 0 ? v[n->b] : 0;
      v[i] = mbd_re(mbd_operator_at(n->op)->f(a, b));
      if (!isfinite(v[i])) { return out_of_domain(e, n, a, b, v[i], err); }
    }
    adjoint[i] = 0;
  }
  /* cppcheck-suppress uninitvar ; an expression has one node at least */
  *value = v[e->n - 1];
  if (!partial) { return MBD_OK; }
  for (int i = 0; i < e->nname; i++) { partial[i] = 0; }
  adjoint[e->n - 1] = 1;
  for (int i = e->n - 1; i >= 0; i--) {
    const expr_node *n = &e->node[i];
    if (n->op == MBD_OP_NAME) { partial[n->scalar] += adjoint[i]; }
    if (n->op == MBD_OP_NUMBER || n->op == MBD_OP_NAME || adjoint[i] == 0) { continue; }
    mbd_real da = 0, db = 0;
    mbd_operator_at(n->op)->d(v[n->a], n->b >= 0 ? v[n->b] : 0, &da, &db);
    adjoint[n->a] += adjoint[i] * mbd_re(da);
    if (n->b >= 0) { adjoint[n->b] += adjoint[i] * mbd_re(db); }
  }
  return MBD_OK;
}

/* Returns the product, which is zero if either factor is: a variable that does not move has no effect even where the derivative is infinite. */
static double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

/* First derivatives of node i in its operands, and the derivatives of these along the direction. */
typedef struct local {
  double da, db, dda, ddb;
} local;

static local local_derivatives(const expr_node *n, const double *v, const double *dv) {
  const mbd_operator *op = mbd_operator_at(n->op);
  const double a = v[n->a], b = n->b >= 0 ? v[n->b] : 0, va = dv[n->a], vb = n->b >= 0 ? dv[n->b] : 0;
  mbd_real da = 0, db = 0;
  op->d(a, b, &da, &db);
  local q = {.da = mbd_re(da), .db = mbd_re(db)};
  if (!op->dd) { return q; }
  const mbd_curvature s = op->dd(a, b);
  q.dda = times(mbd_re(s.aa), va) + times(mbd_re(s.ab), vb);
  q.ddb = times(mbd_re(s.ab), va) + times(mbd_re(s.bb), vb);
  return q;
}

void mbo_expr_second(const mbo_expr *e, const double *scalar, const double *direction, double *dpartial) {
  double v[MBO_EXPR_NODES], dv[MBO_EXPR_NODES], bar[MBO_EXPR_NODES] = {0}, dbar[MBO_EXPR_NODES] = {0};
  local q[MBO_EXPR_NODES];
  for (int i = 0; i < e->n; i++) {
    const expr_node *n = &e->node[i];
    if (n->op == MBD_OP_NUMBER) {
      v[i] = n->number, dv[i] = 0;
    } else if (n->op == MBD_OP_NAME) {
      v[i] = scalar[e->index[n->scalar]], dv[i] = direction[n->scalar];
    } else {
      v[i] = mbd_re(mbd_operator_at(n->op)->f(v[n->a], n->b >= 0 ? v[n->b] : 0));
      q[i] = local_derivatives(n, v, dv);
      dv[i] = times(q[i].da, dv[n->a]) + (n->b >= 0 ? times(q[i].db, dv[n->b]) : 0);
    }
  }
  /* Reverse sweep: bar = d value / d node, and dbar, its derivative along the direction. */
  for (int p = 0; p < e->nname; p++) { dpartial[p] = 0; }
  bar[e->n - 1] = 1;
  for (int i = e->n - 1; i >= 0; i--) {
    const expr_node *n = &e->node[i];
    if (n->op == MBD_OP_NAME) { dpartial[n->scalar] += dbar[i]; }
    if (n->op == MBD_OP_NUMBER || n->op == MBD_OP_NAME) { continue; }
    bar[n->a] += times(bar[i], q[i].da);
    dbar[n->a] += times(dbar[i], q[i].da) + times(bar[i], q[i].dda);
    if (n->b < 0) { continue; }
    bar[n->b] += times(bar[i], q[i].db);
    dbar[n->b] += times(dbar[i], q[i].db) + times(bar[i], q[i].ddb);
  }
}
