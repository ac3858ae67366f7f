/* What model files and run files say. */
#ifndef MBO_CONFIG_H
#define MBO_CONFIG_H

#include <stdio.h>

#include "mbd/simulate.h"
#include "mbd/spec.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A list of numbers. */
typedef struct mbo_numbers {
  int n;
  double *v;
} mbo_numbers;
/* A list of names. */
typedef struct mbo_names {
  int n;
  char **v;
} mbo_names;

/* Keys of one prefix and their values, as "scalar.NAME = expression". */
typedef struct mbo_pairs {
  mbo_names name, text;
} mbo_pairs;

/* A number of a run file that was written as an expression, and its value (of a list that of each item). */
typedef struct mbo_expression {
  char *kind, *name, *key, *text; /* [kind name] key = text; name "" where there is none */
  mbo_numbers value;
  int moves; /* a design variable moves it: the duration of a case alone may; `value` is that of the start */
} mbo_expression;
/* A list of expressions. */
typedef struct mbo_expressions {
  int n;
  mbo_expression *v;
} mbo_expressions;

struct mbd_user_force;

/* A force of one's own by the name that models use (mbd/user_force.h). */
typedef struct mbo_plugin {
  const char *name;
  const struct mbd_user_force *force; /* which outlives the model files that name it, and their models */
  /* Sets `force` where it is NULL when a model refers to it first. Left NULL where `force` is given. */
  mbd_status (*load)(struct mbo_plugin *p, mbd_error *err);
  const void *from; /* what `load` takes it from */
} mbo_plugin;

/* ---- model files ---- */

typedef struct mbo_model_file mbo_model_file;

/* Read a model file. nset, set: values "NAME=expression" that replace scalars (the run file's [scalars]). */
mbd_status mbo_model_file_read(const char *path, int nset, const char *const *name, const char *const *expression,
                               mbo_model_file **out, mbd_error *err);
void mbo_model_file_destroy(mbo_model_file *f);

/* What the file describes, its title ("": none), its path, the files of its parts, and its scalars with their values. All texts belong to
 * f; NULL past the end. */
const mbd_spec *mbo_model_file_spec(const mbo_model_file *f);
const char *mbo_model_file_title(const mbo_model_file *f);
const char *mbo_model_file_path(const mbo_model_file *f);
const char *mbo_model_file_part(const mbo_model_file *f,
                                int i); /* path of the file of parts number i; NULL past the end */
int mbo_model_file_nscalar(const mbo_model_file *f);
const char *mbo_model_file_scalar(const mbo_model_file *f, int i, double *value);

/* Control points of a curve, whose coefficients are named curve.NAME.1 ... curve.NAME.N; the value of number i (from 1).
 * MBD_BAD_INPUT: there is no such curve, with the nearest name, or it has no control points. */
mbd_status mbo_model_file_points(const mbo_model_file *f, const char *curve, int *n, mbd_error *err);
double mbo_model_file_ordinate(const mbo_model_file *f, const char *curve, int i);

/* Make scalars and control points vary: the names `what`, SCALAR or curve.NAME.i, take the place of rho[0 .. n-1].
 * Returns MBD_BAD_INPUT with the nearest name for an unknown one, for one that fixes the points of a curve, and for a
 * control point whose own expression another variable moves. */
mbd_status mbo_model_file_vary(mbo_model_file *f, int n, const char *const *what, mbd_error *err);

/* theta [ncoef] for rho [n]; and, unless NULL, the sparse Jacobian by columns: variable k moves the coefficients
 * index[start[k] .. start[k+1]-1] with values value[...]; the arrays belong to f. */
mbd_status mbo_model_file_eval(mbo_model_file *f, const double *rho, double *theta, const int **start,
                               const int **index, const double **value, mbd_error *err);

/* moved [ncoef]: 1 where a design variable moves the coefficient, whatever its derivative is at some design. */
void mbo_model_file_moved(const mbo_model_file *f, unsigned char *moved);

/* H [n][n] += sum over the coefficients of weight [ncoef] times d2 theta / d rho2, at the design of the last
 * mbo_model_file_eval. MBD_OUT_OF_DOMAIN: a second derivative does not exist there, with the expression. */
