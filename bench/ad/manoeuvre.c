/* Gradients of a whole manoeuvre: by the program's direct differentiation and discrete adjoint, and by automatic differentiation of the
 * simulation in the builds with scalar classes. Each way is a process of its own, whose largest memory is read when it ends. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulate/run.h"
#include "tangents.h"

enum { EVALUATIONS = 20 };
static const double enough = 10; /* [s] of a way, after which it has no further round */

/* Of the program by its method, or of a build (NULL: not of one). */
typedef struct way {
  const char *name, *method;
  const ad_ops *(*ad)(void);
  int of_steps; /* 1: the program takes the steps, and the build differentiates each at its solution */
} way;

static const way ways[] = {
    {"simulation", "none", NULL, 0},
    {"direct differentiation", "direct", NULL, 0},
    {"discrete adjoint", "discrete_adjoint", NULL, 0},
    {"dual numbers, steps", "none", ad_dual, 1},
    {"dual numbers, all", "none", ad_dual, 0},
#ifdef BENCH_HAVE_ADOLC
    {"ADOL-C, steps", "none", ad_adolc, 1},
    {"ADOL-C, one tape", "none", ad_adolc, 0},
#endif
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* What a process leaves behind, in memory that it shares. */
typedef struct outcome {
  int done;
  double seconds, f;
  ad_cost cost;
  double g[]; /* [n] */
} outcome;

typedef struct manoeuvre {
  const char *path;
  int nset, n; /* settings; variables */
  char **set;
} manoeuvre;

static mbd_status open_by(const manoeuvre *q, const char *by, opened *r, mbd_error *err) {
  const char *set[20] = {NULL};
  char text[64];
  snprintf(text, sizeof text, "gradient.method=%s", by);
  for (int i = 0; i < q->nset; i++) { set[i] = q->set[i]; }
  set[q->nset] = text;
  return opened_open(q->path, q->nset + 1, set, r, err);
}

/* ---- one gradient ---- */

/* The fastest of some evaluations after the first one, which makes memory. */
static mbd_status by_program(opened *r, int gradient, outcome *o, mbd_error *err) {
  double all = 0, took;
  MBD_TRY(opened_evaluate(r, gradient, &took, err));
  o->seconds = INFINITY;
  for (int i = 0; i < EVALUATIONS && (i == 0 || all < enough / 10); i++) {
    MBD_TRY(opened_evaluate(r, gradient, &took, err));
    o->seconds = fmin(o->seconds, took), all += took;
  }
  o->f = r->result.f;
  if (gradient) { memcpy(o->g, r->result.g, (size_t)r->m->n * sizeof *o->g); }
  return MBD_OK;
}

/* A run of the program, of which a build differentiates each step on its factors. */
typedef struct steps {
  mbd_sim *s;
  const ad_ops *ops;
  ad_sim *ad;
  double *dx, *rg; /* of the solver: [nz][AD_DIRECTIONS], [nphi][AD_DIRECTIONS] */
  int reverse;
} steps;

static mbd_status solve_step(void *user, int projection, const double *f, const double *g, double *x, double *y,
                             mbd_error *err) {
  const steps *q = user;
  const int columns = q->reverse ? 1 : AD_DIRECTIONS;
  mbd_saddle system = projection ? ali3p_projection_system(q->s) : ali3p_motion_system(q->s);
  system.predict = 1, system.transposed = q->reverse;
  memset(y, 0, (size_t)q->s->m->nphi * (size_t)columns * sizeof *y);
  return mbd_saddle_solve(&system, columns, f, g, x, y, q->dx, q->rg, err);
}

static ad_step step_of(const mbd_sim *s, int k) {
  const ali3p *step = ali3p_of(s);
  return (ad_step){.k = k,
                   .t = s->t,
                   .z = s->now.z,
                   .zd = s->now.zd,
                   .zdd = s->now.zdd,
                   .vs = step->newton.vs,
                   .as = step->newton.as,
                   .lam = s->now.lam,
                   .sigma = step->projection.sv,
                   .kappa = step->projection.sa};
}

static mbd_status differentiate_step(void *user, int k, mbd_error *err) {
  steps *q = user;
  const ad_step at = step_of(q->s, k);
  return k == 0 ? MBD_OK : q->ops->steps_take(q->ad, &at, solve_step, q, err);
}

static mbd_status along_steps(steps *q, const mechanism_case *c, const ad_variables *of, const double *weight,
                              double *psi, double *g, ad_cost *cost, mbd_error *err) {
  for (int first = 0; first < of->n; first += AD_DIRECTIONS) {
    MBD_TRY(q->ops->steps_begin(q->ad, c->v->theta, of, first, err));
    MBD_TRY(sim_run_kept(q->s, c->v->params, SIM_KEPT_RECORDS, differentiate_step, q, NULL, NULL, err));
    q->ops->steps_end(q->ad, of, first, weight, psi, g);
    cost->simulations++, cost->iterations = mbd_sim_stats(q->s)->iterations;
  }
  return MBD_OK;
}

/* In the place of the adjoint of a step; the trajectory has restored its record. */
static mbd_status reverse_step(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  steps *q = s->tangent_memory;
  const ad_step at = step_of(s, (int)(mbd_re(s->t) / s->h + 0.5));
  (void)a;
  step->mech->place(s);
  step->mech->move(s, s->now.zd, s->now.zdd, 1);
  step->mech->rows(s, &step->x, NULL);
  step->projection.ops->matrix(s, step->projection.P0);
  if (step->x.sparse || !step->tangent.lu.within || !step->projection.lu.within) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "the record of the step has no factors");
  }
  return q->ops->reverse_take(q->ad, &at, solve_step, q, err);
}

