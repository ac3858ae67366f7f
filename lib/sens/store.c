/* The trajectory of a run for the adjoint of theory.md §7.2, whole or in checkpoints (store.h, plan.h). */
#include "sens/store.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "sens/plan.h"

/* The kept nodes are a stack: the plan keeps the next node to the right of the last one, and steps are visited from
 * right to left. */
typedef struct kept {
  struct kept *below; /* NULL: the start */
  int node;
  int whole; /* 1: a record; 0: a state */
  max_align_t data[];
} kept;

struct store {
  int nsteps, end; /* steps up to `end` are not visited yet */
  const store_ops *ops;
  void *user;
  plan_sizes size; /* of kept nodes, with their heads */
  kept *top;
  int next, next_whole; /* the node to be kept next, and how */
  size_t used, cap;     /* bytes of the stack */
  store_stats stats;
  max_align_t stack[];
};

static size_t kept_size(size_t bytes) {
  const size_t a = _Alignof(max_align_t);
  return sizeof(kept) + (bytes + a - 1) / a * a;
}

/* Bytes of a store that keeps the start's state and n records; SIZE_MAX if they cannot be counted. */
static size_t store_size(const plan_sizes *size, int n) {
  const size_t start = sizeof(store) + size->state;
  return size->record <= (SIZE_MAX - start) / (size_t)n ? start + (size_t)n * size->record : SIZE_MAX;
}

mbd_status store_create(int nsteps, size_t state_size, size_t record_size, size_t limit, const store_ops *ops,
                        void *user, store **out, mbd_error *err) {
  const plan_sizes size = {.state = kept_size(state_size), .record = kept_size(record_size)};
  /* The size is that of all records if the limit allows it, else the limit; at least one state and one record are
   * stored. */
  const size_t min = store_size(&size, 1), all = store_size(&size, nsteps);
  const size_t bytes = limit && limit < all ? limit : all;
  *out = NULL;
  if (bytes < min) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%zu bytes for the trajectory of %d steps, expected at least %zu; %zu bytes keep all of it", limit, nsteps,
             min, all);
  }
  store *st = bytes <= PTRDIFF_MAX ? malloc(bytes) : NULL;
  if (!st) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a trajectory: %zu bytes; %zu bytes are enough to recompute it", bytes,
             min);
  }
  *st = (store){
      .nsteps = nsteps, .ops = ops, .user = user, .size = size, .cap = bytes - sizeof *st, .stats = {.bytes = bytes}};
  *out = st;
  return MBD_OK;
}

void store_destroy(store *st) {
  free(st);
}

const store_stats *store_get_stats(const store *st) {
  return &st->stats;
}

static void pop(store *st) {
  st->used -= st->top->whole ? st->size.record : st->size.state;
  st->top = st->top->below;
}

/* Plans the next node to keep after the node on top of the stack. */
static void plan(store *st) {
  const int k = st->top->node;
  if (k == st->end) { return; }
  const plan_choice choice = plan_next(&st->size, st->end - k, st->cap - st->used);
  st->next = k + choice.steps;
  st->next_whole = choice.whole;
}

static mbd_status keep(store *st, int k, int whole, mbd_error *err) {
  kept *e = (kept *)((char *)st->stack + st->used);
  *e = (kept){.below = st->top, .node = k, .whole = whole};
  st->used += whole ? st->size.record : st->size.state;
  st->top = e;
  plan(st);
  if (whole) { return st->ops->save_record(st->user, e->data, err); }
  st->ops->save_state(st->user, e->data);
  return MBD_OK;
}

mbd_status store_put(store *st, int k, mbd_error *err) {
  if (k == 0) {
    st->end = st->nsteps;
    st->used = 0;
    st->top = NULL;
    return keep(st, 0, 0, err);
  }
  return k == st->next ? keep(st, k, st->next_whole, err) : MBD_OK;
}

/* Repeats the steps from the last kept node to the end. */
static mbd_status retake(store *st, mbd_error *err) {
  const int from = st->top->node;
  st->ops->restore(st->user, from, st->top->data);
  plan(st);
  for (int k = from + 1; k <= st->end; k++) {
    st->stats.recomputed++;
    MBD_TRY(st->ops->advance(st->user, k, err));
    MBD_TRY(store_put(st, k, err));
  }
  return MBD_OK;
}

mbd_status store_reverse(store *st, mbd_error *err) {
  assert(st->top);
  st->stats.recomputed = 0;
  st->end = st->nsteps;
  while (st->end > 0) {
    const kept *e = st->top;
    if (e->node < st->end) {
      MBD_TRY(retake(st, err));
    } else if (e->whole) {
      MBD_TRY(st->ops->visit(st->user, st->end, e->data, err));
      st->end--;
      pop(st);
    } else {
      pop(st); /* all steps right of it have been visited; its own step is repeated from the node below */
    }
  }
  st->ops->restore(st->user, 0, st->top->data);
  return MBD_OK;
}

/* ---- counting ---- */

static void count_save(void *user, void *state) {
  (void)user, (void)state;
}

static mbd_status count_save_record(void *user, void *record, mbd_error *err) {
  (void)user, (void)record, (void)err;
  return MBD_OK;
}

static void count_restore(void *user, int k, const void *state) {
  (void)user, (void)k, (void)state;
}

static mbd_status count_advance(void *user, int k, mbd_error *err) {
  (void)user, (void)k, (void)err;
  return MBD_OK;
}

static mbd_status count_visit(void *user, int k, const void *record, mbd_error *err) {
  (void)user, (void)k, (void)record, (void)err;
  return MBD_OK;
}

mbd_status store_count(int nsteps, size_t state_size, size_t record_size, size_t limit, long long *recomputed,
                       mbd_error *err) {
  static const store_ops ops = {.save_state = count_save,
                                .save_record = count_save_record,
                                .restore = count_restore,
                                .advance = count_advance,
                                .visit = count_visit};
  store *st;
  MBD_TRY(store_create(nsteps, state_size, record_size, limit, &ops, NULL, &st, err));
  mbd_status status = MBD_OK;
  for (int k = 0; k <= nsteps && status == MBD_OK; k++) { status = store_put(st, k, err); }
  if (status == MBD_OK) { status = store_reverse(st, err); }
  *recomputed = st->stats.recomputed;
  store_destroy(st);
  return status;
}
