#include "backend/command_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "files/json.h"

/* ---- the first line ---- */

static json_t *texts(const char *const *text, int n) {
  json_t *list = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(list, json_text(text[i])); }
  return list;
}

static json_t *constraints_of(const mbo_problem *p) {
  json_t *list = json_array();
  for (int k = 0; k < p->nc; k++) {
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:o, s:b}", "name", json_text(p->c_names[k]), "lower", json_number(p->c_lower[k]),
                        "upper", json_number(p->c_upper[k]), "linear", p->c_linear ? p->c_linear[k] : 0));
  }
  return list;
}

static json_t *settings_of(const mbo_settings *s) {
  json_t *native = json_object();
  for (int i = 0; i < s->noption; i++) {
    json_object_set_new(native, s->option[i].name, json_text(s->option[i].value));
  }
  return json_pack("{s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o}", "algorithm", json_text(s->algorithm),
                   "max_iterations", s->max_iterations, "max_evaluations", s->max_evaluations, "max_time",
                   json_number(s->max_time), "tol_f", json_number(s->tol_f), "tol_x", json_number(s->tol_x),
                   "tolerance", json_number(s->tolerance), "tol_constraint", json_number(s->tol_constraint),
                   "stop_value", json_number(s->stop_value), "seed", s->seed, "verbosity", s->verbosity, "native",
                   native);
}

json_t *command_line_problem(const mbo_ask *a) {
  const mbo_problem *p = mbo_ask_problem(a);
  const mbo_settings *s = mbo_ask_settings(a);
  json_t *available = json_pack("{s:b, s:b, s:b}", "gradient", p->has_gradient, "gauss_newton",
                                p->has_gradient && p->has_gauss_newton, "hessian", p->has_hessian);
  return json_pack("{s:i, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "protocol", COMMAND_PROTOCOL, "problem",
                   json_text(p->name), "n", p->n, "names", texts(p->names, p->n), "start", json_numbers(p->start, p->n),
                   "lower", json_numbers(p->lower, p->n), "upper", json_numbers(p->upper, p->n), "scale",
                   json_numbers(p->scale, p->n), "constraints", constraints_of(p), "available", available, "settings",
                   settings_of(s));
}

/* ---- parts of a request ---- */

/* Reads the n numbers of a member; if it is not there, they are left, where it is optional. */
static mbd_status read_numbers(const json_t *o, const char *key, int n, int optional, double *out, mbd_error *err) {
  const json_t *list = json_object_get(o, key);
  if (!list && optional) { return MBD_OK; }
  if (!json_is_array(list) || json_array_size(list) != (size_t)n) {
    MBD_FAIL(err, MBD_BAD_INPUT, "\"%s\" is %s, expected a list of %d numbers", key,
             !list                 ? "missing"
             : json_is_array(list) ? "a list of another length"
                                   : "no list",
             n);
  }
  for (int i = 0; i < n; i++) {
    const json_t *v = json_array_get(list, (size_t)i);
    if (!json_is_number(v)) { MBD_FAIL(err, MBD_BAD_INPUT, "\"%s\" has an entry %d that is no number", key, i + 1); }
    out[i] = json_number_value(v);
  }
  return MBD_OK;
}

/* Reads a number that need not be there. */
static mbd_status read_number(const json_t *o, const char *key, double *out, mbd_error *err) {
  const json_t *v = json_object_get(o, key);
  if (v && !json_is_number(v) && !json_is_null(v)) { MBD_FAIL(err, MBD_BAD_INPUT, "\"%s\" is no number", key); }
  if (json_is_number(v)) { *out = json_number_value(v); }
  return MBD_OK;
}

/* Checks a word against a list that ends with NULL. */
static mbd_status check_word(const char *what, const char *word, const char *const *words, mbd_error *err) {
  mbd_nearest near = {.requested = word};
  for (int i = 0; words[i]; i++) {
    if (strcmp(words[i], word) == 0) { return MBD_OK; }
  }
  for (int i = 0; words[i]; i++) { mbd_nearest_offer(&near, words[i]); }
  return mbd_not_known(NULL, what, &near, err);
}

static mbd_status check_keys(const json_t *o, const char *const *keys, mbd_error *err) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)o, key, value) {
    MBD_TRY(check_word("the key", key, keys, err));
  }
  return MBD_OK;
}

/* ---- requests ---- */

typedef struct request {
  mbo_ask *a;
  const json_t *o;
  double *x, *v, *Hv, *multipliers; /* [n], [n], [n], [nc] */
  json_t **answer;
  int *done;
} request;

