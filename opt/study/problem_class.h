/* What kind of problem an optimizer has, for a comparison: its class by objective, constraints and gradient, and its scales. */
#ifndef MBO_PROBLEM_CLASS_H
#define MBO_PROBLEM_CLASS_H

#include <jansson.h>

#include "config/config.h"
#include "mbo/problem.h"

/* "squares, bounds", "other objective, nonlinear constraints, no gradient", ..., in new memory; NULL: no memory. */
char *problem_class_text(const mbo_problem *p);

/* {class, scaling: of [optimizer], scales: {NAME: the scale that was taken where [design NAME] leaves it out}} */
json_t *problem_class_json(const mbo_run_config *c, const mbo_problem *p);

/* Of such an object: "scaling = given; scale is left out of the run file and taken as: k_f 20000", in new memory; "" where the run file
 * gives all scales, "scaling = curvature, from the scales: k_f 20000" where a rule changes them; NULL: no memory. */
char *problem_class_scales(const json_t *problem);

#endif
