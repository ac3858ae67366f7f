/* Every key of run files and model files, printed from the tables: `mbopt schema`, and the manual. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/options.h"

/* One key in the three formats. */
typedef struct key_line {
  const char *key, *type, *dflt, *range, *unit, *doc;
} key_line;

typedef struct writer {
  FILE *out;
  int markdown, table;    /* table: its head is written */
  json_t *json, *section; /* JSON: collected; NULL otherwise */
} writer;

static void open_section(writer *w, const char *file, const char *title, const char *doc) {
  if (w->json) {
    w->section = json_array();
    json_array_append_new(
        w->json, json_pack("{s:s, s:s, s:s, s:o}", "file", file, "section", title, "doc", doc, "keys", w->section));
  } else if (w->markdown) {
    fprintf(w->out, "\n### `%s`\n\n%s\n", title, doc);
    w->table = 0;
  } else {
    fprintf(w->out, "\n%s   %s\n", title, doc);
  }
}

/* A cell of a markdown table: a bar would end it. */
static void write_cell(FILE *out, const char *text) {
  for (; *text; text++) { fprintf(out, *text == '|' ? "\\%c" : "%c", *text); }
}

static void write_key(writer *w, const key_line *k) {
  const char *unit = k->unit ? k->unit : "", *range = k->range ? k->range : "";
  if (w->json) {
    json_array_append_new(w->section, json_pack("{s:s, s:s, s:s?, s:s, s:s, s:s}", "key", k->key, "type", k->type,
                                                "default", k->dflt, "range", range, "unit", unit, "doc", k->doc));
  } else if (w->markdown) {
    if (!w->table) { fprintf(w->out, "\n| key | value | default | meaning |\n|---|---|---|---|\n"); }
    w->table = 1;
    fprintf(w->out, "| `%s` | %s%s%s%s%s | %s%s%s | ", k->key, k->type, *range ? ", " : "", range, *unit ? ", " : "",
            unit, k->dflt && *k->dflt ? "`" : "", k->dflt ? k->dflt : "required", k->dflt && *k->dflt ? "`" : "");
    write_cell(w->out, k->doc);
    fprintf(w->out, " |\n");
  } else {
    fprintf(w->out, "  %-22s %s%s%s%s%s%s; %s%s\n", k->key, k->type, *range ? " " : "", range, *unit ? " [" : "", unit,
            *unit ? "]" : "", k->dflt ? "default " : "required", k->dflt ? (*k->dflt ? k->dflt : "none") : "");
    fprintf(w->out, "  %-22s %s\n", "", k->doc);
  }
}

/* ---- run files ---- */

static void range_text(double min, double max, char *text, size_t size) {
  text[0] = '\0';
  if (min > -1e299 && max < 1e299) {
    snprintf(text, size, "%g to %g", min, max);
  } else if (min > -1e299) {
    snprintf(text, size, ">= %g", min);
  } else if (max < 1e299) {
    snprintf(text, size, "<= %g", max);
  }
}

static void write_rows(writer *w, const option_row *row) {
  static const char *const types[] = {"number", "whole number", "yes or no", "text", "", "numbers", "names", "text"};
  for (const option_row *r = row; r->key; r++) {
    char range[64] = "", choices[256] = "";
    if (r->type == OPTION_NUMBER || r->type == OPTION_INTEGER) { range_text(r->min, r->max, range, sizeof range); }
    if (r->choices) {
      snprintf(choices, sizeof choices, "%s", r->choices);
      for (char *c = choices; *c; c++) {
        if (*c == '|') { *c = '/'; }
      }
    }
    write_key(w, &(key_line){r->key, r->choices ? choices : types[r->type], r->dflt, range, r->unit, r->doc});
  }
}

static void write_run(writer *w) {
  for (int i = 0; option_section_at(i); i++) {
    const option_section *s = option_section_at(i);
    char title[64];
    snprintf(title, sizeof title, "[%s%s]", s->kind, s->named ? " NAME" : "");
    open_section(w, "run", title, s->doc);
    write_rows(w, s->row);
  }
}

/* ---- model files ---- */

