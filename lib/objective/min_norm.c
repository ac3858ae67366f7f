/* Multipliers of least norm, and the derivatives of outputs that read them (min_norm.h).
 * Equations: theory.md §6 (6.4), (6.5), (6.10). */
#include "objective/min_norm.h"

#include <stdint.h>
#include <stdio.h>

#include "dynamics/motion.h"
#include "objective/objectives.h"
#include "output/derived.h"
#include "output/names.h"

void min_norm_layout(sim_min_norm *min_norm, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, rows = m + (size_t)s->m->nhold_row + n;
  min_norm->lam = mbd_arena_real(arena, m + 1);
  MBD_ARENA_REALS(arena, rows, &min_norm->difference, &min_norm->by_difference);
  MBD_ARENA_REALS(arena, n, &min_norm->u, &min_norm->v, &min_norm->x);
  min_norm->row = mbd_arena_take(arena, (m + 1) * sizeof *min_norm->row);
  min_norm->col = mbd_arena_take(arena, n * sizeof *min_norm->col);
  MBD_ARENA_REALS(arena, m + 1, &min_norm->other, &min_norm->probe);
  min_norm->undetermined = mbd_arena_take(arena, (size_t)s->o->n);
}

static sim_min_norm *min_norm_of(const mbd_sim *s) {
  return &s->objectives->min_norm;
}

/* ---- the current motion ---- */

/* Redundant rows are dependent to within the tolerance of a step; rows of compliant constraints, less closely. */
static const double rank_from = 1e-9, rank_to = 1e-2;

/* Chooses as many free columns as at the start, on which the others depend. Returns 0 if there are not so many. */
static int choose_columns(mbd_sim *s) {
  sim_min_norm *min_norm = min_norm_of(s);
  int rank = -1;
  for (double tol = rank_from; tol <= rank_to && rank != s->rank; tol *= 10) {
    rank = mbd_blocks_rank(min_norm->rows, s->m->nphi, tol, MBD_RANK_BOTH, min_norm->row, min_norm->col);
  }
  if (rank != s->rank) { return 0; }
  mbd_blocks_keep(min_norm->rows, s->m->nz - rank, min_norm->col + rank);
  return 1;
}

/* b [rows and coordinates] := (1 - P) g, Phi_z x = P g */
static void split(const mbd_sim *s, const mbd_real *g, mbd_real *b, mbd_real *x) {
  mbd_blocks *rows = min_norm_of(s)->rows;
  memset(b, 0, (size_t)(rows->nrow + rows->nkept) * sizeof *b);
  memcpy(b, g, (size_t)s->m->nphi * sizeof *b);
  mbd_blocks_solve(rows, 1, b, x);
}

/* 1: an output that reads reactions is computed for observers. */
static int is_shown(const mbd_sim *s) {
  for (int o = 0; o < s->o->n; o++) {
    if (!s->objectives->unseen[o] && output_reads_reactions(&s->o->item[o])) { return 1; }
  }
  return 0;
}

void min_norm_update(mbd_sim *s, int all) {
  sim_min_norm *min_norm = min_norm_of(s);
  const mbd_real *mu = s->now.reaction;
  min_norm->present = 0;
  if (s->rank == s->m->nphi || !(min_norm->reads || (all && min_norm->shown && is_shown(s)))) { return; }
  mbd_blocks_clear(min_norm->rows);
  motion_phi_scattered(s->w, s->eq, NULL, min_norm->rows->row, min_norm->rows->at, min_norm->rows->packed);
  for (int i = s->m->nconstraint - s->m->nvelocity; s->at_rest && i < s->m->nconstraint; i++) {
    const mbd_constraint *c = &s->m->constraint[i];
    for (int r = c->row; r < c->row + c->ops->nphi; r++) {
      motion_clear_scattered(c, r, min_norm->rows->row, min_norm->rows->at, min_norm->rows->packed);
    }
  }
  min_norm->present = choose_columns(s) && mbd_blocks_factor(min_norm->rows, 0) == MBD_OK;
  min_norm->lost = !min_norm->present;
  if (min_norm->lost) { return; }
  split(s, mu, min_norm->difference, min_norm->u);
  for (int i = 0; i < s->m->nphi; i++) { min_norm->lam[i] = mu[i] - min_norm->difference[i]; }
}

