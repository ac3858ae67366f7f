#include "files/json.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/atomic_file.h"
#include "files/text_file.h"

/* ---- losses when memory runs out ---- */

static json_malloc_t take; /* the allocation function of jansson before json_memory_watch */
static json_free_t give_back = free;

/* Memory that is used after the first failure. jansson ends the process if it cannot store a character of a text that it reads; with this
 * memory it can finish, and its result is discarded. */
static _Alignas(max_align_t) char spare[1 << 18];
static atomic_size_t spent;

static int is_spare(const void *p) {
  return (uintptr_t)p >= (uintptr_t)spare && (uintptr_t)p < (uintptr_t)spare + sizeof spare;
}

static void *from_spare(size_t size) {
  const size_t a = _Alignof(max_align_t), whole = (size + a - 1) / a * a;
  if (size > sizeof spare) { return NULL; }
  const size_t at = atomic_fetch_add(&spent, whole);
  return at + whole <= sizeof spare ? spare + at : NULL;
}

static void *counted(size_t size) {
  void *p = take(size);
  if (p) { return p; }
  mbd_memory_note();
  return from_spare(size);
}

static void release(void *p) {
  if (!is_spare(p)) { give_back(p); }
}

static void begin(void) {
  json_get_alloc_funcs(&take, &give_back);
  json_set_alloc_funcs(counted, release);
}

void json_memory_watch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, begin);
}

char *json_memory_dumps(const json_t *o, size_t flags, long before) {
  char *text = json_dumps(o, flags);
  if (text && mbd_memory_lost() == before) { return text; }
  if (text) { release(text); }
  return NULL;
}

/* ---- values ---- */

json_t *json_number(double v) {
  return isfinite(v) ? json_real(v) : json_null();
}

json_t *json_numbers(const double *v, int n) {
  json_t *array = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(array, json_number(v[i])); }
  return array;
}

json_t *json_text(const char *text) {
  json_t *whole = json_string(text);
  char *ascii = whole ? NULL : mbd_strdup(text);
  for (char *c = ascii; c && *c; c++) {
    if ((unsigned char)*c > 127) { *c = '?'; }
  }
  if (ascii) { whole = json_string(ascii); }
  if (text && !whole) { mbd_memory_note(); }
  free(ascii);
  return whole;
}

json_t *json_own_text(char *text) {
  json_t *whole = text ? json_text(text) : NULL;
  if (!text) { mbd_memory_note(); }
  free(text);
  return whole;
}

double json_number_of(const json_t *v) {
  return json_is_number(v) ? json_number_value(v) : NAN;
}

double json_number_in(const json_t *o, const char *key) {
  return json_number_of(json_object_get(o, key));
}

const char *json_text_in(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

/* ---- files ---- */

static json_t *read_file(const char *path, json_error_t *why) {
  text_file in;
  mbd_error err = {0};
  if (text_file_read(path, TEXT_FILE_TABLE, &in, &err) != MBD_OK) {
    if (err.code == MBD_NO_MEMORY) {
      mbd_memory_note();
      return NULL;
    }
    const size_t n = strlen(path); /* the message begins with it; there is no room for long ones */
    const char *reason = strncmp(err.text, path, n) == 0 ? err.text + n + strspn(err.text + n, ": ") : err.text;
    if (why) {
      *why = (json_error_t){.line = 0};
      snprintf(why->text, sizeof why->text, "%.*s", (int)sizeof why->text - 1, reason);
    }
    return NULL;
  }
  json_t *o = json_loads(in.left, 0, why);
  text_file_free(&in);
  return o;
}

mbd_status json_read_file(const char *path, json_t **o, json_error_t *why) {
  const long before = mbd_memory_lost();
  *o = read_file(path, why);
  if (mbd_memory_lost() == before) { return *o ? MBD_OK : MBD_BAD_INPUT; }
  json_decref(*o);
  *o = NULL;
  return MBD_NO_MEMORY;
}

mbd_status json_read_in(const char *folder, const char *name, json_t **o, json_error_t *why) {
  char *path = path_in(folder, name);
  const mbd_status status = json_read_file(path, o, why);
  free(path);
  return status;
}

mbd_status json_write_file(const char *folder, const char *name, const json_t *o, mbd_error *err) {
  atomic_file a;
  char *text = json_memory_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(17), 0);
  MEMORY_TRY(text, err, "%s/%s", folder, name);
  const mbd_status status = atomic_open_in(folder, name, &a, err);
  if (status == MBD_OK) { fprintf(a.out, "%s\n", text); }
  free(text);
  return status == MBD_OK ? atomic_commit(&a, err) : status;
}
