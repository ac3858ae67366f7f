#include "import/robot_vary.h"

#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "base/v3.h"
#include "import/robot_fill.h"

/* ---- kinds ---- */

static const char *const kinds[] = {"lengths", "joints", "masses", "springs", "dampers", "rotors", "sizes"};

static const char *kind_at(int i) {
  return i < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[i] : NULL;
}

mbd_status robot_vary_read(const char *list, unsigned *vary, mbd_error *err) {
  *vary = 0;
  while (*list) {
    char word[40], hint[MBD_HINT];
    const size_t n = strcspn(list, ",");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), list);
    const int kind = mbd_word_find(word, kind_at);
    if (kind < 0) {
      mbd_nearest near = {.requested = word};
      mbd_nearest_offer_all(&near, kind_at);
      MBD_FAIL(err, MBD_BAD_INPUT, "--vary: '%s' is not known%s", word, mbd_nearest_text(&near, hint, sizeof hint));
    }
    *vary |= 1u << kind;
    list += n + (list[n] == ',');
  }
  if ((*vary & ROBOT_VARY_LENGTHS) && (*vary & ROBOT_VARY_JOINTS)) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "--vary: expected lengths or joints, not both: these place the joints in all directions");
  }
  return MBD_OK;
}

/* ---- which numbers ---- */

/* Returns 1 if other links hang on a link, or a loop is closed at it: then the place of its joint changes how the robot moves. */
static int carries(const robot *r, int link) {
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    if (j->link[0] == link || (j->closes && j->link[1] == link)) { return 1; }
  }
  return 0;
}

/* Returns 1 if the size of a link may vary: of one that has a mass, or on which others hang. The ground has none. */
static int size_varies(const robot *r, const robot_link *link) {
  if (!(r->vary & ROBOT_VARY_SIZES) || (r->grounded && link->joint < 0)) { return 0; }
  return link->mass != 0 || carries(r, (int)(link - r->link));
}

/* Returns 1 if the place of a joint on its link k may vary. */
static int place_varies(const robot *r, const robot_joint *j, int k) {
  const double *xyz = j->frame[k].xyz;
  if (!(r->vary & (ROBOT_VARY_LENGTHS | ROBOT_VARY_JOINTS)) || v3_dot(xyz, xyz) == 0) { return 0; }
  return j->closes || j->type != ROBOT_WELD || carries(r, j->link[1]);
}

/* "JOINT_length", "JOINT_end_x" */
static void place_name(const robot_joint *j, int k, const char *what, char *name, size_t size) {
  snprintf(name, size, "%s%s_%s", j->joint, k ? "_end" : "", what);
}

static double length_of(const double xyz[3]) {
  const double length = sqrt(v3_dot(xyz, xyz));
  for (int i = 0; i < 3; i++) { /* along an axis it is that number itself */
    if (fabs(xyz[i]) >= length * (1 - 1e-15)) { return fabs(xyz[i]); }
  }
  return length;
}

static void each_place(const robot *r, const robot_joint *j, int k, void (*f)(const robot_variable *v, FILE *out),
                       FILE *out) {
  static const char *const axis[3] = {"x", "y", "z"};
  double xyz[3];
  if (!place_varies(r, j, k)) { return; }
  m3_vec(xyz, r->link[j->link[k]].turn, j->frame[k].xyz);
  const double length = length_of(xyz);
  robot_variable v = {.value = length, .lower = length / 2, .upper = 3 * length / 2, .scale = length, .unit = "m"};
  place_name(j, k, "length", v.name, sizeof v.name);
  for (int i = 0; i < 3; i++) { v.opens |= fabs(xyz[i]) > 1e-9 * length && (j->opens[k] & (1u << i)); }
  if (r->vary & ROBOT_VARY_LENGTHS) { f(&v, out); }
  for (int i = 0; i < 3 && (r->vary & ROBOT_VARY_JOINTS); i++) {
    v.opens = (j->opens[k] & (1u << i)) != 0;
    v.value = xyz[i], v.lower = xyz[i] - length / 4, v.upper = xyz[i] + length / 4;
    place_name(j, k, axis[i], v.name, sizeof v.name);
    f(&v, out);
  }
}

/* A number >= 0 that may become ten times as large or small. */
static void each_factor(const char *name, const char *what, double value, const char *unit,
                        void (*f)(const robot_variable *v, FILE *out), FILE *out) {
  robot_variable v = {.value = value, .lower = value / 10, .upper = 10 * value, .scale = value, .unit = unit};
  if (value <= 0) { return; }
  snprintf(v.name, sizeof v.name, "%s_%s", name, what);
  f(&v, out);
}

