/* mbopt linearize: eigenvalues of small motions about the start of each case, and for values of a key, as table, JSON, eigenvalues.csv and
 * page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "base/nearest.h"
#include "files/json.h"
#include "files/memory.h"
#include "files/plural.h"
#include "mbd/linearize.h"
#include "files/atomic_file.h"
#include "files/csv.h"
#include "files/text_stream.h"
#include "mechanism/modes.h"
#include "report/linear_page.h"
#include "results/linear_view.h"
#include "study/axis.h"
#include "study/sweep.h"

static const double steady_below = 1e-3; /* accelerations [m/s^2], [rad/s^2] that are regarded as zero */

/* The key that is varied, if any, and the data of the page. */
typedef struct variation {
  axis values;
  char *key;         /* as in --set */
  const char *value; /* the present value; NULL: nothing is varied */
  char *header;      /* header of the table that was written last */
  json_t *entries;   /* of the page; NULL: no page is wanted */
  long numbers;      /* of modes in the entries */
} variation;
enum { MODES_MAX = 600000 }; /* numbers of modes in a page; after that, values have eigenvalues only */

static double frequency(const mbd_linear *l, int i) { /* [Hz] */
  return fabs(l->im[i]) / (2 * M_PI);
}

/* Minus the cosine of the eigenvalue's angle: 1 for a decay without oscillation. */
static double damping_ratio(const mbd_linear *l, int i) {
  const double size = hypot(l->re[i], l->im[i]);
  return size > 0 ? -l->re[i] / size : 0;
}

static const char *name(const mbd_model *model, const mbd_linear *l, int k) {
  return mbd_model_z_name(model, l->z[k]);
}

/* ---- table ---- */

/* A pair that is zero splits into any two small numbers, so these are not printed. */
static void print_mode(const mechanism *m, const mechanism_case *load, const mbd_linear *l, int i) {
  if (linear_is_zero(l, i)) {
    printf("  %16s  %-41s", "0", l->im[i] > 0 ? "zero, twice: a rigid motion, free" : "zero: a rigid motion, free");
  } else if (l->rigid[i]) {
    printf("  %16s +-%14.9g  %-23s", "0", l->im[i], "a rigid motion, free");
  } else if (l->im[i] > 0) {
    /* Four decimals would print a ratio that rounding has left below zero as -0.0000. */
    const double ratio = damping_ratio(l, i), printed = fabs(ratio) < 0.5e-4 ? 0 : ratio;
    printf("  %16.9g +-%14.9g %12.6g %9.4f  ", l->re[i], l->im[i], frequency(l, i), printed);
  } else {
    printf("  %16.9g %16s %12s %9s  ", l->re[i], "", "", "");
  }
  char *moves = linear_moves(m, load, l, i);
  printf(" %s\n", moves ? moves : "");
  free(moves);
}

static void print_case(const mechanism *m, const mechanism_case *load, const mbd_linear *l) {
  const mbd_model *model = load->v->model;
  const int order = linear_order(l);
  if (order == 0) {
    printf("case %s: constraints and motors leave nothing free to move, so there are no eigenvalues\n",
           load->config->name);
    return;
  }
  printf("case %s: %d degree%s of freedom, ", load->config->name, l->n, plural(l->n));
  if (l->nrate < l->n) { printf("%d of velocities, ", l->nrate); }
  if (l->nstate) { printf("%d state%s, ", l->nstate, plural(l->nstate)); }
  printf("%d eigenvalue%s about the start\n", order, plural(order));
  printf("  %16s %16s %12s %9s   %s\n", "real [1/s]", "imaginary [1/s]", "frequency Hz", "damping", "moves");
  for (int i = 0; i < order; i++) {
    if (l->im[i] >= 0) { print_mode(m, load, l, i); }
  }
  if (l->acceleration > steady_below) {
    printf("  no steady motion: at the start %s accelerates by %.3g; these hold for a moment only\n",
           mbd_model_z_name(model, l->accelerated), l->acceleration);
  }
}

/* ---- files ---- */

