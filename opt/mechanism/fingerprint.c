/* What tells problems apart. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/fingerprint.h"
#include "files/text_stream.h"
#include "mechanism/mechanism.h"

/* 0: no memory to open it. */
static int write_file(FILE *out, const char *path) {
  FILE *file = fopen(path, "r");
  if (!file && errno == ENOMEM) { return 0; }
  for (int k; file && (k = getc(file)) != EOF;) { putc(k, out); }
  if (file) { fclose(file); }
  return 1;
}

/* The model file, those of its parts, their numbers, what the plugins are that it refers to, and what was measured. */
static int write_model(FILE *out, const mechanism *m) {
  int whole = write_file(out, m->config->model_path);
  for (int i = 0; i < m->config->nplugin && whole; i++) {
    if (!m->plugin[i].force) { continue; }
    fprintf(out, "%s,", m->config->plugin[i].name);
    whole = write_file(out, m->config->plugin[i].file);
  }
  for (int i = 0; i < m->config->nmeasurement && whole; i++) {
    whole = write_file(out, m->config->measurement[i].file);
  }
  for (int i = 0; i < m->nvariant && whole; i++) {
    const mbo_model_file *f = m->variant[i].file;
    const mbd_spec *s = mbo_model_file_spec(f);
    const char *part;
    for (int k = 0; (part = mbo_model_file_part(f, k)) != NULL && whole; k++) { whole = write_file(out, part); }
    for (int k = 0; k < mbd_spec_ncoef(s); k++) { fprintf(out, "%a,", mbd_spec_nominal(s, k)); }
  }
  return whole;
}

/* The configuration with the tables of measurements by their names alone, since they may be moved. 0: no memory. */
static int write_config(FILE *out, const mbo_run_config *c) {
  mbo_run_config moved = *c;
  const size_t n = (size_t)c->nmeasurement;
  moved.measurement = calloc(n + 1, sizeof *moved.measurement);
  for (size_t i = 0; moved.measurement && i < n; i++) {
    mbo_measurement_config *k = &moved.measurement[i];
    *k = c->measurement[i];
    char *slash = strrchr(k->file, '/');
    k->file = slash ? slash + 1 : k->file;
  }
  const int whole = moved.measurement && mbo_run_config_write(&moved, out) == MBD_OK;
  free(moved.measurement);
  return whole;
}

char *mechanism_fingerprint(const mechanism *m) {
  text_stream s;
  FILE *out = text_begin(&s);
  size_t configuration = 0;
  int whole = out != NULL;
  if (out) {
    whole = write_config(out, m->config);
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