/* Rows of a matrix [rows][columns]. */
static json_t *matrix(const double *v, int rows, int columns) {
  json_t *list = json_array();
  for (int i = 0; i < rows; i++) {
    json_array_append_new(list, json_numbers(v + (size_t)i * (size_t)columns, columns));
  }
  return list;
}

/* {"evaluate": [x], "want": ["gradient"]} */
static mbd_status answer_evaluate(request *asked, mbd_error *err) {
  static const char *const keys[] = {"evaluate", "want", NULL};
  static const char *const words[] = {"f", "constraints", "gradient", "jacobian", NULL};
  const mbo_problem *p = mbo_ask_problem(asked->a);
  const json_t *listed = json_object_get(asked->o, "want");
  const mbo_eval *at;
  int gradient = 0, jacobian = 0;
  MBD_TRY(check_keys(asked->o, keys, err));
  if (listed && !json_is_array(listed)) { MBD_FAIL(err, MBD_BAD_INPUT, "\"want\" is no list of words"); }
  for (size_t i = 0; i < json_array_size(listed); i++) {
    const char *word = json_string_value(json_array_get(listed, i));
    MBD_TRY(check_word("what \"want\" has", word ? word : "", words, err));
    gradient |= strcmp(word, "gradient") == 0, jacobian |= strcmp(word, "jacobian") == 0;
  }
  MBD_TRY(read_numbers(asked->o, "evaluate", p->n, 0, asked->x, err));
  MBD_TRY(
      mbo_ask_evaluate(asked->a, asked->x, gradient || jacobian ? MBO_REQUEST_GRADIENT : MBO_REQUEST_VALUE, &at, err));
  *asked->answer = json_pack("{s:o, s:o}", "f", json_number(at->f), "constraints", json_numbers(at->c, p->nc));
  if (gradient) { json_object_set_new(*asked->answer, "gradient", json_numbers(at->g, p->n)); }
  if (jacobian) { json_object_set_new(*asked->answer, "jacobian", matrix(at->jac, p->nc, p->n)); }
  return MBD_OK;
}

static mbd_status product(request *asked, const char *key, unsigned kind, double objective, mbd_error *err) {
  const mbo_problem *p = mbo_ask_problem(asked->a);
  MBD_TRY(read_numbers(asked->o, key, p->n, 0, asked->x, err));
  MBD_TRY(read_numbers(asked->o, "direction", p->n, 0, asked->v, err));
  MBD_TRY(mbo_ask_product(asked->a, asked->x, kind, objective, asked->multipliers, asked->v, asked->Hv, err));
  *asked->answer = json_pack("{s:o}", "product", json_numbers(asked->Hv, p->n));
  return MBD_OK;
}

/* {"hessian": [x], "direction": [v], "multipliers": [lambda], "objective": 1} */
static mbd_status answer_hessian(request *asked, mbd_error *err) {
  static const char *const keys[] = {"hessian", "direction", "multipliers", "objective", NULL};
  double objective = 1;
  MBD_TRY(check_keys(asked->o, keys, err));
  MBD_TRY(read_number(asked->o, "objective", &objective, err));
  MBD_TRY(read_numbers(asked->o, "multipliers", mbo_ask_problem(asked->a)->nc, 1, asked->multipliers, err));
  return product(asked, "hessian", MBO_REQUEST_HESSIAN, objective, err);
}

/* {"gauss_newton": [x], "direction": [v]} */
static mbd_status answer_gauss_newton(request *asked, mbd_error *err) {
  static const char *const keys[] = {"gauss_newton", "direction", NULL};
  MBD_TRY(check_keys(asked->o, keys, err));
  return product(asked, "gauss_newton", MBO_REQUEST_GAUSS_NEWTON, 1, err);
}

/* {"iteration": {"number": 3, "f": 1.5, "violation": 0, "optimality": 1e-3, "step": 0.1}}, of which all may be left out. */
static mbd_status answer_iteration(request *asked, mbd_error *err) {
  static const char *const keys[] = {"iteration", NULL};
  static const char *const parts[] = {"number", "f", "violation", "optimality", "step", NULL};
  const json_t *o = json_object_get(asked->o, "iteration");
  mbo_iteration it = {.f = NAN, .violation = 0, .optimality = NAN, .step = NAN};
  double number = asked->a->r->iterations + 1.0;
  MBD_TRY(check_keys(asked->o, keys, err));
  if (!json_is_object(o)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "\"iteration\" is no object, expected {\"number\": ..., \"f\": ..., ...}");
  }
  MBD_TRY(check_keys(o, parts, err));
  MBD_TRY(read_number(o, "number", &number, err));
  MBD_TRY(read_number(o, "f", &it.f, err));
  MBD_TRY(read_number(o, "violation", &it.violation, err));
  MBD_TRY(read_number(o, "optimality", &it.optimality, err));
  MBD_TRY(read_number(o, "step", &it.step, err));
  if (number != floor(number) || number < 0 || number > 1e9) {
    MBD_FAIL(err, MBD_BAD_INPUT, "\"number\" is %g, expected a whole number from 0 to 1e9", number);
  }
  it.iteration = (int)number;
  MBD_TRY(mbo_ask_iteration(asked->a, &it, err));
  *asked->answer = json_pack("{s:i}", "iteration", it.iteration);
  return MBD_OK;
}

