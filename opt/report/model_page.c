#include "report/model_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"
#include "files/memory.h"
#include "files/plural.h"
#include "files/text_stream.h"
#include "files/warning_words.h"
#include "mbd/version.h"
#include "report/assets.h"
#include "report/mechanism_parts.h"
#include "report/page.h"

static const double rounding = 1e-14; /* coordinates below this are shown as 0 */

/* The tree of bodies; 0 is the ground. */
typedef struct writer {
  page *p;
  const json_t *o;
  int n;
  const char **name;   /* [n + 1] */
  int *parent, *level; /* [n + 1] the body that carries each; how many carry it */
} writer;

static int find_body(const writer *w, const char *name) {
  int i = w->n;
  while (i > 0 && strcmp(w->name[i], name) != 0) { i--; }
  return i;
}

static mbd_status read_tree(writer *w, mbd_error *err) {
  const json_t *tree = json_object_get(w->o, "tree");
  w->n = (int)json_array_size(tree);
  w->name = calloc((size_t)w->n + 1, sizeof *w->name);
  w->parent = calloc(2 * (size_t)w->n + 2, sizeof *w->parent);
  MEMORY_TRY(w->name && w->parent, err, "the page");
  w->level = w->parent + w->n + 1;
  w->name[0] = "ground";
  for (int i = 1; i <= w->n; i++) { w->name[i] = json_text_in(json_array_get(tree, (size_t)i - 1), "body"); }
  for (int i = 1; i <= w->n; i++) {
    w->parent[i] = find_body(w, json_text_in(json_array_get(tree, (size_t)i - 1), "parent"));
  }
  for (int i = 1; i <= w->n; i++) {
    for (int k = i; k > 0; k = w->parent[k]) { w->level[i]++; }
  }
  return MBD_OK;
}

/* ---- the mechanism ---- */

static double largest(const json_t *numbers, double size) {
  for (size_t i = 0; i < json_array_size(numbers); i++) {
    size = fmax(size, fabs(json_number_of(json_array_get(numbers, i))));
  }
  return size;
}

/* Files, mass, centre of mass and extents of the mechanism at the start. */
static void facts(const writer *w) {
  const json_t *extents = json_object_get(w->o, "extents"), *min = json_object_get(extents, "least"),
               *max = json_object_get(extents, "most"), *part;
  const double size = largest(max, largest(min, 0));
  /* Coordinates of these places that are rounding relative to the extents are shown as 0. */
  json_t *place[] = {mechanism_part_place(json_object_get(w->o, "centre_of_mass"), size),
                     mechanism_part_place(min, size), mechanism_part_place(max, size)};
  size_t i;
  page_facts_open(w->p);
  /* The files, with the parts that the model includes. */
  page_fact(w->p, "mechanism", json_text_in(w->o, "mechanism"));
  page_fact(w->p, "run file", json_text_in(w->o, "run_file"));
  page_fact_file(w->p, "model file", json_text_in(w->o, "model_file"));
  json_array_foreach(json_object_get(w->o, "parts"), i, part) {
    page_fact_file(w->p, "part", json_string_value(part));
  }
  /* Mass, centre of mass and extents at the start of the load case. */
  page_fact(w->p, "load case", json_text_in(w->o, "case"));
  page_fact_of(w->p, "mass", "%.6g kg", json_number_in(w->o, "mass"));
  page_fact_of(w->p, "centre of mass at the start", "%s m", json_string_value(place[0]));
  page_fact_of(w->p, "extents at the start", "from %s to %s m", json_string_value(place[1]),
               json_string_value(place[2]));
  page_fact_of(w->p, "program", "mbopt %s", MBD_VERSION);
  page_facts_close(w->p);
  for (int k = 0; k < 3; k++) { json_decref(place[k]); }
}

static void warnings(const writer *w) {
  size_t i;
  const json_t *one;
  json_array_foreach(json_object_get(w->o, "warnings"), i, one) {
    char *words = warning_words(one);
    if (words) { page_note(w->p, "%s", words); }
    free(words);
  }
}

