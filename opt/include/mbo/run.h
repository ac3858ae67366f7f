/* A run file as a handle, for programs that call the library: values, gradients, second derivatives, motions and optimizations of the design
 * problem that the run file describes.
 *
 *   mbo_run *r;
 *   mbd_error err;
 *   if (mbo_run_open("configs/step_descent.ini", 0, NULL, &r, &err)) { puts(err.text); return 1; }
 *   mbo_run_gradient(r, mbo_run_start(r), &f, g, NULL, NULL, &err);
 *   mbo_run_close(r);
 *
 * Threads: a handle serves one thread at a time; several handles may be used at once. The library prints nothing and never ends the program.
 *
 * Errors: a function that fails returns a status and writes one sentence to *err (NULL: it is not wanted). A status > 0 means that this design
 * cannot be simulated: MBD_NO_ASSEMBLY, MBD_SINGULAR, MBD_NO_CONVERGENCE, MBD_NOT_FINITE, MBD_OUT_OF_DOMAIN (mbd/status.h). A status < 0 means
 * that the request is wrong or was stopped. All functions with a design x return these, MBD_NO_MEMORY, and MBD_INTERRUPTED after mbo_run_stop;
 * the comments below name only what they return beside that. After a failure numbers in the caller's arrays are undefined, and pointers *out
 * are NULL.
 *
 * Shapes and units: x [mbo_run_variables] is a design in the units of the model file (SI, radians), NULL stands for the start of the run file;
 * x is only read. A derivative has the unit of its quantity per unit of its variable. Matrices are row-major. Sizes in brackets are those of
 * the functions under "names": [variables], [objectives], [constraints]; quantities are the objectives and then the constraints. Arrays that a
 * function fills belong to the caller. */
#ifndef MBO_RUN_H
#define MBO_RUN_H

#include <stddef.h>

#include "mbd/linearize.h"
#include "mbo/backend.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The version of what this header declares; mbo_api() tells that of the library. It grows where a program that was compiled with an
 * older header would no longer work. */
#define MBO_API 1
int mbo_api(void);             /* MBO_API of the library that is loaded */
const char *mbo_version(void); /* its version, "0.1.0" */

/* ---- the handle ---- */

typedef struct mbo_run mbo_run;

/* Opens a run file and its model for evaluations. set [nset] are settings "section.key=value", as the option --set of the program takes them;
 * they are copied. *out belongs to the caller, who closes it with mbo_run_close. MBD_BAD_INPUT: a file or a setting is wrong; the text names
 * file, line and key, what was found and what was expected. MBD_IO_ERROR: a file cannot be read. Cost: reading and building the model; nothing
 * is simulated. */
mbd_status mbo_run_open(const char *path, int nset, const char *const *set, mbo_run **out, mbd_error *err);

/* Libraries of users' forces ([plugin NAME] of a run file) run with all rights of the process. As it is loaded, this library takes those alone that
 * `mbopt plugin` of this user has built; others fail with MBD_UNSUPPORTED at the first evaluation. allow = 1: from now on the process takes every
 * library that a run file names; 0: as before. To be called while no other thread evaluates. */
void mbo_plugins_allow(int allow);

/* Frees the handle with all texts and arrays that belong to it. NULL: does nothing. */
void mbo_run_close(mbo_run *r);

/* Opens the run file of r anew with further settings set [nset] after the earlier ones, as "scalars.k=2e4", "case.turn.step=1e-3",
 * "design.mass.start=3". Pointers that functions have returned for r become invalid, except motions (mbo_series) and optima (mbo_optimum).
 * Threads, stop flag and callback are kept. On failure r is unchanged. Errors and cost: those of mbo_run_open. */
mbd_status mbo_run_change(mbo_run *r, int nset, const char *const *set, mbd_error *err);

/* Sets how many cases are simulated at once, each in a thread of its own. Results do not depend on it. n = 0, as in a new handle: as many as
 * the machine has processors. */
void mbo_run_threads(mbo_run *r, int n);

/* on = 1: from now on mbo_run_values and mbo_run_residuals take the steps of evaluations with gradients, so that both give the same numbers to the last
 * bit; 0, as in a new handle: they differ within the tolerance of the steps. Cost: with ALI3-P a factorization in every step. */
void mbo_run_as_with_gradient(mbo_run *r, int on);

