#include "own.h"

#include <string.h>

#include "formulation/state_space.h"
#include "opened.h"

struct own {
  mbd_model *built; /* of a tree; NULL: that of the run file */
  mbd_params *built_params;
  const mbd_model *m;
  const mbd_params *p;
  mbd_outputs *o;
  opened of;
  mbd_case c;
  mbd_sim *s;                /* for evaluations */
  double *z, *zd, *zs, *zds; /* of own_simulate */
};

static int stop(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  (void)user, (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return 1;
}

static own *begin(own *q, const char *formulation) {
  mbd_error err;
  q->c.formulation = formulation, q->c.integrator = "runge_kutta_4";
  bench_must(mbd_outputs_create(q->m, &q->o, &err), &err);
  bench_must(mbd_sim_create(q->m, &q->c, q->o, 0, NULL, 0, 0, &q->s, &err), &err);
  const mbd_status status = mbd_sim_run(q->s, q->p, 0, NULL, NULL, NULL, NULL, stop, NULL, &err);
  if (status != MBD_INTERRUPTED) { bench_must(status, &err); }
  return q;
}

own *own_tree(int bodies, int branches, const char *formulation) {
  own *q = calloc(1, sizeof *q);
  mbd_error err;
  q->m = q->built = branches ? bench_tree(bodies, branches) : bench_human();
  bench_must(mbd_params_create(q->m, NULL, &q->built_params, &err), &err);
  q->p = q->built_params;
  mbd_case_init(&q->c);
  q->c.duration = 1, q->c.step = 1e-2;
  return begin(q, formulation);
}

own *own_file(const char *path, const char *formulation) {
  own *q = calloc(1, sizeof *q);
  mbd_error err;
  bench_must(opened_open(path, 0, NULL, &q->of, &err), &err);
  bench_must(mechanism_set_design(q->of.m, q->of.m->start, 0, &err), &err);
  q->m = q->of.m->cases[0].v->model, q->p = q->of.m->cases[0].v->params;
  q->c = q->of.m->cases[0].c;
  return begin(q, formulation);
}

void own_close(own *q) {
  mbd_sim_destroy(q->s), mbd_outputs_destroy(q->o);
  mbd_params_destroy(q->built_params), mbd_model_destroy(q->built);
  if (!q->built) { opened_close(&q->of); }
  free(q);
}

int own_coordinates(const own *q) {
  return mbd_model_nz(q->m);
}

int own_coordinate(const own *q, int link) {
  for (int i = 1;; i++) {
    mbd_body_report b;
    mbd_model_body(q->m, i, &b);
    if (atoi(b.name + 1) == link) { return b.z0; }
  }
}

double own_duration(const own *q) {
  return q->c.duration;
}

void own_start(own *q, double *z, double *zd) {
  mbd_error err;
  bench_must(mbd_sim_start(q->s, q->p, z, zd, NULL, NULL, &err), &err);
}

void own_accelerations(own *q, const double *z, const double *zd, double *zdd) {
  mbd_error err;
  mbd_sim *s = q->s;
  state_space *space = ss_of(s);
  const size_t bytes = (size_t)space->n * sizeof *z;
  memcpy(s->now.z, z, bytes);
  independent_read(space->indep, 1, z, space->xi), independent_read(space->indep, 1, zd, space->eta);
  bench_must(ss_evaluate(s, &err), &err);
  memcpy(zdd, s->now.zdd, bytes);
}

static int keep(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  own *q = user;
  const size_t n = (size_t)own_coordinates(q);
  (void)t, (void)zdd, (void)lam, (void)y;
  memcpy(q->z, z, n * sizeof *z), memcpy(q->zd, zd, n * sizeof *z);
  if (q->zs) { memcpy(q->zs + (size_t)k * n, z, n * sizeof *z), memcpy(q->zds + (size_t)k * n, zd, n * sizeof *z); }
  return 0;
}

long own_simulate(own *q, double tolerance, int n, double *z, double *zd, double *zs, double *zds) {
  mbd_error err;
  mbd_sim *s;
  mbd_case c = q->c;
  c.integrator = "dormand_prince", c.rtol = c.atol = tolerance, c.step = c.duration / n;
  bench_must(mbd_sim_create(q->m, &c, q->o, 0, NULL, 0, 0, &s, &err), &err);
  q->z = z, q->zd = zd, q->zs = zs, q->zds = zds;
  bench_must(mbd_sim_run(s, q->p, 0, NULL, NULL, NULL, NULL, keep, q, &err), &err);
  const long steps = mbd_sim_stats(s)->own_steps;
  mbd_sim_destroy(s);
  return steps;
}

double own_now(void) {
  return bench_now();
}

int own_parent(int i) {
  return bench_human_parent(i);
}

void own_link(int i, double *mass, double com[3], double inertia[6], double place[3], double axis[3]) {
  const bench_link q = bench_link_of(i);
  *mass = q.mass;
  memcpy(com, q.com, sizeof q.com), memcpy(inertia, q.inertia, sizeof q.inertia);
  memcpy(place, q.place, sizeof q.place), memcpy(axis, q.axis, sizeof q.axis);
}
