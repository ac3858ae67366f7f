#include "mechanism/warnings.h"

#include <stdlib.h>

#include "base/memory.h"
#include "files/json.h"

json_t *warnings_json(const mechanism *m) {
  json_t *a = json_array();
  for (int i = 0; i < m->ncase; i++) {
    const mbd_warning *w;
    for (int k = 0; (w = mbd_sim_warning(m->cases[i].sim, k)) != NULL; k++) {
      json_array_append_new(a, json_pack("{s:s, s:s, s:o, s:o}", "case", m->cases[i].config->name, "kind", w->kind,
                                         "time", json_number(w->time), "text", json_text(w->text)));
    }
  }
  return a;
}

char *warning_words(const json_t *one) {
  const char *name = json_string_value(json_object_get(one, "case"));
  const char *text = json_string_value(json_object_get(one, "text"));
  return mbd_sprintf_dup("%s%s%s%s", name ? "case '" : "", name ? name : "", name ? "': " : "", text ? text : "");
}

char *warnings_words(const json_t *list) {
  char *all = mbd_strdup("");
  size_t i;
  const json_t *one;
  json_array_foreach(list, i, one) {
    char *words = warning_words(one);
    char *longer = all && words ? mbd_sprintf_dup("%s%s%s", all, i ? "; " : "", words) : NULL;
    free(all), free(words);
    all = longer;
  }
  return all;
}
