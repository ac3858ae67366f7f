/* Forces by expression: values u_k(y_1, y_2, ..., theta, t) of quantities y_i along a line of action. Each quantity is a function of arguments,
 * so that the force is one as well: its arguments are those of the line, then those of the quantities that the line does not have. Here is the
 * mechanics of the lines; what is in an expression, and how it is evaluated at the arguments, is known above (output/acting.h).
 * theory.md §4.2 (4.13) */
#ifndef MBD_FORCE_EXPRESSION_H
#define MBD_FORCE_EXPRESSION_H

#include "base/v3.h"
#include "force/force.h"

struct mbd_model;
struct mbd_params;
struct params_reverse;
struct acting_value;

enum { EXPRESSION_VALUES = MBD_REF_MAX, EXPRESSION_PUSHED = MBD_ARG_MAX };

extern const mbd_force_ops mbd_force_expression; /* the row of the table, without a line */

/* The direction of value k on the first arguments of the line, d[k][a] [3]. */
typedef mbd_real line_direction[EXPRESSION_PUSHED][3];

typedef struct expression_line {
  mbd_force_ops
      ops;       /* with the arguments of the line; axes of a frame, which no name refers to, are appended to these */
  int nvalue;    /* number of expressions */
  int ngeometry; /* its first outputs, which are of the line alone */
  int frame;     /* place of the body among its references, along whose axes the values are components; -1: none */
  int npushed;   /* the first arguments of the line, on which it acts */
  void (*direct)(const mbd_element_input *in, line_direction *d);
  void (*bend)(const mbd_element_input *in, const mbd_real *u,
               mbd_real (*K)[ELEMENT_ARG_MAX][9]); /* K += u_k dd_k/dx */
  /* Of users' forces: derivatives of output k by the values. NULL: the outputs behind the first `ngeometry` are the values. */
  void (*by_values)(const mbd_element_input *in, int k, mbd_real *slope);
} expression_line;

const expression_line *expression_line_at(int i);              /* NULL past the end */
const expression_line *expression_line_find(const char *name); /* by its first key; NULL: there is none */

/* A force: its line, and its values, which lib/output compiles. A user's force with values has them here as well (force/user.c); its line is its own,
 * with the derivatives of its forces by the values in place of directions. */
typedef struct expression_law expression_law;
struct expression_law {
  const expression_line *line;
  mbd_force_ops ops;                 /* of the line, with all arguments; ops.law is this */
  const struct mbd_user_force *user; /* NULL: no user's force */
  expression_line own;               /* the line of a user's force */
  int frame;                         /* a body; -1: none */

  const struct mbd_model *m;
  struct acting_value *compiled; /* [nvalue], owned by lib/output */
  /* Value k at the arguments. Adds its derivatives by them to g_x, g_xd [narg][3]; NULL, both: not wanted. */
  mbd_real (*value)(const expression_law *law, int k, const mbd_element_input *in, mbd_real (*g_x)[3],
                    mbd_real (*g_xd)[3]);
  /* Its change along a direction of coefficients and time, with the arguments held. */
  mbd_real (*along)(const expression_law *law, int k, const mbd_element_input *in, const mbd_element_direction *d);
  /* The transpose: adds sum_k s_k times the derivatives of all values. */
  void (*reverse)(const expression_law *law, const struct mbd_params *p, const mbd_element_input *in, const mbd_real *s,
                  struct params_reverse *theta);
  int ncoef, *coef;   /* numbers of the coefficients in its values */
  int ncurve, *curve; /* numbers of the curves */
  int nforce, *force; /* numbers of the forces, not by expression themselves, whose outputs are in its values */
};

/* A force without values yet, in new memory; NULL: no memory. The owner frees it, and lib/output what is compiled. */
expression_law *expression_law_create(const expression_line *line);

/* H += d g' */
static inline void expression_add_outer(const mbd_real d[3], const mbd_real g[3], mbd_real H[9]) {
  for (int i = 0; i < 3; i++) { v3_axpy(H + 3 * i, d[i], g); }
}

/* K[a][b] += d_a g_x[b]', D[a][b] += d_a g_xd[b]': the slopes of the force by a value with direction d and derivatives g_x, g_xd. */
static inline void expression_add_slopes(const expression_law *law, const mbd_real (*d)[3], const mbd_real (*g_x)[3],
                                         const mbd_real (*g_xd)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                                         mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  for (int a = 0; a < law->line->npushed; a++) {
    for (int b = 0; b < law->ops.narg; b++) {
      expression_add_outer(d[a], g_x[b], K[a][b]), expression_add_outer(d[a], g_xd[b], D[a][b]);
    }
  }
}

/* The weights of the values in a weighted sum of forces on arguments, s_k = sum_a w_a . d_ka, and in s times output k. */
void expression_weights(const mbd_element_input *in, const mbd_real (*w)[3], mbd_real *weight);
void expression_scalar_weights(const mbd_element_input *in, int k, mbd_real s, mbd_real *weight);

#endif