/* Sets the flag by which a signal handler or another thread stops evaluations of r: once *stop is not 0, they end after the time step in
 * progress with MBD_INTERRUPTED. *stop belongs to the caller and must exist as long as r uses it. NULL: no flag. */
void mbo_run_stop(mbo_run *r, const volatile sig_atomic_t *stop);

/* ---- names ----
 *
 * Texts and arrays belong to r and are valid until mbo_run_change or mbo_run_close. Numbers i count from 0; a name past the end is NULL. */

int mbo_run_variables(const mbo_run *r);               /* number of design variables */
const char *mbo_run_variable(const mbo_run *r, int i); /* name of variable i */
const double *mbo_run_start(const mbo_run *r);         /* [variables] */
const double *mbo_run_lower(const mbo_run *r);         /* [variables] -INFINITY where there is no bound */
const double *mbo_run_upper(const mbo_run *r);         /* [variables] +INFINITY likewise */
const double *mbo_run_scale(const mbo_run *r);         /* [variables] typical sizes, > 0 */

int mbo_run_objectives(const mbo_run *r);                 /* number of objectives */
int mbo_run_constraints(const mbo_run *r);                /* number of constraints */
const char *mbo_run_quantity(const mbo_run *r, int i);    /* objectives first, then constraints */
const double *mbo_run_constraint_lower(const mbo_run *r); /* [constraints] -INFINITY where there is no bound */
const double *mbo_run_constraint_upper(const mbo_run *r); /* [constraints] +INFINITY likewise */

int mbo_run_cases(const mbo_run *r);                            /* number of cases */
const char *mbo_run_case(const mbo_run *r, int i);              /* name of case i */
const char *mbo_run_coordinate(const mbo_run *r, int i, int j); /* name of coordinate j in case i */

/* ---- evaluation ---- */

/* Computes the value *f of the objectives as [objectives] combines them (weighted sum or smooth maximum), and each quantity by itself, psi
 * [objectives + constraints]. Either may be NULL. Cost: one simulation of each case. */
mbd_status mbo_run_values(mbo_run *r, const double *x, double *f, double *psi, mbd_error *err);

/* As mbo_run_values, with the true values beside the smooth ones: of a form that smooths (smooth extrema, quantiles, integral_abs, integral_square_above)
 * what it would be without (mbd_sim_true_value), of an expression its value with those, of all others psi. *f is that of the combined objectives with true
 * values, of combine = worst the largest. time [objectives + constraints]: when an extremum occurs [s]; NaN: it has no single time. Each may be NULL. */
mbd_status mbo_run_true_values(mbo_run *r, const double *x, double *f, double *psi, double *time, mbd_error *err);

/* Computes the value *f and its gradient g [variables] by the method of the run file; values c [constraints] and Jacobian jac
 * [constraints][variables] of the constraints. f, c and jac may be NULL. MBD_UNSUPPORTED: the run file has method = none. Cost: by the adjoint method
 * a simulation and, in most run files of configs/, 0.5 to 2.3 times that more for any number of variables (4.2 with the robot arm); by direct
 * differentiation 0.05 to 0.7 of a simulation for each variable (bench/README.md). */
mbd_status mbo_run_gradient(mbo_run *r, const double *x, double *f, double *g, double *c, double *jac, mbd_error *err);

/* ---- several designs at once, in the lanes of a core (mbd/lanes.h) ---- */

typedef struct mbo_lanes mbo_lanes;

/* Opens the run file of r, with its settings and its stop flag, for designs that are evaluated `width` at a time: 2, 4 or 8. Another thread may use r meanwhile, and each
 * thread lanes of its own. *out belongs to the caller, who closes it with mbo_lanes_close, before its stop flag goes. MBD_NOT_BUILT_IN: there is no library of so many lanes, or the
 * processor does not run it. Other errors and cost: those of `width` calls of mbo_run_open. */
mbd_status mbo_lanes_open(const mbo_run *r, int width, mbo_lanes **out, mbd_error *err);
void mbo_lanes_close(mbo_lanes *l); /* NULL allowed */

/* Evaluates n designs x [n][variables], n from 1 to the width: the value f [n], psi [n][objectives + constraints] and, unless NULL, the gradient g [n][variables] of the
 * objectives. They agree with mbo_run_values and mbo_run_gradient within the tolerance of the steps of each case. A design that cannot be simulated has NaN, and its error [n] a
 * text, which is "" for the others; the call fails where all designs would, with the reason in one of the errors: MBD_INTERRUPTED, MBD_BAD_INPUT, MBD_UNSUPPORTED.
 * Cost for `width` designs: about that of one and a half; what does not go in lockstep, and a batch in which a design fails, takes the time of one by one. */