mbd_status mbo_model_file_second(const mbo_model_file *f, const double *weight, double *H, mbd_error *err);

/* ---- run files: a struct for each section, filled by the rows of config/run_options.c. Words of a choice (const char *) are
 * those of its table and nobody's to free. ---- */

typedef struct mbo_design_config {
  char *name;
  char *scalar, *curve;              /* one of them is "" */
  int first, last;                   /* of a curve: which control points vary, from 1 on; last = 0: to its end */
  double start, lower, upper, scale; /* start, scale: NaN where left to the model */
  mbo_numbers values;                /* of a catalogue, ascending; n = 0: any value */
} mbo_design_config;

/* [quantity NAME]: an output by an expression. */
typedef struct mbo_quantity_config {
  char *name;
  char *value, *unit;
} mbo_quantity_config;

/* [case NAME]: a simulation of the model. */
typedef struct mbo_case_config {
  char *name;
  mbd_case simulation;   /* its words and names are not its own: the tables have them, and `independent` */
  mbo_pairs scalars;     /* values of the model's scalars in this case */
  mbo_pairs curves;      /* curves that stand for others in this case */
  mbo_pairs drives;      /* curves that coordinates of the model follow in this case, or numbers */
  mbo_names independent; /* coordinates; "auto" alone: none */
} mbo_case_config;

/* A measured series, which becomes an objective of its name. */
typedef struct mbo_measurement_config {
  char *name;
  char *file;          /* as found from the run file, absolute where it is there */
  char *time, *column; /* names of columns, or numbers from 1 on; "": the first, and the other of two */
  char *of, *in_case;
  double sigma, factor; /* sigma: NaN: not given */
  char *offset, *delay; /* expressions of scalars; "": none */
  const char *loss;
  double loss_width;  /* NaN: that of the loss */
  double from, until; /* [s] of the samples that count */
  int hold_out;
} mbo_measurement_config;

/* [objective NAME] or [constraint NAME]. */
typedef struct mbo_objective_config {
  char *name;
  char *of, *value;                                  /* one of them is "": an output, or an expression */
  char *in_case;                                     /* "" where `value` is of no case */
  const char *form;                                  /* "" without `of` */
  double weight, smoothing, sharpness, lower, upper; /* lower, upper: constraints */
  mbo_numbers target;
  char *target_curve;
  char *from, *until, *at, *over;
  double tolerance, level, width;         /* NaN: not given */
  const mbo_measurement_config *measured; /* the series that it comes from; NULL: it has a section of its own */
} mbo_objective_config;

/* [objectives]: how several become one. */
typedef struct mbo_objectives_config {
  const char *combine;
  double sharpness;
} mbo_objectives_config;

/* [gradient] */
typedef struct mbo_gradient_config {
  const char *method;
  double difference_step;
  double memory_limit; /* [MiB] of stored motions; 0: none */
  int watch;           /* every so many gradients one is held against a direct sensitivity; 0: none */
  double watch_limit;
} mbo_gradient_config;

/* [check] */
typedef struct mbo_check_config {
  double tolerance, difference_tolerance, continuous_tolerance, taylor_step; /* continuous_tolerance: NaN: none */
  int variables, directions;
} mbo_check_config;

/* [optimizer] */
typedef struct mbo_optimizer_config {
  char *backend, *algorithm;
  const char *hessian;
  int max_iterations, max_evaluations, seed;
  double max_time, tol_f, tol_x, tolerance, tol_constraint, stop_value;
} mbo_optimizer_config;

/* [fit] */
typedef struct mbo_fit_config {
  double confidence;
  const char *noise;
} mbo_fit_config;

/* [output] */
typedef struct mbo_output_config {
  char *folder;
  int trajectory, every, objectives, projections;
  mbo_names outputs;
} mbo_output_config;

/* [model] */
typedef struct mbo_model_config {
  char *file;
} mbo_model_config;

/* [plugin NAME]: where a force of one's own is. */
typedef struct mbo_plugin_config {
  char *name;
  char *file; /* as found from the run file, absolute where it is there */
} mbo_plugin_config;

