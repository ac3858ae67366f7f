#include "evaluate/json_text.h"

#include <stdlib.h>

#include "core/memory.h"

json_t *json_text(const char *text) {
  json_t *whole = json_string(text);
  char *ascii = whole ? NULL : mbd_strdup(text);
  for (char *c = ascii; c && *c; c++) {
    if ((unsigned char)*c > 127) { *c = '?'; }
  }
  if (ascii) { whole = json_string(ascii); }
  free(ascii);
  return whole;
}
