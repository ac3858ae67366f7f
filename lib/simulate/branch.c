/* Branches on purpose (branch.h, theory.md §5.6 (6.55)). An output y(z) that vanishes where branches meet keeps its sign on a branch that stays
 * on one side of the singular position, and changes it on one that goes straight through. From node to node, h apart,
 *   y_ y < 0                                              it has changed its sign
 *   y_ y > 0,  y_ (y_ + h yd_) < 0,  y (y - h yd) < 0     it has turned back at zero: both tangents cross it within the step  */
#include "simulate/branch.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "output/derived.h"
#include "simulate/analysis.h"
#include "simulate/start.h"

typedef enum branch_side { POSITIVE, NEGATIVE, GUESS, CHANGES } branch_side;
static const char *const words[] = {"positive", "negative", "guess", "changes"};

struct sim_branches {
  int n;
  mbd_outputs *outputs; /* one for each */
  branch_side *side;    /* [n] */
  int *sign;            /* [n] that it has to have; 0: any */
  double *from;         /* [n] values of branches_from */
  double *value, *rate; /* [n] at the node before */
  mbd_real *row;        /* [3 nz + nphi] scratch of gradients */
  mbd_real *zero;       /* [nz] zeros */
  mbd_arena arena;
};

const char *mbd_branch_side_name(int i) {
  return i >= 0 && i <= CHANGES ? words[i] : NULL;
}

/* ---- creation ---- */

/* Why the output cannot tell branches apart; NULL: it can. */
static const char *why_not(const output *o) {
  const char *why = NULL;
  for (int i = 0; o->formula && !why && i < o->formula->input->n; i++) {
    const output *part = &o->formula->input->item[i];
    why = part->ops->turns ? NULL : why_not(part); /* sin(angle) does not depend on turns */
  }
  if (o->formula || why) { return why; }
  if (o->ops->reactions || o->ops->order > 0) { return "is no function of positions"; }
  return o->ops->turns ? "is an angle with its turns, whose sign says nothing; its sine may be meant" : NULL;
}

/* Their turns are not counted: those of the simulation's own outputs are (state/turns.h). */
static void count_no_turns(output *o) {
  o->turn = -1;
  for (int i = 0; o->formula && i < o->formula->input->n; i++) { count_no_turns(&o->formula->input->item[i]); }
}

static mbd_status add(mbd_sim *s, int i, mbd_error *err) {
  sim_branches *b = s->branches;
  const char *name = s->c.branch_output[i], *side = s->c.branch_side[i];
  char where[200];
  int first, count;
  snprintf(where, sizeof where, "branch.%.150s", name);
  MBD_TRY(mbd_check_word(where, "side", side, mbd_branch_side_name, err));
  b->side[i] = (branch_side)mbd_word_find(side, mbd_branch_side_name);
  const mbd_status status = mbd_outputs_add(b->outputs, name, &first, &count, err);
  if (status != MBD_OK) { return mbd_locate(err, status, "branch.%.150s: ", name); }
  if (b->outputs->n != i + 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: expected another output than those before, and one number", where);
  }
  output *o = &b->outputs->item[i];
  const char *why = why_not(o);
  if (why) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: '%.100s' %s; expected a quantity of positions that vanishes where branches meet, as "
             "area(POINT, POINT, POINT, VECTOR)",
             where, name, why);
  }
  count_no_turns(o);
  return MBD_OK;
}

mbd_status branches_create(mbd_sim *s, mbd_error *err) {
  const size_t n = (size_t)s->c.nbranch;
  if (n == 0) { return MBD_OK; }
  sim_branches *b = s->branches = calloc(1, sizeof *b);
  if (!b) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for branches"); }
  b->n = s->c.nbranch;
  while (mbd_arena_pass(&b->arena)) {
    b->side = mbd_arena_take(&b->arena, n * sizeof *b->side);
    b->sign = mbd_arena_take(&b->arena, n * sizeof *b->sign);
    b->from = mbd_arena_take(&b->arena, n * sizeof *b->from);
    b->value = mbd_arena_take(&b->arena, n * sizeof *b->value);
    b->rate = mbd_arena_take(&b->arena, n * sizeof *b->rate);
    b->zero = mbd_arena_real(&b->arena, (size_t)s->m->nz);
    b->row = mbd_arena_real(&b->arena, (size_t)(3 * s->m->nz + s->m->nphi));
  }
  MBD_TRY(mbd_arena_check(&b->arena, "branches", err));
  MBD_TRY(mbd_outputs_create(s->m, &b->outputs, err));
  for (int i = 0; i < b->n; i++) { MBD_TRY(add(s, i, err)); }
  return MBD_OK;
}

