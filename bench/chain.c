/* What an evaluation and its derivatives cost as a chain grows: the fully recursive formulation from 8 to 1024 bodies, with the
 * exponents e of time ~ bodies^e, and against the formulations that form a mass matrix for short chains (S2, Figure 2).
 *
 * Whole steps of Runge-Kutta 4 are timed, four evaluations each, without the start:
 *   evaluation     a step without gradient
 *   a variable     what one variable adds to it by direct differentiation
 *   adjoint        the step backwards, for the derivatives by all coefficients (25 a body) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "formulation/formulation.h"
#include "objective/objectives.h"
#include "simulate/run.h"

enum { VARIABLES = 4, EVALUATIONS = 4, COSTS = 3 };
enum { EVALUATION, VARIABLE, ADJOINT };

typedef struct chain {
  mbd_model *m;
  mbd_params *p;
  mbd_dparams *d[VARIABLES];
  mbd_outputs *o;
  mbd_term term;
  mbd_sim *s;
} chain;

static void open_chain(chain *q, int bodies, const char *formulation) {
  mbd_error err = {0};
  mbd_case c;
  int first, count;
  double psi, *gtheta;
  const mbd_adjoint_options all = {0};
  q->m = bench_tree(bodies, 1);
  bench_must(mbd_params_create(q->m, NULL, &q->p, &err), &err);
  for (int k = 0; k < VARIABLES; k++) { /* a mass, its centre, the place and the direction of a joint */
    static const int of_link[VARIABLES] = {0, 1, 10, 16};
    const int index = 3 + of_link[k];
    const double one = 1;
    bench_must(mbd_dparams_create(q->m, &q->d[k], &err), &err);
    mbd_dparams_set(q->d[k], q->p, 1, &index, &one);
  }
  bench_must(mbd_outputs_create(q->m, &q->o, &err), &err);
  bench_must(mbd_outputs_add(q->o, "p0.position.x", &first, &count, &err), &err);
  q->term = (mbd_term){.output = first, .form = "integral_square", .weight = 1};
  mbd_case_init(&c);
  c.duration = 2e-5, c.step = 1e-5, c.formulation = formulation, c.integrator = "runge_kutta_4";
  bench_must(mbd_sim_create(q->m, &c, q->o, 1, &q->term, 1, VARIABLES, &q->s, &err), &err);
  gtheta = calloc((size_t)mbd_model_ncoef(q->m), sizeof *gtheta);
  bench_must(mbd_sim_run(q->s, q->p, VARIABLES, q->d, &psi, gtheta, NULL, NULL, NULL, &err), &err);
  bench_must(mbd_sim_adjoint(q->s, q->p, &all, &psi, gtheta, NULL, NULL, &err), &err);
  free(gtheta);
}

static void close_chain(chain *q) {
  for (int k = 0; k < VARIABLES; k++) { mbd_dparams_destroy(q->d[k]); }
  mbd_sim_destroy(q->s), mbd_outputs_destroy(q->o), mbd_params_destroy(q->p), mbd_model_destroy(q->m);
}

/* Seconds of `steps` steps with np variables. */
static double forwards(chain *q, int np, int steps) {
  mbd_error err = {0};
  q->s->np = np, q->s->d = q->d;
  const double begun = bench_now();
  for (int k = 0; k < steps; k++) { bench_must(sim_advance(q->s, k + 1, &err), &err); }
  return bench_now() - begun;
}

/* The same step again and again, each time from the same weights. */
static double backwards(chain *q, int steps) {
  sim_adjoint *a = q->s->adjoint;
  const size_t size = (size_t)q->s->m->nz * sizeof *a->z;
  mbd_error err = {0};
  q->s->np = 0;
  const double begun = bench_now();
  for (int k = 0; k < steps; k++) {
    memset(a->z, 0, size), memset(a->zd, 0, size), memset(a->zdd, 0, size);
    a->z[0] = q->s->objectives->we[0] = 1;
    bench_must(q->s->ops->adjoint_step(q->s, a, &err), &err);
  }
  return bench_now() - begun;
}

