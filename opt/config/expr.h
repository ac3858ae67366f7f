/* Expressions of named scalars, with exact derivatives: what a number of a model file may be.
 *
 *   + - * / ^, parentheses, sin cos tan asin acos atan atan2 sqrt exp log abs min max hypot pow, pi, names
 *
 * An expression is a list of operations in the order of evaluation; derivatives run through it backwards, second ones
 * forwards along a direction and then backwards. */
#ifndef MBO_EXPR_H
#define MBO_EXPR_H

#include <stddef.h>

#include "mbd/status.h"

enum { MBO_EXPR_NODES = 256, MBO_NAME_MOST = 127 }; /* operations of one expression; characters of a name */

typedef struct expr_node {
  int op;        /* place in the table of operations, base/operator.h */
  int a, b;      /* operands: earlier nodes; -1: none */
  double number; /* a number */
  int scalar;    /* a name: index into `names` */
} expr_node;

typedef struct mbo_expr {
  char *text; /* as written */
  int n;
  expr_node *node; /* [n] the last is the result */
  int nname;
  char **name; /* [nname] scalars it uses */
  int *index;  /* [nname] their places in a table of scalars; -1 until resolved */
} mbo_expr;

/* A decimal number at the start of text, with a point whatever the locale; *end: what follows. No hexadecimal, no
 * infinity, no NaN, no overflow: *end is text then. */
double mbo_decimal(const char *text, const char **end);
int mbo_number(const char *text, double *value); /* 1: the whole text is one */

/* Parse; MBD_BAD_INPUT tells the column, what was found and what was expected. */
mbd_status mbo_expr_parse(const char *text, mbo_expr *e, mbd_error *err);

/* The same with other names: name_span tells how many characters at the start of a text are one, 0: none, as before a function. */
mbd_status mbo_expr_parse_names(const char *text, size_t (*name_span)(const char *text), mbo_expr *e, mbd_error *err);
void mbo_expr_free(mbo_expr *e);

/* Is it a single name and nothing else? */
static inline int mbo_expr_is_name(const mbo_expr *e) {
  return e->n == 1 && e->nname == 1;
}

/* Another one of the same; 0: no memory, and nothing to free. */
int mbo_expr_copy(const mbo_expr *e, mbo_expr *copy);

/* The weighted sum of n expressions, whose names are resolved; zero weights and zeros leave theirs out. A text of its own: that of
 * the first. MBD_BAD_INPUT: more than MBO_EXPR_NODES operations. Nothing to free on failure. */
mbd_status mbo_expr_sum(int n, const double *weight, const mbo_expr *const *x, mbo_expr *sum, mbd_error *err);

/* A name becomes a number: x in a function of x, at one abscissa. Not after names are resolved. Returns
 * whether the expression has the name. */
int mbo_expr_bind(mbo_expr *e, const char *name, double value);

/* Value, and partial [nname] derivatives in its names (NULL: not wanted). scalar: values by `index`.
 * MBD_OUT_OF_DOMAIN for a value that is not finite. A derivative that does not exist (of sqrt at 0) comes back as
 * infinity or NaN: it matters only to whoever varies that name. */
mbd_status mbo_expr_eval(const mbo_expr *e, const double *scalar, double *value, double *partial, mbd_error *err);

/* Change dpartial [nname] of those derivatives along a direction [nname] in its names: the second derivatives times it.
 * Where mbo_expr_eval succeeds; not finite where a second derivative does not exist. abs, min and max have none. */
void mbo_expr_second(const mbo_expr *e, const double *scalar, const double *direction, double *dpartial);

#endif
