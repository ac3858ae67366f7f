/* What tells problems apart. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/fingerprint.h"
#include "files/text_stream.h"
#include "mechanism/mechanism.h"

/* The model file and its numbers. 0: no memory to open it. */
static int write_model(FILE *out, const mechanism *m) {
  FILE *model = fopen(m->config->model_path, "r");
  if (!model && errno == ENOMEM) { return 0; }
  for (int k; model && (k = getc(model)) != EOF;) { putc(k, out); }
  if (model) { fclose(model); }
  for (int i = 0; i < m->nvariant; i++) {
    const mbd_spec *s = mbo_model_file_spec(m->variant[i].file);
    for (int k = 0; k < mbd_spec_ncoef(s); k++) { fprintf(out, "%a,", mbd_spec_nominal(s, k)); }
  }
  return 1;
}

char *mechanism_fingerprint(const mechanism *m) {
  text_stream s;
  FILE *out = text_begin(&s);
  size_t configuration = 0;
  int whole = out != NULL;
  if (out) {
    whole = mbo_run_config_write(m->config, out) == MBD_OK;
    fflush(out);
    configuration = s.size;
    whole &= write_model(out, m);
  }
  char *text = text_end(&s);
  if (!text || !whole) {
    free(text);
    return NULL;
  }
  const char *begin = strstr(text, "\n[scalars]"), *end = strstr(text, "\n[optimizer]");
  unsigned long long hash = fingerprint_add(FINGERPRINT_NONE, begin, (size_t)(end - begin));
  hash = fingerprint_add(hash, text + configuration, s.size - configuration);
  free(text);
  return mbd_sprintf_dup("%016llx", hash);
}
