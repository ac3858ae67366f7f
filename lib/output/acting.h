/* Values that act: the expressions of forces of type "expression" (force/expression.h), compiled like derived quantities and evaluated at the
 * arguments of the force. A quantity in such a value is a function of arguments that are among those of the force,
 *   u = u(y_1, y_2, ..., theta, t),     du/dx_a = sum_i (du/dy_i) dy_i/dx_a,   and so by xd_a, theta and t               theory.md §4.2 (4.13) */
#ifndef MBD_ACTING_H
#define MBD_ACTING_H

#include "output/derived.h"

typedef struct acting_value {
  output_formula *formula;
  unsigned char (*place)[ELEMENT_ARG_MAX]; /* [inputs] which arguments of the force are those of each quantity */
} acting_value;

/* 1: an output of a force, and not the length or speed of its line. */
static inline int acting_reads_force(const mbd_model *m, const output *o) {
  const expression_law *law = o->of == &output_forces ? m->force[o->object].expression : NULL;
  const int of_line = law && !force_output_is_power(o) && o->own_word < law->line->ngeometry;
  return o->of == &output_forces && !of_line;
}

/* The arguments of a quantity in a value: its own, or those of its force; of the length of a force along points those of the line. */
const mbd_arg *acting_arguments(const mbd_model *m, const output *o, int *narg);

/* The rate of a state (model/state.h), which the model owns. */
static inline output_formula *acting_rate(const mbd_model *m, int state) {
  if (m->state[state].measured) { return m->state[state].measured; }
  return m->force[m->nforce - m->nstate + state].expression->compiled[0].formula;
}

/* The functions of expression_law. */
mbd_real acting_value_at(const expression_law *law, int k, const mbd_element_input *in, mbd_real (*g_x)[3],
                         mbd_real (*g_xd)[3]);
mbd_real acting_value_along(const expression_law *law, int k, const mbd_element_input *in,
                            const mbd_element_direction *d);
void acting_values_reverse(const expression_law *law, const mbd_params *p, const mbd_element_input *in,
                           const mbd_real *s, params_reverse *theta);

/* Stores the angles whose turns act at their numbers, [m->nturn]. */
void acting_list_turns(const mbd_model *m, const output **angle);

/* Why an output cannot be in the rate of any state; in the value of a force or of a constraint; NULL: it can. */
const char *acting_why_in_no_rate(const output *o);
const char *acting_why_not(const output *o);

/* Compiles the value of a constraint by expression, and completes its arguments. MBD_BAD_INPUT: as below; it is not linear in velocities or
 * has none. */
mbd_status acting_compile_constraint(const mbd_spec *s, mbd_model *m, mbd_constraint *c, mbd_error *err);

/* Compiles the values of all forces by expression, which the description has, and completes the arguments of these forces. MBD_BAD_INPUT: an
 * output does not exist or cannot act, the units do not fit, a force depends on itself, or there are too many arguments. */
mbd_status acting_compile(const mbd_spec *s, mbd_model *m, mbd_error *err);
void acting_free(mbd_model *m);

#endif
