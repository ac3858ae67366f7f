/* The first case of a run file that has objectives, in lanes and by itself, at W designs. */
#ifndef MBOPT_TEST_BATCH_H
#define MBOPT_TEST_BATCH_H

#include "mbd/lanes.h"
#include "opened_run.h"

typedef struct batch {
  opened_run r;
  const mechanism_case *load;
  mbd_lanes *lanes;
  mbd_sim *alone;
  int W, nc, n, npsi, noutput; /* lanes, coefficients, variables, objectives, outputs */
  double *theta;               /* [W][nc] */
  int *first, *index;          /* directions of the variables, */
  double *value;               /* [W][first[n]] */
  unsigned char *requested;    /* [nc] the coefficients that they move */
  mbd_params *p;               /* of the design that is alone */
  mbd_dparams **d;             /* [n] */
} batch;

enum { VALUE, DIRECT, GAUSS_NEWTON, ADJOINT, METHODS };

/* Derivatives of an objective by a method: the gradient, or the matrix of Gauss and Newton. */
static inline int batch_row(const batch *b, int method) {
  switch (method) {
    case VALUE: return 0;
    case DIRECT: return b->n;
    case GAUSS_NEWTON: return b->n * b->n;
    default: return b->nc;
  }
}

/* Numbers of these for each design. */
static inline size_t batch_gradient_size(const batch *b, int method) {
  return (size_t)b->npsi * (size_t)batch_row(b, method);
}

/* The coefficients of design `lane` at the variables rho [n]. */
static inline void batch_set(batch *b, int lane, const double *rho) {
  mbd_error err = {0};
  const mechanism_variant *v = b->load->v;
  must(mechanism_set_design(b->r.m, rho, 1, &err), &err);
  memcpy(b->theta + (size_t)lane * (size_t)b->nc, v->theta, (size_t)b->nc * sizeof *b->theta);
  const int from = v->start[0], count = v->start[b->n] - from;
  if (!b->first) {
    b->first = calloc((size_t)b->n + 1, sizeof *b->first), b->index = calloc((size_t)count + 1, sizeof *b->index);
    b->value = calloc((size_t)(b->W * count) + 1, sizeof *b->value);
    b->requested = calloc((size_t)b->nc + 1, 1);
    for (int j = 0; j <= b->n; j++) { b->first[j] = v->start[j] - from; }
    for (int i = 0; i < count; i++) { b->index[i] = v->index[from + i], b->requested[b->index[i]] = 1; }
  }
  memcpy(b->value + lane * count, v->value + from, (size_t)count * sizeof *b->value);
}

/* Design i of a family around the start: each variable differs by up to a part `spread`, within its bounds. */
static inline void batch_set_around(batch *b, int lane, int i, double spread) {
  const mechanism *m = b->r.m;
  double rho[64];
  CU_ASSERT_FATAL(b->n <= 64);
  for (int j = 0; j < b->n; j++) {
    rho[j] = fmin(m->upper[j], fmax(m->lower[j], m->start[j] * (1 + spread * sin(1 + 3 * i + 7 * j))));
  }
  batch_set(b, lane, rho);
}

