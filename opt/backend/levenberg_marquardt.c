/* Levenberg-Marquardt for sums of squares between bounds. With the Gauss-Newton matrix H of the objective f at y = x / scale, and the
 * gradient g, the step s minimizes
 *
 *   f + g's + s'(H + lambda D I)s/2    within the bounds (trust_region_model.h),   D the largest H_ii so far
 *
 * and is taken if it lowers f; ratio = (f - f(y + s))/(what the model without lambda loses). lambda falls where the model predicted the
 * decrease and grows where it did not [Nielsen 1999], twice, four times, ... as much for refusals in a row. Damping of equal size in all
 * directions takes fewer designs along curved valleys than Moré's diagonal (bench/README.md). A design that cannot be simulated is a step
 * that is refused; where that happens again and again, trust_region.h has it start again from the best design.
 *
 * It ends where the model without lambda loses no more than tol_f of f; where it loses no more than tol_f of the start's f, and the
 * projected gradient is within `tolerance` (relative to that f, if it is below 1), which is the end of fits without residual; at the level
 * of rounding, or within the noise of data (evaluator_left, evaluator_offset). */
#include "backend/backend.h"
#include "backend/trust_region.h"
#include "backend/trust_region_model.h"
#include "mbd/simulate.h"
#include "files/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double first = 1e-4, min = 1e-15, max = 1e12; /* lambda */
static const double poor = 0.25;                           /* ratio below which a step counts as refused */
static const double fall = 0.01, fading = 0.6; /* of lambda at most, of the memory of a refusal, at every step */
static const double some = 1e-4;               /* ratio above which a step is taken */
enum { STILL = 3, IN_THE_WAY_MAX = 8 };        /* STILL: steps in a row that change f by no more than tol_f */

typedef struct marquardt {
  evaluator *e;
  const mbo_problem *p;
  const mbo_settings *s;
  mbo_result *r;
  trust_region_model m;
  double *x;                   /* [n] in user units; those below divided by the scales */
  double *y, *tried;           /* [n] the iterate, and what is tried */
  const double *lower, *upper; /* [n] bounds of the run */
  double f, *g, *H;            /* [n], [n][n] at the iterate */
  double curvature;            /* D */
  double lambda, refused;      /* refused: of the last step that was poor, fading */
  double f_start;
  double promised; /* what the model without lambda loses from the iterate on */
  double gained;   /* decrease by the last step, relative to the predicted one */
  int still;
  int in_the_way; /* designs that could not be simulated since the last step that met none */
  int broken;     /* too many of them: the run is over */
} marquardt;

static int end(marquardt *lm, mbo_status status, const char *text) {
  lm->r->status = status;
  snprintf(lm->r->text, sizeof lm->r->text, "%s", text);
  return 0;
}

static int lose(marquardt *lm) {
  lm->broken = 1;
  return end(lm, MBO_STALLED, "Designs that cannot be simulated are in the way");
}

/* v at y becomes the iterate. */
static void take(marquardt *lm, const double *y, const mbo_eval *v) {
  const int n = lm->p->n;
  const double *scale = lm->p->scale;
  lm->f = v->f;
  memcpy(lm->y, y, (size_t)n * sizeof *y);
  for (int i = 0; i < n; i++) {
    lm->g[i] = v->g[i] * scale[i];
    for (int j = 0; j < n; j++) { lm->H[i * n + j] = v->H[i * n + j] * scale[i] * scale[j]; }
    lm->curvature = fmax(lm->curvature, lm->H[i * n + i]);
  }
}

/* The start of another run is no iteration. */
static void tell(const marquardt *lm, double optimality, double step) {
  if (!lm->s->iteration || (step == 0 && lm->r->restarts)) { return; }
  const mbo_iteration it = {lm->r->iterations, evaluator_designs(lm->e), lm->f, 0, optimality, step};
  lm->s->iteration(lm->s->user, &it);
}