mbd_status mbo_lanes_evaluate(mbo_lanes *l, int n, const double *x, double *f, double *psi, double *g,
                              mbd_error *error);

/* Copies the value f of the objectives and psi [objectives + constraints] of the last evaluation, such as mbo_run_gradient, which must have succeeded. Either
 * may be NULL. It costs nothing. */
void mbo_run_last_values(const mbo_run *r, double *f, double *psi);

/* Computes the value psi [quantities] (may be NULL) and the gradient jac [quantities][variables] of every quantity by itself. method is a value of
 * the key `method` of [gradient]; NULL: that of the run file. "complex_step" shares no derivative with the other methods. MBD_BAD_INPUT: the method
 * is not known; MBD_UNSUPPORTED: it is "none", or a case does not support it. Cost: by adjoint one reverse pass for each quantity. */
mbd_status mbo_run_gradients(mbo_run *r, const double *x, const char *method, double *psi, double *jac, mbd_error *err);

/* Compares the gradients by two methods, as "discrete_adjoint" and "complex_step". For each quantity psi with derivatives g_j by the first
 * method and h_j by the other, and the scales s_j of the variables,
 *   deviation [quantities] = max_j |(g_j - h_j) s_j| / max_j |g_j s_j|,   or the numerator where all g_j are zero.
 * Of methods that are exact, rounding leaves about 1e-9 or less. Errors: those of mbo_run_gradients. Cost: that of both methods. */
mbd_status mbo_run_check(mbo_run *r, const double *x, const char *one, const char *other, double *deviation,
                         mbd_error *err);

/* Computes the exact second derivatives H [1 + constraints][variables][variables] of *f and then of every constraint, symmetric, by complex step of the
 * gradient. MBD_UNSUPPORTED: not available with the method of the run file. Cost: for each variable a simulation and its adjoint in complex
 * arithmetic. */
mbd_status mbo_run_hessian(mbo_run *r, const double *x, double *H, mbd_error *err);

/* Computes the products Hw [1 + constraints][variables] of these matrices with a direction w [variables], without forming the matrices: for truncated
 * Newton methods. MBD_UNSUPPORTED: as for mbo_run_hessian. Cost: one simulation with its adjoint in complex arithmetic for any number of variables,
 * which is 3.5 to 6.7 real simulations with a gradient (bench/README.md). */
mbd_status mbo_run_hessian_product(mbo_run *r, const double *x, const double *w, double *Hw, mbd_error *err);

/* Computes the Gauss-Newton matrix H [variables][variables] of *f, symmetric: for f = sum_k w_k r_k^2 it is 2 sum_k w_k r_k' (r_k')^T with the
 * gradients r_k' of the residuals r_k, which is positive semidefinite where no weight is negative; measured series with another loss: theory.md §6
 * (6.6); a smooth maximum adds its curvature. MBD_UNSUPPORTED: an objective is not a sum or integral of squares, or the method of the run file is not
 * direct or auto. Cost: a gradient by direct differentiation. */
mbd_status mbo_run_gauss_newton(mbo_run *r, const double *x, double *H, mbd_error *err);

/* The same with the value *f and its gradient g [variables], of the same evaluation and at its cost: what methods for least squares need. */
mbd_status mbo_run_least_squares(mbo_run *r, const double *x, double *f, double *g, double *H, mbd_error *err);

/* Products with the Jacobian J = dpsi/dx of all quantities. mbo_run_jvp: dpsi [quantities] = J dx for a direction dx [variables], by direct differentiation,
 * for one right-hand side in each step. mbo_run_vjp: g [variables] = J' w for weights w [quantities], by the method of the run file ("none": the discrete
 * adjoint), by one adjoint of their sum. psi [quantities]: the values; NULL: not wanted. MBD_BAD_INPUT: a number of dx or w is not finite. */
mbd_status mbo_run_jvp(mbo_run *r, const double *x, const double *dx, double *psi, double *dpsi, mbd_error *err);
mbd_status mbo_run_vjp(mbo_run *r, const double *x, const double *w, double *psi, double *g, mbd_error *err);

/* Hd [variables] = (sum_i w_i d2psi_i/dx2) d for weights w [quantities] and a direction d [variables]: what a second differentiation of mbo_run_vjp
 * by x takes. Errors and cost: those of mbo_run_hessian_product. */
