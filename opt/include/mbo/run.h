/* A run file as a handle: what its commands do, for programs that call the library. Values, gradients, second derivatives, motions and
 * optimizations of the design that the run file describes, with everything by its name.
 *
 *   mbo_run *r;
 *   mbd_error err;
 *   if (mbo_run_open("configs/step_descent.ini", 0, NULL, &r, &err)) { puts(err.text); return 1; }
 *   mbo_run_gradient(r, mbo_run_start(r), &f, g, NULL, NULL, &err);
 *   mbo_run_close(r);
 *
 * A handle serves one thread at a time; several handles may be used at once. Nothing is printed, and nothing ends the program: what
 * fails returns a status, > 0 where this design cannot be simulated, < 0 where the request is wrong (mbd/status.h), with one sentence in
 * *err. Designs x [mbo_run_variables] are in the units of the model file; NULL stands for the start. On failure results are
 * not defined. */
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
int mbo_api(void); /* MBO_API of the library that is loaded */

/* ---- the handle ---- */

typedef struct mbo_run mbo_run;

/* Read a run file and its model, with nset settings "section.key=value" as --set of the program takes them, and make them ready.
 * *out is to be closed. MBD_BAD_INPUT: file, line and key, what was found and expected; MBD_IO_ERROR: a file cannot be read. */
mbd_status mbo_run_open(const char *path, int nset, const char *const *set, mbo_run **out, mbd_error *err);
void mbo_run_close(mbo_run *r); /* NULL: nothing */

/* As if opened with these settings too, after the earlier ones: "scalars.k=2e4", "case.turn.step=1e-3", "design.mass.start=3". What the
 * functions below have returned before is gone. On failure r is what it was. Cost: that of opening. */
mbd_status mbo_run_change(mbo_run *r, int nset, const char *const *set, mbd_error *err);

/* How many cases are simulated at once, in threads of their own: results do not depend on it. 0, as in a new handle: as many as the machine
 * has processors. */
void mbo_run_threads(mbo_run *r, int n);

/* Where *stop is not 0, what runs ends with MBD_INTERRUPTED after its time step. NULL: nothing stops it. */
void mbo_run_stop(mbo_run *r, const volatile sig_atomic_t *stop);

/* ---- names; texts and arrays belong to r ---- */

int mbo_run_variables(const mbo_run *r);
const char *mbo_run_variable(const mbo_run *r, int i); /* NULL past the end, as below */
const double *mbo_run_start(const mbo_run *r);         /* [variables] */
const double *mbo_run_lower(const mbo_run *r);         /* [variables] -INFINITY where there is no bound */
const double *mbo_run_upper(const mbo_run *r);         /* [variables] +INFINITY likewise */
const double *mbo_run_scale(const mbo_run *r);         /* [variables] > 0, typical sizes */

/* Quantities: the objectives, then the constraints. */
int mbo_run_objectives(const mbo_run *r);
int mbo_run_constraints(const mbo_run *r);
const char *mbo_run_quantity(const mbo_run *r, int i);
const double *mbo_run_constraint_lower(const mbo_run *r); /* [constraints] -INFINITY where there is no bound */
const double *mbo_run_constraint_upper(const mbo_run *r); /* [constraints] +INFINITY likewise */

/* Cases, by number from 0. Names belong to the handle. */
int mbo_run_cases(const mbo_run *r);
const char *mbo_run_case(const mbo_run *r, int i);
const char *mbo_run_coordinate(const mbo_run *r, int i, int j); /* name of coordinate j in case i */

/* ---- evaluation ---- */

/* The objectives as one, *f, and all quantities psi [objectives + constraints]; NULL: not wanted. Cost: one simulation of each case. */
mbd_status mbo_run_values(mbo_run *r, const double *x, double *f, double *psi, mbd_error *err);

/* *f with its gradient g [variables] by the method of the run file; and, unless NULL, the values c [constraints] and the Jacobian
 * jac [constraints][variables] of the constraints. Cost: by adjoint about that of two simulations for all variables.
 * MBD_UNSUPPORTED: the run file says method = none. */
mbd_status mbo_run_gradient(mbo_run *r, const double *x, double *f, double *g, double *c, double *jac, mbd_error *err);

/* Every quantity by itself: psi [quantities] (NULL: not wanted), jac [quantities][variables]. method: a word of the key `method` of
 * [gradient], which shows whether two of them agree ("complex_step" shares no derivative with the others); NULL: that of the run file. */
mbd_status mbo_run_gradients(mbo_run *r, const double *x, const char *method, double *psi, double *jac, mbd_error *err);

/* Whether two methods that share no derivative agree, as "discrete_adjoint" and "complex_step": deviation [quantities], of each the largest
 * difference of derivatives that are multiplied by the scales of their variables, relative to the largest of them by the first method (where
 * all of these are zero, the difference itself). Rounding leaves 1e-9 and less. Cost: that of both methods. */
mbd_status mbo_run_check(mbo_run *r, const double *x, const char *one, const char *other, double *deviation,
                         mbd_error *err);

