/* Reading model files: what the readers of sections share. A section has a row for each of its keys: known and missing keys, defaults,
 * choices, numbers, `mbopt schema` and the manual come from these. Forces and constraints have theirs in the tables of the library
 * (mbd/element.h). */
#ifndef MBO_LOAD_MODEL_H
#define MBO_LOAD_MODEL_H

#include "config/ini.h"
#include "config/model_file.h"
#include "config/name_index.h"

/* ---- sections and their keys ---- */

typedef struct model_key {
  const char *key;  /* "NAME", "at.BODY": all that begin so */
  const char *type; /* what the value is */
  const char *dflt; /* as text; NULL: required; "": none, see the doc */
  const char *unit, *doc;
  const char *const *word; /* choices, the last NULL: the first is the default */
  int count;  /* numbers: 1, 3 (x, y, z), or 6 of a symmetric matrix; 0: what the section's reader makes of it */
  double min; /* of numbers; there is no greatest */
} model_key;

#define KEY(key_, type_, dflt_, unit_, doc_) \
  { .key = (key_), .type = (type_), .dflt = (dflt_), .unit = (unit_), .doc = (doc_) }
#define KEY_WORD(key_, dflt_, doc_, ...)                                                       \
  {                                                                                            \
    .key = (key_), .dflt = (dflt_), .unit = "", .doc = (doc_), .word = (const char *const[]) { \
      __VA_ARGS__, NULL                                                                        \
    }                                                                                          \
  }
#define KEY_NUMBERS(n, min_, key_, type_, dflt_, unit_, doc_) \
  { .key = (key_), .type = (type_), .dflt = (dflt_), .unit = (unit_), .doc = (doc_), .count = (n), .min = (min_) }
#define KEY_END \
  { .key = NULL }

typedef struct loader loader;
typedef struct model_section model_section;
struct model_section {
  const char *kind; /* NULL: a page of the manual alone */
  const char *doc;  /* NULL: of each type in its table */
  int named;        /* [kind NAME], any number of them */
  const model_key *key;
  const mbd_element_info *(*type_at)(int i); /* forces and constraints: their types */
  /* Called in the order of the table: for each section of a name; else once, with NULL where the file has none. NULL: read before. */
  mbd_status (*read)(loader *l, const model_section *q, ini_section *s);
};

/* All of them, in the order of the manual and of reading: a new one is a file and a word here. */
#define MODEL_SECTIONS(X) \
  X(model)                \
  X(repetition)           \
  X(scalars) X(body) X(point) X(vector) X(joint) X(curve) X(coordinate) X(force) X(constraint) X(quantity) X(start)
#define X(name) extern const model_section model_section_##name;
MODEL_SECTIONS(X)
#undef X

const model_section *model_section_at(int i);                             /* NULL past the end */
const model_key *model_key_find(const model_section *q, const char *key); /* one that the section has */

/* ---- reading ---- */

struct loader {
  mbo_model_file *m;
  ini_file f;
  const mbo_pairs *scalars; /* of the run: they take the place of the model's */
  int nquantity;            /* derived quantities of the run */
  const mbo_quantity_config *quantity;
  const mbo_case_config *own; /* the load case, with scalars and curves of its own; may be NULL */
  const char *run;            /* how messages about the run file begin: its path */
  name_index scalar_at;       /* where each scalar of m is */
  mbd_error *err;
};

mbd_status load_no_memory(const loader *l);

/* A status from the functions of the description or of a file, with its place. */
mbd_status load_located(loader *l, const ini_section *s, const ini_entry *e, mbd_status status);

/* Keys by the section's rows. missing: "key 'KEY' is missing: WHAT"; what NULL: as its row says. */
mbd_status load_missing(loader *l, const model_section *q, const ini_section *s, const char *key, const char *what);
mbd_status load_required(loader *l, const model_section *q, ini_section *s, const char *key, ini_entry **e);
mbd_status load_all_used(loader *l, const model_section *q, const ini_section *s);
mbd_status load_word(loader *l, const model_section *q, ini_section *s, const char *key, int *which);
const char *load_value(ini_section *s, const char *key, const char *dflt);

/* The type of an element or a curve: number i of those that type_at tells, until NULL; what: "type of force". */
mbd_status load_type(loader *l, const ini_section *s, const ini_entry *e, const char *what,
                     const char *(*type_at)(int i), int *i);

/* The parts of a list, which text_list_free frees; nothing to free on failure. n names: "%d names, expected N: WHAT" else. */
mbd_status load_list(const loader *l, const char *text, char ***part, int *n);
mbd_status load_names(loader *l, const ini_section *s, const ini_entry *e, int n, const char *names, const char *what,
                      char ***part);
mbd_status load_known_body(loader *l, const ini_section *s, const ini_entry *e, const char *name);

/* Coefficients of the description (load_numbers.c). text: an expression, or several with commas; the value must lie in [min, max].
 * index, first: the place of the (first) coefficient. */
mbd_status load_parse(loader *l, const ini_section *s, const ini_entry *e, const char *text, mbo_expr *x);
mbd_status load_resolve(loader *l, const ini_section *s, const ini_entry *e, mbo_expr *x); /* names to scalars */
mbd_status load_evaluate(loader *l, const ini_section *s, const ini_entry *e, const mbo_expr *x, double *value);
mbd_status load_expression(loader *l, const ini_section *s, const ini_entry *e, const char *name, mbo_expr *x,
                           double min, double max, int *index); /* takes x over */
mbd_status load_coefficient(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *text,
                            double min, double max, int *index);
/* n of them, called base.x base.y base.z by suffix = load_xyz, or base.1 ... with NULL. */
extern const char *const load_xyz[];
mbd_status load_coefficients(loader *l, const ini_section *s, const ini_entry *e, const char *base,
                             const char *const *suffix, int n, const char *text, double min, double max, int *first);
/* The numbers of a key by its row, called KIND.NAME.KEY; of a matrix the last three may be left out. */
mbd_status load_numbers(loader *l, const model_section *q, ini_section *s, const char *key, int *first);

/* ">= 0", "<= 0", "between 0 and 1" */
const char *load_range(double min, double max, char text[64]);

/* Scalars (load_scalars.c): replaced where they count repetitions; read and evaluated; those that no design can vary, for they
 * `why`: "numbers what is repeated"; spread: those that fixed ones use. */
mbd_status load_counts(loader *l);
mbd_status load_scalars(loader *l);
mbd_status load_fix_scalar(loader *l, int k, const char *why);
mbd_status load_spread_fixed(loader *l);

/* Curves that the load case has in the place of others (load_curves.c): both must be there; the one in place of this. */
mbd_status load_check_curves(loader *l);
const char *load_curve_instead(const loader *l, const char *name);

/* Derived quantities of the run file, behind those of the model (load_quantities.c). */
mbd_status load_run_quantities(loader *l);

#define LOAD_ANY -1e300, 1e300

#endif
