#include "import/urdf_file.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "files/memory.h"
#include "base/nearest.h"
#include "config/expr.h"
#include "import/robot_fill.h"

/* ---- messages ---- */

/* "FILE:LINE: joint 'elbow' <limit> "; returns where "<limit> " begins. */
static size_t place(const urdf_file *f, const xml_element *e, char *text, size_t size) {
  const xml_element *owner = e;
  while (owner->parent && owner->parent->parent) { owner = owner->parent; }
  const char *name = xml_get(owner, "name");
  size_t n = (size_t)snprintf(text, size, "%.300s:%d: ", f->path, e->line);
  if (n < size && owner->parent && name) {
    n += (size_t)snprintf(text + n, size - n, "%.20s '%.80s' ", owner->name, name);
  }
  if (n < size && (owner != e || !name || !owner->parent)) { snprintf(text + n, size - n, "<%.60s> ", e->name); }
  return n;
}

mbd_status urdf_fail(const urdf_file *f, const xml_element *e, const char *format, ...) {
  char where[600], text[500];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  place(f, e, where, sizeof where);
  MBD_FAIL(f->err, MBD_BAD_INPUT, "%s%s", where, text);
}

mbd_status urdf_warn(const urdf_file *f, const xml_element *e, const char *format, ...) {
  char where[600], text[1100];
  va_list args;
  const size_t what = place(f, e, where, sizeof where);
  size_t n = (size_t)snprintf(text, sizeof text, "%s", where + what);
  where[what] = '\0';
  va_start(args, format);
  vsnprintf(text + n, sizeof text - n, format, args);
  va_end(args);
  MEMORY_TRY(robot_warn(f->r, where, text), f->err, "%s", f->path);
  return MBD_OK;
}

/* ---- the permitted elements ---- */

/* Lists of words separated by blanks. `once`: children that are read; `aside`: children without effect on the
 * mechanics. */
typedef struct rule {
  const char *name, *attributes, *once, *aside;
} rule;

static const rule rules[] = {
    {"robot", "name version", "link joint loop_joint loop constraint coupling drake:ball_constraint",
     "material transmission gazebo ros2_control sensor group"},
    {"link", "name type", "inertial", "visual collision self_collision_checking"},
    {"inertial", "", "origin mass inertia", ""},
    {"mass", "value", "", ""},
    {"inertia", "ixx ixy ixz iyy iyz izz", "", ""},
    {"origin", "xyz rpy", "", ""},
    {"joint", "name type", "origin parent child axis dynamics limit mimic", "calibration safety_controller"},
    {"parent", "link", "", ""},
    {"child", "link", "", ""},
    {"axis", "xyz", "", ""},
    {"dynamics", "damping friction", "", ""},
    {"limit", "lower upper effort velocity", "", ""},
    {"mimic", "joint multiplier offset", "", ""},
    /* what closes loops */
    {"loop_joint", "name type", "link1 link2 axis", ""},
    {"link1", "link xyz rpy", "origin", ""},
    {"link2", "link xyz rpy", "origin", ""},
    {"loop", "name type", "predecessor successor axis", ""},
    {"constraint", "name type", "predecessor successor axis", "ratio"},
    {"predecessor", "link xyz rpy", "origin", ""},
    {"successor", "link xyz rpy", "origin", ""},
    {"coupling", "name", "", "predecessor successor ratio"},
    {"drake:ball_constraint", "name",
     "drake:ball_constraint_body_A drake:ball_constraint_body_B drake:ball_constraint_p_AP drake:ball_constraint_p_BQ",
     ""},
    {"drake:ball_constraint_body_A", "name", "", ""},
    {"drake:ball_constraint_body_B", "name", "", ""},
    {"drake:ball_constraint_p_AP", "value", "", ""},
    {"drake:ball_constraint_p_BQ", "value", "", ""},
};

static const rule *rule_of(const char *name) {
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    if (strcmp(rules[i].name, name) == 0) { return &rules[i]; }
  }
  return NULL;
}

/* The next word of a list: returns its length, and advances *list past it; 0: there is none. */
static size_t next_word(const char **list, const char **word) {
  *list += strspn(*list, " ");
  *word = *list;
  const size_t n = strcspn(*list, " ");
  *list += n;
  return n;
}

static int has_word(const char *list, const char *name) {
  const char *word;
  size_t n;
  while ((n = next_word(&list, &word)) != 0) {
    if (strlen(name) == n && strncmp(word, name, n) == 0) { return 1; }
  }
  return 0;
}

/* Copies of the words of a list, as separate texts, for the search for a similar word. */
typedef struct word_list {
  char text[300];
  size_t n;
} word_list;

/* Offers the words of a list that the element has neither as an attribute nor as a child. */
static void offer_missing(const xml_element *e, word_list *words, const char *list, mbd_nearest *near) {
  const char *word;
  size_t n;
  while ((n = next_word(&list, &word)) != 0 && words->n + n < sizeof words->text) {
    char *copy = memcpy(words->text + words->n, word, n);
    copy[n] = '\0';
    words->n += n + 1;
    if (!xml_get(e, copy) && !xml_child(e, copy)) { mbd_nearest_offer(near, copy); }
  }
}

