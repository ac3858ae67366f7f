/* Every key of run files and model files, from the tables: `mbopt schema`, and the manual. */
#include <math.h>
#include <string.h>

#include "config/load_model.h"
#include "config/options.h"
#include "config/schema_format.h"
#include "files/json.h"
#include "files/memory.h"
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

/* Begins a section that has names instead of keys. */
static void open_names(writer *w, const char *file, const char *title, const char *doc) {
  open_section(w, file, title, doc);
  w->to.names = 1;
}

static void write_key(writer *w, const schema_key *k) {
  w->format->key(&w->to, k);
}

static const char syntax[] =
    "Files are strict: `schema = 1` comes first; unknown, repeated or missing keys are errors. Comments begin with `;` "
    "or `#`,\nat the start of a line or after white space; `\\;` and `\\#` stand for these characters. A line has at "
    "most 198 characters;\na list continues in indented lines without `=`, any other value in the line after a "
    "backslash. Text is in UTF-8; comments may be\nin any encoding. Lengths are in metres, masses in kilograms, angles "
    "in radians. Every file that is read must be a regular\nfile, not a device or a pipe: run files, model files and "
    "property files of tyres of at most 64 MiB, tables of numbers of at\nmost 256 MiB.\n\nNumbers of run files may be "
    "expressions of the model's scalars, as `duration = 2*pi/omega`, with the operations that\n[scalars] has. In a "
    "case and in its objectives and constraints the scalars are those of the case. A design variable may move "
    "the\nduration of a case and, in proportion to it, its step (free final time); the number\nof steps is then that "
    "at the start values. Bounds of a design variable may be around its value in the model. It may move no other number;\n"
    "an expression with a design variable can be part of a [quantity NAME].";

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
      [OPTION_PAIRS] = "text",    [OPTION_NUMBER_PAIRS] = "number"};
  option_row option;
  for (int i = 0; option_row_at(rows, i, &option); i++) {
    char range[64] = "", words[OPTIONS_TEXT], doc[1000];
    const int is_choice = option.type == OPTION_CHOICE || option.type == OPTION_ENUM;
    if (option.type == OPTION_NUMBER || option.type == OPTION_INTEGER || option.type == OPTION_NUMBER_PAIRS) {
      range_text(option.min, option.max, range, sizeof range);
    }
    snprintf(doc, sizeof doc, "%s%s", option.doc, option.words.doc_at ? "; each is described below" : "");
    write_key(w,
              &(schema_key){option.key, is_choice ? options_words_text(&option.words, "/", words) : types[option.type],
                            option.dflt, range, option.unit, doc});
  }
}

static void write_outputs(writer *w) {
  mbd_output_info output;
  open_names(w, "run", "outputs",
             "Values of `of` in objectives and constraints, and of `outputs`. A name ends with its component. With "
             "@BODY behind the quantity, as in `P2.velocity@chassis.x` or `upright.roll@chassis`, it is what an "
             "observer sees who is fixed to that body: places from the origin of the body's frame, all components "
             "along the axes of this frame, rates as they change there. `distance` and `angle` take the names of "
             "points and vectors in parentheses.");
  for (int i = 0; mbd_output_info_at(i, &output); i++) {
    write_key(w, &(schema_key){output.name, "", "", "", output.unit, output.doc});
  }
}

/* Writes the words of the library's tables that are choices in a run file. */
static void write_words(writer *w) {
  static const struct {
    const char *title, *doc;
    const char *(*name_at)(int i), *(*doc_at)(int i);
  } tables[] = {
      {"forms of objectives",
       "Values of `form` in objectives and constraints: the number that is computed from s = output - target over "
       "time.",
       mbd_form_name, mbd_form_doc},
      {"analyses", "Values of `analysis` in [case NAME].", mbd_analysis_name, mbd_analysis_doc},
      {"formulations", "Values of `formulation` in [case NAME].", mbd_formulation_name, mbd_formulation_doc},
      {"integrators", "Values of `integrator` in [case NAME].", mbd_integrator_name, mbd_integrator_doc},
      {"tangents", "Values of `tangent` in [case NAME].", mbd_tangent_name, mbd_tangent_doc},
      {"projection matrices", "Values of `projection_matrix` in [case NAME].", mbd_projection_name, mbd_projection_doc},
  };
  /* Each table becomes a section of names, which have a description but no range and no default. */
  for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
    open_names(w, "run", tables[k].title, tables[k].doc);
    for (int i = 0; tables[k].name_at(i); i++) {
      write_key(w, &(schema_key){tables[k].name_at(i), "", "", "", "", tables[k].doc_at(i)});
    }
  }
}

static void write_run(writer *w) {
  if (w->format->part) { w->format->part(&w->to, "Run files"); }
  for (int i = 0; option_section_at(i); i++) {
    const option_section *s = option_section_at(i);
    char title[64];
    snprintf(title, sizeof title, "[%s%s]", s->kind, s->size ? " NAME" : "");
    open_section(w, "run", title, s->doc);
    write_rows(w, s->row);
  }
  write_outputs(w);
  write_words(w);
}

/* ---- model files ---- */

/* Writes the text of an element; for a force also its outputs. */
static void element_doc(const model_section *section, int i, char *text, size_t size) {
  const char *name, *unit;
  int n = snprintf(text, size, "%s", section->type_at(i)->doc);
  if (section->type_at != mbd_force_info) { return; }
  n += snprintf(text + n, size - (size_t)n, " Outputs: ");
  for (int k = 0; (name = mbd_force_output(i, k, &unit)) != NULL; k++) {
    n += snprintf(text + n, size - (size_t)n, "%s [%s], ", name, unit);
  }
  snprintf(text + n, size - (size_t)n, "power [W].");
}