static const struct {
  const char *section, *doc;
  key_line key[9];
} model_sections[] = {
    {"[model]",
     "The mechanism as a whole.",
     {{"name", "text", "", "", "", "short name"},
      {"title", "text", "", "", "", "one line for reports"},
      {"frame", "global/body", "global", "", "",
       "coordinates of points and vectors: once in the global frame at the design position, or in each body's own "
       "frame"},
      {"gravity", "x, y, z", "0, 0, -9.81", "", "m/s^2", "acceleration of gravity"},
      {"joints", "found/named", "found", "", "",
       "found: two bodies that share a point and a vector have a revolute joint, two points: revolute about their "
       "line, one "
       "point: spherical, two vectors and no point: prismatic along the first (but axes of bushings make none); joints "
       "by name come "
       "first, and bodies that a bushing holds together get none"}}},
    {"repetition",
     "Regular mechanisms of any size, in all sections of a model file. How many there are may come from scalars, which "
     "the run file or --set can change but no design can vary. What is different at the ends gets a section of its "
     "own. The same in run files, whose counts come from their own [scalars]: [design mass{i}], [case speed{i}].",
     {{"repeat", "INDEX from FIRST to LAST, ...", "", "", "",
       "in a section with a name: it is there for every value of the index, as [body link{i}] with "
       "`repeat = i from 1 to N`; of several indices the last runs fastest; FIRST and LAST are whole numbers, "
       "expressions of scalars and of indices to the left; where LAST = FIRST - 1 there are none"},
      {"{EXPRESSION}", "whole number", "", "", "",
       "in names, keys and values, as link{i-1} or {i}*length: the value of an expression of scalars and indices"},
      {"{INDEX from FIRST to LAST}", "", "", "", "",
       "in a key: the entry is there for every value, as `mass{i from 1 to N} = m/{i}` in [scalars]; in an item of a "
       "list: the item is, as `bodies = ground, link{i from 1 to N}`"}}},
    {"[scalars]",
     "Named numbers, for expressions anywhere else in the file.",
     {{"NAME", "expression", NULL, "", "",
       "+ - * / ^, sin cos tan asin acos atan atan2 sqrt exp log abs min max hypot pow, pi"}}},
    {"[body NAME]",
     "A rigid body; 'ground' is there from the start.",
     {{"mass", "expression", NULL, ">= 0", "kg", "mass"},
      {"com", "x, y, z", NULL, "", "m", "centre of mass, in the body's frame"},
      {"inertia", "Ixx, Iyy, Izz[, Ixy, Ixz, Iyz]", NULL, "", "kg m^2", "matrix of inertia about the centre of mass"}}},
    {"[point NAME]",
     "A point and the bodies that share it.",
     {{"at", "x, y, z", "", "", "m", "frame = global: its place, for all `bodies`"},
      {"bodies", "names", "", "", "", "the bodies that share it"},
      {"at.BODY", "x, y, z", "", "", "m", "its place in the frame of one body"}}},
    {"[vector NAME]",
     "A direction and the bodies that share it; any length.",
     {{"along", "x, y, z", "", "", "-", "frame = global: the direction, for all `bodies`"},
      {"bodies", "names", "", "", "", "the bodies that share it"},
      {"along.BODY", "x, y, z", "", "", "-", "the direction in the frame of one body"}}},
    {"[joint NAME]",
     "A joint by name.",
     {{"type", "see joints below", NULL, "", "", "type of the joint"},
      {"bodies", "two names", NULL, "", "", "coordinates measure the second relative to the first"},
      {"point", "name", "", "", "", "point that both bodies share"},
      {"points", "two names", "", "", "", "or a point on each body"},
      {"axis", "name", "", "", "", "vector that both share (cardan: fixed in the first body)"},
      {"axis2", "name", "", "", "", "cardan: vector fixed in the second body"},
      {"cut", "auto/no/yes", "auto", "", "", "whether a loop is opened here"}}},
    {"[coordinate NAME]",
     "A coordinate beyond those of the joints, defined by a constraint.",
     {{"guess", "expression", NULL, "", "m", "its value at the start, about"}}},
    {"[curve NAME]",
     "A function of one variable.",
     {{"type", "see curves below", NULL, "", "", "kind of curve"},
      {"coefficients", "expressions", "", "", "", "its numbers"},
      {"knots", "numbers", "", "", "", "abscissae, for kinds that have them"},
      {"from", "expression", "", "", "", "first of equally spaced knots; no scalar that it uses can vary"},
      {"to", "expression", "", "", "", "last of them, likewise"},
      {"points", "expression", "", "", "",
       "so many equally spaced control points instead of `coefficients`; no scalar that it uses can vary"},
      {"value", "expression", "0", "", "", "with `points`: their values, an expression in which x is the abscissa"},
      {"file", "path", "", "", "",
       "knots and values from a file beside this one instead: two columns of numbers with a comma, a semicolon, blanks "
       "or a tab between; comments after #"}}},
    {"[start]",
     "The initial state. What is not held follows from the constraints; what they leave free keeps its guess.",
     {{"hold.QUANTITY", "expression", "", "", "",
       "value of a coordinate (J1.angle), a point's component (P1.x) or a body's angle (A1.angle.z) at the start"},
      {"rate.QUANTITY", "expression", "0", "", "", "its rate"},
      {"settle", "names", "", "", "",
       "the held quantities that a case with start = equilibrium takes from static equilibrium instead; their values "
       "are where the search begins"},
      {"guess.COORDINATE", "expression", "0", "", "", "where the search for the assembled position begins"}}},
};

