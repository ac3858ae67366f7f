#include "results/study_keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/expr.h"
#include "files/memory.h"
#include "files/text_list.h"
#include "files/text_stream.h"
#include "study/axis.h"

double study_key_number(const study_key *key, const char *value) {
  double v;
  return !key->words && mbo_number(value, &v) ? v : NAN;
}

/* Returns the first level that is not below v. */
static int lower_end(const study_key *key, double v) {
  int first = 0;
  for (int n = key->n, half; n > 0; n = half) { /* it is among the n from the first on, or behind them */
    half = n / 2;
    if (key->level[first + half] >= v) { continue; }
    first += half + 1;
    half = n - half - 1;
  }
  return first;
}

int study_key_place(const study_key *key, double v) {
  const int k = key->words ? key->n : lower_end(key, v);
  return k < key->n && key->level[k] == v ? k : -1;
}

/* ---- the values ---- */

/* Adds a value to the sorted levels of a key, and to its range; *full: there are more than KEYS_LEVELS_MAX. */
static mbd_status add_level(study_key *key, double v, int *full, mbd_error *err) {
  key->low = fmin(key->low, v), key->high = fmax(key->high, v);
  const int k = *full ? 0 : lower_end(key, v);
  if (*full || (k < key->n && key->level[k] == v)) { return MBD_OK; }
  if (key->n == KEYS_LEVELS_MAX) {
    *full = 1;
    return MBD_OK;
  }
  double *grown = mbd_list_grow(key->level, key->n, sizeof *grown);
  MEMORY_TRY(grown, err, "the values of the study");
  key->level = grown;
  memmove(grown + k + 1, grown + k, (size_t)(key->n - k) * sizeof *grown);
  grown[k] = v, key->n++;
  return MBD_OK;
}

static mbd_status add_word(study_key *key, const char *text, int *full, mbd_error *err) {
  if (*full || text_list_find(key->word, key->n, text) >= 0) { return MBD_OK; }
  if (key->n == KEYS_LEVELS_MAX) {
    *full = 1;
    return MBD_OK;
  }
  return text_list_add(&key->word, &key->n, text) ? MBD_OK : MEMORY_NONE(err, "the values of the study");
}

/* Marks the keys with a value that is no number. */
static mbd_status find_words(study *s, study_keys *k, mbd_error *err) {
  double v;
  for (long i = 0; i < s->n; i++) {
    MBD_TRY(points_read(&s->points, i, err));
    for (int j = 0; j < k->n; j++) {
      if (!mbo_number(s->points.value[j], &v)) { k->key[j].words = 1; }
    }
  }
  return MBD_OK;
}

static mbd_status find_levels(study *s, study_keys *k, mbd_error *err) {
  int *full = calloc((size_t)k->n + 1, sizeof *full);
  mbd_status status = full ? MBD_OK : MEMORY_NONE(err, "the values of the study");
  for (long i = 0; status == MBD_OK && i < s->n; i++) {
    status = points_read(&s->points, i, err);
    for (int j = 0; j < k->n && status == MBD_OK; j++) {
      study_key *key = &k->key[j];
      const char *text = s->points.value[j];
      status =
          key->words ? add_word(key, text, &full[j], err) : add_level(key, study_key_number(key, text), &full[j], err);
    }
  }
  for (int j = 0; full && j < k->n; j++) {
    if (full[j] && !k->key[j].words) { k->key[j].n = 0; }
  }
  free(full);
  return status;
}

/* ---- logarithmic axes ---- */

static int equal_ratios(const study_key *key) {
  const double ratio = key->n > 2 && key->level[0] > 0 ? key->level[1] / key->level[0] : 0;
  for (int i = 2; ratio > 0 && i < key->n; i++) {
    if (fabs(key->level[i] / key->level[i - 1] / ratio - 1) > 1e-6) { return 0; }
  }
  return ratio > 0;
}

/* Finds out from [sweep] whether a key is logarithmic, since points that a plan has spread over an interval have no equal ratios. */
static mbd_status said_log(const study *s, const char *name, int *log, mbd_error *err) {
  const mbo_pairs *vary = s->config ? &s->config->sweep.vary : NULL;
  *log = 0;
  for (int i = 0; vary && i < vary->name.n; i++) {
    axis a;
    if (strcmp(vary->name.v[i], name) != 0) { continue; }
    const mbd_status status = axis_read(name, vary->text.v[i], &a, err);
    if (status == MBD_OK || status == MBD_NO_MEMORY) { *log = a.log; }
    axis_free(&a);
    if (status == MBD_OK || status == MBD_NO_MEMORY) { return status; }
  }
  return MBD_OK;
}

/* ---- categories ---- */

/* Returns the words of a run, "newmark, road.csv", in new memory; NULL: there is none. */
static char *category_text(const study_keys *k, char *const *value) {
  text_stream stream;
  const char *between = "";
  FILE *out = text_begin(&stream);
  for (int j = 0; out && j < k->n; j++) {
    if (!k->key[j].words || k->key[j].n < 2) { continue; }
    fprintf(out, "%s%s", between, value[j]);
    between = ", ";
  }
  return text_end(&stream);
}

