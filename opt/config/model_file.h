/* A model file in memory: the description, and the expressions that make its coefficients from scalars. */
#ifndef MBO_CONFIG_MODEL_FILE_H
#define MBO_CONFIG_MODEL_FILE_H

#include "config/expr.h"
#include "config/config.h"
#include "config/mesh_file.h"

typedef struct model_scalar {
  char *name;
  mbo_expr expr;
  int file, line; /* its position: number of the file, or INI_RUN: replaced by the run */
  int design;     /* 1 + number of the design variable that replaces it; 0: its expression applies */
  int mean; /* 1 + number of the scalar that is its mean, which a design variable replaces in its place; 0: it does not scatter */
  char *fixed; /* why it cannot vary, such as "numbers what is repeated"; NULL: it can */
  char *unit;  /* unit of the coefficients that consist of this scalar only; "": they differ; NULL: there are none */
} model_scalar;

/* A curve and its coefficients, which follow each other. */
typedef struct model_curve {
  char *name;
  int points;    /* 1: they are ordinates over knots, so each of them may be a design variable */
  int from_file; /* 1: knots and values are those of a table in a file */
  int first, n;
} model_curve;

/* A position in a file. */
typedef struct model_line {
  int file, line; /* line 0: a default value */
  int drawn; /* 1: of a shape, which nothing reads: it is no function of the design variables, and 0 where it has no value */
  int missing; /* 1: it is such a number, and had no value in the last evaluation */
} model_line;

/* An object as messages about the model name it, "force 'spring'", and where it is described, "FILE:LINE: ". */
typedef struct model_object {
  char *title, *place;
} model_object;

/* A shape of a body for pictures (load_shapes.c). Its numbers are coefficients; -1: it has none of these. */
typedef enum model_shape_type {
  MODEL_BOX,
  MODEL_CYLINDER,
  MODEL_DISC,
  MODEL_SPHERE,
  MODEL_CAPSULE,
  MODEL_MESH
} model_shape_type;

typedef struct model_shape {
  char *name, *body; /* full names */
  model_shape_type type;
  int at[2];       /* first of three: its middle; or both ends */
  int along;       /* first of three: a direction, of any length */
  int size[2];     /* box: the first of three lengths; mesh: the factor of its points; others: radius, length */
  double frame[9]; /* columns: the axes of its part, in those of the model */
  mesh mesh;       /* points in m, along the axes of the model */
} model_shape;

/* Lines by which a body with modal_data is drawn: pairs of its places, nodes first, then points, then the origin of its file. */
typedef struct model_lines {
  char *body; /* full name */
  int n, *pair; /* [n][2] */
  int origin;   /* first of three coefficients; -1: the lines do not have it */
} model_lines;

struct mbo_model_file {
  char *path, *title;
  int nfile;
  char **file; /* the paths of the model file and of those of its parts */
  mbd_spec *spec;
  int own_frames; /* frame = body */
  int nscalar;
  model_scalar *scalar;
  double *value;        /* [nscalar] */
  int nordered, *order; /* scalars in an order in which each follows those it uses */
  int ncoef;
  mbo_expr *coef;   /* [ncoef] */
  model_line *line; /* [ncoef] position of each */
  int nobject;
  model_object *object; /* in the order of the sections */
  int ncurve;
  model_curve *curve;
  char *steady
      [3]; /* curves of the speed, the curvature and the lateral acceleration of a steady motion of the load case; NULL: not given */
  int nshape;
  model_shape *shape;
  int nlines;
  model_lines *lines;
  int n;       /* design variables */
  int *direct; /* [ncoef] 1 + number of the design variable that replaces a coefficient; 0: its expression applies */
  unsigned char *moves; /* [nscalar] 1: depends on a design variable */
  double *gradient;     /* [nscalar][n] d scalar / d rho */
  int capacity;         /* allocated entries of */
  int *start, *index;   /* Jacobian of theta by columns */
  double *jacobian;
  double *row; /* [n] scratch */
};

/* Puts the position of the object with which the text of a failure begins in front of it; else the path of the model file alone. */
mbd_status model_file_locate(const mbo_model_file *f, mbd_status status, mbd_error *err);

/* Can model files have sections of this kind? */
int model_file_has_section(const char *kind);

/* A model file of which the scalars alone are read, as mbo_model_file_read_case reads them: it has no coefficients. */
mbd_status model_file_read_scalars(const char *path, const mbo_model_changes *changes, mbo_model_file **out,
                                   mbd_error *err);

/* Finds a scalar by its name. MBD_BAD_INPUT: it does not exist; the message has the nearest name. */
mbd_status model_file_scalar(const mbo_model_file *f, const char *name, int *index, mbd_error *err);

/* The unit of a scalar, from the coefficients that are equal to it, or to a scalar that is; "": not known. */
const char *model_file_unit(const mbo_model_file *f, int scalar);

/* The same for all names of an expression: their places in f->value. */
mbd_status model_file_resolve(const mbo_model_file *f, mbo_expr *x, mbd_error *err);

/* Adds a coefficient to the description and its expression to the file, which owns *x from here on. Returns its number; -1: no memory,
 * and *x is freed. */
int model_file_append(mbo_model_file *f, const char *name, mbo_expr *x, model_line line, double value);

/* Adds a coefficient that no element uses; its value and derivatives are computed with those of the others. text: an expression of
 * scalars. To be called before mbo_model_file_vary. */
mbd_status model_file_coefficient(mbo_model_file *f, const char *name, const char *text, int *index, mbd_error *err);

/* Dependence of a coefficient on the design variables, by its expression. */
typedef enum model_dependence { MODEL_CONSTANT, MODEL_LINEAR, MODEL_NONLINEAR } model_dependence;
model_dependence model_file_dependence(const mbo_model_file *f, int coefficient);
/* The same for an expression whose names have the dependences `of` [nname]. */
model_dependence model_expression_dependence(const mbo_expr *x, const model_dependence *of);

/* Value of an expression whose names are resolved, at the design of the last mbo_model_file_eval or, before that, of the file, and its
 * derivatives by the design variables, row [n]; NULL: not wanted. */
mbd_status model_file_value(const mbo_model_file *f, const mbo_expr *x, double *value, double *row, mbd_error *err);

/* The coefficients that move in proportion to a scalar, which a steady motion determines: index [n] and weight [n], in new memory of the caller.
 * MBD_BAD_INPUT: there is no such scalar, it is a design variable, or some coefficient is no linear function of it with a constant factor. */
mbd_status model_file_input(const mbo_model_file *f, const char *scalar, int *n, int **index, double **weight,
                            mbd_error *err);

/* Sets a scalar to a number, whatever its file gives it, for evaluations from now on. */
void model_file_set_number(mbo_model_file *f, int scalar, double value);

/* Gives a scalar another expression, for evaluations from now on; it may name no others than before. */
mbd_status model_file_set_scalar(mbo_model_file *f, int scalar, const char *expression, mbd_error *err);

/* The number of the design variable on which an expression depends; -1: none. */
int model_file_mover(const mbo_model_file *f, const mbo_expr *x);

#endif
