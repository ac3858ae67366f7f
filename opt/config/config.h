/* What run files say, and what they say of model files. */
#ifndef MBO_CONFIG_CONFIG_H
#define MBO_CONFIG_CONFIG_H

#include <stdio.h>

#include "mbd/simulate.h"
#include "mbo/model_file.h"

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

/* The same where all values are numbers. */
typedef struct mbo_number_pairs {
  mbo_pairs pairs;
  mbo_numbers value; /* of each text */
} mbo_number_pairs;

/* A number of a run file that is given by an expression, and its value (or the values of a list). */
typedef struct mbo_expression {
  char *kind, *name, *key, *text; /* [kind name] key = text; name "" where there is none */
  mbo_numbers value;
  int moves; /* 1: it depends on a design variable, which only the duration of a case may; `value` is that of the start */
} mbo_expression;
/* A list of expressions. */
typedef struct mbo_expressions {
  int n;
  mbo_expression *v;
} mbo_expressions;

struct mbd_user_force;

/* A user force (mbd/user_force.h) with the name by which models refer to it. */
typedef struct mbo_plugin {
  const char *name;
  const struct mbd_user_force *force; /* must outlive the model files that name it, and their models */
  /* Called when a model first refers to it and `force` is NULL; sets `force`. NULL if `force` is given. */
  mbd_status (*load)(struct mbo_plugin *p, mbd_error *err);
  const void *from;    /* source for `load` */
  void *loader_memory; /* belongs to `load` */
} mbo_plugin;

/* ---- run files: a struct for each section, whose members are those of the rows of config/run_options.c. Words of a choice (const char *)
 * belong to a table and are not freed. ---- */

typedef struct mbo_design_config {
  char *name;
  char *scalar, *curve; /* exactly one of them is not "" */
  int first, last;      /* of a curve: the control points that vary, counted from 1; last = 0: to the end */
  double start, lower, upper, scale; /* start, scale: NaN: taken from the model */
  mbo_numbers values;                /* catalogue values, ascending; n = 0: any value */
  double period;                     /* values that differ by it are the same; 0: none */
} mbo_design_config;

/* [equivalent NAME]: scalars of a design that does the same as another one. */
typedef struct mbo_equivalent_config {
  char *name;
  mbo_pairs scalars; /* scalar -> expression in those of the other one */
} mbo_equivalent_config;

/* [uncertain NAME]: a scalar of the model that scatters. */
typedef struct mbo_uncertain_config {
  char *name;
  char *scalar;
  const char *distribution;
  char *deviation, *lower, *upper; /* expressions of scalars; "": not given */
  mbo_number_pairs correlation;    /* with others, by their names */
} mbo_uncertain_config;

/* [scenarios]: how what scatters is sampled. */
typedef struct mbo_scenarios_config {
  int samples; /* 0: to first order, without samples */
  const char *plan, *lanes;
  int seed, check;
  double confidence;
} mbo_scenarios_config;

/* [quantity NAME]: an output by an expression. */
typedef struct mbo_quantity_config {
  char *name;
  char *value, *unit;
  char *curve; /* whose value, or derivative, at `value` it is; "": none */
  int derivative;
  char *argument_unit; /* of `value`, where it is the argument of a curve; "": not stated */
} mbo_quantity_config;

/* [state NAME]: a state that nothing in the model reads. */
typedef struct mbo_state_config {
  char *name;
  char *rate, *start, *unit; /* start "": zero, or where it settles */
} mbo_state_config;

/* [case NAME]: a simulation of the model. */
typedef struct mbo_case_config {
  char *name;
  int line;            /* of its section in the run file; 0: it does not stand there */
  mbd_case simulation; /* its words and names belong to tables, `independent` and `penalties` */
  mbo_pairs scalars;   /* values of the model's scalars in this case */
  mbo_pairs curves;    /* curves that replace others in this case */
  mbo_pairs drives;    /* curves or numbers that coordinates of the model follow in this case */
  char *steady_speed, *steady_curvature,
      *steady_lateral_acceleration; /* curves or expressions of scalars; "": not given */
  mbo_names steady_find;            /* scalars of the model that a steady motion determines */
  mbo_names independent;            /* independent coordinates; "auto" alone: the program chooses */
  mbo_pairs branches;               /* what signs of outputs do that vanish where branches meet */
  mbo_number_pairs penalties;       /* of single constraints */
  int scenario; /* 0 in a run file; i > 0: its copy in which what scatters is that of scenario i (mechanism/scenarios.h) */
} mbo_case_config;

/* [mode NAME]: a mode of small motions about the start of cases, or all modes. */
typedef struct mbo_mode_config {
  char *name;
  mbo_names in_case;
  double near, near_real; /* [Hz], [1/s] NaN: not given; neither: all modes */
  double sharpness;       /* [s] of the smooth maximum */
} mbo_mode_config;

