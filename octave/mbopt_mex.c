/* mbopt in GNU Octave and MATLAB: run files as handles, on the library's interface (mbo/run.h). The functions mbopt_*.m beside this file call
 * it; they are the interface for users.
 *
 *   h = mbopt_mex('open', file, {settings})        a handle: a number
 *   mbopt_mex('close', h)
 *   info = mbopt_mex('info', h)                    names, start, bounds, scales
 *   [f, g, c, gc] = mbopt_mex('eval', h, x)        what is asked for; gc has a column for each constraint, as fmincon wants it
 *   s = mbopt_mex('simulate', h, x, i)             the motion of case i, from 1
 *   s = mbopt_mex('optimize', h)
 *   mbopt_mex('allow_plugins', yes)                mbo_plugins_allow
 *
 * Errors have the sentence of the library, and as identifiers mbopt:simulation, where a design cannot be simulated, or mbopt:input.
 * Handles live until they are closed, or until the function is cleared, which closes all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mbo/run.h"
#include "mex.h"

/* ---- handles ---- */

/* The last evaluation: optimizers ask for the objective and for the constraints one after the other, at the same design. */
typedef struct evaluation {
  int known;                  /* 1: values; 2: gradients too */
  double *x, f, *g, *c, *jac; /* [n], [n], [m], [m][n] */
} evaluation;

typedef struct problem {
  double handle; /* a number that no other has had */
  mbo_run *run;  /* NULL: the place is free */
  int n, m;      /* variables, constraints */
  evaluation last;
} problem;

static problem *problems;
static int nproblem;
static double opened; /* the last handle */

static void close_problem(problem *p) {
  mbo_run_close(p->run);
  free(p->last.x);
  memset(p, 0, sizeof *p);
}

static void close_all(void) {
  for (int i = 0; i < nproblem; i++) { close_problem(&problems[i]); }
  free(problems);
  problems = NULL, nproblem = 0;
}

/* A place for one more; memory that outlives this call is not MEX's. NULL: no memory. */
static problem *new_problem(void) {
  for (int i = 0; i < nproblem; i++) {
    if (!problems[i].run) { return &problems[i]; }
  }
  problem *grown = realloc(problems, ((size_t)nproblem + 1) * sizeof *grown);
  if (!grown) { return NULL; }
  problems = grown;
  memset(&grown[nproblem], 0, sizeof *grown);
  return &grown[nproblem++];
}

/* ---- errors and arguments; these do not come back where something is wrong ---- */

static void fail(mbd_status status, const mbd_error *err) {
  mexErrMsgIdAndTxt(status > 0 ? "mbopt:simulation" : "mbopt:input", "%s", err->text);
}

static void must(mbd_status status, const mbd_error *err) {
  if (status != MBD_OK) { fail(status, err); }
}

static void expect(int is, const char *what) {
  if (!is) { mexErrMsgIdAndTxt("mbopt:input", "expected %s", what); }
}

static problem *problem_of(int nrhs, const mxArray *const *rhs) {
  expect(nrhs > 1 && mxIsDouble(rhs[1]) && mxGetNumberOfElements(rhs[1]) == 1, "a handle from mbopt_open");
  const double handle = mxGetScalar(rhs[1]);
  problem *found = NULL;
  for (int i = 0; i < nproblem; i++) {
    if (problems[i].run && problems[i].handle == handle) { found = &problems[i]; }
  }
  if (!found) { mexErrMsgIdAndTxt("mbopt:input", "handle %g is not open", handle); }
  return found;
}

/* A design, or NULL for []: the start. */
static const double *design_of(const problem *p, int nrhs, const mxArray *const *rhs) {
  if (nrhs < 3 || mxIsEmpty(rhs[2])) { return NULL; }
  if (!mxIsDouble(rhs[2]) || mxIsComplex(rhs[2]) || mxGetNumberOfElements(rhs[2]) != (size_t)p->n) {
    mexErrMsgIdAndTxt("mbopt:input", "expected a design of %d real numbers", p->n);
  }
  return mxGetPr(rhs[2]);
}

/* A text in memory that is freed when the call ends. */
static char *text_of(const mxArray *a, const char *what) {
  expect(a && mxIsChar(a), what);
  char *text = mxArrayToString(a);
  expect(text != NULL, what);
  return text;
}

/* ---- results ---- */

static mxArray *matrix(int rows, int columns, const double *v) {
  mxArray *a = mxCreateDoubleMatrix((mwSize)rows, (mwSize)columns, mxREAL);
  if (rows * columns > 0 && v) { memcpy(mxGetPr(a), v, (size_t)rows * (size_t)columns * sizeof *v); }
  return a;
}

