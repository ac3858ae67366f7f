/* Every key of run files and model files, from the tables: `mbopt schema`, and the manual. */
#include <math.h>
#include <string.h>

#include "config/options.h"
#include "config/schema_format.h"
#include "files/json.h"
#include "mbd/output.h"
#include "mbd/simulate.h"

typedef struct writer {
  const schema_format *format;
  schema_writer to;
} writer;

static void open_section(writer *w, const char *file, const char *title, const char *doc) {
  w->to.names = 0;
  w->format->section(&w->to, file, title, doc);
}

/* A section of names instead of keys. */
static void open_names(writer *w, const char *file, const char *title, const char *doc) {
  open_section(w, file, title, doc);
  w->to.names = 1;
}

static void write_key(writer *w, const schema_key *k) {
  w->format->key(&w->to, k);
}

static const char syntax[] =
    "Files are strict: `schema = 1` comes first; unknown, repeated or missing keys are errors. Comments begin with `;` "
    "or `#`,\n"
    "at the start of a line or after white space; `\\;` and `\\#` stand for these characters. A line has at most 198 "
    "characters;\n"
    "a long list goes on in indented lines without `=`, any other value behind a backslash. Text is in UTF-8; comments "
    "may be\n"
    "in any encoding. Lengths are in metres, masses in kilograms, angles in radians. Every file that is read must be a "
    "regular\n"
    "file, not a device or a pipe: run files, model files and property files of tyres of at most 64 MiB, tables of "
    "numbers of at\n"
    "most 256 MiB.";

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

static void write_rows(writer *w, const option_row *rows) {
  static const char *const types[] = {
      [OPTION_NUMBER] = "number", [OPTION_INTEGER] = "whole number", [OPTION_BOOLEAN] = "yes or no",
      [OPTION_TEXT] = "text",     [OPTION_NUMBERS] = "numbers",      [OPTION_NAMES] = "names",
      [OPTION_PAIRS] = "text"};
  option_row r;
  for (int i = 0; option_row_at(rows, i, &r); i++) {
    char range[64] = "", words[OPTION_WORDS];
    const int is_choice = r.type == OPTION_CHOICE || r.type == OPTION_ENUM;
    if (r.type == OPTION_NUMBER || r.type == OPTION_INTEGER) { range_text(r.min, r.max, range, sizeof range); }
    write_key(w, &(schema_key){r.key, is_choice ? option_words(&r, '/', words) : types[r.type], r.dflt, range, r.unit,
                               r.doc});
  }
}

static void write_outputs(writer *w) {
  mbd_output_info q;
  open_names(w, "run", "outputs", "Values of `of` in objectives and constraints, and of `outputs`.");
  for (int i = 0; mbd_output_info_at(i, &q); i++) { write_key(w, &(schema_key){q.name, "", "", "", q.unit, q.doc}); }
}

static void write_forms(writer *w) {
  open_names(w, "run", "forms of objectives",
             "Values of `form` in objectives and constraints: what is made of s = output - target over time.");
  for (int i = 0; mbd_form_at(i); i++) {
    write_key(w, &(schema_key){mbd_form_at(i)->name, "", "", "", "", mbd_form_at(i)->doc});
  }
}

static void write_run(writer *w) {
  for (int i = 0; option_section_at(i); i++) {
    const option_section *s = option_section_at(i);
    char title[64];
    snprintf(title, sizeof title, "[%s%s]", s->kind, s->size ? " NAME" : "");
    open_section(w, "run", title, s->doc);
    write_rows(w, s->row);
  }
  write_outputs(w);
  write_forms(w);
}

/* ---- model files ---- */

static const struct {
  const char *section, *doc;
  schema_key key[9];
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
     "own. The same in run files, whose counts come from their own [scalars]: [design mass{i}], [case speed{i}]. What "
     "the repetitions of a file make may have 16 MiB of text, where every value of an index counts 64 characters: this "
     "is "
     "enough for chains of 10000 links.",
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
       "a name of at most 127 letters, digits and '_'; operations (256 at most): + - * / ^, sin cos tan asin acos atan "
       "atan2 sqrt exp log abs min max hypot pow, pi"}}},
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
      {"value", "expression", "0", "", "",
       "with `points`: their values, an expression in which x is the abscissa; its characters times `points`: 16 Mi at "
       "most"},
      {"file", "path", "", "", "",
       "knots and values from a file beside this one instead: two columns of numbers with a comma, a semicolon, blanks "
       "or a tab between; comments after #"}}},
    {"[start]",
     "The initial state. What is not held follows from the constraints; what they leave free at the assembled position "
     "keeps its guess. A simulation starts only if every held quantity that does not settle has its value.",
     {{"hold.QUANTITY", "expression", "", "", "",
       "value of a coordinate (J1.angle), a point's component (P1.x) or a body's angle (A1.angle.z) at the start; a "
       "body's angle counts up to whole turns: of the coordinates that show it, those nearest to the guess are taken"},
      {"rate.QUANTITY", "expression", "0", "", "", "its rate"},
      {"settle", "names", "", "", "",
       "the held quantities that a case with start = equilibrium takes from static equilibrium instead; their values "
       "are where the search begins"},
      {"guess.COORDINATE", "expression", "0", "", "",
       "where the search for the assembled position begins; Euler parameters are scaled to unit length; joints that "
       "are cut "
       "have no coordinates. Where the search fails it begins anew from other guesses, and a warning tells"}}},
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
    write_key(w, &(schema_key){r->key, type, NULL, "", "", r->doc});
  }
  for (const mbd_coef_info *c = e->coefs; c->key; c++) {
    if (c->size == 0) {
      write_key(w, &(schema_key){c->key, "path", "", "", "", c->doc});
      continue;
    }
    range_text(c->min, c->max, range, sizeof range);
    snprintf(dflt, sizeof dflt, "%g", c->dflt);
    write_key(w, &(schema_key){c->key, c->size == 3 ? "x, y, z" : "expression", isnan(c->dflt) ? NULL : dflt, range,
                               c->unit, c->doc});
  }
  for (const mbd_curve_info *c = e->curves; c->key; c++) {
    write_key(w, &(schema_key){c->key, "curve name", c->required ? NULL : "", "", "", c->doc});
  }
}

static void write_types(writer *w) {
  open_names(w, "model", "types of joints", "Values of `type` in [joint NAME], with their coordinates.");
  for (int i = 0; mbd_joint_info_at(i); i++) {
    const mbd_joint_info *j = mbd_joint_info_at(i);
    char type[64];
    snprintf(type, sizeof type, "%d coordinate%s", j->nz, j->nz > 1 ? "s" : "");
    write_key(w, &(schema_key){j->name, type, "", "", "", j->doc});
  }
  open_names(w, "model", "types of curves", "Values of `type` in [curve NAME], with their coefficients.");
  mbd_curve_kind_info c;
  for (int i = 0; mbd_curve_info_at(i, &c); i++) { write_key(w, &(schema_key){c.name, c.coefs, "", "", "", c.doc}); }
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
  writer w = {.format = schema_format_find(format), .to = {.out = out}};
  if (!w.format) { MBD_FAIL(err, MBD_BAD_INPUT, "format '%s', expected text, markdown, json or man", format); }
  json_memory_watch();
  w.format->begin(&w.to, syntax);
  w.format->part(&w.to, "Run files");
  write_run(&w);
  w.format->part(&w.to, "Model files");
  write_model(&w);
  w.format->end(&w.to);
  if (w.to.no_memory) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the list of keys"); }
  return MBD_OK;
}
