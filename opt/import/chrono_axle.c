/* Axles of Chrono's vehicles. A suspension is given by the left half, which the right one mirrors, with an offset from the frame of the chassis:
 * x forward, y left, z up (ChDoubleWishbone.cpp and the other templates, which templates.json has). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/json.h"
#include "files/text_stream.h"
#include "import/chrono_parts.h"
#include "import/robot_fill.h"

/* What goes to and from the functions below: the files of the suspension and of the model, the template, what becomes tables. */
typedef struct axle_job {
  const chrono_file *f;
  const json_t *row;
  chrono_axle *a;
  chrono_model *m;
  chrono_tables t;
  mbd_error *err;
  /* springs and dampers [N/m, m, N, N s/m], or curves in their place */
  double stiffness, free_length, preload, damping, compression, expansion, bar_stiffness, bar_damping;
  int curve, stops, shock_table, degressive;
} axle_job;

/* ---- curves ---- */

enum { PAIRS = 200 };

/* Adds NAME_WHAT.csv, the values y - less over x + shift. */
static mbd_status add_curve(axle_job *j, const char *what, int n, const double (*xy)[2], double shift, double less) {
  text_stream s;
  FILE *out = text_begin(&s);
  for (int i = 0; i < n && out; i++) {
    robot_number(out, xy[i][0] + shift);
    fputs(", ", out);
    robot_number(out, xy[i][1] - less);
    fputc('\n', out);
  }
  return chrono_add_file(j->m, mbd_sprintf_dup("%s_%s.csv", j->a->file, what), out ? text_end(&s) : NULL, j->err);
}

/* Adds the curve of a list of rows: their first number, and that of a column. */
static mbd_status add_rows(axle_job *j, const char *key, int column, const char *what, double shift, double less) {
  double xy[PAIRS][2];
  int n;
  MBD_TRY(chrono_list(j->f, key, &n, j->err));
  if (n > PAIRS) { return chrono_fail(j->f, key, j->err, "expected at most %d rows", PAIRS); }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2; k++) {
      char number[30], at[CHRONO_KEY];
      snprintf(number, sizeof number, "%d/%d", i, k ? column : 0);
      MBD_TRY(chrono_number(j->f, chrono_join(at, key, number), &xy[i][k], j->err));
      if (k == 0 && i && !(xy[i][0] > xy[i - 1][0])) { return chrono_fail(j->f, at, j->err, "does not rise"); }
    }
  }
  return add_curve(j, what, n, (const double(*)[2])xy, shift, less);
}

/* The stops of a spring (ChForceFunctors.cpp, enable_stops): forces over the way beyond the shortest and the longest length. */
static mbd_status add_stops(axle_job *j, const char *section) {
  static const double way[] = {0, 2e-3, 10e-3, 20e-3, 30e-3, 40e-3, 50e-3, 60e-3},
                      force[] = {0, 200, 1000, 2500, 4500, 7500, 12500, 125000};
  enum { N = sizeof way / sizeof way[0] };
  char shortest[CHRONO_KEY], longest[CHRONO_KEY];
  double xy[2 * N][2], lower, upper;
  j->stops = chrono_find(j->f, chrono_join(shortest, section, "Minimum Length")) &&
             chrono_find(j->f, chrono_join(longest, section, "Maximum Length"));
  if (!j->stops) { return MBD_OK; }
  MBD_TRY(chrono_number(j->f, shortest, &lower, j->err));
  MBD_TRY(chrono_number(j->f, longest, &upper, j->err));
  j->stops = lower < upper;
  if (!j->stops) { return chrono_warn(j->m, j->f, longest, "is less than the minimum length: without stops", j->err); }
  for (int i = 0; i < N; i++) {
    xy[N - 1 - i][0] = lower - way[i], xy[N - 1 - i][1] = -force[i];
    xy[N + i][0] = upper + way[i], xy[N + i][1] = force[i];
  }
  return add_curve(j, "stops", 2 * N, (const double(*)[2])xy, 0, 0);
}

/* ---- springs ---- */