/* The picture of the mechanism at its start, which scene.js draws, beside the graph. */
static void the_mechanism(const writer *w) {
  enum { NAMES_MAX = 60 };
  page_section(w->p, "Mechanism");
  /* Numbers of bodies, coordinates and equations, and which coordinates are held at the start. */
  mechanism_part_equations(w->p, w->o);
  page_names(w->p, "Held at the start:", json_object_get(w->o, "held"), NAMES_MAX);
  page_names(w->p, "Held at the start at the values of the model, for no others are given:",
             json_object_get(w->o, "kept_at_guess"), NAMES_MAX);
  /* The picture: its data, and the script that draws them. */
  page_beside_open(w->p);
  page_container(w->p, "scene");
  page_uses_scene(w->p);
  page_json(w->p, "start", json_object_get(w->o, "scene"));
  /* The graph beside it. */
  mechanism_part_graph(w->p, w->o,
                       "Bodies and joints with their numbers; dashed what closes loops or acts between bodies. "
                       "A body under the mouse, or with the focus, is alone in colour in the picture; one under "
                       "the mouse there is marked here.");
  page_figures_close(w->p);
}

/* ---- loops ---- */

/* Lists the bodies on the path from a to b in the tree; returns how many. list [n + 1] */
static int path_between(const writer *w, int a, int b, int *list) {
  int n = 0, back = w->n + 1;
  while (a != b) { /* from b they are collected at the end of the list */
    if (w->level[a] >= w->level[b]) {
      list[n++] = a, a = w->parent[a];
    } else {
      list[--back] = b, b = w->parent[b];
    }
  }
  list[n++] = a;
  while (back <= w->n) { list[n++] = list[back++]; }
  return n;
}

static void write_path(FILE *out, const writer *w, int n, const int *list) {
  enum { ENDS = 12 }; /* of a long path both ends are shown */
  for (int i = 0; i < n; i++) {
    if (n > 2 * ENDS && i == ENDS) {
      fprintf(out, " – ... (%d bod%s)", n - 2 * ENDS, plural_y(n - 2 * ENDS)), i = n - ENDS;
    }
    fprintf(out, "%s%s", i ? " – " : "", w->name[list[i]]);
  }
}

/* Adds what closes a loop to the rows, with the bodies around it: a cut joint, or a constraint between bodies that are no neighbours. */
static void add_loop(const writer *w, json_t *rows, const json_t *element, int cut, int *list) {
  const json_t *bodies = json_object_get(element, "bodies");
  if (json_array_size(bodies) < 2) { return; }
  const int n = path_between(w, find_body(w, json_string_value(json_array_get(bodies, 0))),
                             find_body(w, json_string_value(json_array_get(bodies, 1))), list);
  if (!cut && n <= 2) { return; }
  text_stream s;
  FILE *out = text_begin(&s);
  if (out) { write_path(out, w, n, list); }
  json_array_append_new(rows, json_pack("{s:O, s:O, s:O, s:o}", "name", json_object_get(element, "name"), "type",
                                        json_object_get(element, "type"), "equations",
                                        json_object_get(element, "equations"), "way", json_own_text(text_end(&s))));
}

/* Writes the table of cut joints and constraints that close loops, with the bodies of each loop. */
static mbd_status loops(const writer *w, mbd_error *err) {
  static const page_column column[] = {{"closed by", "name", PAGE_WORDS, NULL},
                                       {"type", "type", PAGE_WORDS, NULL},
                                       {"equations", "equations", PAGE_DIGITS, NULL},
                                       {"bodies around the loop", "way", PAGE_WORDS, NULL}};
  int *list = calloc((size_t)w->n + 2, sizeof *list);
  MEMORY_TRY(list, err, "the page");
  json_t *rows = json_array();
  const json_t *one;
  size_t i;
  /* Rows for all cut joints, and for constraints between bodies that are not neighbours in the tree. */
  json_array_foreach(json_object_get(w->o, "joints"), i, one) {
    if (json_is_true(json_object_get(one, "cut"))) { add_loop(w, rows, one, 1, list); }
  }
  json_array_foreach(json_object_get(w->o, "constraints"), i, one) {
    add_loop(w, rows, one, 0, list);
  }
  free(list);
  /* The table, or the statement that there is no loop. */
  page_section(w->p, "Loops");
  if (json_array_size(rows) == 0) {
    page_text(w->p, "Bodies and joints are a tree: there is no loop.");
  } else {
    page_text(w->p, "The tree is cut where a loop closes: there, equations hold the bodies together.");
    page_table(w->p, 4, column, rows);
  }
  json_decref(rows);
  return MBD_OK;
}

