/* Tests of a user's force: values, the complex build against the real one, derivatives, discontinuities. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plugin/plugin.h"

enum { GUARD = 8, HALVINGS = 30, BESIDE = 8 };

static const double untouched = 1.2345678901234567e300;
static const double exactly = 1e-9; /* tolerance between derivatives that are exact to rounding */
static const double roughly = 1e-2; /* tolerance between a derivative and a reliable difference */
static const double stable =
    1e-4; /* tolerance between differences with two steps; larger deviations make a difference unreliable */
static const double persists = 1e-3; /* part of a change that remains at a discontinuity when the interval shrinks */
static const double stands_out = 10; /* least ratio of the change at a discontinuity to the change beside it */

static int results_of(const mbd_user_force *u) {
  return 3 * u->narg + mbd_user_force_noutput(u);
}

static double largest(int n, const double *v) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(v[i])); }
  return max;
}

/* ---- values ---- */

static plugin_finding try_value(const mbd_user_force *u, const double *state, const double *coef, double *y) {
  const int n = results_of(u);
  double results[MBD_USER_RESULTS + GUARD];
  plugin_finding f = {.fault = PLUGIN_RIGHT};
  for (int i = 0; i < n + GUARD; i++) { results[i] = i < n ? 0 : untouched; }
  u->value(state, coef, 1, results);
  memcpy(y, results, (size_t)n * sizeof *y);
  for (int i = 0; i < GUARD; i++) {
    if (results[n + i] != untouched) { return (plugin_finding){.fault = PLUGIN_WRITES, .result = n + i}; }
  }
  for (int i = 0; i < n; i++) {
    if (!isfinite(y[i])) { return (plugin_finding){.fault = PLUGIN_NOT_FINITE, .result = i, .got = y[i]}; }
  }
  return f;
}

static plugin_finding try_complex(const mbd_user_force *u, const double *state, const double *coef, const double *y) {
  const int n = results_of(u), nc = mbd_user_force_ncoef(u);
  double z[2 * MBD_USER_STATE], c[2 * MBD_USER_COEFS], w[2 * MBD_USER_RESULTS] = {0};
  for (int i = 0; i <= 6 * u->narg; i++) { z[2 * i] = state[i], z[2 * i + 1] = 0; }
  for (int i = 0; i < nc; i++) { c[2 * i] = coef[i], c[2 * i + 1] = 0; }
  u->value_complex(z, c, 1, w);
  for (int i = 0; i < n; i++) {
    if (fabs(w[2 * i] - y[i]) > exactly * fmax(largest(n, y), 1e-300)) {
      return (plugin_finding){.fault = PLUGIN_DIFFERS, .result = i, .got = w[2 * i], .expected = y[i]};
    }
  }
  return (plugin_finding){.fault = PLUGIN_RIGHT};
}

/* ---- derivatives: input i is the i-th of state, coefficients and time ---- */

typedef struct point {
  double state[MBD_USER_STATE], coef[MBD_USER_COEFS];
} point;

static double *input_at(const mbd_user_force *u, point *p, int i) {
  const int n = 6 * u->narg + 1;
  return i < n ? &p->state[i] : &p->coef[i - n];
}

static void name_input(const mbd_user_force *u, int i, char text[96]) {
  const int n = u->narg, k = i - 6 * n - 1;
  if (i < 6 * n) {
    snprintf(text, 96, "%s of argument %d, component %d", i < 3 * n ? "the value" : "the rate", i / 3 % n, i % 3);
  } else if (i == 6 * n) {
    snprintf(text, 96, "the time");
  } else {
    int at = 0;
    const mbd_coef_info *c = u->coefs;
    while (at + c->size <= k) { at += c++->size; }
    snprintf(text, 96, "coefficient '%.60s'", c->key);
  }
}

/* The derivatives of the results in input i. */
static void derivative(const mbd_user_force *u, const double *J, const point *p, int i, double *dy) {
  const int n = 6 * u->narg, rows = results_of(u);
  double direction[MBD_USER_COEFS + 1] = {0};
  if (i < n) {
    for (int r = 0; r < rows; r++) { dy[r] = J[r * n + i]; }
    return;
  }
  direction[i == n ? mbd_user_force_ncoef(u) : i - n - 1] = 1;
  mbd_user_force_along(u, p->state, p->coef, direction, 1, dy);
}