/* By the program's adjoint, whose steps are others, and whose own result of zeros at the start is not used. */
static mbd_status back_over_steps(steps *q, const mechanism_case *c, const ad_variables *of, const double *weight,
                                  double *psi, double *g, ad_cost *cost, mbd_error *err) {
  const mbd_formulation_ops *const kept = q->s->ops;
  mbd_formulation_ops ops = *kept;
  mbd_adjoint_options options = {.nsum = 1, .sum = weight};
  double *gtheta = calloc((size_t)c->v->model->ncoef + 1, sizeof *gtheta);
  ops.adjoint_step = reverse_step;
  q->s->ops = &ops, q->s->tangent_memory = q, q->reverse = 1;
  mbd_status status = q->ops->reverse_begin(q->ad, c->v->theta, of, weight, err);
  if (status == MBD_OK) { status = mbd_sim_adjoint(q->s, c->v->params, &options, psi, gtheta, NULL, NULL, err); }
  q->s->ops = kept, q->s->tangent_memory = NULL;
  if (status == MBD_OK) { status = q->ops->reverse_end(q->ad, g, cost, err); }
  cost->simulations = 1, cost->iterations = mbd_sim_stats(q->s)->iterations;
  free(gtheta);
  return status;
}

static mbd_status by_steps(const mechanism_case *c, const ad_ops *ops, ad_sim *ad, const ad_variables *of,
                           const double *weight, double *psi, double *g, ad_cost *cost, mbd_error *err) {
  const size_t n = (size_t)c->v->model->nz + 1, m = (size_t)c->v->model->nphi + 1;
  if (c->v->model->nphi == 0) { MBD_FAIL(err, MBD_UNSUPPORTED, "a mechanism without constraints has no projections"); }
  steps q = {.s = c->sim, .ops = ops, .ad = ad};
  q.dx = calloc(n * AD_DIRECTIONS, sizeof *q.dx), q.rg = calloc(m * AD_DIRECTIONS, sizeof *q.rg);
  const mbd_status status = ops->reverse_take ? back_over_steps(&q, c, of, weight, psi, g, cost, err)
                                              : along_steps(&q, c, of, weight, psi, g, cost, err);
  free(q.dx), free(q.rg);
  return status;
}

static mbd_status by_build(opened *r, const way *w, outcome *o, mbd_error *err) {
  MBD_TRY(mechanism_set_design(r->m, r->m->start, 0, err));
  const ad_ops *ops = w->ad();
  const mechanism_case *c = &r->m->cases[0];
  const int nname = mbd_outputs_count(c->outputs);
  const char **name = calloc((size_t)nname + 1, sizeof *name);
  double *weight = calloc((size_t)c->npsi + 1, sizeof *weight), *psi = calloc((size_t)c->npsi + 1, sizeof *psi);
  for (int i = 0; i < nname; i++) { name[i] = mbd_outputs_name(c->outputs, i); }
  for (int k = 0; k < c->nobjective; k++) { weight[k] = r->config->objective[c->quantity[k]].weight; }
  ad_sim *s = ops->sim_open(mbo_model_file_spec(c->v->file), &c->c, nname, name, c->nterm, c->term, c->npsi, err);
  const ad_variables variables = {r->m->n, c->v->start, c->v->index, c->v->value};
  const double begun = bench_now();
  mbd_status status = MBD_BAD_INPUT;
  if (s && w->of_steps) {
    status = by_steps(c, ops, s, &variables, weight, psi, o->g, &o->cost, err);
  } else if (s) {
    status = ops->sim_gradient(s, c->v->theta, &variables, weight, psi, o->g, &o->cost, err);
  }
  o->seconds = bench_now() - begun;
  for (int k = 0; k < c->npsi; k++) { o->f += weight[k] * psi[k]; }
  if (s) { ops->sim_close(s); }
  free(name), free(weight), free(psi);
  return status;
}

