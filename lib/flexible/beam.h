/* Beams: straight flexible bodies, whose shapes follow from strains that are Legendre polynomials (legendre.h), and whose inertia is that of
 * points of Gauss along the axis. Their numbers are functions of the length and of the coefficients of material and section alone, and are
 * computed once for a design. Equations: theory.md §12 (12.4) to (12.7). */
#ifndef MBD_BEAM_INTERNAL_H
#define MBD_BEAM_INTERNAL_H

#include "flexible/legendre.h"
#include "force/force.h"
#include "joint/modal.h"
#include "mbd/beam.h"

/* The strain of a shape. In the frame of the beam e_z is the axis, e_x the direction `up` of the section, e_y to its side. */
enum { BEAM_UP, BEAM_SIDE, BEAM_TWIST, BEAM_STRETCH, BEAM_SHEAR_UP, BEAM_SHEAR_SIDE };

/* The coefficients of a beam: these, then those of its section at one station after the other. */
enum { BEAM_E, BEAM_G, BEAM_DENSITY, BEAM_RATIO, BEAM_OF_MASS, BEAM_OF_STIFFNESS, BEAM_SHEAR, BEAM_DIMENSIONS };

enum { BEAM_NODE_MAX = 16, BEAM_POINT_MAX = 32 };

/* What does not depend on the design. */
typedef struct beam_layout {
  const mbd_beam_section *section;
  int n;                                    /* shapes */
  int kind[MBD_NZ_MAX], degree[MBD_NZ_MAX]; /* of each: its strain P_degree */
  int stiffening, rotary, ratio;            /* 1: with foreshortening; with rotary inertia; damped by one ratio */
  int nstation;                             /* of the section, at equal distances; 1: it is constant */
  int nnode, npoint;                        /* nodes of the user; points of inertia */
  double node[BEAM_NODE_MAX];               /* their places between 0, the clamped end, and 1 */
  double point[BEAM_POINT_MAX], weight[BEAM_POINT_MAX];
} beam_layout;

/* The number of coefficients. */
int beam_ncoef(const beam_layout *b);
/* The name of shape k: "up1", "side2". */
void beam_shape_name(const beam_layout *b, int k, char *text, size_t size);
/* Numbers of a node at x (modal.h), with scale 1. */
void beam_node(const beam_layout *b, double x, double *own);

/* The numbers of a design: stiffness [n][n] and damping [n][n] on the amplitudes, then for each point mass and inertia (xx yy zz xy xz yz). */
enum { BEAM_PER_POINT = 7 };
static inline int beam_nnumber(const beam_layout *b) {
  return 2 * b->n * b->n + BEAM_PER_POINT * b->npoint;
}
static inline int beam_point_at(const beam_layout *b, int k) {
  return 2 * b->n * b->n + BEAM_PER_POINT * k;
}
/* MBD_OUT_OF_DOMAIN: walls of a section are too thick; the message has the name of the beam. */
mbd_status beam_check_sections(const beam_layout *b, const double *c, const char *name, mbd_error *err);
/* 1: entry i, j of stiffness or damping can differ from zero. */
int beam_couples(const beam_layout *b, int i, int j);

/* beam_numbers sets them from the length L and the coefficients c. beam_numbers_direct: their change along dL, dc. beam_numbers_reverse adds
 * the derivatives of sum out_bar . numbers to *L_bar and, where `requested` is not zero, to c_bar. */
void beam_numbers(const beam_layout *b, mbd_real L, const mbd_real *c, mbd_real *out);
void beam_numbers_direct(const beam_layout *b, mbd_real L, const mbd_real *c, mbd_real dL, const mbd_real *dc,
                         mbd_real *dout);
void beam_numbers_reverse(const beam_layout *b, mbd_real L, const mbd_real *c, const mbd_real *out_bar,
                          const unsigned char *requested, mbd_real *L_bar, mbd_real *c_bar);

/* The force of elasticity and damping on the amplitudes, f = -(K eta + D etad), with K and D as its coefficients (elastic.c). The list of its
 * coefficients has to live as long as the operations. */
void beam_elastic(int n, mbd_coef_info coefs[3], mbd_force_ops *ops);

#endif
