#include "config/expr.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/nearest.h"
#include "base/operator.h"
#include "files/memory.h"

/* ---- parser ---- */

/* Levels of parentheses, signs and powers inside each other, which the parser reads recursively. */
enum { DEEPEST = 200 };

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

static int no_memory(parser *p) {
  if (p->status == MBD_OK) { p->status = MEMORY_NONE(p->err, "an expression"); }
  return 0;
}

static int append(parser *p, mbd_operation o) {
  if (p->status != MBD_OK) { return 0; }
  if (p->e->value.n >= MBO_EXPR_NODES) { return fail(p, "a shorter expression"); }
  const int at = mbd_expression_append(&p->e->value, o);
  return at < 0 ? no_memory(p) : at;
}

static int operation(parser *p, mbd_operator op, int a, int b) {
  return append(p, (mbd_operation){.op = op, .a = a, .b = b});
}

static int number(parser *p, double v) {
  return append(p, (mbd_operation){.op = MBD_OP_NUMBER, .number = v});
}

/* Returns the number of a name among those of an expression, which it becomes if it is not yet: of names that are resolved the scalar
 * counts, of others (index -1) the text. -1: no memory. */
static int share_name(mbo_expr *e, const char *name, int index) {
  for (int k = 0; k < e->nname; k++) {
    if (index >= 0 ? e->index[k] == index : strcmp(e->name[k], name) == 0) { return k; }
  }
  char **names = mbd_list_grow(e->name, e->nname, sizeof *names);
  if (names) { e->name = names; }
  int *places = names ? mbd_list_grow(e->index, e->nname, sizeof *places) : NULL;
  if (places) { e->index = places; }
  if (!places || !(names[e->nname] = mbd_strdup(name))) { return -1; }
  places[e->nname] = index;
  return e->nname++;
}

static int closing(parser *p, char c, const char *expected) {
  spaces(p);
  if (*p->at != c) { return fail(p, expected); }
  p->at++;
  return 1;
}

static int call(parser *p, const char *name, const char *start) {
  const int found = mbd_operator_find(name);
  if (found < 0) {
    mbd_nearest near = {.requested = name};
    char hint[MBD_HINT], expected[MBD_HINT + 16];
    const mbd_operator_info *function;
    for (mbd_operator i = MBD_OP_SIN; (function = mbd_operator_at(i)) != NULL; i++) {
      if (function->f) { mbd_nearest_offer(&near, function->name); }
    }
    snprintf(expected, sizeof expected, "a function%s", mbd_nearest_text(&near, hint, sizeof hint));
    p->at = start;
    return fail(p, expected);
  }
  p->at++; /* ( */
  const mbd_operator op = (mbd_operator)found;
  int a = expression(p), b = 0;
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
  while (isspace((unsigned char)*behind)) { behind++; }
  const int is_call = *behind == '(' && n <= word;
  const size_t length = is_call || !n ? word : n;
  /* The expression in integral(...) is no name of an object and may be longer. */
  if (length > MBO_NAME_MAX && strncmp(start, MBO_INTEGRAL, strlen(MBO_INTEGRAL)) != 0) {
    return fail(p, "a shorter name");
  }
  char *name = mbd_strndup(start, length);
  if (!name) { return no_memory(p); }
  int result;
  p->at = is_call ? behind : start + length;
  if (is_call) {
    result = call(p, name, start);
  } else if (strcmp(name, "pi") == 0) {
    result = number(p, 3.14159265358979323846);
  } else {
    const int leaf = share_name(p->e, name, -1);
    result = leaf < 0 ? no_memory(p) : operation(p, MBD_OP_LEAF, leaf, 0);
  }
  free(name);
  return result;
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
  /* hexadecimal, which is no number here: only its zero is read */
  const int is_hexadecimal = *first == '0' && (first[1] == 'x' || first[1] == 'X');
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
  return operation(p, MBD_OP_POWER, a, b);
}

static int unary(parser *p) {
  spaces(p);
  char sign = *p->at;
  if (sign != '+' && sign != '-') { return power(p); }
  if (++p->depth > DEEPEST) { return fail(p, "fewer signs"); }
  p->at++;
  int a = unary(p);
  p->depth--;
  return sign == '-' ? operation(p, MBD_OP_NEG, a, 0) : a;
}

