/* The terms of objectives: checks, memory, and which of them are evaluated at nodes and which after the run.
 * Equations: theory.md §6 (6.1), (6.2). */
#include "objective/objectives.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

/* MBD_BAD_INPUT where terms of one smooth maximum differ in form, weight or sharpness. */
static mbd_status check_terms(const sim_objectives *q, mbd_error *err) {
  for (int i = 0; i < q->nterm; i++) {
    const mbd_term *term = &q->term[i];
    const int is_peak = q->form[i]->info.is_peak;
    if (is_peak && !(term->sharpness > 0)) {
      MBD_FAIL(err, MBD_BAD_INPUT, "a peak needs a sharpness > 0, in 1/(unit of its output)");
    }
    for (int k = 0; k < i; k++) {
      const mbd_term *b = &q->term[k];
      if (term->psi != b->psi || (!is_peak && !q->form[k]->info.is_peak)) { continue; }
      if (q->form[i] != q->form[k] || term->weight != b->weight || term->sharpness != b->sharpness) {
        MBD_FAIL(err, MBD_BAD_INPUT, "the terms of one peak must have the same form, weight and sharpness");
      }
    }
  }
  return MBD_OK;
}

static mbd_status find_target(const mbd_model *m, const mbd_term *k, const mbd_curve **target, mbd_error *err) {
  mbd_nearest near = {.requested = k->target_curve};
  *target = NULL;
  if (!k->target_curve) { return MBD_OK; }
  for (int i = 0; i < m->ncurve; i++) {
    if (strcmp(m->curve[i].name, k->target_curve) == 0) { *target = &m->curve[i]; }
  }
  if (*target) { return MBD_OK; }
  for (int i = 0; i < m->ncurve; i++) { mbd_nearest_offer(&near, m->curve[i].name); }
  return mbd_not_known(NULL, "target curve", &near, err);
}

/* Requests the memory of terms, of output values with their derivatives, and of the sums of integrals and peaks. */
static void layout(sim_objectives *q, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)s->m->nz, no = (size_t)s->o->n, npsi = (size_t)s->npsi, np = (size_t)s->np_max;
  q->term = mbd_arena_take(arena, ((size_t)q->nterm + 1) * sizeof *q->term);
  q->form = mbd_arena_take(arena, ((size_t)q->nterm + 1) * sizeof *q->form);
  q->history_term = mbd_arena_take(arena, (size_t)q->nterm + 1);
  q->target = mbd_arena_take(arena, ((size_t)q->nterm + 1) * sizeof *q->target);
  q->requested = mbd_arena_take(arena, no + 1);
  q->y = mbd_arena_real(arena, no + 1);
  q->together = mbd_arena_take(arena, (no + 1) * sizeof *q->together);
  MBD_ARENA_REALS(arena, OUTPUT_ALIKE * n, &q->g_z, &q->g_zd, &q->g_zdd);
  q->g_lam = mbd_arena_real(arena, (size_t)s->m->nphi + 1);
  q->yp = mbd_arena_real(arena, no * np + 1);
  q->ep = mbd_arena_real(arena, np + 1);
  MBD_ARENA_REALS(arena, (size_t)q->nterm + 1, &q->we, &q->by_stretch);
  q->wy = mbd_arena_real(arena, no + 1);
  q->top = mbd_arena_take(arena, (no + 1) * sizeof *q->top);
  q->reach = mbd_arena_take(arena, (no * npsi + 1) * sizeof *q->reach);
  q->psi = mbd_arena_real(arena, npsi + 1);
  q->grad = mbd_arena_real(arena, npsi * np + 1);
  q->gn = mbd_arena_real(arena, npsi * np * np + 1);
  q->peak_top = mbd_arena_take(arena, (npsi + 1) * sizeof *q->peak_top);
  q->peak_sum = mbd_arena_real(arena, npsi + 1);
  q->peak_grad = mbd_arena_real(arena, npsi * np + 1);
  q->first = mbd_arena_take(arena, (SO_FAR * npsi + 1) * sizeof *q->first);
  q->last = mbd_arena_take(arena, (SO_FAR * npsi + 1) * sizeof *q->last);
  q->sum_so_far = mbd_arena_take(arena, (npsi + 1) * sizeof *q->sum_so_far);
  if (q->min_norm.shown) { min_norm_layout(&q->min_norm, s, arena); }
}

/* Which of the wanted outputs are components of one vector, whose derivatives are taken together. */
static void find_alike(const mbd_sim *s, sim_objectives *q) {
  for (int o = 0, count; o < s->o->n; o += count) {
    const int max = output_alike(s->o, o);
    count = 1;
    if (!q->requested[o]) { continue; }
    if (output_reads_reactions(&s->o->item[o])) {
      q->together[o] = -1;
      continue;
    }
    while (count < max && q->requested[o + count]) { count++; }
    q->together[o] = count;
  }
}

mbd_status objectives_create(mbd_sim *s, int nterm, const mbd_term *term, mbd_error *err) {
  sim_objectives *q = s->objectives = calloc(1, sizeof *q);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for objectives"); }
  q->nterm = nterm;
  for (int i = 0; i < s->o->n; i++) { q->min_norm.shown |= output_reads_reactions(&s->o->item[i]); }
  /* Memory for all arrays of the objectives. */
  while (mbd_arena_pass(&q->arena)) { layout(q, s, &q->arena); }
  MBD_TRY(mbd_arena_check(&q->arena, "objectives", err));
  if (nterm) { memcpy(q->term, term, (size_t)nterm * sizeof *term); }
  /* Each term has its form, its target curve and its output; the terms are checked. */
  for (int i = 0; i < nterm; i++) {
    MBD_TRY(mbd_check_word(NULL, "form", term[i].form ? term[i].form : "", mbd_form_name, err));
    q->form[i] = form_find(term[i].form);
    q->requested[term[i].output] = 1;
    q->min_norm.reads |= output_reads_reactions(&s->o->item[term[i].output]);
    MBD_TRY(find_target(s->m, &term[i], &q->target[i], err));
    MBD_TRY(history_check_term(s, &term[i], &q->form[i]->info, err));
  }
  MBD_TRY(check_terms(q, err));
  MBD_TRY(history_create(s, err));
  find_alike(s, q);
  return MBD_OK;
}

void objectives_destroy(sim_objectives *q) {
  if (!q) { return; }
  history_destroy(q->histories);
  free(q->arena.base);
  free(q);
}
