/* Keys of a section by its rows, and the values that most of them have: words, types, lists of names. */
#include "config/load_model.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/options.h"

mbd_status load_no_memory(const loader *l) {
  return ini_no_memory(l->f, l->err);
}

mbd_status load_located(loader *l, const ini_section *s, const ini_entry *e, mbd_status status) {
  return ini_locate(l->f, s, e, status, l->err);
}

/* ---- objects, for messages about the model ---- */

mbd_status load_note_object(loader *l, const ini_section *s, const char *kind, const char *name) {
  mbo_model_file *m = l->m;
  model_object *grown = mbd_list_grow(m->object, m->nobject, sizeof *grown);
  if (!grown) { return load_no_memory(l); }
  m->object = grown;
  model_object *o = &grown[m->nobject++];
  o->title = mbd_sprintf_dup("%s '%s'", kind, name);
  o->place = s ? mbd_sprintf_dup("%s:%d: ", l->f->path, s->line) : mbd_strdup(l->run);
  return o->title && o->place ? MBD_OK : load_no_memory(l);
}

/* ---- keys ---- */

const model_key *model_key_find(const model_section *section, const char *key) {
  const model_key *r = section->key;
  while (strcmp(r->key, key) != 0) { r++; }
  return r;
}

/* The keys of a section's rows, NULL-terminated. */
enum { KEYS_MAX = 15 };
static void keys_of(const model_section *section, const char *known[KEYS_MAX + 1]) {
  int n = 0;
  for (; n < KEYS_MAX && section->key[n].key; n++) { known[n] = section->key[n].key; }
  known[n] = NULL;
}

mbd_status load_missing(loader *l, const model_section *section, const ini_section *s, const char *key,
                        const char *what) {
  const model_key *r = model_key_find(section, key);
  const char *known[KEYS_MAX + 1];
  char text[300];
  keys_of(section, known);
  const int list = r->count > 1, has_unit = *r->unit != '\0';
  snprintf(text, sizeof text, "%s%s%s%s%s%s", r->doc, list ? ": " : "", list ? r->type : "", has_unit ? " [" : "",
           r->unit, has_unit ? "]" : "");
  return options_missing_key(l->f, s, known, key, what ? what : text, l->err);
}

mbd_status load_required(loader *l, const model_section *section, ini_section *s, const char *key, ini_entry **e) {
  *e = ini_get(s, key);
  return *e ? MBD_OK : load_missing(l, section, s, key, NULL);
}

mbd_status load_all_used(loader *l, const model_section *section, const ini_section *s) {
  const char *known[KEYS_MAX + 1];
  keys_of(section, known);
  return options_unknown_key(l->f, s, known, l->err);
}

/* ---- values ---- */

const char *load_value(ini_section *s, const char *key, const char *dflt) {
  const ini_entry *e = ini_get(s, key);
  return e ? e->value : dflt;
}

mbd_status load_word(loader *l, const model_section *section, ini_section *s, const char *key, int *which) {
  const ini_entry *e = ini_get(s, key);
  const options_words words = {.word = model_key_find(section, key)->word};
  *which = 0;
  return e ? options_word(l->f, s, e, &words, ", ", which, l->err) : MBD_OK;
}

mbd_status load_type(loader *l, const ini_section *s, const ini_entry *e, const char *what,
                     const char *(*type_at)(int i), int *i) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = e->value};
  *i = mbd_word_find(e->value, type_at);
  if (*i >= 0) { return MBD_OK; }
  mbd_nearest_offer_all(&near, type_at);
  return load_fail(l, s, e, "this %s is not known%s", what, mbd_nearest_text(&near, hint, sizeof hint));
}

mbd_status load_list(const loader *l, const char *text, char ***part, int *n) {
  *n = ini_list(text, part);
  if (*n >= 0) { return MBD_OK; }
  *n = 0;
  return load_no_memory(l);
}

mbd_status load_names(loader *l, const ini_section *s, const ini_entry *e, int n, const char *names, const char *what,
                      char ***part) {
  int found;
  MBD_TRY(load_list(l, e->value, part, &found));
  if (found == n) { return MBD_OK; }
  text_list_free(*part, found);
  *part = NULL;
  return load_fail(l, s, e, "%d %s, expected %d: %s", found, names, n, what);
}