/* MBD_UNSUPPORTED where the case does not go in lanes. */
static inline mbd_status batch_open(const char *file, int nset, const char *const *set, int W, batch *b,
                                    mbd_error *err) {
  *b = (batch){.r = run_open(file, nset, set), .W = W};
  const mechanism *m = b->r.m;
  const mechanism_case *load = b->load = m->cases;
  while (load->npsi == 0) { load = ++b->load; }
  b->n = m->n, b->npsi = load->npsi, b->noutput = mbd_outputs_count(load->outputs);
  must(mechanism_set_design(b->r.m, m->start, 1, err), err);
  b->nc = mbd_model_ncoef(load->v->model);
  b->theta = calloc((size_t)(W * b->nc), sizeof *b->theta);
  const char **name = calloc((size_t)b->noutput + 1, sizeof *name);
  for (int i = 0; i < b->noutput; i++) { name[i] = mbd_outputs_name(load->outputs, i); }
  const mbd_status status = mbd_lanes_create(W, mbo_model_file_spec(load->v->file), &load->c, b->noutput, name,
                                             load->nterm, load->term, b->npsi, b->n, &b->lanes, err);
  free(name);
  if (status != MBD_OK) { return status; }
  must(mbd_sim_create(load->v->model, &load->c, load->outputs, load->nterm, load->term, b->npsi, b->n, &b->alone, err),
       err);
  must(mbd_params_create(load->v->model, NULL, &b->p, err), err);
  b->d = calloc((size_t)b->n + 1, sizeof *b->d);
  for (int j = 0; j < b->n; j++) { must(mbd_dparams_create(load->v->model, &b->d[j], err), err); }
  for (int lane = 0; lane < W; lane++) { batch_set_around(b, lane, 0, 0); }
  return MBD_OK;
}

static inline void batch_close(batch *b) {
  mbd_lanes_destroy(b->lanes), mbd_sim_destroy(b->alone);
  for (int j = 0; b->d && j < b->n; j++) { mbd_dparams_destroy(b->d[j]); }
  mbd_params_destroy(b->p);
  free(b->d), free(b->theta), free(b->first), free(b->index), free(b->value), free(b->requested);
  run_close(&b->r);
}

/* All designs: psi [W][npsi], g [W][batch_gradient_size]. */
static inline mbd_status batch_run(batch *b, int method, double *psi, double *g, mbd_error *err) {
  const mbd_lanes_directions d = {b->n, b->first, b->index, b->value};
  const mbd_adjoint_options a = {.requested = b->requested};
  return method == ADJOINT
             ? mbd_lanes_adjoint(b->lanes, b->theta, &a, psi, g, NULL, NULL, err)
             : mbd_lanes_run(b->lanes, b->theta, method == VALUE ? NULL : &d, psi, method == DIRECT ? g : NULL,
                             method == GAUSS_NEWTON ? g : NULL, NULL, NULL, err);
}

/* The numbers and directions of design `lane` become those of the design that is alone. */
static inline void batch_take(batch *b, int lane) {
  mbd_error err = {0};
  must(mbd_params_set(b->p, b->theta + (size_t)lane * (size_t)b->nc, &err), &err);
  for (int j = 0; j < b->n; j++) {
    const int from = b->first[j];
    mbd_dparams_set(b->d[j], b->p, b->first[j + 1] - from, b->index + from, b->value + lane * b->first[b->n] + from);
  }
}

/* Design `lane` by itself. */
static inline mbd_status batch_run_alone(batch *b, int lane, int method, double *psi, double *g, mbd_error *err) {
  const mbd_adjoint_options a = {.requested = b->requested};
  batch_take(b, lane);
  return method == ADJOINT
             ? mbd_sim_adjoint(b->alone, b->p, &a, psi, g, NULL, NULL, err)
             : mbd_sim_run(b->alone, b->p, method == VALUE ? 0 : b->n, b->d, psi, method == DIRECT ? g : NULL,
                           method == GAUSS_NEWTON ? g : NULL, NULL, NULL, err);
}

/* The largest difference of the gradients of two designs, relative to the largest number of each objective. */
static inline double batch_difference(const batch *b, int method, const double *g, const double *other) {
  const int count = batch_row(b, method);
  double worst = 0;
  for (int i = 0; method != VALUE && i < b->npsi; i++) {
    double size = 0, difference = 0;
    for (int j = 0; j < count; j++) {
      if (method == ADJOINT && !b->requested[j]) { continue; }
      size = fmax(size, fabs(other[i * count + j]));
      difference = fmax(difference, fabs(g[i * count + j] - other[i * count + j]));
    }
    if (size > 0) { worst = fmax(worst, difference / size); }
  }
  return worst;
}

#endif