/* Is the iterate the end? 0: yes, and the result says why. */
static int goes_on(marquardt *lm, double step) {
  const mbo_settings *s = lm->s;
  const double optimality = backend_projected_gradient(lm->p->n, lm->y, lm->g, lm->lower, lm->upper);
  tell(lm, optimality, step);
  lm->promised = trust_region_model_solve(&lm->m, lm->y, lm->lower, lm->upper, lm->g, lm->H, 0);
  evaluator_left(lm->e, lm->f, lm->promised);
  evaluator_offset(lm->e, &(evaluator_model){lm->f, lm->promised, lm->gained, lm->m.nfree});
  if (evaluator_limit(lm->e)) { return end(lm, MBO_STOPPED_LIMIT, "Stopped by the program"); }
  if (lm->f <= s->stop_value) { return end(lm, MBO_CONVERGED, "The objective is within stop_value"); }
  const double size = lm->f_start < 1 ? lm->f_start : 1;
  if (optimality <= s->tolerance * size && lm->promised <= s->tol_f * lm->f_start) {
    return end(lm, MBO_CONVERGED, "The projected gradient is within tolerance");
  }
  if (lm->promised <= s->tol_f * fabs(lm->f)) {
    return end(lm, MBO_CONVERGED, "The model predicts a decrease of at most tol_f of the objective");
  }
  if (lm->still >= STILL && lm->in_the_way) { return lose(lm); }
  if (lm->still >= STILL) { return end(lm, MBO_CONVERGED, "The objective no longer changes (tol_f)"); }
  if (lm->r->iterations >= s->max_iterations) { return end(lm, MBO_STOPPED_LIMIT, "Limit of iterations"); }
  return 1;
}

/* Changes lambda after a step. After a refusal it falls at most half way, in logarithms, to the value that was refused, so that the same refusal does
 * not occur again at once. */
static void judge(marquardt *lm, double ratio) {
  const double used = lm->lambda;
  if (ratio < poor) {
    lm->refused = used;
    lm->lambda *= 2;
  } else {
    const double lower = used * fmax(fall, 1 - pow(2 * ratio - 1, 3));
    lm->lambda = fmax(lower, fmin(used, sqrt(used * lm->refused)));
    lm->refused *= fading;
  }
  lm->lambda = fmin(fmax(lm->lambda, min), max);
}

/* The design at lm->tried: its values, or NULL. */
static const mbo_eval *evaluate(marquardt *lm, mbd_status *status) {
  const mbo_eval *v;
  const unsigned request = MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON;
  *status = evaluator_evaluate(lm->e, backend_to_user(lm->p, lm->tried, lm->x), request, &v, NULL);
  return *status == MBD_OK ? v : NULL;
}

/* The next step from the iterate; returns its largest entry, 0 where there is none: the result says why. */
static double advance(marquardt *lm) {
  const int n = lm->p->n;
  double growth = 2;
  int failed = 0;
  for (;;) {
    double length = 0, size = 0;
    mbd_status status;
    /* The step of the damped model within the bounds, and the largest entries of the step and of the iterate. */
    trust_region_model_solve(&lm->m, lm->y, lm->lower, lm->upper, lm->g, lm->H, lm->lambda * lm->curvature);
    for (int i = 0; i < n; i++) {
      lm->tried[i] = fmin(fmax(lm->y[i] + lm->m.step[i], lm->lower[i]), lm->upper[i]);
      length = fmax(length, fabs(lm->tried[i] - lm->y[i])), size = fmax(size, fabs(lm->y[i]));
    }
    /* No step is left if it is negligible beside tol_x or if lambda is at its limit. */
    if (length <= 1e-3 * lm->s->tol_x * size || lm->lambda >= max) {
      return failed ? lose(lm)
                    : end(lm, MBO_STALLED, "No step lowers the objective, however short: is the gradient right?");
    }
    /* A design that cannot be simulated is a refused step, up to a number of such designs. */
    const mbo_eval *v = evaluate(lm, &status);
    if (status < 0) { return end(lm, MBO_STOPPED_LIMIT, "Stopped by the program"); }
    failed += !v;
    if (!v && ++lm->in_the_way >= IN_THE_WAY_MAX) { return lose(lm); }
    /* ratio = (f - f(y + s))/(decrease of the model without lambda). The step is taken if the ratio is above `some`. */
    const double predicted = trust_region_model_predicted(&lm->m, lm->g, lm->H), change = v ? lm->f - v->f : -INFINITY;
    const double ratio = predicted > 0 ? change / predicted : -INFINITY;
    if (ratio > some) {
      lm->gained = lm->promised > 0 ? change / lm->promised : 1;
      lm->still = change <= lm->s->tol_f * fabs(lm->f) ? lm->still + 1 : 0;
      take(lm, lm->tried, v);
      judge(lm, ratio);
      lm->r->iterations++;
      if (!failed) { lm->in_the_way = 0; }
      return length;
    }
    /* After a refusal lambda grows: by 2, 4, 8, ... for refusals in a row. */
    lm->refused = lm->lambda;
    lm->lambda *= growth, growth *= 2;
  }
}

