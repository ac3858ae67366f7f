/* What the Gauss-Newton matrix says about a design, for optimize and compare. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"

enum { MOST_ROWS = 10, MOST_NAMED = 12, MOST_PARTS = 6 };

/* The direction in its components; of many, the largest. */
static void print_direction(const mbo_problem *p, const double *d) {
  unsigned char shown[VALLEY_MOST] = {0};
  if (p->n <= MOST_NAMED) {
    for (int j = 0; j < p->n; j++) { printf(" %+.3f %s", d[j], p->names[j]); }
    return;
  }
  for (int part = 0; part < MOST_PARTS; part++) {
    int largest = -1;
    for (int j = 0; j < p->n; j++) {
      if (!shown[j] && (largest < 0 || fabs(d[j]) > fabs(d[largest]))) { largest = j; }
    }
    /* cppcheck-suppress negativeIndex ; there are more variables than parts */
    shown[largest] = 1;
    printf(" %+.3f %s", d[largest], p->names[largest]);
  }
  printf(" ...");
}

void cli_print_valley(const mbo_problem *p, const valley *v) {
  if (v->n == 0) { return; }
  printf("Gauss-Newton matrix there, variables divided by their scale: what the objective sees least comes first\n");
  printf("  %12s %16s   direction\n", "eigenvalue", "1 % worse after");
  for (int i = 0; i < v->n && i < MOST_ROWS; i++) {
    printf("  %12.3e %16.3g  ", v->eigenvalue[i], v->one_percent[i]);
    print_direction(p, v->direction + i * v->n);
    putchar('\n');
  }
}
