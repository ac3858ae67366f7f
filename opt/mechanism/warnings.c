#include "mechanism/warnings.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/json.h"
#include "files/text_stream.h"
#include "mechanism/lockstep.h"

/* Does no coefficient of any case, or of a value, change with variable k at the design that is set? */
static int is_idle(const mechanism *m, int k) {
  for (int i = 0; i < m->nvariant; i++) {
    const int *start = m->variant[i].start;
    if (!start || start[k + 1] > start[k]) { return 0; }
  }
  return 1;
}

static void warn_of_idle(const mechanism *m, json_t *list) {
  for (int k = 0; k < m->n; k++) {
    char *text = is_idle(m, k) ? mbd_sprintf_dup(
                                     "design variable '%s' changes nothing at this design: no number of the "
                                     "model, and no value, depends on it",
                                     m->name[k])
                               : NULL;
    if (text) {
      json_array_append_new(list, json_pack("{s:s, s:n, s:o}", "kind", "idle", "time", "text", json_text(text)));
    }
    free(text);
  }
}

static const char *name_of(const mechanism_case *load, char name[300]) {
  const int scenario = load->config->scenario;
  snprintf(name, 300, "%.250s", load->config->name);
  if (scenario > 0) { snprintf(name + strlen(name), 300 - strlen(name), ", scenario %d", scenario); }
  return name;
}

/* Has a scenario of the same case, before this one, a warning of this kind? One for all of them is enough. */
static int is_told(const mechanism *m, const mechanism_case *load, const char *kind) {
  const mbd_warning *w;
  for (const mechanism_case *other = m->cases + m->ncase; load->config->scenario > 0 && other < load; other++) {
    if (strcmp(other->config->name, load->config->name) != 0) { continue; }
    for (int k = 0; (w = case_warning(other, k)) != NULL; k++) {
      if (strcmp(w->kind, kind) == 0) { return 1; }
    }
  }
  return 0;
}

/* {case, kind, time, text}; where outputs are undetermined, the text names the objectives and constraints that read one, and "outputs" is the
 * list of all. */
static json_t *warning_json(const mechanism *m, const mechanism_case *load, const mbd_warning *w) {
  const int undetermined = strcmp(w->kind, "undetermined") == 0;
  json_t *outputs = undetermined ? json_array() : NULL;
  text_stream s;
  char name[300];
  FILE *out = text_begin(&s);
  int last = -1;
  /* The text, followed by the quantities that read an undetermined output. Terms of one quantity are consecutive. */
  if (out) { fputs(w->text, out); }
  for (int i = 0; out && undetermined && i < load->nterm; i++) {
    const int quantity = scenarios_owner(m, load->quantity[load->term[i].psi]);
    if (quantity == last || !case_undetermined(load, load->term[i].output)) { continue; }
    fprintf(out, "%s'%s'", last < 0 ? "; read by " : ", ", mechanism_quantity(m, quantity));
    last = quantity;
  }
  /* All undetermined outputs of the case. */
  for (int i = 0; undetermined && i < mbd_outputs_count(load->outputs); i++) {
    if (case_undetermined(load, i)) { json_array_append_new(outputs, json_text(mbd_outputs_name(load->outputs, i))); }
  }
  /* Without memory for the longer text the warning has its own one. */
  char *text = text_end(&s);
  json_t *one = json_pack("{s:s, s:s, s:o, s:o, s:o*}", "case", name_of(load, name), "kind", w->kind, "time",
                          json_number(w->time), "text", json_text(text ? text : w->text), "outputs", outputs);
  free(text);
  return one;
}

json_t *warnings_json(const mechanism *m) {
  json_t *a = json_array();
  warn_of_idle(m, a);
  modes_warn(m, a);
  if (m->start_moved) {
    json_array_append_new(a,
                          json_pack("{s:s, s:s}", "kind", "start", "text",
                                    "a kinematic case locks at the start as it was drawn, which was moved to a design "
                                    "beside it that does not lock"));
  }
  for (int i = 0; i < m->nload; i++) {
    const mechanism_case *load = &m->cases[i];
    const mbd_warning *w;
    char name[300];
    for (int k = 0; (w = case_warning(load, k)) != NULL; k++) {
      /* What the growth of sensitivities means for the gradient has been measured (along.h). */
      if (strcmp(w->kind, "growth") != 0 && !is_told(m, load, w->kind)) {
        json_array_append_new(a, warning_json(m, load, w));
      }
    }
    if (*load->doubt) {
      json_array_append_new(a, json_pack("{s:s, s:s, s:o, s:o}", "case", name_of(load, name), "kind", "growth", "time",
                                         json_number(load->doubt_time), "text", json_text(load->doubt)));
    }
  }
  return a;
}
