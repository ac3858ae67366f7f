/* The settings of an optimization, and the optimizer, as a run file's [optimizer] and [native] say. p: the problem of the run file. */
#ifndef MBO_RUN_SETTINGS_H
#define MBO_RUN_SETTINGS_H

#include "mbo/backend.h"
#include "config/config.h"

/* Fill *s for the problem p that c says. Returns the options that it points to, to be freed by the caller; their texts belong to c. NULL:
 * no memory. */
mbo_option *run_settings(const mbo_run_config *c, const mbo_problem *p, mbo_settings *s);

int run_takes_gauss_newton(const char *backend);

/* Which second derivatives are used, as a word of `hessian`; "auto" becomes gauss_newton or limited_memory. A Gauss-Newton matrix takes
 * direct differentiation, so it is not chosen beyond DIRECT_MAX variables, nor where motions are to be stored within a limit. Nor with
 * constraints that are not linear: their curvature is not in it. That takes fewer designs as a rule, but where such constraints are active
 * the optimization may creep, or end without a feasible design (bench/README.md, "Squares with nonlinear constraints"). */
enum { DIRECT_MAX = 100 };
const char *run_hessian(const mbo_run_config *c, const mbo_problem *p);

/* Which other word of `hessian` may do better, or NULL: of squares with nonlinear constraints, where neither is the better one for all. */
const char *run_other_hessian(const mbo_run_config *c, const mbo_problem *p);

/* Which backend is used; "auto" becomes RUN_LEAST_SQUARES where a Gauss-Newton matrix of a sum is to be taken, bounds are the only
 * constraints and nothing is set for another backend ([native], algorithm), and ipopt elsewhere. */
#define RUN_LEAST_SQUARES "levenberg_marquardt"
const char *run_backend(const mbo_run_config *c, const mbo_problem *p);

#endif
