// ADOL-C: the residual is recorded on a tape, whose interpreter makes derivatives forward and in reverse.
#include "model.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <vector>

enum { BUFFER = 1 << 22 }; /* numbers of each kind that a tape holds in memory */
enum {
  STEP_BUFFER = 1 << 18
}; /* of gradients: memory for many small tapes costs time, so it is little more than that of one */

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
  // Of the reverse pass over steps: what is differentiated; derivatives by the state of the node, by v*, a*, and by the variables.
  const double *theta;
  const ad_variables *by;
  const double *weight;
  std::vector<double> z, zd, zdd, lam, kappa, vs, as, g;
  std::vector<double> mu, u,
      gradient;  // [nz + nphi] adjoint variables; weights of the dependents; derivatives by the independents
  ad_cost cost;
};

static ad_sim *adolc_sim_open(const mbd_spec *spec, const mbd_case *c, int nname, const char *const *name, int nterm,
                              const mbd_term *term, int npsi, mbd_error *err) {
  ad_sim *a = new ad_sim;
  a->tag = tags++;
  mbd_status status = a->of.open(spec, c, nname, name, nterm, term, npsi, err);
  if (status == MBD_OK && a->of.sim->objectives->histories) {
    status = MBD_FAILED(err, MBD_UNSUPPORTED,
                        "ADOL-C: an objective is made of histories, whose memory grows; expected sums over the nodes");
  }
  if (status == MBD_OK) { return a; }
  delete a;
  return nullptr;
}

static void adolc_sim_close(ad_sim *a) {
  delete a;
}

static double size_on_tape(const size_t *size, int count, size_t each) {
  return (double)size[count] * (double)each;
}

static void add_to_cost(ad_sim *a) {
  size_t size[STAT_SIZE];
  tapestats(a->tag, size);
  a->cost.operations += (double)size[NUM_OPERATIONS];
  a->cost.tape =
      std::max(a->cost.tape, size_on_tape(size, NUM_OPERATIONS, 1) + size_on_tape(size, NUM_LOCATIONS, sizeof(locint)) +
                                 size_on_tape(size, NUM_VALUES, sizeof(double)));
  a->cost.values = std::max(a->cost.values, size_on_tape(size, TAY_STACK_SIZE, sizeof(double)));
}

/* Begins a tape: the coefficients as functions of the variables. */
static mbd_status begin_tape(ad_sim *a, mbd_error *err) {
  const ad_variables *of = a->by;
  a->rho.assign((size_t)of->n, bench_taped(0));
  trace_on(a->tag, 1, STEP_BUFFER, STEP_BUFFER, STEP_BUFFER,
           STEP_BUFFER); /* 1: keeps the values that the reverse pass needs */
  for (int j = 0; j < of->n; j++) { a->rho[j].independent(0); }
  MBD_TRY(a->of.set(a->theta, err));
  for (int j = 0; j < of->n; j++) {
    for (int i = of->start[j]; i < of->start[j + 1]; i++) { a->of.p->theta[of->index[i]] += of->value[i] * a->rho[j]; }
  }
  return MBD_OK;
}

/* The sum of the objectives is the next dependent. */
static void sum_dependent(ad_sim *a) {
  bench_taped sum = 0;
  for (int i = 0; i < a->of.sim->npsi; i++) { sum += a->weight[i] * a->of.psi(i); }
  sum.dependent();
}

/* One tape of all steps, with every correction of Newton's iteration; then one reverse pass. */
static mbd_status adolc_sim_gradient(ad_sim *a, const double *theta, const ad_variables *of, const double *weight,
                                     double *psi, double *g, ad_cost *cost, mbd_error *err) {
  a->theta = theta, a->by = of, a->weight = weight, a->cost = {};
  mbd_status status = begin_tape(a, err);
  if (status == MBD_OK) { status = a->of.run(nullptr, err); }
  sum_dependent(a);
  trace_off();
  MBD_TRY(status);
  for (int i = 0; i < a->of.sim->npsi; i++) { psi[i] = a->of.psi(i).value(); }
  double one = 1;
  if (fos_reverse(a->tag, 1, of->n, &one, g) < 0) { MBD_FAIL(err, MBD_NOT_FINITE, "ADOL-C's reverse pass failed"); }
  add_to_cost(a);
  *cost = a->cost, cost->simulations = 1, cost->iterations = a->of.sim->stats.iterations;
  return MBD_OK;
}

/* ---- steps at their solutions, in reverse ---- */

