#include "evaluate/fingerprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

unsigned long long fingerprint_add(unsigned long long hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) { hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211ULL; }
  return hash;
}

unsigned long long fingerprint_text(unsigned long long hash, const char *text) {
  return fingerprint_add(hash, text, strlen(text) + 1);
}

/* The model file and its numbers. */
static void write_model(FILE *out, const mechanism *m) {
  FILE *model = fopen(m->config->model_path, "r");
  for (int k; model && (k = getc(model)) != EOF;) { putc(k, out); }
  if (model) { fclose(model); }
  for (int i = 0; i < m->nvariant; i++) {
    const mbd_spec *s = mbo_model_file_spec(m->variant[i].file);
    for (int k = 0; k < mbd_spec_ncoef(s); k++) { fprintf(out, "%a,", mbd_spec_nominal(s, k)); }
  }
}

char *mechanism_fingerprint(const mechanism *m) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) { return NULL; }
  mbo_run_config_write(m->config, out);
  fflush(out);
  const size_t configuration = size;
  write_model(out, m);
  fclose(out);
  const char *begin = strstr(text, "\n[scalars]"), *end = strstr(text, "\n[optimizer]");
  unsigned long long hash = fingerprint_add(FINGERPRINT_NONE, begin, (size_t)(end - begin));
  hash = fingerprint_add(hash, text + configuration, size - configuration);
  free(text);
  return mbd_sprintf_dup("%016llx", hash);
}
