/* The parts of the page of a front: its points in a table, and the figures. */
#ifndef MBO_FRONT_PARTS_H
#define MBO_FRONT_PARTS_H

#include <stdio.h>

#include "report/page.h"
#include "report/study_figures.h"
#include "report/study_links.h"

typedef struct front_page {
  page *p;
  const study_data *d;
  const study_links *links;
  const study_drawing *drawing;
} front_page;

mbd_status front_parts(const front_page *w, mbd_error *err);

/* What the front is in words: how many points it has, what became of the others, the knee. */
void front_words(FILE *out, const study_data *d);

#endif