mbd_status min_norm_check(const mbd_sim *s, mbd_error *err) {
  const sim_min_norm *min_norm = min_norm_of(s);
  if (!min_norm->lost || !min_norm->reads) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_SINGULAR,
      "reactions that an objective reads are not determined: other constraints depend on each other than at the start, "
      "as at a singular position; expected a motion that neither starts there nor passes it, or objectives of other "
      "outputs");
}

const mbd_real *min_norm_lam(const mbd_sim *s) {
  const sim_min_norm *min_norm = min_norm_of(s);
  return min_norm->present ? min_norm->lam : s->now.reaction;
}

/* ---- outputs with an undetermined share ---- */

static const double of_rounding =
    1e-6; /* a smaller part of v, or of a change by multipliers that are not those of (6.10), is rounding */

/* The next of a fixed series of numbers between -1 and 1, which follows no pattern that a mechanism could have. */
static double next_number(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed / 2147483648.0 - 1;
}

/* Sets other = lam + v and probe; v is as large as lam, or 1. Returns the size of v; 0: no v exists. */
static double find_forceless(mbd_sim *s) {
  sim_min_norm *min_norm = min_norm_of(s);
  const int m = s->m->nphi;
  const mbd_real *v = min_norm->by_difference;
  uint32_t seed = 1;
  for (int i = 0; i < m; i++) { min_norm->other[i] = next_number(&seed); }
  split(s, min_norm->other, min_norm->by_difference, min_norm->v);
  const double max = mbd_norm_inf(m, v), size = 1 + mbd_norm_inf(m, min_norm->lam);
  if (!(max > of_rounding)) { return 0; }
  for (int i = 0; i < m; i++) {
    min_norm->other[i] = min_norm->lam[i] + size / max * v[i];
    min_norm->probe[i] = min_norm->lam[i] + size / max * next_number(&seed) * v[i];
  }
  return size;
}

/* The change of an output, in place of a norm the largest change of a component, if the multipliers are `lam`. */
static double change_by(const mbd_sim *s, const output *o, const mbd_real *lam) {
  output part = *o;
  const int is_norm = o->component == NORM && o->ops->shape != OUTPUT_NUMBER;
  const int first = is_norm ? 0 : o->component, end = is_norm ? find_count(s->m, o) : first + 1;
  double max = 0;
  for (part.component = first; part.component < end; part.component++) {
    const mbd_real change = output_value(s->w, &part, lam) - output_value(s->w, &part, min_norm_of(s)->lam);
    max = fmax(max, mbd_largest(change));
  }
  return max;
}

/* A sum of reactions may be determined although no term is: its change is rounding beside that by `probe`. */
static int is_undetermined(const mbd_sim *s, const output *o, double size) {
  const sim_min_norm *min_norm = min_norm_of(s);
  const output_formula *f = o->formula;
  int any = 0;
  if (!output_reads_reactions(o)) { return 0; }
  if (!f) { return change_by(s, o, min_norm->other) > of_rounding * size; }
  for (int i = 0; i < f->input->n && !any; i++) { any = is_undetermined(s, &f->input->item[i], size); }
  return any && change_by(s, o, min_norm->other) > of_rounding * change_by(s, o, min_norm->probe);
}

void min_norm_reset(mbd_sim *s) {
  sim_min_norm *min_norm = min_norm_of(s);
  min_norm->since = NAN;
  if (min_norm->shown) { memset(min_norm->undetermined, 0, (size_t)s->o->n); }
}

void min_norm_look(mbd_sim *s) {
  sim_min_norm *min_norm = min_norm_of(s);
  const sim_objectives *all = s->objectives;
  const double size = min_norm->present ? find_forceless(s) : 0;
  const int n = s->o->ncopied >= 0 ? s->o->ncopied : s->o->n;
  for (int o = 0; size > 0 && o < n; o++) {
    if (min_norm->undetermined[o] || !output_is_computed(all, o, all->watched)) { continue; }
    if (!is_undetermined(s, &s->o->item[o], size)) { continue; }
    min_norm->undetermined[o] = 1;
    if (isnan(min_norm->since)) { min_norm->since = mbd_first(s->t); }
  }
}

