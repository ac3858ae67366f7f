#include "model/coupled.h"

void coupled_begin(int nz, int *up) {
  for (int j = 0; j < nz; j++) { up[j] = j; }
}

int coupled_set(int *up, int j) {
  while (up[j] != j) { j = up[j] = up[up[j]]; }
  return j;
}

void coupled_join(const mbd_constraint *list, int n, int *up) {
  for (int i = 0; i < n; i++) {
    const mbd_lift *l = &list[i].lift;
    for (int c = 1; c < l->ncol; c++) { up[coupled_set(up, l->col[c])] = coupled_set(up, l->col[0]); }
  }
}
