/* What an output of a beam is (beam.c). */
#ifndef MBD_BEAM_QUANTITY_H
#define MBD_BEAM_QUANTITY_H

#include "output/output.h"

enum { STRESSES = 4, PART_MAX = STRESSES * BEAM_STATION_MAX };

/* Which strain, integrated how often, or FORCE: the force or moment of the section; the power of L and the number of a station in s. */
enum { FORCE = -1, NO_NUMBER = -1 };
typedef struct beam_strain {
  int kind, integral, power, number;
} beam_strain;

/* A linear part of a quantity, and its weight in it. */
typedef struct beam_part {
  int station;
  const beam_strain *of;
  mbd_real weight;
} beam_part;

typedef struct beam_parts {
  int n;
  beam_part part[PART_MAX];
} beam_parts;

struct beam_quantity {
  beam_strain of;
  int chord; /* 1: from the chord between both ends */
  mbd_real (*take)(const output_at *at, const mbd_arg_state *s, beam_parts *parts); /* NULL: `of` alone */
};

/* The beam of which an output is; NULL: of none. */
const mbd_beam *beam_of_output(const mbd_model *m, const output *o);

#endif
