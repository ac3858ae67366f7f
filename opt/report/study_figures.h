/* The figures of a study, for its report and for papers: their list, and the function that draws them. */
#ifndef MBO_STUDY_FIGURES_H
#define MBO_STUDY_FIGURES_H

#include "report/figure_list.h"
#include "report/study_data.h"

typedef enum study_part {
  STUDY_PART_QUANTITY,    /* a quantity over one swept key or two */
  STUDY_PART_PARALLEL,    /* many swept keys */
  STUDY_PART_OVER_KEY,    /* the objective over one of many keys */
  STUDY_PART_SORTED,      /* of a multistart: objectives in increasing order */
  STUDY_PART_ENDS,        /* its starts and results */
  STUDY_PART_DATA,        /* profiles of a comparison */
  STUDY_PART_PERFORMANCE, /* */
  STUDY_PART_CONVERGENCE  /* of all backends on one problem */
} study_part;

/* of: quantity, key, accuracy or problem; which: the category of words, -1: all. */
typedef struct study_figures {
  const study_data *d;
  figure_list list; /* refers to this object, which must not be copied */
} study_figures;

/* The data must outlive the list; figures of STUDY_PART_CONVERGENCE read runs. MBD_NO_MEMORY. */
mbd_status study_figures_create(const study_data *d, study_figures *v, mbd_error *err);
void study_figures_free(study_figures *v);

/* The largest number of variables whose starts and results are shown. */
enum { STUDY_ENDS_MOST = 6 };

#endif