/* ---- tables ---- */

static void without_rounding(json_t *o, const char *key) {
  if (fabs(json_number_in(o, key)) < rounding) { json_object_set_new(o, key, json_real(0)); }
}

static void coordinates(const writer *w) {
  static const page_column column[] = {{"coordinate", "coordinate", PAGE_WORDS, NULL},
                                       {"at the start", "value", PAGE_DIGITS, NULL},
                                       {"unit", "unit", PAGE_WORDS, NULL},
                                       {"rate, per s", "rate", PAGE_DIGITS, NULL}};
  size_t i;
  json_t *one, *rows = json_deep_copy(json_object_get(w->o, "start"));
  json_array_foreach(rows, i, one) {
    without_rounding(one, "value"), without_rounding(one, "rate");
  }
  page_section(w->p, "Coordinates");
  page_text(w->p,
            "At the start of case %s; numbers below %g are shown as 0. The table of joints says where a coordinate "
            "is zero.",
            json_text_in(w->o, "case"), rounding);
  page_table(w->p, 4, column, rows);
  json_decref(rows);
}

/* Three entries of a matrix [3][3] as words. */
static json_t *entries(const json_t *matrix, size_t a, size_t b, size_t c) {
  json_t *three = json_pack("[O,O,O]", json_array_get(matrix, a), json_array_get(matrix, b), json_array_get(matrix, c)),
         *words = mechanism_part_place(three, 0);
  json_decref(three);
  return words;
}

/* Writes the table of bodies: parent, mass, centre of mass, inertia. */
static void bodies(const writer *w) {
  static const page_column column[] = {{"body", "body", PAGE_WORDS, NULL},
                                       {"carried by", "parent", PAGE_WORDS, NULL},
                                       {"by the joint", "joint", PAGE_WORDS, NULL},
                                       {"mass [kg]", "mass", PAGE_DIGITS, NULL},
                                       {"centre of mass [m]", "centre", PAGE_WORDS, NULL},
                                       {"inertia xx, yy, zz [kg m²]", "moments", PAGE_WORDS, NULL},
                                       {"xy, yz, zx [kg m²]", "products", PAGE_WORDS, NULL}};
  size_t i;
  const json_t *tree = json_object_get(w->o, "tree");
  json_t *one, *rows = json_deep_copy(json_object_get(w->o, "masses"));
  /* The tree lists the bodies in the same order. The inertia is a matrix [3][3] by rows: moments are its entries
   * 0, 4, 8, products xy, yz, zx its entries 1, 5, 6. */
  json_array_foreach(rows, i, one) {
    const json_t *inertia = json_object_get(one, "inertia"), *carried = json_array_get(tree, i);
    json_object_set(one, "parent", json_object_get(carried, "parent"));
    json_object_set(one, "joint", json_object_get(carried, "joint"));
    json_object_set_new(one, "centre", mechanism_part_place(json_object_get(one, "centre_of_mass"), 0));
    json_object_set_new(one, "moments", entries(inertia, 0, 4, 8));
    json_object_set_new(one, "products", entries(inertia, 1, 5, 6));
  }
  /* The table, with the frame of its numbers. */
  page_section(w->p, "Bodies");
  page_text(w->p, "Centres of mass are in the frame of the body, inertias about the centre of mass along its axes.");
  page_table(w->p, 7, column, rows);
  json_decref(rows);
}

/* The bodies of the joint to which the equation of an element belongs: the one with the longest name with which the element's name begins;
 * NULL: there is none. */
