/* Forward and adjoint sensitivities by IDAS of SUNDIALS, as cvodes.c has them by CVODES: the differential equation as a residual,
 *   F = y' - f(t, y) = 0,   sensitivities  y_k' - f_y y_k - f_rho_k = 0,   adjoint  mu' + f_y^T mu + g_y^T = 0
 * always by BDF with a dense Newton iteration and exact Jacobians. */
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "peers.h"

enum { STEPS_MAX = 10000000 };

#define PEER_TRY(call)                                                                   \
  do {                                                                                   \
    const int flag_ = (call);                                                            \
    if (flag_ < 0) { return fprintf(stderr, "IDAS: %s returns %d\n", #call, flag_), 1; } \
  } while (0)

typedef struct solver {
  rhs *r;
  SUNContext context;
  void *mem;
  int which, np;                       /* the adjoint's number; directions */
  N_Vector y, yp, q, yB, ypB, qB, abs; /* states, objective, their adjoints */
  N_Vector *yS, *ypS, *qS;             /* and sensitivities */
  double **at, **dot, *by_y, *by_rho;  /* [np] data of blocks of vectors; scratch */
  SUNMatrix J, JB;
  SUNLinearSolver linear, linearB;
} solver;

#define DATA NV_DATA_S

/* ---- functions that IDAS calls ---- */

/* F */
static int residual(double t, N_Vector y, N_Vector yp, N_Vector F, void *user) {
  rhs *r = ((solver *)user)->r;
  if (rhs_f(r, t, DATA(y), DATA(F))) { return 1; }
  N_VLinearSum(1, yp, -1, F, F);
  return 0;
}

/* c I - f_y */
static int jacobian(double t, double c, N_Vector y, N_Vector yp, N_Vector F, SUNMatrix J, void *user, N_Vector u,
                    N_Vector v, N_Vector w) {
  rhs *r = ((solver *)user)->r;
  double *x = SM_DATA_D(J);
  (void)yp, (void)F, (void)u, (void)v, (void)w;
  if (rhs_jacobian(r, t, DATA(y), 0, x)) { return 1; }
  for (int i = 0; i < r->ny * r->ny; i++) { x[i] = -x[i]; }
  for (int i = 0; i < r->ny; i++) { x[i * r->ny + i] += c; }
  return 0;
}

static int residualS(int np, double t, N_Vector y, N_Vector yp, N_Vector F, N_Vector *yS, N_Vector *ypS, N_Vector *FS,
                     void *user, N_Vector u, N_Vector v, N_Vector w) {
  solver *o = user;
  (void)yp, (void)F, (void)u, (void)v, (void)w;
  for (int k = 0; k < np; k++) { o->at[k] = DATA(yS[k]), o->dot[k] = DATA(FS[k]); }
  if (rhs_sens(o->r, t, DATA(y), np, o->at, o->dot)) { return 1; }
  for (int k = 0; k < np; k++) { N_VLinearSum(1, ypS[k], -1, FS[k], FS[k]); }
  return 0;
}

static int g(double t, N_Vector y, N_Vector yp, N_Vector qd, void *user) {
  (void)yp;
  return rhs_g(((solver *)user)->r, t, DATA(y), DATA(qd));
}

static int gS(int np, double t, N_Vector y, N_Vector yp, N_Vector *yS, N_Vector *ypS, N_Vector qd, N_Vector *qSd,
              void *user, N_Vector u, N_Vector v, N_Vector w) {
  solver *o = user;
  (void)yp, (void)ypS, (void)qd, (void)u, (void)v, (void)w;
  for (int k = 0; k < np; k++) { o->at[k] = DATA(yS[k]), o->dot[k] = DATA(qSd[k]); }
  return rhs_g_sens(o->r, t, DATA(y), np, o->at, o->dot);
}

static int residualB(double t, N_Vector y, N_Vector yp, N_Vector yB, N_Vector ypB, N_Vector F, void *user) {
  (void)yp;
  if (rhs_back(((solver *)user)->r, t, DATA(y), DATA(yB), 1, DATA(F), NULL)) { return 1; }
  N_VLinearSum(1, ypB, 1, F, F);
  return 0;
}

/* qB' = -(f_rho^T mu + g_rho): the integral from T back to 0 has the sign of the gradient */
static int gB(double t, N_Vector y, N_Vector yp, N_Vector yB, N_Vector ypB, N_Vector qBd, void *user) {
  rhs *r = ((solver *)user)->r;
  (void)yp, (void)ypB;
  if (rhs_back(r, t, DATA(y), DATA(yB), 1, NULL, DATA(qBd))) { return 1; }
  N_VScale(-1, qBd, qBd);
  return 0;
}

/* f_y^T + c I */
static int jacobianB(double t, double c, N_Vector y, N_Vector yp, N_Vector yB, N_Vector ypB, N_Vector F, SUNMatrix J,
                     void *user, N_Vector u, N_Vector v, N_Vector w) {
  rhs *r = ((solver *)user)->r;
  double *x = SM_DATA_D(J);
  (void)yp, (void)yB, (void)ypB, (void)F, (void)u, (void)v, (void)w;
  if (rhs_jacobian(r, t, DATA(y), 1, x)) { return 1; }
  for (int i = 0; i < r->ny; i++) { x[i * r->ny + i] += c; }
  return 0;
}

/* ---- memory ---- */

static void close_solver(solver *o) {
  IDAFree(&o->mem);
  SUNLinSolFree(o->linear), SUNLinSolFree(o->linearB);
  SUNMatDestroy(o->J), SUNMatDestroy(o->JB);
  N_VDestroy(o->y), N_VDestroy(o->yp), N_VDestroy(o->ypB), N_VDestroy(o->q), N_VDestroy(o->yB), N_VDestroy(o->qB),
      N_VDestroy(o->abs);
  if (o->yS) {
    N_VDestroyVectorArray(o->yS, o->np), N_VDestroyVectorArray(o->ypS, o->np), N_VDestroyVectorArray(o->qS, o->np);
  }
  free(o->at), free(o->dot);
  SUNContext_Free(&o->context);
}

/* Starts the problem and creates the forward integrator; np: sensitivities. *seconds: of the start. */
static int open_solver(rhs *r, const peer_settings *set, int np, solver *o, double *seconds) {
  const int n = r->n;
  mbd_error err;
  *o = (solver){.r = r, .np = np};
  if (SUNContext_Create(NULL, &o->context) != 0) { return 1; }
  o->y = N_VNew_Serial(r->ny, o->context), o->yp = N_VClone(o->y), o->q = N_VNew_Serial(1, o->context);
  o->at = calloc((size_t)n, sizeof(double *)), o->dot = calloc((size_t)n, sizeof(double *));
  if (np > 0) {
    o->yS = N_VCloneVectorArray(np, o->y), o->ypS = N_VCloneVectorArray(np, o->y),
    o->qS = N_VCloneVectorArray(np, o->q);
  }
  for (int k = 0; k < np; k++) { o->at[k] = DATA(o->yS[k]), DATA(o->qS[k])[0] = 0; }
  const double begun = bench_now();
  bench_must(rhs_begin(r, np, o->at, &err), &err);
  if (rhs_f(r, 0, r->y0, DATA(o->yp))) { return 1; }
  for (int k = 0; k < np; k++) { o->dot[k] = DATA(o->ypS[k]); }
  if (np > 0 && rhs_sens(r, 0, r->y0, np, o->at, o->dot)) { return 1; }
  *seconds = bench_now() - begun;
  memcpy(DATA(o->y), r->y0, (size_t)r->ny * sizeof(double)), DATA(o->q)[0] = 0;
  o->mem = IDACreate(o->context);
  PEER_TRY(IDAInit(o->mem, residual, 0, o->y, o->yp));
  PEER_TRY(IDASStolerances(o->mem, set->rtol, set->rtol));
  PEER_TRY(IDASetUserData(o->mem, o));
  PEER_TRY(IDASetMaxNumSteps(o->mem, STEPS_MAX));
  PEER_TRY(IDASetMaxStep(o->mem, r->load->c.max_step > 0 ? r->load->c.max_step : r->T));
  PEER_TRY(IDASetStopTime(o->mem, r->T));
  o->J = SUNDenseMatrix(r->ny, r->ny, o->context), o->linear = SUNLinSol_Dense(o->y, o->J, o->context);
  PEER_TRY(IDASetLinearSolver(o->mem, o->linear, o->J));
  PEER_TRY(IDASetJacFn(o->mem, jacobian));
  PEER_TRY(IDAQuadInit(o->mem, g, o->q));
  PEER_TRY(IDAQuadSStolerances(o->mem, set->rtol, set->rtol));
  PEER_TRY(IDASetQuadErrCon(o->mem, SUNTRUE));
  return 0;
}

static int result(const solver *o, peer_result *out) {
  double t;
  PEER_TRY(IDAGetQuad(o->mem, &t, o->q));
  PEER_TRY(IDAGetNumSteps(o->mem, &out->steps));
  out->psi = DATA(o->q)[0];
  memcpy(out->y, DATA(o->y), (size_t)o->r->ny * sizeof *out->y);
  return 0;
}

/* ---- forward ---- */

static int forward(rhs *r, const peer_settings *set, solver *o, peer_result *out) {
  double t, *abs = r->by_rho;
  if (open_solver(r, set, r->n, o, &out->seconds)) { return 1; }
  PEER_TRY(IDASensInit(o->mem, r->n, IDA_STAGGERED, residualS, o->yS, o->ypS));
  PEER_TRY(IDASetSensParams(o->mem, NULL, (double *)r->m->scale, NULL));
  PEER_TRY(IDASensEEtolerances(o->mem));
  PEER_TRY(IDASetSensErrCon(o->mem, set->error_test));
  PEER_TRY(IDAQuadSensInit(o->mem, gS, o->qS));
  rhs_tolerances(r, set->rtol, abs);
  PEER_TRY(IDAQuadSensSStolerances(o->mem, set->rtol, abs));
  PEER_TRY(IDASetQuadSensErrCon(o->mem, set->error_test));
  const double begun = bench_now();
  PEER_TRY(IDASolve(o->mem, r->T, &t, o->y, o->yp, IDA_NORMAL));
  if (result(o, out)) { return 1; }
  PEER_TRY(IDAGetQuadSens(o->mem, &t, o->qS));
  for (int k = 0; k < r->n; k++) { out->g[k] = DATA(o->qS[k])[0]; }
  out->seconds += bench_now() - begun;
  return 0;
}

int idas_forward(rhs *r, const peer_settings *set, peer_result *out) {
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
  o->yB = N_VNew_Serial(r->ny, o->context), o->ypB = N_VClone(o->yB), o->qB = N_VNew_Serial(r->n, o->context),
  o->abs = N_VClone(o->qB);
  N_VConst(0, o->yB), N_VConst(0, o->qB);
  PEER_TRY(IDAAdjInit(o->mem, set->checkpoint, IDA_POLYNOMIAL));
  const double begun = bench_now();
  PEER_TRY(IDASolveF(o->mem, r->T, &t, o->y, o->yp, IDA_NORMAL, &count));
  if (result(o, out)) { return 1; }
  if (rhs_back(r, r->T, DATA(o->y), NULL, 1, DATA(o->ypB), NULL)) { return 1; }
  N_VScale(-1, o->ypB, o->ypB);
  PEER_TRY(IDACreateB(o->mem, &o->which));
  PEER_TRY(IDAInitB(o->mem, o->which, residualB, r->T, o->yB, o->ypB));
  PEER_TRY(IDASStolerancesB(o->mem, o->which, set->rtol, set->rtol * r->mu));
  PEER_TRY(IDASetUserDataB(o->mem, o->which, o));
  PEER_TRY(IDASetMaxStepB(o->mem, o->which, r->load->c.max_step > 0 ? r->load->c.max_step : r->T));
  PEER_TRY(IDASetMaxNumStepsB(o->mem, o->which, STEPS_MAX));
  o->JB = SUNDenseMatrix(r->ny, r->ny, o->context), o->linearB = SUNLinSol_Dense(o->yB, o->JB, o->context);
  PEER_TRY(IDASetLinearSolverB(o->mem, o->which, o->linearB, o->JB));
  PEER_TRY(IDASetJacFnB(o->mem, o->which, jacobianB));
  PEER_TRY(IDAQuadInitB(o->mem, o->which, gB, o->qB));
  rhs_tolerances(r, set->rtol, DATA(o->abs));
  PEER_TRY(IDAQuadSVtolerancesB(o->mem, o->which, set->rtol, o->abs));
  PEER_TRY(IDASetQuadErrConB(o->mem, o->which, SUNTRUE));
  PEER_TRY(IDASolveB(o->mem, 0, IDA_NORMAL));
  PEER_TRY(IDAGetB(o->mem, o->which, &t, o->yB, o->ypB));
  PEER_TRY(IDAGetQuadB(o->mem, o->which, &t, o->qB));
  PEER_TRY(IDAGetNumSteps(IDAGetAdjIDABmem(o->mem, o->which), &out->steps_back));
  if (N_VMaxNorm(o->yB) > 0) { r->mu = N_VMaxNorm(o->yB); }
  memcpy(out->g, DATA(o->qB), (size_t)r->n * sizeof *out->g);
  if (rhs_start_back(r, DATA(o->yB), out->g)) { return 1; }
  out->seconds += bench_now() - begun;
  return 0;
}

int idas_adjoint(rhs *r, const peer_settings *set, peer_result *out) {
  solver o;
  const int failed = adjoint(r, set, &o, out);
  close_solver(&o);
  return failed;
}
