/* The front of two or three objectives of a run file as a study: each run is a point. Its row has its number alone; what is minimized for it, and from
 * which design, follows from the records of the waves before (front.h). So runs of one wave can be done in any order at the same time, and the
 * points depend neither on that nor on interruptions. */
#ifndef MBO_PARETO_H
#define MBO_PARETO_H

#include "mechanism/mechanism.h"
#include "study/engine.h"
#include "study/front.h"
#include "study/runs.h"

/* The plan of a study of [pareto]; *n: the number of points. All that is passed must outlive the plan. */
study_plan pareto_plan(const mbo_run_config *c, int nset, const char *const *set, int *n);

/* MBD_BAD_INPUT: [pareto] names an objective that is not there, or not two or three different ones, or one of weight 0; with others there is more
 * than a sum. MBD_UNSUPPORTED: the optimizer takes no constraints. */
mbd_status pareto_check(mechanism *m, mbd_error *err);

int pareto_is(const study *s);

/* The objectives of a front: number i of them among those of the run file, of which there are *m. */
int pareto_objective(const mbo_run_config *c, int i);
int pareto_objectives(const mbo_run_config *c);

/* The points of a study that are known, with their steps, those of the next wave among them. The present row of s->points changes. To be freed in any
 * case. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status pareto_read(study *s, front *f, mbd_error *err);

/* A front as it is shown: its objectives in the units of the run file. */
typedef struct pareto_front {
  front front; /* classified */
  char *name[FRONT_OBJECTIVES_MAX];
  double weight[FRONT_OBJECTIVES_MAX]; /* f_i = weight_i (the objective) */
  int knee;                            /* -1: there is none */
  double distance;                     /* of the knee */
  int nefficient, *order;              /* [nefficient] by the first objective */
} pareto_front;

/* To be freed in any case. Errors of pareto_read. */
mbd_status pareto_open(study *s, pareto_front *p, mbd_error *err);
void pareto_close(pareto_front *p); /* {0} allowed */

double pareto_value(const pareto_front *p, int point, int objective); /* NaN: none */
/* Derivative of objective i by objective j along the front, where the multipliers are known (front_slope). */
double pareto_slope(const pareto_front *p, int point, int i, int j);
/* Puts into the columns of a record what its point is, as "front", and the slopes of the last objective by the others, as "d B/d A"; nothing of an
 * empty front. */
void pareto_put(const pareto_front *p, long i, const json_t *record);
/* 1: between an efficient point and the next one by the first objective, of two, the front has a gap. */
int pareto_has_gap(const pareto_front *p, int point, int next);

/* Performs the runs wave by wave through an engine that returns when they are done, with the progress of all; all of the study, or none if there are none. A record that belongs to another step, as
 * after a repeated run of an earlier wave, is removed before. */
mbd_status pareto_perform(const engine_ops *engine, const engine_task *t, engine_progress *p, mbd_error *err);

/* ---- one run ---- */

typedef struct pareto_run {
  int is; /* 0: the study is no front, and all else is empty */
  int m;  /* objectives */
  front_step step;
  int wave;
  double *numbers; /* of all arrays here */
  double *sum;     /* [m][nobjective] f_i as sums of the objectives of the run file */
  double offset[FRONT_OBJECTIVES_MAX],
      size[FRONT_OBJECTIVES_MAX]; /* scaled objectives: (f_i - offset_i)/size_i; anchors: f_i */
  mechanism_front front;
  double first;       /* of an anchor: its objective at the first iterate; NaN: there was none */
  double *multiplier; /* [nconstraint + nlimit] to begin with; NULL: there are none */
  double *other; /* [n] a design that meets the limits, from which another attempt can begin; NULL: there is none */
  double other_value; /* of what is minimized there */
  int designs;        /* of all anchors together; 0: not known */
  secants
      secants; /* second derivatives of objectives that are squares, for an optimizer that takes them; n = 0: there are none */
  double *ends; /* [4][3 n + nconstraint] scratch: what the records of points have */
} pareto_run;

/* Makes the mechanism the problem of point i, with its start. s->points has the row of the run before and afterwards. */
mbd_status pareto_begin(study *s, long i, mechanism *m, pareto_run *r, mbd_error *err);
void pareto_end(pareto_run *r); /* {0} allowed */

/* The optimizer of points with limits. */
const char *pareto_optimizer(mechanism *m);

/* What is left to judge at a result: the values f [m] of the objectives; 1 if it violates a limit of the front by more than tol, in scaled objectives. */
int pareto_values(const pareto_run *r, const mechanism *m, double tol, double *f);

/* The entry "front" of a record: step, values, multipliers (of constraints, then limits; NULL: not known). feasible: 0 if constraints or limits are
 * violated. */
json_t *pareto_record(const pareto_run *r, const mechanism *m, const double *f, const double *multiplier, int feasible);

#endif