/* Eigenvalues, modes, coordinates and the matrix of a case as JSON. */
static json_t *case_json(const mechanism *m, const variation *v, const mechanism_case *load, const mbd_linear *l) {
  const mbd_model *model = load->v->model;
  const int order = linear_order(l);
  json_t *o = json_object(), *names = json_array(), *rates = json_array(), *states = json_array(), *A = json_array(),
         *modes = json_array();
  /* Names of the independent coordinates and of those with independent rates, and the matrix A of x' = A x by rows. */
  for (int k = 0; k < l->n; k++) { json_array_append_new(names, json_string(name(model, l, k))); }
  for (int k = 0; k < l->nrate; k++) { json_array_append_new(rates, json_string(mbd_model_z_name(model, l->rate[k]))); }
  for (int k = 0; k < l->nstate; k++) { json_array_append_new(states, json_string(linear_state_name(model, l, k))); }
  for (int i = 0; i < order; i++) { json_array_append_new(A, json_numbers(l->A + i * order, order)); }
  /* Each eigenvalue with its frequency and damping ratio, its mode, and the residual of its eigenvector. */
  for (int i = 0; i < order; i++) {
    json_array_append_new(
        modes,
        json_pack("{s:s*, s:f, s:f, s:f, s:f, s:b, s:b, s:o, s:o, s:o, s:o}", "name",
                  modes_name_of(m, load, l->re[i], l->im[i]), "real", l->re[i], "imaginary", l->im[i], "frequency",
                  frequency(l, i), "damping_ratio", damping_ratio(l, i), "zero", linear_is_zero(l, i), "rigid",
                  l->rigid[i], "shape", json_numbers(l->shape + i * l->n, l->n), "share",
                  json_numbers(l->share + i * l->n, l->n), "state_shape",
                  json_numbers(l->state_shape + i * l->nstate, l->nstate), "residual", json_number(l->residual[i])));
  }
  json_object_set_new(o, "case", json_string(load->config->name));
  if (v->value) { json_object_set_new(o, "varied", json_pack("{s:s}", v->values.key, v->value)); }
  json_object_set_new(o, "coordinates", names);
  json_object_set_new(o, "rates", rates);
  json_object_set_new(o, "states", states);
  json_object_set_new(o, "eigenvalues", modes);
  /* The size below which eigenvalues are zero; acceleration and jerk, which are zero in a steady motion. */
  json_object_set_new(o, "zero_below", json_number(linear_zero_below(l)));
  json_object_set_new(o, "acceleration", json_number(l->acceleration));
  json_object_set_new(o, "jerk", json_number(l->jerk));
  json_object_set_new(o, "matrix", A);
  return o;
}

/* Writes a header if the columns differ from those of the case before. */
static void write_header(FILE *out, variation *v, const mbd_model *model, const mbd_linear *l) {
  text_stream s;
  FILE *line = text_begin(&s);
  if (line) {
    fputs("case", line);
    if (v->value) { csv_put_text(line, v->values.key); }
    fputs(",real [1/s],imaginary [1/s],frequency [Hz],damping ratio", line);
    for (int k = 0; k < l->n; k++) { csv_put_text(line, name(model, l, k)); }
    for (int k = 0; k < l->nstate; k++) { csv_put_text(line, linear_state_name(model, l, k)); }
  }
  char *header = text_end(&s);
  if (header && (!v->header || strcmp(header, v->header) != 0)) { fprintf(out, "%s\n", header); }
  free(v->header);
  v->header = header;
}

static void write_case(FILE *out, variation *v, const mechanism_case *load, const mbd_linear *l) {
  write_header(out, v, load->v->model, l);
  for (int i = 0; i < linear_order(l); i++) {
    csv_put_first(out, load->config->name);
    if (v->value) { csv_put_text(out, v->value); }
    fprintf(out, ",%.17g,%.17g,%.17g,%.17g", l->re[i], l->im[i], frequency(l, i), damping_ratio(l, i));
    for (int k = 0; k < l->n; k++) { fprintf(out, ",%.6g", l->shape[i * l->n + k]); }
    for (int k = 0; k < l->nstate; k++) { fprintf(out, ",%.6g", l->state_shape[i * l->nstate + k]); }
    fputc('\n', out);
  }
}

/* ---- cases ---- */

static int requested(const cli_run *r, const mechanism_case *load) {
  return !r->a->in_case || strcmp(r->a->in_case, load->config->name) == 0;
}

