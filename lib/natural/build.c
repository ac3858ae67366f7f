/* The natural model, made from the compiled model. Equations: theory.md §4.1 (4.6), (4.7). */
#include <stdlib.h>
#include <string.h>

#include "natural/build.h"

/* ---- rigid bodies ---- */

static mbd_status find_rigid(natural *n, mbd_error *err) {
  const mbd_model *m = n->m;
  n->rigid = calloc((size_t)m->nb, sizeof *n->rigid);
  n->rigid_of = calloc((size_t)m->nb, sizeof *n->rigid_of);
  if (!n->rigid || !n->rigid_of) { NATURAL_NO_MEMORY(err); }
  n->nrigid = 1;
  for (int i = 1; i < m->nb; i++) {
    const int welded = m->joint[m->body[i].joint].ops->nz == 0;
    n->rigid_of[i] = welded ? n->rigid_of[m->body[i].parent] : n->nrigid++;
    if (!welded) { n->rigid[n->rigid_of[i]].body = i; }
  }
  return MBD_OK;
}

static mbd_status ground_basis(natural *n, mbd_error *err) {
  static const char *const name[4] = {"origin", "x", "y", "z"};
  for (int i = 0; i < 4; i++) {
    const mbd_marker point = {.is_point = 1, .source = MBD_MARKER_COEF, .coef = -1};
    const mbd_marker axis = {.source = MBD_MARKER_BODY_AXIS, .coef = -1, .axis = i - 1};
    int number = 0;
    MBD_TRY(natural_add_basic(n, mbd_sprintf_dup("%s.%s", n->m->body[0].name, name[i]), i == 0, &number, err));
    MBD_TRY(natural_add_on(n, 0, number, (natural_local){i == 0 ? point : axis, 1, 0}, err));
    n->rigid[0].basis[i] = i;
  }
  return MBD_OK;
}

/* Points, then vectors; added coordinates come behind them. */
static void number_variables(natural *n) {
  for (int is_point = 1; is_point >= 0; is_point--) {
    for (int i = 0; i < n->nbasic; i++) {
      if (n->basic[i].is_point != is_point) { continue; }
      n->basic[i].q = n->basic[i].rigid == 0 ? -1 : n->nq;
      if (n->basic[i].rigid != 0) { n->nq += 3; }
    }
  }
}

static mbd_status build(natural_builder *b, mbd_error *err) {
  natural *n = b->n;
  const mbd_model *m = n->m;
  b->on_body = malloc((size_t)m->nb * sizeof *b->on_body);
  b->stamp = calloc((size_t)m->nb, sizeof *b->stamp);
  b->common = calloc((size_t)m->njoint + 1, 1);
  n->q_of = malloc(((size_t)m->nz + 1) * sizeof *n->q_of);
  n->added = calloc((size_t)m->nz + 1, sizeof *n->added);
  if (!b->on_body || !b->stamp || !b->common || !n->q_of || !n->added) { NATURAL_NO_MEMORY(err); }
  memset(b->on_body, -1, (size_t)m->nb * sizeof *b->on_body);
  memset(n->q_of, -1, ((size_t)m->nz + 1) * sizeof *n->q_of);
  MBD_TRY(ground_basis(n, err));
  MBD_TRY(sharing_find(b, err));
  MBD_TRY(basis_choose(b, err));
  number_variables(n);
  MBD_TRY(equations_list(b, err));
  return pattern_find(n, err);
}

static mbd_status build_at(natural_builder *b, const mbd_params *p, mbd_error *err) {
  b->nominal = (natural_params){.n = b->n, .p = p, .offset = calloc(3 * (size_t)b->n->m->nb, sizeof(mbd_real))};
  if (!b->nominal.offset) { NATURAL_NO_MEMORY(err); }
  natural_offsets(&b->nominal);
  return build(b, err);
}

mbd_status natural_create(const mbd_model *m, natural **out, mbd_error *err) {
  natural_builder b = {.n = calloc(1, sizeof *b.n)};
  mbd_params *p = NULL;
  *out = NULL;
  if (!b.n) { NATURAL_NO_MEMORY(err); }
  if (m->nbeam) {
    free(b.n);
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "coordinates = natural: beam '%s' bends, and points of a body have to be constant in its basis there; "
             "expected coordinates = joint",
             m->beam[0].name);
  }
  b.n->m = m;
  mbd_status status = mbd_params_create(m, NULL, &p, err);
  if (status == MBD_OK) { status = find_rigid(b.n, err); }
  if (status == MBD_OK) { status = build_at(&b, p, err); }
  mbd_params_destroy(p);
  free(b.nominal.offset), free(b.node), free(b.on_body), free(b.stamp), free(b.common);
  if (status != MBD_OK) { natural_destroy(b.n); }
  *out = status == MBD_OK ? b.n : NULL;
  return status;
}

void natural_destroy(natural *n) {
  if (!n) { return; }
  for (int i = 0; i < n->nrigid; i++) { free(n->rigid[i].basic), free(n->rigid[i].local); }
  for (int i = 0; i < n->nbasic; i++) { free(n->basic[i].name); }
  for (int i = 0; i < n->nelement; i++) { free(n->element[i].name); }
  for (int i = 0; n->phi_name && i < n->nphi; i++) { free(n->phi_name[i]); }
  free(n->rigid), free(n->rigid_of), free(n->basic), free(n->place), free(n->added), free(n->q_of);
  free(n->element), free(n->phi_name), free(n->first), free(n->col), free(n->slot);
  free(n);
}
