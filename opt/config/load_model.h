/* Reading model files: declarations that the readers of sections share. A section has a row for each of its keys. Known and missing keys,
 * defaults, choices, numbers, `mbopt schema` and the manual come from these rows; those of forces and constraints are in the tables of the
 * library (mbd/element.h). */
#ifndef MBO_LOAD_MODEL_H
#define MBO_LOAD_MODEL_H

#include <string.h>

#include "config/expr.h"
#include "config/ini.h"
#include "config/model_file.h"
#include "config/name_index.h"
#include "config/repeat.h"

/* ---- sections and their keys ---- */

/* How the place of a part changes three numbers. */
typedef enum load_geometry { LOAD_PLAIN, LOAD_PLACE, LOAD_DIRECTION, LOAD_AXIS } load_geometry;

typedef struct model_key {
  const char *key;  /* "NAME"; "at.BODY" stands for all keys that begin with "at." */
  const char *type; /* of the value, for the manual */
  const char *dflt; /* default as text; NULL: the key is required; "": there is no default, see the doc */
  const char *unit, *doc;
  const char *const *word; /* choices, the last NULL: the first is the default */
  int count;  /* of numbers: 1, 3 (x, y, z), or 6 of a symmetric matrix; 0: the section's reader reads the value */
  double min; /* of the numbers, which have no upper limit */
  load_geometry geometry; /* of three numbers */
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

enum { MBO_FULL_NAME_MAX = 200 }; /* most characters of a name with the names of the parts in front of it */

typedef struct loader loader;
typedef struct model_section model_section;
struct model_section {
  const char *kind; /* NULL: no section, but a page of the manual */
  const char *doc;  /* NULL: each type has its own in its table */
  int named;        /* 1: [kind NAME], of which there may be any number */
  const model_key *key;
  const mbd_element_info *(*type_at)(int i); /* forces and constraints: their types */
  const mbd_image_info *(*image_at)(int i);  /* the images of these types in a mirror */
  /* The reader of a section. It is called in the order of the table: for each named section; for others once, with s NULL if the file
   * has none. NULL: such sections are read before. */
  mbd_status (*read)(loader *l, const model_section *section, ini_section *s);
};

/* All sections, in the order of the manual and of reading. A new one is a file and a word here. */
#define MODEL_SECTIONS(X) \
  X(model)                \
  X(repetition)           \
  X(scalars)              \
  X(table)                \
  X(body)                 \
  X(beam)                 \
  X(point)                \
  X(vector) X(joint) X(curve) X(coordinate) X(force) X(constraint) X(quantity) X(state) X(start) X(shape) X(part)
#define X(name) extern const model_section model_section_##name;
MODEL_SECTIONS(X)
#undef X

const model_section *model_section_at(int i);                                   /* NULL past the end */
const model_key *model_key_find(const model_section *section, const char *key); /* the section has this key */

/* ---- reading ---- */

/* The place of a part: r = M r_part + at. M is constant and orthogonal; `at` are resolved expressions. */
typedef struct part_place {
  double M[9];
  int turned, mirrored; /* turned: M is not the identity; mirrored: its determinant is -1 */
  int mirror;           /* of what is mirrored: 1 + the global axis along which; -1: along none of them; else 0 */
  mbo_expr at[3];
} part_place;

/* The model file itself, or a file that is used by a section [part NAME] (load_part.c). */
typedef struct model_part model_part;
struct model_part {
  char *name, *prefix;  /* "front_left", "front_left."; both "" for the model file */
  model_part *outer;    /* the part that uses it; NULL: this is the model file */
  ini_section *section; /* [part NAME] in the outer part */
  int depth;
  ini_file f;
  double length;      /* [m] its unit of length */
  int file;           /* its number among the files of the model */
  repeated *counting; /* the scalars that count its repetitions */
  part_place place;
  unsigned char *vector_image; /* [f.n] use of its vectors by elements (load_image.c); NULL: not determined yet */
};

/* Origin of a scalar of the model: the part that has it, its entry there, and the part in which the names of its expression are looked
 * up. */
typedef struct scalar_source {
  model_part *of, *scope;
  ini_section *s;
  ini_entry *e;
  int used;
} scalar_source;

struct loader {
  mbo_model_file *m;
  const char *text; /* of the model file; NULL: it is read from its path */
  int joints,
      gravity; /* of the model file: which joints are found, a word of the key; the first coefficient of the gravity */
  ini_kinds kinds; /* of sections that a file may have */
  int npart;
  model_part **part;        /* the model file first, then each part after the one that uses it */
  model_part *p;            /* the present part */
  ini_file *f;              /* its file */
  name_index part_at;       /* by prefix */
  char *name;               /* of the current section, with the prefix of its part */
  mbo_names counts;         /* scalars that count repetitions */
  scalar_source *source;    /* [m->nscalar] */
  const mbo_pairs *scalars; /* of the run, which replace those of the model */
  int nplugin;              /* users' forces that the run names */
  mbo_plugin *plugin;
  int nquantity; /* derived quantities of the run */
  const mbo_quantity_config *quantity;
  int nstate; /* states of the run */
  const mbo_state_config *state;
  int nuncertain; /* scalars that scatter, and how (config/uncertain.h: uncertain_scenario) */
  const mbo_uncertain_config *uncertain;
  int scenario;
  int nintegral;                  /* integral(...) in the current section so far */
  const mbo_case_config *of_case; /* the load case, which may have scalars and curves; NULL: none */
  const char *run;                /* path of the run file, with which messages about it begin */
  name_index scalar_at;           /* index of the scalars of m */
  mbd_error *err;
};

mbd_status load_no_memory(const loader *l);

/* ini_fail for the file of the present part. */
#define load_fail(l, s, e, ...) ini_fail((l)->f, (s), (e), (l)->err, __VA_ARGS__)

/* Puts the position of an entry in front of the text of a failure. MBD_OK passes. */
mbd_status load_located(loader *l, const ini_section *s, const ini_entry *e, mbd_status status);

/* Reads and checks keys by the rows of a section. load_missing: "key 'KEY' is missing: WHAT"; what NULL: the text of its row. */
mbd_status load_missing(loader *l, const model_section *section, const ini_section *s, const char *key,
                        const char *what);
mbd_status load_required(loader *l, const model_section *section, ini_section *s, const char *key, ini_entry **e);
mbd_status load_all_used(loader *l, const model_section *section, const ini_section *s);
mbd_status load_word(loader *l, const model_section *section, ini_section *s, const char *key, int *which);
const char *load_value(ini_section *s, const char *key, const char *dflt);

/* The type of an element or a curve, as its number i among those that type_at names, which ends with NULL. what: "type of force". */
mbd_status load_type(loader *l, const ini_section *s, const ini_entry *e, const char *what,
                     const char *(*type_at)(int i), int *i);

/* The items of a list, which text_list_free frees; there is nothing to free on failure. load_names expects n of them, else it fails with
 * "%d NAMES, expected N: WHAT". */
mbd_status load_list(const loader *l, const char *text, char ***part, int *n);
mbd_status load_names(loader *l, const ini_section *s, const ini_entry *e, int n, const char *names, const char *what,
                      char ***part);

/* ---- parts ---- */

/* Makes p the present part, in which names are looked up. */
static inline void load_enter(loader *l, model_part *p) {
  l->p = p;
  l->f = &p->f;
}

/* The image of a vector of the present part in a mirror: that of an axis if an element of the part uses it as one. */
mbd_status load_vector_image(loader *l, const ini_section *s, mbd_image *image);

/* MBD_UNSUPPORTED: an element or joint has no image, and the present part is turned or mirrored. */
mbd_status load_check_image(loader *l, const ini_section *s, int has_image, const char *what, const char *type);

/* The image of a key in the list of an element, which may be NULL; `dflt` of a key that the list does not have. */
mbd_image load_image_of_key(const mbd_image_info *list, const char *key, mbd_image dflt);

const mbd_joint_info *load_joint_type(const char *name); /* NULL: there is none of that name */

/* For a coordinate, by its full name. load_coordinate_sign: its sign in the image that the present part is, 1 or -1; 0: it has no image
 * by itself. load_coordinate_unit: its unit; NULL: not known. */
int load_coordinate_sign(const loader *l, const char *full);
const char *load_coordinate_unit(const loader *l, const char *full);

/* Opens the files of all parts (load_part.c), and computes the place of each of them (load_place.c). */
mbd_status load_open_parts(loader *l);
mbd_status load_place_parts(loader *l);
void load_free_parts(loader *l);

/* The section of a kind by its full name; NULL: there is none. */
ini_section *load_find(const loader *l, const char *kind, const char *full);

/* The full name, in new memory, of the object that a name means in the present part (load_names.c): of the part itself, of a part in it,
 * or of the file that uses the part. An unknown name is returned unchanged, and the search for it fails later. */
mbd_status load_name(loader *l, const char *kind, const char *name, char **full);
mbd_status load_reference(loader *l, mbd_ref_kind kind, const char *name, char **full); /* "POINT@BODY", coordinates */
mbd_status load_body_name(loader *l, const ini_section *s, const ini_entry *e, const char *name, char **full);
mbd_status load_output(loader *l, const char *name, char **full); /* "wheel.rate.y", "angle(u, v@wheel)" */

/* The scalar that a name in the present part means; -1: none. */
int load_find_scalar(const loader *l, const char *name);

/* Adds the coefficient sign times the expression, plus `add`. */
mbd_status load_image_of(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *text,
                         const char *unit, double sign, const mbo_expr *add, int *index);
int load_axis_image(const model_part *p, int axis, double *sign); /* the axis that the part's axis becomes; -1: none */

/* m := T m with the angles of the key `turn`, which must be constant: scalars in them are excluded from the design variables, since they turn `what`
 * with this name. */
mbd_status load_turn(loader *l, ini_section *s, const char *what, const char *name, double *m);

/* Coefficients of the description (load_numbers.c). text: an expression, or several with commas. unit: that of the number in SI; NULL: the
 * number is not converted. The value must lie in [min, max]. *index, *first: number of the (first) coefficient. */
mbd_status load_parse(loader *l, const ini_section *s, const ini_entry *e, const char *text, mbo_expr *x);
mbd_status load_resolve(loader *l, const ini_section *s, const ini_entry *e, mbo_expr *x); /* names to scalars */
mbd_status load_evaluate(loader *l, const ini_section *s, const ini_entry *e, const mbo_expr *x, double *value);
mbd_status load_expression(loader *l, const ini_section *s, const ini_entry *e, const char *name, mbo_expr *x,
                           const char *unit, double min, double max, int *index); /* takes ownership of x */
mbd_status load_coefficient(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *text,
                            const char *unit, double min, double max, int *index);
/* n coefficients, named base.x base.y base.z with suffix = load_xyz, base.xx ... with load_matrix, or base.1 ... with NULL. */
extern const char *const load_xyz[], *const load_matrix[];
mbd_status load_coefficients(loader *l, const ini_section *s, const ini_entry *e, const char *base,
                             const char *const *suffix, int n, const char *text, const char *unit, double min,
                             double max, int *first);
/* load_items: the expressions x [n] of n coefficients, which are {0} before and to be freed in any case. */
mbd_status load_items(loader *l, const ini_section *s, const ini_entry *e, const char *text, const char *const *suffix,
                      int n, mbo_expr *x);
void load_free_items(int n, mbo_expr *x);
/* Multiplies an expression by a factor. If the factor is not 1, the expression is resolved. */
mbd_status load_scale(loader *l, const ini_section *s, const ini_entry *e, double factor, mbo_expr *x);

/* load_unit_of_coordinates: the unit of the coordinates that an element names; "": it names none; NULL: not known, or not the same for all.
 * load_unit_on: the unit of a row of the element's table with such coordinates, since rows are written for angles; "?": not known, as for a
 * ratio between different ones. */
mbd_status load_unit_of_coordinates(loader *l, ini_section *s, const mbd_element_info *info, const char **of);
const char *load_unit_on(const char *of, const char *unit);

/* load_curve_axes: factors of the axes of a curve to SI, from the elements that use it (load_units.c) and the unit of the coordinates that it
 * drives (load_driven_unit); curve: its full name.
 * load_curve_factor: from these the factor of its coefficient i; units: see mbd_curve_kind_info. */
mbd_status load_curve_axes(loader *l, const ini_section *s, const char *curve, const char *driven, double *x,
                           double *y);
double load_curve_factor(const char *units, int i, double x, double y);

/* The factor of a number with this unit from units of the current file to SI (load_units.c). */
mbd_status load_factor(loader *l, const ini_section *s, const ini_entry *e, const char *unit, double *factor);

/* Weights of the six numbers of a symmetric matrix J (xx yy zz xy xz yz) in those of its image in the present part, M J M'. */
void load_inertia_image(const loader *l, double w[36]);
/* load_vector: adds three coefficients that are a place, a direction or an axis in the present part (load_place.c). */
mbd_status load_vector(loader *l, const ini_section *s, const ini_entry *e, const char *base, load_geometry what,
                       const char *text, double min, double max, int *first);

/* Reads the numbers of a key by its row, as coefficients KIND.NAME.KEY. The last three of a matrix may be omitted. */
mbd_status load_numbers(loader *l, const model_section *section, ini_section *s, const char *key, int *first);

/* Text of a range: ">= 0", "<= 0", "between 0 and 1". */
const char *load_range(double min, double max, char text[64]);

/* ini_replace, for the file of the present part. */
#define load_replace(l, text, by) ini_replace((l)->f, (text), (by), (l)->err)

/* Returns 1 if a name is made of letters, digits and '_', a letter first. */
int load_is_word(const char *name);

/* A body with modal_data, entry e of its section (load_modal.c). */
mbd_status load_modal_body(loader *l, const model_section *section, ini_section *s, const ini_entry *e);

/* Scalars (load_scalars.c). load_counts: replaces those of the present part by the run's. load_scalars: reads and evaluates all.
 * load_fix_scalar: excludes scalar k from the design variables because it `why`, as "numbers what is repeated". load_spread_fixed: also
 * excludes the scalars that fixed ones use. load_fixed_number: evaluates a number of the current section, a curve, and excludes its scalars. */
mbd_status load_counts(loader *l);
mbd_status load_scalars(loader *l);
mbd_status load_fix_scalar(loader *l, int k, const char *why);
mbd_status load_spread_fixed(loader *l);
mbd_status load_fixed_number(loader *l, const ini_section *s, const ini_entry *e, const char *text, double *value);

/* Gives scalars that scatter the expressions that they have in a scenario (load_uncertain.c), before names are resolved. */
mbd_status load_uncertain(loader *l);

/* Tables of the present part (load_table.c). load_tables: adds their cells to its scalars. load_rows_used: MBD_BAD_INPUT if the model uses no
 * scalar of some row. */
mbd_status load_tables(loader *l);
mbd_status load_rows_used(const loader *l);

/* Curves that the load case uses instead of others (load_curves.c). load_check_curves: MBD_BAD_INPUT unless both exist.
 * load_curve_instead: the curve that replaces this one. */
mbd_status load_check_curves(loader *l);
const char *load_curve_instead(const loader *l, const char *name);

/* Computes height [n], in new memory, of the rough road that the keys of a curve describe, over the equally spaced knot [n]; NULL: they
 * describe none (load_road.c). */
mbd_status load_road(loader *l, ini_section *s, int n, const double *knot, double **height);

/* Notes where an object is described, for messages about the model. s NULL: in the run file. */
mbd_status load_note_object(loader *l, const ini_section *s, const char *kind, const char *name);

/* Add the derived quantities (load_quantities.c) and the states (load_states.c) of the run file after those of the model. */
mbd_status load_run_quantities(loader *l);
mbd_status load_run_states(loader *l);

/* Adds the rate of a state, an expression, with its unit and the coefficient of its start, to the description. s, e NULL: of the run file.
 * settles: as in mbd_spec_state. */
mbd_status load_state_rate(loader *l, const ini_section *s, const ini_entry *e, const char *name, const char *rate,
                           const char *unit, int start, int settles);

static inline int load_is_integral(const char *name) {
  return strncmp(name, MBO_INTEGRAL, strlen(MBO_INTEGRAL)) == 0;
}

/* The length of the name at the beginning of a text: of an output, a word, sum(...), mean(...) or integral(...). */
size_t load_name_span(const char *text);

/* In a part that is turned or mirrored: MBD_BAD_INPUT if the value of a force reads what is not the same in the image (load_value_image.c). */
mbd_status load_check_value_image(loader *l, const ini_section *s, const ini_entry *e, const char *text);

/* Adds value k of the current force or constraint, an expression, to the description, which has it already. */
mbd_status load_element_value(loader *l, const ini_section *s, const ini_entry *e, int k, const char *text);

/* load_drives: adds the drives of the load case as constraints (load_drives.c). load_driven_unit: the unit of the coordinates that they move
 * by a curve, given by its full name; "": none; NULL: not known, or not the same for all. */
mbd_status load_drives(loader *l);
/* The curves of what a steady motion of the load case is given (load_steady.c). */
mbd_status load_steady(loader *l);
mbd_status load_driven_unit(loader *l, const char *curve, const char **unit);

#define LOAD_ANY -1e300, 1e300

#endif
