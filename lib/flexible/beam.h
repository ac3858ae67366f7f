/* Beams: straight flexible bodies, whose shapes follow from strains that are Legendre polynomials (legendre.h), and whose inertia is that of
 * points of Gauss along the axis. Their numbers are functions of the length and of the coefficients of material and section alone, and are
 * computed once for a design. Equations: theory.md §12 (12.4) to (12.7). */
#ifndef MBD_BEAM_INTERNAL_H
#define MBD_BEAM_INTERNAL_H

#include <string.h>

#include "flexible/legendre.h"
#include "force/force.h"
#include "joint/modal.h"
#include "mbd/beam.h"

/* The strain of a shape. In the frame of the beam e_z is the axis, e_x the direction `up` of the section, e_y to its side. */
enum { BEAM_UP, BEAM_SIDE, BEAM_TWIST, BEAM_STRETCH, BEAM_SHEAR_UP, BEAM_SHEAR_SIDE, BEAM_OUTSIDE };

/* The coefficients of a beam: these, then those of its section at one station after the other. */
enum { BEAM_E, BEAM_G, BEAM_DENSITY, BEAM_RATIO, BEAM_OF_MASS, BEAM_OF_STIFFNESS, BEAM_SHEAR, BEAM_DIMENSIONS };

enum { BEAM_NODE_MAX = 16, BEAM_POINT_MAX = 64 };
enum { BEAM_STATION_MAX = BEAM_NODE_MAX + BEAM_POINT_MAX + MBD_BEAM_STATION_MAX };

/* What does not depend on the design. */
typedef struct beam_layout {
  const mbd_beam_section *section;
  int data; /* 1: by numbers from outside, which are its coefficients: stiffness, damping, mass matrix [n][n], then as below for each point */
  int n;    /* shapes */
  int kind[MBD_NZ_MAX], degree[MBD_NZ_MAX]; /* of each: its strain P_degree */
  int stiffening, rotary, ratio;            /* 1: with foreshortening; with rotary inertia; damped by one ratio */
  int mirrored;               /* 1: e_y is the image of the side of what is mirrored with the other sign */
  int nstation;               /* of the section, at equal distances; 1: it is constant */
  int nnode, npoint;          /* nodes of the user; points of inertia */
  double node[BEAM_NODE_MAX]; /* their places between 0, the clamped end, and 1 */
  double point[BEAM_POINT_MAX], weight[BEAM_POINT_MAX];
} beam_layout;

/* The number of coefficients. */
int beam_ncoef(const beam_layout *b);
/* 1: it has a shape of this kind. */
int beam_has(const beam_layout *b, int kind);
/* The name of shape k: "up1", "side2". */
void beam_shape_name(const beam_layout *b, int k, char *text, size_t size);
/* Numbers of a node at x (modal.h), with scale 1. */
void beam_node(const beam_layout *b, double x, double *own);

/* The numbers of a design: stiffness [n][n] and damping [n][n] on the amplitudes, mass matrix [n][n] of the undeformed beam, the length, then
 * for each point mass and inertia (xx yy zz xy xz yz), and for each station what a force or moment of its section makes: the curvatures up and
 * aside, 1/(E I), the stress at the outermost fibres up and aside, c/I, of round sections that of torsion, c/Jt, and that of extension, 1/A.
 * Stations are the clamped end, the nodes, the points, between the ends those at which the section is given, and the middle if it is none of these. */
enum { STATION_UP, STATION_SIDE, STATION_FIBRE_UP, STATION_FIBRE_SIDE, STATION_FIBRE_TWIST, STATION_AREA };
enum { BEAM_PER_POINT = 7, BEAM_PER_STATION = STATION_AREA + 1 };
static inline int beam_mass_at(const beam_layout *b) {
  return 2 * b->n * b->n;
}
static inline int beam_length_at(const beam_layout *b) {
  return 3 * b->n * b->n;
}
static inline int beam_point_at(const beam_layout *b, int k) {
  return 3 * b->n * b->n + 1 + BEAM_PER_POINT * k;
}
static inline int beam_station_at(const beam_layout *b, int k) {
  return beam_point_at(b, b->npoint) + BEAM_PER_STATION * k;
}
/* 1: the middle, where the moment of a beam that is held at both ends is largest, is neither a point of Gauss nor a given section. */
static inline int beam_adds_middle(const beam_layout *b) {
  return !b->data && b->npoint % 2 == 0 && (b->nstation == 1 || b->nstation % 2 == 0);
}
static inline int beam_nstation(const beam_layout *b) {
  return 1 + b->nnode + b->npoint + (b->nstation > 2 ? b->nstation - 2 : 0) + beam_adds_middle(b);
}
static inline int beam_nnumber(const beam_layout *b) {
  return beam_station_at(b, beam_nstation(b));
}
/* The place of station k. */
static inline double beam_station_x(const beam_layout *b, int k) {
  const int point = k - 1 - b->nnode, section = point - b->npoint + 1;
  if (section > b->nstation - 2 && section > 0) { return 0.5; }
  return k == 0 ? 0 : point < 0 ? b->node[k - 1] : section < 1 ? b->point[point] : (double)section / (b->nstation - 1);
}
/* 1: the outermost fibres of its section are known, which have the largest stress. */
static inline int beam_has_fibres(const beam_layout *b) {
  return b->section && strcmp(b->section->name, "given") != 0;
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

/* The lowest frequency [rad/s] of the clamped beam among the shapes that couple with those of a kind, or the highest one, from the numbers of a
 * design; x [n]: the shape of that mode (frequency.c). */
mbd_real beam_frequency(const beam_layout *b, const mbd_real *numbers, int kind, int highest, mbd_real *x);

/* The force of elasticity and damping on the amplitudes, f = -(K eta + D etad), with K and D as its coefficients (elastic.c). The list of its
 * coefficients has to live as long as the operations. */
void beam_elastic(int n, mbd_coef_info coefs[3], mbd_force_ops *ops);

#endif
