/* mbopt linearize: eigenvalues of small motions about the start of each case, as table, JSON and eigenvalues.csv. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "base/nearest.h"
#include "files/json.h"
#include "mbd/linearize.h"
#include "files/atomic_file.h"
#include "report/results.h"

static const double steady_below = 1e-3; /* accelerations [m/s^2], [rad/s^2] that count as none */
static const double seen_from = 0.3;     /* coordinates named with a mode: those that move this part of the farthest */

static double frequency(const mbd_linear *l, int i) { /* [Hz] */
  return fabs(l->im[i]) / (2 * M_PI);
}

static double damping_ratio(const mbd_linear *l, int i) { /* -cos of the eigenvalue's angle: 1 where it only decays */
  const double size = hypot(l->re[i], l->im[i]);
  return size > 0 ? -l->re[i] / size : 0;
}

static const char *name(const mbd_model *model, const mbd_linear *l, int k) {
  return mbd_model_z_name(model, l->z[k]);
}

/* ---- table ---- */

static void print_mode(const mbd_model *model, const mbd_linear *l, int i) {
  printf("  %16.9g", l->re[i]);
  if (l->im[i] > 0) {
    printf(" +-%14.9g %12.6g %9.4f  ", l->im[i], frequency(l, i), damping_ratio(l, i));
  } else {
    printf(" %16s %12s %9s  ", "", "", "");
  }
  for (int k = 0; k < l->n; k++) {
    if (l->shape[i * l->n + k] >= seen_from) { printf(" %s %.2f", name(model, l, k), l->shape[i * l->n + k]); }
  }
  putchar('\n');
}

static void print_case(const mechanism_case *q, const mbd_linear *l) {
  const mbd_model *model = q->v->model;
  if (l->n == 0) {
    printf("case %s: constraints and motors leave nothing free to move, so there are no eigenvalues\n",
           q->config->name);
    return;
  }
  printf("case %s: %d degrees of freedom, %d eigenvalues about the start\n", q->config->name, l->n, 2 * l->n);
  printf("  %16s %16s %12s %9s   %s\n", "real [1/s]", "imaginary [1/s]", "frequency Hz", "damping", "moves");
  for (int i = 0; i < 2 * l->n; i++) {
    if (l->im[i] >= 0) { print_mode(model, l, i); }
  }
  if (l->acceleration > steady_below) {
    printf("  no steady motion: at the start %s accelerates by %.3g; these hold for a moment only\n",
           mbd_model_z_name(model, l->accelerated), l->acceleration);
  }
}

/* ---- files ---- */

static json_t *case_json(const mechanism_case *q, const mbd_linear *l) {
  const mbd_model *model = q->v->model;
  const int order = 2 * l->n;
  json_t *o = json_object(), *names = json_array(), *A = json_array(), *modes = json_array();
  for (int k = 0; k < l->n; k++) { json_array_append_new(names, json_string(name(model, l, k))); }
  for (int i = 0; i < order; i++) { json_array_append_new(A, json_numbers(l->A + i * order, order)); }
  for (int i = 0; i < order; i++) {
    json_array_append_new(modes, json_pack("{s:f, s:f, s:f, s:f, s:o}", "real", l->re[i], "imaginary", l->im[i],
                                           "frequency", frequency(l, i), "damping_ratio", damping_ratio(l, i), "shape",
                                           json_numbers(l->shape + i * l->n, l->n)));
  }
  json_object_set_new(o, "case", json_string(q->config->name));
  json_object_set_new(o, "coordinates", names);
  json_object_set_new(o, "eigenvalues", modes);
  json_object_set_new(o, "acceleration", json_number(l->acceleration));
  json_object_set_new(o, "jerk", json_number(l->jerk));
  json_object_set_new(o, "matrix", A);
  return o;
}

static void write_case(FILE *out, const mechanism_case *q, const mbd_linear *l) {
  const mbd_model *model = q->v->model;
  fprintf(out, "case,real [1/s],imaginary [1/s],frequency [Hz],damping ratio");
  for (int k = 0; k < l->n; k++) { fprintf(out, ",%s", name(model, l, k)); }
  fputc('\n', out);
  for (int i = 0; i < 2 * l->n; i++) {
    fprintf(out, "%s,%.17g,%.17g,%.17g,%.17g", q->config->name, l->re[i], l->im[i], frequency(l, i),
            damping_ratio(l, i));
    for (int k = 0; k < l->n; k++) { fprintf(out, ",%.6g", l->shape[i * l->n + k]); }
    fputc('\n', out);
  }
}

/* ---- command ---- */

static int wanted(const cli_run *r, const mechanism_case *q) {
  return !r->a->in_case || strcmp(r->a->in_case, q->config->name) == 0;
}

static mbd_status check_name(const cli_run *r, mbd_error *err) {
  char hint[96], first[96] = "";
  MBD_TRY(cli_need_case(r, err));
  mbd_nearest near = {.wanted = r->a->in_case};
  for (int i = 0; i < r->m->ncase; i++) {
    if (wanted(r, &r->m->cases[i])) { return MBD_OK; }
  }
  for (int i = 0; i < r->m->ncase; i++) { mbd_nearest_offer(&near, r->m->cases[i].config->name); }
  if (!*mbd_nearest_text(&near, hint, sizeof hint) && r->m->ncase) {
    snprintf(first, sizeof first, "; the first is '%.64s'", r->m->cases[0].config->name);
  }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: --case: case '%s' is not known%s", r->config->path, r->a->in_case,
           *hint ? hint : first);
}

/* Small motions do not depend on how the case steps through time; one that has matrices is taken for all. */
static mbd_status linearize_case(const mechanism_case *q, mbd_linear *l, mbd_error *err) {
  mbd_case c = q->c;
  mbd_sim *sim;
  c.formulation = "ali3p", c.integrator = "newmark";
  MBD_TRY(mbd_sim_create(q->v->model, &c, q->outputs, 0, NULL, 0, 0, &sim, err));
  const mbd_status status = mbd_sim_linearize(sim, q->v->params, l, err);
  mbd_sim_destroy(sim);
  return status;
}

static mbd_status all_cases(const cli_run *r, FILE *csv, json_t *list, mbd_error *err) {
  mechanism *m = r->m;
  MBD_TRY(mechanism_set_design(m, m->start, 0, err));
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *q = &m->cases[i];
    mbd_linear l;
    if (!wanted(r, q)) { continue; }
    MBD_TRY(mechanism_name_case(linearize_case(q, &l, err), q, err));
    write_case(csv, q, &l);
    json_array_append_new(list, case_json(q, &l));
    if (!r->a->json && r->a->verbosity >= 0) { print_case(q, &l); }
    mbd_linear_free(&l);
  }
  return MBD_OK;
}

static mbd_status linearize(const cli_run *r, json_t *list, mbd_error *err) {
  atomic_file csv;
  MBD_TRY(check_name(r, err));
  MBD_TRY(cli_prepare_folder(r, EARLIER_ADDS, err));
  MBD_TRY(atomic_open_in(r->folder, "eigenvalues.csv", &csv, err));
  return atomic_end(&csv, all_cases(r, csv.out, list, err), err);
}

int command_linearize(cli_run *r) {
  mbd_error err = {0};
  json_t *list = json_array();
  const mbd_status status = linearize(r, list, &err);
  int code = status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(status));
  if (status == MBD_OK && r->a->json) {
    code = cli_print_json(list, code);
  } else if (status == MBD_OK && r->a->verbosity >= 0) {
    printf("results in %s\n", r->folder);
  }
  json_decref(list);
  return code;
}
