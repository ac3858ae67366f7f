/* The terms of objectives: checks, memory, and which of them are evaluated at nodes and which after the run.
 * Equations: theory.md §6 (6.1), (6.2). */
#include "objective/node_states.h"
#include "objective/objectives.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

/* MBD_BAD_INPUT where terms of one smooth maximum differ in form, weight or sharpness. */
static mbd_status check_terms(const sim_objectives *objectives, mbd_error *err) {
  for (int i = 0; i < objectives->nterm; i++) {
    const mbd_term *term = &objectives->term[i];
    const int is_peak = objectives->form[i]->info.is_peak;
    if (is_peak && !(term->sharpness > 0)) {
      MBD_FAIL(err, MBD_BAD_INPUT, "a peak needs a sharpness > 0, in 1/(unit of its output)");
    }
    for (int k = 0; k < i; k++) {
      const mbd_term *b = &objectives->term[k];
      if (term->psi != b->psi || (!is_peak && !objectives->form[k]->info.is_peak)) { continue; }
      if (objectives->form[i] != objectives->form[k] || term->weight != b->weight || term->sharpness != b->sharpness) {
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
  const int known = mbd_names_find(&m->curve_names, k->target_curve);
  if (known >= 0) {
    *target = &m->curve[known];
    return MBD_OK;
  }
  for (int i = 0; i < m->ncurve; i++) { mbd_nearest_offer(&near, m->curve[i].name); }
  return mbd_not_known(NULL, "target curve", &near, err);
}

static int reads_step(const mbd_sim *s) {
  int reads = 0;
  for (int o = 0; o < s->o->n; o++) { reads |= output_reads_step(&s->o->item[o]); }
  return reads;
}

/* Requests the memory of terms, of output values with their derivatives, and of the sums of integrals and peaks. */
static void layout(sim_objectives *objectives, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)s->m->nz, no = (size_t)s->o->n, npsi = (size_t)s->npsi, np = (size_t)s->np_max;
  /* The terms, with their forms and target curves. */
  objectives->term = mbd_arena_take(arena, ((size_t)objectives->nterm + 1) * sizeof *objectives->term);
  objectives->form = mbd_arena_take(arena, ((size_t)objectives->nterm + 1) * sizeof *objectives->form);
  objectives->history_term = mbd_arena_take(arena, (size_t)objectives->nterm + 1);
  objectives->node_term = mbd_arena_take(arena, ((size_t)objectives->nterm + 1) * sizeof *objectives->node_term);
  objectives->target = mbd_arena_take(arena, ((size_t)objectives->nterm + 1) * sizeof *objectives->target);
  /* Outputs: values, rows of derivatives by the state, and derivatives along directions. */
  objectives->requested = mbd_arena_take(arena, no + 1);
  objectives->unseen = mbd_arena_take(arena, no + 1);
  objectives->y = mbd_arena_real(arena, no + 1);
  objectives->together = mbd_arena_take(arena, (no + 1) * sizeof *objectives->together);
  MBD_ARENA_REALS(arena, OUTPUT_ALIKE * n, &objectives->g_z, &objectives->g_zd, &objectives->g_zdd);
  objectives->g_lam = mbd_arena_real(arena, (size_t)output_lam_max(s->m) + 1);
  objectives->lam = reads_step(s) ? mbd_arena_real(arena, (size_t)output_lam_max(s->m) + 1) : NULL;
  objectives->yp = mbd_arena_real(arena, no * np + 1);
  objectives->ep = mbd_arena_real(arena, np + 1);
  /* The adjoint pass: derivatives by s of the terms and by the outputs, and sizes of the outputs over the run. */
  MBD_ARENA_REALS(arena, (size_t)objectives->nterm + 1, &objectives->we, &objectives->by_stretch);
  objectives->wy = mbd_arena_real(arena, no + 1);
  objectives->top = mbd_arena_take(arena, (no + 1) * sizeof *objectives->top);
  objectives->reach = mbd_arena_take(arena, (no * npsi + 1) * sizeof *objectives->reach);
  /* Sums over the nodes: objectives with gradients and Gauss-Newton matrices, and those of smooth maxima. */
  objectives->psi = mbd_arena_real(arena, npsi + 1);
  objectives->grad = mbd_arena_real(arena, npsi * np + 1);
  objectives->gn = mbd_arena_real(arena, npsi * np * np + 1);
  objectives->peak_top = mbd_arena_take(arena, (npsi + 1) * sizeof *objectives->peak_top);
  objectives->peak_sum = mbd_arena_real(arena, npsi + 1);
  objectives->peak_grad = mbd_arena_real(arena, npsi * np + 1);
  /* Integrals up to the current node, for runs with an observer. */
  objectives->first = mbd_arena_take(arena, (SO_FAR * npsi + 1) * sizeof *objectives->first);
  objectives->last = mbd_arena_take(arena, (SO_FAR * npsi + 1) * sizeof *objectives->last);
  objectives->sum_so_far = mbd_arena_take(arena, (npsi + 1) * sizeof *objectives->sum_so_far);
  if (objectives->min_norm.shown) { min_norm_layout(&objectives->min_norm, s, arena); }
}

/* Which of the wanted outputs are components of one vector, whose derivatives are taken together. */
static void find_alike(const mbd_sim *s, sim_objectives *objectives) {
  for (int o = 0, count; o < s->o->n; o += count) {
    const int max = output_alike(s->o, o);
    count = 1;
    if (!objectives->requested[o]) { continue; }
    if (output_reads_reactions(&s->o->item[o]) || output_reads_step(&s->o->item[o])) {
      objectives->together[o] = -1;
      continue;
    }
    while (count < max && objectives->requested[o + count]) { count++; }
    objectives->together[o] = count;
  }
}

/* 1: the output of the term, one that begins or ends its window, or one in the place of its time reads reactions. */
static int reads_reactions(const mbd_sim *s, const mbd_term *k) {
  const mbd_moment *moment[] = {&k->from, &k->until, &k->at};
  int reads = output_reads_reactions(&s->o->item[k->output]);
  for (int i = 0; i < 3; i++) {
    if (moment[i]->kind >= MBD_MOMENT_CROSSES) { reads |= output_reads_reactions(&s->o->item[moment[i]->output]); }
  }
  return reads || (k->over > 0 && output_reads_reactions(&s->o->item[k->over - 1]));
}

mbd_status objectives_create(mbd_sim *s, int nterm, const mbd_term *term, mbd_error *err) {
  sim_objectives *objectives = s->objectives = calloc(1, sizeof *objectives);
  if (!objectives) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for objectives"); }
  objectives->nterm = nterm;
  objectives->min_norm.shown = objectives->min_norm.reads = node_states_read_reactions(s->m);
  MBD_TRY(step_terms_check(s, err));
  for (int i = 0; i < s->o->n; i++) { objectives->min_norm.shown |= output_reads_reactions(&s->o->item[i]); }
  /* Memory for all arrays of the objectives. */
  while (mbd_arena_pass(&objectives->arena)) { layout(objectives, s, &objectives->arena); }
  MBD_TRY(mbd_arena_check(&objectives->arena, "objectives", err));
  if (nterm) { memcpy(objectives->term, term, (size_t)nterm * sizeof *term); }
  /* Each term has its form, its target curve and its output; the terms are checked. */
  for (int i = 0; i < nterm; i++) {
    MBD_TRY(mbd_check_word(NULL, "form", term[i].form ? term[i].form : "", mbd_form_name, err));
    objectives->form[i] = form_find(term[i].form);
    objectives->requested[term[i].output] = 1;
    MBD_TRY(find_target(s->m, &term[i], &objectives->target[i], err));
    MBD_TRY(history_check_term(s, &term[i], &objectives->form[i]->info, err));
    objectives->min_norm.reads |= reads_reactions(s, &term[i]);
  }
  MBD_TRY(check_terms(objectives, err));
  MBD_TRY(history_create(s, err));
  MBD_TRY(true_values_create(s, err));
  find_alike(s, objectives);
  return MBD_OK;
}

void objectives_destroy(sim_objectives *objectives) {
  if (!objectives) { return; }
  history_destroy(objectives->histories);
  true_values_destroy(objectives->true_values);
  free(objectives->arena.base);
  free(objectives);
}