mbd_status mbo_run_second(mbo_run *r, const double *x, const double *w, const double *d, double *Hd, mbd_error *err);

/* Returns warning number i, from 0, of the last evaluation or simulation, as a sentence; NULL past the end. It belongs to r and is valid until the next
 * call of this function or the next evaluation. */
const char *mbo_run_warning(mbo_run *r, int i);

/* ---- motions ---- */

/* A table over time with the columns of trajectory.csv. It remains valid after r is changed or closed. */
typedef struct mbo_series mbo_series;

/* Simulates case number i. *out belongs to the caller, who frees it with mbo_series_free. MBD_BAD_INPUT: there is no such case. Cost: a
 * simulation, and [rows][columns] numbers. */
mbd_status mbo_run_simulate(mbo_run *r, const double *x, int i, mbo_series **out, mbd_error *err);
void mbo_series_free(mbo_series *s); /* NULL: nothing */
/* Texts and values belong to s. */
int mbo_series_rows(const mbo_series *s);                     /* number of nodes in time */
int mbo_series_columns(const mbo_series *s);                  /* number of columns, the time included */
const char *mbo_series_name(const mbo_series *s, int column); /* "t", "P1.position.x"; NULL past the end */
const char *mbo_series_unit(const mbo_series *s, int column); /* "m"; "": no unit; NULL past the end */
int mbo_series_find(const mbo_series *s, const char *name);   /* number of the column; -1: no column has this name */
const double *mbo_series_values(const mbo_series *s);         /* [rows][columns], row-major */

/* ---- trajectories as functions of the design ---- */

/* Chosen columns of a case at chosen times, as a function y(x) with products of its Jacobian (theory.md §6 (6.15)): the piece for automatic differentiation
 * in other programs. It has a model of its own, so that it remains valid after r is changed or closed and may be used while another thread uses r. */
typedef struct mbo_trajectory mbo_trajectory;

/* Makes the columns column [ncolumn] of case number i of the run file with its settings: names of outputs ("P1.position.x"; of a vector all its components)
 * or of columns of trajectory.csv; at the times time [ntime] [s], in any order, between the nodes by a polynomial (theory.md §6); NULL: at the nodes.
 * All is copied. The caller frees *out. MBD_BAD_INPUT: a column or the case is not known, or a time lies outside of it. Cost: reading and building
 * the model. */
mbd_status mbo_run_trajectory(const mbo_run *r, int i, int ncolumn, const char *const *column, int ntime,
                              const double *time, mbo_trajectory **out, mbd_error *err);
void mbo_trajectory_free(mbo_trajectory *t);                          /* NULL: nothing */
int mbo_trajectory_rows(const mbo_trajectory *t);                     /* times, or nodes */
int mbo_trajectory_columns(const mbo_trajectory *t);                  /* numbers at each of them */
const char *mbo_trajectory_name(const mbo_trajectory *t, int column); /* "P1.position.x"; NULL past the end */
const char *mbo_trajectory_unit(const mbo_trajectory *t, int column); /* "m"; "": no unit; NULL past the end */
const char *mbo_trajectory_warning(mbo_trajectory *t, int i);         /* as mbo_run_warning, of the last call */

/* At x [variables] (NULL: the start). y [rows][columns]: the columns; NULL: not wanted, but in mbo_trajectory_values. With J = dy/dx [rows][columns][variables],
 *   jvp       dy [rows][columns] = J dx for a direction dx [variables], by direct differentiation: a simulation and one right-hand side in each step
 *   jacobian  J itself, likewise: one right-hand side for each variable
 *   vjp       g [variables] = J' w for weights w [rows][columns], by the discrete adjoint: a simulation and one reverse pass, however many variables and
 *             columns there are (direct differentiation where the run file says so, or the case has no adjoint)
 *   second    Hd [variables] = (sum_rc w_rc y_rc'') d for a direction d [variables], by the complex step of that adjoint
 * Errors: those of mbo_run_simulate; MBD_BAD_INPUT: a weight, or a number of a direction, is not finite; MBD_UNSUPPORTED: of `second`, the case has no adjoint. */
mbd_status mbo_trajectory_values(mbo_trajectory *t, const double *x, double *y, mbd_error *err);
mbd_status mbo_trajectory_jvp(mbo_trajectory *t, const double *x, const double *dx, double *y, double *dy,
                              mbd_error *err);
