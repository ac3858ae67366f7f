/* Vehicles of Chrono (WheeledVehicle.cpp): the chassis, and where its steerings and axles are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "files/text_list.h"
#include "files/text_stream.h"
#include "import/chrono_parts.h"
#include "import/pose.h"
#include "import/robot_fill.h"

enum { STEERINGS = 4, NAME = 40, FILE_NAME = 300 };

/* The pose of a steering in the car. */
typedef struct steering {
  char name[NAME], file[FILE_NAME];
  double at[3], turn[3]; /* [m], [rad] about x, then y, then z */
  chrono_steering is;
} steering;

typedef struct axle {
  char name[NAME], file[FILE_NAME];
  chrono_axle is;
} axle;

typedef struct vehicle {
  const char *name; /* of the model */
  double mass, com[3], inertia[9];
  int nsteering, naxle;
  steering steering[STEERINGS];
  axle axle[CHRONO_AXLES];
  chrono_tyre tyre; /* of all wheels */
  int has_tyre;
} vehicle;

/* ---- chassis ---- */

/* The rotation of a quaternion. */
static mbd_status rotation_of(const chrono_file *f, const char *key, double R[9], mbd_error *err) {
  double q[4];
  MBD_TRY(chrono_numbers(f, key, 4, q, err));
  if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-12)) {
    return chrono_fail(f, key, err, "expected a quaternion, as [1, 0, 0, 0]");
  }
  pose_quaternion(q, R), pose_tidy(R);
  return MBD_OK;
}

/* Adds a component, of mass m < 0 where it is void: I about the common centre = sum of R I R' + m (|d|^2 1 - d d'), d from that centre. */
static mbd_status add_component(const chrono_file *f, int i, int pass, vehicle *v, mbd_error *err) {
  char section[CHRONO_KEY], key[CHRONO_KEY];
  double mass, at[3], R[9], I[9], d[3];
  snprintf(section, sizeof section, "Components/%d", i);
  MBD_TRY(chrono_number(f, chrono_join(key, section, "Mass"), &mass, err));
  MBD_TRY(chrono_numbers(f, chrono_join(key, section, "Centroidal Frame/Location"), 3, at, err));
  if (json_is_true(chrono_find(f, chrono_join(key, section, "Void")))) { mass = -mass; }
  if (pass == 0) {
    v->mass += mass, v3_axpy(v->com, mass, at);
    return MBD_OK;
  }
  MBD_TRY(rotation_of(f, chrono_join(key, section, "Centroidal Frame/Orientation"), R, err));
  MBD_TRY(chrono_inertia(f, section, R, I, err));
  v3_sub(d, at, v->com);
  for (int k = 0; k < 9; k++) {
    v->inertia[k] += (mass < 0 ? -1 : 1) * I[k] + mass * ((k % 4 == 0) * v3_dot(d, d) - d[k / 3] * d[k % 3]);
  }
  return MBD_OK;
}

static mbd_status read_chassis(const chrono_file *car, vehicle *v, mbd_error *err) {
  chrono_file f;
  int n = 0;
  mbd_status status = chrono_read_named(car, "Chassis/Input File", "Chassis", &f, err);
  if (status == MBD_OK) { status = chrono_list(&f, "Components", &n, err); }
  for (int pass = 0; pass < 2 && status == MBD_OK; pass++) {
    for (int i = 0; i < n && status == MBD_OK; i++) { status = add_component(&f, i, pass, v, err); }
    if (pass == 0 && status == MBD_OK) {
      if (!(v->mass > 0)) { status = chrono_fail(&f, "Components", err, "expected a mass > 0"); }
      v3_scale(v->com, 1 / v->mass, v->com);
    }
  }
  chrono_free(&f);
  return status;
}

/* ---- steerings and axles ---- */

