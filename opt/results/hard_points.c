#include "results/hard_points.h"

#include <string.h>

#include "base/v3.h"
#include "config/model_file.h"
#include "files/json.h"

typedef struct listing {
  const mechanism_case *load;
  json_t *points, *scalars;
} listing;

static json_t *file_text(const mbo_model_file *f, int file) {
  return json_text(file >= 0 && file < f->nfile ? f->file[file] : f->path);
}

/* Names the scalars of an expression; those that are new, with what they are equal to, are described. */
static void name_scalars(const listing *l, const mbo_expr *x, json_t *names) {
  const mbo_model_file *f = l->load->v->file;
  for (int i = 0; i < x->nname; i++) {
    const model_scalar *scalar = &f->scalar[x->index[i]];
    json_array_append_new(names, json_string(scalar->name));
    if (json_object_get(l->scalars, scalar->name)) { continue; }
    json_t *used = json_array();
    json_object_set_new(
        l->scalars, scalar->name,
        json_pack("{s:o, s:i, s:o, s:o, s:b}", "file", file_text(f, scalar->file), "line", scalar->line, "text",
                  json_text(scalar->expr.text), "scalars", used, "variable", scalar->design > 0));
    if (mbo_expr_is_name(&scalar->expr)) { name_scalars(l, &scalar->expr, used); }
  }
}

/* The number of a body by its name, 0 being the ground. */
static int find_body(const mbd_model *m, const char *name, size_t n) {
  for (int i = 1; i <= mbd_model_nbody(m); i++) {
    mbd_body_report body;
    mbd_model_body(m, i, &body);
    if (strlen(body.name) == n && strncmp(body.name, name, n) == 0) { return i; }
  }
  return 0;
}

/* Lists the place of which coefficient k is the first of three. */
static void add(const listing *l, int k, const char *kind, const char *name, size_t n, int body) {
  const mechanism_variant *v = l->load->v;
  const mbo_model_file *f = v->file;
  const double *x = v->theta + k;
  double at[3], A[9];
  json_t *names = json_array();
  if (f->line[k].line == 0) { /* left out */
    json_decref(names);
    return;
  }
  mbd_sim_pose(l->load->sim, body, at, A);
  m3_vec_add(at, A, x);
  for (int i = 0; i < 3; i++) { name_scalars(l, &f->coef[k + i], names); }
  json_array_append_new(
      l->points, json_pack("{s:s%, s:s, s:i, s:o, s:o, s:o, s:i, s:o}", "name", name, n, "kind", kind, "body", body - 1,
                           "x", json_numbers(x, 3), "at", json_numbers(at, 3), "file", file_text(f, f->line[k].file),
                           "line", f->line[k].line, "scalars", names));
}

/* The coefficients of a place are called point.NAME@BODY.x, .y, .z, and body.NAME.com.x, .y, .z (load_bodies.c). */
void hard_points_view(const mechanism_case *load, json_t *o) {
  static const char of_point[] = "point.", of_body[] = "body.", com[] = ".com.x";
  const listing l = {load, json_array(), json_object()};
  const mbd_model *m = load->v->model;
  for (int k = 0; k < load->v->file->ncoef - 2; k++) {
    const char *name = mbd_model_coef_name(m, k), *at = strchr(name, '@'), *end = strrchr(name, '.');
    if (!end || strcmp(end, ".x") != 0) { continue; }
    if (strncmp(name, of_point, sizeof of_point - 1) == 0 && at) {
      const char *first = name + sizeof of_point - 1;
      add(&l, k, "point", first, (size_t)(at - first), find_body(m, at + 1, (size_t)(end - at - 1)));
    } else if (strncmp(name, of_body, sizeof of_body - 1) == 0 && end - name > (ptrdiff_t)sizeof com &&
               strcmp(end - (sizeof com - 3), com) == 0) {
      const char *first = name + sizeof of_body - 1;
      const size_t n = (size_t)(end - (sizeof com - 3) - first);
      add(&l, k, "com", first, n, find_body(m, first, n));
    }
  }
  json_object_set_new(o, "points", l.points);
  json_object_set_new(o, "scalars", l.scalars);
}
