/* inverse_dynamics.csv read again, for figures: of dQ/dz, dQ/dzd and dQ/dzdd the entries that are the largest over time. */
#ifndef MBO_INVERSE_TABLE_H
#define MBO_INVERSE_TABLE_H

#include "files/csv.h"

enum { INVERSE_MATRICES = 3, INVERSE_MAX = 6 };

typedef struct inverse_table {
  int n;                                        /* nodes; 0: there is no file */
  double *t;                                    /* [n] s */
  int count[INVERSE_MATRICES];                  /* entries of each matrix, */
  char *name[INVERSE_MATRICES][INVERSE_MAX];    /* "hip.angle by knee.angle", the largest root mean square first, */
  double *entry[INVERSE_MATRICES][INVERSE_MAX]; /* and their values [n] */
} inverse_table;

typedef struct inverse_matrix {
  const char *name, *symbol, *by; /* "rates", "dQ/dzd", "their rates" */
} inverse_matrix;
extern const inverse_matrix inverse_matrices[INVERSE_MATRICES];

/* Reads the table in a folder; it is empty if there is no file. Errors of csv_read; MBD_BAD_INPUT for a file with other
 * columns. The table has to be freed in any case. */
mbd_status inverse_table_read(const char *folder, const char *file, inverse_table *table, mbd_error *err);
void inverse_table_free(inverse_table *table);

#endif
