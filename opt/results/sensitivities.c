/* Outputs over time with their derivatives: y(t) and y'(t) of direct differentiation, node by node. The time of a node is a fixed part of the
 * duration T; by a variable that moves T, its derivative is therefore  y' + yd t T'/T  of y' at a fixed time (theory.md §7.4). */
#include <stdio.h>
#include <stdlib.h>

#include "mechanism/case_gradient.h"
#include "files/atomic_file.h"
#include "files/csv.h"
#include "mechanism/series.h"
#include "results/results.h"
#include "files/memory.h"

typedef struct table {
  FILE *out;
  const mechanism *m;
  const mechanism_case *load;
  int every;
  double *yp; /* [n] derivatives of one output */
} table;

/* 1: variable j changes the duration. */
static int moves_duration(const table *w, int j) {
  const mechanism_variant *v = w->load->v;
  int any = 0;
  for (int i = v->start[j]; i < v->start[j + 1]; i++) { any |= v->index[i] == w->load->c.free_duration - 1; }
  return any;
}

/* An output that was named twice is written once, and one that the run file does not choose not at all. */
static int is_written(const table *w, int output) {
  return !mbd_outputs_is_repeated(w->load->outputs, output) &&
         series_choice(w->m->config, mbd_outputs_name(w->load->outputs, output)) != 0;
}

static void write_header(const table *w) {
  char label[OUTPUT_LABEL];
  fprintf(w->out, "t [s]");
  for (int i = 0; i < mbd_outputs_count(w->load->outputs); i++) {
    const char *name = mbd_outputs_name(w->load->outputs, i);
    if (!is_written(w, i)) { continue; }
    csv_put_text(w->out, output_label(w->load->outputs, i, label));
    for (int j = 0; j < w->m->n; j++) {
      fprintf(w->out, ",d %s/d %s%s", name, w->m->name[j], moves_duration(w, j) ? " at fixed t/T" : "");
    }
  }
  fputc('\n', w->out);
}

static int write_row(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                     const double *lam, const double *y) {
  const table *w = user;
  (void)z, (void)zd, (void)zdd, (void)lam;
  if (w->m->stop && *w->m->stop) { return 1; }
  if (k % w->every) { return 0; }
  fprintf(w->out, "%.17g", t);
  for (int i = 0; i < mbd_outputs_count(w->load->outputs); i++) {
    if (!is_written(w, i)) { continue; }
    csv_put_number(w->out, y[i]);
    mbd_sim_output_sens(w->load->sim, i, w->yp);
    for (int j = 0; j < w->m->n; j++) { csv_put_number(w->out, w->yp[j]); }
  }
  fputc('\n', w->out);
  return 0;
}

static mbd_status write_case(const char *folder, const mechanism *m, mechanism_case *load, int every, double *yp,
                             mbd_error *err) {
  char name[RESULTS_FILE];
  atomic_file a;
  MBD_TRY(atomic_open_in(folder, results_case_file(m, load, "sensitivities", name), &a, err));
  table w = {a.out, m, load, every, yp};
  write_header(&w);
  const mbd_status status =
      mbd_sim_run(load->sim, load->v->params, m->n, load->v->d, load->psi, load->grad, NULL, write_row, &w, err);
  return atomic_end(&a, mechanism_name_case(status, load, err), err);
}

mbd_status results_write_sensitivities(const char *folder, mechanism *m, const double *rho, int every, mbd_error *err) {
  for (int i = 0; i < m->ncase; i++) {
    MBD_TRY(case_prepare(m, &m->cases[i], (case_request){.method = GRADIENT_DIRECT}, err));
  }
  MBD_TRY(mechanism_set_design(m, rho, 1, err));
  double *yp = calloc((size_t)m->n + 1, sizeof *yp);
  MEMORY_TRY(yp, err, "the derivatives in %d design variables", m->n);
  mbd_status status = MBD_OK;
  for (int i = 0; i < m->ncase && status == MBD_OK; i++) {
    status = write_case(folder, m, &m->cases[i], every, yp, err);
  }
  free(yp);
  return status;
}