/* Operands with one of two signs between them, from left to right. */
static int operations(parser *p, int (*operand)(parser *p), const char signs[2], const mbd_operator op[2]) {
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
  return operations(p, unary, "*/", (const mbd_operator[]){MBD_OP_MUL, MBD_OP_DIV});
}

static int expression(parser *p) {
  return operations(p, product, "+-", (const mbd_operator[]){MBD_OP_ADD, MBD_OP_SUB});
}

mbd_status mbo_expr_parse(const char *text, mbo_expr *e, mbd_error *err) {
  return mbo_expr_parse_names(text, scalar_span, e, err);
}

mbd_status mbo_expr_parse_names(const char *text, size_t (*name_span)(const char *text), mbo_expr *e, mbd_error *err) {
  *e = (mbo_expr){.text = mbd_strdup(text)};
  MEMORY_TRY(e->text, err, "an expression");
  parser p = {.text = text, .at = text, .name_span = name_span, .e = e, .err = err, .status = MBD_OK};
  int result = expression(&p);
  spaces(&p);
  if (p.status == MBD_OK && *p.at) { fail(&p, "an operator or the end"); }
  if (p.status == MBD_OK && result != e->value.n - 1) { fail(&p, "one value"); }
  if (p.status != MBD_OK) { mbo_expr_free(e); }
  return p.status;
}

void mbo_expr_free(mbo_expr *e) {
  for (int i = 0; i < e->nname; i++) { free(e->name[i]); }
  free(e->name), free(e->index), free(e->value.op), free(e->text);
  *e = (mbo_expr){0};
}

/* ---- sums ---- */

/* Appends an operation to a sum. Returns its number; -1: no memory, or too many operations; which of the two *many says. */
static int append_operation(mbo_expr *e, mbd_operation o, int *many) {
  *many = e->value.n >= MBO_EXPR_NODES;
  return *many ? -1 : mbd_expression_append(&e->value, o);
}

/* Appends weight times x to the sum. Returns the number of its last operation; -1 as above. */
static int append_term(mbo_expr *e, double weight, const mbo_expr *x, int *many) {
  const int base = e->value.n;
  int last = -1;
  *many = 0;
  for (int i = 0; i < x->value.n; i++) {
    mbd_operation o = x->value.op[i];
    if (o.op == MBD_OP_LEAF) {
      o.a = share_name(e, x->name[o.a], x->index[o.a]);
      if (o.a < 0) { return -1; }
    } else {
      o.a += base, o.b += base;
    }
    last = append_operation(e, o, many);
    if (last < 0) { return -1; }
  }
  if (weight == 1) { return last; }
  if (weight == -1) { return append_operation(e, (mbd_operation){.op = MBD_OP_NEG, .a = last}, many); }
  const int factor = append_operation(e, (mbd_operation){.op = MBD_OP_NUMBER, .number = weight}, many);
  return factor < 0 ? -1 : append_operation(e, (mbd_operation){.op = MBD_OP_MUL, .a = factor, .b = last}, many);
}

/* Appends each summand times its weight, and after the first one an addition; an empty sum is the number 0. */
mbd_status mbo_expr_sum(int n, const double *weight, const mbo_expr *const *x, mbo_expr *sum, mbd_error *err) {
  int last = -1, many = 0;
  *sum = (mbo_expr){.text = mbd_strdup(x[0]->text)};
  int whole = sum->text != NULL, any = 0;
  for (int i = 0; i < n && whole; i++) {
    const mbd_operation *only = x[i]->value.n == 1 ? x[i]->value.op : NULL;
    if (weight[i] == 0 || (only && only->op == MBD_OP_NUMBER && only->number == 0)) { continue; }
    const int before = last;
    last = append_term(sum, weight[i], x[i], &many);
    if (last >= 0 && any) {
      last = append_operation(sum, (mbd_operation){.op = MBD_OP_ADD, .a = before, .b = last}, &many);
    }
    whole = last >= 0, any = 1;
  }
  if (whole && !any) { whole = append_operation(sum, (mbd_operation){.op = MBD_OP_NUMBER}, &many) >= 0; }
  if (whole) { return MBD_OK; }
  mbo_expr_free(sum);
  MEMORY_TRY(many, err, "an expression");
  MBD_FAIL(err, MBD_BAD_INPUT,
           "with the place of its part it has more than %d operations; expected a shorter expression", MBO_EXPR_NODES);
}

