/* The report on the natural model of a case at its start: its sizes, its rank, and its accelerations compared with those of joint
 * coordinates.
 * Equations: theory.md §4.1 (4.7), (4.11). */
#include "mbd/natural.h"

#include <stdlib.h>
#include <string.h>

#include "la/rank.h"
#include "natural/natural.h"
#include "simulate/analysis.h"
#include "base/sized.h"

static const double rank_tolerance = 1e-9; /* of the largest entry of Phi_q */
enum { ENTRIES_MAX = 1 << 27 };            /* the largest number of entries for whose rank memory is allocated */

typedef struct report_memory {
  natural *n;
  const char **name; /* [nbasic + nadded + nphi] */
} report_memory;

/* Numbers at the start. */
typedef struct start_values {
  mbd_real *q, *qd, *qdd, *solved; /* [nq] */
  mbd_real *phi, *Phi_q;
  int *row, *col;
  mbd_arena arena;
} start_values;

static mbd_status take_start(mbd_sim *s, const natural *n, const natural_params *v, start_values *x, mbd_error *err) {
  while (mbd_arena_pass(&x->arena)) {
    MBD_ARENA_REALS(&x->arena, (size_t)n->nq + 1, &x->q, &x->qd, &x->qdd, &x->solved);
    x->phi = mbd_arena_real(&x->arena, (size_t)n->nphi + 1);
    x->Phi_q = mbd_arena_real(&x->arena, (size_t)n->first[n->nphi] + 1);
    x->row = mbd_arena_take(&x->arena, ((size_t)n->nphi + 1) * sizeof *x->row);
    x->col = mbd_arena_take(&x->arena, ((size_t)n->nq + 1) * sizeof *x->col);
  }
  MBD_TRY(mbd_arena_check(&x->arena, "natural coordinates", err));
  motion_place(s->w, v->p, 0, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  natural_take(v, s->w, x->q, x->qd, x->qdd);
  natural_phi(v, 0, x->q, x->phi, x->Phi_q);
  return MBD_OK;
}

/* The rank of Phi_q; the memory is increased until the fill of the elimination fits. */
static mbd_status find_rank(const natural *n, start_values *x, int *rank, mbd_error *err) {
  const size_t entries = (size_t)n->first[n->nphi] + 1;
  const double smallest = rank_tolerance * mbd_norm_inf((int)entries, x->Phi_q);
  const mbd_packed J = {n->first, n->col, x->Phi_q, NULL};
  *rank = -1;
  for (size_t times = 1; *rank < 0; times *= 4) {
    if (times * entries > ENTRIES_MAX) { MBD_FAIL(err, MBD_NO_MEMORY, "natural coordinates fill too much memory"); }
    mbd_rank_memory memory;
    mbd_arena a = {0};
    while (mbd_arena_pass(&a)) {
      mbd_rank_layout(&memory, (size_t)n->nphi + 1, (size_t)n->nq + 1, times * entries, &a);
    }
    MBD_TRY(mbd_arena_check(&a, "the rank of natural coordinates", err));
    *rank = mbd_rank_packed(&memory, n->nphi, n->nq, &J, smallest, MBD_RANK_BOTH, x->row, x->col);
    free(a.base);
  }
  return MBD_OK;
}

/* Overwrites x->phi with multipliers. */
static mbd_status compare(const mbd_sim *s, const natural_params *v, start_values *x, double *difference,
                          mbd_error *err) {
  const int n = v->n->nq;
  *difference = NAN;
  if (!analysis_integrates(s->analysis)) { return MBD_OK; }
  const mbd_status status = natural_accelerations(v, 0, x->q, x->qd, x->solved, x->phi, err);
  if (status < 0) { return status; }
  if (status > 0) {
    *difference = INFINITY;
    return MBD_OK;
  }
  const double size =
      fmax(1, mbd_norm_inf(n, x->qdd)); /* in a steady motion the difference is that of forces that cancel */
  for (int i = 0; i < n; i++) { x->solved[i] -= x->qdd[i]; }
  *difference = mbd_norm_inf(n, x->solved) / size;
  return MBD_OK;
}

/* Lists the points, or the vectors, that move. Returns how many. */
static int list_basics(const natural *n, int is_point, const char **name) {
  int count = 0;
  for (int i = 0; i < n->nbasic; i++) {
    if (n->basic[i].q >= 0 && n->basic[i].is_point == is_point) { name[count++] = n->basic[i].name; }
  }
  return count;
}

static void fill(const natural *n, const int *row, const char **name, mbd_natural_report *r) {
  r->nvariable = n->nq - n->m->nstate, r->nphi = n->nphi;
  r->point = name;
  r->npoint = list_basics(n, 1, r->point);
  r->vector = r->point + r->npoint;
  r->nvector = list_basics(n, 0, r->vector);
  r->coordinate = r->vector + r->nvector;
  r->ncoordinate = n->nadded - n->m->nstate; /* states are the last of them */
  for (int i = 0; i < r->ncoordinate; i++) {
    r->coordinate[i] = n->m->z_name[n->added[i]];
    r->nangle += strcmp(n->m->z_unit[n->added[i]], "rad") == 0;
  }
  r->redundant = r->coordinate + r->ncoordinate;
  r->nredundant = n->nphi - r->rank;
  for (int i = 0; i < r->nredundant; i++) { r->redundant[i] = n->phi_name[row[r->rank + i]]; }
}

static mbd_status report(mbd_sim *s, const mbd_params *p, report_memory *memory, mbd_natural_report *r,
                         mbd_error *err) {
  natural_params *v;
  start_values x = {0};
  MBD_TRY(natural_create(s->m, &memory->n, err));
  memory->name = calloc((size_t)(memory->n->nbasic + memory->n->nadded + memory->n->nphi) + 1, sizeof *memory->name);
  if (!memory->name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for names of natural coordinates"); }
  MBD_TRY(natural_params_create(memory->n, p, &v, err));
  mbd_status status = take_start(s, memory->n, v, &x, err);
  if (status == MBD_OK) { status = find_rank(memory->n, &x, &r->rank, err); }
  if (status == MBD_OK) { status = compare(s, v, &x, &r->difference, err); }
  if (status == MBD_OK) { fill(memory->n, x.row, memory->name, r); }
  free(x.arena.base);
  natural_params_destroy(v);
  return status;
}

mbd_status mbd_sim_natural_sized(mbd_sim *s, const mbd_params *p, mbd_natural_report *out, size_t size,
                                 mbd_error *err) {
  report_memory *memory = calloc(1, sizeof *memory);
  mbd_natural_report ours = {.own = memory};
  const mbd_status status =
      memory ? report(s, p, memory, &ours, err) : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for natural coordinates");
  if (status != MBD_OK) { mbd_natural_report_free(&ours); }
  sized_write(out, size, &ours, sizeof ours);
  return status;
}

void mbd_natural_report_free_sized(mbd_natural_report *r, size_t size) {
  mbd_natural_report ours;
  (void)sized_read(&ours, sizeof ours, r, size);
  report_memory *memory = ours.own;
  if (memory) {
    natural_destroy(memory->n);
    free(memory->name), free(memory);
  }
  memset(r, 0, size);
}