static mbd_status read_steering(const chrono_file *car, int i, int n, vehicle *v, chrono_model *m, mbd_error *err) {
  steering *s = &v->steering[i];
  char section[CHRONO_KEY], key[CHRONO_KEY];
  double R[9];
  chrono_file f;
  snprintf(s->name, sizeof s->name, n == 1 ? "steering" : "steering_%d", i + 1);
  snprintf(s->file, sizeof s->file, "%.200s_%s", v->name, s->name);
  snprintf(section, sizeof section, "Steering Subsystems/%d", i);
  MBD_TRY(chrono_numbers(car, chrono_join(key, section, "Location"), 3, s->at, err));
  MBD_TRY(rotation_of(car, chrono_join(key, section, "Orientation"), R, err));
  robot_angles(R, s->turn);
  mbd_status status = chrono_read_named(car, chrono_join(key, section, "Input File"), "Steering", &f, err);
  if (status == MBD_OK) { status = chrono_add_steering(&f, s->file, R, &s->is, m, err); }
  chrono_free(&f);
  if (status == MBD_OK && strcmp(s->is.coordinate, v->steering[0].is.coordinate) != 0) {
    return chrono_fail(car, key, err, "is of another kind than the first steering: expected one kind");
  }
  return status;
}

/* The wheel of an axle: that of the left side. */
static mbd_status read_wheel(const chrono_file *car, const char *key, chrono_axle *a, mbd_error *err) {
  chrono_file f;
  mbd_status status = chrono_read_named(car, key, "Wheel", &f, err);
  if (status == MBD_OK) { status = chrono_number(&f, "Mass", &a->wheel_mass, err); }
  if (status == MBD_OK) { status = chrono_numbers(&f, "Inertia", 3, a->wheel_inertia, err); }
  chrono_free(&f);
  return status;
}

static mbd_status read_axle_tyre(const chrono_file *car, const char *key, axle *a, vehicle *v, chrono_model *m,
                                 mbd_error *err) {
  char *path;
  if (v->has_tyre || !chrono_find(car, key)) {
    a->is.tyre = v->tyre;
    return MBD_OK;
  }
  MBD_TRY(chrono_path(car, key, &path, err));
  const mbd_status status = chrono_read_tyre(path, a->file, &a->is.tyre, m, err);
  free(path);
  return status;
}

/* The stabilizer, then the suspension with it. */
static mbd_status read_suspension(const chrono_file *car, const char *section, chrono_axle *a, chrono_model *m,
                                  mbd_error *err) {
  char key[CHRONO_KEY];
  chrono_file bar = {.root = NULL}, f = {.root = NULL};
  mbd_status status = MBD_OK;
  if (chrono_find(car, chrono_join(key, section, "Antirollbar Input File"))) {
    status = chrono_read_named(car, key, "Antirollbar", &bar, err);
    if (status == MBD_OK) {
      status = chrono_numbers(car, chrono_join(key, section, "Antirollbar Location"), 3, a->bar_at, err);
    }
    a->bar = &bar;
  }
  if (status == MBD_OK) {
    status = chrono_read_named(car, chrono_join(key, section, "Suspension Input File"), "Suspension", &f, err);
  }
  if (status == MBD_OK) { status = chrono_add_axle(&f, a, m, err); }
  chrono_free(&f), chrono_free(&bar);
  a->bar = NULL;
  return status;
}

static mbd_status read_axle(const chrono_file *car, int i, vehicle *v, chrono_model *m, mbd_error *err) {
  axle *a = &v->axle[i];
  char section[CHRONO_KEY], key[CHRONO_KEY];
  double index = -1;
  a->is.name = a->name, a->is.file = a->file;
  snprintf(section, sizeof section, "Axles/%d", i);
  if (chrono_find(car, chrono_join(key, section, "Wheel Separation"))) {
    return chrono_fail(car, key, err, "is not taken: expected one wheel on each side");
  }
  MBD_TRY(chrono_numbers(car, chrono_join(key, section, "Suspension Location"), 3, a->is.at, err));
  MBD_TRY(chrono_number_if(car, chrono_join(key, section, "Steering Index"), &index, err));
  if (!(index >= -1 && index < v->nsteering && index == floor(index))) {
    return chrono_fail(car, key, err, "= %g, expected the number of a steering, below %d", index, v->nsteering);
  }
  a->is.steering = (int)index;
  MBD_TRY(read_wheel(car, chrono_join(key, section, "Left Wheel Input File"), &a->is, err));
  const json_t *left = chrono_find(car, key),
               *right = chrono_find(car, chrono_join(key, section, "Right Wheel Input File"));
  if (right && !json_equal(left, right)) {
    MBD_TRY(chrono_warn(m, car, key, "is another wheel than the left one, which is taken for both sides", err));
  }
  MBD_TRY(read_axle_tyre(car, chrono_join(key, section, "Tire Input File"), a, v, m, err));
  return read_suspension(car, section, &a->is, m, err);
}