static void difference(const mbd_user_force *u, const point *p, int i, double h, double *dy) {
  point at = *p;
  double *x = input_at(u, &at, i), low[MBD_USER_RESULTS], high[MBD_USER_RESULTS];
  const double x0 = *x;
  *x = x0 + h;
  mbd_user_force_value(u, at.state, at.coef, 1, high);
  *x = x0 - h;
  mbd_user_force_value(u, at.state, at.coef, 1, low);
  for (int r = 0; r < results_of(u); r++) { dy[r] = (high[r] - low[r]) / (2 * h); }
}

static double size_of(double input) {
  return fmax(1e-2, fabs(input));
}

/* Compares a derivative with a difference, if the difference is the same for two steps; this excludes kinks and results that are
 * rounding. */
static plugin_finding against_difference(const mbd_user_force *u, const point *p, int i, const double *dy,
                                         const double *y) {
  const int rows = results_of(u);
  double wide[MBD_USER_RESULTS], narrow[MBD_USER_RESULTS];
  point at = *p;
  const double h = 1e-4 * size_of(*input_at(u, &at, i));
  difference(u, p, i, h, wide);
  difference(u, p, i, h / 4, narrow);
  for (int r = 0; r < rows; r++) {
    const double size = fmax(fabs(narrow[r]), fabs(dy[r])), rounding = 1e-11 * fabs(y[r]) / h;
    if (fabs(wide[r] - narrow[r]) > stable * size || rounding > stable * size) { continue; }
    if (!(fabs(dy[r] - narrow[r]) <= roughly * size)) {
      return (plugin_finding){.fault = PLUGIN_SLOPE, .result = r, .got = dy[r], .expected = narrow[r]};
    }
  }
  return (plugin_finding){.fault = PLUGIN_RIGHT};
}

/* Compares derivatives with a complex step. The tolerance includes the rounding of results y that do not depend on the input, such as
 * the length of an axis. */
static plugin_finding against_step(int rows, const double *dy, const double *step, const double *y, double input) {
  const double rounding = 1e-13 * largest(rows, y) / size_of(input);
  for (int r = 0; r < rows; r++) {
    if (!(fabs(dy[r] - step[r]) <= exactly * largest(rows, step) + rounding)) {
      return (plugin_finding){.fault = PLUGIN_SLOPE, .result = r, .got = dy[r], .expected = step[r]};
    }
  }
  return (plugin_finding){.fault = PLUGIN_RIGHT};
}

/* Compares the derivatives of a force with the complex step or central differences by every input: points, velocities, the time, coefficients.
 * Returns the first that is wrong, by name. */
static plugin_finding try_derivatives(const mbd_user_force *u, const point *p, const double *y) {
  const int rows = results_of(u), inputs = 6 * u->narg + 1 + mbd_user_force_ncoef(u);
  mbd_user_force plain = *u;
  point at = *p;
  double J[MBD_USER_RESULTS * 6 * MBD_ARG_MAX], by_step[MBD_USER_RESULTS * 6 * MBD_ARG_MAX];
  plain.slopes = NULL, plain.along = NULL;
  mbd_user_force_slopes(u, p->state, p->coef, 1, J);
  mbd_user_force_slopes(&plain, p->state, p->coef, 1, by_step);
  for (int i = 0; i < inputs; i++) {
    double dy[MBD_USER_RESULTS], step[MBD_USER_RESULTS];
    if (i < 6 * u->narg && !mbd_user_force_is_number(u, i)) { continue; } /* entries that hold no number stay zero */
    derivative(u, J, p, i, dy);
    derivative(&plain, by_step, p, i, step);
    plugin_finding f = against_step(rows, dy, step, y, *input_at(u, &at, i));
    if (f.fault == PLUGIN_RIGHT) { f = against_difference(u, p, i, dy, y); }
    name_input(u, i, f.input);
    if (f.fault != PLUGIN_RIGHT) { return f; }
  }
  return (plugin_finding){.fault = PLUGIN_RIGHT};
}

plugin_finding plugin_try(const mbd_user_force *u, const double *state, const double *coef) {
  double y[MBD_USER_RESULTS];
  point p = {{0}, {0}};
  memcpy(p.state, state, (6 * (size_t)u->narg + 1) * sizeof *state);
  memcpy(p.coef, coef, (size_t)mbd_user_force_ncoef(u) * sizeof *coef);
  plugin_finding f = try_value(u, p.state, p.coef, y);
  if (f.fault == PLUGIN_RIGHT) { f = try_complex(u, p.state, p.coef, y); }
  if (f.fault == PLUGIN_RIGHT) { f = try_derivatives(u, &p, y); }
  return f;
}

/* ---- discontinuities ---- */

