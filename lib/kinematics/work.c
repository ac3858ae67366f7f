#include "kinematics/work.h"

#include <stdlib.h>

#include "kinematics/pull.h"

static void work_layout(mbd_work *w, const mbd_model *m, int second, mbd_arena *a) {
  size_t nb = (size_t)m->nb, nz = (size_t)m->nz, wide = 3 * (size_t)MBD_ARG_MAX * (nz + 1);
  w->body = mbd_arena_take(a, nb * sizeof *w->body);
  w->col = mbd_arena_take(a, (nz + 1) * sizeof *w->col);
  w->mark = mbd_arena_take(a, ((size_t)m->nmarker + 1) * sizeof *w->mark);
  w->comp = mbd_arena_take(a, nb * sizeof *w->comp);
  w->second = second ? mbd_arena_take(a, nb * (size_t)w->nlevel * sizeof *w->second) : NULL;
  w->F = mbd_arena_real(a, 6 * nb);
  w->through = mbd_arena_real(a, 6 * nb);
  w->through_lam = mbd_arena_real(a, (size_t)m->nphi + 1);
  w->beyond = mbd_arena_take(a, nb);
  w->dF = mbd_arena_take(a, nb * sizeof *w->dF);
  w->moved = mbd_arena_take(a, nb * sizeof *w->moved);
  w->still = mbd_arena_take(a, nb * sizeof *w->still);
  w->pull = mbd_arena_take(a, sizeof *w->pull);
  mbd_pull unplaced = {0};
  pull_layout(a->base ? w->pull : &unplaced, m, a);
  MBD_ARENA_REALS(a, nz, &w->z, &w->zd, &w->zdd);
  w->row = mbd_arena_real(a, 3 * nz + (size_t)m->nphi + 1);
  MBD_ARENA_REALS(a, wide, &w->dx, &w->dxd, &w->dxdd, &w->dxdd_zd);
}

mbd_status mbd_work_create(const mbd_model *m, mbd_reference reference, mbd_work **out, mbd_error *err) {
  return work_create(m, reference, 1, out, err);
}

mbd_status work_create(const mbd_model *m, mbd_reference reference, int second, mbd_work **out, mbd_error *err) {
  mbd_work *w = calloc(1, sizeof *w);
  *out = NULL;
  if (!w) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a workspace"); }
  w->model = m;
  w->reference = reference;
  w->nmarker = m->nmarker;
  for (int i = 0; i < m->nb; i++) { w->nlevel = m->body[i].level > w->nlevel ? m->body[i].level : w->nlevel; }
  while (mbd_arena_pass(&w->arena)) { work_layout(w, m, second, &w->arena); }
  const mbd_status status = mbd_arena_check(&w->arena, "a workspace", err);
  if (status != MBD_OK) { free(w); }
  *out = status == MBD_OK ? w : NULL;
  return status;
}

void mbd_work_destroy(mbd_work *w) {
  if (!w) { return; }
  free(w->arena.base);
  free(w);
}