static void put(mxArray *s, const char *field, mxArray *v) {
  mxAddField(s, field);
  mxSetField(s, 0, field, v);
}

static mxArray *new_struct(void) {
  return mxCreateStructMatrix(1, 1, 0, NULL);
}

typedef const char *run_name(const mbo_run *r, int i);

/* A column of n names, from number `first` on. */
static mxArray *names(const mbo_run *r, run_name *name, int first, int n) {
  mxArray *a = mxCreateCellMatrix((mwSize)n, 1);
  for (int i = 0; i < n; i++) { mxSetCell(a, (mwIndex)i, mxCreateString(name(r, first + i))); }
  return a;
}

/* ---- commands ---- */

typedef void command(int nlhs, mxArray **lhs, int nrhs, const mxArray *const *rhs);

static void open_run(int nlhs, mxArray **lhs, int nrhs, const mxArray *const *rhs) {
  (void)nlhs;
  const char *path = text_of(nrhs > 1 ? rhs[1] : NULL, "the name of a run file");
  const int nset = nrhs > 2 && mxIsCell(rhs[2]) ? (int)mxGetNumberOfElements(rhs[2]) : 0;
  const char **set = mxCalloc((size_t)nset + 1, sizeof *set);
  mbd_error err = {0};
  for (int i = 0; i < nset; i++) { set[i] = text_of(mxGetCell(rhs[2], (mwIndex)i), "settings 'section.key=value'"); }
  problem *p = new_problem();
  expect(p != NULL, "more memory");
  must(mbo_run_open(path, nset, set, &p->run, &err), &err);
  p->n = mbo_run_variables(p->run), p->m = mbo_run_constraints(p->run);
  const size_t n = (size_t)p->n, m = (size_t)p->m;
  double *all = malloc((2 * n + m + m * n + 1) * sizeof *all);
  if (!all) {
    close_problem(p);
    expect(0, "more memory");
  }
  p->last = (evaluation){.x = all, .g = all + n, .c = all + 2 * n, .jac = all + 2 * n + m};
  p->handle = ++opened;
  lhs[0] = mxCreateDoubleScalar(p->handle);
}

static void close_run(int nlhs, mxArray **lhs, int nrhs, const mxArray *const *rhs) {
  (void)nlhs, (void)lhs;
  close_problem(problem_of(nrhs, rhs));
}

static void info(int nlhs, mxArray **lhs, int nrhs, const mxArray *const *rhs) {
  (void)nlhs;
  const problem *p = problem_of(nrhs, rhs);
  const mbo_run *r = p->run;
  const int objectives = mbo_run_objectives(r);
  mxArray *s = lhs[0] = new_struct();
  put(s, "variables", names(r, mbo_run_variable, 0, p->n));
  put(s, "start", matrix(p->n, 1, mbo_run_start(r)));
  put(s, "lower", matrix(p->n, 1, mbo_run_lower(r)));
  put(s, "upper", matrix(p->n, 1, mbo_run_upper(r)));
  put(s, "scale", matrix(p->n, 1, mbo_run_scale(r)));
  put(s, "objectives", names(r, mbo_run_quantity, 0, objectives));
  put(s, "constraints", names(r, mbo_run_quantity, objectives, p->m));
  put(s, "constraint_lower", matrix(p->m, 1, mbo_run_constraint_lower(r)));
  put(s, "constraint_upper", matrix(p->m, 1, mbo_run_constraint_upper(r)));
  put(s, "cases", names(r, mbo_run_case, 0, mbo_run_cases(r)));
}

/* What is wanted of a design, unless the last call has it: 1 values, 2 gradients too. */
static mbd_status evaluate(problem *p, const double *x, int want, mbd_error *err) {
  evaluation *e = &p->last;
  const size_t bytes = (size_t)p->n * sizeof *x;
  if (e->known >= want && memcmp(e->x, x, bytes) == 0) { return MBD_OK; }
  e->known = 0;
  memcpy(e->x, x, bytes);
  if (want > 1) {
    MBD_TRY(mbo_run_gradient(p->run, e->x, &e->f, e->g, e->c, e->jac, err));
  } else {
    const int n = mbo_run_objectives(p->run);
    double *psi = mxCalloc((size_t)(n + p->m) + 1, sizeof *psi); /* freed when the call ends */
    MBD_TRY(mbo_run_values(p->run, e->x, &e->f, psi, err));
    memcpy(e->c, psi + n, (size_t)p->m * sizeof *psi);
  }
  e->known = want;
  return MBD_OK;
}

