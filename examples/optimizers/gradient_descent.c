/* An optimizer of one's own in C (docs/own_optimizer.md): projected gradient with Armijo's rule, between bounds.
 *
 *   cc -O2 gradient_descent.c -o gradient_descent -ljansson -lm
 *   mbopt FILE.ini --command ./gradient_descent
 *
 * It works with y = x / scale, so that a step is about as long in all variables. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 40 };

typedef struct design {
  double *x, f, *g; /* x [n] and g [n], df/dx; f is infinite where the design cannot be simulated */
} design;

static json_t *receive(void) {
  static char *line;
  static size_t size;
  return getline(&line, &size, stdin) > 0 ? json_loads(line, 0, NULL) : NULL;
}

static void tell(json_t *o) {
  char *line = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
  printf("%s\n", line);
  fflush(stdout);
  free(line);
  json_decref(o);
}

static double *numbers(const json_t *list, size_t n, double none) {
  double *v = calloc(n + 1, sizeof *v);
  for (size_t i = 0; i < n; i++) {
    const json_t *one = json_array_get(list, i);
    v[i] = json_is_number(one) ? json_number_value(one) : none;
  }
  return v;
}

static json_t *list_of(const double *v, size_t n) {
  json_t *list = json_array();
  for (size_t i = 0; i < n; i++) { json_array_append_new(list, json_real(v[i])); }
  return list;
}

static void end(const char *how, const char *message, const design *at, size_t n) {
  tell(json_pack("{s:s, s:s, s:o}", "done", how, "message", message, "x", list_of(at->x, n)));
  exit(0);
}

/* Fills f and g at d->x. The program ends where mbopt has ended the run. */
static void evaluate(design *d, size_t n) {
  tell(json_pack("{s:o, s:[s]}", "evaluate", list_of(d->x, n), "want", "gradient"));
  json_t *answer = receive();
  const json_t *g = json_object_get(answer, "gradient");
  d->f = INFINITY;
  if (g) {
    double *values = numbers(g, n, NAN);
    memcpy(d->g, values, n * sizeof *values);
    d->f = json_number_value(json_object_get(answer, "f"));
    free(values);
  } else if (!json_object_get(answer, "failed")) {
    exit(0); /* {"stop": ...}, {"error": ...} or the end of the input */
  }
  json_decref(answer);
}

int main(void) {
  json_t *problem = receive(), *settings = json_object_get(problem, "settings");
  const size_t n = json_array_size(json_object_get(problem, "start"));
  double *scale = numbers(json_object_get(problem, "scale"), n, 1);
  double *lower = numbers(json_object_get(problem, "lower"), n, -INFINITY);
  double *upper = numbers(json_object_get(problem, "upper"), n, INFINITY);
  const double tolerance = json_number_value(json_object_get(settings, "tolerance")), armijo = 1e-4;
  const int max = (int)json_integer_value(json_object_get(settings, "max_iterations"));
  design now = {numbers(json_object_get(problem, "start"), n, 0), 0, calloc(n + 1, sizeof *now.g)};
  design next = {calloc(n + 1, sizeof *next.x), 0, calloc(n + 1, sizeof *next.g)};
  if (json_array_size(json_object_get(problem, "constraints"))) {
    end("failed", "projected gradient takes no constraints, expected bounds alone", &now, n);
  }
  evaluate(&now, n);
  double step = 1;
  for (int k = 1; k <= max; k++) {
    double way = 0, optimality = 0;
    for (int halving = 0;; halving++, step /= 2) {
      if (halving == HALVINGS) { end("stalled", "no step decreases the objective", &now, n); }
      /* x = P(x - step scale^2 g), the projection on the bounds; the decrease that Armijo's rule asks for */
      double promised = 0;
      way = optimality = 0;
      for (size_t i = 0; i < n; i++) {
        const double g = now.g[i] * scale[i], y = now.x[i] / scale[i];
        next.x[i] = fmin(fmax(now.x[i] - step * g * scale[i], lower[i]), upper[i]);
        promised += now.g[i] * (now.x[i] - next.x[i]);
        way = fmax(way, fabs(next.x[i] - now.x[i]) / scale[i]);
        optimality = fmax(optimality, fabs(y - fmin(fmax(y - g, lower[i] / scale[i]), upper[i] / scale[i])));
      }
      if (optimality <= tolerance) { end("converged", "projected gradient within tolerance", &now, n); }
      evaluate(&next, n);
      if (next.f <= now.f - armijo * promised) { break; }
    }
    const design before = now;
    now = next, next = before;
    step *= 2;
    tell(json_pack("{s:{s:i, s:f, s:f, s:f}}", "iteration", "number", k, "f", now.f, "optimality", optimality, "step",
                   way));
    json_decref(receive());
  }
  end("stopped_limit", "limit of iterations", &now, n);
}
