/* What an optimum costs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/run.h"
#include "files/memory.h"
#include "stages/post_optimality.h"

struct mbo_prices {
  post_optimality is;
  char **unit; /* [is.n] */
};

mbd_status mbo_run_prices(mbo_run *r, const double *x, int first_changes, mbo_prices **out, mbd_error *err) {
  *out = NULL;
  mbo_prices *p = calloc(1, sizeof *p);
  MEMORY_TRY(p, err, "what the optimum costs");
  mbd_status status = post_optimality_create(r->m, run_begin(r, x), NULL, r->config->optimizer.tol_constraint,
                                             first_changes, &p->is, err);
  if (status == MBD_OK && !p->is.is) {
    status =
        MBD_FAILED(err, MBD_BAD_INPUT,
                   "%s: the design is no optimum, since a constraint is violated or the conditions leave more than a "
                   "thousandth of the objective; expected one of an optimization that has converged",
                   r->path);
  }
  if (status == MBD_OK) {
    p->unit = calloc((size_t)p->is.n + 1, sizeof *p->unit);
    for (int i = 0; p->unit && i < p->is.n; i++) { p->unit[i] = price_unit(r->m, &p->is.price[i]); }
    status = p->unit ? MEMORY_WHOLE(err, "what the optimum costs") : MEMORY_NONE(err, "what the optimum costs");
  }
  if (status != MBD_OK) {
    mbo_prices_free(p);
    return status;
  }
  *out = p;
  return MBD_OK;
}

void mbo_prices_free(mbo_prices *p) {
  if (!p) { return; }
  for (int i = 0; p->unit && i < p->is.n; i++) { free(p->unit[i]); }
  free(p->unit);
  post_optimality_free(&p->is);
  free(p);
}

int mbo_prices_count(const mbo_prices *p) {
  return p->is.n;
}

int mbo_prices_unique(const mbo_prices *p) {
  return !p->is.several;
}

const char *mbo_prices_unknown(const mbo_prices *p) {
  return p->is.why;
}

const char *mbo_price_text(const mbo_prices *p, int i, const char *name) {
  const price *one = &p->is.price[i];
  const char *side = price_side(one->of);
  const struct {
    const char *name, *text;
  } texts[] = {{"name", one->name}, {"kind", price_kind(one->of)}, {"side", side ? side : ""}, {"unit", p->unit[i]}};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    if (strcmp(texts[k].name, name) == 0) { return texts[k].text; }
  }
  /* of what changes first */
  const first_change *c = strncmp(name, "below.", 6) == 0   ? &one->below
                          : strncmp(name, "above.", 6) == 0 ? &one->above
                                                            : NULL;
  if (!c || !c->is) { return NULL; }
  const char *key = name + 6;
  return strcmp(key, "change") == 0 ? (c->is_reached ? "reached" : "released")
         : strcmp(key, "kind") == 0 ? price_kind(c->of)
         : strcmp(key, "side") == 0 ? price_side(c->of)
         : strcmp(key, "name") == 0 ? c->name
                                    : NULL;
}

double mbo_price_number(const mbo_prices *p, int i, const char *name) {
  const price *one = &p->is.price[i];
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"at", one->at},
                 {"slope", one->slope},
                 {"percent", one->percent},
                 {"below", one->below.is ? one->below.at : NAN},
                 {"above", one->above.is ? one->above.at : NAN}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    if (strcmp(numbers[k].name, name) == 0) { return numbers[k].value; }
  }
  return NAN;
}
