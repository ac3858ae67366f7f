#include "evaluate/warnings.h"

#include "evaluate/json_number.h"
#include "evaluate/json_text.h"

json_t *warnings_json(const mechanism *m) {
  json_t *a = json_array();
  for (int i = 0; i < m->ncase; i++) {
    int n;
    const mbd_warning *w = mbd_sim_warnings(m->cases[i].sim, &n);
    for (int k = 0; k < n; k++) {
      json_array_append_new(a, json_pack("{s:s, s:s, s:o, s:o}", "case", m->cases[i].config->name, "kind", w[k].kind,
                                         "time", json_number(w[k].time), "text", json_text(w[k].text)));
    }
  }
  return a;
}