/* The tension of a spring is k (s - s0) - P, or a curve over s - s0, less P (ChForceFunctors.cpp). */
static mbd_status read_spring(axle_job *j, const char *section) {
  char key[CHRONO_KEY];
  MBD_TRY(chrono_number(j->f, chrono_join(key, section, "Free Length"), &j->free_length, j->err));
  MBD_TRY(chrono_number_if(j->f, chrono_join(key, section, "Preload"), &j->preload, j->err));
  j->curve = chrono_find(j->f, chrono_join(key, section, "Spring Curve Data")) != NULL;
  if (j->curve) {
    MBD_TRY(add_rows(j, key, 1, "spring", j->free_length, j->preload));
  } else {
    MBD_TRY(chrono_number(j->f, chrono_join(key, section, "Spring Coefficient"), &j->stiffness, j->err));
    if (!(j->stiffness > 0)) { return chrono_fail(j->f, key, j->err, "expected a number > 0"); }
  }
  return add_stops(j, section);
}

/* A coefficient, less of it with the speed (degressive: c v/(1 + d |v|)), or a curve; of a map, with forces over speed for each deformation, the middle column. */
static mbd_status read_shock(axle_job *j) {
  static const char map[] = "Shock/Map Data", curve[] = "Shock/Damping Curve Data";
  int columns = 1;
  j->shock_table = chrono_find(j->f, map) || chrono_find(j->f, curve);
  if (!j->shock_table) {
    j->degressive =
        chrono_find(j->f, "Shock/Degressivity Compression") && chrono_find(j->f, "Shock/Degressivity Expansion");
    MBD_TRY(chrono_number_if(j->f, "Shock/Degressivity Compression", &j->compression, j->err));
    MBD_TRY(chrono_number_if(j->f, "Shock/Degressivity Expansion", &j->expansion, j->err));
    return chrono_number(j->f, "Shock/Damping Coefficient", &j->damping, j->err);
  }
  if (!chrono_find(j->f, map)) { return add_rows(j, curve, 1, "shock", 0, 0); }
  MBD_TRY(chrono_list(j->f, "Shock/Deformation", &columns, j->err));
  MBD_TRY(chrono_warn(j->m, j->f, map, "is taken at the middle one of its deformations", j->err));
  return add_rows(j, map, 1 + columns / 2, "shock", 0, 0);
}

/* Both with their points, on a suspension that has any; what their part has no place for is refused. */
static mbd_status read_springs(axle_job *j) {
  static const char *const none[] = {"Spring/Damping Coefficient", "Spring/Damping Curve Data", "Spring/Map Data"};
  const char *section = json_text_in(j->row, "spring"), *ends = json_text_in(j->row, "ends");
  char key[CHRONO_KEY];
  if (!*section) { return MBD_OK; }
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    if (chrono_find(j->f, none[i])) { return chrono_fail(j->f, none[i], j->err, "is not taken"); }
  }
  MBD_TRY(chrono_add_point(&j->t, j->f, chrono_join(key, section, "Location Chassis"), "spring_top", j->err));
  MBD_TRY(chrono_add_point(&j->t, j->f, chrono_join(key, section, ends), "spring_foot", j->err));
  MBD_TRY(chrono_add_point(&j->t, j->f, "Shock/Location Chassis", "shock_top", j->err));
  MBD_TRY(chrono_add_point(&j->t, j->f, chrono_join(key, "Shock", ends), "shock_foot", j->err));
  MBD_TRY(read_spring(j, section));
  return read_shock(j);
}

