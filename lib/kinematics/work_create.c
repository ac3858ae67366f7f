/* The memory of a work, and the choice of its reference points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinematics/reverse.h"
#include "kinematics/sweep.h"

/* Memory for matrices of derivatives, and for their products with several directions. */
static void matrices_layout(mbd_work *w, const mbd_model *m, mbd_arena *a) {
  const size_t nb = (size_t)m->nb, nz = (size_t)m->nz, longest = (size_t)w->formed.chain.longest,
               blocks = (longest + LANES - 1) / LANES;
  w->formed.chain.z = mbd_arena_take(a, longest * sizeof *w->formed.chain.z);
  w->formed.chain.row = mbd_arena_take(a, longest * sizeof *w->formed.chain.row);
  w->formed.chain.col = mbd_arena_take(a, longest * sizeof *w->formed.chain.col);
  w->formed.chain.block = mbd_arena_take(a, blocks * sizeof *w->formed.chain.block);
  w->formed.shape = mbd_arena_take(a, nz * sizeof *w->formed.shape);
  w->formed.pair = mbd_arena_take(a, blocks * sizeof *w->formed.pair);
  w->second.state = mbd_arena_take(a, nb * (size_t)w->second.nlevel * sizeof *w->second.state);
  w->forces.slopes = mbd_arena_take(a, nb * sizeof *w->forces.slopes);
  w->forces.on_args = mbd_arena_take(a, ((size_t)m->nforce + 1) * sizeof *w->forces.on_args);
  w->several.dz = mbd_arena_take(a, nz * sizeof *w->several.dz);
  w->several.dzd = mbd_arena_take(a, nz * sizeof *w->several.dzd);
  w->several.dr = mbd_arena_take(a, nz * sizeof *w->several.dr);
  w->several.body = mbd_arena_take(a, nb * sizeof *w->several.body);
}

/* Requests the memory of a work: states of bodies, columns and markers, wrenches, directions and the reverse sweep, and scratch. */
static void work_layout(mbd_work *w, const mbd_model *m, int matrices, mbd_arena *a) {
  size_t nb = (size_t)m->nb, nz = (size_t)m->nz, wide = 3 * (size_t)model_arg_max(m) * (nz + 1);
  /* States of bodies, columns and markers. */
  w->body = mbd_arena_take(a, nb * sizeof *w->body);
  w->col = mbd_arena_take(a, ((size_t)m->ncol + 1) * sizeof *w->col);
  if (matrices) { matrices_layout(w, m, a); }
  w->mark = mbd_arena_take(a, ((size_t)m->nmarker + 1) * sizeof *w->mark);
  w->swept.marker = mbd_arena_take(a, ((size_t)m->nmarker + 1) * sizeof *w->swept.marker);
  w->swept.is = mbd_arena_take(a, (size_t)m->nmarker + 1);
  /* Sums over bodies: composites, wrenches, and their changes along directions. */
  w->comp = mbd_arena_take(a, nb * sizeof *w->comp);
  w->F = mbd_arena_real(a, 6 * nb);
  w->section.wrench = mbd_arena_real(a, 6 * nb);
  w->section.lam = mbd_arena_real(a, (size_t)m->nphi + 1);
  w->section.beyond = mbd_arena_take(a, nb);
  w->variation.dF = mbd_arena_take(a, nb * sizeof *w->variation.dF);
  w->variation.moved = mbd_arena_take(a, nb * sizeof *w->variation.moved);
  w->variation.still = mbd_arena_take(a, nb * sizeof *w->variation.still);
  w->reverse = mbd_arena_take(a, sizeof *w->reverse);
  /* The reverse sweep, which has no memory of its own while the arena only counts. */
  mbd_reverse unplaced = {0};
  reverse_layout(a->base ? w->reverse : &unplaced, m, a);
  /* Coordinates and their rates, and scratch for one output and for one element. */
  MBD_ARENA_REALS(a, nz, &w->z, &w->zd, &w->zdd);
  w->row = mbd_arena_real(a, 5 * nz + 4 * (size_t)m->nphi + 1);
  MBD_ARENA_REALS(a, wide, &w->element.dx, &w->element.dxd, &w->element.dxdd, &w->element.dxdd_zd);
}

mbd_status mbd_work_create(const mbd_model *m, mbd_reference reference, mbd_work **out, mbd_error *err) {
  return work_create(m, reference, 1, out, err);
}

void work_choose_reference(mbd_work *w, const mbd_params *p) {
  static const double far = 100;
  const mbd_model *m = w->model;
  const mbd_real *first = NULL;
  double away = 0, size = 0; /* squares */
  if (!w->open) { return; }
  w->p = p, w->reference = MBD_RTDYN1;
  memset(w->zd, 0, (size_t)m->nz * sizeof *w->zd);
  sweep_position(w, w->zd);
  sweep_light(w);
  /* The extent of the bodies: distances of their centres of mass, and radii of gyration. */
  for (int i = 1; i < m->nb; i++) {
    const mbd_real *J = p->theta + m->body[i].inertia, *g = w->body[i].g;
    const mbd_value mass = mbd_re(p->theta[m->body[i].mass]);
    mbd_real s[3];
    if (!mbd_if(mass > 0)) { continue; }
    first = first ? first : g;
    v3_sub(s, g, first);
    size = fmax(size, fmax(mbd_largest(v3_dot(s, s)), mbd_largest(mbd_re(J[0] + J[1] + J[2]) / (2 * mass))));
    away = fmax(away, mbd_largest(v3_dot(g, g)));
  }
  if (away > far * far * size) { w->reference = MBD_RTDYN0; }
}

/* Makes a work; matrices: with the memory of matrices in sweeps. The longest chain and the depth of the tree size its lists. */
mbd_status work_create(const mbd_model *m, mbd_reference reference, int matrices, mbd_work **out, mbd_error *err) {
  mbd_work *w = calloc(1, sizeof *w);
  *out = NULL;
  if (!w) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a workspace"); }
  w->model = m;
  w->open = reference == MBD_RTDYN_AUTO;
  w->reference = w->open ? MBD_RTDYN1 : reference;
  /* The depth of the tree, and the largest number of coordinates that move one body. */
  for (int i = 0; i < m->nb; i++) {
    const mbd_body *body = &m->body[i];
    w->second.nlevel = body->level > w->second.nlevel ? body->level : w->second.nlevel;
    w->formed.chain.longest =
        body->before + body->nz > w->formed.chain.longest ? body->before + body->nz : w->formed.chain.longest;
  }
  /* The memory; until it is decided otherwise, sweeps place all markers. */
  while (mbd_arena_pass(&w->arena)) { work_layout(w, m, matrices, &w->arena); }
  const mbd_status status = mbd_arena_check(&w->arena, "a workspace", err);
  if (status != MBD_OK) {
    free(w);
    return status;
  }
  work_sweep_all_markers(w);
  *out = w;
  return MBD_OK;
}

void mbd_work_destroy(mbd_work *w) {
  if (!w) { return; }
  free(w->arena.base);
  free(w);
}
