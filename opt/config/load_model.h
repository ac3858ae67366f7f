/* Reading model files: what the readers of sections share. A section has a row for each of its keys: known and missing keys, defaults,
 * choices, numbers, `mbopt schema` and the manual come from these. Forces and constraints have theirs in the tables of the library
 * (mbd/element.h). */
#ifndef MBO_LOAD_MODEL_H
#define MBO_LOAD_MODEL_H

#include "config/ini.h"
#include "config/model_file.h"
#include "config/name_index.h"
#include "config/repeat.h"

/* ---- sections and their keys ---- */

/* What three numbers are, as to where a part stands. */
typedef enum load_geometry { LOAD_PLAIN, LOAD_PLACE, LOAD_DIRECTION, LOAD_AXIS } load_geometry;

typedef struct model_key {
  const char *key;  /* "NAME", "at.BODY": all that begin so */
  const char *type; /* what the value is */
  const char *dflt; /* as text; NULL: required; "": none, see the doc */
  const char *unit, *doc;
  const char *const *word; /* choices, the last NULL: the first is the default */
  int count;  /* numbers: 1, 3 (x, y, z), or 6 of a symmetric matrix; 0: what the section's reader makes of it */
  double min; /* of numbers; there is no greatest */
  load_geometry geometry; /* of three */
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
#define KEY_VECTOR(geometry_, key_, type_, dflt_, unit_, doc_)                                                  \
  {                                                                                                             \
    .key = (key_), .type = (type_), .dflt = (dflt_), .unit = (unit_), .doc = (doc_), .count = 3, .min = -1e300, \
    .geometry = (geometry_)                                                                                     \
  }
#define KEY_END \
  { .key = NULL }

enum { MBO_FULL_NAME_MOST = 200 }; /* characters of a name with the names of the parts that it is in */

typedef struct loader loader;
typedef struct model_section model_section;
struct model_section {
  const char *kind; /* NULL: a page of the manual alone */
  const char *doc;  /* NULL: of each type in its table */
  int named;        /* [kind NAME], any number of them */
  const model_key *key;
  const mbd_element_info *(*type_at)(int i); /* forces and constraints: their types */
  const mbd_image_info *(*image_at)(int i);  /* and what these are in a mirror image */
  /* Called in the order of the table: for each section of a name; else once, with NULL where the file has none. NULL: read before. */
  mbd_status (*read)(loader *l, const model_section *q, ini_section *s);
};

/* All of them, in the order of the manual and of reading: a new one is a file and a word here. */
#define MODEL_SECTIONS(X) \
  X(model)                \
  X(repetition)           \
  X(scalars)              \
  X(body) X(point) X(vector) X(joint) X(curve) X(coordinate) X(force) X(constraint) X(quantity) X(start) X(part)
#define X(name) extern const model_section model_section_##name;
MODEL_SECTIONS(X)
#undef X

const model_section *model_section_at(int i);                             /* NULL past the end */
const model_key *model_key_find(const model_section *q, const char *key); /* one that the section has */

/* ---- reading ---- */

/* Where a part stands: r = M r_part + at. M is constant, orthogonal; `at` are resolved expressions. */
typedef struct part_place {
  double M[9];
  int turned, mirrored; /* 1: M is not the identity; it has the determinant -1 */
  mbo_expr at[3];
} part_place;

/* The model file itself, or a file that is read through a section [part NAME] (load_part.c). */
typedef struct model_part model_part;
struct model_part {
  char *name, *prefix;  /* "front_left", "front_left."; of the model file both "" */
  model_part *outer;    /* the one that uses it; NULL: it is the model file */
  ini_section *section; /* [part NAME] there */
  int depth;
  ini_file f;
  double length;      /* [m] its unit of length */
  int file;           /* its number among the files of the model */
  repeated *counting; /* what counts its repetitions */
  part_place place;
  unsigned char *vector_image; /* [f.n] of its vectors, as vector_images found them (load_place.c); NULL: not yet */
};

/* Where a scalar of the model comes from: the part that has it, its entry there, and the part whose names its expression uses. */
typedef struct scalar_source {
  model_part *of, *scope;
  ini_section *s;
  ini_entry *e;
  int used;
} scalar_source;

struct loader {
  mbo_model_file *m;
  ini_kinds kinds; /* of sections that a file may have */
  int npart;
  model_part **part;        /* the model file first, each behind the one that uses it */
  model_part *p;            /* the one at hand */
  ini_file *f;              /* its file */
  name_index part_at;       /* by prefix */
  char *name;               /* of the section at hand, with the prefix of its part */
  mbo_names counts;         /* scalars that number what is repeated */
  scalar_source *source;    /* [m->nscalar] */
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

/* ---- parts ---- */

/* The part at hand: names mean what they mean there. */
static inline void load_enter(loader *l, model_part *p) {
  l->p = p;
  l->f = &p->f;
}

/* How a vector of the part at hand goes into a mirror image: as an axis, if an element of the part takes it for one. */
mbd_status load_vector_image(loader *l, const ini_section *s, mbd_image *image);

/* MBD_UNSUPPORTED: an element or joint has no image where the part at hand is turned or mirrored. */
mbd_status load_check_image(loader *l, const ini_section *s, int has_image, const char *what, const char *type);

/* A coordinate by its full name. Its sign in the image that the part at hand is: 1, -1; 0: it is no number of its own there. Its unit;
 * NULL: not known. */
int load_coordinate_sign(const loader *l, const char *full);
const char *load_coordinate_unit(const loader *l, const char *full);

/* Opens the files of all parts (load_part.c), and finds where each of them stands (load_place.c). */
mbd_status load_open_parts(loader *l);
mbd_status load_place_parts(loader *l);
void load_free_parts(loader *l);

/* The section of a kind by its full name; NULL: there is none. */
ini_section *load_find(const loader *l, const char *kind, const char *full);

/* What a name in the part at hand means, as a full name in new memory (load_names.c): its own, one of a part in it, else what the
 * file that uses it calls so. Names that nobody has come back as they are: whoever looks for them says so. */
mbd_status load_name(loader *l, const char *kind, const char *name, char **full);
mbd_status load_reference(loader *l, mbd_ref_kind kind, const char *name, char **full); /* "POINT@BODY", coordinates */
mbd_status load_body_name(loader *l, const ini_section *s, const ini_entry *e, const char *name, char **full);
mbd_status load_output(loader *l, const char *name, char **full); /* "wheel.rate.y", "angle(u, v@wheel)" */

/* The scalar that a name in the part at hand means; -1: none. */
int load_find_scalar(const loader *l, const char *name);

/* sign times an expression, plus `add`: a coefficient. */
mbd_status load_image_of(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *text,
                         const char *unit, double sign, const mbo_expr *add, int *index);
int load_axis_image(const model_part *p, int axis, double *sign); /* to which axis that of the part goes; -1: to none */

/* Coefficients of the description (load_numbers.c). text: an expression, or several with commas; unit: of the number in SI, NULL: it
 * stays as it is; the value must lie in [min, max]. index, first: the place of the (first) coefficient. */
mbd_status load_parse(loader *l, const ini_section *s, const ini_entry *e, const char *text, mbo_expr *x);
mbd_status load_resolve(loader *l, const ini_section *s, const ini_entry *e, mbo_expr *x); /* names to scalars */
mbd_status load_evaluate(loader *l, const ini_section *s, const ini_entry *e, const mbo_expr *x, double *value);
mbd_status load_expression(loader *l, const ini_section *s, const ini_entry *e, const char *name, mbo_expr *x,
                           const char *unit, double min, double max, int *index); /* takes x over */
mbd_status load_coefficient(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *text,
                            const char *unit, double min, double max, int *index);
/* n of them, called base.x base.y base.z by suffix = load_xyz, base.xx ... by load_matrix, or base.1 ... with NULL. */
extern const char *const load_xyz[], *const load_matrix[];
mbd_status load_coefficients(loader *l, const ini_section *s, const ini_entry *e, const char *base,
                             const char *const *suffix, int n, const char *text, const char *unit, double min,
                             double max, int *first);
/* Their texts, which text_list_free frees: nothing to free on failure; and expressions, to be freed in any case. */
mbd_status load_items(loader *l, const ini_section *s, const ini_entry *e, const char *text, const char *const *suffix,
                      int n, char ***item, int *found);
mbd_status load_parse_items(loader *l, const ini_section *s, const ini_entry *e, int found, char *const *item, int n,
                            mbo_expr *x);
/* An expression times a factor, resolved where that is not 1. */
mbd_status load_scale(loader *l, const ini_section *s, const ini_entry *e, double factor, mbo_expr *x);

/* The unit of the coordinates that an element names: "" there are none, NULL: not known, or not one. What the unit of a row is
 * on these: rows are written for angles; "?": not known, as for a ratio between different ones. */
mbd_status load_unit_of_coordinates(loader *l, ini_section *s, const mbd_element_info *info, const char **of);
const char *load_unit_on(const char *of, const char *unit);

/* What the axes of a curve are to be multiplied with, by the elements that take it (load_units.c), and from that its coefficient i;
 * units: mbd_curve_kind_info. curve: by its full name. */
mbd_status load_curve_axes(loader *l, const ini_section *s, const char *curve, double *x, double *y);
double load_curve_factor(const char *units, int i, double x, double y);

/* What a number of this unit is to be multiplied with, where the file at hand has other units than SI (load_units.c). */
mbd_status load_factor(loader *l, const ini_section *s, const ini_entry *e, const char *unit, double *factor);

/* Three of them that are a place, a direction or an axis in the part at hand (load_place.c); those of a matrix of inertia. */
mbd_status load_vector(loader *l, const ini_section *s, const ini_entry *e, const char *base, load_geometry what,
                       const char *text, double min, double max, int *first);
mbd_status load_inertia(loader *l, const ini_section *s, const ini_entry *e, const char *base, const char *text,
                        int *first);

/* The numbers of a key by its row, called KIND.NAME.KEY; of a matrix the last three may be left out. */
mbd_status load_numbers(loader *l, const model_section *q, ini_section *s, const char *key, int *first);

/* ">= 0", "<= 0", "between 0 and 1" */
const char *load_range(double min, double max, char text[64]);

/* Scalars (load_scalars.c): those of the part at hand replaced by the run's; all of them read and evaluated; those that no design
 * can vary, for they `why`: "numbers what is repeated"; spread: those that fixed ones use. */
mbd_status load_counts(loader *l);
mbd_status load_scalars(loader *l);
mbd_status load_fix_scalar(loader *l, int k, const char *why);
mbd_status load_spread_fixed(loader *l);

/* Curves that the load case has in the place of others (load_curves.c): both must be there; the one in place of this. */
mbd_status load_check_curves(loader *l);
const char *load_curve_instead(const loader *l, const char *name);

/* Derived quantities of the run file, behind those of the model (load_quantities.c). */
mbd_status load_run_quantities(loader *l);

/* The drives of the load case, as constraints. */
mbd_status load_drives(loader *l);

#define LOAD_ANY -1e300, 1e300

#endif
