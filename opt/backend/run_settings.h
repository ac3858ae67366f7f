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
 * direct differentiation, so it is not chosen beyond DIRECT_MAX variables, nor where motions are to be stored within a limit. The curvature
 * of constraints is not in it, and with means of squares across scenarios it lost in all of eight problems (configs/scatter_quarter_car.ini with four measures of the constraint and two
 * limits: 11 to 196 designs in place of 9 to 146), so that it is not chosen there. Elsewhere it takes fewer designs as a rule; where it makes no progress, "auto" goes on with limited_memory
 * (mbo_settings.leave_gauss_newton; bench/README.md, "Squares with nonlinear constraints"). */
enum { DIRECT_MAX = 100 };
const char *run_hessian(const mbo_run_config *c, const mbo_problem *p);

/* Which other word of `hessian` may come further, or NULL: "auto" where gauss_newton is set and constraints are not linear. What "auto" has chosen is
 * not advised against, and neither is limited_memory. */
const char *run_other_hessian(const mbo_run_config *c, const mbo_problem *p);

/* Which backend is used; "auto" becomes RUN_LEAST_SQUARES where a Gauss-Newton matrix of a sum is to be taken, bounds are the only
 * constraints and nothing is set for another backend ([native], algorithm), and ipopt elsewhere, or nlopt where only that is built in. */
#define RUN_LEAST_SQUARES "levenberg_marquardt"
const char *run_backend(const mbo_run_config *c, const mbo_problem *p);

#endif