/* The axles that are driven, alike; where the file says nothing, all. */
static mbd_status read_driveline(const chrono_file *car, vehicle *v, mbd_error *err) {
  static const char key[] = "Driveline/Suspension Indexes";
  double index[CHRONO_AXLES];
  int n = v->naxle;
  for (int i = 0; i < v->naxle; i++) { index[i] = i; }
  if (chrono_find(car, key)) {
    MBD_TRY(chrono_list(car, key, &n, err));
    if (n > v->naxle) { return chrono_fail(car, key, err, "expected at most %d", v->naxle); }
    MBD_TRY(chrono_numbers(car, key, n, index, err));
  }
  for (int i = 0; i < n; i++) {
    if (!(index[i] >= 0 && index[i] < v->naxle && index[i] == floor(index[i]))) {
      return chrono_fail(car, key, err, "has %g, expected the number of an axle, below %d", index[i], v->naxle);
    }
    v->axle[(int)index[i]].is.drive_share = 0.5 / n;
  }
  return MBD_OK;
}

static mbd_status check_vehicle(const chrono_file *car, mbd_error *err) {
  const char *template;
  static const char *const none[] = {"Rear Chassis", "Subchassis"};
  MBD_TRY(chrono_text(car, "Template", &template, err));
  if (strcmp(template, "WheeledVehicle") != 0) {
    return chrono_fail(car, "Template", err, "= %.60s is a vehicle that is not taken, expected WheeledVehicle",
                       template);
  }
  for (int i = 0; i < 2; i++) {
    if (chrono_find(car, none[i])) { return chrono_fail(car, none[i], err, "is not taken: expected one chassis"); }
  }
  return MBD_OK;
}

static mbd_status read_vehicle(const chrono_file *car, vehicle *v, chrono_model *m, mbd_error *err) {
  MBD_TRY(check_vehicle(car, err));
  MBD_TRY(read_chassis(car, v, err));
  if (chrono_find(car, "Steering Subsystems")) { MBD_TRY(chrono_list(car, "Steering Subsystems", &v->nsteering, err)); }
  MBD_TRY(chrono_list(car, "Axles", &v->naxle, err));
  if (v->nsteering > STEERINGS) {
    return chrono_fail(car, "Steering Subsystems", err, "expected at most %d", STEERINGS);
  }
  if (v->naxle > CHRONO_AXLES) { return chrono_fail(car, "Axles", err, "expected at most %d", CHRONO_AXLES); }
  MBD_TRY(read_driveline(car, v, err));
  for (int i = 0; i < v->nsteering; i++) { MBD_TRY(read_steering(car, i, v->nsteering, v, m, err)); }
  int named = v->has_tyre;
  for (int i = 0; i < v->naxle; i++) {
    char key[80];
    snprintf(key, sizeof key, "Axles/%d/Tire Input File", i), named |= chrono_find(car, key) != NULL;
    if (v->naxle == 2) {
      snprintf(v->axle[i].name, NAME, "%s", i ? "rear" : "front");
    } else {
      snprintf(v->axle[i].name, NAME, "axle_%d", i + 1);
    }
    snprintf(v->axle[i].file, FILE_NAME, "%.200s_%s", v->name, v->axle[i].name);
    MBD_TRY(read_axle(car, i, v, m, err));
  }
  if (named) { return MBD_OK; }
  char what[200];
  snprintf(what, sizeof what,
           "names no tyre: radius %g m, stiffness %g N/m and friction %g stand in; --tyre FILE takes one",
           v->tyre.radius, v->tyre.stiffness, v->tyre.friction);
  return chrono_warn(m, car, "Axles", what, err);
}

/* ---- the files ---- */

/* Where the chassis stands at the start, so that the tyres of all axles carry it nearly: the pitch about its centre of mass by which the contacts of axles at x, h come
 * to one height, as far as a line through them does, and the road in the frame of the vehicle. */
