#include "backend/progress.h"

#include <math.h>

static const double of_violation = 0.9, of_f = 1e-3, of_optimality = 0.5;

void progress_begin(progress *p, double tol_constraint, int designs) {
  *p = (progress){
      .tol = tol_constraint, .designs = designs, .f = INFINITY, .violation = INFINITY, .optimality = INFINITY};
}

static int is_better(const progress *p, double f, double violation) {
  if (violation > p->tol) { return violation <= of_violation * p->violation; }
  return p->violation > p->tol || p->f - f > of_f * fabs(p->f);
}

int progress_is_made(progress *p, int designs, double f, double violation, double optimality) {
  int made = 0;
  if (isinf(p->violation) || is_better(p, f, violation)) { p->f = f, p->violation = violation, made = 1; }
  if (optimality <= of_optimality * p->optimality) { p->optimality = optimality, made = 1; }
  if (made) { p->designs = designs; }
  return designs - p->designs < PROGRESS_DESIGNS;
}
