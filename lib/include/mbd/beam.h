/* Beams: flexible bodies of a description, theory.md §12. A beam has a body of its own, fixed to its clamped end, and bodies at nodes along
 * it, to which joints, forces and points are attached. */
#ifndef MBD_BEAM_H
#define MBD_BEAM_H

#include "mbd/element.h"
#include "mbd/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Kinds of shapes: bending along `up` and across, torsion, extension, shear along `up` and across. */
enum { MBD_BEAM_KINDS = 6, MBD_BEAM_SHAPE_MAX = 16, MBD_BEAM_STATION_MAX = 9, MBD_BEAM_DIMENSION_MAX = 4 };

/* A kind of sections: its dimensions, each one number, and 1 in `directed` if `up` makes a difference. */
typedef struct mbd_beam_section {
  const char *name, *doc;
  int directed;
  const mbd_coef_info *coefs;
} mbd_beam_section;

/* Row i = 0, 1, ... of the table of sections; NULL past the end. */
const mbd_beam_section *mbd_beam_section_at(int i);

struct mbd_spec;

/* The description of a beam, for mbd_spec_beam. */
typedef struct mbd_beam_desc {
  const char *name; /* of the beam and of its body; bodies NAME.tip and NAME.NODE are at the nodes */
  const char *from; /* point on body NAME: the clamped end */
  const char *to;   /* point on body NAME.tip, in the undeformed beam */
  const char *up;   /* vector on body NAME, not along the beam; NULL: any, for sections without a direction */
  const char *section;
  int shapes[MBD_BEAM_KINDS]; /* numbers of shapes; 1 to MBD_BEAM_SHAPE_MAX in all */
  int points;                 /* points of inertia, between each two stations; 0: as many as the shapes need */
  int stiffening;             /* 1: with the foreshortening by slopes, which stiffens a beam under tension */
  int rotary_inertia;         /* 1: with the rotary inertia of the section */
  int damping_ratio;          /* 1: the coefficient of that name counts */
  int nstation;               /* of the section, at equal distances from end to end; 1: it is constant */
  /* The first coefficient of: E [N/m^2], shear modulus [N/m^2], density [kg/m^3], damping ratio [-], Rayleigh damping per mass [1/s] and per
   * stiffness [s], shear factor [-], then the dimensions of the section, station by station. */
  int coef;
  int zero;  /* the first of six coefficients that are zero: numbers of its bodies, which have no mass of their own */
  int nnode; /* nodes besides the tip, */
  const char *const *node; /* [nnode] their names, and */
  const double *at;        /* [nnode] their places between 0, the clamped end, and 1 */
  /* 1: a mirror image. Shapes across, of shear across and of torsion have the other direction, so that amplitudes have the values that they have
   * in what is mirrored. */
  int mirrored;
} mbd_beam_desc;

/* The first function sets the defaults: no shapes, stiffening and rotary inertia, one station, no nodes. The other adds a beam with its bodies,
 * at rest and undeformed at the start unless its coordinates NAME.up1, ... are held. The description is copied. MBD_BAD_INPUT: a body of one
 * of these names is described already; the section is not known; numbers are out of range. mbd_model_create resolves points and vectors.
 * MBD_NO_MEMORY otherwise. */
void mbd_beam_desc_init_sized(mbd_beam_desc *d, size_t size);
mbd_status mbd_spec_beam_sized(struct mbd_spec *s, const mbd_beam_desc *d, size_t size, mbd_error *err);
static inline void mbd_beam_desc_init(mbd_beam_desc *d) {
  mbd_beam_desc_init_sized(d, sizeof *d);
}
static inline mbd_status mbd_spec_beam(struct mbd_spec *s, const mbd_beam_desc *d, mbd_error *err) {
  return mbd_spec_beam_sized(s, d, sizeof *d, err);
}

/* A flexible body by data from outside, as of finite elements, for mbd_spec_modal: shapes that are fixed in its frame, by which its nodes, where
 * joints, forces and points are, and the points that carry its inertia are displaced and turned. */
typedef struct mbd_modal_desc {
  const char *name;         /* of the body; bodies NAME.NODE are at the nodes */
  int n;                    /* shapes, 1 to MBD_BEAM_SHAPE_MAX, */
  const char *const *shape; /* [n] their names: coordinates NAME.SHAPE */
  int nnode, npoint;        /* at most 16 nodes and 64 points */
  const char *const *node;  /* [nnode] names */
  int place; /* first coefficient of the places of the nodes, then of the points, in the frame of the body, 3 each */
  int axis;  /* first of six: the direction of shortening, and one across it, which has no effect */
  /* First coefficient of: stiffness [n][n], damping [n][n], mass matrix [n][n] on the amplitudes; then of each point the mass, and the inertia
   * about it in the axes of the body (xx yy zz xy xz yz). */
  int coef;
  int zero; /* first of six coefficients that are zero */
  /* Of every node, then of every point: displacement and rotation by each shape [n][6], in the frame with z along the axis, x along the direction
   * across, then the shortening G [n][n]: 1/2 eta' G eta along the axis. */
  const double *shapes;
} mbd_modal_desc;

/* Adds it, as mbd_spec_beam. */
mbd_status mbd_spec_modal_sized(struct mbd_spec *s, const mbd_modal_desc *d, size_t size, mbd_error *err);
static inline mbd_status mbd_spec_modal(struct mbd_spec *s, const mbd_modal_desc *d, mbd_error *err) {
  return mbd_spec_modal_sized(s, d, sizeof *d, err);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
