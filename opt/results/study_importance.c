#include "results/study_importance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"
#include "files/memory.h"
#include "files/text_stream.h"
#include "mbo/importance.h"

/* ---- the runs as numbers ---- */

typedef struct importance_runs {
  const study_data *d;
  int nkey, *key;            /* [nkey] the keys of the study with more than one value */
  int nq, *quantity;         /* [nq] the quantities that vary and are columns */
  double *x, *f;             /* [nregular][nkey], [nregular] */
  double *slope;             /* [nq][nregular][nkey]; NULL: the runs have no gradients */
  mbo_importance_key *found; /* [nkey] */
} importance_runs;

static int is_log(const importance_runs *r, int j) {
  return r->d->keys.key[r->key[j]].log;
}

static mbd_status make(importance_runs *r, mbd_error *err) {
  const study_data *d = r->d;
  const size_t n = (size_t)d->nregular, nk = (size_t)d->keys.n, nq = (size_t)d->nquantity;
  r->key = mbd_zeros(nk, sizeof *r->key), r->quantity = mbd_zeros(nq, sizeof *r->quantity);
  r->found = mbd_zeros(nk, sizeof *r->found);
  r->x = mbd_zeros(n * nk, sizeof *r->x), r->f = mbd_zeros(n, sizeof *r->f);
  if (d->gradient) { r->slope = mbd_zeros(nq * n * nk, sizeof *r->slope); }
  MEMORY_TRY(r->key && r->quantity && r->found && r->x && r->f && (!d->gradient || r->slope), err,
             "the importance of %d keys", d->keys.n);
  for (int j = 0; j < d->keys.n; j++) {
    if (d->keys.key[j].n != 1) { r->key[r->nkey++] = j; }
  }
  for (int k = 0; k < d->nquantity; k++) {
    const study_quantity *one = &d->quantity[k];
    const int is_column = one->n == 1 && strcmp(one->name, one->column[0]) == 0;
    if (is_column && one->state == QUANTITY_VARIES) { r->quantity[r->nq++] = k; }
  }
  for (int i = 0; i < d->nregular; i++) {
    for (int j = 0; j < r->nkey; j++) {
      const double v = study_data_row(d, i)[r->key[j]];
      r->x[i * r->nkey + j] = is_log(r, j) ? log(v) : v;
    }
  }
  return MBD_OK;
}

static void importance_runs_free(importance_runs *r) {
  free(r->key), free(r->quantity), free(r->found), free(r->x), free(r->f), free(r->slope);
}

/* The derivative of quantity k by key j in a record, by the logarithm where that is what is spread evenly: f_(ln x) = x f_x. */
static double slope_of(const importance_runs *r, int k, int j, int i, const json_t *record) {
  static const char prefix[] = "design.", suffix[] = ".start";
  const char *name = r->d->keys.key[r->key[j]].name;
  const size_t length = strlen(name), cut = strlen(suffix);
  const int whole =
      strncmp(name, prefix, strlen(prefix)) == 0 && length > cut && strcmp(name + length - cut, suffix) == 0;
  const char *begin = whole ? name + strlen(prefix) : name;
  char *column = mbd_sprintf_dup("d %s/d %.*s", r->d->quantity[r->quantity[k]].name,
                                 (int)(strlen(begin) - (whole ? cut : 0)), begin);
  const double slope = column ? runs_number(record, column) : NAN;
  free(column);
  return is_log(r, j) ? slope * study_data_row(r->d, i)[r->key[j]] : slope;
}

static mbd_status read_slopes(importance_runs *r, mbd_error *err) {
  const study_data *d = r->d;
  for (int i = 0; r->slope && i < d->nregular; i++) {
    json_t *record;
    MBD_TRY(study_data_run(d, d->run[i], &record, err));
    for (int k = 0; k < r->nq; k++) {
      double *row = r->slope + ((size_t)k * (size_t)d->nregular + (size_t)i) * (size_t)r->nkey;
      for (int j = 0; j < r->nkey; j++) { row[j] = slope_of(r, k, j, i, record); }
    }
    json_decref(record);
  }
  return MBD_OK;
}

/* ---- the answer ---- */

