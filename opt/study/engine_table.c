#include <string.h>

#include "study/engine.h"

#define MBO_ENGINES(X) X(local) X(slurm) /* a new engine is one word here, and one in the choices of [study] engine */
#define X(n)           extern const engine_ops mbo_engine_##n;
MBO_ENGINES(X)
#undef X
static const engine_ops *const engines[] = {
#define X(n) &mbo_engine_##n,
    MBO_ENGINES(X)
#undef X
};

enum { N_ENGINES = sizeof engines / sizeof engines[0] };

const engine_ops *engine_at(int i) {
  return i >= 0 && i < N_ENGINES ? engines[i] : NULL;
}

const engine_ops *engine_find(const char *name) {
  for (int i = 0; i < N_ENGINES; i++) {
    if (strcmp(engines[i]->name, name) == 0) { return engines[i]; }
  }
  return NULL;
}

mbd_status engine_check_idle(const char *folder, mbd_error *err) {
  char text[400];
  double since;
  for (int i = 0; i < N_ENGINES; i++) {
    int there = 0;
    if (engines[i]->describe) { MBD_TRY(engines[i]->describe(folder, &there, text, sizeof text, &since, err)); }
    if (!there) { continue; }
    if (there > 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: %s; wait for it, or end it with %s", folder, text, engines[i]->end);
    }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: %s; the job may still be doing runs of this study: ask again when the queue answers, or remove %s/%s "
             "if the job is over",
             folder, text, folder, engines[i]->file);
  }
  return MBD_OK;
}
