/* Figures of a front (study/pareto.h): every pair of objectives, with the tangents that the multipliers give. */
#ifndef MBO_FRONT_FIGURES_H
#define MBO_FRONT_FIGURES_H

#include "report/study_figures.h"

mbd_status front_figures(const study_drawing *w, mbd_error *err);

#endif