static void stand(const vehicle *v, double *pitch, double *road) {
  double x = 0, h = 0, xx = 0, xh = 0, load = 9.81 * (v->mass / (2 * v->naxle));
  const double n = v->naxle;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < v->naxle; i++) {
      const chrono_axle *a = &v->axle[i].is;
      const double xi = a->at[0] + a->wheel[0] - v->com[0],
                   hi = a->at[2] + a->wheel[2] - a->tyre.radius + load / a->tyre.stiffness - v->com[2];
      if (pass == 0) {
        x += xi / n, h += hi / n;
      } else {
        xx += (xi - x) * (xi - x), xh += (xi - x) * (hi - h);
      }
    }
  }
  *pitch = xx > 0 ? atan(xh / xx) : 0;
  *road = v->com[2] - x * sin(*pitch) + h * cos(*pitch);
}

/* "a, b, c" */
static void write_three(const double v[3], FILE *out) {
  for (int i = 0; i < 3; i++) { fputs(i ? ", " : "", out), chrono_put_number(v[i], out); }
}

/* Steerings and axles as parts. */
static void write_parts(const vehicle *v, FILE *out) {
  for (int i = 0; i < v->nsteering; i++) {
    const steering *s = &v->steering[i];
    fprintf(out, "[part %s]\nfile = %s.ini\nat = ", s->name, s->file), write_three(s->at, out);
    fputs("\nturn = ", out), write_three(s->turn, out), fputs("\n\n", out);
  }
  for (int i = 0; i < v->naxle; i++) {
    const chrono_axle *a = &v->axle[i].is;
    fprintf(out, "[part %s]\nfile = %s.ini\nat = ", a->name, a->file), write_three(a->at, out);
    if (a->has_rack && a->steering < 0) { fputs("\nbody.rack = chassis", out); }
    if (a->has_rack && a->steering >= 0) {
      fprintf(out, "\nbody.rack = %s.linkage.rack", v->steering[a->steering].name);
    }
    fputs("\n\n", out);
    if (!*a->floating) { continue; }
    fprintf(out, "; links are no joints: places are counted from the chassis\n[joint %s", a->name);
    fputs(*a->floating == '$' ? "_{side}]\nrepeat = side in left right\n" : "_beam]\n", out);
    fprintf(out, "type = floating\nbodies = chassis, %s.%s%s\n\n", a->name, *a->floating == '$' ? "{side}" : "",
            a->floating + (*a->floating == '$'));
  }
}

/* The text that `write` writes, without the line break at its end, in new memory; NULL: no memory, or nothing. */
static char *text_of(const vehicle *v, void (*write)(const vehicle *v, FILE *out)) {
  text_stream s;
  FILE *out = text_begin(&s);
  if (out) { write(v, out); }
  char *text = out ? text_end(&s) : NULL;
  const size_t n = text ? strlen(text) : 0;
  if (n && text[n - 1] == '\n') { text[n - 1] = '\0'; }
  if (n) { return text; }
  free(text);
  return NULL;
}

static void write_com(const vehicle *v, FILE *out) {
  write_three(v->com, out);
}

static void write_inertia(const vehicle *v, FILE *out) {
  const double *I = v->inertia, moments[] = {I[0], I[4], I[8]}, products[] = {I[1], I[2], I[5]};
  write_three(moments, out), fputs(", ", out), write_three(products, out);
}

/* The axles of which `wheels` rise by themselves. */
static void write_rises(const vehicle *v, int wheels, FILE *out) {
  int n = 0;
  for (int i = 0; i < v->naxle; i++) {
    if (v->axle[i].is.rises >= wheels) { fprintf(out, "%s%s", n++ ? " " : "", v->axle[i].name); }
  }
}

static void write_axles(const vehicle *v, FILE *out) {
  write_rises(v, 0, out);
}

static void write_rising(const vehicle *v, FILE *out) {
  write_rises(v, 1, out);
}

static void write_both(const vehicle *v, FILE *out) {
  write_rises(v, 2, out);
}

/* The coordinate of the steering, or of all of them. */
static void write_steering(const vehicle *v, FILE *out) {
  if (v->nsteering == 1) { fprintf(out, "steering.linkage.%s", v->steering[0].is.coordinate); }
  if (v->nsteering < 2) { return; }
  for (int i = 0; i < v->nsteering; i++) { fprintf(out, "%s%s", i ? " " : "{steering in ", v->steering[i].name); }
  fprintf(out, "}.linkage.%s", v->steering[0].is.coordinate);
}