static mbd_status check_name(const cli_run *r, mbd_error *err) {
  char hint[MBD_HINT];
  MBD_TRY(cli_need_case(r, err));
  mbd_nearest near = {.requested = r->a->in_case};
  for (int i = 0; i < r->m->ncase; i++) {
    if (requested(r, &r->m->cases[i])) { return MBD_OK; }
  }
  for (int i = 0; i < r->m->ncase; i++) { mbd_nearest_offer(&near, r->m->cases[i].config->name); }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: --case: case '%s' is not known%s", r->config->path, r->a->in_case,
           mbd_nearest_text(&near, hint, sizeof hint));
}

/* Small motions do not depend on the time steps of the case, so a scheme with matrices is used for all. For a page, adds the motion of
 * the bodies in the modes and their positions, as far as MODES_MAX allows. */
static mbd_status linearize_case(const mechanism *m, const mechanism_case *load, variation *v, mbd_linear *l,
                                 mbd_error *err) {
  mbd_case start = load->c;
  mbd_sim *sim;
  double *bodies = NULL;
  json_t *entry = NULL;
  start.formulation = "ali3p", start.integrator = "newmark";
  MBD_TRY(mbd_sim_create(load->v->model, &start, load->outputs, 0, NULL, 0, 0, &sim, err));
  mbd_status status = v->entries ? mbd_sim_linearize_bodies(sim, load->v->params, l, &bodies, err)
                                 : mbd_sim_linearize(sim, load->v->params, l, err);
  if (status == MBD_OK && v->entries) {
    v->numbers += 6L * linear_order(l) * mbd_model_nbody(load->v->model);
    const double *shown = v->numbers <= MODES_MAX ? bodies : NULL;
    status = linear_view(m, load, sim, l, shown, v->value, &entry, err);
    if (status == MBD_OK) { json_array_append_new(v->entries, entry); }
    if (status != MBD_OK) { mbd_linear_free(l); }
  }
  free(bodies);
  mbd_sim_destroy(sim);
  return status;
}

static void print(const cli_run *r, const mechanism *m, const variation *v, const mechanism_case *load,
                  const mbd_linear *l) {
  if (r->a->json || r->a->verbosity < 0) { return; }
  if (!v->value) {
    print_case(m, load, l);
  } else if (linear_order(l) > 0) {
    printf("  %-20s %-16s", load->config->name, v->value);
    int i = 0;
    while (i < linear_order(l) && (l->rigid[i] || linear_is_zero(l, i))) { i++; }
    if (i == linear_order(l)) {
      printf(" %16s  zero: a rigid motion, free", "0");
    } else {
      printf(" %16.9g", l->re[i]);
      if (l->im[i] > 0) { printf(" +-%14.9g", l->im[i]); }
    }
    putchar('\n');
  }
}

/* Finds the modes of [mode NAME], whose names stand beside them; a warning if they cannot be found, as eigenvalues do not depend on them. */
static void find_names(mechanism *m) {
  mbd_error why = {0};
  if (modes_find(m, &why) == MBD_OK) { return; }
  json_t *list = json_pack("[s]", why.text);
  cli_print_warning_list(list, "");
  json_decref(list);
}

static mbd_status all_cases(const cli_run *r, mechanism *m, variation *v, FILE *out, json_t *list, mbd_error *err) {
  find_names(m);
  MBD_TRY(mechanism_set_design(m, m->start, 0, err));
  for (int i = 0; i < m->ncase; i++) {
    mechanism_case *load = &m->cases[i];
    mbd_linear l;
    if (!requested(r, load)) { continue; }
    MBD_TRY(mechanism_name_case(linearize_case(m, load, v, &l, err), load, err));
    write_case(out, v, load, &l);
    json_array_append_new(list, case_json(m, v, load, &l));
    print(r, m, v, load, &l);
    mbd_linear_free(&l);
  }
  return MBD_OK;
}

/* ---- values of a key ---- */

