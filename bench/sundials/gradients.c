/* What a gradient of given accuracy costs: a run file's gradient by mbopt's methods and by integrators of SUNDIALS on the same equations, over
 * a range of steps and tolerances, in turn in one run.
 *
 *   bench_gradients NAME RUN.ini STIFF LIMIT [SECTION.KEY=VALUE ...]
 *
 * STIFF: 1 where explicit methods and Adams-Moulton are left out. LIMIT [s]: longest time of one gradient; a method goes on to tighter
 * settings while it stays below. max_step of the case holds for the peers, too. The run file has one case, c, with a state-space formulation,
 * and one objective, an integral. Lines that begin with # are checks, and what is left out; others NAME,variables,method,setting,seconds,error,
 * steps,steps back. An error is the largest difference from the reference, relative to its largest entry, both times the scales of the
 * variables. */
#include <string.h>

#include "peers.h"

static const double ACCURATE = 1e-10; /* error at which a method needs no tighter settings */

enum { SETTINGS = 12, POINTS = 400, SET = 16, ROUNDS = 3, PROBED = 8, NODES = 20, REFERENCE = 8000, STATES = 256 };

typedef struct bench {
  const char *name, *path, *formulation;
  int nset;
  const char *set[SET];
  int n, stiff;
  double T, limit, *scale, *reference, size;
  opened forward_of, adjoint_of;
  rhs forward, adjoint; /* of the peers */
} bench;

/* One way to a gradient. */
typedef struct method {
  const char *name;
  const char *formulation, *integrator; /* of mbopt; formulation NULL: that of the run file */
  const char *derivative;               /* NULL: central differences */
  int (*peer)(rhs *r, const peer_settings *set, peer_result *out); /* NULL: mbopt */
  int forward, stiff, error_test;                                  /* of peers; stiff of mbopt: 1: implicit */
} method;

static const method methods[] = {
    {.name = "mbopt direct, ALI3-P",
     .formulation = "ali3p",
     .integrator = "newmark",
     .derivative = "direct",
     .stiff = 1},
    {.name = "mbopt adjoint, ALI3-P",
     .formulation = "ali3p",
     .integrator = "newmark",
     .derivative = "discrete_adjoint",
     .stiff = 1},
    {.name = "mbopt central differences, ALI3-P", .formulation = "ali3p", .integrator = "newmark", .stiff = 1},
    {.name = "mbopt direct, Dormand-Prince", .integrator = "dormand_prince", .derivative = "direct"},
    {.name = "mbopt adjoint, Dormand-Prince", .integrator = "dormand_prince", .derivative = "discrete_adjoint"},
    {.name = "mbopt direct, Runge-Kutta 4", .integrator = "runge_kutta_4", .derivative = "direct"},
    {.name = "mbopt adjoint, Runge-Kutta 4", .integrator = "runge_kutta_4", .derivative = "discrete_adjoint"},
    {.name = "mbopt central differences, Dormand-Prince", .integrator = "dormand_prince"},
    {.name = "CVODES forward, Adams", .peer = cvodes_forward, .forward = 1, .error_test = 1},
    {.name = "CVODES forward, Adams, states alone in error test", .peer = cvodes_forward, .forward = 1},
    {.name = "CVODES forward, BDF", .peer = cvodes_forward, .forward = 1, .stiff = 1, .error_test = 1},
    {.name = "CVODES forward, BDF, states alone in error test", .peer = cvodes_forward, .forward = 1, .stiff = 1},
    {.name = "CVODES adjoint, Adams", .peer = cvodes_adjoint},
    {.name = "CVODES adjoint, BDF", .peer = cvodes_adjoint, .stiff = 1},
    {.name = "IDAS forward, BDF", .peer = idas_forward, .forward = 1, .stiff = 1, .error_test = 1},
    {.name = "IDAS adjoint, BDF", .peer = idas_adjoint, .stiff = 1},
};

/* A method at one of its settings. */
typedef struct point {
  const method *way;
  double setting; /* step [s] or relative tolerance */
  opened of;      /* of mbopt */
  double seconds, error, *g;
  double h; /* of central differences */
  long steps, steps_back;
} point;

/* ---- evaluations ---- */

static double deviation(const bench *b, const double *g) {
  double most = 0;
  for (int k = 0; k < b->n; k++) { most = fmax(most, fabs(g[k] - b->reference[k]) * b->scale[k]); }
  return most / b->size;
}

static int by_tolerance(const method *way) {
  return way->peer || strcmp(way->integrator, "dormand_prince") == 0;
}

