#include "files/warning_words.h"

#include <stdlib.h>

#include "base/memory.h"

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