/* {"done": "converged", "message": "...", "x": [x]}. The design x counts as any other, so that it can be the best one. */
static mbd_status answer_done(request *asked, mbd_error *err) {
  static const char *const keys[] = {"done", "message", "x", NULL};
  static const mbo_status ends[] = {MBO_CONVERGED, MBO_STOPPED_LIMIT, MBO_INFEASIBLE, MBO_STALLED, MBO_FAILED};
  static const char *const words[] = {"converged", "stopped_limit", "infeasible", "stalled", "failed", NULL};
  const json_t *x = json_object_get(asked->o, "x");
  const char *word = json_text_in(asked->o, "done");
  int i = 0;
  MBD_TRY(check_keys(asked->o, keys, err));
  MBD_TRY(check_word("what \"done\" says", word, words, err));
  if (x) {
    const mbo_problem *p = mbo_ask_problem(asked->a);
    const double *best;
    const mbo_eval *at;
    MBD_TRY(read_numbers(asked->o, "x", p->n, 0, asked->x, err));
    const int known = evaluator_best(asked->a->e, &best, NULL, NULL, NULL) &&
                      memcmp(best, asked->x, (size_t)p->n * sizeof *best) == 0;
    const mbd_status status =
        known ? MBD_OK
              : mbo_ask_evaluate(asked->a, asked->x, p->has_gradient ? MBO_REQUEST_GRADIENT : MBO_REQUEST_VALUE, &at,
                                 err);
    if (status < 0) { return status; } /* a design that cannot be simulated is not the best one */
  }
  while (strcmp(words[i], word) != 0) { i++; }
  mbo_ask_end(asked->a, ends[i], json_text_in(asked->o, "message"));
  *asked->done = 1;
  return MBD_OK;
}

static const struct {
  const char *word;
  mbd_status (*answer)(request *asked, mbd_error *err);
} requests[] = {{"evaluate", answer_evaluate},
                {"hessian", answer_hessian},
                {"gauss_newton", answer_gauss_newton},
                {"iteration", answer_iteration},
                {"done", answer_done}};
enum { N_REQUESTS = sizeof requests / sizeof *requests };

/* The request that a line is: one of its keys says which. */
static mbd_status find_request(const json_t *o, int *which, mbd_error *err) {
  const char *words[N_REQUESTS + 1] = {NULL}, *key = "";
  json_t *value;
  for (*which = 0; *which < N_REQUESTS; ++*which) {
    if (json_object_get(o, requests[*which].word)) { return MBD_OK; }
  }
  for (int i = 0; i < N_REQUESTS; i++) { words[i] = requests[i].word; }
  json_object_foreach((json_t *)o, key, value) {
    MBD_TRY(check_word("the request", key, words, err));
  }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "an object without a request, expected \"evaluate\", \"hessian\", \"gauss_newton\", "
           "\"iteration\" or \"done\"");
}

mbd_status command_line_answer(mbo_ask *a, const char *line, json_t **answer, int *finished, mbd_error *err) {
  const long before = mbd_memory_lost();
  const mbo_problem *p = mbo_ask_problem(a);
  const size_t n = (size_t)p->n;
  json_error_t why;
  json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, &why);
  double *block = mbd_zeros(3 * n + (size_t)p->nc, sizeof *block);
  request asked = {.a = a, .o = o, .x = block, .answer = answer, .done = finished};
  int which;
  mbd_status status = block ? MBD_OK : MEMORY_NONE(err, "a design");
  *answer = NULL, *finished = 0;
  if (status == MBD_OK && !json_is_object(o)) {
    status = MBD_FAILED(err, MBD_BAD_INPUT, "%s, expected an object of JSON in one line, as {\"evaluate\": [...]}",
                        o ? "no object" : why.text);
  }
  if (status == MBD_OK) { status = find_request(o, &which, err); }
  if (status == MBD_OK) {
    asked.v = block + n, asked.Hv = block + 2 * n, asked.multipliers = block + 3 * n;
    status = requests[which].answer(&asked, err);
  }
  if (status == MBD_OK) { status = MEMORY_SINCE(before, err, "an answer"); }
  free(block);
  json_decref(o);
  return status;
}