void branches_destroy(sim_branches *b) {
  if (!b) { return; }
  mbd_outputs_destroy(b->outputs);
  free(b->arena.base);
  free(b);
}

void branches_sweep_markers(mbd_sim *s) {
  for (int i = 0; s->branches && i < s->branches->n; i++) {
    output_sweep_markers(s->w, &s->branches->outputs->item[i]);
  }
}

/* ---- values ---- */

/* Outputs are of a motion: at a placed position that at rest. */
static void rest(const mbd_sim *s) {
  if (s->branches) { motion_move(s->w, s->branches->zero, s->branches->zero, 0); }
}

/* Moved. */
static double value_at(const mbd_sim *s, int i) {
  return mbd_first(output_value(s->w, &s->branches->outputs->item[i], NULL));
}

static double rate_at(const mbd_sim *s, int i) {
  const sim_branches *b = s->branches;
  const int n = s->m->nz;
  double rate = 0;
  output_rows(s->w, &b->outputs->item[i], NULL, b->row, b->row + n, b->row + 2 * n, b->row + 3 * n);
  for (int j = 0; j < n; j++) { rate += mbd_first(b->row[j] * s->now.zd[j]); }
  return rate;
}

/* ---- positions ---- */

void branches_at_guess(mbd_sim *s) {
  static const int sign[] = {[POSITIVE] = 1, [NEGATIVE] = -1, [CHANGES] = 0};
  sim_branches *b = s->branches;
  rest(s);
  for (int i = 0; b && i < b->n; i++) {
    b->sign[i] = b->side[i] == GUESS ? (value_at(s, i) < 0 ? -1 : 1) : sign[b->side[i]];
  }
}

/* ---- guesses ---- */

/* Numbers in the dense blocks of the rows of the start; *largest: columns of the largest. */
static size_t entries(const mbd_sim *s, int *largest) {
  size_t n = 0;
  *largest = 1;
  for (int i = 0; i < s->start->rows->n; i++) {
    const mbd_block *b = &s->start->rows->block[i];
    if (b->sparse) { continue; }
    n += (size_t)b->nrow * (size_t)b->ncol;
    *largest = b->ncol > *largest ? b->ncol : *largest;
  }
  return n;
}

void branches_layout(mbd_sim *s, mbd_arena *a) {
  int largest;
  s->start->J_guess = mbd_arena_real(a, entries(s, &largest) + 1);
  s->start->turn = mbd_arena_real(a, (size_t)largest * (size_t)largest);
  s->start->piv = mbd_arena_take(a, (size_t)largest * sizeof *s->start->piv);
}

void branches_keep_guess(mbd_sim *s) {
  mbd_real *to = s->start->J_guess;
  for (int i = 0; i < s->start->rows->n; i++) {
    const mbd_block *b = &s->start->rows->block[i];
    const size_t size = (size_t)b->nrow * (size_t)b->ncol;
    if (b->sparse) { continue; }
    memcpy(to, b->J, size * sizeof *to);
    to += size;
  }
}