/* The stabilizer: two arms that turn about the middle of the bar, with links at the ends (ChAntirollBarRSD.cpp). */
static mbd_status read_bar(axle_job *j) {
  const chrono_file *f = j->a->bar;
  const char *template;
  double length, width, height, at[3], R[9];
  if (!f) { return MBD_OK; }
  if (!*json_text_in(j->row, "bar")) { return chrono_fail(j->f, "Template", j->err, "takes no stabilizer"); }
  MBD_TRY(chrono_text(f, "Template", &template, j->err));
  if (strcmp(template, "AntirollBarRSD") != 0) {
    return chrono_fail(f, "Template", j->err, "= %.60s is not taken, expected AntirollBarRSD", template);
  }
  MBD_TRY(chrono_number(f, "Arm/Length", &length, j->err));
  MBD_TRY(chrono_number(f, "Arm/Width", &width, j->err));
  MBD_TRY(chrono_number(f, "Droplink/Height", &height, j->err));
  MBD_TRY(chrono_number(f, "RSD/Spring Coefficient", &j->bar_stiffness, j->err));
  MBD_TRY(chrono_number(f, "RSD/Damping Coefficient", &j->bar_damping, j->err));
  v3_sub(at, j->a->bar_at, j->a->at);
  chrono_put_point(&j->t, "bar", at[0], at[1] + length / 2, at[2]);
  chrono_put_point(&j->t, "bar_arm", at[0] + width, at[1] + length, at[2]);
  chrono_put_point(&j->t, "bar_link", at[0] + width, at[1] + length, at[2] + height);
  j->t.body[j->t.nbody].name = "bar";
  v3_set(j->t.body[j->t.nbody].com, at[0], at[1] + length / 2, at[2]);
  MBD_TRY(chrono_number(f, "Arm/Mass", &j->t.body[j->t.nbody].mass, j->err));
  m3_identity(R);
  return chrono_inertia(f, "Arm", R, j->t.body[j->t.nbody++].inertia, j->err);
}

/* ---- the file ---- */

/* The body on a side: of "$.carrier" left.carrier, of any other text the same on both sides. */
static const char *on_side(const char *body, const char *side, char text[60]) {
  if (*body == '$') {
    snprintf(text, 60, "%s%.40s", side, body + 1);
  } else {
    snprintf(text, 60, "%.40s", body);
  }
  return *body ? text : NULL;
}

static const char *text_if(const json_t *row, const char *key) {
  const char *text = json_text_in(row, key);
  return *text ? text : NULL;
}

/* Lines of the masses of rods, as far as there are any; in new memory. */
static mbd_status write_rods(axle_job *j, char **rods) {
  text_stream s;
  const char *name;
  json_t *key;
  double mass;
  FILE *out = text_begin(&s);
  mbd_status status = MBD_OK;
  json_object_foreach(json_object_get(j->row, "rods"), name, key) {
    const char *half = chrono_behind(json_string_value(key), "half:");
    mass = 0;
    if (status == MBD_OK) { status = chrono_number_if(j->f, half ? half : json_string_value(key), &mass, j->err); }
    mass *= half ? 0.5 : 1;
    if (out) { fprintf(out, "%s%s = ", *rods ? "\n" : "", name), chrono_put_number(mass, out); }
    *rods = (char *)name;
  }
  char *text = out ? text_end(&s) : NULL;
  if (!*rods) { free(text), text = NULL; }
  *rods = text;
  return status;
}

