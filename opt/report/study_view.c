#include "report/study_view.h"

#include <math.h>
#include <stdlib.h>

#include "files/json.h"
#include "files/memory.h"
#include "results/packed.h"
#include "results/results.h"

/* ---- columns ---- */

/* Adds a column to the list. */
static void add_column(const study_data *d, int j, json_t *list) {
  const int k = j - d->keys.n;
  const study_key *key = k < 0 ? &d->keys.key[j] : NULL;
  const study_quantity *quantity = k < 0 ? NULL : &d->quantity[k];
  json_t *o = json_pack("{s:o, s:o, s:o, s:s, s:b}", "name", json_text(key ? key->name : quantity->name), "label",
                        json_text(key ? key->name : quantity->label), "unit",
                        json_text(key ? d->key_unit[j] : quantity->unit), "kind",
                        !key         ? "quantity"
                        : key->words ? "words"
                                     : "key",
                        "log", key ? key->log : study_data_reaches_far(d, -1, j));
  if (key && key->words) { json_object_set_new(o, "words", results_texts(key->n, (const char *const *)key->word)); }
  json_array_append_new(list, o);
}

/* place [width]: the number of a column among those of the page; -1: it is not there. */
static void columns(const study_data *d, double *column, int *place, json_t *list, json_t *values) {
  int n = 0;
  for (int j = 0; j < study_data_width(d); j++) {
    const study_key *key = j < d->keys.n ? &d->keys.key[j] : NULL;
    const int varies = !key         ? d->quantity[j - d->keys.n].state == QUANTITY_VARIES
                       : key->words ? key->n > 1
                                    : key->high > key->low;
    place[j] = varies ? n++ : -1;
    if (!varies) { continue; }
    /* The column, and its values in the runs. */
    add_column(d, j, list);
    for (int i = 0; i < d->nrow; i++) { column[i] = study_data_row(d, i)[j]; }
    json_array_append_new(values, packed_doubles(d->nrow, column));
  }
}

/* ---- runs ---- */

/* The numbers of the optima where runs ended, in the order of the sorted table of optima. */
static json_t *ends(const study_data *d, int *column) {
  int rank[OPTIMA_MAX];
  for (int i = 0; i < OPTIMA_MAX; i++) { rank[i] = -1; }
  for (int i = 0; i < d->optima.n; i++) { rank[d->optima.found[i].id] = i; }
  for (int i = 0; i < d->nrow; i++) {
    const int id = d->end_of ? d->end_of[d->run[i]] : -1;
    column[i] = id < 0 ? -1 : rank[id];
  }
  return packed_ints(d->nrow, column);
}

static int column_named(const study_data *d, const char *prefix, const char *name, const int *place) {
  const int k = study_data_quantity(d, prefix, name);
  return k < 0 ? -1 : place[d->keys.n + k];
}

static json_t *pairs(const study_data *d, const int *place) {
  json_t *list = json_array();
  for (int j = 0; j < d->nx; j++) {
    json_array_append_new(list, json_pack("[i,i]", column_named(d, "start.", d->x[j], place),
                                          column_named(d, "result.", d->x[j], place)));
  }
  return list;
}

static json_t *pages(const study_links *links) {
  json_t *list = json_array();
  for (int i = 0; i < links->n; i++) { json_array_append_new(list, json_integer(links->run[i])); }
  return json_pack("{s:o, s:o}", "prefix", json_text(links->prefix), "run", list);
}

/* ---- all of it ---- */

/* Fills the members of the object, in the order of study_view.h. */
static void fill(const study_data *d, json_t *o, double *column, int *ints, int *place) {
  static const char *const shapes[] = {"none", "curves", "contours", "scatter", "parallel"};
  const int first = study_data_first_quantity(d);
  json_t *list = json_array(), *v = json_array();
  /* The columns come first: they fill `place`, by which later members refer to them. */
  columns(d, column, place, list, v);
  /* Members of every study. */
  json_object_set_new(o, "kind", json_text(d->s->kind));
  json_object_set_new(o, "task", json_text(d->s->task));
  json_object_set_new(o, "folder", json_text(d->s->folder));
  json_object_set_new(o, "shape", json_string(shapes[study_keys_shape(&d->keys)]));
  json_object_set_new(o, "columns", list);
  json_object_set_new(o, "v", v);
  for (int i = 0; i < d->nrow; i++) { ints[i] = (int)d->run[i]; }
  json_object_set_new(o, "run", packed_ints(d->nrow, ints));
  json_object_set_new(o, "regular", json_integer(d->nregular));
  json_object_set_new(o, "runs", json_integer(d->s->n));
  json_object_set_new(o, "done", json_integer(d->done));
  json_object_set_new(o, "best", json_integer(study_data_shown(d)));
  json_object_set_new(o, "category", packed_ints(d->nrow, d->category));
  for (int i = 0; i < d->nrow; i++) { ints[i] = (int)d->outcome[i]; }
  json_object_set_new(o, "outcome", packed_ints(d->nrow, ints));
  json_object_set_new(o, "violating", json_integer(d->violating));
  json_object_set_new(o, "failed", json_integer(d->failed));
  json_object_set_new(o, "categories", results_texts(d->keys.ncategory, (const char *const *)d->keys.category));
  json_object_set_new(o, "first", json_integer(first < 0 ? -1 : place[d->keys.n + first]));
  /* The objectives of a front. */
  if (d->kind == KIND_PARETO) {
    json_t *objectives = json_array();
    for (int k = 0; k < d->front.front.m; k++) {
      json_array_append_new(objectives, json_integer(column_named(d, "", d->front.name[k], place)));
    }
    json_object_set_new(o, "front", objectives);
  }
  /* Members of a multistart only. */
  if (d->kind != KIND_MULTISTART) { return; }
  json_object_set_new(o, "pairs", pairs(d, place));
  json_object_set_new(o, "end", ends(d, ints));
  /* The largest difference of objectives that is rounding: of the best optimum and the start. */
  const optima *ends_found = &d->optima;
  double noise = 0;
  for (int i = 0; i < ends_found->n; i++) { noise = fmax(noise, ends_found->found[i].noise); }
  const double best = ends_found->n ? fabs(ends_found->found[0].f) : 0;
  json_object_set_new(o, "same",
                      json_number(ends_found->n ? optima_same(ends_found->tol_f, best, d->f_own_start, noise) : 0));
}

/* Allocates scratch for the columns, and fails if any member is missing because memory ran out. */
mbd_status study_view(const study_data *d, const study_links *links, json_t **out, mbd_error *err) {
  const long lost = mbd_memory_lost();
  double *column = malloc(((size_t)d->nrow + 1) * sizeof *column);
  int *ints = malloc(((size_t)d->nrow + 1) * sizeof *ints);
  int *place = malloc(((size_t)study_data_width(d) + 1) * sizeof *place);
  json_t *o = column && ints && place ? json_object() : NULL;
  if (o) {
    fill(d, o, column, ints, place);
    json_object_set_new(o, "pages", pages(links));
  }
  free(column), free(ints), free(place);
  if (o && mbd_memory_lost() == lost) {
    *out = o;
    return MBD_OK;
  }
  json_decref(o);
  return MEMORY_NONE(err, "the figures of the study");
}
