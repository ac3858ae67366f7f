#include "evaluate/json_memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "evaluate/json_text.h"

static json_malloc_t take; /* jansson's own, from before */
static json_free_t give_back;
static _Thread_local long lost;

static void *counted(size_t size) {
  void *p = take(size);
  lost += !p;
  return p;
}

static void begin(void) {
  json_get_alloc_funcs(&take, &give_back);
  json_set_alloc_funcs(counted, give_back);
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
  if (text) { give_back(text); }
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
