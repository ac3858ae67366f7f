/* What the tables of a force say, as JSON at the end of its library, where the loader of the system ignores it. So run files, model files
 * and folders of results that name the library are read without running its code.
 *
 *   LIBRARY {"abi":1,...} "\nmbopt plugin " number of characters of the JSON in 8 hexadecimal digits "\n" */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"
#include "plugin/plugin.h"

enum { END = 23 }; /* characters of the last lines */
static const char mark[] = "\nmbopt plugin ";

/* ---- writing ---- */

/* The text of the description in new memory; NULL: no memory. */
static char *describe(const mbd_user_force *u) {
  const long lost = mbd_memory_lost();
  json_t *refs = json_array(), *coefs = json_array(), *args = json_array(), *outputs = json_array();
  /* The tables as lists of rows, whose columns take_tables reads by their numbers. */
  for (const mbd_ref_info *r = u->refs; r->key; r++) {
    json_array_append_new(refs, json_pack("[o,i,i,o]", json_text(r->key), (int)r->kind, r->count, json_text(r->doc)));
  }
  for (const mbd_coef_info *c = u->coefs; c->key; c++) {
    json_array_append_new(
        coefs, json_pack("[o,i,o,o,o,o,o]", json_text(c->key), c->size, json_text(c->unit), json_number(c->dflt),
                         json_number(c->min), json_number(c->max), json_text(c->doc)));
  }
  for (int i = 0; i < u->narg; i++) {
    json_array_append_new(args, json_pack("[i,i,i]", (int)u->arg[i].kind, u->arg[i].b, u->arg[i].a));
  }
  for (const mbd_user_output *o = u->output; o->name; o++) {
    json_array_append_new(outputs, json_pack("[o,o]", json_text(o->name), json_text(o->unit)));
  }
  /* Functions are not described, only whether there are slopes and second derivatives. */
  json_t *o = json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b}", "abi", u->abi, "size", u->size,
                        "name", json_text(u->name), "doc", json_text(u->doc), "references", refs, "arguments", args,
                        "coefficients", coefs, "outputs", outputs, "own", u->own, "slopes", u->slopes != NULL, "second",
                        mbd_user_force_second(u));
  char *text = o ? json_memory_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17), lost) : NULL;
  json_decref(o);
  return text;
}

mbd_status description_append(const char *library, const mbd_user_force *u, mbd_error *err) {
  char *text = describe(u);
  FILE *out = text ? fopen(library, "ae") : NULL;
  const mbd_status status = text ? MBD_IO_ERROR : MBD_NO_MEMORY; /* if it fails */
  int bad = !out;
  if (out) {
    bad = fprintf(out, "%s%s%08zx\n", text, mark, strlen(text)) < 0;
    bad |= fclose(out) != 0;
  }
  free(text);
  if (bad) { MBD_FAIL(err, status, "the description of %s cannot be written", library); }
  return MBD_OK;
}

/* ---- reading ---- */

/* Functions of a force whose library is not loaded. Nothing calls them, since plugin_list_open comes before every simulation; their results
 * would be refused as not finite. */
static void absent_value(const double *state, const double *coef, int outputs, double *y) {
  (void)state, (void)coef, (void)outputs;
  y[0] = NAN;
}

static void absent_along(const double *state, const double *coef, int ncoef, const double *direction, int outputs,
                         double *dy) {
  (void)state, (void)coef, (void)ncoef, (void)direction, (void)outputs;
  dy[0] = NAN;
}

static const char *text_at(const json_t *row, size_t i) {
  return json_string_value(json_array_get(row, i));
}

static int int_at(const json_t *row, size_t i) {
  return (int)json_integer_value(json_array_get(row, i));
}

/* A number, or the one that JSON cannot represent. */
static double number_at(const json_t *row, size_t i, double otherwise) {
  const json_t *v = json_array_get(row, i);
  return json_is_number(v) ? json_number_value(v) : otherwise;
}