static mbd_status write_files(const chrono_file *car, const vehicle *v, chrono_model *m, mbd_error *err) {
  static void (*const write[])(const vehicle *v, FILE *out) = {write_com,    write_inertia, write_parts,   write_axles,
                                                               write_rising, write_both,    write_steering};
  enum { N = sizeof write / sizeof write[0] };
  const char *name = json_string_value(chrono_find(car, "Name"));
  char *text[N], *const *t = text;
  double pitch, road;
  text_stream s;
  stand(v, &pitch, &road);
  for (int i = 0; i < N; i++) { text[i] = text_of(v, write[i]); }
  const chrono_value values[] = {
      {"name", v->name, NAN},  {"wheels", NULL, 2 * v->naxle},
      {"mass", NULL, v->mass}, {"road", NULL, road},
      {"pitch", NULL, pitch},  {"steer", NULL, v->nsteering ? v->steering[0].is.greatest / 10 : NAN},
      {"com", t[0], NAN},      {"inertia", t[1], NAN},
      {"parts", t[2], NAN},    {"axles", t[3], NAN},
      {"rising", t[4], NAN},   {"flat", NULL, t[4] ? NAN : 1},
      {"both", t[5], NAN},     {"steering", t[6], NAN}};
  enum { VALUES = sizeof values / sizeof values[0] };
  FILE *out = text_begin(&s);
  if (out) { robot_comment(out, name ? name : v->name), chrono_fill(chrono_text_vehicle_ini, values, VALUES, out); }
  m->model = out ? text_end(&s) : NULL;
  out = text_begin(&s);
  if (out) { chrono_fill(chrono_text_run_ini, values, VALUES, out); }
  m->run = out ? text_end(&s) : NULL;
  m->about = mbd_sprintf_dup("%d wheels, %d steering%s", 2 * v->naxle, v->nsteering, v->nsteering == 1 ? "" : "s");
  for (int i = 0; i < N; i++) { free(text[i]); }
  return MEMORY_WHOLE(err, "%s", car->path);
}

/* The tyre of a file that names a vehicle and its tyre, where none is given. */
static mbd_status read_tyre(const chrono_file *f, const char *given, vehicle *v, chrono_model *m, mbd_error *err) {
  char *path = NULL;
  v->tyre = chrono_stand_in();
  if (!given && chrono_find(f, "Tire/Input File")) { MBD_TRY(chrono_path(f, "Tire/Input File", &path, err)); }
  v->has_tyre = given || path;
  char *name = mbd_sprintf_dup("%.200s_tyre", v->name);
  mbd_status status = name ? MBD_OK : MEMORY_NONE(err, "%s", f->path);
  if (status == MBD_OK && v->has_tyre) { status = chrono_read_tyre(given ? given : path, name, &v->tyre, m, err); }
  free(name), free(path);
  return status;
}

mbd_status chrono_import(const char *path, const char *tyre, const char *name, chrono_model *m, mbd_error *err) {
  chrono_file f, named = {.root = NULL};
  const chrono_file *car = &f;
  const char *type;
  vehicle v = {.name = name};
  *m = (chrono_model){.model = NULL};
  mbd_status status = chrono_read(path, &f, err);
  if (status == MBD_OK) { status = chrono_text(&f, "Type", &type, err); }
  if (status == MBD_OK && strcmp(type, "Vehicle") != 0) {
    status = chrono_fail(&f, "Type", err, "= %.60s, expected Vehicle", type);
  }
  if (status == MBD_OK) { status = read_tyre(&f, tyre, &v, m, err); }
  if (status == MBD_OK && chrono_find(&f, "Vehicle/Input File")) {
    status = chrono_read_named(&f, "Vehicle/Input File", "Vehicle", &named, err);
    car = &named;
  }
  if (status == MBD_OK) { status = read_vehicle(car, &v, m, err); }
  if (status == MBD_OK) { status = write_files(car, &v, m, err); }
  for (int i = 0; i < CHRONO_AXLES; i++) {
    if (v.axle[i].is.tyre.tir != v.tyre.tir) { free(v.axle[i].is.tyre.tir); }
  }
  free(v.tyre.tir);
  chrono_free(&f), chrono_free(&named);
  return status;
}

void chrono_model_free(chrono_model *m) {
  free(m->model), free(m->run), free(m->about);
  text_list_free(m->name, m->nname), text_list_free(m->text, m->ntext), text_list_free(m->warning, m->nwarning);
  *m = (chrono_model){.model = NULL};
}
