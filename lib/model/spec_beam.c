/* Beams in a description: their bodies and what does not depend on the design. Equations: theory.md §12. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/sized.h"
#include "model/spec_internal.h"

void mbd_beam_desc_init_sized(mbd_beam_desc *d, size_t size) {
  const mbd_beam_desc ours = {.stiffening = 1, .rotary_inertia = 1, .nstation = 1, .coef = -1, .zero = -1};
  sized_write(d, size, &ours, sizeof ours);
}

static const char *section_name(int i) {
  const mbd_beam_section *section = mbd_beam_section_at(i);
  return section ? section->name : NULL;
}

/* Shapes of all kinds, one kind after the other. */
static mbd_status list_shapes(const mbd_beam_desc *d, const char *where, beam_layout *layout, mbd_error *err) {
  for (int kind = 0; kind < MBD_BEAM_KINDS; kind++) {
    for (int j = 1; j <= d->shapes[kind]; j++) {
      if (layout->n == MBD_BEAM_SHAPE_MAX) {
        MBD_FAIL(err, MBD_BAD_INPUT, "%s: more than %d shapes in all; expected fewer, as 3, 3, 1", where,
                 MBD_BEAM_SHAPE_MAX);
      }
      layout->kind[layout->n] = kind, layout->degree[layout->n++] = j;
    }
  }
  if (layout->n == 0) { MBD_FAIL(err, MBD_BAD_INPUT, "%s has no shapes, expected at least one", where); }
  return MBD_OK;
}

/* Points of Gauss in each piece between two stations. Two more than the largest degree of strains integrate the mass matrix of a constant
 * section exactly, and one more leaves some for the change of the section. */
static mbd_status list_points(const mbd_beam_desc *d, const char *where, beam_layout *layout, mbd_error *err) {
  const int pieces = d->nstation > 1 ? d->nstation - 1 : 1;
  double x[GAUSS_MAX], w[GAUSS_MAX];
  int n = d->points, max = 0;
  for (int k = 0; k < layout->n; k++) { max = layout->degree[k] > max ? layout->degree[k] : max; }
  if (n == 0) { n = pieces == 1 ? max + 3 : (max + 3) / pieces + 2; }
  if (n < 1 || n > GAUSS_MAX || n * pieces > BEAM_POINT_MAX) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: %d points of inertia in each of %d pieces, expected 1 to %d in all", where, n,
             pieces, pieces > 1 ? (int)BEAM_POINT_MAX : (int)GAUSS_MAX);
  }
  if (n * pieces < max) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "%s: %d points of inertia, which also integrate the stiffness, expected at least %d, as many as a kind has "
        "shapes",
        where, n * pieces, max);
  }
  gauss_points(n, x, w);
  for (int piece = 0; piece < pieces; piece++) {
    for (int i = 0; i < n; i++) {
      layout->point[layout->npoint] = (piece + x[i]) / pieces, layout->weight[layout->npoint++] = w[i] / pieces;
    }
  }
  return MBD_OK;
}

/* The tip, then the nodes of the user. */
static mbd_status list_nodes(const mbd_beam_desc *d, const char *where, beam_layout *layout, mbd_error *err) {
  layout->node[layout->nnode++] = 1;
  for (int k = 0; k < d->nnode; k++) {
    if (layout->nnode == BEAM_NODE_MAX) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s has %d nodes besides its tip, expected at most %d", where, d->nnode,
               BEAM_NODE_MAX - 1);
    }
    if (!(d->at[k] > 0 && d->at[k] <= 1)) {
      MBD_FAIL(
          err, MBD_BAD_INPUT,
          "%s: node '%s' is at %g, expected more than 0, the clamped end, which body '%s' has itself, and at most 1",
          where, d->node[k], d->at[k], d->name);
    }
    layout->node[layout->nnode++] = d->at[k];
  }
  return MBD_OK;
}

static mbd_status make_layout(const mbd_beam_desc *d, const char *where, beam_layout *layout, mbd_error *err) {
  *layout = (beam_layout){.stiffening = d->stiffening,
                          .rotary = d->rotary_inertia,
                          .ratio = d->damping_ratio,
                          .mirrored = d->mirrored,
                          .nstation = d->nstation};
  MBD_TRY(mbd_check_word(where, "section", d->section ? d->section : "", section_name, err));
  for (int i = 0; section_name(i); i++) {
    if (strcmp(section_name(i), d->section) == 0) { layout->section = mbd_beam_section_at(i); }
  }
  if (d->nstation < 1 || d->nstation > MBD_BEAM_STATION_MAX) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: %d stations, expected 1 to %d", where, d->nstation, MBD_BEAM_STATION_MAX);
  }
  if (layout->section->directed && !d->up) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: section %s needs `up`, the vector along its height", where,
             layout->section->name);
  }
  MBD_TRY(list_shapes(d, where, layout, err));
  /* Without rotary inertia torsion has no mass, and displacements of more than one shape of shear are those of bending. */
  if (d->damping_ratio && !d->rotary_inertia &&
      (d->shapes[BEAM_TWIST] > 0 || d->shapes[BEAM_SHEAR_UP] > 1 || d->shapes[BEAM_SHEAR_SIDE] > 1)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: damping_ratio is one of frequencies, and without rotary inertia not every shape has one; expected "
             "rotary_inertia = yes, no shapes of torsion and at most one of shear, or rayleigh in place of the ratio",
             where);
  }
  MBD_TRY(list_points(d, where, layout, err));
  return list_nodes(d, where, layout, err);
}

