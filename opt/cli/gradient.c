/* mbopt gradient, mbopt check */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/results.h"

void cli_print_choice(FILE *out, const mechanism *m) {
  const mechanism_case *first = NULL;
  int differ = 0;
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *q = &m->cases[i];
    if (q->npsi && !first) { first = q; }
    differ |= q->npsi && strcmp(q->choice.text, first->choice.text) != 0;
  }
  if (!first || m->n == 0) { return; }
  if (!differ) { fprintf(out, "gradient: %s\n", first->choice.text); }
  for (int i = 0; differ && i < m->ncase; i++) {
    const mechanism_case *q = &m->cases[i];
    if (q->npsi) { fprintf(out, "gradient of case '%s': %s\n", q->config->name, q->choice.text); }
  }
}

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

int command_gradient(cli_run *r) {
  mbd_error err = {0};
  mechanism *m = r->m;
  const char *method = r->config->gradient.method;
  int has_gradient = strcmp(method, "none") != 0, nq = m->nobjective + m->nconstraint;
  mbd_status status = mechanism_evaluate(m, m->start, method, 0, &err);
  if (status != MBD_OK) { return cli_error(&err, cli_exit_code(status)); }
  if (r->a->json) {
    json_t *names = json_array(), *o = json_object();
    for (int i = 0; i < m->n; i++) { json_array_append_new(names, json_string(m->name[i])); }
    json_object_set_new(o, "method", json_string(method));
    json_object_set_new(o, "gradient", results_gradient(m));
    json_object_set_new(o, "variables", names);
    json_object_set_new(o, "design", results_design(m, m->start));
    json_object_set_new(o, "quantities", results_quantities(m, has_gradient));
    json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(o);
    return EXIT_CONVERGED;
  }
  if (r->a->verbosity >= 0 && has_gradient) { cli_print_choice(stderr, m); }
  printf("%-16s", "");
  for (int i = 0; i < nq; i++) { printf(" %18s", mechanism_quantity(m, i)); }
  printf("\n%-16s", "value");
  for (int i = 0; i < nq; i++) { printf(" %18.10g", m->psi[i]); }
  putchar('\n');
  for (int j = 0, n; j < m->n && has_gradient; j += n) {
    n = cli_rows_at(m, j);
    print_row(m, j, n, nq);
  }
  return EXIT_CONVERGED;
}

/* ---- check ---- */

/* Gradients of all quantities by one method, in memory of the caller. */
static mbd_status by_method(mechanism *m, const char *method, double *grad, mbd_error *err) {
  MBD_TRY(mechanism_evaluate(m, m->start, method, 0, err));
  memcpy(grad, m->grad, (size_t)(m->nobjective + m->nconstraint) * (size_t)m->n * sizeof *grad);
  return MBD_OK;
}

/* Largest scaled component of the gradient of quantity i: what differences are measured against. */
static double size_of(const mechanism *m, const double *g, int i) {
  double size = 0;
  for (int j = 0; j < m->n; j++) { size = fmax(size, fabs(g[i * m->n + j]) * m->scale[j]); }
  return size > 0 ? size : 1;
}

/* |psi(rho + eps d) - psi - eps grad.d| for falling eps: fitted order, over the decades before rounding sets in. */
typedef struct taylor {
  int n;
  double eps[16], rest[16], order;
} taylor;

static mbd_status taylor_test(mechanism *m, const double *psi, const double *grad, int i, taylor *t, mbd_error *err) {
  const int n = m->n;
  double *x = malloc(((size_t)n + 1) * sizeof *x), slope = 0, largest = m->config->check.taylor_step, noise = 0;
  mbd_status status = x ? MBD_OK : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for the Taylor test");
  t->n = 0;
  for (int j = 0; j < n; j++) {
    slope += grad[i * n + j] * m->scale[j] * cos(1 + 2.4 * j);
  } /* a direction with no zero */
  for (int k = 0; k < 10 && status == MBD_OK; k++) {
    double eps = largest * pow(10, -0.5 * k);
    for (int j = 0; j < n; j++) { x[j] = m->start[j] + eps * m->scale[j] * cos(1 + 2.4 * j); }
    status = mechanism_evaluate(m, x, "none", 0, err);
    if (status > 0) { /* too far for this design: a smaller step may do */
      status = MBD_OK;
      continue;
    }
    t->eps[t->n] = eps;
    t->rest[t->n++] = fabs(m->psi[i] - psi[i] - eps * slope);
    noise = 1e-11 * fabs(psi[i]);
  }
  free(x);
  t->order = NAN;
  int last = t->n - 1;
  while (last > 0 && t->rest[last] < 30 * noise) { last--; }
  if (last >= 1) { t->order = log(t->rest[0] / t->rest[last]) / log(t->eps[0] / t->eps[last]); }
  if (last >= 3) { t->order = log(t->rest[last - 3] / t->rest[last]) / log(t->eps[last - 3] / t->eps[last]); }
  return status;
}