/* Lists the names, of components of one vector only the first in full, as far as they fit. */
static void list_names(const mbd_sim *s, char *text, size_t size) {
  const sim_min_norm *min_norm = min_norm_of(s);
  const output *last = NULL;
  size_t at = 0;
  int left = 0;
  for (int o = 0; o < s->o->n; o++) {
    const output *item = &s->o->item[o];
    if (!min_norm->undetermined[o] || mbd_outputs_is_repeated(s->o, o)) { continue; }
    const int same = last && last->ops == item->ops && last->object == item->object && last->own_word == item->own_word;
    const char *name = same ? strrchr(item->name, '.') : item->name;
    if (left > 0 || at + strlen(name) + sizeof ", and 1000 more" > size) {
      left++;
      continue;
    }
    at += (size_t)snprintf(text + at, size - at, "%s%s", !last ? "" : same ? "/" : ", ", name);
    last = item;
  }
  if (left > 0) { snprintf(text + at, size - at, " and %d more", left); }
}

void min_norm_warn(mbd_sim *s) {
  char names[200];
  if (isnan(min_norm_of(s)->since)) { return; }
  list_names(s, names, sizeof names);
  sim_warn(s, "undetermined", min_norm_of(s)->since,
           "mechanics does not determine how redundant constraints share their load, and with it %s: these values are "
           "those of least norm, which change with the order of sections and the joints that are cut. A bushing in "
           "place of a joint of the loop, or joints with fewer equations, determine them (see `mbopt model`)",
           names);
}

int mbd_sim_undetermined(const mbd_sim *s, int o) {
  const sim_min_norm *min_norm = min_norm_of(s);
  return min_norm->shown && min_norm->undetermined[o];
}

/* ---- derivatives ---- */

/* g := P g */
static void project(mbd_sim *s, mbd_real *g) {
  sim_min_norm *min_norm = min_norm_of(s);
  split(s, g, min_norm->by_difference, min_norm->v);
  for (int i = 0; i < s->m->nphi; i++) { g[i] -= min_norm->by_difference[i]; }
}

/* Derivatives of u . Phi_z' by_difference + v . Phi_z' difference by the coordinates into z, those by coefficients into theta. */
static void reverse_changes(mbd_sim *s, params_reverse *theta, mbd_real *z) {
  const sim_min_norm *min_norm = min_norm_of(s);
  mbd_reverse *to = s->w->reverse;
  const motion_terms e[] = {{.rows = s->eq, .lam = min_norm->by_difference},
                            {.rows = s->eq, .lam = min_norm->difference}};
  reverse_begin(to, s->w, theta);
  motion_reverse_mass(to, &e[0], min_norm->u, min_norm->u);
  motion_reverse_mass(to, &e[1], min_norm->v, min_norm->v);
  reverse_coordinates(to, z, NULL, NULL);
  reverse_joints(to);
}

void min_norm_rows(mbd_sim *s, mbd_real *g_lam, mbd_real *g_z) {
  if (!min_norm_of(s)->present) { return; }
  project(s, g_lam);
  reverse_changes(s, NULL, g_z);
}

mbd_real min_norm_direction(mbd_sim *s) {
  const sim_min_norm *min_norm = min_norm_of(s);
  const int n = s->m->nz;
  const motion_terms e[] = {{.rows = s->eq, .lam = min_norm->by_difference},
                            {.rows = s->eq, .lam = min_norm->difference}};
  if (!min_norm->present) { return 0; }
  motion_direction(s->w, &e[0], min_norm->x, NULL, NULL, NULL);
  const mbd_real by_u = mbd_dot(n, min_norm->u, min_norm->x);
  motion_direction(s->w, &e[1], min_norm->x, NULL, NULL, NULL);
  return by_u + mbd_dot(n, min_norm->v, min_norm->x);
}

void min_norm_reverse(mbd_sim *s, sim_adjoint *a, int k, mbd_real *g_lam) {
  const sim_min_norm *min_norm = min_norm_of(s);
  if (!min_norm->present) { return; }
  project(s, g_lam);
  memset(min_norm->x, 0, (size_t)s->m->nz * sizeof *min_norm->x);
  reverse_changes(s, a->theta[k], min_norm->x);
  mbd_axpy(s->m->nz, 1, min_norm->x, a->reverse[k].z);
}