/* [sweep] */
typedef struct mbo_sweep_config {
  const char *task, *plan;
  char *file;
  int points, seed;
  mbo_pairs vary; /* key -> values */
} mbo_sweep_config;

/* [multistart] */
typedef struct mbo_multistart_config {
  const char *plan;
  int starts, seed;
  double spread; /* NaN: between the bounds */
} mbo_multistart_config;

/* [compare] */
typedef struct mbo_compare_config {
  mbo_names backends;
  int starts;
} mbo_compare_config;

/* [study]: how its runs are worked off. */
typedef struct mbo_study_config {
  const char *engine;
  int jobs, attempts;
  double run_limit; /* [s] 0: none */
} mbo_study_config;

/* [slurm]: what the jobs of a cluster are asked for with. */
typedef struct mbo_slurm_config {
  char *partition, *account, *qos, *time_limit, *memory;
  int tasks, at_once, cpus, requeues;
  mbo_names options;
} mbo_slurm_config;

/* A run file as it was read, section by section; a key that is left out has its default. */
typedef struct mbo_run_config {
  char *path;       /* of the run file */
  char *model_path; /* of the model file, as found from the run file */
  mbo_model_config model;
  mbo_pairs scalars; /* [scalars] */
  int nplugin, nquantity, ndesign, ncase, nmeasurement, nobjective, nconstraint;
  mbo_plugin_config *plugin;
  mbo_quantity_config *quantity;
  mbo_design_config *design;
  mbo_case_config *cases;
  mbo_measurement_config *measurement;
  mbo_objective_config *objective, *constraint; /* the last `nmeasurement` objectives are those of the measurements */
  mbo_objectives_config objectives;
  mbo_gradient_config gradient;
  mbo_check_config check;
  mbo_optimizer_config optimizer;
  mbo_fit_config fit;
  mbo_output_config output;
  mbo_pairs native; /* [native] */
  mbo_sweep_config sweep;
  mbo_multistart_config multistart;
  mbo_compare_config compare;
  mbo_study_config study;
  mbo_slurm_config slurm;
  mbo_expressions expressions; /* in the order of writing; their values are in the fields above */
} mbo_run_config;

/* What a run file, and a load case there, say of a model. All zero: nothing. */
typedef struct mbo_model_changes {
  const char *run;          /* the beginning of messages about them, "RUN.ini: "; NULL: none */
  const mbo_pairs *scalars; /* of the run */
  int nplugin;
  mbo_plugin *plugin; /* [nplugin] what forces with type = user may be; those that are referred to are loaded */
  int nquantity;
  const mbo_quantity_config *quantity; /* [nquantity] */
  const mbo_case_config *own;          /* the load case: scalars and curves of its own, which come last */
} mbo_model_changes;

/* Read a model file with these. */
mbd_status mbo_model_file_read_case(const char *path, const mbo_model_changes *changes, mbo_model_file **out,
                                    mbd_error *err);

/* Read a run file; nset assignments "section.key=value" from the command line come last. Numbers may be expressions of
 * the model's scalars: then the [scalars] of the model file are read too. */
mbd_status mbo_run_config_read(const char *path, int nset, const char *const *set, mbo_run_config **out,
                               mbd_error *err);
void mbo_run_config_destroy(mbo_run_config *c);

/* The expression of a case's duration, if a design variable moves it; NULL: none does. */
const char *mbo_run_config_free_duration(const mbo_run_config *c, const char *name_of_case);

/* The configuration with all defaults filled in, as a run file that does the same. MBD_NO_MEMORY: something is missing. */
mbd_status mbo_run_config_write(const mbo_run_config *c, FILE *out);

/* The run file that such a configuration comes from, as it was called then; new memory. NULL: the file does not say, or
 * there is no memory (then errno, which the caller has set to zero, is ENOMEM). */
char *mbo_run_config_origin(const char *path);

/* Every key of run files and model files: format "text", "markdown", "json" or "man" (the page mbopt.ini(5)). */
mbd_status mbo_schema_write(FILE *out, const char *format, mbd_error *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