typedef struct verdicts {
  int wrong;
  json_t *json;
} verdicts;

static void judge_quantity(cli_run *r, int i, const double *direct, const double *exact, const double *difference,
                           const taylor *t, verdicts *v) {
  const mechanism *m = r->m;
  const mbo_check_config *c = &r->config->check;
  double size = size_of(m, exact, i);
  json_t *variables = json_array();
  if (!r->a->json) {
    printf("%s\n  %-16s %18s %18s %18s %10s %10s\n", mechanism_quantity(m, i), "variable", r->config->gradient.method,
           "complex step", "central diff.", "error", "verdict");
  }
  for (int j = 0; j < m->n; j++) {
    double a = direct[i * m->n + j], b = exact[i * m->n + j], d = difference[i * m->n + j];
    double error = fabs(a - b) * m->scale[j] / size, rough = fabs(a - d) * m->scale[j] / size;
    int ok = error <= c->tolerance && rough <= c->difference_tolerance;
    const char *verdict = !ok ? "WRONG" : a == 0 && b == 0 ? "zero" : "right";
    v->wrong += !ok;
    if (!r->a->json) { printf("  %-16s %18.10g %18.10g %18.10g %10.2e %10s\n", m->name[j], a, b, d, error, verdict); }
    json_array_append_new(
        variables, json_pack("{s:s, s:f, s:f, s:f, s:f, s:s}", "name", m->name[j], "gradient", a, "complex_step", b,
                             "central_differences", d, "error", error, "verdict", verdict));
  }
  /* order 2; a remainder at the level of rounding (a linear objective) has no order */
  int order_ok = isnan(t->order) || t->order > 1.8;
  v->wrong += !order_ok;
  if (!r->a->json) {
    if (isnan(t->order)) {
      printf("  Taylor test: the remainder is at the level of rounding\n");
    } else {
      printf("  Taylor test: order %.3f, expected 2: %s\n", t->order, order_ok ? "right" : "WRONG");
    }
  }
  json_array_append_new(
      v->json,
      json_pack("{s:s, s:o, s:o, s:s}", "quantity", mechanism_quantity(m, i), "variables", variables, "taylor_order",
                isnan(t->order) ? json_null() : json_real(t->order), "taylor_verdict", order_ok ? "right" : "WRONG"));
}

static mbd_status check(cli_run *r, double *block, verdicts *v, mbd_error *err) {
  mechanism *m = r->m;
  const size_t nq = (size_t)(m->nobjective + m->nconstraint), size = nq * (size_t)m->n;
  double *direct = block, *exact = block + size, *difference = block + 2 * size, *psi = block + 3 * size;
  MBD_TRY(by_method(m, r->config->gradient.method, direct, err));
  MBD_TRY(by_method(m, "complex_step", exact, err));
  MBD_TRY(by_method(m, "central_differences", difference, err));
  memcpy(psi, m->psi, nq * sizeof *psi);
  for (int i = 0; i < (int)nq; i++) {
    taylor t;
    MBD_TRY(taylor_test(m, psi, direct, i, &t, err));
    judge_quantity(r, i, direct, exact, difference, &t, v);
  }
  return MBD_OK;
}

int command_check(cli_run *r) {
  mbd_error err = {0};
  mechanism *m = r->m;
  const size_t nq = (size_t)(m->nobjective + m->nconstraint);
  verdicts v = {0, json_array()};
  if (m->n == 0 || nq == 0 || strcmp(r->config->gradient.method, "none") == 0) {
    fprintf(stderr, "mbopt: error: %s: nothing to check; expected design variables, objectives and a gradient method\n",
            r->config->path);
    json_decref(v.json);
    return EXIT_CONFIGURATION;
  }
  double *block = calloc((3 * nq * (size_t)m->n) + nq + 1, sizeof *block);
  mbd_status status =
      block ? check(r, block, &v, &err) : mbd_fail(&err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for the check");
  free(block);
  if (status == MBD_OK && r->a->json) {
    json_t *o = json_pack("{s:s, s:O}", "verdict", v.wrong ? "WRONG" : "right", "quantities", v.json);
    json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(o);
  } else if (status == MBD_OK) {
    printf(v.wrong ? "%d verdicts WRONG\n" : "all right\n", v.wrong);
  }
  json_decref(v.json);
  if (status != MBD_OK) { return cli_error(&err, cli_exit_code(status)); }
  return v.wrong ? EXIT_CHECK : EXIT_CONVERGED;
}
