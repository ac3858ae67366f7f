/* Expressions of named scalars with exact derivatives. A number of a model file may be such an expression.
 *
 *   + - * / ^, parentheses, sin cos tan asin acos atan atan2 sqrt exp log abs min max hypot pow, pi, names
 *
 * The parser makes a list of operations of them (mbd/expression.h), which is all that evaluation needs (base/expression.h). */
#ifndef MBO_EXPR_H
#define MBO_EXPR_H

#include <stddef.h>

#include "mbd/expression.h"
#include "mbd/status.h"

#define MBO_INTEGRAL \
  "integral(" /* with what follows up to its parenthesis a name, of a state whose rate stands there */

enum { MBO_EXPR_NODES = 256, MBO_NAME_MAX = 127 }; /* operations of one expression; characters of a name */

typedef struct mbo_expr {
  char *text;           /* as written */
  mbd_expression value; /* leaf k is the name k */
  int nname;
  char **name; /* [nname] scalars it uses */
  int *index;  /* [nname] their places in a table of scalars; -1 until resolved */
} mbo_expr;

/* A decimal number at the start of text, with a point in every locale; *end: the text after it. Hexadecimal numbers, infinity, NaN and
 * overflow are refused: *end is text then. */
double mbo_decimal(const char *text, const char **end);
int mbo_number(const char *text, double *value); /* 1: the whole text is one */

/* Parses an expression; the text of MBD_BAD_INPUT has the column, what was found and what was expected. */
mbd_status mbo_expr_parse(const char *text, mbo_expr *e, mbd_error *err);

/* The same with another rule for names: name_span returns the number of characters of the name at the start of a text, 0: there is none,
 * for example before a function. */
mbd_status mbo_expr_parse_names(const char *text, size_t (*name_span)(const char *text), mbo_expr *e, mbd_error *err);
void mbo_expr_free(mbo_expr *e);

/* Is it a single name? */
static inline int mbo_expr_is_name(const mbo_expr *e) {
  return e->value.n == 1 && e->nname == 1;
}

/* Copies an expression whose names are not resolved; 0: no memory, and there is nothing to free. */
int mbo_expr_copy(const mbo_expr *e, mbo_expr *copy);

/* The weighted sum of n expressions, whose names are resolved; terms that are zero or have zero weight are left out. Its text is that of
 * the first expression. MBD_BAD_INPUT: more than MBO_EXPR_NODES operations. There is nothing to free on failure. */
mbd_status mbo_expr_sum(int n, const double *weight, const mbo_expr *const *x, mbo_expr *sum, mbd_error *err);

/* Replaces a name by a number, for example x in a function of x by an abscissa. Not after names are resolved. Returns whether the
 * expression has the name. */
int mbo_expr_bind(mbo_expr *e, const char *name, double value);

/* Value, and derivatives partial [nname] in its names (NULL: not wanted). scalar: values by `index`. MBD_OUT_OF_DOMAIN for a value that
 * is not finite. A derivative that does not exist (of sqrt at 0) is returned as infinity or NaN; it matters only to callers that vary
 * this name. */
mbd_status mbo_expr_eval(const mbo_expr *e, const double *scalar, double *value, double *partial, mbd_error *err);

/* Derivative dpartial [nname] of the first derivatives along a direction [nname] in its names: the matrix of second derivatives times
 * the direction. To be called where mbo_expr_eval succeeds; not finite where a second derivative does not exist. Second derivatives of
 * abs, min and max are zero. */
void mbo_expr_second(const mbo_expr *e, const double *scalar, const double *direction, double *dpartial);

#endif
