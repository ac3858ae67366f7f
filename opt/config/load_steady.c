/* What a steady motion of a load case is given: its speed, and its curvature or lateral acceleration, as curves over time; a number is a polynomial of
 * degree 0, with the name of the key. */
#include <ctype.h>
#include <stdlib.h>

#include "base/memory.h"
#include "config/load_model.h"

/* MBD_BAD_INPUT for a single word that is neither a curve nor a scalar, with the curve that may be meant. */
static mbd_status check_word(loader *l, const char *text) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = text};
  if (!isalpha((unsigned char)text[0]) || !ini_valid_name(text) || load_find_scalar(l, text) >= 0) { return MBD_OK; }
  for (int k = 0; k < l->npart; k++) { ini_offer_names(&l->part[k]->f, "curve", &near); }
  MBD_FAIL(l->err, MBD_BAD_INPUT, "the model %s has no curve or scalar '%s'%s", l->m->path, text,
           mbd_nearest_text(&near, hint, sizeof hint));
}

static mbd_status make_curve(loader *l, const char *key, const char *text, char **name) {
  int first = -1;
  if (load_find(l, "curve", text)) {
    *name = mbd_strdup(load_curve_instead(l, text));
    return *name ? MBD_OK : load_no_memory(l);
  }
  MBD_TRY(check_word(l, text));
  *name = mbd_strdup(key);
  if (!*name) { return load_no_memory(l); }
  MBD_TRY(load_coefficient(l, NULL, NULL, key, text, NULL, LOAD_ANY, &first));
  return mbd_spec_curve(l->m->spec, key, "polynomial", 1, first, 0, NULL, l->err);
}

mbd_status load_steady(loader *l) {
  static const char *const key[] = {"steady.speed", "steady.curvature", "steady.lateral_acceleration"};
  const mbo_case_config *of = l->of_case;
  if (!of) { return MBD_OK; }
  const char *const text[] = {of->steady_speed, of->steady_curvature, of->steady_lateral_acceleration};
  for (int i = 0; i < 3; i++) {
    if (!text[i] || !*text[i]) { continue; }
    const mbd_status status = make_curve(l, key[i], text[i], &l->m->steady[i]);
    if (status == MBD_OK) { continue; }
    return mbd_locate(l->err, status, "%s[case %s] %s = %s, expected a curve of the model or a number: ", l->run,
                      of->name, key[i], text[i]);
  }
  return MBD_OK;
}
