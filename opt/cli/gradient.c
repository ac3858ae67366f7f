/* mbopt gradient */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "mechanism/true_values.h"
#include "mechanism/warnings.h"
#include "results/results.h"

/* d/d of a row: the derivative, or the root mean square of those in the control points of a long curve. */
static void print_row(const mechanism *m, int first, int n, int nq) {
  char name[CLI_NAME];
  printf("d/d %-12s", cli_row_name(m, first, n, name));
  for (int i = 0; i < nq; i++) {
    const double *g = m->grad + i * m->n + first;
    printf(" %18.10g", n > 1 ? cli_rms(g, n) : *g);
  }
  puts(n > 1 ? "  rms" : "");
}

/* The true values beside those that forms smooth, if there are any. */
static void print_true_values(const mechanism *m, int nq) {
  int any = 0;
  for (int i = 0; i < nq; i++) { any |= m->truth[i].smooths; }
  if (!any) { return; }
  printf("%-16s", "true value");
  for (int i = 0; i < nq; i++) { cli_print_number(stdout, 19, "%.10g", m->truth[i].smooths ? m->truth[i].value : NAN); }
  putchar('\n');
}

/* Are there derivatives of outputs by design variables, which --over-time writes? */
static int has_sensitivities(const mechanism *m) {
  int outputs = 0;
  for (int i = 0; i < m->ncase; i++) { outputs += mbd_outputs_count(m->cases[i].outputs); }
  return m->n > 0 && outputs > 0;
}

/* The files that --over-time has written in the folder of the results. */
static json_t *over_time_files(const cli_run *r) {
  json_t *list = json_array();
  const mechanism *m = r->m;
  for (int i = 0; i < m->ncase; i++) {
    char name[RESULTS_FILE];
    if (has_sensitivities(m)) {
      json_array_append_new(
          list, json_sprintf("%s/%s", r->folder, results_case_file(m, &m->cases[i], "sensitivities", name)));
    }
    if (results_is_kinematic(&m->cases[i])) {
      json_array_append_new(
          list, json_sprintf("%s/%s", r->folder, results_case_file(m, &m->cases[i], "inverse_dynamics", name)));
    }
  }
  return list;
}

static mbd_status write_over_time(const cli_run *r, mbd_error *err) {
  mechanism *m = r->m;
  const int every = r->config->output.every, sensitivities = has_sensitivities(m);
  int inverse = 0; /* 1: there is a kinematic case, with dQ/dz, dQ/dzd, dQ/dzdd */
  for (int i = 0; i < m->ncase; i++) { inverse |= results_is_kinematic(&m->cases[i]); }
  if (!sensitivities && !inverse) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: --over-time writes outputs and their derivatives; expected a [design NAME] and %s", m->config->path,
             "outputs = ... in [output], or an objective; or a case with analysis = kinematic");
  }
  /* The files, and what they are. */
  MBD_TRY(cli_prepare_folder(r, EARLIER_ADDS, err));
  if (sensitivities) { MBD_TRY(results_write_sensitivities(r->folder, m, m->start, every, err)); }
  if (inverse) { MBD_TRY(results_write_inverse(r->folder, m, m->start, every, err)); }
  if (r->a->verbosity < 0) { return MBD_OK; }
  if (sensitivities) { fprintf(stderr, "outputs and their derivatives over time in %s\n", r->folder); }
  if (inverse) { fprintf(stderr, "forces of the motion and their derivatives over time in %s\n", r->folder); }
  return MBD_OK;
}

/* `mbopt gradient`: evaluates the start with its gradient and prints both, as a table or as JSON. */
int command_gradient(cli_run *r) {
  mbd_error err = {0};
  mechanism *m = r->m;
  const char *method = r->config->gradient.method;
  int has_gradient = strcmp(method, "none") != 0, nq = m->nobjective + m->nconstraint;
  if (nq == 0 && !r->a->over_time) {
    const mbd_status nothing =
        MBD_FAILED(&err, MBD_BAD_INPUT,
                   "%s: no [objective NAME], [constraint NAME] or [measurement NAME]; expected at "
                   "least one to differentiate, or --over-time for outputs",
                   m->config->path);
    return cli_error(&err, cli_exit_code(nothing));
  }
  /* Values and gradient at the start; with --over-time also files of histories in the folder of the results. */
  mbd_status status = mechanism_evaluate(m, m->start, method, &err);
  if (status == MBD_OK && r->a->over_time) { status = write_over_time(r, &err); }
  if (status != MBD_OK) { return cli_error(&err, cli_exit_code(status)); }
  cli_print_warnings(r, "");
  /* JSON has the method of each case, the design, and values with gradients. */
  if (r->a->json) {
    json_t *o = json_object();
    json_object_set_new(o, "method", json_string(method));
    json_object_set_new(o, "plugins", results_plugins(m));
    json_object_set_new(o, "gradient", results_gradient(m));
    json_object_set_new(o, "variables", results_texts(m->n, m->name));
    json_object_set_new(o, "design", results_design(m, m->start));
    json_object_set_new(o, "quantities", results_quantities(m, has_gradient));
    results_put_lanes(m, o);
    json_object_set_new(o, "warnings", warnings_json(m));
    if (r->a->over_time) { json_object_set_new(o, "over_time", over_time_files(r)); }
    const int code = cli_print_json(o, EXIT_CONVERGED);
    json_decref(o);
    return code;
  }
  /* The table has a column for each quantity: its value, and below it the derivatives in the variables. */
  if (r->a->verbosity >= 0 && has_gradient) { cli_print_choice(stderr, m); }
  if (nq == 0) { return EXIT_CONVERGED; }
  printf("%-16s", "");
  for (int i = 0; i < nq; i++) { printf(" %18s", mechanism_quantity(m, i)); }
  printf("\n%-16s", "value");
  for (int i = 0; i < nq; i++) { printf(" %18.10g", m->psi[i]); }
  putchar('\n');
  print_true_values(m, nq);
  /* A row is one variable, or all control points of a long curve. */
  for (int j = 0, n; j < m->n && has_gradient; j += n) {
    n = cli_rows_at(m, j);
    print_row(m, j, n, nq);
  }
  return EXIT_CONVERGED;
}
