#include "import/element.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "config/expr.h"
#include "files/memory.h"
#include "import/robot_fill.h"

/* ---- messages ---- */

/* "FILE:LINE: joint 'elbow' <limit> ", by the nearest element with a name; returns where "<limit> " begins. */
static size_t place(const xml_element *e, char *text, size_t size) {
  const xml_element *owner = e;
  while (owner->parent && owner->parent->parent && !xml_get(owner, "name")) { owner = owner->parent; }
  const char *name = xml_get(owner, "name");
  size_t n = (size_t)snprintf(text, size, "%.300s:%d: ", e->path, e->line);
  if (n < size && owner->parent && name) {
    n += (size_t)snprintf(text + n, size - n, "%.20s '%.80s' ", owner->name, name);
  }
  if (n < size && (owner != e || !name || !owner->parent)) { snprintf(text + n, size - n, "<%.60s> ", e->name); }
  return n;
}

mbd_status element_fail(const element_file *f, const xml_element *e, const char *format, ...) {
  char where[600], text[500];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  place(e, where, sizeof where);
  MBD_FAIL(f->err, MBD_BAD_INPUT, "%s%s", where, text);
}

mbd_status element_warn(const element_file *f, const xml_element *e, const char *format, ...) {
  char where[600], text[1100];
  va_list args;
  const size_t what = place(e, where, sizeof where);
  const size_t n = (size_t)snprintf(text, sizeof text, "%s", where + what);
  where[what] = '\0';
  va_start(args, format);
  vsnprintf(text + n, sizeof text - n, format, args);
  va_end(args);
  MEMORY_TRY(robot_warn(f->r, where, text), f->err, "%s", e->path);
  return MBD_OK;
}

/* ---- the permitted elements ---- */

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
  while (list && (n = next_word(&list, &word)) != 0) {
    if (strlen(name) == n && strncmp(word, name, n) == 0) { return 1; }
  }
  return 0;
}

static const element_rule *rule_of(const element_file *f, const xml_element *e) {
  for (int i = 0; i < f->nrule; i++) {
    const element_rule *rule = &f->rule[i];
    if (strcmp(rule->name, e->name) != 0) { continue; }
    if (!rule->parents || !e->parent || has_word(rule->parents, e->parent->name)) { return rule; }
  }
  return NULL;
}

/* Copies of the words of lists, as separate texts, for the search for a similar word. */
typedef struct word_list {
  char text[1000];
  size_t n;
} word_list;

/* Offers the words of a list that the element has neither as an attribute nor as a child. */
static void offer_missing(const xml_element *e, word_list *words, const char *list, mbd_nearest *near) {
  const char *word;
  size_t n;
  while (list && (n = next_word(&list, &word)) != 0 && words->n + n < sizeof words->text) {
    char *copy = memcpy(words->text + words->n, word, n);
    copy[n] = '\0';
    words->n += n + 1;
    if (!xml_get(e, copy) && !xml_child(e, copy)) { mbd_nearest_offer(near, copy); }
  }
}

static mbd_status check_attributes(const element_file *f, const xml_element *e, const element_rule *rule) {
  for (int i = 0; i < e->nattribute; i++) {
    const char *name = e->attribute[i].name;
    char hint[MBD_HINT];
    word_list words = {.n = 0};
    mbd_nearest near = {.requested = name};
    if (has_word(rule->attributes, name) || strncmp(name, "xmlns", 5) == 0) { continue; }
    if (has_word(rule->without, name)) {
      MBD_TRY(element_warn(f, e, "attribute '%.60s' is left out: the model has nothing like it", name));
      continue;
    }
    offer_missing(e, &words, rule->attributes, &near);
    if (mbd_nearest_best(&near)) {
      return element_fail(f, e, "attribute '%.60s' is not known%s", name, mbd_nearest_text(&near, hint, sizeof hint));
    }
    MBD_TRY(element_warn(f, e, "attribute '%.60s' is not known, and left out", name));
  }
  return MBD_OK;
}

/* Reports an element that the format does not have in this place. */
static mbd_status unknown(const element_file *f, const xml_element *e, const element_rule *rule) {
  char hint[MBD_HINT];
  word_list words = {.n = 0};
  mbd_nearest near = {.requested = e->name};
  if (strncmp(e->name, "xacro:", 6) == 0) {
    return element_fail(f, e, "is a macro of xacro; expand the file first: xacro FILE.xacro > FILE.urdf");
  }
  if (has_word(rule->refused, e->name)) { return element_fail(f, e, "%s", f->refused); }
  if (has_word(rule->left_out, e->name)) { return element_warn(f, e, "is left out: the model has nothing like it"); }
  offer_missing(e->parent, &words, rule->once, &near);
  offer_missing(e->parent, &words, rule->several, &near);
  if (mbd_nearest_best(&near)) {
    return element_fail(f, e, "is not known%s", mbd_nearest_text(&near, hint, sizeof hint));
  }
  return element_warn(f, e, "is not known, and left out");
}

mbd_status element_check(const element_file *f, const xml_element *e) {
  const element_rule *rule = rule_of(f, e);
  if (!rule) { return MBD_OK; }
  MBD_TRY(check_attributes(f, e, rule));
  for (int i = 0; i < e->nchild; i++) {
    const xml_element *c = e->child[i];
    if (has_word(rule->aside, c->name)) { continue; }
    if (!has_word(rule->once, c->name) && !has_word(rule->several, c->name)) {
      MBD_TRY(unknown(f, c, rule));
      continue;
    }
    if (has_word(rule->once, c->name) && xml_child(e, c->name) != c) {
      return element_fail(f, c, "appears twice, first in line %d", xml_child(e, c->name)->line);
    }
    MBD_TRY(element_check(f, c));
  }
  return MBD_OK;
}

