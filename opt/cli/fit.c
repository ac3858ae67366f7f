/* Prints the statistics of a fit, for mbopt fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "files/plural.h"
#include "fit/fit.h"

static void print_variables(const fit *f) {
  printf("  %-20s %16s %12s   %g %% interval\n", "variable", "estimate", "deviation", 100 * f->level);
  for (int i = 0; i < f->n; i++) {
    printf("  %-20s %16.9g ", f->m->name[i], f->x[i]);
    if (f->bound[i]) {
      printf("%12s   at its %s, where intervals of the others take it to stay\n", "-", f->bound[i]);
    } else if (isinf(f->deviation[i])) {
      printf("%12s   not determined by these data\n", "-");
    } else {
      printf("%12.3g   %.6g to %.6g%s\n", f->deviation[i], f->lower[i], f->upper[i],
             fit_determines(f, i) ? "" : "   hardly determined");
    }
  }
}

/* Prints pairs of strongly correlated variables. */
static void print_correlations(const fit *f) {
  static const double close = 0.95;
  enum { MAX = 12 };
  int n = 0;
  for (int i = 0; i < f->n; i++) {
    for (int j = 0; j < i; j++) {
      const double c = f->correlation[i * f->n + j];
      if (!(fabs(c) > close)) { continue; }
      if (++n <= MAX) { printf("  correlation %+.3f of %s and %s\n", c, f->m->name[j], f->m->name[i]); }
    }
  }
  if (n > MAX) { printf("  and %d more above %g; result.json has all\n", n - MAX, close); }
}

/* ---- precision that something further would give ---- */

/* The deviation of an estimate, as a part of it where it is not larger than that. */
static void print_precision(const fit *f, int i, double deviation) {
  const double part = deviation / fabs(f->x[i]);
  if (part < 1) {
    printf("%s to %.2g %%", f->m->name[i], 100 * part);
  } else {
    printf("%s to %.2g", f->m->name[i], deviation);
  }
}

/* By how much a deviation falls; a variable that becomes determined comes before all others. */
static double fall(double before, double after) {
  return isinf(after) || after == 0 ? 0 : isinf(before) ? INFINITY : before / after;
}

/* Prints the variables whose deviations fall most from `before` to `after`. Returns their number. */
static int print_falls(const fit *f, const double *before, const double *after) {
  static const double worth = 1.01; /* smaller falls are not printed */
  enum { MAX = 4 };
  unsigned char *printed = calloc((size_t)f->n + 1, 1);
  int n = 0;
  for (; printed && n < MAX; n++) {
    int best = -1;
    for (int i = 0; i < f->n; i++) {
      const double here = fall(before[i], after[i]);
      if (!printed[i] && here > worth && (best < 0 || here > fall(before[best], after[best]))) { best = i; }
    }
    if (best < 0) { break; }
    printed[best] = 1;
    if (n) { printf(", "); }
    print_precision(f, best, after[best]);
  }
  free(printed);
  return n;
}

static void print_next(const fit *f, const fit_next *next, const double *before) {
  printf("  %-12s %s in case %s", next->name, next->of, next->in_case);
  if (next->held_out) {
    printf(", held out, %g samples of %.3g %s: ", next->samples, next->sigma, next->unit);
  } else {
    printf(", %.4g samples of %.3g %s: ", next->samples, next->sigma, next->unit);
  }
  if (isnan(next->width)) {
    printf("%d of %d directions; ", next->determined, f->estimated);
  } else {
    printf("intervals %.2g times as wide; ", next->width);
  }
  if (print_falls(f, before, next->deviation) == 0) { printf("no estimate becomes more precise by 1 %%"); }
  putchar('\n');
}

/* Prints how they should divide the effort of one. */
static void print_division(const fit *f) {
  static const double shown = 5e-3;
  int n = 0;
  if (f->nnext < 2) { return; }
  printf("  best shares of one effort:");
  for (int i = 0; i < f->nnext; i++) {
    if (f->next[i].share >= shown) { printf("%s %.2f %s", n++ ? "," : "", f->next[i].share, f->next[i].name); }
  }
  printf("; intervals within %.1g %% of the optimum\n", 100 * fmax(f->share_gap, 1e-6));
}

/* Prints sensors and held out measurements in their order, each beside those above it. */
static void print_all_next(const fit *f) {
  enum { MAX = 12 };
  if (f->nnext == 0) { return; }
  printf("what to measure next (%s), each beside the data and those above it, with standard deviations:\n",
         f->m->config->fit.criterion);
  for (int i = 0; i < f->nnext && i < MAX; i++) {
    print_next(f, &f->next[i], i > 0 ? f->next[i - 1].deviation : f->deviation);
  }
  if (f->nnext > MAX) { printf("  and %d more; result.json has all\n", f->nnext - MAX); }
  print_division(f);
}