int mbo_expr_copy(const mbo_expr *e, mbo_expr *copy) {
  int many;
  *copy = (mbo_expr){.text = mbd_strdup(e->text)};
  const int whole = copy->text && append_term(copy, 1, e, &many) >= 0;
  if (!whole) { mbo_expr_free(copy); }
  return whole;
}

int mbo_expr_bind(mbo_expr *e, const char *name, double value) {
  int k = 0;
  while (k < e->nname && strcmp(e->name[k], name) != 0) { k++; }
  if (k == e->nname) { return 0; }
  free(e->name[k]);
  memmove(e->name + k, e->name + k + 1, (size_t)(e->nname - k - 1) * sizeof *e->name);
  e->nname--;
  for (int i = 0; i < e->value.n; i++) {
    mbd_operation *o = &e->value.op[i];
    if (o->op != MBD_OP_LEAF || o->a < k) { continue; }
    *o = o->a > k ? (mbd_operation){.op = MBD_OP_LEAF, .a = o->a - 1}
                  : (mbd_operation){.op = MBD_OP_NUMBER, .number = value};
  }
  return 1;
}

/* ---- values and derivatives ---- */

/* Fails at operation i, whose value is not finite. */
static mbd_status out_of_domain(const mbo_expr *e, int i, const mbd_real *v, mbd_error *err) {
  const mbd_operation *o = &e->value.op[i];
  const mbd_operator_info *rule = mbd_operator_at(o->op);
  const double a = mbd_re(v[o->a]), value = mbd_re(v[i]), result = isnan(value) ? NAN : value; /* without a sign */
  if (rule->operands == 2) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "expression '%s': '%s' of %g and %g is %g", e->text, rule->name, a,
             mbd_re(v[o->b]), result);
  }
  MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "expression '%s': '%s' of %g is %g", e->text, rule->name, a, result);
}

static void read_names(const mbo_expr *e, const double *scalar, mbd_real *x) {
  for (int k = 0; k < e->nname; k++) { x[k] = scalar[e->index[k]]; }
}

/* to := the derivatives by the names, which are real: no name is complex in the build of the complex step either. */
static void take_partial(const mbo_expr *e, const mbd_real *xbar, double *to) {
  for (int k = 0; k < e->nname; k++) { to[k] = mbd_re(xbar[k]); }
}

mbd_status mbo_expr_eval(const mbo_expr *e, const double *scalar, double *value, double *partial, mbd_error *err) {
  mbd_real x[MBO_EXPR_NODES], v[MBO_EXPR_NODES], reverse[MBO_EXPR_NODES], xbar[MBO_EXPR_NODES];
  read_names(e, scalar, x);
  mbd_expression_values(&e->value, NULL, x, NULL, v, NULL);
  for (int i = 0; i < e->value.n; i++) {
    if (!isfinite(mbd_re(v[i])) && e->value.op[i].op > MBD_OP_LEAF) { return out_of_domain(e, i, v, err); }
  }
  *value = mbd_re(v[e->value.n - 1]);
  if (!partial) { return MBD_OK; }
  memset(xbar, 0, (size_t)e->nname * sizeof *xbar);
  mbd_expression_reverse(&e->value, NULL, v, NULL, 1, reverse, NULL, xbar);
  take_partial(e, xbar, partial);
  return MBD_OK;
}

void mbo_expr_second(const mbo_expr *e, const double *scalar, const double *direction, double *dpartial) {
  mbd_real x[MBO_EXPR_NODES], dx[MBO_EXPR_NODES], v[MBO_EXPR_NODES], dv[MBO_EXPR_NODES];
  mbd_real reverse[MBO_EXPR_NODES], dbar[MBO_EXPR_NODES], dxbar[MBO_EXPR_NODES];
  read_names(e, scalar, x);
  for (int k = 0; k < e->nname; k++) { dx[k] = direction[k]; }
  mbd_expression_values(&e->value, NULL, x, dx, v, dv);
  memset(dxbar, 0, (size_t)e->nname * sizeof *dxbar);
  mbd_expression_reverse(&e->value, NULL, v, dv, 1, reverse, dbar, dxbar);
  take_partial(e, dxbar, dpartial);
}
