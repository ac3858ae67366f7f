/* The fingerprint of a problem, which differs if the problem does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/shipped_parts.h"
#include "evaluate/fingerprint.h"
#include "files/text_stream.h"
#include "mechanism/mechanism.h"

/* Writes the contents of a file or of a part of mbopt, nothing where a file cannot be read. */
static void write_file(FILE *out, const char *path) {
  const char *text = shipped_part_at(path);
  FILE *file = text ? NULL : fopen(path, "r");
  if (text) { fputs(text, out); }
  if (!text && !file && errno == ENOMEM) { mbd_memory_note(); }
  for (int k; file && (k = getc(file)) != EOF;) { putc(k, out); }
  if (file) { fclose(file); }
}

/* Writes the contents of the model file and of its parts, their numbers, the plugins to which they refer, and the measured series. */
static void write_model(FILE *out, const mechanism *m) {
  write_file(out, m->config->model_path);
  for (int i = 0; i < m->config->nplugin; i++) {
    if (!m->plugin[i].force) { continue; }
    fprintf(out, "%s,", m->config->plugin[i].name);
    write_file(out, m->config->plugin[i].file);
  }
  for (int i = 0; i < m->config->nmeasurement; i++) { write_file(out, m->config->measurement[i].file); }
  for (int i = 0; i < m->nvariant; i++) {
    const mbo_model_file *f = m->variant[i].file;
    const mbd_spec *spec = mbo_model_file_spec(f);
    const char *part;
    for (int k = 0; (part = mbo_model_file_part(f, k)) != NULL; k++) { write_file(out, part); }
    for (int k = 0; k < mbd_spec_ncoef(spec); k++) { fprintf(out, "%a,", mbd_spec_nominal(spec, k)); }
  }
}

/* The name of a file without its folder. */
static char *name_alone(char *path) {
  char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void mechanism_write_moved(const mbo_run_config *c, FILE *out) {
  mbo_run_config moved = *c;
  const size_t n = (size_t)c->nmeasurement, np = (size_t)c->nplugin;
  moved.measurement = mbd_zeros(n, sizeof *moved.measurement);
  moved.plugin = mbd_zeros(np, sizeof *moved.plugin);
  const int whole = moved.measurement && moved.plugin;
  for (size_t i = 0; whole && i < n; i++) {
    moved.measurement[i] = c->measurement[i];
    moved.measurement[i].file = name_alone(c->measurement[i].file);
  }
  for (size_t i = 0; whole && i < np; i++) {
    moved.plugin[i] = c->plugin[i];
    moved.plugin[i].file = name_alone(c->plugin[i].file);
  }
  if (whole) { mbo_run_config_write(&moved, out); }
  free(moved.measurement), free(moved.plugin);
}

/* Hashes the configuration between [scalars] and [optimizer], and the contents of the model. */
char *mechanism_fingerprint(const mechanism *m) {
  const long lost = mbd_memory_lost();
  text_stream s;
  FILE *out = text_begin(&s);
  size_t configuration = 0;
  /* The whole configuration and the contents of the model as one text. */
  if (out) {
    mechanism_write_moved(m->config, out);
    fflush(out);
    configuration = s.size;
    write_model(out, m);
  }
  char *text = text_end(&s);
  if (mbd_memory_lost() > lost) {
    free(text);
    return NULL;
  }
  /* Of the configuration only the part from [scalars] to [optimizer] determines results; the model follows it. */
  const char *begin = strstr(text, "\n[scalars]"), *end = strstr(text, "\n[optimizer]");
  unsigned long long hash = fingerprint_add(FINGERPRINT_NONE, begin, (size_t)(end - begin));
  hash = fingerprint_add(hash, text + configuration, s.size - configuration);
  free(text);
  return mbd_sprintf_dup("%016llx", hash);
}
