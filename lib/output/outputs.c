/* Lists of outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/state.h"
#include "output/derived.h"
#include "output/mobility.h"
#include "output/names.h"

mbd_status mbd_outputs_create(const mbd_model *m, mbd_outputs **out, mbd_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  (*out)->model = m;
  (*out)->nturn = m->nturn;
  (*out)->nwatched = (*out)->ncopied = -1;
  return MBD_OK;
}

void derived_free(output_formula *f) {
  if (!f) { return; }
  mbd_outputs_destroy(f->input);
  free(f->value.op), free(f->leaf), free(f);
}

void outputs_drop_last(mbd_outputs *o) {
  output *item = &o->item[--o->n];
  free(item->name);
  lift_destroy(&item->lift);
  derived_free(item->formula);
  mobility_destroy(item->mobility);
}

void mbd_outputs_destroy(mbd_outputs *o) {
  if (!o) { return; }
  while (o->n > 0) { outputs_drop_last(o); }
  free(o->item);
  free(o);
}

void mbd_outputs_shown(mbd_outputs *o) {
  o->nwatched = o->n;
}

int mbd_outputs_count(const mbd_outputs *o) {
  return o->n;
}
const char *mbd_outputs_name(const mbd_outputs *o, int i) {
  return o->item[i].name;
}
const char *output_why_undefined(const output *o) {
  const char *why = o->mobility ? mobility_why(o->mobility) : NULL;
  for (int i = 0; o->formula && !why && i < o->formula->input->n; i++) {
    why = output_why_undefined(&o->formula->input->item[i]);
  }
  return why;
}
int output_reads_reactions(const output *o) {
  const output_formula *f = o->formula;
  int reads = o->ops->reactions;
  for (int i = 0; f && i < f->input->n; i++) { reads |= f->input->item[i].ops->reactions; }
  return reads;
}

const char *mbd_outputs_unit(const mbd_outputs *o, int i) {
  return o->item[i].unit;
}
void output_sweep_markers(mbd_work *w, const output *o) {
  work_sweep_lift(w, &o->lift);
  if (o->ops->wrench) {
    output_wrench wrench;
    o->ops->wrench(w->model, o, &wrench);
    if (wrench.joint < 0) { work_sweep_marker(w, wrench.marker); }
  }
  for (int i = 0; o->formula && i < o->formula->input->n; i++) { output_sweep_markers(w, &o->formula->input->item[i]); }
}

static int find(const mbd_outputs *o, const char *name) {
  for (int i = 0; i < o->n; i++) {
    if (strcmp(o->item[i].name, name) == 0) { return i; }
  }
  return -1;
}

int mbd_outputs_is_repeated(const mbd_outputs *o, int i) {
  return find(o, o->item[i].name) < i;
}
int mbd_outputs_coordinate(const mbd_outputs *o, int i) {
  const output *item = &o->item[i];
  if (item->of == &output_states) { return model_first_state(o->model) + item->object; }
  return item->of == &output_coordinates ? item->object : -1;
}
int mbd_outputs_multiplier(const mbd_outputs *o, int i) {
  const output *item = &o->item[i];
  return item->of == &output_multipliers && item->component < 3
             ? o->model->constraint[item->object].row + item->component
             : -1;
}

/* ---- making outputs ---- */

/* Makes the name of a number: "P1.position.x" if the output has several; else the name by which it was added, or "rod.multiplier". */
static void name_scalar(const mbd_model *m, const asked_name *n, const output *o, int component, char *text,
                        size_t size) {
  const output_shape shape = o->ops->shape;
  const int one = shape == OUTPUT_NUMBER || (shape == OUTPUT_EQUATIONS && find_count(m, o) == 1 && component < NORM);
  if (shape == OUTPUT_NUMBER && !*n->relation) {
    snprintf(text, size, "%s", n->full);
    return;
  }
  snprintf(text, size, "%s%s%s%s%s%s%s", n->object, *n->quantity ? "." : "", n->quantity, *n->from ? "@" : "", n->from,
           one ? "" : ".", one ? "" : output_components[component]);
}

/* `made` with its component, as the last of the list. */
static mbd_status append(mbd_outputs *o, const output *made, const char *name, int component, mbd_error *err) {
  const mbd_model *m = o->model;
  output *grown = mbd_list_grow(o->item, o->n, sizeof *o->item);
  if (!grown) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  o->item = grown;
  output *item = &grown[o->n];
  *item = *made;
  item->component = component;
  item->turn = item->ops->turns ? o->nturn++ : -1;
  item->unit = item->ops->unit ? item->ops->unit : item->ops->unit_of(m, item);
  item->name = mbd_strdup(name);
  if (!item->name) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the outputs"); }
  o->n++;
  if (item->ops->arguments) { MBD_TRY(arguments_create(m, item, err)); }
  if (item->ops->make) { MBD_TRY(item->ops->make(m, item, err)); }
  /* The terms of a step that it reads, itself or in its parts. */
  item->terms = 1u << item->ops->term;
  for (int i = 0; item->formula && i < item->formula->input->n; i++) {
    item->terms |= item->formula->input->item[i].terms;
  }
  return MBD_OK;
}

mbd_status outputs_add_like(mbd_outputs *o, const output *other, mbd_error *err) {
  output made = *other;
  made.lift = (mbd_lift){0}, made.formula = NULL, made.mobility = NULL; /* it makes its own */
  return append(o, &made, other->name, other->component, err);
}

mbd_status outputs_add(mbd_outputs *o, const char *quantity, int *first, int *count, mbd_error *err) {
  const mbd_model *m = o->model;
  output made = {0};
  asked_name n;
  char name[OUTPUT_NAME];
  *first = find(o, quantity), *count = 1;
  if (*first >= 0) { return MBD_OK; } /* a number that is there already */
  MBD_TRY(find_output(m, quantity, &n, &made, err));
  if (made.of->check) {
    snprintf(name, sizeof name, "output '%.300s'", quantity);
    MBD_TRY(made.of->check(m, n.object, name, err));
  }
  if (made.ops->check) { MBD_TRY(made.ops->check(&made, m, quantity, err)); }
  const int all = n.component < 0 || made.ops->shape == OUTPUT_NUMBER, from = all ? 0 : n.component;
  *count = all ? find_count(m, &made) : 1;

  /* Are they there already, one after the other? */
  name_scalar(m, &n, &made, from, name, sizeof name);
  *first = find(o, name);
  int there = *first >= 0;
  for (int k = 1; there && k < *count; k++) {
    name_scalar(m, &n, &made, from + k, name, sizeof name);
    there = *first + k < o->n && strcmp(o->item[*first + k].name, name) == 0;
  }
  if (there) { return MBD_OK; }
  *first = o->n;
  for (int k = from; k < from + *count; k++) {
    name_scalar(m, &n, &made, k, name, sizeof name);
    MBD_TRY(append(o, &made, name, k, err));
  }
  return MBD_OK;
}