mbd_status mbo_trajectory_jacobian(mbo_trajectory *t, const double *x, double *y, double *J, mbd_error *err);
mbd_status mbo_trajectory_vjp(mbo_trajectory *t, const double *x, const double *w, double *y, double *g,
                              mbd_error *err);
mbd_status mbo_trajectory_second(mbo_trajectory *t, const double *x, const double *w, const double *d, double *Hd,
                                 mbd_error *err);

/* Linearizes the equations of motion about the start of case number i: matrices, eigenvalues and modes, which mbd/linearize.h defines. The
 * caller frees *out with mbd_linear_free. mbo_run_linearize passes the size of the structure that the program was compiled with; bindings to
 * other languages call mbo_run_linearize_sized. MBD_BAD_INPUT: there is no such case; and the errors of mbd_sim_linearize. */
mbd_status mbo_run_linearize_sized(mbo_run *r, const double *x, int i, mbd_linear *out, size_t size, mbd_error *err);
static inline mbd_status mbo_run_linearize(mbo_run *r, const double *x, int i, mbd_linear *out, mbd_error *err) {
  return mbo_run_linearize_sized(r, x, i, out, sizeof *out, err);
}

/* The linear system x' = A x about the start of case number i, as mbo_run_linearize has it, with its derivatives: the order, A [order][order] and
 * dA [variables][order][order] in new arrays, which the caller frees with mbo_numbers_free. An eigenvalue lambda with right and left vectors r and l has the
 * derivatives l'dA r/(l'r). Exact, by complex step of the matrices. Errors: those of mbo_run_linearize. Cost: a start in complex arithmetic for each
 * variable. */
mbd_status mbo_run_linear_gradient(mbo_run *r, const double *x, int i, int *order, double **A, double **dA,
                                   mbd_error *err);
void mbo_numbers_free(double *numbers); /* NULL: nothing */

/* ---- optimization ---- */

/* Returns the design problem of r in the form that mbo_solve takes (mbo/problem.h), for an optimizer of one's own. It belongs to r and is valid until
 * mbo_run_change or mbo_run_close. */
const mbo_problem *mbo_run_problem(mbo_run *r);

/* Fills *s with the optimizer settings of the run file, and with the flag of mbo_run_stop. The options that s points to belong to r and are
 * valid until the next call. Callbacks and journal are left NULL for the caller to set. MBD_NO_MEMORY alone. */
mbd_status mbo_run_settings_sized(mbo_run *r, mbo_settings *s, size_t size, mbd_error *err);
static inline mbd_status mbo_run_settings(mbo_run *r, mbo_settings *s, mbd_error *err) {
  return mbo_run_settings_sized(r, s, sizeof *s, err);
}

/* Minimizes *f within bounds and constraints from the start. Constraints are met by true values (mbo_run_true_values): where those of the result do
 * not meet a limit, or leave it unused, optimizations follow that begin at the result with sharper extrema and shifted limits; out->stages is their
 * number, and c and violation are those of true values. Smooth objectives become sharper as long as this lowers their true values; the result is that with the
 * lowest ones, and f its objective as the run file describes it. backend is a name of `mbopt backends`; NULL: that of the run file. s: settings;
 * NULL: those of mbo_run_settings. A journal that s names gets the fingerprint of the run, so that the journal of another run is refused.
 * out->status tells how the optimization ended; the caller frees *out with mbo_result_free. Returns what mbo_solve returns, and MBD_BAD_INPUT
 * where the run file has no objective. */
mbd_status mbo_run_minimize_sized(mbo_run *r, const char *backend, const mbo_settings *s, size_t settings_size,
                                  mbo_result *out, size_t result_size, mbd_error *err);
static inline mbd_status mbo_run_minimize(mbo_run *r, const char *backend, const mbo_settings *s, mbo_result *out,
                                          mbd_error *err) {
  return mbo_run_minimize_sized(r, backend, s, sizeof *s, out, sizeof *out, err);
}

/* The same with the settings of the run file (mbo_run_change changes them) and an opaque result, for bindings to other languages, which need not
 * know the layout of the structures above. *out belongs to the caller, who frees it with mbo_optimum_free; it remains valid after r is closed.
 * Errors: those of mbo_run_minimize. */
typedef struct mbo_optimum mbo_optimum;
mbd_status mbo_run_optimize(mbo_run *r, mbo_optimum **out, mbd_error *err);
/* The same by an optimizer of one's own (mbo_settings.optimizer), or, where it is NULL, by that of the run file. journal: a file that keeps what is
 * evaluated; if it is there, the run that it is of goes on, and designs in it are not simulated again; NULL: none. */
