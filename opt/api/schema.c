/* The keys of all files as a text in memory, for bindings that make files. */
#include <stdlib.h>

#include "files/text_stream.h"
#include "config/config.h"
#include "mbo/run.h"
#include "files/memory.h"

mbd_status mbo_schema_text(const char *format, char **out, mbd_error *err) {
  text_stream s;
  *out = NULL;
  MEMORY_TRY(text_begin(&s), err, "the list of keys");
  const mbd_status status = mbo_schema_write(s.out, format, err);
  char *text = text_end(&s);
  if (status != MBD_OK) {
    free(text);
    return status;
  }
  MEMORY_TRY(text, err, "the list of keys");
  *out = text;
  return MBD_OK;
}

void mbo_text_free(char *text) {
  free(text);
}