/* Iterates from the start of the box until a stopping rule holds or no step succeeds. */
static void run_once(marquardt *lm, const trust_region *b) {
  mbd_status status;
  lm->lower = b->lower, lm->upper = b->upper;
  lm->lambda = first, lm->gained = 1;
  lm->refused = lm->curvature = 0;
  lm->still = lm->in_the_way = lm->broken = 0;
  memcpy(lm->tried, b->start, (size_t)lm->p->n * sizeof *lm->tried);
  const mbo_eval *v = evaluate(lm, &status);
  if (!v) {
    (void)(status > 0 ? lose(lm) : end(lm, MBO_STOPPED_LIMIT, "Stopped by the program"));
    return;
  }
  lm->f_start = v->f;
  take(lm, lm->tried, v);
  double step = 0;
  while (goes_on(lm, step)) {
    step = advance(lm);
    if (step == 0) { return; }
  }
}

static mbd_status marquardt_solve(evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err) {
  const mbo_problem *p = evaluator_problem(e);
  const size_t n = (size_t)p->n;
  marquardt q = {.e = e, .p = p, .s = s, .r = r};
  trust_region b;
  double *block = calloc(4 * n + n * n, sizeof *block);
  mbd_status status = trust_region_create(e, s, &b, err);
  if (status == MBD_OK) { status = trust_region_model_create(p->n, &q.m, err); }
  if (status == MBD_OK && !block) { status = MEMORY_NONE(err, "Levenberg-Marquardt"); }
  if (status == MBD_OK) {
    q.x = block, q.y = block + n, q.tried = block + 2 * n, q.g = block + 3 * n, q.H = block + 4 * n;
    do { run_once(&q, &b); } while (r->iterations < s->max_iterations && trust_region_next(&b, q.broken, r));
    /* the optimum of a box may be worse than the best design, which lies inside */
    if (r->restarts) { trust_region_doubt(&b, r); }
  }
  trust_region_model_free(&q.m);
  trust_region_free(&b);
  free(block);
  return status;
}

static mbd_status marquardt_check(const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  if (!s->gauss_newton) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "levenberg_marquardt is for sums of squares by their Gauss-Newton matrix: every objective a square "
             "(" MBD_SQUARE_FORMS
             ", [measurement]) with a weight >= 0, [gradient] method = auto or direct, "
             "hessian = auto or gauss_newton");
  }
  if (s->noption > 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "[native] %s: levenberg_marquardt has no options of its own", s->option[0].name);
  }
  return backend_check_single(p, s, "levenberg_marquardt", err);
}

const backend_ops backend_levenberg_marquardt = {
    .name = "levenberg_marquardt",
    .doc = "Damped Gauss-Newton steps between bounds, for sums of squares; part of mbopt.",
    .caps = MBO_CAP_BOUNDS | MBO_CAP_GAUSS_NEWTON,
    .check = marquardt_check,
    .solve = marquardt_solve,
};