/* A measured series, which becomes an objective with the same name. */
typedef struct mbo_measurement_config {
  char *name;
  char *file;          /* found relative to the run file; absolute if it exists */
  char *time, *column; /* names of columns, or numbers from 1 on; "": the first column, and the other one of two */
  char *of, *in_case;
  double sigma, factor; /* sigma: NaN: not given */
  char *offset, *delay; /* expressions of scalars; "": none */
  const char *loss;
  double loss_width;  /* NaN: the default of the loss */
  double from, until; /* [s] samples between these times count */
  int hold_out;
  int time_line, column_line; /* of the keys in the run file; 0: they do not stand there */
} mbo_measurement_config;

/* [sensor NAME]: a measurement that could be made. */
typedef struct mbo_sensor_config {
  char *name;
  char *of, *in_case;
  double sigma, rate; /* rate: NaN: one sample at each node */
  double from, until; /* [s] */
} mbo_sensor_config;

/* [experiment NAME]: what sensors would tell of parameters. */
typedef struct mbo_experiment_config {
  char *name;
  mbo_names parameters, of_interest; /* scalars of the model; of_interest: none: all parameters */
  mbo_names sensors;                 /* none: all of the run file */
  mbo_number_pairs prior;            /* standard deviations of parameters */
} mbo_experiment_config;

/* In the place of `of`: outputs at samples of the time, with weights that a program sets (mechanism/trajectory.h). Not in a run file. */
typedef struct mbo_samples_config {
  int n;
  const char *const *of; /* [n] outputs, of one or more components each */
  mbd_samples is;
} mbo_samples_config;

/* [objective NAME] or [constraint NAME]. */
typedef struct mbo_objective_config {
  char *name;
  char *of, *value;                                  /* an output, or an expression; exactly one of them is not "" */
  char *in_case;                                     /* "" if `value` needs no case */
  const char *form;                                  /* "" if there is no `of` */
  double weight, smoothing, sharpness, lower, upper; /* lower, upper: constraints */
  mbo_numbers target;
  char *target_curve;
  char *from, *until, *at, *over;
  double tolerance, level, width;                                 /* NaN: not given */
  const char *across, *across_tail;                               /* "": as it is without scatter */
  double across_sigmas, across_level, across_limit, across_width; /* limit, width: NaN: not given */
  const mbo_measurement_config *measured; /* the series for which it was made; NULL: it has a section of its own */
  const mbo_samples_config *samples;      /* NULL: it is one of the run file */
} mbo_objective_config;

/* [objectives]: how several objectives are combined. */
typedef struct mbo_objectives_config {
  const char *combine;
  double sharpness;
} mbo_objectives_config;

/* [gradient] */
typedef struct mbo_gradient_config {
  const char *method, *lanes;
  double difference_step;
  double memory_limit; /* [MiB] of stored motions; 0: none */
  int watch;           /* every `watch`-th gradient is compared with a direct sensitivity; 0: none */
  double watch_limit;
} mbo_gradient_config;

/* [check] */
typedef struct mbo_check_config {
  double tolerance, difference_tolerance, continuous_tolerance, taylor_step; /* continuous_tolerance: NaN: none */
  int variables, directions;
} mbo_check_config;

/* [optimizer] */
typedef struct mbo_optimizer_config {
  char *backend, *algorithm, *command;
  const char *hessian, *scaling;
  int max_iterations, max_evaluations, seed;
  double max_time, tol_f, tol_x, tolerance, tol_offset, tol_constraint, stop_value, answer_within;
  int first_changes; /* 1: what changes first at an optimum is told, too */
  int repair_start;  /* 1: a start at which a kinematic case locks is moved to a design beside it */
} mbo_optimizer_config;

/* [fit] */
typedef struct mbo_fit_config {
  double confidence;
  const char *noise, *criterion;
} mbo_fit_config;

/* [output] */
typedef struct mbo_output_config {
  char *folder;
  int trajectory, every, objectives, projections;
  mbo_names outputs, columns;
} mbo_output_config;

/* [model] */
typedef struct mbo_model_config {
  char *file;
  int line; /* of its key `file` in the run file; 0: it does not stand there */
} mbo_model_config;

/* [plugin NAME]: the file of a user force. */
typedef struct mbo_plugin_config {
  char *name;
  char *file; /* found relative to the run file; absolute if it exists */
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
  double spread;  /* NaN: between the bounds */
  mbo_pairs vary; /* key -> values, which the starts take in turn */
} mbo_multistart_config;

/* [pareto] */
typedef struct mbo_pareto_config {
  mbo_names objectives; /* none: all of the run file */
  int points;
  double tolerance;
} mbo_pareto_config;