/* Exact second derivatives H [1 + constraints][variables][variables], of *f and then of every constraint. MBD_UNSUPPORTED: the method of
 * the run file has none. Cost: variables times that of a gradient. */
mbd_status mbo_run_hessian(mbo_run *r, const double *x, double *H, mbd_error *err);

/* Products of these second derivatives with a direction w [variables], without the matrices: Hw [1 + constraints][variables], for
 * optimizers that want no more (truncated Newton methods). MBD_UNSUPPORTED: as above. Cost: one complex simulation with its adjoint, some
 * four to eight real simulations, for any number of variables. */
mbd_status mbo_run_hessian_product(mbo_run *r, const double *x, const double *w, double *Hw, mbd_error *err);

/* The Gauss-Newton matrix H [variables][variables] of *f. MBD_UNSUPPORTED: an objective is no sum of squares. */
mbd_status mbo_run_gauss_newton(mbo_run *r, const double *x, double *H, mbd_error *err);

/* What the last evaluation or simulation has warned of: number i in words, which belong to r until the next one; NULL past the end. */
const char *mbo_run_warning(mbo_run *r, int i);

/* ---- motions ---- */

/* A table over time; its columns are those of trajectory.csv. It outlives r. */
typedef struct mbo_series mbo_series;

/* The motion of case number i. *out is to be freed. */
mbd_status mbo_run_simulate(mbo_run *r, const double *x, int i, mbo_series **out, mbd_error *err);
void mbo_series_free(mbo_series *s); /* NULL: nothing */
int mbo_series_rows(const mbo_series *s);
int mbo_series_columns(const mbo_series *s);
const char *mbo_series_name(const mbo_series *s, int column); /* "t", "P1.position.x"; NULL past the end */
const char *mbo_series_unit(const mbo_series *s, int column); /* "m"; "": it has none */
int mbo_series_find(const mbo_series *s, const char *name);   /* its column; -1: there is none of this name */
const double *mbo_series_values(const mbo_series *s);         /* [rows][columns], row-major */

/* Small motions about the start of case number i, to be freed with mbd_linear_free. */
mbd_status mbo_run_linearize_sized(mbo_run *r, const double *x, int i, mbd_linear *out, size_t size, mbd_error *err);
static inline mbd_status mbo_run_linearize(mbo_run *r, const double *x, int i, mbd_linear *out, mbd_error *err) {
  return mbo_run_linearize_sized(r, x, i, out, sizeof *out, err);
}

/* ---- optimization ---- */

/* The same as a problem for mbo_solve, or for an optimizer of one's own. It belongs to r. */
const mbo_problem *mbo_run_problem(mbo_run *r);

/* What the run file says of its optimizer; options in *s belong to r. Callbacks and journal are left to the caller. */
mbd_status mbo_run_settings_sized(mbo_run *r, mbo_settings *s, size_t size, mbd_error *err);
static inline mbd_status mbo_run_settings(mbo_run *r, mbo_settings *s, mbd_error *err) {
  return mbo_run_settings_sized(r, s, sizeof *s, err);
}

/* Minimize. backend NULL: that of the run file; s NULL: mbo_run_settings. A journal that s names gets the fingerprint of the run, so that
 * one of another run is refused. *out is to be freed with mbo_result_free; it tells how the run ended. What mbo_solve returns. */
mbd_status mbo_run_minimize_sized(mbo_run *r, const char *backend, const mbo_settings *s, size_t settings_size,
                                  mbo_result *out, size_t result_size, mbd_error *err);
static inline mbd_status mbo_run_minimize(mbo_run *r, const char *backend, const mbo_settings *s, mbo_result *out,
                                          mbd_error *err) {
  return mbo_run_minimize_sized(r, backend, s, sizeof *s, out, sizeof *out, err);
}

/* The same with the settings of the run file alone (mbo_run_change changes them), and a result behind a handle: for bindings to other
 * languages, which need not know how the structs above are laid out. */
typedef struct mbo_optimum mbo_optimum;
mbd_status mbo_run_optimize(mbo_run *r, mbo_optimum **out, mbd_error *err);
void mbo_optimum_free(mbo_optimum *o);                  /* NULL: nothing */
const double *mbo_optimum_design(const mbo_optimum *o); /* [variables] */
const char *mbo_optimum_status(const mbo_optimum *o);   /* "CONVERGED" */
const char *mbo_optimum_text(const mbo_optimum *o);     /* a sentence, with the words of the backend */
/* "objective", "start" (the objective there), "violation", "iterations", "evaluations", "gradients", "failures", "seconds"; NaN: unknown. */
double mbo_optimum_number(const mbo_optimum *o, const char *name);

/* f is called after each iteration of mbo_run_optimize. NULL: none. */
void mbo_run_on_iteration(mbo_run *r, void (*f)(void *user, const mbo_iteration *it), void *user);

/* ---- keys ---- */

/* Every key of run files and model files, in new memory, which is to be freed with mbo_text_free: format "text", "markdown", "json" or
 * "man" (the page mbopt.ini(5)). MBD_BAD_INPUT: another format. */
mbd_status mbo_schema_text(const char *format, char **out, mbd_error *err);
void mbo_text_free(char *text); /* NULL: nothing */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
