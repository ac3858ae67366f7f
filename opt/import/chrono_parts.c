#include "import/chrono_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/v3.h"
#include "files/json.h"
#include "files/text_list.h"
#include "files/text_stream.h"
#include "import/chrono_texts.h"
#include "import/robot_fill.h"

mbd_status chrono_add_file(chrono_model *m, char *name, char *text, mbd_error *err) {
  const int whole = text_list_take(&m->name, &m->nname, name) & text_list_take(&m->text, &m->ntext, text);
  return whole ? MBD_OK : MEMORY_NONE(err, "files of a vehicle");
}

mbd_status chrono_warn(chrono_model *m, const chrono_file *f, const char *key, const char *what, mbd_error *err) {
  mbd_error text = {0};
  (void)chrono_fail(f, key, &text, "%s", what);
  return text_list_add(&m->warning, &m->nwarning, text.text) ? MBD_OK : MEMORY_NONE(err, "%s", f->path);
}

mbd_status chrono_template(const chrono_file *f, const char *type, json_t **row, mbd_error *err) {
  const char *name, *known;
  char hint[MBD_HINT];
  json_t *member;
  *row = NULL;
  MBD_TRY(chrono_text(f, "Template", &name, err));
  json_t *all = json_loads(chrono_text_templates_json, 0, NULL), *of_type = json_object_get(all, type);
  mbd_nearest near = {.requested = name};
  json_object_foreach(of_type, known, member) {
    mbd_nearest_offer(&near, known);
  }
  *row = json_incref(json_object_get(of_type, name));
  mbd_nearest_text(&near, hint, sizeof hint);
  json_decref(all);
  MBD_TRY(MEMORY_WHOLE(err, "%s", f->path));
  return *row ? MBD_OK : chrono_fail(f, "Template", err, "= %.60s is not taken%s", name, hint);
}

/* ---- points ---- */

void chrono_put_point(chrono_tables *t, const char *name, double x, double y, double z) {
  t->point[t->npoint].name = name;
  v3_set(t->point[t->npoint++].at, x, y, z);
}

mbd_status chrono_add_point(chrono_tables *t, const chrono_file *f, const char *key, const char *name, mbd_error *err) {
  double at[3];
  MBD_TRY(chrono_numbers(f, key, 3, at, err));
  chrono_put_point(t, name, at[0], at[1], at[2]);
  return MBD_OK;
}

const char *chrono_behind(const char *key, const char *word) {
  const size_t n = strlen(word);
  return strncmp(key, word, n) == 0 ? key + n : NULL;
}

/* mirror: its mirror image, middle: in the middle plane, left: which has to be on the left. */
static mbd_status add_side_point(chrono_tables *t, const chrono_file *f, const char *key, const char *name,
                                 mbd_error *err) {
  const char *mirror = chrono_behind(key, "mirror:"), *middle = chrono_behind(key, "middle:"),
             *left = chrono_behind(key, "left:");
  const char *plain = mirror ? mirror : middle ? middle : left ? left : key;
  MBD_TRY(chrono_add_point(t, f, plain, name, err));
  double *y = &t->point[t->npoint - 1].at[1];
  if (left && *y < 0) { return chrono_fail(f, plain, err, "is on the right, expected the left side"); }
  *y *= mirror ? -1 : middle ? 0 : 1;
  return MBD_OK;
}

mbd_status chrono_add_points(chrono_tables *t, const chrono_file *f, const json_t *row, mbd_error *err) {
  const char *name;
  json_t *key;
  json_object_foreach(json_object_get(row, "points"), name, key) {
    MBD_TRY(add_side_point(t, f, json_string_value(key), name, err));
  }
  return MBD_OK;
}

/* A place by the name of a point, or by a key of the file, as of its points. */
static mbd_status place(chrono_tables *t, const chrono_file *f, const char *name, double at[3], mbd_error *err) {
  for (int i = 0; i < t->npoint; i++) {
    if (strcmp(t->point[i].name, name) == 0) {
      v3_copy(at, t->point[i].at);
      return MBD_OK;
    }
  }
  MBD_TRY(add_side_point(t, f, name, "", err));
  v3_copy(at, t->point[--t->npoint].at);
  return MBD_OK;
}

/* ---- bodies ---- */

