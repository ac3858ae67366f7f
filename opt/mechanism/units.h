/* Units of design variables and of objectives and constraints, as far as they are known. */
#ifndef MBO_UNITS_H
#define MBO_UNITS_H

#include "mechanism/mechanism.h"

/* The unit of design variable j, and of a scalar by its name: that of the numbers of the model that are equal to the
 * scalar; "" if it is not known. */
const char *unit_of_variable(const mechanism *m, int j);
const char *unit_of_scalar(const mechanism *m, const char *name);

/* The unit of objective or constraint i, from that of its output and its form; "" for an expression. In new memory;
 * NULL: no memory. */
char *unit_of_quantity(const mechanism *m, int i);

/* The same by its name; "": there is none. */
char *unit_of_named(const mechanism *m, const char *quantity);

/* The unit of the objective that is minimized, which all its terms have; "" if their units differ or they have none. In
 * new memory; NULL: no memory. */
char *unit_of_objective(const mechanism *m);

/* Its name on axes: "objective", and for several terms without a common unit how they are combined: "objective
 * (weighted sum)". m: may be NULL. */
const char *objective_label(const mechanism *m);

/* The same with its unit. m: may be NULL. In new memory; NULL: no memory. */
char *objective_axis(const mechanism *m);

/* "NAME [UNIT]", NAME alone without a unit, or where there was no memory for it. In new memory; NULL: no memory. */
char *unit_label(const char *name, const char *unit);

/* Power of a unit times seconds to a power: "(m/s^2)^2 s". In new memory; NULL: no memory. */
char *unit_power(const char *unit, int power, int seconds);

/* Returns 1 if the text is no unit: "", "-", "1". */
int unit_is_none(const char *unit);

#endif
