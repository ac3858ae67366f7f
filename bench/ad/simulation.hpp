// A simulation over the scalar of the build: start, steps with Newton's iteration and projections, objectives. The program's own code, so its
// decisions are those for values alone; derivatives converge behind them (EXTRA_ITERATIONS).
#ifndef BENCH_AD_SIMULATION_HPP
#define BENCH_AD_SIMULATION_HPP

#include <stdlib.h>

#include <vector>

#include "ad.h"
#include "formulations.hpp"
#include "model/derived.h"
#include "objective/objectives.h"

// An observer that stops a run at its start.
static int stop_at_start(void *, int, double, const double *, const double *, const double *, const double *,
                         const double *) {
  return 1;
}

struct simulation {
  mbd_model *m = nullptr;
  mbd_params *p = nullptr;
  mbd_outputs *outputs = nullptr;
  mbd_sim *sim = nullptr;
  // Steps at their solutions: scratch [nz], [nphi]; M [nz][nz], Phi_z [nphi][nz]; numbers of all directions.
  mbd_real *vs = nullptr, *as = nullptr, *change = nullptr, *r = nullptr, *phi = nullptr, *rate = nullptr;
  mbd_real *M = nullptr, *Phi_z = nullptr;
  std::vector<double> f, g, x, y;
  mbd_arena arena = {};

  // Outputs are added under the names that they have in the caller's list, which orders them.
  mbd_status open(const mbd_spec *spec, const mbd_case *c, int nname, const char *const *name, int nterm,
                  const mbd_term *term, int npsi, mbd_error *err) {
    std::vector<int> place((size_t)nname + 1);
    std::vector<mbd_term> terms(term, term + nterm);
    MBD_TRY(mbd_model_create(spec, &m, err));
    MBD_TRY(mbd_params_create(m, nullptr, &p, err));
    MBD_TRY(mbd_outputs_create(m, &outputs, err));
    for (int i = 0; i < nname; i++) {
      int count;
      MBD_TRY(mbd_outputs_add(outputs, name[i], &place[i], &count, err));
    }
    for (mbd_term &k : terms) { k.output = place[k.output]; }
    return mbd_sim_create(m, c, outputs, nterm, terms.data(), npsi, 0, &sim, err);
  }

  void make_memory() {
    const size_t n = (size_t)m->nz + 1, rows = (size_t)m->nphi + 1;
    if (arena.base) { return; }
    while (mbd_arena_pass(&arena)) {
      MBD_ARENA_REALS(&arena, n, &vs, &as, &change, &r);
      MBD_ARENA_REALS(&arena, rows, &phi, &rate);
      M = mbd_arena_real(&arena, n * n), Phi_z = mbd_arena_real(&arena, rows * n);
    }
    f.resize(n * AD_DIRECTIONS), x.resize(n * AD_DIRECTIONS), g.resize(rows * AD_DIRECTIONS);
    y.resize(rows * AD_DIRECTIONS);
  }

  // r := M x + Phi_z' mult,  phi := Phi_z y + c
  void projection(const mbd_real *x, const double *mult, const double *y, const mbd_real *c) {
    const int n = m->nz, rows = m->nphi;
    for (int i = 0; i < n; i++) {
      r[i] = 0;
      for (int j = 0; j < n; j++) { r[i] += M[i * n + j] * x[j]; }
      for (int j = 0; j < rows; j++) { r[i] += mult[j] * Phi_z[j * n + i]; }
    }
    for (int j = 0; j < rows; j++) {
      phi[j] = c[j];
      for (int i = 0; i < n; i++) { phi[j] += Phi_z[j * n + i] * y[i]; }
    }
  }

  ~simulation() {
    free(arena.base);
    mbd_sim_destroy(sim), mbd_outputs_destroy(outputs), mbd_params_destroy(p), mbd_model_destroy(m);
  }

  // Coefficients as numbers, to which the caller adds their derivatives before run().
  mbd_status set(const double *theta, mbd_error *err) {
    return mbd_params_set(p, theta, err);
  }

  mbd_status run(mbd_observer observer, mbd_error *err) {
    derived_set(p);
    return mbd_sim_run(sim, p, 0, nullptr, nullptr, nullptr, nullptr, observer, nullptr, err);
  }

  mbd_status run_to_start(mbd_error *err) {
    const mbd_status status = run(stop_at_start, err);
    return status == MBD_INTERRUPTED ? MBD_OK : status;
  }

  mbd_real &psi(int i) const {
    return sim->objectives->psi[i];
  }
};

#endif
