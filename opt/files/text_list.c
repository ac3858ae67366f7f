#include "files/text_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int text_list_find(char *const *list, int n, const char *text) {
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i], text) == 0) { return i; }
  }
  return -1;
}

int text_list_add(char ***list, int *n, const char *text) {
  return text_list_take(list, n, mbd_strdup(text));
}

int text_list_take(char ***list, int *n, char *text) {
  char **grown = text ? mbd_list_grow(*list, *n, sizeof *grown) : NULL;
  if (!grown) {
    free(text);
    return 0;
  }
  *list = grown;
  grown[(*n)++] = text;
  return 1;
}

int text_is_among(const char *text, const char *const *list) {
  while (*list && strcmp(*list, text) != 0) { list++; }
  return *list != NULL;
}

void text_list_free(char **list, int n) {
  for (int i = 0; list && i < n; i++) { free(list[i]); }
  free(list);
}