static const json_t *bodies_of_joint(const writer *w, const char *element) {
  const json_t *found = NULL, *one;
  size_t i, max = 0;
  json_array_foreach(json_object_get(w->o, "joints"), i, one) {
    const char *name = json_text_in(one, "name");
    const size_t n = strlen(name);
    if (n > max && strncmp(element, name, n) == 0 && element[n] == '.') {
      found = json_object_get(one, "bodies"), max = n;
    }
  }
  return found;
}

static void add_elements(const writer *w, json_t *rows, const char *key, const char *kind) {
  size_t i, k;
  const json_t *one, *name;
  json_array_foreach(json_object_get(w->o, key), i, one) {
    const json_t *on = json_object_get(one, "bodies");
    text_stream s;
    FILE *out = text_begin(&s);
    if (json_array_size(on) == 0) { on = bodies_of_joint(w, json_text_in(one, "name")); }
    json_array_foreach(on, k, name) {
      if (out) { fprintf(out, "%s%s", k ? ", " : "", json_string_value(name)); }
    }
    json_t *row = json_deep_copy(one);
    json_object_set_new(row, "kind", json_string(kind));
    json_object_set_new(row, "on", json_own_text(text_end(&s)));
    json_array_append_new(rows, row);
  }
}

static void elements(const writer *w) {
  static const page_column column[] = {{"element", "name", PAGE_WORDS, NULL},
                                       {"kind", "kind", PAGE_WORDS, NULL},
                                       {"type", "type", PAGE_WORDS, NULL},
                                       {"equations", "equations", PAGE_DIGITS, NULL},
                                       {"acts on", "on", PAGE_WORDS, NULL}};
  json_t *rows = json_array();
  add_elements(w, rows, "constraints", "constraint"), add_elements(w, rows, "forces", "force");
  page_table_section(w->p, "Elements", 5, column, rows);
  json_decref(rows);
}

/* Writes the sizes of the mechanism in natural coordinates, or why it has none. */
static void natural(const writer *w) {
  const json_t *answer = json_object_get(w->o, "natural_coordinates"), *why = json_object_get(answer, "why_not");
  page_section(w->p, "Natural coordinates");
  if (why) {
    page_text(w->p, "None: %s", json_string_value(why));
    return;
  }
  const int npoint = (int)json_array_size(json_object_get(answer, "points")),
            nvector = (int)json_array_size(json_object_get(answer, "vectors")),
            nvariable = mechanism_part_count(answer, "variables"),
            nequation = mechanism_part_count(answer, "equations"),
            freedoms = mechanism_part_count(answer, "degrees_of_freedom");
  page_text(w->p,
            "%d variable%s (%d point%s, %d vector%s; angles and distances: %zu), %d equation%s of rank %d at the "
            "start: %d degree%s of freedom.",
            nvariable, plural(nvariable), npoint, plural(npoint), nvector, plural(nvector),
            json_array_size(json_object_get(answer, "coordinates")), nequation, plural(nequation),
            mechanism_part_count(answer, "rank"), freedoms, plural(freedoms));
}

/* ---- the page ---- */

static mbd_status all_parts(const writer *w, mbd_error *err) {
  page_section(w->p, "What it is");
  facts(w);
  warnings(w);
  the_mechanism(w);
  MBD_TRY(loops(w, err));
  page_section(w->p, "Joints");
  mechanism_part_joints(w->p, w->o, 1);
  coordinates(w);
  bodies(w);
  elements(w);
  natural(w);
  return MBD_OK;
}

mbd_status model_page_write(const json_t *o, const char *path, mbd_error *err) {
  writer w = {.o = o};
  mbd_status status = page_create_about(json_text_in(o, "run_file"), "mechanism", &w.p, err);
  if (status == MBD_OK) { status = read_tree(&w, err); }
  if (status == MBD_OK) { status = all_parts(&w, err); }
  if (status == MBD_OK) { status = page_write(w.p, path, err); }
  page_destroy(w.p);
  free((void *)w.name), free(w.parent);
  return status;
}