static int child(const manoeuvre *q, const way *w, outcome *o) {
  opened r;
  mbd_error err = {0};
  /* Memory stays with the process: to return that of each tape to the system and to take it again costs more than the tape. */
  mallopt(M_MMAP_THRESHOLD, 1 << 30), mallopt(M_TRIM_THRESHOLD, 1 << 30);
  bench_must(open_by(q, w->method, &r, &err), &err);
  bench_must(w->ad ? by_build(&r, w, o, &err) : by_program(&r, strcmp(w->method, "none") != 0, o, &err), &err);
  opened_close(&r);
  o->done = 1;
  return 0;
}

/* *peak [bytes]: largest memory of the process. Returns 0 if it failed. */
static int measure(const manoeuvre *q, const way *w, outcome *o, double *peak) {
  int status;
  struct rusage used;
  memset(o, 0, sizeof *o + (size_t)q->n * sizeof *o->g);
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) { _exit(child(q, w, o)); }
  if (pid < 0 || wait4(pid, &status, 0, &used) != pid) { return 0; }
  *peak = 1024.0 * (double)used.ru_maxrss;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && o->done;
}

/* ---- all of them ---- */

/* Largest difference of two gradients, of the largest entry. */
static double difference(int n, const double *a, const double *b) {
  double off = 0, size = 0;
  for (int i = 0; i < n; i++) {
    if (!isfinite(a[i])) { return INFINITY; }
    off = fmax(off, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i]));
  }
  return size > 0 ? off / size : INFINITY;
}

static void print_way(const way *w, const outcome *o, double seconds, double simulation, double peak, double off) {
  const double mebi = 1.0 / (1 << 20);
  printf("%-24s %10.4f %9.2f %10.1f ", w->name, seconds, seconds / simulation, mebi * peak);
  strcmp(w->method, "none") == 0 && !w->ad ? printf("%10s", "") : printf("%10.1e", off);
  if (w->ad) { printf(" %12d %10ld", o->cost.simulations, o->cost.iterations); }
  if (w->ad && o->cost.operations > 0) {
    printf(" %12.4g %10.1f %10.1f", o->cost.operations, mebi * o->cost.tape, mebi * o->cost.values);
  }
  putchar('\n');
}

static void print_all(const manoeuvre *q, outcome *const *o, const double *seconds, const double *peak) {
  printf("%s: variables %d, objective %.15g\n", q->path, q->n, o[0]->f);
  printf("%-24s %10s %9s %10s %10s %12s %10s %12s %10s %10s\n", "gradient", "time [s]", "relative", "peak [MiB]",
         "difference", "simulations", "iterations", "operations", "tape [MiB]", "values");
  for (int i = 0; i < WAYS; i++) {
    if (!isfinite(seconds[i])) { continue; }
    print_way(&ways[i], o[i], seconds[i], seconds[0], peak[i], difference(q->n, o[i]->g, o[2]->g));
  }
  putchar('\n');
}

/* Largest difference to the discrete adjoint that the gradients may have. Both solve each step to its tolerance, by iterations of their own. */
static const double allowed = 1e-8;

int manoeuvre_compare(const char *path, int nset, char **set, const char *without, int rounds) {
  manoeuvre q = {.path = path, .nset = nset, .set = set};
  outcome *o[WAYS];
  double seconds[WAYS], peak[WAYS] = {0};
  int bad = 0;
  opened r;
  mbd_error err = {0};
  bench_must(open_by(&q, "none", &r, &err), &err);
  q.n = r.m->n;
  opened_close(&r);
  const size_t size = sizeof **o + (size_t)q.n * sizeof *o[0]->g;
  for (int i = 0; i < WAYS; i++) {
    o[i] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (o[i] == MAP_FAILED) { return 1; }
    seconds[i] = INFINITY;
  }
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < WAYS; i++) {
      if ((without && strstr(ways[i].name, without)) || (round > 0 && o[i]->seconds > enough)) { continue; }
      if (!measure(&q, &ways[i], o[i], &peak[i])) {
        printf("%s: %s FAILED\n", path, ways[i].name);
        bad++;
        continue;
      }
      seconds[i] = fmin(seconds[i], o[i]->seconds);
    }
  }
  print_all(&q, o, seconds, peak);
  for (int i = 1; i < WAYS; i++) {
    const double off = isfinite(seconds[i]) ? difference(q.n, o[i]->g, o[2]->g) : 0;
    if (!(off <= allowed)) { printf("%s: %s FAILED: it differs by %.1e\n", path, ways[i].name, off), bad++; }
  }
  for (int i = 0; i < WAYS; i++) { munmap(o[i], size); }
  return bad > 0;
}