mbd_status mbo_run_optimize_by(mbo_run *r, mbd_status (*optimizer)(void *of_optimizer, mbo_ask *a, mbd_error *err),
                               void *of_optimizer, const char *journal, mbo_optimum **out, mbd_error *err);
void mbo_optimum_free(mbo_optimum *o);                  /* NULL: nothing */
const double *mbo_optimum_design(const mbo_optimum *o); /* [variables] */
const char *mbo_optimum_status(const mbo_optimum *o);   /* "CONVERGED" */
const char *mbo_optimum_text(const mbo_optimum *o);     /* a sentence, with the words of the backend */
/* Returns a number by its name: "objective"; "start", the objective there; "violation", the largest of a constraint; "optimality", the decrease that
 * the conditions of an optimum leave (mbo_result); "iterations"; "evaluations", designs that were simulated; "gradients"; "failures", designs that
 * could not be simulated; "stages" (mbo_run_minimize); "seconds". NaN: an unknown name, or a number that is not known. */
double mbo_optimum_number(const mbo_optimum *o, const char *name);

/* Sets the function that mbo_run_optimize calls after each iteration with `user` and *it, which is valid during the call. NULL: none. */
void mbo_run_on_iteration(mbo_run *r, void (*f)(void *user, const mbo_iteration *it), void *user);

/* ---- after the optimum ----
 *
 * While the design follows a number p and stays optimal, the objective changes to first order by df/dp = g_p + lambda'A_p [Fiacco 1983, ch. 3]: the prices of
 * the limits and bounds that hold it, and the influence of every fixed number of the model, a scalar that is no variable. */

/* Prices at an optimum, what holds the design first, then numbers; of each those that change the objective most for 1 % first. */
typedef struct mbo_prices mbo_prices;

/* Finds the prices at the optimum x [variables] of one optimization (mbo_optimum: "stages" at most 1). first_changes 1: what changes first, too: as a
 * number falls and rises, which limit or bound lets the design go, or which other one is reached, and at which value, by the first-order moves of design
 * and multipliers with exact second derivatives; exact of quadratic objectives with linear constraints. *out belongs to the caller, who frees it with
 * mbo_prices_free; it is valid until mbo_run_change or mbo_run_close of r. MBD_BAD_INPUT: x is no optimum, since the conditions leave more than a thousandth
 * of the objective; MBD_UNSUPPORTED: there are no gradients. Cost: the assembly of a mechanism and a gradient; with first_changes a product of second
 * derivatives for each variable. */
mbd_status mbo_run_prices(mbo_run *r, const double *x, int first_changes, mbo_prices **out, mbd_error *err);
void mbo_prices_free(mbo_prices *p); /* NULL: nothing */

int mbo_prices_count(const mbo_prices *p); /* how many there are */
int mbo_prices_unique(
    const mbo_prices *p); /* 0: what holds the design is dependent, so that only sums of prices are determined */
const char *mbo_prices_unknown(
    const mbo_prices *p); /* why it is not known what changes first; "": it is, or was not asked for */

/* Returns a text of price i by its name: "name", of the constraint, variable or scalar; "kind", constraint, variable or number; "side", lower or upper, "" of
 * an equation and of a number; "unit", of "at". Of what changes first as the number falls ("below") and rises ("above"): "below.change", released (what held
 * the design no longer does) or reached; "below.kind", "below.side", "below.name", of the limit or bound. NULL: nothing changes, or an unknown name. */
const char *mbo_price_text(const mbo_prices *p, int i, const char *name);

/* The same of numbers: "at", the limit, bound or number; "slope", derivative of the objective by it; "percent", by how many percent of its size the objective
 * rises where "at" rises by 1 % of its size; "below", "above", where the first change is. NaN: it is not known, or an unknown name. */
double mbo_price_number(const mbo_prices *p, int i, const char *name);

/* ---- keys ---- */

/* Describes every key of run files and model files. format: "text", "markdown", "json" or "man" (the page mbopt.ini(5)). *out belongs to the
 * caller, who frees it with mbo_text_free. MBD_BAD_INPUT: another format; MBD_NO_MEMORY. */
mbd_status mbo_schema_text(const char *format, char **out, mbd_error *err);
void mbo_text_free(char *text); /* NULL: nothing */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