static mbd_status check_attributes(const urdf_file *f, const xml_element *e, const rule *kept) {
  for (int i = 0; i < e->nattribute; i++) {
    const char *name = e->attribute[i].name;
    char hint[MBD_HINT];
    word_list words = {.n = 0};
    mbd_nearest near = {.requested = name};
    if (has_word(kept->attributes, name) || strncmp(name, "xmlns", 5) == 0) { continue; }
    offer_missing(e, &words, kept->attributes, &near);
    if (mbd_nearest_best(&near)) {
      return urdf_fail(f, e, "attribute '%.60s' is not known%s", name, mbd_nearest_text(&near, hint, sizeof hint));
    }
    MBD_TRY(urdf_warn(f, e, "attribute '%.60s' is not known, and left out", name));
  }
  return MBD_OK;
}

/* Reports an element that the format does not have in this place. */
static mbd_status unknown(const urdf_file *f, const xml_element *e, const rule *kept) {
  char hint[MBD_HINT];
  word_list words = {.n = 0};
  mbd_nearest near = {.requested = e->name};
  if (strncmp(e->name, "xacro:", 6) == 0) {
    return urdf_fail(f, e, "is a macro of xacro; expand the file first: xacro FILE.xacro > FILE.urdf");
  }
  offer_missing(e->parent, &words, kept->once, &near);
  if (mbd_nearest_best(&near)) { return urdf_fail(f, e, "is not known%s", mbd_nearest_text(&near, hint, sizeof hint)); }
  return urdf_warn(f, e, "is not known, and left out");
}

static mbd_status check_element(const urdf_file *f, const xml_element *e) {
  const rule *kept = rule_of(e->name);
  MBD_TRY(check_attributes(f, e, kept));
  for (int i = 0; i < e->nchild; i++) {
    const xml_element *c = e->child[i],
                      *first = e->parent ? xml_child(e, c->name) : c; /* the root has many of a name */
    if (has_word(kept->aside, c->name)) { continue; }
    if (!has_word(kept->once, c->name)) {
      MBD_TRY(unknown(f, c, kept));
      continue;
    }
    if (first != c) { return urdf_fail(f, c, "appears twice, first in line %d", first->line); }
    MBD_TRY(check_element(f, c));
  }
  return MBD_OK;
}

mbd_status urdf_check(const urdf_file *f, const xml_element *root) {
  if (strcmp(root->name, "robot") != 0) { return urdf_fail(f, root, "expected <robot>, the root of a URDF file"); }
  return check_element(f, root);
}

/* ---- values ---- */

mbd_status urdf_read_text(const urdf_file *f, const xml_element *e, const char *key, const char **text) {
  *text = xml_get(e, key);
  if (!*text || !**text) { return urdf_fail(f, e, "attribute '%s' is missing", key); }
  return MBD_OK;
}

/* Reads a text that consists of n numbers separated by white space. Numbers beyond 1e100 are refused: they are no
 * physical quantities, and their products could overflow. */
static int numbers(const char *text, int n, double *v) {
  static const char blank[] = " \t\r\n";
  const char *end;
  for (int i = 0; i < n; i++, text = end) {
    text += strspn(text, blank);
    v[i] = mbo_decimal(text, &end);
    if (end == text || (*end && !strchr(blank, *end)) || fabs(v[i]) > 1e100) { return 0; }
  }
  return text[strspn(text, blank)] == '\0';
}

static mbd_status read_numbers(const urdf_file *f, const xml_element *e, const char *key, int n, const double *dflt,
                               double *v) {
  const char *text = xml_get(e, key);
  if (!text && dflt) {
    memcpy(v, dflt, (size_t)n * sizeof *v);
    return MBD_OK;
  }
  MBD_TRY(urdf_read_text(f, e, key, &text));
  if (numbers(text, n, v)) { return MBD_OK; }
  return urdf_fail(f, e, "%s = \"%.80s\", expected %s", key, text, n == 1 ? "a number" : "three numbers");
}

mbd_status urdf_read_number(const urdf_file *f, const xml_element *e, const char *key, const double *dflt, double *v) {
  return read_numbers(f, e, key, 1, dflt, v);
}

mbd_status urdf_read_three(const urdf_file *f, const xml_element *e, const char *key, const double *dflt, double v[3]) {
  return read_numbers(f, e, key, 3, dflt, v);
}

mbd_status urdf_read_link(const urdf_file *f, const xml_element *e, const char *key, const mbd_names *known,
                          int *link) {
  const char *name;
  char hint[MBD_HINT];
  MBD_TRY(urdf_read_text(f, e, key, &name));
  *link = mbd_names_find(known, name);
  if (*link >= 0) { return MBD_OK; }
  mbd_nearest near = {.requested = name};
  for (int i = 0; i < f->r->nlink; i++) { mbd_nearest_offer(&near, f->r->link[i].name); }
  return urdf_fail(f, e, "link '%.80s' is not known%s", name, mbd_nearest_text(&near, hint, sizeof hint));
}

mbd_status urdf_read_pose(const urdf_file *f, const xml_element *e, robot_pose *pose) {
  static const double none[3] = {0, 0, 0};
  double rpy[3];
  MBD_TRY(urdf_read_three(f, e, "xyz", none, pose->xyz));
  MBD_TRY(urdf_read_three(f, e, "rpy", none, rpy));
  robot_rotation(rpy, pose->R);
  return MBD_OK;
}

mbd_status urdf_read_origin(const urdf_file *f, const xml_element *e, robot_pose *origin) {
  const xml_element *given = xml_child(e, "origin");
  *origin = (robot_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return given ? urdf_read_pose(f, given, origin) : MBD_OK;
}
