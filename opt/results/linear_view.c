#include "results/linear_view.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/json.h"
#include "files/text_stream.h"
#include "mechanism/modes.h"
#include "results/scene.h"
#include "mechanism/units.h"

static const double steady_below = 1e-3; /* accelerations [m/s^2], [rad/s^2] below this count as zero */
static const double seen_from = 0.2;     /* least share, relative to the largest, of coordinates named with a mode */
static const double lost_from = 1e-6;    /* residual of an eigenvector that says nothing */

char *linear_moves(const mechanism *m, const mechanism_case *load, const mbd_linear *l, int mode) {
  const mbd_model *model = load->v->model;
  const char *name = modes_name_of(m, load, l->re[mode], l->im[mode]);
  text_stream s;
  FILE *out = text_begin(&s);
  if (out && name) { fprintf(out, "%s: ", name); }
  if (out && !(l->residual[mode] <= lost_from)) {
    fprintf(out, "(the shape is lost in rounding: residual %.1e)", l->residual[mode]);
    return text_end(&s);
  }
  int n = 0;
  for (int k = 0; out && k < l->n; k++) {
    const double moved = l->share[mode * l->n + k];
    if (moved >= seen_from) { fprintf(out, "%s%s %.2f", n++ ? ", " : "", mbd_model_z_name(model, l->z[k]), moved); }
  }
  /* States have units of their own and are compared with each other only. */
  for (int k = 0, of_states = 0; out && k < l->nstate; k++) {
    const double changes = l->state_shape[mode * l->nstate + k];
    if (changes < seen_from) { continue; }
    fprintf(out, "%s%s %.2f", of_states++ ? ", " : n ? "; " : "", linear_state_name(model, l, k), changes);
  }
  return text_end(&s);
}

/* The largest sqrt(|a_ij a_ji|) of a block [n][n] of A. */
static double size_of_block(const mbd_linear *l, int n, int first_row, int first_col) {
  const int order = linear_order(l);
  const double *a = l->A + order * first_row + first_col;
  double max = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) { max = fmax(max, sqrt(fabs(a[order * i + j])) * sqrt(fabs(a[order * j + i]))); }
  }
  return max;
}

/* The size of the accelerations row i by displacements along rate j: those of all coordinates that it moves, |w'_y| |y'_w|. */
static double along_rate(const mbd_linear *l, int i, int j) {
  const int order = linear_order(l);
  double sum = 0;
  for (int k = 0; k < l->n; k++) { sum += fabs(l->A[order * (l->n + i) + k]) * fabs(l->A[order * k + l->n + j]); }
  return sum;
}

/* The largest sqrt(|p_ij p_ji|) of these sizes p; without velocity constraints p are accelerations by displacements. */
static double size_of_stiffness(const mbd_linear *l) {
  double max = 0;
  for (int i = 0; i < l->nrate; i++) {
    for (int j = 0; j <= i; j++) { max = fmax(max, sqrt(along_rate(l, i, j)) * sqrt(along_rate(l, j, i))); }
  }
  return max;
}

/* The largest rate of a state by itself. */
static double size_of_states(const mbd_linear *l) {
  double max = 0;
  for (int i = l->n + l->nrate; i < linear_order(l); i++) { max = fmax(max, fabs(l->A[i * linear_order(l) + i])); }
  return max;
}

double linear_zero_below(const mbd_linear *l) {
  const double rounding = linear_order(l) * DBL_EPSILON;
  const double underflow = sqrt(DBL_MIN); /* bound of lambda^2 if all entries of A are zero */
  const double rates = fmax(size_of_block(l, l->nrate, l->n, l->n), size_of_block(l, l->n, 0, 0));
  const double first_order = rounding * fmax(rates, size_of_states(l));
  return fmax(underflow, fmax(sqrt(rounding * size_of_stiffness(l)), first_order));
}

int linear_is_zero(const mbd_linear *l, int mode) {
  const int found = l->rigid[mode] && l->im[mode] == 0;
  return found || hypot(l->re[mode], l->im[mode]) <= linear_zero_below(l);
}

/* A mode as integers; it is scaled, since the size of a mode has no meaning. */
static json_t *mode(int n, const double *v) {
  enum { LARGEST = 9999 };
  double max = 0;
  json_t *list = json_array();
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(v[i])); }
  for (int i = 0; i < n; i++) { json_array_append_new(list, json_integer(max > 0 ? lround(v[i] / max * LARGEST) : 0)); }
  return list;
}

static json_t *acceleration(const mbd_model *model, const mbd_linear *l) {
  if (l->n == 0 || l->acceleration <= steady_below) { return json_string(""); }
  return json_own_text(
      mbd_sprintf_dup("%s accelerates by %.3g", mbd_model_z_name(model, l->accelerated), l->acceleration));
}

static json_t *value_json(const char *value) {
  char *end;
  if (!value) { return json_null(); }
  const double v = strtod(value, &end);
  return *end == '\0' && isfinite(v) ? json_real(v) : json_text(value);
}

/* Collects eigenvalues, texts and modes of one linearization, and the mechanism at its start. */
mbd_status linear_view(const mechanism *m, const mechanism_case *load, mbd_sim *sim, const mbd_linear *l,
                       const double *bodies, const char *value, json_t **out, mbd_error *err) {
  const mbd_model *model = load->v->model;
  const int size = 12 * mbd_model_nbody(model);
  json_t *scene;
  MBD_TRY(scene_at_start(m, load, sim, &scene, err));
  json_t *roots = json_array(), *moves = json_array(), *modes = json_array();
  for (int i = 0; i < linear_order(l); i++) {
    json_array_append_new(roots, json_pack("[o,o]", json_number(l->re[i]), json_number(l->im[i])));
    json_array_append_new(moves, json_own_text(linear_moves(m, load, l, i)));
    json_array_append_new(modes, bodies && l->im[i] >= 0 ? mode(size, bodies + (size_t)i * (size_t)size) : json_null());
  }
  *out = json_pack("{s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:O, s:O, s:O}", "case", json_text(load->config->name), "value",
                   value_json(value), "roots", roots, "zero", linear_zero_below(l), "moves", moves, "modes", modes,
                   "acceleration", acceleration(model, l), "up", json_object_get(scene, "up"), "scene",
                   json_object_get(scene, "case"), "meshes", json_object_get(scene, "meshes"));
  json_decref(scene);
  return *out ? MBD_OK : MEMORY_NONE(err, "the page");
}

const char *linear_unit(const mechanism *m, const char *key) {
  static const char of_scalars[] = "scalars.";
  if (!key) { return ""; }
  const char *unit =
      unit_of_scalar(m, strncmp(key, of_scalars, strlen(of_scalars)) == 0 ? key + strlen(of_scalars) : key);
  return unit_is_none(unit) ? "" : unit;
}
