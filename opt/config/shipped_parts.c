#include "config/shipped_parts.h"

#include <string.h>

#include "base/memory.h"

static const struct {
  const char *name, *text;
} parts[] =
    {
#define X(name) {#name, shipped_part_##name##_ini},
        SHIPPED_PARTS(X)
#undef X
},
  tyres[] = {
#define X(name) {#name, shipped_part_##name##_tir},
      SHIPPED_TYRES(X)
#undef X
};

enum { PARTS = sizeof parts / sizeof parts[0], TYRES = sizeof tyres / sizeof tyres[0] };

static const char from[] = " (a part of mbopt)";

const char *shipped_part_name(int i) {
  return i < PARTS ? parts[i].name : NULL;
}

const char *shipped_part_text(int i) {
  return parts[i].text;
}

const char *shipped_tyre_name(int i) {
  return i < TYRES ? tyres[i].name : NULL;
}

const char *shipped_tyre_text(int i) {
  return tyres[i].text;
}

const char *shipped_title(const char *text, int *n) {
  static const char key[] = "title = ";
  const char *at = strstr(text, key) + strlen(key);
  *n = (int)strcspn(at, "\n");
  return at;
}

char *shipped_part_path(int i) {
  return mbd_sprintf_dup("%s%s", parts[i].name, from);
}

const char *shipped_part_at(const char *path) {
  for (int i = 0; i < PARTS; i++) {
    const size_t n = strlen(parts[i].name);
    if (strncmp(path, parts[i].name, n) == 0 && strcmp(path + n, from) == 0) { return parts[i].text; }
  }
  return NULL;
}