/* Fills the tables from d->json. Rows that are no such rows end their table, or mbd_user_force_check refuses them. */
static void take_tables(plugin_description *d) {
  const json_t *o = d->json, *row;
  /* Memory for the tables, with an empty row at their ends. */
  const json_t *ref = json_object_get(o, "references"), *coef = json_object_get(o, "coefficients"),
               *arg = json_object_get(o, "arguments"), *output = json_object_get(o, "outputs");
  mbd_ref_info *refs = mbd_zeros(json_array_size(ref), sizeof *refs);
  mbd_coef_info *coefs = mbd_zeros(json_array_size(coef), sizeof *coefs);
  mbd_arg_info *args = mbd_zeros(json_array_size(arg), sizeof *args);
  mbd_user_output *outputs = mbd_zeros(json_array_size(output), sizeof *outputs);
  mbd_user_force *u = &d->force;
  size_t i;
  u->refs = refs, u->coefs = coefs, u->arg = args, u->output = outputs;
  if (!refs || !coefs || !args || !outputs) { return; }
  /* The rows. A number that JSON cannot represent is NaN for a default, and infinite for a limit. */
  json_array_foreach(ref, i, row) {
    refs[i] = (mbd_ref_info){text_at(row, 0), (mbd_ref_kind)int_at(row, 1), int_at(row, 2), text_at(row, 3)};
  }
  json_array_foreach(coef, i, row) {
    coefs[i] = (mbd_coef_info){.key = text_at(row, 0),
                               .size = int_at(row, 1),
                               .unit = text_at(row, 2),
                               .dflt = number_at(row, 3, NAN),
                               .min = number_at(row, 4, -INFINITY),
                               .max = number_at(row, 5, INFINITY),
                               .doc = text_at(row, 6)};
  }
  json_array_foreach(arg, i, row) {
    args[i] = (mbd_arg_info){(mbd_arg_kind)int_at(row, 0), int_at(row, 1), int_at(row, 2)};
  }
  json_array_foreach(output, i, row) {
    outputs[i] = (mbd_user_output){text_at(row, 0), text_at(row, 1)};
  }
  u->narg = (int)json_array_size(arg);
}

static void take_rest(plugin_description *d) {
  const json_t *o = d->json;
  const int slopes = json_is_true(json_object_get(o, "slopes")), second = json_is_true(json_object_get(o, "second"));
  mbd_user_force *u = &d->force;
  u->abi = (int)json_integer_value(json_object_get(o, "abi"));
  u->size = (int)json_integer_value(json_object_get(o, "size"));
  u->name = json_string_value(json_object_get(o, "name")), u->doc = json_string_value(json_object_get(o, "doc"));
  u->own = json_is_true(json_object_get(o, "own"));
  u->value = u->value_complex = absent_value;
  u->slopes = slopes ? absent_value : NULL, u->slopes_complex = second ? absent_value : NULL;
  u->along = slopes ? absent_along : NULL, u->along_complex = second ? absent_along : NULL;
}

/* Finds the JSON before the last lines; NULL: there is none. */
static const char *find_text(const text_file *library, size_t *n) {
  if (library->size < END) { return NULL; }
  const char *end = library->text + library->size - END;
  char *after;
  if (memcmp(end, mark, strlen(mark)) != 0 || end[END - 1] != '\n') { return NULL; }
  *n = strtoul(end + strlen(mark), &after, 16);
  return after == end + END - 1 && *n <= library->size - END ? end - *n : NULL;
}

mbd_status description_read(const text_file *library, plugin_description **out, mbd_error *err) {
  /* The description, which is the text at the end of the library. */
  size_t n = 0;
  const char *text = find_text(library, &n);
  *out = NULL;
  if (!text) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "the library does not end with the description of a force; expected one that `mbopt plugin FILE.c` of "
             "this version has made");
  }
  /* The tables of the text, which is kept since description_take compares it with those of the loaded library. */
  const long lost = mbd_memory_lost();
  plugin_description *d = mbd_zeros(1, sizeof *d);
  if (d) {
    d->lists = 1;
    d->json = json_loadb(text, n, 0, NULL), d->text = mbd_strndup(text, n);
  }
  if (d && d->json) { take_tables(d); }
  mbd_status status = MEMORY_SINCE(lost, err, "the description of a plugin");
  /* Where the text is no JSON, all members are empty, and the check refuses the force. */
  if (status == MBD_OK) {
    take_rest(d);
    status = mbd_user_force_check(&d->force, err);
  }
  if (status != MBD_OK) { description_free(d); }
  *out = status == MBD_OK ? d : NULL;
  return status;
}

mbd_status description_take(plugin_description *d, const mbd_user_force *u, mbd_error *err) {
  char *text = describe(u);
  const int same = text && strcmp(text, d->text) == 0;
  MEMORY_TRY(text, err, "the description of a plugin");
  free(text);
  if (!same) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "the tables of the library differ from the description at its end; expected a library as `mbopt plugin "
             "FILE.c` has made it");
  }
  mbd_user_force *own = &d->force;
  own->value = u->value, own->value_complex = u->value_complex;
  own->slopes = u->slopes, own->slopes_complex = u->slopes_complex;
  own->along = u->along, own->along_complex = u->along_complex;
  return MBD_OK;
}

void description_free(plugin_description *d) {
  if (!d || --d->lists > 0) { return; }
  free((void *)d->force.refs), free((void *)d->force.coefs), free((void *)d->force.arg), free((void *)d->force.output);
  json_decref(d->json);
  free(d->text), free(d);
}
