/* Sorting of lists of numbers. */
#ifndef MBO_SORT_H
#define MBO_SORT_H

/* Sorts a list in ascending order; mbd_sort_numbers (base/memory.h) does it for whole numbers. */
void sort_values(int n, double *list);

#endif