/* Files have "Inertia", or "Moments of Inertia" with "Products of Inertia"; those of an arm of a steering "Inertia Products". */
mbd_status chrono_inertia(const chrono_file *f, const char *section, const double R[9], double I[9], mbd_error *err) {
  static const char *const products[] = {"Products of Inertia", "Inertia Products"};
  char key[CHRONO_KEY];
  double v[3], p[3] = {0, 0, 0}, RI[9]; /* p: xy, xz, yz */
  if (!chrono_find(f, chrono_join(key, section, "Moments of Inertia"))) { chrono_join(key, section, "Inertia"); }
  MBD_TRY(chrono_numbers(f, key, 3, v, err));
  for (int i = 0; i < 2; i++) {
    if (chrono_find(f, chrono_join(key, section, products[i]))) { MBD_TRY(chrono_numbers(f, key, 3, p, err)); }
  }
  const double along[9] = {v[0], p[0], p[1], p[0], v[1], p[2], p[1], p[2], v[2]};
  m3_mul(RI, R, along), m3_mulT(I, RI, R);
  return MBD_OK;
}

/* R: the axes of a body as columns, by places a, b, c. arm: x = a - b, z across its plane to c; link: z = b - a, y across the plane to c; trailing: x = a - b, y level; else those
 * of the car. 0: the places are on one line. */
static int axes_of(const char *kind, const double *a, const double *b, const double *c, double R[9]) {
  double ab[3], ac[3], bc[3], across[3], x[3], y[3], z[3];
  const int arm = strcmp(kind, "arm") == 0, link = strcmp(kind, "link") == 0, trailing = strcmp(kind, "trailing") == 0;
  m3_identity(R);
  if (!arm && !link && !trailing) { return 1; }
  v3_sub(ab, a, b), v3_sub(ac, a, c), v3_sub(bc, b, c);
  v3_cross(across, bc, ac);
  if (trailing) { v3_set(across, -ab[1], ab[0], 0); } /* z x (a - b) */
  if (!(v3_dot(across, across) > 0)) { return 0; }
  robot_unit(ab, ab), robot_unit(across, across);
  if (arm) {
    v3_copy(x, ab), v3_copy(z, across), v3_cross(y, z, x);
  } else if (link) {
    v3_scale(z, -1, ab), v3_scale(y, -1, across), v3_cross(x, y, z);
  } else {
    v3_copy(x, ab), v3_copy(y, across), v3_cross(z, x, y);
  }
  for (int i = 0; i < 3; i++) { R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i]; }
  return 1;
}

/* A body of a template: [section, kind, place a, b, c]. The centre of mass is under "COM", of a rack along y; of kind "between" in their middle. */
static mbd_status add_body(chrono_tables *t, const chrono_file *f, const char *name, const json_t *row,
                           const double turned[9], mbd_error *err) {
  const char *section = json_string_value(json_array_get(row, 0)), *kind = json_string_value(json_array_get(row, 1));
  char key[CHRONO_KEY];
  double at[3][3] = {{0}}, R[9], *com = t->body[t->nbody].com;
  t->body[t->nbody].name = name;
  for (size_t i = 2; i < json_array_size(row); i++) {
    MBD_TRY(place(t, f, json_string_value(json_array_get(row, i)), at[i - 2], err));
  }
  MBD_TRY(chrono_number(f, chrono_join(key, section, "Mass"), &t->body[t->nbody].mass, err));
  if (!(t->body[t->nbody].mass > 0)) { return chrono_fail(f, key, err, "expected a number > 0"); }
  chrono_join(key, section, "COM");
  if (strcmp(kind, "between") == 0) {
    const double n = (double)json_array_size(row) - 2;
    for (int i = 0; i < 3; i++) { com[i] = (at[0][i] + at[1][i] + at[2][i]) / n; }
  } else if (strcmp(kind, "along y") == 0) {
    MBD_TRY(chrono_number(f, key, &com[1], err));
  } else {
    MBD_TRY(chrono_numbers(f, key, 3, com, err));
  }
  if (!axes_of(kind, at[0], at[1], at[2], R)) { return chrono_fail(f, section, err, "has its points on one line"); }
  if (json_is_true(chrono_find(f, "Vehicle-Frame Inertia"))) { memcpy(R, turned, sizeof R); }
  return chrono_inertia(f, section, R, t->body[t->nbody++].inertia, err);
}

