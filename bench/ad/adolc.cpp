// ADOL-C: the residual is recorded on a tape, whose interpreter makes derivatives forward and in reverse.
#include "model.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <vector>

enum { BUFFER = 1 << 22 }; /* numbers of each kind that a tape holds in memory */

static short tags = 0;

struct ad_model {
  residual q;
  short tag;
  int keep = 0, recorded = 0;
  std::vector<double> x, y, seed, result;
  std::vector<double *> rows, result_rows;
};

static ad_model *adolc_open(const mbd_spec *spec, const double *theta, mbd_error *err) {
  ad_model *a = new ad_model;
  a->tag = tags++;
  if (a->q.open(spec, theta, err) == MBD_OK) { return a; }
  delete a;
  return nullptr;
}

static void adolc_close(ad_model *a) {
  delete a;
}

static void adolc_keep(ad_model *a, int keep) {
  a->keep = keep, a->recorded = 0;
}

static void adolc_value(ad_model *a, const ad_point *at, double *R) {
  residual *q = &a->q;
  const int n = q->m->nz;
  for (int j = 0; j < n; j++) { q->z[j] = at->z[j], q->zd[j] = at->zd[j], q->zdd[j] = at->zdd[j]; }
  for (int i = 0; i < q->m->nphi; i++) { q->lam[i] = at->lam[i]; }
  q->evaluate(at->t);
  for (int i = 0; i < n; i++) { R[i] = q->r[i].value(); }
}

static void record(ad_model *a, const ad_point *at) {
  residual *q = &a->q;
  const int n = q->m->nz;
  a->x.resize(2 * (size_t)n), a->y.resize((size_t)n);
  for (int j = 0; j < n; j++) { a->x[j] = at->z[j], a->x[n + j] = at->zd[j]; }
  if (a->keep && a->recorded) { return; }
  trace_on(a->tag, 0, BUFFER, BUFFER, BUFFER, BUFFER);
  for (int j = 0; j < n; j++) { q->z[j].independent(at->z[j]); }
  for (int j = 0; j < n; j++) { q->zd[j].independent(at->zd[j]), q->zdd[j] = at->zdd[j]; }
  for (int i = 0; i < q->m->nphi; i++) { q->lam[i] = at->lam[i]; }
  q->evaluate(at->t);
  for (int i = 0; i < n; i++) { q->r[i].dependent(); }
  trace_off();
  a->recorded = 1;
}

static double **rows_of(std::vector<double> &x, std::vector<double *> &rows, int n, int m) {
  x.assign((size_t)n * (size_t)m, 0), rows.resize((size_t)n);
  for (int i = 0; i < n; i++) { rows[i] = x.data() + (size_t)i * (size_t)m; }
  return rows.data();
}

static void adolc_forward(ad_model *a, const ad_point *at, const ad_seeds *s, double *B) {
  const int n = a->q.m->nz, p = s->colours;
  record(a, at);
  double **seed = rows_of(a->seed, a->rows, 2 * n, p), **by = rows_of(a->result, a->result_rows, n, p);
  for (int j = 0; j < 2 * n; j++) { seed[j][s->colour[j]] = 1; }
  const int done = fov_forward(a->tag, n, 2 * n, p, a->x.data(), seed, a->y.data(), by);
  if (done < 0) { a->result.assign(a->result.size(), NAN); }
  std::copy(a->result.begin(), a->result.end(), B);
}

static void adolc_reverse(ad_model *a, const ad_point *at, double *J) {
  const int n = a->q.m->nz;
  record(a, at);
  double **unit = rows_of(a->seed, a->rows, n, n), **by = rows_of(a->result, a->result_rows, n, 2 * n);
  for (int i = 0; i < n; i++) { unit[i][i] = 1; }
  int done = zos_forward(a->tag, n, 2 * n, 1, a->x.data(), a->y.data());
  if (done >= 0) { done = fov_reverse(a->tag, n, 2 * n, n, unit, by); }
  if (done < 0) { a->result.assign(a->result.size(), NAN); }
  std::copy(a->result.begin(), a->result.end(), J);
}

/* ---- a whole simulation ---- */

struct ad_sim {
  simulation of;
  short tag;
  std::vector<bench_taped> rho;
};

static ad_sim *adolc_sim_open(const mbd_spec *spec, const mbd_case *c, int nname, const char *const *name, int nterm,
                              const mbd_term *term, int npsi, mbd_error *err) {
  ad_sim *a = new ad_sim;
  a->tag = tags++;
  if (a->of.open(spec, c, nname, name, nterm, term, npsi, err) == MBD_OK) { return a; }
  delete a;
  return nullptr;
}

static void adolc_sim_close(ad_sim *a) {
  delete a;
}

static double size_on_tape(const size_t *size, int count, size_t each) {
  return (double)size[count] * (double)each;
}

/* One tape of all steps, with every correction of Newton's iteration; then one reverse pass. */
static mbd_status adolc_sim_gradient(ad_sim *a, const double *theta, const ad_variables *of, const double *weight,
                                     double *psi, double *g, ad_cost *cost, mbd_error *err) {
  const int n = of->n;
  *cost = {};
  a->rho.assign((size_t)n, bench_taped(0));
  trace_on(a->tag, 1, BUFFER, BUFFER, BUFFER, BUFFER); /* 1: keeps the values that the reverse pass needs */
  for (int j = 0; j < n; j++) { a->rho[j].independent(0); }
  mbd_status status = a->of.set(theta, err);
  for (int j = 0; j < n && status == MBD_OK; j++) {
    for (int i = of->start[j]; i < of->start[j + 1]; i++) { a->of.p->theta[of->index[i]] += of->value[i] * a->rho[j]; }
  }
  if (status == MBD_OK) { status = a->of.run(nullptr, err); }
  bench_taped sum = 0;
  for (int i = 0; i < a->of.sim->npsi; i++) { sum += weight[i] * a->of.psi(i), psi[i] = a->of.psi(i).value(); }
  sum.dependent();
  trace_off();
  MBD_TRY(status);
  double one = 1;
  if (reverse(a->tag, 1, n, 0, &one, g) < 0) { MBD_FAIL(err, MBD_NOT_FINITE, "ADOL-C's reverse pass failed"); }
  size_t size[STAT_SIZE];
  tapestats(a->tag, size);
  cost->simulations = 1, cost->iterations = a->of.sim->stats.iterations;
  cost->operations = (double)size[NUM_OPERATIONS];
  cost->tape = size_on_tape(size, NUM_OPERATIONS, 1) + size_on_tape(size, NUM_LOCATIONS, sizeof(locint)) +
               size_on_tape(size, NUM_VALUES, sizeof(double));
  cost->values = size_on_tape(size, TAY_STACK_SIZE, sizeof(double));
  return MBD_OK;
}

static const ad_ops ops = {"ADOL-C",      adolc_open, adolc_close,    adolc_value,     adolc_forward,
                           adolc_reverse, adolc_keep, adolc_sim_open, adolc_sim_close, adolc_sim_gradient,
                           nullptr,       nullptr,    nullptr};

extern "C" __attribute__((visibility("default"))) const ad_ops *ad_adolc(void) {
  return &ops;
}
