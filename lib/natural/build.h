/* The data that exist only while a natural model is made. */
#ifndef MBD_NATURAL_BUILD_H
#define MBD_NATURAL_BUILD_H

#include "natural/natural.h"

/* A point or direction of a body that a joint names: the same one where body and coefficients are. */
typedef struct sharing_node {
  int body, is_point, coef,
      from; /* coefficients of a point or axis; from: those of a point to subtract; else what stands for them */
  natural_local local;
  int root, sign, next; /* joints keep it equal to sign times node `root`; the next of these in a circle */
  int basic;            /* -1: no other body shares it */
  int below;            /* the next on this body; -1: none */
} sharing_node;

enum { SHARES_POINT = 1, SHARES_Z = 2, SHARES_X = 4 };

typedef struct natural_builder {
  natural *n;
  natural_params nominal; /* with offsets alone */
  int nnode;
  sharing_node *node;
  int *on_body;          /* [nb] first node; -1: none */
  int *stamp, stamped;   /* [nrigid] */
  unsigned char *shares; /* [njoint] what its two bodies share */
} natural_builder;

#define NATURAL_NO_MEMORY(err) MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the natural model")

/* v->offset, from v->p. */
void natural_offsets(natural_params *v);

/* Points and vectors that joints let bodies share. */
mbd_status sharing_find(natural_builder *b, mbd_error *err);
/* The number of the point or vector that stands for a local, with its sign in *sign; -1: no other body shares it. */
int sharing_of(const natural_builder *b, const natural_local *l, int *sign);

/* A point or vector, and its local coordinates on a rigid body. */
mbd_status natural_add_basic(natural *n, char *name, int is_point, int *number, mbd_error *err);
mbd_status natural_add_on(natural *n, int rigid, int basic, natural_local local, mbd_error *err);

/* The basis of every rigid body, with points and vectors of its own where shared ones do not span space. */
mbd_status basis_choose(natural_builder *b, mbd_error *err);

/* Equations, added coordinates, the places that these look at; names of rows. */
mbd_status equations_list(natural_builder *b, mbd_error *err);
/* Where Phi_q can differ from zero. */
mbd_status pattern_find(natural *n, mbd_error *err);

#endif
