/* A model file in memory: the description, and the expressions that make its coefficients from scalars. */
#ifndef MBO_CONFIG_MODEL_FILE_H
#define MBO_CONFIG_MODEL_FILE_H

#include "config/expr.h"
#include "config/config.h"

typedef struct model_scalar {
  char *name;
  mbo_expr expr;
  int file, line; /* where it stands: in which of the files; INI_RUN: replaced by the run */
  int design;     /* 1 + number of the design variable that takes its place; 0: its expression counts */
  char *fixed;    /* why it cannot vary, as "numbers what is repeated"; NULL: it can */
  char *unit;     /* of the coefficients that are this scalar and nothing else; "": they differ; NULL: there are none */
} model_scalar;

/* A curve and its coefficients, which follow each other. */
typedef struct model_curve {
  char *name;
  int points;    /* 1: they are ordinates over knots, so each of them may be a design variable */
  int from_file; /* 1: knots and values are those of a table in a file */
  int first, n;
} model_curve;

/* Where something stands. */
typedef struct model_line {
  int file, line; /* line 0: a default */
} model_line;

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
  model_line *line; /* [ncoef] where each stands */
  int ncurve;
  model_curve *curve;
  int n;                /* design variables */
  int *direct;          /* [ncoef] 1 + number of the design variable that takes a coefficient's place; 0: its expression
                         counts */
  unsigned char *moves; /* [nscalar] a design variable moves it */
  double *gradient;     /* [nscalar][n] d scalar / d rho */
  int room;             /* for entries of */
  int *start, *index;   /* Jacobian of theta by columns */
  double *jacobian;
  double *row; /* [n] scratch */
};

/* Do model files know sections of this kind? */
int model_file_has_section(const char *kind);

/* A model file of which the scalars alone are read, as mbo_model_file_read_case reads them: it has no coefficients. */
mbd_status model_file_read_scalars(const char *path, const mbo_model_changes *changes, mbo_model_file **out,
                                   mbd_error *err);

/* Where a scalar stands. MBD_BAD_INPUT: there is none of this name, with the nearest one. */
mbd_status model_file_scalar(const mbo_model_file *f, const char *name, int *index, mbd_error *err);

/* The unit of a scalar, from the coefficients that are equal to it, or to a scalar that is; "": not known. */
const char *model_file_unit(const mbo_model_file *f, int scalar);

/* The same for all names of an expression: their places in f->value. */
mbd_status model_file_resolve(const mbo_model_file *f, mbo_expr *x, mbd_error *err);

/* Adds a coefficient to the description and its expression to the file, which owns *x from here on. Its number; -1: no memory, and *x is
 * freed. */
int model_file_append(mbo_model_file *f, const char *name, mbo_expr *x, model_line line, double value);

/* Another coefficient, which no element reads: its value and derivatives come with those of the others. text: an expression of
 * scalars. Before mbo_model_file_vary. */
mbd_status model_file_coefficient(mbo_model_file *f, const char *name, const char *text, int *index, mbd_error *err);

/* How a coefficient depends on the design variables, as its expressions say. */
typedef enum model_dependence { MODEL_CONSTANT, MODEL_LINEAR, MODEL_NONLINEAR } model_dependence;
model_dependence model_file_dependence(const mbo_model_file *f, int coefficient);
/* The same of an expression whose names depend as `of` [nname] tells. */
model_dependence model_expression_dependence(const mbo_expr *x, const model_dependence *of);

/* Value of an expression whose names are resolved, at the design of the last mbo_model_file_eval or, before that, of the file, and its
 * derivatives by the design variables, row [n]; NULL: not wanted. */
mbd_status model_file_value(const mbo_model_file *f, const mbo_expr *x, double *value, double *row, mbd_error *err);

/* The design variable that moves an expression, by its number; -1: none does. */
int model_file_mover(const mbo_model_file *f, const mbo_expr *x);

#endif
