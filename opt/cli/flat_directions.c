/* Prints the information of the Gauss-Newton matrix about a design, for optimize and compare. */
#include <stdio.h>

#include "cli/cli.h"

enum { ROWS_MAX = 10 };

void cli_print_flat_directions(const mbo_problem *p, const flat_directions *v) {
  if (v->n == 0) { return; }
  printf("Gauss-Newton matrix there, variables divided by their scale: what the objective sees least comes first\n");
  printf("  %12s %16s   direction\n", "eigenvalue", "1 % worse after");
  for (int i = 0; i < v->n && i < ROWS_MAX; i++) {
    printf("  %12.3e %16.3g   ", v->eigenvalue[i], v->one_percent[i]);
    flat_directions_write_row(stdout, v->n, p->names, v->direction + i * v->n);
    putchar('\n');
  }
}