static mbd_status adolc_reverse_begin(ad_sim *a, const double *theta, const ad_variables *of, const double *weight,
                                      mbd_error *err) {
  const size_t n = (size_t)a->of.m->nz, m = (size_t)a->of.m->nphi;
  a->theta = theta, a->by = of, a->weight = weight, a->cost = {};
  for (std::vector<double> *x : {&a->z, &a->zd, &a->zdd, &a->vs, &a->as}) { x->assign(n, 0); }
  for (std::vector<double> *x : {&a->lam, &a->kappa}) { x->assign(m, 0); }
  a->mu.resize(n + m), a->u.resize(3 * n + 1), a->g.assign((size_t)of->n, 0);
  a->gradient.resize((size_t)of->n + 3 * n + m);
  a->of.make_memory();
  MBD_TRY(a->of.set(theta, err));
  return a->of.run_to_start(err); /* the objectives begin */
}

static void independents(int n, const double *value, mbd_real *x) {
  for (int i = 0; i < n; i++) { x[i].independent(value[i]); }
}

static void numbers(int n, const double *value, mbd_real *x) {
  for (int i = 0; i < n; i++) { x[i] = value[i]; }
}

/* Ends a tape, and adds the derivatives of its dependents with the weights u to those by the variables and by further independents. */
static mbd_status end_tape(ad_sim *a, int dependents, std::initializer_list<std::vector<double> *> to, mbd_error *err) {
  size_t n = a->g.size();
  trace_off();
  for (const std::vector<double> *x : to) { n += x->size(); }
  if (fos_reverse(a->tag, dependents, (int)n, a->u.data(), a->gradient.data()) < 0) {
    MBD_FAIL(err, MBD_NOT_FINITE, "ADOL-C's reverse pass failed");
  }
  add_to_cost(a);
  const double *by = a->gradient.data();
  for (double &x : a->g) { x += *by++; }
  for (std::vector<double> *x : to) {
    for (double &i : *x) { i += *by++; }
  }
  return MBD_OK;
}

/* The weights of residuals in the derivative of their solution, of which x, y are the derivatives of the objective. */
static mbd_status solve_adjoint(ad_sim *a, int projection, const std::vector<double> &x, const std::vector<double> &y,
                                ad_solve solve, void *user, mbd_error *err) {
  MBD_TRY(solve(user, projection, x.data(), y.data(), a->mu.data(), a->mu.data() + x.size(), err));
  for (size_t i = 0; i < a->mu.size(); i++) { a->u[i] = -a->mu[i]; }
  return MBD_OK;
}

static void dependents(simulation *q) {
  for (int i = 0; i < q->m->nz; i++) { q->r[i].dependent(); }
  for (int i = 0; i < q->m->nphi; i++) { q->phi[i].dependent(); }
}

