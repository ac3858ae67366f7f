/* Tyres of Chrono's vehicles: Magic Formula by a property file, or by the same numbers in JSON; others as a radial spring with friction. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/tir.h"
#include "files/json.h"
#include "files/text_file.h"
#include "files/text_stream.h"
#include "import/chrono_parts.h"
#include "import/robot_fill.h"

chrono_tyre chrono_stand_in(void) {
  return (chrono_tyre){.radius = 0.35, .stiffness = 250000, .damping = 500, .friction = 0.8};
}

/* ---- the Magic Formula ---- */

/* Adds a property file, the copy of a user's or one made from JSON, and takes the radius from it, once it has been read as such. */
static mbd_status add_tir(const char *path, const char *name, char *text, chrono_tyre *t, chrono_model *m,
                          mbd_error *err) {
  tir_file tir;
  const tir_entry *e = NULL;
  MEMORY_TRY(text, err, "%s", path);
  mbd_status status = tir_read(path, text, &tir, err);
  if (status == MBD_OK) { status = tir_number(&tir, "VERTICAL_STIFFNESS", &t->stiffness, &e, err); }
  if (status == MBD_OK) { status = tir_number(&tir, "UNLOADED_RADIUS", &t->radius, &e, err); }
  if (status == MBD_OK && !(e && t->radius > 0 && t->stiffness > 0)) {
    status = MBD_FAILED(err, MBD_BAD_INPUT, "%s: expected UNLOADED_RADIUS and VERTICAL_STIFFNESS, both > 0", path);
  }
  tir_free(&tir);
  t->tir = status == MBD_OK ? mbd_sprintf_dup("%s.tir", name) : NULL;
  if (status != MBD_OK) {
    free(text);
    return status;
  }
  MEMORY_TRY(t->tir, err, "%s", path);
  return chrono_add_file(m, mbd_strdup(t->tir), text, err);
}

static mbd_status copy_tir(const char *path, const char *name, chrono_tyre *t, chrono_model *m, mbd_error *err) {
  text_file file;
  MBD_TRY(text_file_read(path, TEXT_FILE_SETTINGS, &file, err));
  char *text = mbd_strdup(file.left);
  text_file_free(&file);
  return add_tir(path, name, text, t, m, err);
}

/* "Nominal Wheel Load" is FNOMIN, "Unloaded Radius" UNLOADED_RADIUS, ... */
static void write_entry(const char *key, const json_t *v, FILE *out) {
  if (!json_is_number(v)) { return; }
  if (strcmp(key, "Nominal Wheel Load") == 0) { key = "FNOMIN"; }
  for (const char *c = key; *c; c++) { fputc(isalnum((unsigned char)*c) ? toupper((unsigned char)*c) : '_', out); }
  fputs(" = ", out);
  robot_number(out, json_number_value(v));
  fputc('\n', out);
}

/* The numbers of all sections of a JSON file as a property file. */
static mbd_status convert_tir(const chrono_file *f, const char *name, chrono_tyre *t, chrono_model *m, mbd_error *err) {
  text_stream s;
  FILE *out = text_begin(&s);
  MEMORY_TRY(out, err, "%s", f->path);
  fputs("[MODEL]\n", out);
  if (!chrono_find(f, "MODEL")) { fputs("PROPERTY_FILE_FORMAT = 'PAC2002'\n", out); }
  const char *section, *key;
  json_t *members, *v;
  json_object_foreach(f->root, section, members) {
    json_object_foreach(members, key, v) {
      write_entry(key, v, out);
    }
  }
  return add_tir(f->path, name, text_end(&s), t, m, err);
}

/* ---- others ---- */

/* The load [N] of a tyre by its index, from 45 kg, ten times as much with 80 more; and the stiffness by which Chrono has it at a deflection of 0.16 of the height of
 * the section (ChTMeasyTire.cpp, GuessPassCar70Par; damping 2 * 0.5 sqrt(stiffness mass)). */
static mbd_status guess_stiffness(const chrono_file *f, const char *rim_key, chrono_tyre *t, mbd_error *err) {
  double load, rim, index;
  MBD_TRY(chrono_number(f, rim_key, &rim, err));
  if (chrono_find(f, "Load Index")) {
    MBD_TRY(chrono_number(f, "Load Index", &index, err));
    load = 9.81 * 45 * pow(10, index / 80);
  } else {
    MBD_TRY(chrono_number(f, "Maximum Bearing Capacity [N]", &load, err));
  }
  if (!(t->radius > rim)) { return chrono_fail(f, rim_key, err, "expected less than the radius of the tyre"); }
  t->stiffness = load / (0.16 * (t->radius - rim));
  t->damping = sqrt(t->stiffness * t->mass);
  return MBD_OK;
}

static mbd_status read_contact(const chrono_file *f, const json_t *row, chrono_tyre *t, chrono_model *m,
                               mbd_error *err) {
  char what[200];
  const char *radius = json_text_in(row, "radius"), *stiffness = json_text_in(row, "stiffness");
  MBD_TRY(chrono_number(f, radius, &t->radius, err));
  MBD_TRY(chrono_number_if(f, "Coefficient of Friction", &t->friction, err));
  MBD_TRY(chrono_number_if(f, "Contact Material/Coefficient of Friction", &t->friction, err));
  if (*stiffness && chrono_find(f, stiffness)) {
    MBD_TRY(chrono_number(f, stiffness, &t->stiffness, err));
    MBD_TRY(chrono_number(f, json_text_in(row, "damping"), &t->damping, err));
  } else if (*json_text_in(row, "rim")) {
    MBD_TRY(guess_stiffness(f, json_text_in(row, "rim"), t, err));
  }
  if (!(t->radius > 0 && t->stiffness > 0)) {
    return chrono_fail(f, radius, err, "expected a radius and a stiffness > 0");
  }
  snprintf(what, sizeof what,
           "is no Magic Formula, and becomes a tyre_contact with radius %.4g m, stiffness %.4g N/m, friction %.3g",
           t->radius, t->stiffness, t->friction);
  return chrono_warn(m, f, "Template", what, err);
}

static mbd_status read_json(const chrono_file *f, const json_t *row, const char *name, chrono_tyre *t, chrono_model *m,
                            mbd_error *err) {
  char *path;
  MBD_TRY(chrono_number(f, json_text_in(row, "mass"), &t->mass, err));
  MBD_TRY(chrono_numbers(f, json_text_in(row, "inertia"), 3, t->inertia, err));
  if (*json_text_in(row, "radius")) { return read_contact(f, row, t, m, err); }
  if (!chrono_find(f, "TIR Specification File")) { return convert_tir(f, name, t, m, err); }
  MBD_TRY(chrono_path(f, "TIR Specification File", &path, err));
  const mbd_status status = copy_tir(path, name, t, m, err);
  free(path);
  return status;
}

mbd_status chrono_read_tyre(const char *path, const char *name, chrono_tyre *t, chrono_model *m, mbd_error *err) {
  chrono_file f;
  json_t *row = NULL;
  const char *dot = strrchr(path, '.');
  *t = chrono_stand_in();
  if (dot && strcmp(dot, ".tir") == 0) { return copy_tir(path, name, t, m, err); }
  mbd_status status = chrono_read(path, &f, err);
  if (status == MBD_OK) { status = chrono_template(&f, "Tire", &row, err); }
  if (status == MBD_OK) { status = read_json(&f, row, name, t, m, err); }
  json_decref(row);
  chrono_free(&f);
  return status;
}