static json_t *key_json(const char *name, const mbo_importance_key *key) {
  json_t *o = json_object();
  json_object_set_new(o, "name", json_text(name));
  json_object_set_new(o, "first", json_number(key->first[0]));
  json_object_set_new(o, "first_low", json_number(key->first[1]));
  json_object_set_new(o, "first_high", json_number(key->first[2]));
  json_object_set_new(o, "total", json_number(key->total[0]));
  json_object_set_new(o, "total_low", json_number(key->total[1]));
  json_object_set_new(o, "total_high", json_number(key->total[2]));
  json_object_set_new(o, "bound", json_number(key->bound));
  return o;
}

static mbd_status add_quantity(importance_runs *r, int k, json_t *list, mbd_error *err) {
  const study_data *d = r->d;
  mbo_importance all;
  for (int i = 0; i < d->nregular; i++) { r->f[i] = study_data_row(d, i)[d->keys.n + r->quantity[k]]; }
  const double *slope = r->slope ? r->slope + (size_t)k * (size_t)d->nregular * (size_t)r->nkey : NULL;
  MBD_TRY(mbo_importance_find(d->nregular, r->nkey, r->x, r->f, slope, &all, r->found, err));
  const mbo_importance *a = &all;
  const char *apart = a->related[0] < 0 ? "" : ": ", *name[2] = {"", ""};
  for (int e = 0; e < 2 && a->related[e] >= 0; e++) { name[e] = d->keys.key[r->key[a->related[e]]].name; }
  json_t *keys = json_array();
  for (int j = 0; j < r->nkey; j++) {
    json_array_append_new(keys, key_json(d->keys.key[r->key[j]].name, &r->found[j]));
  }
  json_array_append_new(
      list, json_pack("{s:o, s:i, s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "quantity",
                      json_text(d->quantity[r->quantity[k]].name), "runs", all.runs, "method",
                      all.exact ? "grid" : "polynomials", "degree", all.degree, "terms", all.terms, "deviation",
                      json_number(all.deviation), "explained", json_number(all.explained), "reason",
                      json_own_text(mbd_sprintf_dup("%s%s%s%s%s", name[0], a->related[0] < 0 ? "" : ", ", name[1],
                                                    apart, all.reason)),
                      "keys", keys));
  return MBD_OK;
}

mbd_status study_importance(const study_data *d, json_t **out, mbd_error *err) {
  importance_runs r = {.d = d};
  *out = json_array();
  mbd_status status = make(&r, err);
  const int several = r.nkey > 1 && d->kind == KIND_SWEEP;
  if (status == MBD_OK && several) { status = read_slopes(&r, err); }
  for (int k = 0; status == MBD_OK && several && k < r.nq; k++) { status = add_quantity(&r, k, *out, err); }
  importance_runs_free(&r);
  if (status == MBD_OK) { status = MEMORY_WHOLE(err, "the importance of keys"); }
  if (status != MBD_OK) {
    json_decref(*out);
    *out = NULL;
  }
  return status;
}

/* ---- ends of ranges ---- */

/* Returns -1 at the lower and 1 at the upper end of what was varied, 0 between. Points that a plan has spread do not lie on the ends themselves: they
 * are at an end in its hundredth of the range. */
static int end_of_range(const study_keys *keys, const study_key *key, double x) {
  const double near = keys->grid ? 0 : 0.01;
  if (key->words || !isfinite(x) || !(key->high > key->low)) { return 0; }
  const double at = key->log ? log(x / key->low) / log(key->high / key->low) : (x - key->low) / (key->high - key->low);
  return at <= near ? -1 : at >= 1 - near ? 1 : 0;
}

char *study_edges(const study_data *d, const json_t *columns) {
  text_stream text;
  FILE *out = text_begin(&text);
  for (int j = 0, n = 0; out && d->kind == KIND_SWEEP && j < d->keys.n; j++) {
    const study_key *key = &d->keys.key[j];
    const double x = json_number_of(json_object_get(columns, key->name));
    const int end = end_of_range(&d->keys, key, x);
    if (!end) { continue; }
    fprintf(out, "%s%s = %.5g, the %s end of %.5g to %.5g", n++ ? "; " : "", key->name, x, end < 0 ? "lower" : "upper",
            key->low, key->high);
  }
  return text_end(&text);
}