static void each_of_joint(const robot *r, const robot_joint *j, void (*f)(const robot_variable *v, FILE *out),
                          FILE *out) {
  const int turns = robot_is_turning(j->type);
  for (int k = 0; k < 2; k++) { each_place(r, j, k, f, out); }
  if (!robot_coordinate(j)) { return; }
  if (r->vary & ROBOT_VARY_SPRINGS) {
    robot_variable rest = {
        .value = j->rest, .lower = j->rest - 1, .upper = j->rest + 1, .scale = 1, .unit = turns ? "rad" : "m"};
    each_factor(j->joint, "stiffness", j->stiffness, turns ? "N m/rad" : "N/m", f, out);
    snprintf(rest.name, sizeof rest.name, "%s_rest", j->joint);
    if (j->stiffness > 0) { f(&rest, out); }
  }
  if (r->vary & ROBOT_VARY_DAMPERS) {
    each_factor(j->joint, "damping", j->damping, turns ? "N m s/rad" : "N s/m", f, out);
  }
  if (r->vary & ROBOT_VARY_ROTORS) { each_factor(j->joint, "rotor", j->rotor, turns ? "kg m^2" : "kg", f, out); }
}

void robot_each_variable(const robot *r, void (*f)(const robot_variable *v, FILE *out), FILE *out) {
  for (int i = 0; i < r->nlink; i++) {
    const robot_link *link = &r->link[i];
    robot_variable density = {.value = 1, .lower = 0.3, .upper = 3, .scale = 1, .unit = "of the file's"},
                   size = {.value = 1, .lower = 0.5, .upper = 1.5, .scale = 1, .unit = "times the file's"};
    snprintf(density.name, sizeof density.name, "%s_density", link->body);
    snprintf(size.name, sizeof size.name, "%s_size", link->body);
    if ((r->vary & ROBOT_VARY_MASSES) && link->mass != 0) { f(&density, out); }
    if (size_varies(r, link)) { f(&size, out); }
  }
  for (int i = 0; i < r->njoint; i++) { each_of_joint(r, &r->joint[i], f, out); }
}

/* ---- in place of numbers ---- */

/* "*LINK_size^power" or nothing, behind a number */
static void write_size(const robot *r, const robot_link *link, int power, FILE *out) {
  if (!size_varies(r, link)) { return; }
  fprintf(out, "*%s_size", link->body);
  if (power > 1) { fprintf(out, "^%d", power); }
}

void robot_write_place(const robot *r, const robot_joint *j, int k, const double xyz[3], FILE *out) {
  const int lengths = place_varies(r, j, k) && (r->vary & ROBOT_VARY_LENGTHS),
            joints = place_varies(r, j, k) && (r->vary & ROBOT_VARY_JOINTS),
            named = lengths || joints || size_varies(r, &r->link[j->link[k]]);
  const double length = lengths ? length_of(xyz) : 1;
  char name[160];
  for (int i = 0; i < 3; i++) {
    const char axis[2] = {(char)('x' + i), '\0'};
    if (i) { fputs(named ? ",\n  " : ", ", out); } /* names may be long, lines not */
    place_name(j, k, joints ? axis : "length", name, sizeof name);
    if (joints) {
      fputs(name, out);
    } else if (!lengths || xyz[i] == 0) {
      robot_number(out, xyz[i]);
    } else if (fabs(xyz[i]) == length) {
      fprintf(out, "%s%s", xyz[i] < 0 ? "-" : "", name);
    } else {
      robot_number(out, xyz[i] / length);
      fprintf(out, "*%s", name);
    }
    if (joints || xyz[i] != 0) { write_size(r, &r->link[j->link[k]], 1, out); }
  }
}

void robot_write_of_link(const robot *r, const robot_link *link, const double v[3], FILE *out) {
  for (int i = 0; i < 3; i++) {
    if (i) { fputs(size_varies(r, link) ? ",\n  " : ", ", out); }
    robot_number(out, v[i]);
    if (v[i] != 0) { write_size(r, link, 1, out); }
  }
}

void robot_write_density(const robot *r, const robot_link *link, int power, FILE *out) {
  if ((r->vary & ROBOT_VARY_MASSES) && link->mass != 0) { fprintf(out, "*%s_density", link->body); }
  if (link->mass != 0) { write_size(r, link, power, out); }
}

void robot_write_value(const robot *r, unsigned kind, const robot_joint *j, const char *name, double value, FILE *out) {
  if (r->vary & kind) {
    fprintf(out, "%s_%s", j->joint, name);
  } else {
    robot_number(out, value);
  }
}