/* How many names of which kind of object a key has; dflt NULL: it is required. */
static void write_reference(writer *w, const mbd_ref_info *reference, const char *dflt) {
  static const char *const what[] = {
      [MBD_REF_POINT] = "point",           [MBD_REF_VECTOR] = "vector", [MBD_REF_BODY] = "body",
      [MBD_REF_COORDINATE] = "coordinate", [MBD_REF_FRAME] = "vector",  [MBD_REF_PLUGIN] = "plugin"};
  char type[64] = "expression";
  if (reference->kind != MBD_REF_VALUE) {
    snprintf(type, sizeof type, "%d %s%s", reference->count, what[reference->kind],
             reference->count > 1 ? " names" : " name");
  }
  write_key(w, &(schema_key){reference->key, type, dflt, "", "", reference->doc});
}

/* The keys of all lines of action, of which a force has one. */
static void write_lines(writer *w) {
  const mbd_ref_info *refs;
  int nvalue;
  for (int i = 0; (refs = mbd_expression_line(i, &nvalue)) != NULL; i++) {
    for (; refs->key; refs++) { write_reference(w, refs, ""); }
  }
}

/* Writes the keys of a type of forces or constraints: references, coefficients, curves. */
static void write_element(writer *w, const char *kind, const mbd_element_info *e, const char *doc) {
  char title[128], range[64], dflt[64];
  snprintf(title, sizeof title, "[%s NAME] type = %s", kind, e->name);
  open_section(w, "model", title, doc);
  for (const mbd_ref_info *reference = e->refs; reference->key; reference++) {
    if (reference->kind == MBD_REF_LINE) {
      write_lines(w);
      write_key(w, &(schema_key){reference->key, "expression", NULL, "", "", reference->doc});
    } else {
      write_reference(w, reference, NULL);
    }
  }
  /* Coefficients: a path (size 0), three components or one expression. The key is required if the default is NaN. */
  for (const mbd_coef_info *coef = e->coefs; coef->key; coef++) {
    if (coef->size == 0) {
      write_key(w, &(schema_key){coef->key, "path", "", "", "", coef->doc});
      continue;
    }
    range_text(coef->min, coef->max, range, sizeof range);
    snprintf(dflt, sizeof dflt, "%g", coef->dflt);
    write_key(w, &(schema_key){coef->key, coef->size == 3 ? "x, y, z" : "expression", isnan(coef->dflt) ? NULL : dflt,
                               range, coef->unit, coef->doc});
  }
  /* Curves: an optional one has an empty default, a required one has none. */
  for (const mbd_curve_info *coef = e->curves; coef->key; coef++) {
    write_key(w, &(schema_key){coef->key, "curve name", coef->required ? NULL : "", "", "", coef->doc});
  }
}

static void write_types(writer *w) {
  open_names(w, "model", "types of joints",
             "Values of `type` in [joint NAME], with their coordinates, and where these are zero and positive. With "
             "frame = global "
             "all body frames are parallel in the position of the file; `zero` of [joint NAME] moves the zero.");
  for (int i = 0; mbd_joint_info_at(i); i++) {
    const mbd_joint_info *j = mbd_joint_info_at(i);
    char type[64];
    snprintf(type, sizeof type, "%d coordinate%s", j->nz, j->nz != 1 ? "s" : "");
    write_key(w, &(schema_key){j->name, type, "", "", "", j->doc});
  }
  open_names(w, "model", "types of curves", "Values of `type` in [curve NAME], with their coefficients.");
  mbd_curve_kind_info kind;
  for (int i = 0; mbd_curve_info_at(i, &kind); i++) {
    write_key(w, &(schema_key){kind.name, kind.coefs, "", "", "", kind.doc});
  }
}

static void write_section(writer *w, const model_section *section) {
  char title[64];
  if (section->kind) {
    snprintf(title, sizeof title, "[%s%s]", section->kind, section->named ? " NAME" : "");
  } else {
    snprintf(title, sizeof title, "repetition");
  }
  open_section(w, "model", title, section->doc);
  for (const model_key *r = section->key; r->key; r++) {
    const options_words choices = {.word = r->word};
    char words[OPTIONS_TEXT], range[64] = "";
    if (r->count) { range_text(r->min, 1e300, range, sizeof range); }
    write_key(w, &(schema_key){r->key, r->word ? options_words_text(&choices, "/", words) : r->type, r->dflt, range,
                               r->unit, r->doc});
  }
}

static void write_model(writer *w) {
  const model_section *section;
  if (w->format->part) { w->format->part(&w->to, "Model files"); }
  for (int i = 0; (section = model_section_at(i)) != NULL; i++) {
    if (section->key) { write_section(w, section); }
  }
  write_types(w);
  for (int i = 0; (section = model_section_at(i)) != NULL; i++) {
    for (int k = 0; section->type_at && section->type_at(k); k++) {
      char doc[4000];
      element_doc(section, k, doc, sizeof doc);
      write_element(w, section->kind, section->type_at(k), doc);
    }
  }
}

mbd_status mbo_schema_write(FILE *out, const char *format, mbd_error *err) {
  writer w = {.format = schema_format_find(format), .to = {.out = out}};
  if (!w.format) { MBD_FAIL(err, MBD_BAD_INPUT, "format '%s', expected text, markdown, json or man", format); }
  json_memory_watch();
  w.format->begin(&w.to, syntax);
  write_run(&w);
  write_model(&w);
  if (w.format->end) { w.format->end(&w.to); }
  if (w.to.no_memory) { return MEMORY_NONE(err, "the list of keys"); }
  return MBD_OK;
}