/* The run file with the settings of a method of mbopt. NODES: few, since a step by tolerance evaluates the objective at points of its own. */
static mbd_status open_own(const bench *b, const method *way, double setting, opened *of, mbd_error *err) {
  char text[6][80];
  const char *set[SET + 6];
  int n = b->nset;
  memcpy(set, b->set, (size_t)n * sizeof *set);
  snprintf(text[0], sizeof text[0], "case.c.integrator=%s", way->integrator), set[n++] = text[0];
  snprintf(text[1], sizeof text[1], "gradient.method=%s", way->derivative ? way->derivative : "none"),
      set[n++] = text[1];
  if (way->formulation) {
    snprintf(text[2], sizeof text[2], "case.c.formulation=%s", way->formulation), set[n++] = text[2];
  }
  if (by_tolerance(way)) {
    snprintf(text[3], sizeof text[3], "case.c.rtol=%.17g", setting), set[n++] = text[3];
    snprintf(text[4], sizeof text[4], "case.c.atol=%.17g", setting), set[n++] = text[4];
    snprintf(text[5], sizeof text[5], "case.c.step=%.17g", b->T / NODES), set[n++] = text[5];
  } else {
    snprintf(text[3], sizeof text[3], "case.c.step=%.17g", setting), set[n++] = text[3];
    set[n++] = "case.c.max_step=0"; /* which steps of one length do not take */
  }
  return opened_open(b->path, n, set, of, err);
}

/* Central differences with steps h times the variables' scales, of all variables or of `PROBED` ones, with the time for all. */
static mbd_status differences(const bench *b, point *p, double h, mbd_error *err) {
  const int n = b->n, probed = n < 5 * PROBED ? n : PROBED;
  double all = 0, *x = malloc((size_t)n * sizeof *x);
  mbd_status status = MBD_OK;
  memcpy(x, p->of.m->start, (size_t)n * sizeof *x);
  memcpy(p->g, b->reference, (size_t)n * sizeof *x);
  for (int i = 0; i < probed && status == MBD_OK; i++) {
    const int k = (int)((long)i * n / probed);
    const double at = x[k];
    double f[2] = {0, 0};
    for (int side = 0; side < 2 && status == MBD_OK; side++) {
      x[k] = at + (side ? h : -h) * b->scale[k];
      const double begun = bench_now();
      status = p->of.problem.eval(p->of.m, x, MBO_REQUEST_VALUE, &p->of.result, err);
      all += bench_now() - begun;
      f[side] = p->of.result.f;
    }
    x[k] = at, p->g[k] = (f[1] - f[0]) / (2 * h * b->scale[k]);
  }
  free(x);
  p->seconds = fmin(p->seconds, all * n / probed);
  return status;
}

/* With the best of several h, which a user would have to find, and the time for one. */
static mbd_status best_differences(const bench *b, point *p, mbd_error *err) {
  if (p->h > 0) { return differences(b, p, p->h, err); }
  double best = INFINITY;
  for (double h = 1e-2; h > 1e-7; h /= 10) {
    MBD_TRY(differences(b, p, h, err));
    const double off = deviation(b, p->g);
    if (off < best) { best = off, p->h = h; }
  }
  return differences(b, p, p->h, err);
}

/* One evaluation: 0, or 1 where it fails. */
static int measure(bench *b, point *p) {
  mbd_error err;
  const method *way = p->way;
  double took;
  if (way->peer) {
    rhs *r = way->forward ? &b->forward : &b->adjoint;
    double y[STATES];
    peer_result out = {.g = p->g, .y = y};
    const peer_settings set = {p->setting, way->stiff, way->error_test, p->steps > 0 ? p->steps + 1 : 10000};
    if (way->peer(r, &set, &out)) { return printf("# %s at %g is left out: it fails\n", way->name, p->setting), 1; }
    p->seconds = fmin(p->seconds, out.seconds), p->steps = out.steps, p->steps_back = out.steps_back;
    return 0;
  }
  mbd_status status;
  if (way->derivative) {
    status = opened_evaluate(&p->of, 1, &took, &err);
    p->seconds = fmin(p->seconds, took);
    if (status == MBD_OK) { memcpy(p->g, p->of.result.g, (size_t)b->n * sizeof *p->g); }
  } else {
    status = best_differences(b, p, &err);
  }
  if (status != MBD_OK) { return printf("# %s at %g is left out: %.160s\n", way->name, p->setting, err.text), 1; }
  const mbd_stats *stats = mbd_sim_stats(p->of.m->cases[0].sim);
  p->steps = by_tolerance(way) ? stats->own_steps : stats->steps;
  return 0;
}

/* ---- checks ---- */

/* The state at the end of mbopt's own run. */
typedef struct last {
  const rhs *r;
  double *y;
} last;

static int keep_last(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                     const double *lam, const double *y) {
  const last *of = user;
  (void)k, (void)t, (void)zdd, (void)lam, (void)y;
  rhs_read(of->r, z, zd, of->y);
  return 0;
}

static double largest(int n, const double *x, const double *y) {
  double most = 0, size = 0;
  for (int i = 0; i < n; i++) { most = fmax(most, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i])); }
  return most / size;
}