/* The doc of a force with its outputs. */
static void force_doc(int i, char *text, size_t size) {
  const char *name, *unit;
  snprintf(text, size, "%s Outputs: ", mbd_force_info(i)->doc);
  for (int k = 0; (name = mbd_force_output(i, k, &unit)) != NULL; k++) {
    snprintf(text + strlen(text), size - strlen(text), "%s [%s], ", name, unit);
  }
  snprintf(text + strlen(text), size - strlen(text), "power [W].");
}

static void write_element(writer *w, const char *kind, const mbd_element_info *e, const char *doc) {
  char title[128], range[64], dflt[64];
  snprintf(title, sizeof title, "[%s NAME] type = %s", kind, e->name);
  open_section(w, "model", title, doc);
  for (const mbd_ref_info *r = e->refs; r->key; r++) {
    static const char *const what[] = {"point", "vector", "body", "coordinate", "vector"};
    char type[64];
    snprintf(type, sizeof type, "%d %s%s", r->count, what[r->kind], r->count > 1 ? " names" : " name");
    write_key(w, &(key_line){r->key, type, NULL, "", "", r->doc});
  }
  for (const mbd_coef_info *c = e->coefs; c->key; c++) {
    if (c->size == 0) {
      write_key(w, &(key_line){c->key, "path", "", "", "", c->doc});
      continue;
    }
    range_text(c->min, c->max, range, sizeof range);
    snprintf(dflt, sizeof dflt, "%g", c->dflt);
    write_key(w, &(key_line){c->key, c->size == 3 ? "x, y, z" : "expression", isnan(c->dflt) ? NULL : dflt, range,
                             c->unit, c->doc});
  }
  for (const mbd_curve_info *c = e->curves; c->key; c++) {
    write_key(w, &(key_line){c->key, "curve name", c->required ? NULL : "", "", "", c->doc});
  }
}

static void write_types(writer *w) {
  open_section(w, "model", "types of joints", "Values of `type` in [joint NAME], with their coordinates.");
  for (int i = 0; mbd_joint_info_at(i); i++) {
    const mbd_joint_info *j = mbd_joint_info_at(i);
    char type[64];
    snprintf(type, sizeof type, "%d coordinate%s", j->nz, j->nz > 1 ? "s" : "");
    write_key(w, &(key_line){j->name, type, "", "", "", j->doc});
  }
  open_section(w, "model", "types of curves", "Values of `type` in [curve NAME], with their coefficients.");
  mbd_curve_kind_info c;
  for (int i = 0; mbd_curve_info_at(i, &c); i++) { write_key(w, &(key_line){c.name, c.coefs, "", "", "", c.doc}); }
}

static void write_model(writer *w) {
  for (size_t i = 0; i < sizeof model_sections / sizeof model_sections[0]; i++) {
    open_section(w, "model", model_sections[i].section, model_sections[i].doc);
    for (int k = 0; k < 9 && model_sections[i].key[k].key; k++) { write_key(w, &model_sections[i].key[k]); }
  }
  write_types(w);
  for (int i = 0; mbd_force_info(i); i++) {
    char doc[4000];
    force_doc(i, doc, sizeof doc);
    write_element(w, "force", mbd_force_info(i), doc);
  }
  for (int i = 0; mbd_constraint_info(i); i++) {
    write_element(w, "constraint", mbd_constraint_info(i), mbd_constraint_info(i)->doc);
  }
}

mbd_status mbo_schema_write(FILE *out, const char *format, mbd_error *err) {
  writer w = {.out = out, .markdown = strcmp(format, "markdown") == 0};
  if (strcmp(format, "json") == 0) {
    w.json = json_array();
  } else if (!w.markdown && strcmp(format, "text") != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "format '%s', expected text, markdown or json", format);
  }
  if (!w.json) { fprintf(out, w.markdown ? "## Run files\n" : "RUN FILES\n"); }
  write_run(&w);
  if (!w.json) { fprintf(out, w.markdown ? "\n## Model files\n" : "\nMODEL FILES\n"); }
  write_model(&w);
  if (w.json) {
    json_dumpf(w.json, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(w.json);
  }
  return MBD_OK;
}
