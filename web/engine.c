/* What pages ask of the library beside the functions of mbo/run.h: the data that a report shows of a design, and words of the last failure. Texts are JSON,
 * valid until the next call. */
#include <stdlib.h>
#include <string.h>

#include "api/run.h"
#include "files/json.h"
#include "results/run_folder.h"
#include "results/run_view.h"

mbd_error *engine_error(void);
const char *engine_failure(void);
const char *engine_view(mbo_run *r, const double *x);

void engine_begin(mbo_run *r, const double *x);

static mbd_error error; /* of the call before; JavaScript knows no layout of structures */
static char *text;

static const char *give(json_t *o) {
  free(text);
  text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(o);
  return text;
}

mbd_error *engine_error(void) {
  return &error;
}

const char *engine_failure(void) {
  return give(json_pack("{s:s, s:s, s:s, s:o}", "status", mbd_status_name(error.code), "means",
                        mbd_status_text(error.code), "text", error.text, "time",
                        error.time == error.time ? json_real(error.time) : json_null()));
}

/* x [variables] is the start of what follows, until mbo_run_change. */
void engine_begin(mbo_run *r, const double *x) {
  memcpy(r->m->start, x, (size_t)r->m->n * sizeof *x);
}

/* run_view_create of x [variables] in the place of the start; NULL on failure. */
const char *engine_view(mbo_run *r, const double *x) {
  double *const start = r->m->start;
  double *here = malloc((size_t)r->m->n * sizeof *here + 1);
  if (!here) { return NULL; }
  memcpy(here, x, (size_t)r->m->n * sizeof *here);
  const run_folder f = {.kind = RUN_SIMULATE,
                        .path = r->path,
                        .run_file = r->path,
                        .config = r->config,
                        .m = r->m,
                        .before = "now",
                        .after = "now"};
  json_t *o = NULL;
  r->m->start = here;
  const mbd_status status = run_view_create(&f, RUN_VIEW_PAGE | RUN_VIEW_CURVES | RUN_VIEW_LOOK, &o, &error);
  r->m->start = start;
  free(here);
  return status == MBD_OK ? give(o) : NULL;
}