void branches_compare_guess(mbd_sim *s) {
  static const double singular = 1e-9; /* guesses in line say nothing */
  const mbd_blocks *rows = s->start->rows;
  const mbd_real *before = s->start->J_guess;
  int apart = 0;
  if (s->branches || s->m->nphi == 0) { return; }
  memset(s->start->other.open, 0, (size_t)s->m->nz);
  for (int i = 0; i < rows->n; i++) {
    const mbd_block *b = &rows->block[i];
    double min_pivot;
    if (b->sparse) { continue; }
    const int sign = mbd_blocks_sign(rows, i, before, b->J, s->start->turn, s->start->piv, &min_pivot);
    before += b->nrow * b->ncol;
    if (sign >= 0 || min_pivot < singular) { continue; }
    for (int j = 0; j < b->ncol; j++) { s->start->other.open[b->col[j]] = 1; }
    apart = 1;
  }
  if (!apart) { return; }
  guesses_warn(s, "the start is closed in another way than its guesses say: a singular position lies between them");
}

/* The first output that has not its sign; -1: there is none. */
static int first_wrong(const mbd_sim *s) {
  const sim_branches *b = s->branches;
  for (int i = 0; b && i < b->n; i++) {
    if (b->sign[i] && !(b->sign[i] * value_at(s, i) > 0)) { return i; }
  }
  return -1;
}

int branches_hold(const mbd_sim *s) {
  rest(s);
  return first_wrong(s) < 0;
}

mbd_status branches_no_start(const mbd_sim *s, int attempts, mbd_error *err) {
  const int i = first_wrong(s);
  MBD_FAIL(err, MBD_NO_ASSEMBLY,
           "branch.%.150s = %s: the mechanism is assembled with %.4g there, and %d other guesses lead to no position "
           "on the stated side; expected guesses near one, or dimensions that have one",
           s->c.branch_output[i], s->c.branch_side[i], value_at(s, i), attempts);
}

void branches_from(mbd_sim *s) {
  rest(s);
  for (int i = 0; s->branches && i < s->branches->n; i++) { s->branches->from[i] = value_at(s, i); }
}

int branches_changed(const mbd_sim *s) {
  const sim_branches *b = s->branches;
  rest(s);
  for (int i = 0; b && i < b->n; i++) {
    if (b->sign[i] == 0 && b->from[i] * value_at(s, i) < 0) { return 1; }
  }
  return 0;
}

/* ---- nodes ---- */

static void keep(mbd_sim *s) {
  sim_branches *b = s->branches;
  for (int i = 0; i < b->n; i++) { b->value[i] = value_at(s, i), b->rate[i] = rate_at(s, i); }
}

mbd_status branches_begin(mbd_sim *s, mbd_error *err) {
  if (!s->branches || s->analysis->closes) { return MBD_OK; }
  if (first_wrong(s) >= 0) { return branches_no_start(s, 0, err); } /* what follows the assembly has moved it */
  keep(s);
  return MBD_OK;
}

mbd_status branches_watch(mbd_sim *s, mbd_error *err) {
  const sim_branches *b = s->branches;
  if (!b || s->analysis->closes) { return MBD_OK; }
  for (int i = 0; i < b->n; i++) {
    const double y = value_at(s, i), before = b->value[i], end = mbd_first(s->t);
    const double ahead = before + s->h * b->rate[i], back = y - s->h * rate_at(s, i);
    if (b->sign[i] && !(b->sign[i] * y > 0)) {
      MBD_FAIL(err, MBD_SINGULAR,
               "branch.%.150s = %s: at t = %.6g s the mechanism passes a singular position and goes on to the other "
               "side, from %.4g to %.4g in this step; expected a motion that ends or turns before it, or "
               "branch.%.150s = changes",
               s->c.branch_output[i], s->c.branch_side[i], end - s->h * y / (y - before), before, y,
               s->c.branch_output[i]);
    }
    if (!b->sign[i] && before * y > 0 && before * ahead < 0 && y * back < 0) {
      MBD_FAIL(err, MBD_SINGULAR,
               "branch.%.150s = changes: before t = %.6g s the mechanism comes to a singular position and turns to the "
               "branch on which the sign stays, with %.4g and %.4g at both ends of the step; expected smaller steps, "
               "or branch.%.150s = %s",
               s->c.branch_output[i], end, before, y, s->c.branch_output[i], words[y > 0 ? POSITIVE : NEGATIVE]);
    }
  }
  keep(s);
  return MBD_OK;
}