/* ---- directions ---- */

/* Prints a direction of the variables that the data hardly determine, and the outputs that would show it. */
static void print_direction(const fit *f, const fit_direction *d) {
  static const double shown = 5e-4;
  /* The standard deviation along the direction, and its components, except those that are too small to be read. */
  if (isinf(d->deviation)) {
    printf("  not seen by any sample:");
  } else {
    printf("  uncertain by %.3g scales:", d->deviation);
  }
  for (int j = 0; j < f->n; j++) {
    if (fabs(d->part[j]) >= shown) { printf(" %+.3f %s", d->part[j], f->m->name[j]); }
  }
  putchar('\n');
  /* Series that are held out, whose residuals change by more than one sigma in all for a step of one scale. */
  for (int k = 0; k < f->nseries; k++) {
    if (f->series[k].config->hold_out && sqrt(d->seen[k]) > 1) {
      printf("    measurement %s, which is held out, would see it: %.3g sigma for a step of one scale\n",
             f->series[k].config->name, sqrt(d->seen[k]));
    }
  }
  /* Outputs without measurement that change along the direction. */
  for (int k = 0; k < d->ninformative; k++) {
    const fit_informative_output *o = &d->informative_output[k];
    printf("    would show it: %s in case %s, changes by %.3g %s (%.2g of what it does) for a step of one scale\n",
           o->output, o->in_case, o->change, o->unit, o->part);
    printf("      measured to %.2g %s at its %d nodes it would determine ", o->sigma, o->unit, o->samples);
    if (print_falls(f, f->deviation, o->deviation) == 0) { printf("no estimate better by 1 %%"); }
    putchar('\n');
  }
  if (d->ninformative == 0) {
    puts("    no output of these cases shows it: another experiment, or more in [output] outputs to look at");
  }
}

static void print_directions(const fit *f) {
  enum { MAX = 10 };
  const int bad = f->blind + f->uncertain;
  if (bad == 0) { return; }
  printf("what the data do not determine, in variables divided by their scales: %d of %d directions\n", bad,
         f->estimated);
  for (int k = 0; k < bad && k < MAX; k++) { print_direction(f, &f->direction[k]); }
  if (bad > MAX) { printf("  and %d more; result.json has all\n", bad - MAX); }
}

static void print_measurements(const fit *f) {
  for (int hold_out = 0; hold_out < 2; hold_out++) {
    for (int k = 0; k < f->nseries; k++) {
      const fit_series *s = &f->series[k];
      if (s->config->hold_out != hold_out) { continue; }
      printf("  %s %s: %d sample%s, residuals of %.4g %s", hold_out ? "held out" : "measurement", s->config->name,
             s->samples->n, plural(s->samples->n), s->rms, s->unit);
      if (!isnan(s->config->sigma)) { printf(", %.3g sigma", sqrt(s->reduced)); }
      puts(hold_out ? " (its prediction error)" : "");
    }
  }
}

/* What makes intervals too narrow though the noise is what it is said or estimated to be. */
static void print_doubts(const fit *f) {
  for (int k = 0; k < f->nseries; k++) {
    const fit_series *s = &f->series[k];
    if (!s->alike || s->config->hold_out) { continue; }
    printf(
        "  warning: residuals of measurement %s are like their neighbours (correlation %.2f; that of noise is within "
        "%.2g): the model lacks something that the measurement shows, or its noise is no independent one; estimates "
        "may be wrong by much more than the intervals say. Look at the residuals (`mbopt report`) and add what is "
        "missing\n",
        s->config->name, s->neighbours, 2 / sqrt(s->samples->n));
  }
  if (f->step_error > FIT_STEP_ERROR) {
    printf(
        "  warning: the time step is too long for these data: half of it changes the estimate of %s by %.2g standard "
        "deviations, expected at most %g; take a smaller 'step' (or 'rtol') in [case ...]\n",
        f->m->name[f->step_of], f->step_error, FIT_STEP_ERROR);
  }
}

void cli_print_fit(const fit *f) {
  printf("fit to %d sample%s of %d variable%s; ", f->samples, plural(f->samples), f->estimated, plural(f->estimated));
  if (f->noise_given) {
    printf("noise as sigma says, residuals are %.3g of it\n", f->scatter);
    if (f->contradicted) {
      puts(
          "  which is too much: sigma is too small, there are outliers, or the model is wrong; the intervals are too "
          "narrow");
    }
  } else {
    printf("noise estimated from the residuals: %.3g sigma\n", f->noise);
  }
  print_doubts(f);
  print_variables(f);
  print_correlations(f);
  print_directions(f);
  print_all_next(f);
  print_measurements(f);
}
