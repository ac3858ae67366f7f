/* What a comparison says about the choice of an optimizer, with its confidence: for each class of problems and over all.
 *
 * The optimizers of a class are ordered by the median of the equivalent simulations until they solve an instance (profiles.h) to the
 * accuracy 1e-4, over all its instances; one that is not solved counts as infinity. The first is held against each other one by the
 * sign test over the instances, in pairs: it is ahead where it needs fewer by 1 % or more. The one that is hardest to tell from it, with the largest p,
 * is its rival. The first wins if p < 0.05 against the rival, and so against all others. Starts of one problem are samples of that
 * problem alone: a verdict is about the problems that were compared. */
#ifndef MBO_VERDICT_H
#define MBO_VERDICT_H

#include "study/profiles.h"

typedef struct verdict_row {
  int backend; /* of profiles.backend */
  int solved;
  double low, high;   /* the interval of 95 % of the share that it solves */
  double quartile[3]; /* of its equivalent simulations; INFINITY: so many are not solved */
} verdict_row;

typedef struct verdict {
  char *class; /* as problem_class.h has it; NULL: over all problems */
  int nproblem;
  int n;         /* instances of which all runs are there */
  int *instance; /* [n] */
  int nrow;
  verdict_row *row; /* [nrow] best first, of the backends with runs on these problems */
  /* The first row against its rival. */
  int rival;          /* number of the row; 0: there is none */
  int ahead, decided; /* pairs where the first is ahead; pairs with a difference */
  double p;           /* of the sign test; 1 where the first is not ahead in most of them */
  int wins;           /* 1: p is below VERDICT_LEVEL, and the first has solved an instance */
  int starts_needed;  /* of each problem, in about which the same share of pairs would be significant; 0: too many */
  char *text;         /* all this in words, a line */
} verdict;

#define VERDICT_LEVEL 0.05

typedef struct verdicts {
  int n;
  verdict *
      of; /* [n] the classes in the order of the problems; the last one is over all problems. One alone if there is one class */
} verdicts;

/* MBD_NO_MEMORY. */
mbd_status verdicts_create(const profiles *p, verdicts *v, mbd_error *err);
void verdicts_free(verdicts *v);

#endif