mbd_status chrono_add_bodies(chrono_tables *t, const chrono_file *f, const json_t *row, const double turned[9],
                             mbd_error *err) {
  const char *name;
  json_t *body;
  json_object_foreach(json_object_get(row, "bodies"), name, body) {
    MBD_TRY(add_body(t, f, name, body, turned, err));
  }
  return MBD_OK;
}

/* ---- what is written ---- */

void chrono_put_number(double v, FILE *out) {
  char text[40];
  snprintf(text, sizeof text, "%.13g", v);
  robot_number(out, strtod(text, NULL));
}

/* The value of a key of `length` characters; NULL: there is none. */
static const chrono_value *value_of(const chrono_value *value, int n, const char *key, size_t length) {
  for (int i = 0; i < n; i++) {
    const int same = strncmp(value[i].key, key, length) == 0 && value[i].key[length] == '\0';
    if (same && (value[i].text || !isnan(value[i].number))) { return &value[i]; }
  }
  return NULL;
}

/* Writes a line, or only looks whether it has all of its values (out NULL). */
static int fill_line(const char *line, const char *end, const chrono_value *value, int n, FILE *out) {
  for (const char *c = line; c < end; c++) {
    if (*c != '<') {
      if (out) { fputc(*c, out); }
      continue;
    }
    const size_t length = strcspn(c, ">") - 1;
    const chrono_value *v = value_of(value, n, c + 1, length);
    if (!v) { return 0; }
    if (out && v->text) { fputs(v->text, out); }
    if (out && !v->text) { chrono_put_number(v->number, out); }
    c += length + 1;
  }
  return 1;
}

void chrono_fill(const char *text, const chrono_value *value, int n, FILE *out) {
  for (const char *line = text, *end; *line; line = end) {
    end = line + strcspn(line, "\n") + 1;
    if (*line == '?') {
      const size_t length = strcspn(line, " ") - 1;
      if (!value_of(value, n, line + 1, length)) { continue; }
      line += length + 2;
    }
    if (fill_line(line, end, value, n, NULL)) { (void)fill_line(line, end, value, n, out); }
  }
}

mbd_status chrono_add_text(chrono_model *m, const char *name, const char *comment, const char *text,
                           const chrono_value *value, int n, mbd_error *err) {
  text_stream s;
  FILE *out = text_begin(&s);
  if (out) { robot_comment(out, comment), chrono_fill(text, value, n, out); }
  return chrono_add_file(m, mbd_sprintf_dup("%s.ini", name), out ? text_end(&s) : NULL, err);
}

static void put(FILE *out, double v) {
  fputs(", ", out), chrono_put_number(v, out);
}

static void write_points(const chrono_tables *t, FILE *out) {
  fputs("name, x [mm], y [mm], z [mm]\n", out);
  for (int i = 0; i < t->npoint; i++) {
    fputs(t->point[i].name, out);
    for (int k = 0; k < 3; k++) { put(out, 1000 * t->point[i].at[k]); }
    fputc('\n', out);
  }
}

static void write_masses(const chrono_tables *t, FILE *out) {
  static const int entry[] = {0, 4, 8, 1, 2, 5};
  fputs("name, mass [kg], com_x [mm], com_y [mm], com_z [mm], ixx [kg m^2], iyy, izz, ixy, ixz, iyz\n", out);
  for (int i = 0; i < t->nbody; i++) {
    fputs(t->body[i].name, out), put(out, t->body[i].mass);
    for (int k = 0; k < 3; k++) { put(out, 1000 * t->body[i].com[k]); }
    for (int k = 0; k < 6; k++) { put(out, t->body[i].inertia[entry[k]]); }
    fputc('\n', out);
  }
}

mbd_status chrono_add_tables(chrono_model *m, const char *name, const chrono_tables *t, mbd_error *err) {
  for (int masses = t->npoint ? 0 : 1; masses < (t->nbody ? 2 : 1); masses++) {
    text_stream s;
    FILE *out = text_begin(&s);
    if (out) { (masses ? write_masses : write_points)(t, out); }
    MBD_TRY(chrono_add_file(m, mbd_sprintf_dup("%s_%s.csv", name, masses ? "masses" : "points"),
                            out ? text_end(&s) : NULL, err));
  }
  return MBD_OK;
}
