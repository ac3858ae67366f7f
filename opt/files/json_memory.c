#include "files/json_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "files/json_text.h"

static json_malloc_t take; /* jansson's own, from before */
static json_free_t give_back;
static _Thread_local long lost;

/* Memory after the first loss. jansson ends the process where a character of a text that it reads is not kept; so it can
 * come to the end of what it does, which is thrown away then. */
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
  lost++;
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

long json_memory_lost(void) {
  return lost;
}

void json_memory_note(void) {
  lost++;
}

char *json_memory_dumps(const json_t *o, size_t flags, long before) {
  char *text = json_dumps(o, flags);
  if (text && lost == before) { return text; }
  if (text) { release(text); }
  return NULL;
}

mbd_status json_memory_load(const char *path, json_t **o, json_error_t *why) {
  const long before = lost;
  *o = json_read_file(path, why);
  if (lost == before) { return *o ? MBD_OK : MBD_BAD_INPUT; }
  json_decref(*o);
  *o = NULL;
  return MBD_NO_MEMORY;
}
