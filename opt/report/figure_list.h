/* The figures of a run or a study as files for papers: which there are, and how each is drawn. */
#ifndef MBO_FIGURE_LIST_H
#define MBO_FIGURE_LIST_H

#include "report/figure.h"

typedef struct figure_item {
  int part;             /* what it shows: run_part, study_part */
  char *name, *caption; /* of its file, without ending: "convergence", "history_swing_P2.position.x"; one line */
  int of, which;        /* of which quantity, case, ...: see the parts */
} figure_item;

typedef struct figure_list {
  int n;
  figure_item *item; /* [n] */
  const void *from;  /* what `draw` draws from; it must outlive the list */
  mbd_status (*draw)(const void *from, const figure_item *g, figure_target *t, mbd_error *err);
} figure_list;

/* Takes over the name, which becomes one of a file that no other figure has, and the caption; where they are NULL there was no
 * memory. MBD_NO_MEMORY. */
mbd_status figure_list_add(figure_list *l, figure_item f, mbd_error *err);
void figure_list_free(figure_list *l);

/* Draw figure i; target as in figure.h. */
mbd_status figure_list_draw(const figure_list *l, int i, figure_target *t, mbd_error *err);

/* The caller's name as one of a file, which is the caller's again: letters, digits and a few signs stay, what file systems take
 * no more is cut off, and a number of 2 or more is written behind it. NULL: that was it, or no memory. */
char *figure_file_name(char *name, int number);

#endif
