#include "mechanism/warnings.h"

#include <stdlib.h>

#include "base/memory.h"
#include "files/json.h"

/* Does no coefficient of any case, or of a value, change with variable k at the design that is set? */
static int is_idle(const mechanism *m, int k) {
  for (int i = 0; i < m->nvariant; i++) {
    const int *start = m->variant[i].start;
    if (!start || start[k + 1] > start[k]) { return 0; }
  }
  return 1;
}

static void warn_of_idle(const mechanism *m, json_t *list) {
  for (int k = 0; k < m->n; k++) {
    char *text = is_idle(m, k) ? mbd_sprintf_dup(
                                     "design variable '%s' changes nothing at this design: no number of the "
                                     "model, and no value, depends on it",
                                     m->name[k])
                               : NULL;
    if (text) {
      json_array_append_new(list, json_pack("{s:s, s:n, s:o}", "kind", "idle", "time", "text", json_text(text)));
    }
    free(text);
  }
}

json_t *warnings_json(const mechanism *m) {
  json_t *a = json_array();
  warn_of_idle(m, a);
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
