/* An optimizer of mbopt as a program of its own (docs/own_optimizer.md): it minimizes a problem whose values come by lines of JSON.
 *
 *   cc mbopt_optimizer.c $(pkg-config --cflags --libs mbopt jansson) -lm -o mbopt_optimizer
 *   mbopt FILE.ini --command "./mbopt_optimizer lbfgsb"
 *   mbopt FILE.ini --command "./mbopt_optimizer ipopt exact"          second derivatives: gauss_newton or exact
 *   mbopt FILE.ini --command "./mbopt_optimizer nlopt limited_memory LD_SLSQP"
 *
 * Designs and results are those of the same optimizer without the detour. To try a library of one's own, put its call in the place of mbo_solve. */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mbo/backend.h"

/* The next line of mbopt; NULL: there is none. */
static json_t *receive(void) {
  static char *line;
  static size_t size;
  return getline(&line, &size, stdin) > 0 ? json_loads(line, 0, NULL) : NULL;
}

/* Sends a request, which is freed. */
static void tell(json_t *request) {
  char *line = json_dumps(request, JSON_COMPACT | JSON_REAL_PRECISION(17)); /* 17 digits are a double to the last bit */
  printf("%s\n", line);
  fflush(stdout);
  free(line);
  json_decref(request);
}

static json_t *list_of(const double *v, int n) {
  json_t *list = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(list, json_real(v[i])); }
  return list;
}

/* Reads n numbers; null is `none`. */
static void take(const json_t *list, int n, double none, double *v) {
  for (int i = 0; i < n; i++) {
    const json_t *one = json_array_get(list, (size_t)i);
    v[i] = json_is_number(one) ? json_number_value(one) : none;
  }
}

/* Sends a request and waits for the answer. A positive status: the design cannot be simulated; a negative one: the run is over. */
static mbd_status ask(json_t *request, json_t **answer, mbd_error *err) {
  tell(request);
  *answer = receive();
  const char *failed = json_string_value(json_object_get(*answer, "failed"));
  if (failed) { return mbd_fail(err, MBD_NO_CONVERGENCE, __func__, __LINE__, "%s", failed); }
  if (*answer && !json_object_get(*answer, "stop") && !json_object_get(*answer, "error")) { return MBD_OK; }
  return mbd_fail(err, MBD_INTERRUPTED, __func__, __LINE__, "the run is over");
}

/* A matrix of second derivatives [n][n], column by column: that of the objective for `which` = 0, else that of constraint which - 1; of the
 * kind "gauss_newton" or "hessian". */
static mbd_status matrix(const mbo_problem *p, const double *x, const char *kind, int which, double *H,
                         mbd_error *err) {
  const int n = p->n;
  for (int j = 0; j < n; j++) {
    json_t *request = json_pack("{s:o}", kind, list_of(x, n)), *direction = json_array(), *multipliers = json_array(),
           *answer;
    for (int i = 0; i < n; i++) { json_array_append_new(direction, json_real(i == j)); }
    json_object_set_new(request, "direction", direction);
    if (strcmp(kind, "hessian") == 0) {
      for (int k = 0; k < p->nc; k++) { json_array_append_new(multipliers, json_real(k == which - 1)); }
      json_object_set(request, "multipliers", multipliers);
      json_object_set_new(request, "objective", json_real(which == 0));
    }
    json_decref(multipliers);
    const mbd_status status = ask(request, &answer, err);
    for (int i = 0; i < n && status == MBD_OK; i++) {
      H[i * n + j] = json_number_value(json_array_get(json_object_get(answer, "product"), (size_t)i));
    }
    json_decref(answer);
    MBD_TRY(status);
  }
  return MBD_OK;
}

/* The function of the problem. */
static mbd_status evaluate(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  const mbo_problem *p = *(mbo_problem **)user;
  json_t *asked = json_pack("{s:o}", "evaluate", list_of(x, p->n)), *answer;
  if (request & MBO_REQUEST_GRADIENT) {
    json_object_set_new(asked, "want", json_pack("[s, s]", "gradient", "jacobian"));
  }
  const mbd_status status = ask(asked, &answer, err);
  if (status == MBD_OK) {
    out->f = json_number_value(json_object_get(answer, "f"));
    take(json_object_get(answer, "constraints"), p->nc, NAN, out->c);
    if (request & MBO_REQUEST_GRADIENT) { take(json_object_get(answer, "gradient"), p->n, NAN, out->g); }
    for (int k = 0; k < p->nc && (request & MBO_REQUEST_GRADIENT); k++) {
      take(json_array_get(json_object_get(answer, "jacobian"), (size_t)k), p->n, NAN, out->jac + k * p->n);
    }
  }
  json_decref(answer);
  MBD_TRY(status);
  if (request & MBO_REQUEST_GAUSS_NEWTON) { MBD_TRY(matrix(p, x, "gauss_newton", 0, out->H, err)); }
  for (int k = 0; k <= p->nc && (request & MBO_REQUEST_HESSIAN); k++) {
    MBD_TRY(matrix(p, x, "hessian", k, out->hess + k * p->n * p->n, err));
  }
  return MBD_OK;
}