static mbd_status reverse_objectives(ad_sim *a, const ad_step *at, mbd_error *err) {
  simulation *q = &a->of;
  mbd_sim *s = q->sim;
  const int n = q->m->nz, m = q->m->nphi;
  mbd_real *reaction = s->reactions_apart ? s->now.reaction : s->now.lam;
  MBD_TRY(begin_tape(a, err));
  derived_set(q->p);
  independents(n, at->z, s->now.z), independents(n, at->zd, s->now.zd), independents(n, at->zdd, s->now.zdd);
  for (int i = 0; i < m; i++) { reaction[i].independent(at->lam[i] + (s->reactions_apart ? at->kappa[i] : 0)); }
  motion_place(s->w, q->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  for (int i = 0; i < s->npsi; i++) { q->psi(i) = 0; }
  MBD_TRY(quadrature_add(s, sim_weight(s, at->k), at->k == s->nsteps, 0, 0, err));
  sum_dependent(a);
  a->u[0] = 1;
  MBD_TRY(end_tape(a, 1, {&a->z, &a->zd, &a->zdd, &a->lam}, err));
  if (s->reactions_apart) { a->kappa = a->lam; }
  return MBD_OK;
}

static void place_projection(simulation *q) {
  derived_set(q->p);
  motion_place(q->sim->w, q->p, q->sim->t, q->sim->now.z);
  motion_mass(q->sim->w, nullptr, q->M);
  motion_phi(q->sim->w, motion_constraints(q->m), nullptr, q->Phi_z);
}

static mbd_status reverse_accelerations(ad_sim *a, const ad_step *at, ad_solve solve, void *user, mbd_error *err) {
  simulation *q = &a->of;
  mbd_sim *s = q->sim;
  const int n = q->m->nz, m = q->m->nphi;
  MBD_TRY(solve_adjoint(a, 1, a->zdd, a->kappa, solve, user, err));
  MBD_TRY(begin_tape(a, err));
  independents(n, at->z, s->now.z), independents(n, at->zd, s->now.zd), independents(n, at->as, q->as);
  place_projection(q);
  for (int j = 0; j < n; j++) { q->change[j] = 0; }
  motion_move(s->w, s->now.zd, q->change, 0);
  motion_phidd(s->w, motion_constraints(q->m), q->rate);
  for (int j = 0; j < n; j++) { q->change[j] = at->zdd[j] - q->as[j]; }
  q->projection(q->change, at->kappa, at->zdd, q->rate);
  dependents(q);
  return end_tape(a, n + m, {&a->z, &a->zd, &a->as}, err);
}

static mbd_status reverse_velocities(ad_sim *a, const ad_step *at, ad_solve solve, void *user, mbd_error *err) {
  simulation *q = &a->of;
  mbd_sim *s = q->sim;
  const int n = q->m->nz, m = q->m->nphi;
  const std::vector<double> none((size_t)m, 0);
  MBD_TRY(solve_adjoint(a, 1, a->zd, none, solve, user, err));
  MBD_TRY(begin_tape(a, err));
  independents(n, at->z, s->now.z), independents(n, at->vs, q->vs);
  place_projection(q);
  motion_phi_t(s->w, motion_constraints(q->m), q->rate);
  for (int j = 0; j < n; j++) { q->change[j] = at->zd[j] - q->vs[j]; }
  q->projection(q->change, at->sigma, at->zd, q->rate);
  dependents(q);
  return end_tape(a, n + m, {&a->z, &a->vs}, err);
}

static mbd_status reverse_motion(ad_sim *a, const ad_step *at, ad_solve solve, void *user, mbd_error *err) {
  simulation *q = &a->of;
  mbd_sim *s = q->sim;
  const int n = q->m->nz, m = q->m->nphi;
  const double c = mbd_re(s->scheme.c), to_a = mbd_re(s->scheme.a);
  std::vector<double> dz(a->z);
  for (int j = 0; j < n; j++) { dz[j] += c * a->vs[j] + to_a * a->as[j]; }
  MBD_TRY(solve_adjoint(a, 0, dz, a->lam, solve, user, err));
  MBD_TRY(begin_tape(a, err));
  independents(n, at->z, s->now.z), independents(n, at->vs, q->vs), independents(n, at->as, q->as);
  derived_set(q->p);
  numbers(m, at->lam, s->now.lam);
  motion_place(s->w, q->p, s->t, s->now.z);
  motion_move(s->w, q->vs, q->as, 1);
  motion_residual_held(s->w, motion_constraints(q->m), s->now.lam, q->phi, q->r);
  dependents(q);
  return end_tape(a, n + m, {&a->z, &a->vs, &a->as}, err);
}

static mbd_status adolc_reverse_take(ad_sim *a, const ad_step *at, ad_solve solve, void *user, mbd_error *err) {
  mbd_sim *s = a->of.sim;
  const int n = a->of.m->nz;
  s->t = at->t;
  a->vs.assign((size_t)n, 0), a->as.assign((size_t)n, 0);
  MBD_TRY(reverse_objectives(a, at, err));
  MBD_TRY(reverse_accelerations(a, at, solve, user, err));
  MBD_TRY(reverse_velocities(a, at, solve, user, err));
  MBD_TRY(reverse_motion(a, at, solve, user, err));
  for (int j = 0; j < n; j++) { /* the scheme: the node before */
    a->zd[j] = mbd_re(s->scheme.v_zd) * a->vs[j] + mbd_re(s->scheme.a_zd) * a->as[j];
    a->zdd[j] = mbd_re(s->scheme.v_zdd) * a->vs[j] + mbd_re(s->scheme.a_zdd) * a->as[j];
  }
  std::fill(a->lam.begin(), a->lam.end(), 0), std::fill(a->kappa.begin(), a->kappa.end(), 0);
  return MBD_OK;
}

/* The start, with the objectives at it. */
static mbd_status adolc_reverse_end(ad_sim *a, double *g, ad_cost *cost, mbd_error *err) {
  simulation *q = &a->of;
  const int n = q->m->nz;
  MBD_TRY(begin_tape(a, err));
  MBD_TRY(q->run_to_start(err));
  sum_dependent(a);
  a->u[0] = 1;
  for (int j = 0; j < n; j++) { q->sim->now.z[j].dependent(), a->u[1 + j] = a->z[j]; }
  for (int j = 0; j < n; j++) { q->sim->now.zd[j].dependent(), a->u[1 + n + j] = a->zd[j]; }
  for (int j = 0; j < n; j++) { q->sim->now.zdd[j].dependent(), a->u[1 + 2 * n + j] = a->zdd[j]; }
  MBD_TRY(end_tape(a, 1 + 3 * n, {}, err));
  std::copy(a->g.begin(), a->g.end(), g);
  *cost = a->cost;
  return MBD_OK;
}

static const ad_ops ops = {"ADOL-C",         adolc_open, adolc_close,    adolc_value,         adolc_forward,
                           adolc_reverse,    adolc_keep, adolc_sim_open, adolc_sim_close,     adolc_sim_gradient,
                           nullptr,          nullptr,    nullptr,        adolc_reverse_begin, adolc_reverse_take,
                           adolc_reverse_end};

extern "C" __attribute__((visibility("default"))) const ad_ops *ad_adolc(void) {
  return &ops;
}
