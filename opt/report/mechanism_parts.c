#include "report/mechanism_parts.h"

#include <math.h>

#include "base/memory.h"
#include "files/json.h"
#include "files/place_text.h"
#include "files/plural.h"
#include "files/text_stream.h"

json_t *mechanism_part_place(const json_t *numbers, double size) {
  char text[PLACE_TEXT];
  double x[3];
  for (int i = 0; i < 3; i++) { x[i] = json_number_of(json_array_get(numbers, (size_t)i)); }
  return json_string(place_text(x, size > 0 ? size : fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))), text));
}

static json_t *axes_of(const json_t *joint) {
  text_stream s;
  FILE *out = text_begin(&s);
  size_t i;
  const json_t *one;
  json_array_foreach(json_object_get(joint, "axes"), i, one) {
    json_t *words = mechanism_part_place(one, 1);
    if (out) { fprintf(out, "%s%s", i ? "; " : "", json_string_value(words)); }
    json_decref(words);
  }
  return json_own_text(text_end(&s));
}

/* The table of joints; with `places` also where their axes and the zeros of their coordinates are. */
void mechanism_part_joints(page *p, const json_t *o, int places) {
  static const page_column few[] = {{"joint", "name", PAGE_WORDS, NULL},
                                    {"type", "type", PAGE_WORDS, NULL},
                                    {"first body", "first", PAGE_WORDS, NULL},
                                    {"second body", "second", PAGE_WORDS, NULL},
                                    {"in the tree", "tree", PAGE_WORDS, NULL}};
  const page_column all[] = {few[0],
                             few[1],
                             few[2],
                             few[3],
                             {"place at the start [m]", "place", PAGE_WORDS, NULL},
                             {"axis", "axis", PAGE_WORDS, NULL},
                             {"coordinates", "zero_words", PAGE_WORDS, NULL},
                             few[4]};
  size_t i;
  json_t *one, *rows = json_deep_copy(json_object_get(o, "joints"));
  json_array_foreach(rows, i, one) {
    const json_t *bodies = json_object_get(one, "bodies"), *point = json_object_get(one, "point");
    const int cut = json_is_true(json_object_get(one, "cut")), n = (int)json_number_in(one, "equations");
    /* The bodies, and whether the joint is part of the tree or cut, with the reason. */
    json_object_set(one, "first", json_array_get(bodies, 0)), json_object_set(one, "second", json_array_get(bodies, 1));
    json_object_set_new(
        one, "tree",
        cut ? json_own_text(mbd_sprintf_dup("cut, %d equation%s: %s", n, plural(n), json_text_in(one, "why")))
            : json_string("yes"));
    if (!places) { continue; }
    /* The place, whose coordinates are shown as 0 where they are rounding relative to its distance from the origin;
     * and the axes. */
    double size = 0;
    for (size_t k = 0; k < 3; k++) { size = hypot(size, json_number_of(json_array_get(point, k))); }
    if (json_is_array(point)) { json_object_set_new(one, "place", mechanism_part_place(point, size)); }
    json_object_set_new(one, "axis", axes_of(one));
  }
  page_table(p, places ? 8 : 5, places ? all : few, rows);
  json_decref(rows);
}

int mechanism_part_count(const json_t *o, const char *key) {
  return (int)json_integer_value(json_object_get(o, key));
}

/* Counts bodies, coordinates, equations and degrees of freedom, and names the equations that follow from others. */
void mechanism_part_equations(page *p, const json_t *o) {
  enum { MAX = 30 };
  const int bodies = mechanism_part_count(o, "bodies"), n = mechanism_part_count(o, "coordinates"),
            m = mechanism_part_count(o, "equations"), freedoms = mechanism_part_count(o, "degrees_of_freedom");
  const json_t *redundant = json_object_get(o, "redundant");
  page_text(p, "%d bod%s, %d coordinate%s, %d constraint equation%s of rank %d at the start: %d degree%s of freedom.",
            bodies, plural_y(bodies), n, plural(n), m, plural(m), mechanism_part_count(o, "rank"), freedoms,
            plural(freedoms));
  const int velocity = mechanism_part_count(o, "velocity_equations"),
            positions = mechanism_part_count(o, "degrees_of_freedom_of_positions");
  if (velocity > 0) {
    page_text(
        p, "%d of these equations constrain velocities alone: %d degree%s of freedom of positions, %d of velocities.",
        velocity, positions, plural(positions), freedoms);
    page_names(p, "Left out, for they follow from constraints of positions:", json_object_get(o, "left_out"), MAX);
  }
  page_names(p, "Redundant equations, which follow from the others:", redundant, MAX);
}

void mechanism_part_graph(page *p, const json_t *o, const char *caption) {
  static const double scale = 1.1; /* its small letters have 10 units */
  const char *svg = json_text_in(o, "graph");
  if (*svg) { page_graph(p, svg, scale, caption); }
}
