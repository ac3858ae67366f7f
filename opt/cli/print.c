/* Output that several commands share: method of gradients, warnings, and tables of design variables, in which the control points of a
 * long curve are one row. Result files have all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "files/plural.h"
#include "files/text_list.h"
#include "mbd/user_force.h"
#include "mechanism/warnings.h"
#include "files/warning_words.h"

enum { ROWS_MAX = 40 };

void cli_print_plugins(const mechanism *m) {
  for (int i = 0; i < m->config->nplugin; i++) {
    if (m->plugin[i].force) { continue; }
    fprintf(stderr, "plugin %s: no force of the model refers to it, so it is not loaded\n", m->plugin[i].name);
  }
}

void cli_tell_plugin(const char *name, const mbd_user_force *u, const char *path) {
  static char *printed[ROWS_MAX];
  static int n;
  if (text_list_find(printed, n, path) >= 0) { return; }
  fprintf(stderr, "plugin %s: force '%s' of %s, derivatives: %s\n", name, u->name, path, mbd_user_force_derivatives(u));
  fflush(stderr);
  char *copy = n < ROWS_MAX ? mbd_strdup(path) : NULL;
  if (copy) { printed[n++] = copy; }
}

void cli_print_choice(FILE *out, const mechanism *m) {
  int n = 0;
  for (int i = 0; i < m->ncase; i++) { n += m->cases[i].npsi > 0; }
  for (int i = 0; m->n > 0 && i < m->ncase; i++) {
    const mechanism_case *load = &m->cases[i];
    if (load->npsi == 0) { continue; }
    if (n == 1) {
      fprintf(out, "gradient: %s\n", load->choice.text);
    } else {
      fprintf(out, "gradient of case '%s': %s\n", load->config->name, load->choice.text);
    }
  }
}

void cli_print_lanes(FILE *out, lane_counts c) {
  fprintf(out, "in lanes: %ld simulation%s", c.together, plural(c.together));
  if (c.repeated) { fprintf(out, "; %ld more %s repeated alone", c.repeated, c.repeated == 1 ? "was" : "were"); }
  putc('\n', out);
}

int cli_print_warning_list(const json_t *list, const char *of) {
  int whole = 1;
  size_t i;
  const json_t *one;
  json_array_foreach(list, i, one) {
    char *words = warning_words(one);
    fprintf(stderr, "mbopt: warning: %s%s\n", of, words ? words : "");
    whole &= words != NULL;
    free(words);
  }
  return whole;
}

void cli_print_warnings(const cli_run *r, const char *of) {
  json_t *list = r->a->verbosity >= 0 ? warnings_json(r->m) : NULL;
  (void)cli_print_warning_list(list, of);
  json_decref(list);
}

void cli_print_number(FILE *out, int width, const char *format, double v) {
  char text[64] = "-";
  if (isfinite(v)) { snprintf(text, sizeof text, format, v); }
  fprintf(out, "%*s", width, text);
}

/* ---- design variables ---- */

int cli_rows_at(const mechanism *m, int first) {
  int n = 1;
  while (first + n < m->n && m->design.section[first + n] == m->design.section[first]) { n++; }
  return n > ROWS_MAX ? n : 1;
}

const char *cli_row_name(const mechanism *m, int first, int n, char text[CLI_NAME]) {
  const char *name = m->name[first];
  if (n > 1) {
    snprintf(text, CLI_NAME, "%.40s ... %d", name, n);
  } else {
    snprintf(text, CLI_NAME, "%.50s", name);
  }
  return text;
}

double cli_rms(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) { sum += v[i] * v[i]; }
  return sqrt(sum / n);
}

static void print_range(const double *v, int n) {
  double low = v[0], high = v[0];
  char text[64];
  for (int i = 1; i < n; i++) { low = fmin(low, v[i]), high = fmax(high, v[i]); }
  snprintf(text, sizeof text, "%.6g to %.6g", low, high);
  printf(" %26s", text);
}

static void print_long(const mechanism *m, const double *x, int first, int n) {
  char name[CLI_NAME];
  int lower = 0, upper = 0;
  for (int i = first; i < first + n; i++) {
    const char *bound = design_at_bound(&m->design, i, x[i]);
    lower += bound && *bound == 'l', upper += bound && *bound == 'u';
  }
  printf("  %-20s", cli_row_name(m, first, n, name));
  print_range(m->start + first, n);
  print_range(x + first, n);
  if (lower) { printf("  %d at the lower bound", lower); }
  if (upper) { printf("  %d at the upper bound", upper); }
  putchar('\n');
}

void cli_print_design(const mechanism *m, const double *x) {
  printf("  %-20s %16s %16s\n", "variable", "start", "result");
  for (int i = 0, n; i < m->n; i += n) {
    n = cli_rows_at(m, i);
    if (n > 1) {
      print_long(m, x, i, n);
      continue;
    }
    const char *bound = design_at_bound(&m->design, i, x[i]);
    printf("  %-20s %16.9g %16.9g%s%s\n", m->name[i], m->start[i], x[i], bound ? "  at its " : "", bound ? bound : "");
  }
}
