/* What modes.c follows, and mode_outputs.c makes numbers of. */
#ifndef MBO_MODE_TRACKS_H
#define MBO_MODE_TRACKS_H

#include "mbd/linearize.h"
#include "mechanism/mechanism.h"

/* A case that is linearized. */
typedef struct mode_case {
  mechanism_case *load;
  mbd_case c;
  mbd_sim *sim;
  mbd_referee *referee; /* made when it is first needed */
  int ncolumn; /* sums of eigenvalues that are differentiated: two for each track, one for each section of all modes */
  mbd_modes *first, *now; /* at the start of the run file, at the design */
  unsigned char *requested;
  double *gtheta; /* [ncolumn][ncoef] */
} mode_case;

/* A mode in one case. */
typedef struct mode_track {
  const mbo_mode_config *config;
  mode_case *in;
  int first, now;  /* which mode it is at the start of the run file, and at the design */
  double alike;    /* least likeness on the way */
  double re, im;   /* its eigenvalue */
  double *grad;    /* [2][n] */
  double along[2]; /* its change */
} mode_track;

/* A section: its tracks, or all modes of its cases. */
typedef struct mode_section {
  const mbo_mode_config *config;
  int is_all, ntrack, first_track, *cases; /* cases [config->in_case.n]: in mechanism_modes.at */
  double largest, along, *grad;            /* the smooth maximum, its change, [n] */
} mode_section;

typedef enum mode_word { MODE_REAL, MODE_FREQUENCY, MODE_DAMPING_RATIO, MODE_LARGEST_REAL, MODE_WORDS } mode_word;

typedef struct mode_output {
  int section, track; /* track: in all of them; of the largest one not used */
  mode_word word;
  double *grad; /* [n] */
} mode_output;

struct mechanism_modes {
  int nsection, ncase, ntrack, noutput, found;
  mode_section *section;
  mode_case *at;
  mode_track *track;
  mode_output *output;
};

/* The derivative of a number of a mode by those of its eigenvalue. */
double mode_slope(const mode_track *track, mode_word word, double re, double im);

#endif