/* Reads "KEY = VALUES" in the syntax of [sweep] of a run file. */
static mbd_status read_vary(const cli_run *r, variation *v, mbd_error *err) {
  const char *text = r->a->vary, *equals = strchr(text, '='), *path = r->config->path;
  if (!equals) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: --vary: found '%s', expected KEY = VALUES", path, text); }
  char *name = mbd_strdup(text);
  MEMORY_TRY(name, err, "the values");
  size_t n = (size_t)(equals - text);
  while (n > 0 && (name[n - 1] == ' ' || name[n - 1] == '\t')) { n--; }
  name[n] = '\0';
  const char *values = equals + 1 + strspn(equals + 1, " \t");
  mbd_status status = axis_read(name + strspn(name, " \t"), values, &v->values, err);
  if (status == MBD_OK && v->values.n < 2) {
    status = MBD_FAILED(err, MBD_BAD_INPUT, "expected two values or more: A, B, C, or FROM to TO in N [log]");
  }
  if (status == MBD_OK && !(v->key = sweep_key(r->config, v->values.key))) { status = MEMORY_NONE(err, "the values"); }
  free(name);
  return mbd_locate(err, status, "%s: --vary: ", path);
}

/* Linearizes the run file with this value, which makes a new mechanism. */
static mbd_status one_value(const cli_run *r, variation *v, FILE *out, json_t *list, mbd_error *err) {
  const char **set = calloc((size_t)r->a->nset + 1, sizeof *set);
  char *assignment = mbd_sprintf_dup("%s=%s", v->key, v->value);
  mbo_run_config *c = NULL;
  mechanism *m = NULL;
  mbd_status status = set && assignment ? MBD_OK : MEMORY_NONE(err, "the values");
  for (int i = 0; status == MBD_OK && i < r->a->nset; i++) { set[i] = r->a->set[i]; }
  if (status == MBD_OK) {
    set[r->a->nset] = assignment;
    status = mbo_run_config_read(r->a->file, r->a->nset + 1, set, &c, err);
  }
  if (status == MBD_OK) { status = mechanism_create(c, &m, err); }
  if (status == MBD_OK) { status = all_cases(r, m, v, out, list, err); }
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
  free(assignment), free(set);
  return status;
}

static mbd_status all_values(const cli_run *r, variation *v, FILE *out, json_t *list, mbd_error *err) {
  char text[AXIS_NUMBER];
  if (!r->a->vary) { return all_cases(r, r->m, v, out, list, err); }
  if (!r->a->json && r->a->verbosity >= 0) {
    printf("least stable eigenvalue but for rigid motions over %s\n  %-20s %-16s %16s %16s\n", v->values.key, "case",
           "value", "real [1/s]", "imaginary [1/s]");
  }
  for (int i = 0; i < v->values.n; i++) {
    if (cli_stop) { MBD_FAIL(err, MBD_INTERRUPTED, "stopped"); }
    v->value = axis_level(&v->values, i, text);
    MBD_TRY(mbd_locate(err, one_value(r, v, out, list, err), "%s = %s: ", v->values.key, v->value));
  }
  return MBD_OK;
}

/* ---- command ---- */

/* Writes linearize.html in the folder of the results. */
static mbd_status write_page(const cli_run *r, const variation *v, mbd_error *err) {
  json_t *o = json_pack("{s:s?, s:s, s:O}", "varied", v->values.key, "unit", linear_unit(r->m, v->values.key),
                        "entries", v->entries);
  return cli_write_page(r, "linearize.html", o, linear_page_write, err);
}

static mbd_status linearize(const cli_run *r, variation *v, json_t *list, mbd_error *err) {
  atomic_file table;
  MBD_TRY(check_name(r, err));
  if (r->a->vary) { MBD_TRY(read_vary(r, v, err)); }
  if (cli_requests_page(r->a) && !(v->entries = json_array())) { return MEMORY_NONE(err, "the page"); }
  MBD_TRY(cli_prepare_folder(r, EARLIER_ADDS, err));
  MBD_TRY(atomic_open_in(r->folder, "eigenvalues.csv", &table, err));
  MBD_TRY(atomic_end(&table, all_values(r, v, table.out, list, err), err));
  return v->entries ? write_page(r, v, err) : MBD_OK;
}

int command_linearize(cli_run *r) {
  mbd_error err = {0};
  variation v = {0};
  json_t *list = json_array();
  const mbd_status status = linearize(r, &v, list, &err);
  int code = status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(status));
  if (status == MBD_OK && r->a->json) {
    code = cli_print_json(list, code);
  } else if (status == MBD_OK && r->a->verbosity >= 0 && !v.entries) {
    printf("results in %s\n", r->folder);
  }
  axis_free(&v.values);
  free(v.key), free(v.header);
  json_decref(v.entries), json_decref(list);
  return code;
}
