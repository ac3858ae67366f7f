/* Forward and adjoint sensitivities by CVODES of SUNDIALS, with the settings that its guide recommends: staggered sensitivities; dense Newton
 * iteration with the exact Jacobian for stiff problems, Adams-Moulton with fixed-point iteration for others; quadratures for the objective and
 * the gradient, in the error test. */
#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "peers.h"

enum { STEPS_MAX = 10000000 };

#define PEER_TRY(call)                                                                     \
  do {                                                                                     \
    const int flag_ = (call);                                                              \
    if (flag_ < 0) { return fprintf(stderr, "CVODES: %s returns %d\n", #call, flag_), 1; } \
  } while (0)

typedef struct solver {
  rhs *r;
  SUNContext context;
  void *mem;
  int which, np;                        /* the adjoint's number; directions */
  N_Vector y, q, yB, qB, abs, *yS, *qS; /* states, objective, their adjoints and sensitivities */
  double **at, **dot, *by_y, *by_rho;   /* [np] data of blocks of vectors; scratch */
  SUNMatrix J, JB;
  SUNLinearSolver linear, linearB;
  SUNNonlinearSolver fixed, fixedS, fixedB;
} solver;

#define DATA NV_DATA_S

/* ---- functions that CVODES calls ---- */

static int f(double t, N_Vector y, N_Vector yd, void *user) {
  return rhs_f(((solver *)user)->r, t, DATA(y), DATA(yd));
}

static int jacobian(double t, N_Vector y, N_Vector fy, SUNMatrix J, void *user, N_Vector a, N_Vector b, N_Vector c) {
  (void)fy, (void)a, (void)b, (void)c;
  return rhs_jacobian(((solver *)user)->r, t, DATA(y), 0, SM_DATA_D(J));
}

static int fS(int np, double t, N_Vector y, N_Vector yd, N_Vector *yS, N_Vector *ySd, void *user, N_Vector a,
              N_Vector b) {
  solver *o = user;
  (void)yd, (void)a, (void)b;
  for (int k = 0; k < np; k++) { o->at[k] = DATA(yS[k]), o->dot[k] = DATA(ySd[k]); }
  return rhs_sens(o->r, t, DATA(y), np, o->at, o->dot);
}

static int g(double t, N_Vector y, N_Vector qd, void *user) {
  return rhs_g(((solver *)user)->r, t, DATA(y), DATA(qd));
}

static int gS(int np, double t, N_Vector y, N_Vector *yS, N_Vector qd, N_Vector *qSd, void *user, N_Vector a,
              N_Vector b) {
  solver *o = user;
  (void)qd, (void)a, (void)b;
  for (int k = 0; k < np; k++) { o->at[k] = DATA(yS[k]), o->dot[k] = DATA(qSd[k]); }
  return rhs_g_sens(o->r, t, DATA(y), np, o->at, o->dot);
}

static int negated(int n, double *x) {
  for (int i = 0; i < n; i++) { x[i] = -x[i]; }
  return 0;
}

/* mu' = -f_y^T mu - g_y^T */
static int fB(double t, N_Vector y, N_Vector yB, N_Vector yBd, void *user) {
  rhs *r = ((solver *)user)->r;
  return rhs_back(r, t, DATA(y), DATA(yB), 1, DATA(yBd), NULL) || negated(r->ny, DATA(yBd));
}

/* qB' = -(f_rho^T mu + g_rho): the integral from T back to 0 has the sign of the gradient */
static int gB(double t, N_Vector y, N_Vector yB, N_Vector qBd, void *user) {
  rhs *r = ((solver *)user)->r;
  return rhs_back(r, t, DATA(y), DATA(yB), 1, NULL, DATA(qBd)) || negated(r->n, DATA(qBd));
}

/* -f_y^T */
static int jacobianB(double t, N_Vector y, N_Vector yB, N_Vector fyB, SUNMatrix J, void *user, N_Vector a, N_Vector b,
                     N_Vector c) {
  rhs *r = ((solver *)user)->r;
  (void)yB, (void)fyB, (void)a, (void)b, (void)c;
  return rhs_jacobian(r, t, DATA(y), 1, SM_DATA_D(J)) || negated(r->ny * r->ny, SM_DATA_D(J));
}

/* ---- memory ---- */

static void close_solver(solver *o) {
  CVodeFree(&o->mem);
  SUNNonlinSolFree(o->fixed), SUNNonlinSolFree(o->fixedS), SUNNonlinSolFree(o->fixedB);
  SUNLinSolFree(o->linear), SUNLinSolFree(o->linearB);
  SUNMatDestroy(o->J), SUNMatDestroy(o->JB);
  N_VDestroy(o->y), N_VDestroy(o->q), N_VDestroy(o->yB), N_VDestroy(o->qB), N_VDestroy(o->abs);
  if (o->yS) { N_VDestroyVectorArray(o->yS, o->np), N_VDestroyVectorArray(o->qS, o->np); }
  free(o->at), free(o->dot);
  SUNContext_Free(&o->context);
}

/* Starts the problem and creates the forward integrator; np: sensitivities. *seconds: of the start. */
static int open_solver(rhs *r, const peer_settings *set, int np, solver *o, double *seconds) {
  const int n = r->n > 0 ? r->n : 1;
  mbd_error err;
  *o = (solver){.r = r, .np = np};
  if (SUNContext_Create(NULL, &o->context) != 0) { return 1; }
  o->y = N_VNew_Serial(r->ny, o->context), o->q = N_VNew_Serial(1, o->context);
  o->at = calloc((size_t)n, sizeof(double *)), o->dot = calloc((size_t)n, sizeof(double *));
  if (np > 0) { o->yS = N_VCloneVectorArray(np, o->y), o->qS = N_VCloneVectorArray(np, o->q); }
  for (int k = 0; k < np; k++) { o->at[k] = DATA(o->yS[k]), DATA(o->qS[k])[0] = 0; }
  const double begun = bench_now();
  bench_must(rhs_begin(r, np, o->at, &err), &err);
  *seconds = bench_now() - begun;
  memcpy(DATA(o->y), r->y0, (size_t)r->ny * sizeof(double)), DATA(o->q)[0] = 0;
  o->mem = CVodeCreate(set->stiff ? CV_BDF : CV_ADAMS, o->context);
  PEER_TRY(CVodeInit(o->mem, f, 0, o->y));
  PEER_TRY(CVodeSStolerances(o->mem, set->rtol, set->rtol));
  PEER_TRY(CVodeSetUserData(o->mem, o));
  PEER_TRY(CVodeSetMaxNumSteps(o->mem, STEPS_MAX));
  PEER_TRY(CVodeSetMaxStep(o->mem, r->load->c.max_step > 0 ? r->load->c.max_step : r->T));
  PEER_TRY(CVodeSetStopTime(o->mem, r->T));
  if (set->stiff) {
    o->J = SUNDenseMatrix(r->ny, r->ny, o->context), o->linear = SUNLinSol_Dense(o->y, o->J, o->context);
    PEER_TRY(CVodeSetLinearSolver(o->mem, o->linear, o->J));
    PEER_TRY(CVodeSetJacFn(o->mem, jacobian));
  } else {
    o->fixed = SUNNonlinSol_FixedPoint(o->y, 0, o->context);
    PEER_TRY(CVodeSetNonlinearSolver(o->mem, o->fixed));
  }
  PEER_TRY(CVodeQuadInit(o->mem, g, o->q));
  PEER_TRY(CVodeQuadSStolerances(o->mem, set->rtol, set->rtol));
  PEER_TRY(CVodeSetQuadErrCon(o->mem, SUNTRUE));
  return 0;
}

static int result(const solver *o, peer_result *out) {
  double t;
  PEER_TRY(CVodeGetQuad(o->mem, &t, o->q));
  PEER_TRY(CVodeGetNumSteps(o->mem, &out->steps));
  out->psi = DATA(o->q)[0];
  memcpy(out->y, DATA(o->y), (size_t)o->r->ny * sizeof *out->y);
  return 0;
}

/* ---- forward ---- */

static int forward(rhs *r, const peer_settings *set, solver *o, peer_result *out) {
  double t, *abs = r->by_rho;
  if (open_solver(r, set, r->n, o, &out->seconds)) { return 1; }
  PEER_TRY(CVodeSensInit(o->mem, r->n, CV_STAGGERED, fS, o->yS));
  PEER_TRY(CVodeSetSensParams(o->mem, NULL, (double *)r->m->scale, NULL));
  PEER_TRY(CVodeSensEEtolerances(o->mem));
  PEER_TRY(CVodeSetSensErrCon(o->mem, set->error_test));
  if (!set->stiff) {
    o->fixedS = SUNNonlinSol_FixedPointSens(r->n, o->y, 0, o->context);
    PEER_TRY(CVodeSetNonlinearSolverSensStg(o->mem, o->fixedS));
  }
  PEER_TRY(CVodeQuadSensInit(o->mem, gS, o->qS));
  rhs_tolerances(r, set->rtol, abs);
  PEER_TRY(CVodeQuadSensSStolerances(o->mem, set->rtol, abs));
  PEER_TRY(CVodeSetQuadSensErrCon(o->mem, set->error_test));
  const double begun = bench_now();
  PEER_TRY(CVode(o->mem, r->T, o->y, &t, CV_NORMAL));
  if (result(o, out)) { return 1; }
  PEER_TRY(CVodeGetQuadSens(o->mem, &t, o->qS));
  for (int k = 0; k < r->n; k++) { out->g[k] = DATA(o->qS[k])[0]; }
  out->seconds += bench_now() - begun;
  return 0;
}

int cvodes_forward(rhs *r, const peer_settings *set, peer_result *out) {
  solver o;
  const int failed = forward(r, set, &o, out);
  close_solver(&o);
  return failed;
}

/* ---- adjoint ---- */

static int adjoint(rhs *r, const peer_settings *set, solver *o, peer_result *out) {
  double t;
  int count;
  if (open_solver(r, set, 0, o, &out->seconds)) { return 1; }
  o->yB = N_VNew_Serial(r->ny, o->context), o->qB = N_VNew_Serial(r->n, o->context), o->abs = N_VClone(o->qB);
  N_VConst(0, o->yB), N_VConst(0, o->qB);
  PEER_TRY(CVodeAdjInit(o->mem, set->checkpoint, CV_POLYNOMIAL));
  const double begun = bench_now();
  PEER_TRY(CVodeF(o->mem, r->T, o->y, &t, CV_NORMAL, &count));
  if (result(o, out)) { return 1; }
  PEER_TRY(CVodeCreateB(o->mem, set->stiff ? CV_BDF : CV_ADAMS, &o->which));
  PEER_TRY(CVodeInitB(o->mem, o->which, fB, r->T, o->yB));
  PEER_TRY(CVodeSStolerancesB(o->mem, o->which, set->rtol, set->rtol * r->mu));
  PEER_TRY(CVodeSetUserDataB(o->mem, o->which, o));
  PEER_TRY(CVodeSetMaxStepB(o->mem, o->which, r->load->c.max_step > 0 ? r->load->c.max_step : r->T));
  PEER_TRY(CVodeSetMaxNumStepsB(o->mem, o->which, STEPS_MAX));
  if (set->stiff) {
    o->JB = SUNDenseMatrix(r->ny, r->ny, o->context), o->linearB = SUNLinSol_Dense(o->yB, o->JB, o->context);
    PEER_TRY(CVodeSetLinearSolverB(o->mem, o->which, o->linearB, o->JB));
    PEER_TRY(CVodeSetJacFnB(o->mem, o->which, jacobianB));
  } else {
    o->fixedB = SUNNonlinSol_FixedPoint(o->yB, 0, o->context);
    PEER_TRY(CVodeSetNonlinearSolverB(o->mem, o->which, o->fixedB));
  }
  PEER_TRY(CVodeQuadInitB(o->mem, o->which, gB, o->qB));
  rhs_tolerances(r, set->rtol, DATA(o->abs));
  PEER_TRY(CVodeQuadSVtolerancesB(o->mem, o->which, set->rtol, o->abs));
  PEER_TRY(CVodeSetQuadErrConB(o->mem, o->which, SUNTRUE));
  PEER_TRY(CVodeB(o->mem, 0, CV_NORMAL));
  PEER_TRY(CVodeGetB(o->mem, o->which, &t, o->yB));
  PEER_TRY(CVodeGetQuadB(o->mem, o->which, &t, o->qB));
  PEER_TRY(CVodeGetNumSteps(CVodeGetAdjCVodeBmem(o->mem, o->which), &out->steps_back));
  if (N_VMaxNorm(o->yB) > 0) { r->mu = N_VMaxNorm(o->yB); }
  memcpy(out->g, DATA(o->qB), (size_t)r->n * sizeof *out->g);
  if (rhs_start_back(r, DATA(o->yB), out->g)) { return 1; }
  out->seconds += bench_now() - begun;
  return 0;
}

int cvodes_adjoint(rhs *r, const peer_settings *set, peer_result *out) {
  solver o;
  const int failed = adjoint(r, set, &o, out);
  close_solver(&o);
  return failed;
}