/* The name of body k of a flexible body, in new memory: its own, then of its nodes, of a beam first that of its tip, then of its points. */
static char *body_name(const spec_beam *b, const char *const *node, int k) {
  if (k == 0) { return mbd_strdup(b->name); }
  if (k > b->layout.nnode) { return mbd_sprintf_dup("%s.point%d", b->name, k - b->layout.nnode); }
  const int tip = !b->shape;
  return mbd_sprintf_dup("%s.%s", b->name, tip && k == 1 ? "tip" : node[k - 1 - tip]);
}

/* Adds the body itself and those of its nodes, without mass. The model sets the numbers of points of inertia. */
static mbd_status add_bodies(mbd_spec *s, const char *const *node, spec_beam *b, mbd_error *err) {
  const int n = 1 + b->layout.nnode + b->layout.npoint;
  /* All names are looked at before the first body is added. */
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < n; k++) {
      char *name = body_name(b, node, k);
      if (!name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for beam '%s'", b->name); }
      mbd_status status = MBD_OK;
      if (pass) {
        status = mbd_spec_body(s, name, b->zero, b->zero, b->zero, err);
      } else if (spec_find_body(s, name) >= 0) {
        status = MBD_FAILED(err, MBD_BAD_INPUT, "body '%s' is described twice: %s '%s' has one of this name", name,
                            b->shape ? "body" : "beam", b->name);
      }
      free(name);
      MBD_TRY(status);
      if (pass && k > 0) { s->body[s->nbody - 1].node = 1; }
    }
  }
  b->body = s->nbody - n;
  return MBD_OK;
}

mbd_status mbd_spec_beam_sized(mbd_spec *s, const mbd_beam_desc *theirs, size_t size, mbd_error *err) {
  mbd_beam_desc d;
  char where[160];
  SIZED_READ(&d, theirs, size, "mbd_beam_desc", err);
  snprintf(where, sizeof where, "beam '%s'", d.name);
  spec_beam b = {.coef = d.coef, .zero = d.zero};
  MBD_TRY(make_layout(&d, where, &b.layout, err));
  spec_beam *list = mbd_list_grow(s->beam, s->nbeam, sizeof *list);
  if (list) { s->beam = list; }
  b.name = mbd_strdup(d.name), b.from = mbd_strdup(d.from), b.to = mbd_strdup(d.to), b.up = mbd_strdup(d.up);
  mbd_status status = list && b.name && b.from && b.to && (b.up || !d.up)
                          ? add_bodies(s, d.node, &b, err)
                          : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for %s", where);
  if (status != MBD_OK) {
    spec_beam_free(&b);
    return status;
  }
  s->beam[s->nbeam++] = b;
  return MBD_OK;
}

/* ---- by data from outside ---- */

static mbd_status copy_modal(const mbd_modal_desc *d, spec_beam *b, mbd_error *err) {
  const int places = d->nnode + d->npoint, size = modal_size(d->n), given = size - MODAL_SHAPES;
  b->name = mbd_strdup(d->name);
  b->shape = calloc((size_t)d->n, sizeof *b->shape);
  b->own = calloc((size_t)(places * size) + 1, sizeof *b->own);
  int complete = b->name && b->shape && b->own;
  for (int k = 0; complete && k < d->n; k++) { complete = (b->shape[k] = mbd_strdup(d->shape[k])) != NULL; }
  if (!complete) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for body '%s'", d->name); }
  for (int i = 0; i < places; i++) {
    double *own = b->own + i * size;
    own[MODAL_COUNT] = d->n, own[MODAL_SCALE] = 1;
    memcpy(own + MODAL_SHAPES, d->shapes + i * given, (size_t)given * sizeof *own);
  }
  return MBD_OK;
}

mbd_status mbd_spec_modal_sized(mbd_spec *s, const mbd_modal_desc *theirs, size_t size, mbd_error *err) {
  mbd_modal_desc d;
  SIZED_READ(&d, theirs, size, "mbd_modal_desc", err);
  const struct {
    const char *what;
    int n, max;
  } counts[] = {
      {"shapes", d.n, MBD_BEAM_SHAPE_MAX}, {"nodes", d.nnode, BEAM_NODE_MAX}, {"points", d.npoint, BEAM_POINT_MAX}};
  for (int k = 0; k < 3; k++) {
    if (counts[k].n < 1 || counts[k].n > counts[k].max) {
      MBD_FAIL(err, MBD_BAD_INPUT, "body '%s': %d %s, expected 1 to %d", d.name, counts[k].n, counts[k].what,
               counts[k].max);
    }
  }
  spec_beam b = {.coef = d.coef, .zero = d.zero, .place = d.place, .axis = d.axis};
  b.layout = (beam_layout){.data = 1, .n = d.n, .nnode = d.nnode, .npoint = d.npoint, .stiffening = 1};
  for (int k = 0; k < d.n; k++) { b.layout.kind[k] = BEAM_OUTSIDE; }
  spec_beam *list = mbd_list_grow(s->beam, s->nbeam, sizeof *list);
  if (!list) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for body '%s'", d.name); }
  s->beam = list;
  mbd_status status = copy_modal(&d, &b, err);
  if (status == MBD_OK) { status = add_bodies(s, d.node, &b, err); }
  if (status != MBD_OK) {
    spec_beam_free(&b);
    return status;
  }
  s->beam[s->nbeam++] = b;
  return MBD_OK;
}
