/* The figures of a run or a study as files for papers: their list, and the function that draws them. */
#ifndef MBO_FIGURE_LIST_H
#define MBO_FIGURE_LIST_H

#include "report/figure.h"

typedef struct figure_item {
  int part;             /* the kind of the figure: run_part, study_part */
  char *name, *caption; /* file name without ending, "history_swing_P2.position.x"; caption in one line */
  int of, which;        /* number of the quantity, case, ...: see the parts */
} figure_item;

typedef struct figure_list {
  int n;
  figure_item *item; /* [n] */
  const void *from;  /* the data of `draw`, which must outlive the list */
  mbd_status (*draw)(const void *from, const figure_item *g, figure_target *t, mbd_error *err);
} figure_list;

/* Adds a figure. Takes ownership of the name, which is changed to a valid and unique file name, and of the caption.
 * MBD_NO_MEMORY: also if one of them is NULL. */
mbd_status figure_list_add(figure_list *l, figure_item f, mbd_error *err);
void figure_list_free(figure_list *l);

/* Draws figure i; target: see figure.h. */
mbd_status figure_list_draw(const figure_list *l, int i, figure_target *t, mbd_error *err);

/* Converts a name to a file name, which the caller owns, as it did the name: letters, digits and a few signs remain,
 * the length is limited to that of file systems, and a number of 2 or more is appended. NULL: name was NULL, or no
 * memory. */
char *figure_file_name(char *name, int number);

#endif
