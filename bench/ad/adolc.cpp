// ADOL-C: the residual is recorded on a tape, whose interpreter makes derivatives forward and in reverse.
#include "model.hpp"

#include <algorithm>
#include <vector>

enum { BUFFER = 1 << 22 }; /* numbers of each kind that a tape holds in memory */

struct ad_model {
  residual q;
  short tag;
  int keep = 0, recorded = 0;
  std::vector<double> x, y, seed, result;
  std::vector<double *> rows, result_rows;
};

static ad_model *adolc_open(const mbd_spec *spec, const double *theta, mbd_error *err) {
  static short tags = 0;
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

static const ad_ops ops = {"ADOL-C", adolc_open, adolc_close, adolc_value, adolc_forward, adolc_reverse, adolc_keep};

extern "C" __attribute__((visibility("default"))) const ad_ops *ad_adolc(void) {
  return &ops;
}