/* ---- values ---- */

mbd_status element_text(const element_file *f, const xml_element *e, const char *key, const char **text) {
  *text = xml_get(e, key);
  if (!*text || !**text) { return element_fail(f, e, "attribute '%s' is missing", key); }
  return MBD_OK;
}

mbd_status element_word(const element_file *f, const xml_element *e, const char *key, const char *text,
                        const char *(*word_at)(int i), int *i) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = text};
  *i = mbd_word_find(text, word_at);
  if (*i >= 0) { return MBD_OK; }
  mbd_nearest_offer_all(&near, word_at);
  return element_fail(f, e, "%s = \"%.80s\" is not known%s", key, text, mbd_nearest_text(&near, hint, sizeof hint));
}

/* Reads numbers separated by white space until the end of the text; returns their count, -1 if there are others or more than max. */
static int read_numbers(const char *text, int max, double *v) {
  static const char blank[] = " \t\r\n";
  const char *end;
  int n = 0;
  for (text += strspn(text, blank); *text; text += strspn(text, blank)) {
    double next = mbo_decimal(text, &end);
    if (n == max || end == text || (*end && !strchr(blank, *end)) || !(fabs(next) <= 1e50)) { return -1; }
    v[n++] = next;
    text = end;
  }
  return n;
}

mbd_status element_numbers(const element_file *f, const xml_element *e, const char *key, const char *text, int min,
                           int max, double *v, int *n) {
  static const char *const word[] = {"no", "a", "two", "three", "four", "five", "six", "seven"};
  const int found = read_numbers(text, max, v);
  if (n) { *n = found; }
  if (found >= min) { return MBD_OK; }
  if (min == max && max < 8) {
    return element_fail(f, e, "%s = \"%.80s\", expected %s number%s", key, text, word[max], max == 1 ? "" : "s");
  }
  return element_fail(f, e, "%s = \"%.80s\", expected %d to %d numbers", key, text, min, max);
}

mbd_status element_not_known(const element_file *f, const xml_element *e, const char *key, const char *name,
                             const mbd_names *known) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  for (size_t i = 0; i < known->capacity; i++) {
    if (known->slot[i].name) { mbd_nearest_offer(&near, known->slot[i].name); }
  }
  return element_fail(f, e, "%s = \"%.80s\" is not known%s", key, name, mbd_nearest_text(&near, hint, sizeof hint));
}

/* ---- shapes ---- */

/* What stands in an attribute, or in the element of this name. */
static const char *value_of(const xml_element *e, const char *key) {
  const xml_element *child = xml_child(e, key);
  return child ? child->text : xml_get(e, key);
}

static int has_numbers(const xml_element *e, const char *key, int n, double *v) {
  double read[3];
  const char *text = value_of(e, key);
  if (!text || read_numbers(text, 3, read) != n) { return 0; }
  memcpy(v, read, (size_t)n * sizeof *v);
  return 1;
}

/* The file of a mesh without blanks around it, in new memory; NULL: it has none, or no memory. */
static char *file_of(const xml_element *e) {
  const char *text = xml_get(e, "filename") ? xml_get(e, "filename") : value_of(e, "uri");
  if (!text) { return NULL; }
  text += strspn(text, " \t\r\n");
  size_t n = strlen(text);
  while (n > 0 && strchr(" \t\r\n", text[n - 1])) { n--; }
  return n > 0 ? mbd_strndup(text, n) : NULL;
}

mbd_status element_shape(const element_file *f, const xml_element *e, const robot_pose *pose, robot_link *link) {
  static const struct {
    const char *name, *key;
    robot_look type;
    int n, has_length;
  } forms[] = {{"box", "size", ROBOT_BOX, 3, 0},
               {"sphere", "radius", ROBOT_SPHERE, 1, 0},
               {"cylinder", "radius", ROBOT_CYLINDER, 1, 1},
               {"capsule", "radius", ROBOT_CAPSULE, 1, 1},
               {"mesh", "scale", ROBOT_MESH, 3, 0}};
  const xml_element *geometry = xml_child(e, "geometry");
  const xml_element *form = geometry && geometry->nchild ? geometry->child[0] : NULL;
  for (size_t i = 0; form && i < sizeof forms / sizeof forms[0]; i++) {
    const robot_look type = forms[i].type;
    double size[3] = {1, 1, 1};
    if (strcmp(forms[i].name, form->name) != 0) { continue; }
    char *file = type == ROBOT_MESH ? file_of(form) : NULL;
    const int is_known = (has_numbers(form, forms[i].key, forms[i].n, size) || type == ROBOT_MESH) &&
                         (!forms[i].has_length || has_numbers(form, "length", 1, &size[1])) &&
                         (type == ROBOT_MESH ? file != NULL : size[0] >= 0 && size[1] >= 0 && size[2] >= 0);
    robot_shape *shape = is_known ? robot_add_shape(link, type, e->line, file) : NULL;
    free(file);
    if (!shape) { continue; }
    shape->pose = *pose;
    memcpy(shape->size, size, sizeof size);
  }
  return MEMORY_WHOLE(f->err, "%s", e->path);
}
