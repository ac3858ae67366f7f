/* Lagrange multipliers of constraints: of one equation, or the norm of those of all equations of a constraint. */
#include "output/output.h"

static const char *name(const mbd_model *m, int i) {
  return i == m->nconstraint ? NULL : m->constraint[i].name;
}

static const char *unit_of(const mbd_model *m, const output *o) {
  return model_lam_unit(m, &m->constraint[o->object]);
}

/* Value, and its gradient g [n] in the n equations from row *first on. The norm of zero has the gradient zero. */
static mbd_real evaluate(const output_at *at, int *first, int *n, mbd_real g[MBD_ROW_MAX]) {
  const mbd_constraint *c = &at->m->constraint[at->o->object];
  const mbd_real *lam = at->lam + c->row;
  mbd_real sum = 0;
  if (at->o->component < 3) {
    *first = c->row + at->o->component, *n = 1, g[0] = 1;
    return lam[at->o->component];
  }
  *first = c->row, *n = c->ops->nphi;
  for (int r = 0; r < *n; r++) { sum += lam[r] * lam[r]; }
  const mbd_real norm = mbd_sqrt(sum);
  for (int r = 0; r < *n; r++) { g[r] = mbd_re(norm) > 0 ? lam[r] / norm : 0; }
  return norm;
}

static mbd_real value(const output_at *at) {
  mbd_real g[MBD_ROW_MAX];
  int first, n;
  return evaluate(at, &first, &n, g);
}

static void gradient(const output_at *at, const output_row *row) {
  mbd_real g[MBD_ROW_MAX];
  int first, n;
  evaluate(at, &first, &n, g);
  for (int r = 0; r < n; r++) { row->lam[first + r] += g[r]; }
}

static mbd_real direction(const output_at *at) {
  mbd_real g[MBD_ROW_MAX], dy = 0;
  int first, n;
  if (!at->dlam) { return 0; }
  evaluate(at, &first, &n, g);
  for (int r = 0; r < n; r++) { dy += g[r] * at->dlam[first + r]; }
  return dy;
}

static void pull(const output_at *at, mbd_real s, const output_back *to) {
  mbd_real g[MBD_ROW_MAX];
  int first, n;
  evaluate(at, &first, &n, g);
  for (int r = 0; r < n; r++) { to->lam[first + r] += s * g[r]; }
}

static const output_ops rows[] = {
    {.quantity = "multiplier",
     .shape = OUTPUT_EQUATIONS,
     .unit_of = unit_of,
     .doc = "Lagrange multiplier, the reaction per unit of the equation: [N] where that is a length, [N/m] the square "
            "of one, [N m] an angle or a product of unit vectors; of the order of the integrator (see "
            "projection_matrix); closures of cut joints are named by `mbopt model` (a joint with cut = yes has its "
            "reactions there)",
     .value = value,
     .rows = gradient,
     .direction = direction,
     .pull = pull},
    {0}};

const output_object output_multipliers = {.word = "CONSTRAINT", .noun = "constraint", .row = rows, .name = name};