mbd_status study_keys_category(const study_keys *k, char *const *value, int *category, mbd_error *err) {
  char *text = category_text(k, value);
  MEMORY_TRY(text, err, "the values of the study");
  *category = text_list_find(k->category, k->ncategory, text);
  free(text);
  return MBD_OK;
}

static mbd_status find_categories(study *s, study_keys *k, mbd_error *err) {
  k->category = calloc(KEYS_CATEGORIES_MAX, sizeof *k->category);
  MEMORY_TRY(k->category, err, "the values of the study");
  for (long i = 0; i < s->n && !k->more; i++) {
    MBD_TRY(points_read(&s->points, i, err));
    int category;
    MBD_TRY(study_keys_category(k, s->points.value, &category, err));
    if (category >= 0) { continue; }
    if (k->ncategory == KEYS_CATEGORIES_MAX) {
      k->more = 1;
      break;
    }
    k->category[k->ncategory] = category_text(k, s->points.value);
    MEMORY_TRY(k->category[k->ncategory++], err, "the values of the study");
  }
  return MBD_OK;
}

/* ---- which runs are drawn ---- */

/* Of a grid, levels are left out where there are most of them, and a grid remains; of other plans, runs. */
static void find_strides(study_keys *k) {
  double drawn = (double)k->nrun;
  for (int j = 0; j < k->n; j++) { k->key[j].stride = 1; }
  k->stride = k->grid ? 1 : (int)((k->nrun + KEYS_POINTS_MAX - 1) / KEYS_POINTS_MAX);
  while (k->grid && drawn > KEYS_POINTS_MAX) {
    int max = -1;
    double levels = 1;
    for (int j = 0; j < k->n; j++) {
      const double here = (double)k->key[j].n / k->key[j].stride;
      if (!k->key[j].words && here > levels) { max = j, levels = here; }
    }
    if (max < 0) { return; }
    drawn *= (double)k->key[max].stride / (k->key[max].stride + 1);
    k->key[max].stride++;
  }
}

int study_keys_drawn(const study_keys *k, long i, char *const *value) {
  if (!k->grid) { return i % k->stride == 0; }
  for (int j = 0; j < k->n; j++) {
    const study_key *key = &k->key[j];
    if (key->stride > 1 && study_key_place(key, study_key_number(key, value[j])) % key->stride) { return 0; }
  }
  return 1;
}

int study_keys_thinned(const study_keys *k) {
  int thinned = k->stride > 1;
  for (int j = 0; j < k->n; j++) { thinned |= k->key[j].stride > 1; }
  return thinned;
}

/* ---- shapes ---- */

int study_keys_varied(const study_keys *k, int *which) {
  int n = 0;
  for (int j = 0; j < k->n; j++) {
    if (!k->key[j].words && k->key[j].high > k->key[j].low) {
      if (which) { which[n] = j; }
      n++;
    }
  }
  return n;
}

study_shape study_keys_shape(const study_keys *k) {
  const int n = study_keys_varied(k, NULL);
  return n == 0    ? SHAPE_NONE
         : n == 1  ? SHAPE_CURVES
         : n > 2   ? SHAPE_PARALLEL
         : k->grid ? SHAPE_CONTOURS
                   : SHAPE_SCATTER;
}

/* ---- all of it ---- */

static mbd_status create(study *s, study_keys *k, mbd_error *err) {
  for (int j = 0; j < k->n; j++) { k->key[j] = (study_key){s->column[j].name, .low = INFINITY, .high = -INFINITY}; }
  /* The values of each key, and whether it is logarithmic. */
  MBD_TRY(find_words(s, k, err));
  MBD_TRY(find_levels(s, k, err));
  for (int j = 0; j < k->n; j++) {
    study_key *key = &k->key[j];
    int said;
    MBD_TRY(said_log(s, key->name, &said, err));
    key->log = !key->words && key->low > 0 && (equal_ratios(key) || said);
  }
  /* It is a grid if there are as many runs as combinations of values. */
  long all = 1;
  for (int j = 0; j < k->n; j++) { all = k->key[j].n && all <= k->nrun ? all * k->key[j].n : 0; }
  k->grid = all == k->nrun && k->nrun > 0;
  find_strides(k);
  return find_categories(s, k, err);
}

mbd_status study_keys_create(study *s, study_keys *k, mbd_error *err) {
  *k = (study_keys){.n = s->ncolumn, .nrun = s->n};
  k->key = calloc((size_t)k->n + 1, sizeof *k->key);
  mbd_status status = k->key ? create(s, k, err) : MEMORY_NONE(err, "the values of the study");
  if (status != MBD_OK) { study_keys_free(k); }
  return status;
}

void study_keys_free(study_keys *k) {
  for (int j = 0; k->key && j < k->n; j++) {
    text_list_free(k->key[j].word, k->key[j].n);
    free(k->key[j].level);
  }
  text_list_free(k->category, k->ncategory);
  free(k->key);
  *k = (study_keys){0};
}