static double value_at(const mbd_user_force *u, const double *from, const double *to, double part, const double *coef,
                       int r) {
  double state[MBD_USER_STATE], y[MBD_USER_RESULTS];
  for (int i = 0; i <= 6 * u->narg; i++) { state[i] = from[i] + part * (to[i] - from[i]); }
  mbd_user_force_value(u, state, coef, 1, y);
  return y[r];
}

/* The rounding of a result: its largest change over a few steps along the line, on one side of a place. */
static double change_beside(const mbd_user_force *u, const double *from, const double *to, double part, double step,
                            const double *coef, int r) {
  const double y = value_at(u, from, to, part, coef, r);
  double max = 0;
  for (int k = 1; k <= BESIDE; k++) { max = fmax(max, fabs(value_at(u, from, to, part + k * step, coef, r) - y)); }
  return max;
}

/* Bisects the line repeatedly, each time to the half with the larger change. The change of a continuous function becomes rounding, which
 * is as large beside that place. */
static plugin_finding jump_of(const mbd_user_force *u, const double *from, const double *to, const double *coef,
                              double size, int r) {
  double a = 0, b = 1, low = value_at(u, from, to, 0, coef, r), high = value_at(u, from, to, 1, coef, r);
  const double change = fabs(high - low), rounding = 1e-10 * fmax(size, fmax(fabs(low), fabs(high)));
  if (change <= rounding / persists) { return (plugin_finding){.fault = PLUGIN_RIGHT}; }
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = (a + b) / 2, y = value_at(u, from, to, middle, coef, r);
    if (fabs(y - low) > fabs(high - y)) {
      b = middle, high = y;
    } else {
      a = middle, low = y;
    }
  }
  const double left = fabs(high - low), step = b - a;
  const double noise =
      fmax(change_beside(u, from, to, a, -step, coef, r), change_beside(u, from, to, b, step, coef, r));
  if (left <= persists * change || left <= stands_out * noise) { return (plugin_finding){.fault = PLUGIN_RIGHT}; }
  return (plugin_finding){.fault = PLUGIN_JUMP, .result = r, .got = high, .expected = low};
}

plugin_finding plugin_try_between(const mbd_user_force *u, const double *from, const double *to, const double *coef) {
  plugin_finding f = {.fault = PLUGIN_RIGHT};
  double y[MBD_USER_RESULTS];
  mbd_user_force_value(u, from, coef, 0, y);
  const double largest_force =
      largest(3 * u->narg, y); /* a component that is nearly zero has the rounding of the larger ones */
  for (int r = 0; r < results_of(u) && f.fault == PLUGIN_RIGHT; r++) {
    f = jump_of(u, from, to, coef, r < 3 * u->narg ? largest_force : 0, r);
  }
  return f;
}

/* ---- messages ---- */

/* Names the result that is wrong, then describes the fault with the numbers that were found and expected. */
const char *plugin_finding_text(const mbd_user_force *u, const plugin_finding *f, char text[PLUGIN_TEXT]) {
  char what[80];
  /* The result by its name: a component of a force, an output, or a place beyond the results. */
  if (f->result < 3 * u->narg) {
    snprintf(what, sizeof what, "component %d of the force on argument %d", f->result % 3, f->result / 3);
  } else if (f->result < results_of(u)) {
    snprintf(what, sizeof what, "output '%.60s'", u->output[f->result - 3 * u->narg].name);
  } else {
    snprintf(what, sizeof what, "result %d", f->result);
  }
  /* The fault, with the numbers that were found and expected. */
  switch (f->fault) {
    case PLUGIN_RIGHT: snprintf(text, PLUGIN_TEXT, "right"); break;
    case PLUGIN_NOT_FINITE: snprintf(text, PLUGIN_TEXT, "%s is %g, expected a finite number", what, f->got); break;
    case PLUGIN_WRITES:
      snprintf(text, PLUGIN_TEXT, "the function writes %s, but its tables have %d results: %d of arguments, %d outputs",
               what, results_of(u), 3 * u->narg, mbd_user_force_noutput(u));
      break;
    case PLUGIN_DIFFERS:
      snprintf(text, PLUGIN_TEXT,
               "%s is %.9g compiled for complex numbers, but %.9g for real ones; expected the same: branches look at "
               "s_re(x), and nothing outlives a call",
               what, f->got, f->expected);
      break;
    case PLUGIN_SLOPE:
      snprintf(text, PLUGIN_TEXT, "%s: its derivative by %s is %.9g, expected %.9g", what, f->input, f->got,
               f->expected);
      break;
    case PLUGIN_JUMP:
      snprintf(text, PLUGIN_TEXT,
               "%s jumps from %.6g to %.6g between two states that are next to each other; expected a continuous force",
               what, f->expected, f->got);
      break;
  }
  return text;
}