static void on_iteration(void *user, const mbo_iteration *it) {
  json_t *answer, *o = json_pack("{s:i, s:f, s:f}", "number", it->iteration, "f", it->f, "violation", it->violation);
  (void)user;
  if (isfinite(it->optimality)) { json_object_set_new(o, "optimality", json_real(it->optimality)); }
  if (isfinite(it->step)) { json_object_set_new(o, "step", json_real(it->step)); }
  ask(json_pack("{s:o}", "iteration", o), &answer, NULL);
  json_decref(answer);
}

/* The numbers of a problem, which its fields point to. */
static const char **names_of(const json_t *list, const char *key, int n) {
  const char **names = calloc((size_t)n + 1, sizeof *names);
  for (int i = 0; i < n; i++) {
    const json_t *one = json_array_get(list, (size_t)i);
    names[i] = json_string_value(key ? json_object_get(one, key) : one);
  }
  return names;
}

static double *numbers_of(const json_t *list, const char *key, int n, double none) {
  double *v = calloc((size_t)n + 1, sizeof *v);
  json_t *values = json_array();
  for (int i = 0; key && i < n; i++) {
    json_array_append(values, json_object_get(json_array_get(list, (size_t)i), key));
  }
  take(key ? values : list, n, none, v);
  json_decref(values);
  return v;
}

static mbo_problem read_problem(const json_t *o, mbo_problem **self) {
  const json_t *c = json_object_get(o, "constraints"), *available = json_object_get(o, "available");
  const int n = (int)json_array_size(json_object_get(o, "start")), nc = (int)json_array_size(c);
  unsigned char *linear = calloc((size_t)nc + 1, 1);
  for (int k = 0; k < nc; k++) { linear[k] = json_is_true(json_object_get(json_array_get(c, (size_t)k), "linear")); }
  return (mbo_problem){.name = json_string_value(json_object_get(o, "problem")),
                       .n = n,
                       .names = names_of(json_object_get(o, "names"), NULL, n),
                       .start = numbers_of(json_object_get(o, "start"), NULL, n, NAN),
                       .lower = numbers_of(json_object_get(o, "lower"), NULL, n, -INFINITY),
                       .upper = numbers_of(json_object_get(o, "upper"), NULL, n, INFINITY),
                       .scale = numbers_of(json_object_get(o, "scale"), NULL, n, 1),
                       .nc = nc,
                       .c_names = names_of(c, "name", nc),
                       .c_lower = numbers_of(c, "lower", nc, -INFINITY),
                       .c_upper = numbers_of(c, "upper", nc, INFINITY),
                       .c_linear = linear,
                       .has_gradient = json_is_true(json_object_get(available, "gradient")),
                       .has_gauss_newton = json_is_true(json_object_get(available, "gauss_newton")),
                       .has_hessian = json_is_true(json_object_get(available, "hessian")),
                       .user = self,
                       .eval = evaluate};
}

static mbo_settings read_settings(const json_t *o, const char *hessian, const char *algorithm) {
  mbo_settings s;
  mbo_settings_init(&s);
  const struct {
    const char *key;
    double *at;
  } numbers[] = {{"max_time", &s.max_time},   {"tol_f", &s.tol_f},           {"tol_x", &s.tol_x},
                 {"tolerance", &s.tolerance}, {"stop_value", &s.stop_value}, {"tol_constraint", &s.tol_constraint}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const json_t *v = json_object_get(o, numbers[i].key);
    if (json_is_number(v)) { *numbers[i].at = json_number_value(v); }
  }
  s.max_iterations = (int)json_integer_value(json_object_get(o, "max_iterations"));
  s.max_evaluations = (int)json_integer_value(json_object_get(o, "max_evaluations"));
  s.seed = (int)json_integer_value(json_object_get(o, "seed"));
  s.gauss_newton = strcmp(hessian, "gauss_newton") == 0, s.exact_hessian = strcmp(hessian, "exact") == 0;
  s.algorithm = algorithm;
  s.iteration = on_iteration;
  return s;
}

/* {"done": ...} */
static void tell_end(mbd_status status, const mbo_result *r, const mbd_error *err) {
  char word[32] = "failed";
  if (status == MBD_OK && r->status <= MBO_STALLED) { snprintf(word, sizeof word, "%s", mbo_status_name(r->status)); }
  for (char *c = word; *c; c++) { *c = (char)tolower((unsigned char)*c); }
  json_t *done = json_pack("{s:s, s:s}", "done", word, "message", status == MBD_OK ? r->text : err->text);
  if (status == MBD_OK && isfinite(r->f)) { json_object_set_new(done, "x", list_of(r->x, r->n)); }
  tell(done);
}

int main(int argc, char **argv) {
  mbd_error err = {0};
  mbo_result r = {0};
  json_t *first = receive();
  if (argc < 2 || !first) {
    fputs("usage: mbopt FILE.ini --command 'mbopt_optimizer BACKEND [HESSIAN [ALGORITHM]]'\n", stderr);
    return 2;
  }
  mbo_problem p, *self = &p;
  p = read_problem(first, &self);
  const mbo_settings s =
      read_settings(json_object_get(first, "settings"), argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
  const mbd_status status = mbo_solve(argv[1], &p, &s, &r, &err);
  if (r.status != MBO_INTERRUPTED) { tell_end(status, &r, &err); }
  mbo_result_free(&r);
  json_decref(first);
  return 0;
}