/* Seconds an evaluation, the least of several rounds. */
static void measure(int bodies, const char *formulation, double cost[COSTS]) {
  chain q;
  double min[COSTS] = {INFINITY, INFINITY, INFINITY};
  open_chain(&q, bodies, formulation);
  const int steps = 2000 / bodies + 1;
  for (int round = 0; round < 9; round++) {
    min[EVALUATION] = fmin(min[EVALUATION], forwards(&q, 0, steps));
    min[ADJOINT] = fmin(min[ADJOINT], backwards(&q, steps));
    min[VARIABLE] = fmin(min[VARIABLE], forwards(&q, VARIABLES, steps));
  }
  min[VARIABLE] = (min[VARIABLE] - min[EVALUATION]) / VARIABLES;
  for (int i = 0; i < COSTS; i++) { cost[i] = min[i] / steps / EVALUATIONS; }
  close_chain(&q);
}

/* Slope of a straight line through (ln x, ln y). */
static double exponent(int n, const int *x, double (*y)[COSTS], int which) {
  double sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    const double a = log(x[i]), b = log(y[i][which]);
    sx += a, sxx += a * a, sy += b, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void long_chains(void) {
  static const int bodies[] = {8, 16, 32, 64, 128, 256, 512, 1024};
  enum { N = sizeof bodies / sizeof bodies[0] };
  double cost[N][COSTS];
  printf("\n| bodies | us per evaluation | ns per body | a variable/evaluation | adjoint/evaluation |\n");
  printf("|-------:|------------------:|------------:|----------------------:|-------------------:|\n");
  for (int i = 0; i < N; i++) {
    const double *c = cost[i];
    measure(bodies[i], "fully_recursive", cost[i]);
    printf("| %6d | %17.1f | %11.0f | %21.2f | %18.2f |\n", bodies[i], 1e6 * c[EVALUATION],
           1e9 * c[EVALUATION] / bodies[i], c[VARIABLE] / c[EVALUATION], c[ADJOINT] / c[EVALUATION]);
    fflush(stdout);
  }
  printf("\nexponents: evaluation %.2f, a variable %.2f, adjoint %.2f\n", exponent(N, bodies, cost, EVALUATION),
         exponent(N, bodies, cost, VARIABLE), exponent(N, bodies, cost, ADJOINT));
}

static void short_chains(void) {
  static const int bodies[] = {2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64};
  static const char *const others[] = {"semi_recursive", "matrix_r"};
  printf(
      "\n| bodies | semi-recursive: evaluation, a variable, adjoint | Matrix R: evaluation, a variable, adjoint |\n");
  printf("|-------:|------------------------------------------------:|------------------------------------------:|\n");
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    double own[COSTS];
    measure(bodies[i], "fully_recursive", own);
    printf("| %6d |", bodies[i]);
    for (int k = 0; k < 2; k++) {
      double c[COSTS];
      measure(bodies[i], others[k], c);
      printf("%*.2f %6.2f %6.2f |", k ? 29 : 35, c[EVALUATION] / own[EVALUATION], c[VARIABLE] / own[VARIABLE],
             c[ADJOINT] / own[ADJOINT]);
    }
    printf("\n");
    fflush(stdout);
  }
}

/* S2, Figure 2: what a variable adds, by the recursion and by the method that it is compared with. */
static void against_conventional(void) {
  static const int bodies[] = {2, 3, 4, 5, 6, 8, 12, 16, 20, 24};
  printf("\n| bodies | ns for a variable: recursion | conventional | conventional/recursion |\n");
  printf("|-------:|----------------------------:|-------------:|-----------------------:|\n");
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    double own[COSTS];
    measure(bodies[i], "fully_recursive", own);
    const double conventional = bench_conventional(bodies[i]);
    printf("| %6d | %27.0f | %12.0f | %22.2f |\n", bodies[i], 1e9 * own[VARIABLE], 1e9 * conventional,
           conventional / own[VARIABLE]);
    fflush(stdout);
  }
}

void bench_chain(void) {
  against_conventional();
  long_chains();
  short_chains();
}
