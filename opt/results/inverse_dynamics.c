/* Forces of a prescribed motion over time with their derivatives: Q, dQ/dz, dQ/dzd, dQ/dzdd of every kinematic case at
 * each node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/atomic_file.h"
#include "files/csv.h"
#include "mbd/inverse.h"
#include "results/results.h"

enum { MATRICES = 3 };

typedef struct table {
  FILE *out;
  const mechanism *m;
  const mechanism_case *load;
  int every;
  mbd_inverse *v;
  double *Q;       /* [nz] */
  mbd_error error; /* of an evaluation */
} table;

int results_is_kinematic(const mechanism_case *load) {
  return strcmp(load->c.analysis, "kinematic") == 0;
}

/* The first line: time, a force for each coordinate, and the entries of the three matrices inside their patterns. */
static void write_header(const table *w) {
  static const char *const ending[MATRICES] = {"", ".rate", ".acceleration"};
  const mbd_model *m = w->load->v->model;
  const int n = mbd_model_nz(m);
  /* The time, and the force of each coordinate with its unit. */
  fprintf(w->out, "t [s]");
  for (int i = 0; i < n; i++) {
    char *name = mbd_sprintf_dup("Q %s [%s]", mbd_model_z_name(m, i), mbd_model_force_unit(m, i));
    csv_put_text(w->out, name);
    free(name);
  }
  /* "d Q J1.angle/d J2.angle.rate": the nonzeros of dQ/dz, dQ/dzd and dQ/dzdd in the order of write_row, by matrix, row and column. */
  for (int k = 0; k < MATRICES; k++) {
    const int *count, *col;
    mbd_inverse_pattern(w->v, (mbd_inverse_by)k, &count, &col);
    for (int i = 0; i < n; i++) {
      for (int c = 0; c < count[i]; c++) {
        char *name =
            mbd_sprintf_dup("d Q %s/d %s%s", mbd_model_z_name(m, i), mbd_model_z_name(m, col[i * n + c]), ending[k]);
        csv_put_text(w->out, name);
        free(name);
      }
    }
  }
  fputc('\n', w->out);
}

/* Observer of the simulation: evaluates Q and its derivatives at every w->every-th node and writes a row. */
static int write_row(void *user, int node, double t, const double *z, const double *zd, const double *zdd,
                     const double *lam, const double *y) {
  table *w = user;
  const double *by[MATRICES];
  const int n = mbd_model_nz(w->load->v->model);
  (void)lam, (void)y;
  if (w->m->stop && *w->m->stop) { return 1; }
  if (node % w->every) { return 0; }
  if (mbd_inverse_dynamics(w->v, w->load->v->params, t, z, zd, zdd, 0, NULL, w->Q, &w->error) != MBD_OK) { return 1; }
  mbd_inverse_jacobian(w->v, &by[0], &by[1], &by[2]);
  fprintf(w->out, "%.17g", t);
  for (int i = 0; i < n; i++) { csv_put_number(w->out, w->Q[i]); }
  for (int k = 0; k < MATRICES; k++) {
    const int *count, *col;
    mbd_inverse_pattern(w->v, (mbd_inverse_by)k, &count, &col);
    for (int i = 0; i < n; i++) {
      for (int c = 0; c < count[i]; c++) { csv_put_number(w->out, by[k][i * n + col[i * n + c]]); }
    }
  }
  fputc('\n', w->out);
  return 0;
}

static mbd_status write_case(const char *folder, const mechanism *mechanics, const mechanism_case *load, int every,
                             mbd_error *err) {
  char name[RESULTS_FILE];
  atomic_file a;
  /* The inverse dynamics, then the motion with a row for each node. */
  table w = {.m = mechanics, .load = load, .every = every};
  w.Q = calloc((size_t)mbd_model_nz(load->v->model) + 1, sizeof *w.Q);
  mbd_status status = w.Q ? mbd_inverse_create(load->v->model, load->c.reference, 0, &w.v, err)
                          : MEMORY_NONE(err, "the forces of a motion");
  if (status == MBD_OK) {
    status = atomic_open_in(folder, results_case_file(mechanics, load, "inverse_dynamics", name), &a, err);
    if (status == MBD_OK) {
      w.out = a.out;
      write_header(&w);
      status = mbd_sim_run(load->sim, load->v->params, 0, NULL, load->psi, NULL, NULL, write_row, &w, err);
      if (w.error.code != MBD_OK) { *err = w.error, status = w.error.code; }
      status = atomic_end(&a, mechanism_name_case(status, load, err), err);
    }
  }
  mbd_inverse_destroy(w.v);
  free(w.Q);
  return status;
}

mbd_status results_write_inverse(const char *folder, mechanism *mechanics, const double *rho, int every,
                                 mbd_error *err) {
  MBD_TRY(mechanism_set_design(mechanics, rho, 0, err));
  for (int i = 0; i < mechanics->ncase; i++) {
    if (results_is_kinematic(&mechanics->cases[i])) {
      MBD_TRY(write_case(folder, mechanics, &mechanics->cases[i], every, err));
    }
  }
  return MBD_OK;
}