/* [compare] */
/* What [compare] compares where it names nothing. Of "A or B" the first is taken that can solve the problem: without gradients BOBYQA
 * between bounds, COBYLA with nonlinear constraints. */
#define MBO_COMPARED_BACKENDS                                                \
  "ipopt, ipopt:gauss_newton, levenberg_marquardt, nlopt:LD_SLSQP, lbfgsb, " \
  "nlopt:LN_BOBYQA or nlopt:LN_COBYLA"

typedef struct mbo_compare_config {
  mbo_names backends;
  int starts;
} mbo_compare_config;

/* [study]: how its runs are worked off. */
typedef struct mbo_study_config {
  const char *engine, *lanes;
  int jobs, attempts;
  double run_limit; /* [s] 0: none */
} mbo_study_config;

/* [slurm]: options of the jobs of a cluster. */
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
  int nplugin, nquantity, nstate, ndesign, nequivalent, nuncertain, ncase, nmode, nsensor, nexperiment, nmeasurement,
      nobjective, nconstraint;
  mbo_plugin_config *plugin;
  mbo_quantity_config *quantity;
  mbo_state_config *state;
  mbo_design_config *design;
  mbo_equivalent_config *equivalent;
  mbo_uncertain_config *uncertain;
  mbo_case_config *cases;
  mbo_mode_config *mode;
  mbo_sensor_config *sensor;
  mbo_experiment_config *experiment;
  mbo_measurement_config *measurement;
  mbo_objective_config *objective, *constraint; /* the last `nmeasurement` objectives are those of the measurements */
  mbo_scenarios_config scenarios;
  mbo_objectives_config objectives;
  mbo_gradient_config gradient;
  mbo_check_config check;
  mbo_optimizer_config optimizer;
  mbo_fit_config fit;
  mbo_output_config output;
  mbo_pairs native; /* [native] */
  mbo_sweep_config sweep;
  mbo_multistart_config multistart;
  mbo_pareto_config pareto;
  mbo_compare_config compare;
  mbo_study_config study;
  mbo_slurm_config slurm;
  mbo_expressions expressions; /* in the order of writing; their values are in the fields above */
} mbo_run_config;

/* Changes that a run file and one of its cases make to a model. All zero: none. */
typedef struct mbo_model_changes {
  const char *text;         /* the text of the model file; NULL: it is read from its path */
  const char *run;          /* the beginning of messages about these changes, "RUN.ini: "; NULL: none */
  const mbo_pairs *scalars; /* scalars of the run */
  int nplugin;
  mbo_plugin *plugin; /* [nplugin] user forces; those to which the model refers are loaded */
  int nquantity;
  const mbo_quantity_config *quantity; /* [nquantity] */
  int nstate;
  const mbo_state_config *state; /* [nstate] */
  int nuncertain;
  const mbo_uncertain_config *uncertain; /* [nuncertain] */
  int scenario;                          /* how these scatter (config/uncertain.h: uncertain_scenario) */
  const mbo_case_config *of_case;        /* the case, whose scalars and curves are applied last */
} mbo_model_changes;

/* Reads a model file with these changes. Errors as of mbo_model_file_read. */
mbd_status mbo_model_file_read_case(const char *path, const mbo_model_changes *changes, mbo_model_file **out,
                                    mbd_error *err);

/* Reads a run file; set [nset] are assignments "section.key=value", which are applied last. If numbers are expressions of the model's
 * scalars, the section [scalars] of the model file is read, too. MBD_BAD_INPUT: the message has file, line, key, what was found and what was
 * expected; MBD_IO_ERROR; MBD_NO_MEMORY. */
mbd_status mbo_run_config_read(const char *path, int nset, const char *const *set, mbo_run_config **out,
                               mbd_error *err);
void mbo_run_config_destroy(mbo_run_config *c);

/* The expression of a case's duration, if it depends on a design variable; else NULL. */
const char *mbo_run_config_free_duration(const mbo_run_config *c, const char *name_of_case);

/* Adds the place of [model] file to a message about the model file as a whole, as where it cannot be read. */
mbd_status mbo_run_config_locate_model(const mbo_run_config *c, mbd_status status, mbd_error *err);

/* Writes a run file with the same effect, in which all defaults are given. MBD_NO_MEMORY: the file is incomplete. */
mbd_status mbo_run_config_write(const mbo_run_config *c, FILE *out);

/* The path of the run file from which mbo_run_config_write made the file `path`, in new memory, which the caller frees. NULL: the file does
 * not contain it, or there is no memory (errno, which the caller has set to zero, is ENOMEM then). */
char *mbo_run_config_origin(const char *path);

/* Writes a description of every key of run files and model files; format: "text", "markdown", "json" or "man" (the page mbopt.ini(5)). */
mbd_status mbo_schema_write(FILE *out, const char *format, mbd_error *err);

#endif
