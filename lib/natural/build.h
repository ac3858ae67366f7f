/* The data that exist only while a natural model is made. */
#ifndef MBD_NATURAL_BUILD_H
#define MBD_NATURAL_BUILD_H

#include "natural/natural.h"

/* A point or direction of a body that a joint names. Two of them are the same if the body and the coefficients are. */
typedef struct sharing_node {
  int body, is_point, coef,
      from; /* coefficients of a point or axis; from: those of a point that is subtracted. Nodes without coefficients have keys here. */
  natural_local local;
  int root, sign,
      next;  /* joints keep it equal to sign times node `root`; next: circular list of the nodes with this root */
  int basic; /* -1: no other body shares it */
  int below; /* the next on this body; -1: none */
} sharing_node;

enum { COMMON_POINT = 1, COMMON_Z = 2, COMMON_X = 4 };

typedef struct natural_builder {
  natural *n;
  natural_params nominal; /* nominal constants, of which only the offsets are set */
  int nnode;
  sharing_node *node;
  int *on_body;          /* [nb] first node; -1: none */
  int *stamp, stamped;   /* [nrigid] */
  unsigned char *common; /* [njoint] the points and axes that the two bodies of a joint share */
} natural_builder;

#define NATURAL_NO_MEMORY(err) MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the natural model")

/* Computes v->offset from v->p. */
void natural_offsets(natural_params *v);

/* Finds the points and vectors that bodies share because of joints. */
mbd_status sharing_find(natural_builder *b, mbd_error *err);
/* The number of the point or vector that represents a local, with its sign in *sign; -1: no other body shares it. */
int sharing_of(const natural_builder *b, const natural_local *l, int *sign);

/* Add a point or vector, and its local coordinates on a rigid body. */
mbd_status natural_add_basic(natural *n, char *name, int is_point, int *number, mbd_error *err);
mbd_status natural_add_on(natural *n, int rigid, int basic, natural_local local, mbd_error *err);

/* Chooses the basis of every rigid body, and adds points and vectors where shared ones do not span space. */
mbd_status basis_choose(natural_builder *b, mbd_error *err);

/* Lists the equations, the added coordinates and the places of their arguments; names the rows. */
mbd_status equations_list(natural_builder *b, mbd_error *err);
/* Finds the nonzeros of Phi_q. */
mbd_status pattern_find(natural *n, mbd_error *err);

#endif
