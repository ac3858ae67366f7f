/* Model files for programs that use the dynamics alone (mbd/...): the description of a mechanism, and its numbers as functions of scalars
 * that vary. Run files, with cases, objectives and optimizers: mbo/run.h. */
#ifndef MBO_MODEL_FILE_H
#define MBO_MODEL_FILE_H

#include "mbd/spec.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbo_model_file mbo_model_file;

/* Reads a model file. name, expression [nset]: scalars that are replaced by other expressions (those of [scalars] in a run file). The caller
 * destroys *out; NULL on failure. MBD_BAD_INPUT: the message has file, line, key, what was found and what was expected; MBD_IO_ERROR: a file
 * cannot be read; MBD_NO_MEMORY. */
mbd_status mbo_model_file_read(const char *path, int nset, const char *const *name, const char *const *expression,
                               mbo_model_file **out, mbd_error *err);
void mbo_model_file_destroy(mbo_model_file *f); /* NULL allowed */

/* The description in the file, its title ("": none), its path, the files of its parts (of one in the program "pid (a part of mbopt)"), and the
 * names of its scalars with their values. f owns all texts; NULL past the end. */
const mbd_spec *mbo_model_file_spec(const mbo_model_file *f);
const char *mbo_model_file_title(const mbo_model_file *f);
const char *mbo_model_file_path(const mbo_model_file *f);
const char *mbo_model_file_part(const mbo_model_file *f, int i);
int mbo_model_file_nscalar(const mbo_model_file *f);
const char *mbo_model_file_scalar(const mbo_model_file *f, int i, double *value);

/* Sets *n to the number of control points of a curve, whose coefficients are named curve.NAME.1 ... curve.NAME.N. MBD_BAD_INPUT: there is no
 * such curve (the message has the nearest name), or it has no control points. The other function returns the value of point i = 1 .. n of a
 * curve that has some; NaN: there is no such curve. */
mbd_status mbo_model_file_points(const mbo_model_file *f, const char *curve, int *n, mbd_error *err);
double mbo_model_file_ordinate(const mbo_model_file *f, const char *curve, int i);

/* Makes scalars and control points variable: rho[k] is the value of what[k], a name SCALAR or curve.NAME.i.
 * MBD_BAD_INPUT: an unknown name (the message has the nearest one), a scalar that determines the points of a curve, or a control point whose
 * own expression depends on another variable; MBD_NO_MEMORY. */
mbd_status mbo_model_file_vary(mbo_model_file *f, int n, const char *const *what, mbd_error *err);

/* Computes theta [ncoef] for rho [n]; and, unless NULL, the sparse Jacobian by columns: the derivatives of the coefficients
 * index[start[k] .. start[k+1]-1] by variable k are value[start[k] ..]; f owns these arrays until the next call. MBD_OUT_OF_DOMAIN: an
 * expression has no value. */
mbd_status mbo_model_file_eval(mbo_model_file *f, const double *rho, double *theta, const int **start,
                               const int **index, const double **value, mbd_error *err);

/* Sets moved [ncoef]: 1 if the coefficient depends on a design variable, even if the derivative is zero at some design. */
void mbo_model_file_moved(const mbo_model_file *f, unsigned char *moved);

/* Adds to H [n][n] the sum over the coefficients of weight [ncoef] times d2 theta / d rho2, at the design of the last mbo_model_file_eval; with
 * along [n] other than NULL, adds to H [n] the product of that matrix with it. MBD_OUT_OF_DOMAIN: a second derivative does not exist there; the message
 * has the expression. */
mbd_status mbo_model_file_second(const mbo_model_file *f, const double *weight, const double *along, double *H,
                                 mbd_error *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