static void eval(int nlhs, mxArray **lhs, int nrhs, const mxArray *const *rhs) {
  problem *p = problem_of(nrhs, rhs);
  const double *x = design_of(p, nrhs, rhs);
  const evaluation *e = &p->last;
  mbd_error err = {0};
  must(evaluate(p, x ? x : mbo_run_start(p->run), nlhs == 2 || nlhs > 3 ? 2 : 1, &err), &err);
  lhs[0] = mxCreateDoubleScalar(e->f);
  if (nlhs > 1) { lhs[1] = e->known > 1 ? matrix(p->n, 1, e->g) : matrix(0, 0, NULL); }
  if (nlhs > 2) { lhs[2] = matrix(p->m, 1, e->c); }
  if (nlhs > 3) { lhs[3] = matrix(p->n, p->m, e->jac); } /* [m][n] by rows is n x m by columns */
}

static void simulate(int nlhs, mxArray **lhs, int nrhs, const mxArray *const *rhs) {
  (void)nlhs;
  problem *p = problem_of(nrhs, rhs);
  const double *x = design_of(p, nrhs, rhs), i = nrhs > 3 ? mxGetScalar(rhs[3]) : 1;
  mbd_error err = {0};
  mbo_series *t = NULL;
  expect(i >= 1 && i <= mbo_run_cases(p->run) && i == floor(i), "the number of a case, from 1");
  must(mbo_run_simulate(p->run, x, (int)i - 1, &t, &err), &err);
  const int rows = mbo_series_rows(t), columns = mbo_series_columns(t);
  mxArray *s = lhs[0] = new_struct(), *name = mxCreateCellMatrix(1, (mwSize)columns),
          *unit = mxCreateCellMatrix(1, (mwSize)columns), *values = matrix(rows, columns, NULL);
  for (int k = 0; k < columns; k++) {
    mxSetCell(name, (mwIndex)k, mxCreateString(mbo_series_name(t, k)));
    mxSetCell(unit, (mwIndex)k, mxCreateString(mbo_series_unit(t, k)));
    for (int j = 0; j < rows; j++) { mxGetPr(values)[k * rows + j] = mbo_series_values(t)[j * columns + k]; }
  }
  mbo_series_free(t);
  put(s, "names", name);
  put(s, "units", unit);
  put(s, "values", values);
}

static void optimize(int nlhs, mxArray **lhs, int nrhs, const mxArray *const *rhs) {
  static const char *const number[] = {"objective", "start", "violation", "iterations", "evaluations", "seconds"};
  (void)nlhs;
  problem *p = problem_of(nrhs, rhs);
  mbd_error err = {0};
  mbo_optimum *o = NULL;
  must(mbo_run_optimize(p->run, &o, &err), &err);
  mxArray *s = lhs[0] = new_struct();
  put(s, "x", matrix(p->n, 1, mbo_optimum_design(o)));
  put(s, "status", mxCreateString(mbo_optimum_status(o)));
  put(s, "text", mxCreateString(mbo_optimum_text(o)));
  for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
    put(s, number[i], mxCreateDoubleScalar(mbo_optimum_number(o, number[i])));
  }
  mbo_optimum_free(o);
}

static void allow_plugins(int nlhs, mxArray **lhs, int nrhs, const mxArray *const *rhs) {
  (void)nlhs, (void)lhs;
  expect(nrhs == 2 && mxIsDouble(rhs[1]), "1 or 0");
  mbo_plugins_allow(mxGetScalar(rhs[1]) != 0);
}

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  static const struct {
    const char *name;
    command *run;
  } commands[] = {{"open", open_run},
                  {"close", close_run},
                  {"info", info},
                  {"eval", eval},
                  {"simulate", simulate},
                  {"optimize", optimize},
                  {"allow_plugins", allow_plugins}};
  const char *name = text_of(nrhs > 0 ? prhs[0] : NULL, "the name of a command");
  if (mbo_api() != MBO_API) {
    mexErrMsgIdAndTxt("mbopt:input", "libmbo has interface %d, and this function was built for %d: build it again",
                      mbo_api(), MBO_API);
  }
  mexAtExit(close_all);
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    if (strcmp(commands[i].name, name) == 0) {
      commands[i].run(nlhs, plhs, nrhs, (const mxArray *const *)prhs);
      return;
    }
  }
  mexErrMsgIdAndTxt("mbopt:input", "command '%s' is not known", name);
}
