/* The front of two or three objectives f, all minimized: which points are computed, and what they are.
 *
 * Objectives are scaled by the anchors, the optima of each objective by itself: s_i = (f_i - low_i)/(high_i - low_i) with the least and the largest
 * f_i of the anchors. Points come in waves. The first has the anchors; the points of every other one follow from those of the waves before:
 *
 *   two     between two neighbours on the front, that objective c in which they are farther apart is limited by the middle between both, and the other
 *           one is minimized (epsilon-constraint): min s_k, s_c <= (s_c of one + s_c of the other)/2. Where that gives no new point of the front, k and c change
 *           roles once. If it was one of the two again, a part of the front ends there, and the next one begins where s_c is least with s_k lower
 *           than at that end: min s_c, s_k <= s_k of the end - FRONT_STEP. Between these two is a gap. Where that finds nothing, the middle is tried that
 *           way round, too.
 *           Where neighbours are far apart and it is known how their optima move along the front (pareto_start.h), a point comes near each of them
 *           instead: over u = s_0 - s_1, from -1 to 1 between the anchors, by the tangent and how it has turned since the point before (6.45).
 *   three   points have barycentric coordinates b in the triangle of the anchors A_i. At the middle of an edge between two points, the last objective is
 *           minimized on the side of the normal of that plane (normalized normal constraint, Messac 2003):
 *           min s_3, (A_3 - A_k)' s <= (A_3 - A_k)' (sum b_i A_i) for k = 1, 2. Triangles with that edge are halved.
 *
 * Neighbours with the largest (distance)(1 + angle between the normals) come first, in one wave all that have at least half of the largest.
 * The normal w of the front at a point follows from the multipliers lambda of its limits, theory.md §6 (6.16), w = e_k + sum lambda_j row_j; w' ds = 0 along the
 * front, so with one limit ds_k/ds_c = -lambda (6.17). An anchor has w = e_k. */
#ifndef MBO_FRONT_H
#define MBO_FRONT_H

#include "mbd/status.h"

enum { FRONT_OBJECTIVES_MAX = 3, FRONT_LIMITS_MAX = FRONT_OBJECTIVES_MAX - 1 };
#define FRONT_STEP 2e-3 /* of a scaled objective, beyond the end of a part of the front */
#define FRONT_SAME 1e-4 /* scaled objectives that differ by less are equal: the accuracy of an optimization */

typedef enum front_state {
  FRONT_UNKNOWN,    /* not computed yet */
  FRONT_EFFICIENT,  /* on the front: no other point is better in one objective and as good in the others */
  FRONT_DOMINATED,  /* another point is: a local optimum, or an anchor that is not unique */
  FRONT_REPEATED,   /* the same as an earlier point: an end of a part of the front */
  FRONT_INFEASIBLE, /* its constraints or limits are violated */
  FRONT_FAILED,     /* it could not be optimized */
  FRONT_NOT_NEEDED  /* no part of the front was left to compute */
} front_state;
const char *front_state_name(front_state s); /* "efficient" */

/* What is minimized for a point, in scaled objectives; those of an anchor have no scale yet. */
typedef struct front_step {
  int minimized; /* k; -1: nothing, the point is not needed */
  int from[2];   /* the points between which it lies; -1: it is an anchor */
  int outer[2];  /* of two objectives: the neighbours of both on the other side; -1: none, or not asked for */
  double
      ahead; /* of two objectives: how far u = s_0 - s_1 goes from from[0] towards from[1]; 0: the point is not so found */
  int beyond; /* that of the two at which a part of the front ends, beyond which it searches the next one; -1: none */
  int nlimit; /* limits row' s <= limit */
  double row[FRONT_LIMITS_MAX][FRONT_OBJECTIVES_MAX], limit[FRONT_LIMITS_MAX];
  double band; /* by which the limit may be another one: the point of the front that lies there serves as well */
  double multiplier[FRONT_LIMITS_MAX]; /* estimates from the points between which it lies */
} front_step;

typedef struct front_point {
  front_step step;
  int wave;
  front_state state;                   /* FRONT_EFFICIENT until front_classify, where it has values */
  double f[FRONT_OBJECTIVES_MAX];      /* NaN: none */
  double normal[FRONT_OBJECTIVES_MAX]; /* of scaled objectives; NaN: not known */
  double multiplier[FRONT_LIMITS_MAX]; /* of its limits; NaN: not known */
  int moves;                           /* 1: it is known how the optimum moves along the front */
  int stopped;                         /* 1: a limit has stopped its optimization, which proves no gap */
  int by;                              /* the point that dominates it, or which it repeats; -1: none */
} front_point;

typedef struct front_triangle {
  int corner[3];
} front_triangle;

typedef struct front {
  int m;              /* objectives: 2 or 3 */
  int n;              /* points */
  front_point *point; /* [n] */
  int planned;        /* points whose steps are known: those of the waves so far */
  int waves;
  int scaled; /* 1: the anchors are known and lie apart in every objective */
  double low[FRONT_OBJECTIVES_MAX], high[FRONT_OBJECTIVES_MAX];
  /* of three objectives */
  double (*place)[3]; /* [n] barycentric coordinates */
  int ntriangle;
  front_triangle *triangle; /* [2 n] */
} front;

mbd_status front_create(int m, int n, front *f, mbd_error *err);
void front_free(front *f);

/* Plans the next wave: steps of the points from f->planned on, which moves to its end. All planned points are known. Returns 0 if all are planned. */
int front_plan(front *f);

/* The objectives of a point, and the multipliers [nlimit] of its limits; multiplier NULL: they are not known. */
void front_take(front *f, int i, const double *value, const double *multiplier);

double front_scaled(const front *f, int objective, double value);

/* After all points that are known: which are efficient, dominated, repeated. */
void front_classify(front *f);

/* The knee: the efficient point farthest from the line or plane through the anchors, towards smaller objectives; *distance of scaled objectives. -1:
 * there is none, as no point is farther than FRONT_SAME. After front_classify. */
int front_knee(const front *f, double *distance);

/* Efficient points by increasing first objective: order [n]; returns their number. After front_classify. */
int front_order(const front *f, int *order);

/* 1: of two objectives, there is a gap between two neighbours: beyond the end that one of them is, the other one was found. */
int front_has_gap(const front *f, int a, int b);

/* df_i/df_j along the front at a point, the others kept: -w_j/w_i, of objectives as they are; NaN: not known. */
double front_slope(const front *f, int point, int i, int j);

#endif
