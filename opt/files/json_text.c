#include "files/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/text_file.h"
#include "base/memory.h"
#include "files/json_memory.h"

json_t *json_text(const char *text) {
  json_t *whole = json_string(text);
  char *ascii = whole ? NULL : mbd_strdup(text);
  for (char *c = ascii; c && *c; c++) {
    if ((unsigned char)*c > 127) { *c = '?'; }
  }
  if (ascii) { whole = json_string(ascii); }
  if (text && !whole) { json_memory_note(); }
  free(ascii);
  return whole;
}

json_t *json_read_file(const char *path, json_error_t *why) {
  text_file in;
  mbd_error err = {0};
  if (text_file_read(path, TEXT_FILE_TABLE, &in, &err) != MBD_OK) {
    if (err.code == MBD_NO_MEMORY) { json_memory_note(); }
    const size_t n = strlen(path); /* the message begins with it; there is no room for long ones */
    const char *reason = strncmp(err.text, path, n) == 0 ? err.text + n + strspn(err.text + n, ": ") : err.text;
    if (why) {
      *why = (json_error_t){.line = 0};
      snprintf(why->text, sizeof why->text, "%.*s", (int)sizeof why->text - 1, reason);
    }
    return NULL;
  }
  json_t *o = json_loads(in.rest, 0, why);
  text_file_free(&in);
  return o;
}