/* The reference: the discrete adjoint of very short steps; CVODES at 1e-12 has to agree, in the motion and in the gradient. */
static void make_reference(bench *b) {
  const method way = {.integrator = "dormand_prince", .derivative = "discrete_adjoint"};
  mbd_error err;
  opened of;
  double took, end[STATES], peer_end[STATES];
  bench shortest = *b;
  char text[80];
  snprintf(text, sizeof text, "case.c.max_step=%.17g", b->T / REFERENCE), shortest.set[shortest.nset++] = text;
  bench_must(open_own(&shortest, &way, 1e-13, &of, &err), &err);
  b->scale = malloc((size_t)b->n * sizeof *b->scale), b->reference = malloc((size_t)b->n * sizeof *b->reference);
  memcpy(b->scale, of.problem.scale, (size_t)b->n * sizeof *b->scale);
  bench_must(opened_evaluate(&of, 1, &took, &err), &err);
  memcpy(b->reference, of.result.g, (size_t)b->n * sizeof *b->reference);
  b->size = 0;
  for (int k = 0; k < b->n; k++) { b->size = fmax(b->size, fabs(b->reference[k]) * b->scale[k]); }
  b->forward.size = b->adjoint.size = b->size;
  last at = {&b->adjoint, end};
  double psi;
  bench_must(mbd_sim_run(of.m->cases[0].sim, of.m->cases[0].v->params, 0, NULL, &psi, NULL, NULL, keep_last, &at, &err),
             &err);
  double *g = malloc((size_t)b->n * sizeof *g);
  peer_result out = {.g = g, .y = peer_end};
  const peer_settings tight = {.rtol = 1e-12, .stiff = b->stiff, .checkpoint = 100000};
  if (cvodes_adjoint(&b->adjoint, &tight, &out)) { exit(1); }
  printf(
      "# %s, %d variables, %d independent coordinates: CVODES at 1e-12 and the reference: motion at the end %.1e, "
      "objective %.1e, gradient %.1e apart\n",
      b->name, b->n, b->adjoint.nf, largest(b->adjoint.ny, peer_end, end), fabs(out.psi - psi) / fabs(psi),
      deviation(b, g));
  free(g);
  opened_close(&of);
}

/* ---- all methods and settings ---- */

static void drop(point *p) {
  free(p->g);
  if (!p->way->peer) { opened_close(&p->of); }
}

/* A method at a setting, measured, as number n; returns the number of points. */
static int add(bench *b, point *all, int n, const method *way, double setting) {
  mbd_error err;
  point *p = &all[n];
  *p = (point){.way = way, .setting = setting, .seconds = INFINITY, .g = calloc((size_t)b->n + 1, sizeof(double))};
  if (!way->peer) {
    const mbd_status status = open_own(b, way, setting, &p->of, &err);
    if (status != MBD_OK) { return free(p->g), printf("# %s is left out: %s\n", way->name, err.text), n; }
  }
  if (measure(b, p)) { return drop(p), n; }
  /* Now the steps of an adjoint between checkpoints are known: as many as there are, so that nothing is recomputed. */
  if (way->peer && !way->forward) {
    p->seconds = INFINITY;
    if (measure(b, p)) { return drop(p), n; }
  }
  p->error = deviation(b, p->g);
  return n + 1;
}

int main(int argc, char **argv) {
  static point all[POINTS];
  mbd_error err;
  int n = 0;
  if (argc < 5 || argc >= 5 + SET) {
    return fprintf(stderr, "bench_gradients NAME RUN.ini STIFF LIMIT [SECTION.KEY=VALUE ...]\n"), 2;
  }
  bench b = {.name = argv[1], .path = argv[2], .stiff = atoi(argv[3]), .limit = atof(argv[4]), .nset = argc - 5};
  for (int i = 0; i < b.nset; i++) { b.set[i] = argv[5 + i]; }
  bench_must(opened_open(b.path, b.nset, b.set, &b.forward_of, &err), &err);
  bench_must(opened_open(b.path, b.nset, b.set, &b.adjoint_of, &err), &err);
  b.n = b.forward_of.m->n;
  bench_must(rhs_open(&b.forward_of, b.n, &b.forward, &err), &err);
  bench_must(rhs_open(&b.adjoint_of, 0, &b.adjoint, &err), &err);
  if (b.adjoint.ny > STATES) { return fprintf(stderr, "%s: at most %d states\n", b.path, STATES), 1; }
  b.T = b.adjoint.T;
  make_reference(&b);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    const method *way = &methods[i];
    if (b.stiff && !way->stiff) { continue; }
    for (int k = 0; k < SETTINGS; k++) {
      const double setting = by_tolerance(way) ? pow(10, -3 - 0.75 * k) : b.T / (50 << k);
      const int before = n;
      n = add(&b, all, n, way, setting);
      if (n > before && (all[n - 1].seconds > b.limit || all[n - 1].error < ACCURATE)) { break; }
    }
  }
  for (int round = 1; round < ROUNDS; round++) {
    for (int i = 0; i < n; i++) {
      if (all[i].seconds < b.limit / 2) { measure(&b, &all[i]); }
    }
  }
  for (int i = 0; i < n; i++) {
    printf("%s,%d,\"%s\",%.3g,%.4g,%.2e,%ld,%ld\n", b.name, b.n, all[i].way->name, all[i].setting, all[i].seconds,
           all[i].error, all[i].steps, all[i].steps_back);
  }
  for (int i = 0; i < n; i++) { drop(&all[i]); }
  rhs_close(&b.forward), rhs_close(&b.adjoint);
  opened_close(&b.forward_of), opened_close(&b.adjoint_of);
  free(b.scale), free(b.reference);
  return 0;
}
