/* A mechanism of a run file, built by libmbd and once more by each library of automatic differentiation. */
#include <stdlib.h>
#include <string.h>

#include "tangents.h"

void tangents_residual(tangents *q, const ad_point *at, double *R) {
  mbd_sim *s = q->own;
  motion_place(s->w, s->p, at->t, at->z);
  motion_move(s->w, at->zd, at->zdd, 1);
  motion_residual_held(s->w, s->eq, at->lam, ali3p_of(s)->newton.phi, R);
}

/* Greedy colours of symmetric places: columns of one colour have no row in common. */
static int find_colours(int n, const mbd_nonzeros *at, int *colour) {
  int used = 0, *mark = calloc((size_t)n + 1, sizeof *mark);
  for (int j = 0; j < n; j++) {
    for (int p = 0; p < at->count[j]; p++) {
      const int i = at->col[j * n + p];
      for (int r = 0; r < at->count[i]; r++) {
        const int k = at->col[i * n + r];
        if (k < j) { mark[colour[k]] = j + 1; }
      }
    }
    int c = 0;
    while (c < used && mark[c] == j + 1) { c++; }
    if (c == used) { used++; }
    colour[j] = c;
  }
  free(mark);
  return used;
}

static void make_places(int n, const unsigned char *mark, places *p) {
  p->at.count = calloc((size_t)n + 1, sizeof *p->at.count);
  p->at.col = calloc((size_t)n * (size_t)n + 1, sizeof *p->at.col);
  p->colour = calloc((size_t)n + 1, sizeof *p->colour);
  p->joint = calloc(2 * (size_t)n + 1, sizeof *p->joint);
  mbd_nonzeros_list(n, n, mark, &p->at);
  p->ncolour = find_colours(n, &p->at, p->colour);
  for (int j = 0; j < n; j++) { p->joint[j] = p->colour[j], p->joint[n + j] = p->ncolour + p->colour[j]; }
}

static void free_places(places *p) {
  free(p->at.count), free(p->at.col), free(p->colour), free(p->joint);
}

static void find_places(tangents *q, const mbd_model *m) {
  const int n = q->nz;
  unsigned char *mark = calloc((size_t)n * (size_t)n + 1, 1);
  motion_mark_inertia(m, mark);
  motion_mark_forces(m, mark);
  make_places(n, mark, &q->of_forces);
  motion_mark_constraints(m, mark);
  make_places(n, mark, &q->of_all);
  free(mark);
  q->use = &q->of_forces;
  q->each = calloc(2 * (size_t)n + 1, sizeof *q->each);
  for (int j = 0; j < 2 * n; j++) { q->each[j] = j; }
}

/* An observer that stops the run at its start. */
static int stop_at_start(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                         const double *lam, const double *y) {
  (void)user, (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return 1;
}

mbd_status tangents_start(tangents *q, double step, double duration, mbd_error *err) {
  double psi;
  mbd_case c = q->c->c;
  c.step = step, c.duration = duration, c.formulation = "ali3p", c.integrator = "newmark", c.tangent = "analytic";
  c.projection_iterations = 0, c.penalty = 0;
  mbd_sim_destroy(q->own);
  q->own = NULL;
  MBD_TRY(mbd_sim_create(q->c->v->model, &c, q->c->outputs, 0, NULL, 0, 0, &q->own, err));
  const mbd_status status = mbd_sim_run(q->own, q->c->v->params, 0, NULL, &psi, NULL, NULL, stop_at_start, NULL, err);
  return status == MBD_INTERRUPTED ? MBD_OK : status;
}

mbd_status tangents_open(const char *path, int n, const char *const *set, tangents *q, mbd_error *err) {
  *q = (tangents){0};
  MBD_TRY(opened_open(path, n, set, &q->run, err));
  MBD_TRY(mechanism_set_design(q->run.m, q->run.m->start, 0, err));
  const mechanism_case *c = q->c = &q->run.m->cases[0];
  const mbd_model *m = c->v->model;
  q->nz = m->nz, q->nphi = m->nphi;
  q->forces = m->nforce > 0;
  find_places(q, m);
  const size_t nz = (size_t)q->nz;
  q->x = calloc(nz + 1, sizeof *q->x), q->y = calloc(nz + 1, sizeof *q->y);
  q->R[0] = calloc(nz + 1, sizeof **q->R), q->R[1] = calloc(nz + 1, sizeof **q->R);
  q->B = calloc(2 * nz * nz + 1, sizeof *q->B), q->lam = calloc((size_t)q->nphi + 1, sizeof *q->lam);
  q->ad[0] = ad_dual()->open(mbo_model_file_spec(c->v->file), c->v->theta, err);
  if (!q->ad[0]) { return MBD_BAD_INPUT; }
#ifdef BENCH_HAVE_ADOLC
  q->ad[1] = ad_adolc()->open(mbo_model_file_spec(c->v->file), c->v->theta, err);
  if (!q->ad[1]) { return MBD_BAD_INPUT; }
#endif
  return MBD_OK;
}

void tangents_close(tangents *q) {
  free_places(&q->of_forces), free_places(&q->of_all), free(q->each);
  free(q->x), free(q->y), free(q->R[0]), free(q->R[1]), free(q->B), free(q->lam);
  if (q->ad[0]) { ad_dual()->close(q->ad[0]); }
#ifdef BENCH_HAVE_ADOLC
  if (q->ad[1]) { ad_adolc()->close(q->ad[1]); }
#endif
  mbd_sim_destroy(q->own);
  opened_close(&q->run);
}