/* Mass and inertia of what turns are those of spindle, wheel, tyre, and about the axle the shaft (ChWheel.cpp, ChTire.cpp). */
static mbd_status write_axle(axle_job *j, char **rods) {
  const chrono_axle *a = j->a;
  const chrono_tyre *tyre = &a->tyre;
  const char *name, *bar = a->bar ? json_text_in(j->row, "bar") : NULL;
  char body[4][60];
  double mass, inertia[3], shaft, toe = 0, camber = 0;
  MBD_TRY(chrono_text(j->f, "Name", &name, j->err));
  MBD_TRY(chrono_number(j->f, "Spindle/Mass", &mass, j->err));
  MBD_TRY(chrono_numbers(j->f, "Spindle/Inertia", 3, inertia, j->err));
  MBD_TRY(chrono_number(j->f, "Axle/Inertia", &shaft, j->err));
  MBD_TRY(chrono_number_if(j->f, "Toe Angle (deg)", &toe, j->err));
  MBD_TRY(chrono_number_if(j->f, "Camber Angle (deg)", &camber, j->err));
  MBD_TRY(write_rods(j, rods));
  v3_add(inertia, inertia, a->wheel_inertia), v3_add(inertia, inertia, tyre->inertia);
  const char *foot = json_text_in(j->row, "foot"), *carrier = json_text_in(j->row, "carrier");
  const int spring = *json_text_in(j->row, "spring") != '\0';
  const chrono_value values[] = {{"file", a->file, 0},
                                 {"masses", NULL, j->t.nbody ? 1 : NAN},
                                 {"wheel_mass", NULL, mass + a->wheel_mass + tyre->mass},
                                 {"wheel_spin_inertia", NULL, inertia[1] + shaft},
                                 {"wheel_inertia", NULL, (inertia[0] + inertia[2]) / 2},
                                 {"drive_share", NULL, a->drive_share},
                                 {"radius", NULL, 1000 * tyre->radius},
                                 {"static_toe", NULL, toe * (acos(-1) / 180)},
                                 {"static_camber", NULL, camber * (acos(-1) / 180)},
                                 {"rods", *rods, NAN},
                                 {"spring", NULL, spring ? 1 : NAN},
                                 {"spring_stiffness", NULL, spring && !j->curve ? j->stiffness : NAN},
                                 {"spring_free_length", NULL, j->free_length},
                                 {"spring_preload", NULL, j->preload},
                                 {"shock_damping", NULL, spring && !j->shock_table ? j->damping : NAN},
                                 {"shock_expansion", NULL, j->degressive ? j->expansion : NAN},
                                 {"shock_compression", NULL, j->degressive ? j->compression : NAN},
                                 {"spring_curve", NULL, j->curve ? 1 : NAN},
                                 {"spring_stops", NULL, j->stops ? 1 : NAN},
                                 {"shock_curve", NULL, j->shock_table || j->degressive ? 1 : NAN},
                                 {"shock_table", NULL, j->shock_table ? 1 : NAN},
                                 {"bar", bar, NAN},
                                 {"bar_stiffness", NULL, bar ? j->bar_stiffness : NAN},
                                 {"bar_damping", NULL, bar ? j->bar_damping : NAN},
                                 {"tir", tyre->tir, NAN},
                                 {"tyre_stiffness", NULL, tyre->tir ? NAN : tyre->stiffness},
                                 {"tyre_damping", NULL, tyre->tir ? NAN : tyre->damping},
                                 {"tyre_friction", NULL, tyre->tir ? NAN : tyre->friction},
                                 {"before", text_if(j->row, "before"), NAN},
                                 {"side", text_if(j->row, "side"), NAN},
                                 {"after", text_if(j->row, "after"), NAN},
                                 {"left_foot", on_side(foot, "left", body[0]), NAN},
                                 {"right_foot", on_side(foot, "right", body[1]), NAN},
                                 {"left_carrier", on_side(carrier, "left", body[2]), NAN},
                                 {"right_carrier", on_side(carrier, "right", body[3]), NAN}};
  return chrono_add_text(j->m, a->file, name, chrono_text_axle_ini, values, sizeof values / sizeof values[0], j->err);
}

static mbd_status read_axle(axle_job *j) {
  static const double car[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const char bushings[] = "Upper Control Arm/Bushing Data";
  char *rods = NULL;
  MBD_TRY(chrono_add_points(&j->t, j->f, j->row, j->err));
  MBD_TRY(chrono_add_point(&j->t, j->f, "Spindle/COM", "wheel", j->err));
  v3_copy(j->a->wheel, j->t.point[j->t.npoint - 1].at);
  MBD_TRY(read_springs(j));
  MBD_TRY(chrono_add_bodies(&j->t, j->f, j->row, car, j->err));
  MBD_TRY(read_bar(j));
  if (chrono_find(j->f, bushings)) {
    MBD_TRY(chrono_warn(j->m, j->f, bushings, "is left out, as all bushings: joints are rigid", j->err));
  }
  MBD_TRY(chrono_add_tables(j->m, j->a->file, &j->t, j->err));
  const mbd_status status = write_axle(j, &rods);
  free(rods);
  return status;
}

mbd_status chrono_add_axle(const chrono_file *suspension, chrono_axle *a, chrono_model *m, mbd_error *err) {
  json_t *row;
  MBD_TRY(chrono_template(suspension, "Suspension", &row, err));
  a->rises = !*json_text_in(row, "side") ? 0 : json_is_true(json_object_get(row, "one_rise")) ? 1 : 2;
  a->has_rack = json_is_true(json_object_get(row, "rack"));
  snprintf(a->floating, sizeof a->floating, "%s", json_text_in(row, "floating"));
  axle_job j = {.f = suspension, .row = row, .a = a, .m = m, .err = err};
  const mbd_status status = read_axle(&j);
  json_decref(row);
  return status;
}
