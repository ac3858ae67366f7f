/* mbopt optimize, mbopt fit, mbopt simulate */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "files/memory.h"
#include "files/plural.h"
#include "backend/run_settings.h"
#include "mechanism/choices.h"
#include "stages/stages.h"
#include "mechanism/true_values.h"
#include "mechanism/warnings.h"
#include "files/atomic_file.h"
#include "files/json.h"
#include "report/convergence_page.h"
#include "results/fit_results.h"
#include "results/results.h"
#include "mechanism/units.h"

/* ---- progress ---- */

typedef struct progress {
  const cli_run *r;
  history history;
  int on_terminal;
  int choice_told;         /* 1: the method by which gradients are computed has been printed */
  time_t begun;            /* time of the first simulation; 0: none yet, all results came from a journal */
  int iterations, designs; /* their numbers at that time */
  cli_live page;
  int failed;  /* designs */
  int written; /* 1: the folder has a result */
} progress;

/* The page of the optimization so far; at its end that of its result, if it has one. */
static mbd_status write_live(void *user, double live, const char *path, mbd_error *err) {
  static const volatile sig_atomic_t never = 0;
  const progress *p = user;
  const cli_run *r = p->r;
  if (live == 0 && p->written) { return cli_report_run(r->folder, path, &never, err); }
  MBD_TRY(history_write(r->folder, &p->history, err));
  json_t *view = json_pack("{s:o, s:o, s:{s:s}, s:{s:s, s:o}, s:f, s:i}", "run_file", json_text(r->config->path),
                           "folder", json_text(r->folder), "result", "status", "RUNNING", "objective", "label",
                           objective_label(r->m), "unit", json_own_text(unit_of_objective(r->m)), "tol_constraint",
                           r->config->optimizer.tol_constraint, "failed", p->failed);
  const mbd_status status = convergence_page_write(view, live, path, err);
  json_decref(view);
  return status;
}

/* Prints the method of gradients once it is chosen, at the first gradient; a run without gradients prints nothing. */
static void tell_choice(progress *p, int gradients) {
  const cli_run *r = p->r;
  if (p->choice_told || r->a->verbosity < 0 || !gradients) { return; }
  p->choice_told = 1;
  cli_print_choice(stderr, r->m);
}

static void on_simulation(void *user, const mbo_simulation *simulation) {
  progress *p = user;
  tell_choice(p, choices_are_made(p->r->m));
  p->failed += simulation->status != MBD_OK;
  cli_live_look(&p->page);
  if (p->begun) { return; }
  p->begun = time(NULL);
  p->designs = simulation->number;
  p->iterations = p->history.n ? p->history.it[p->history.n - 1].iteration : 0;
}

/* Writes the configuration once the journal is known to belong to this run. */
static mbd_status on_begin(void *user, const char *damage, mbd_error *err) {
  const progress *p = user;
  if (damage) { fprintf(stderr, "mbopt: warning: %s\n", damage); }
  return results_write_config(p->r->folder, p->r->config, err);
}

static double part(int now, int first, int max) {
  return max > first ? (double)(now - first) / (max - first) : 1;
}

/* Keeps an iteration for history.csv and prints its line: numbers, and on a terminal the time that the limits still allow. */
static void on_iteration(void *user, const mbo_iteration *it) {
  progress *p = user;
  history_add(&p->history, it);
  if (p->r->a->verbosity < 0) { return; }
  if (p->history.n == 1) {
    fprintf(stderr, "%6s %8s %16s %12s %12s\n", "iter", "designs", "objective", "violation", "optimality");
  }
  fprintf(stderr, "%6d %8d %16.9e", it->iteration, it->evaluations, it->f);
  cli_print_number(stderr, 13, "%.3e", it->violation);
  cli_print_number(stderr, 13, "%.3e", it->optimality);
  /* An upper bound of the time left: limits of iterations and of designs. */
  if (p->on_terminal && p->begun && it->iteration > 0) {
    const mbo_optimizer_config *o = &p->r->config->optimizer;
    double share = fmax(part(it->iteration, p->iterations, o->max_iterations),
                        part(it->evaluations, p->designs, o->max_evaluations));
    fprintf(stderr, "   at most %.0f s more", share > 0 ? difftime(time(NULL), p->begun) * (1 / share - 1) : 0);
  }
  fputc('\n', stderr);
}

int cli_no_objective(const cli_run *r) {
  fprintf(stderr, "mbopt: error: %s: no [objective NAME] or [measurement NAME]; expected at least one to minimize\n",
          r->config->path);
  return EXIT_CONFIGURATION;
}

static int exit_of(mbo_status status) {
  switch (status) {
    case MBO_CONVERGED: return EXIT_CONVERGED;
    case MBO_STOPPED_LIMIT: return EXIT_LIMIT;
    case MBO_INFEASIBLE:
    case MBO_STALLED: return EXIT_INFEASIBLE;
    case MBO_INTERRUPTED: return EXIT_INTERRUPTED;
    case MBO_WRONG_GRADIENT: return EXIT_GRADIENT;
    case MBO_FAILED: return EXIT_OPTIMIZER;
    default: return EXIT_START;
  }
}

static const char *backend_of(const cli_run *r) {
  mbo_problem problem;
  mechanism_problem(r->m, &problem);
  return run_backend(r->config, &problem);
}

/* For sums of squares with nonlinear constraints: prints which second derivatives may come further than those that the user has chosen. */
static void print_hint(const cli_run *r, const mbo_result *result) {
  mbo_problem problem;
  mechanism_problem(r->m, &problem);
  const char *other = run_other_hessian(r->config, &problem);
  if (!other || result->status == MBO_INTERRUPTED || result->status == MBO_CONVERGED) { return; }
  printf(
      "hessian = gauss_newton leaves out the curvature of constraints: hessian = %s goes on without the matrix where "
      "it makes no progress\n",
      other);
}

/* Prints a number that a form smooths beside the true one, and when that occurs. */
static void print_true(const mechanism *m, int i) {
  const true_value *t = &m->truth[i];
  if (!t->smooths) { return; }
  printf(", true %.9g", t->value);
  if (isfinite(t->time)) { printf(" at t = %.6g s", t->time); }
}

/* Called between two stages: prints the objective with its true value, and which limits true values do not meet, or leave unused. */
static void on_next_stage(void *user, const stages *list, int i) {
  const cli_run *r = user;
  const mechanism *m = r->m;
  const stage *k = &list->stage[i];
  if (r->a->verbosity < 0) { return; }
  fprintf(stderr, "stage %d ended after %d design%s:", i + 1, k->designs, plural(k->designs));
  int n = 0;
  if (true_values_differ(m)) { fprintf(stderr, " objective %.6g, true %.6g", k->f, k->f_true), n++; }
  for (int c = 0; c < m->nconstraint; c++) {
    const double smooth = k->smooth[m->nobjective + c], truth = k->truth[m->nobjective + c];
    if (!(fabs(truth - smooth) > 0)) { continue; }
    fprintf(stderr, "%s %s = %.6g, true %.6g in [%g, %g]", n++ ? "," : "", m->c_name[c], smooth, truth, m->c_lower[c],
            m->c_upper[c]);
  }
  fputs("; stage ", stderr);
  fprintf(stderr, "%d begins there\n", i + 2);
}

/* Prints the result of an optimization: status, objective, numbers of designs, variables, objectives and constraints. */
static void print_result(const cli_run *r, const mbo_result *result) {
  const mechanism *m = r->m;
  /* Status and objective, with the numbers of iterations, designs and failures. */
  printf("%s: %s (%s: %s)\n", m->config->path, mbo_status_text(result->status), backend_of(r), result->text);
  printf("objective %.9g", result->f);
  if (isfinite(result->f) && true_values_differ(m)) { printf(" (true %.9g)", m->f_true); }
  printf(", at the start %.9g; %d iteration%s, %d design%s simulated", result->f_start, result->iterations,
         plural(result->iterations), result->evaluations, plural(result->evaluations));
  if (result->replayed) { printf(", %d from the journal", result->replayed); }
  if (result->stages > 1) { printf(", in %d stages", result->stages); }
  printf(", %.2f s\n", result->seconds);
  if (result->failures) {
    printf("%d design%s could not be simulated; result.json tells which\n", result->failures, plural(result->failures));
  }
  /* Catalogue values: what they cost in the objective, and which combinations the search has tried. */
  if (result->x_continuous) {
    printf(
        "catalogue values: objective %.9g with any value, %.9g with values of the catalogues; %d design%s beside "
        "them tried\n",
        result->f_continuous, result->f, result->neighbours, plural(result->neighbours));
    printf(
        "  a local search: of %g combinations it tries the one nearest to the optimum with any value, and those a step "
        "away in one or two catalogues\n",
        design_combinations(&m->design));
  }
  /* Gradients that were compared with a direct sensitivity during the run. */
  if (result->watched) {
    printf("%d gradient%s compared with a direct sensitivity: %s by %.1e at most\n", result->watched,
           plural(result->watched), result->watched == 1 ? "it deviates" : "they deviate", result->deviation);
  }
  /* The design, its objectives if there are several, and its constraints with their bounds. */
  cli_print_design(m, result->x);
  for (int i = 0; m->nobjective > 1 && i < m->nobjective; i++) {
    printf("  objective %s = %.9g (weight %g)", mechanism_quantity(m, i), m->psi[i], m->config->objective[i].weight);
    print_true(m, i);
    putchar('\n');
  }
  for (int i = 0; i < m->nconstraint; i++) {
    printf("  constraint %s = %.9g in [%g, %g]", m->c_name[i], m->psi[m->nobjective + i], m->c_lower[i], m->c_upper[i]);
    print_true(m, m->nobjective + i);
    putchar('\n');
  }
  /* The residual of the conditions of an optimum, and what may take fewer designs. */
  if (isfinite(result->optimality)) {
    printf("the conditions of an optimum still leave a decrease of %.1e, to first order\n", result->optimality);
  }
  print_hint(r, result);
  printf("results in %s\n", r->folder);
}

/* Prints what changes first as the number of a price falls and rises. */
static void print_changes(const price *p) {
  const first_change *const change[] = {&p->below, &p->above};
  for (int i = 0; i < 2; i++) {
    const first_change *c = change[i];
    if (!c->is) { continue; }
    printf("  %s %s to %.6g: the %s %s of %s %s\n", p->of == PRICE_NUMBER ? p->name : "it", i ? "up" : "down", c->at,
           price_side(c->of), strcmp(price_kind(c->of), "variable") == 0 ? "bound" : "limit", c->name,
           c->is_reached ? "is reached" : "lets the design go");
  }
}

/* The same of the numbers that matter most. */
static void print_changes_by_numbers(const post_optimality *prices, int max) {
  int numbers = 0;
  for (int i = 0; i < prices->n && numbers < max; i++) {
    const price *p = &prices->price[i];
    if (p->of != PRICE_NUMBER || !isfinite(p->percent)) { continue; }
    if (numbers++ == 0) { puts("what changes first, to first order:"); }
    print_changes(p);
  }
}

/* Prints which limits and bounds hold the design, and the numbers of the model that matter most, by what a change of 1 % does to the objective. */
static void print_prices(const post_optimality *prices) {
  enum { NUMBERS = 5 };
  static const char *const what[] = {
      [PRICE_UPPER_LIMIT] = "upper limit of", [PRICE_LOWER_LIMIT] = "lower limit of", [PRICE_EQUATION] = "equation",
      [PRICE_UPPER_BOUND] = "upper bound of", [PRICE_LOWER_BOUND] = "lower bound of", [PRICE_NUMBER] = ""};
  int numbers = 0;
  for (int i = 0; i < prices->n; i++) {
    const price *p = &prices->price[i];
    if (p->of == PRICE_NUMBER) {
      if (numbers >= NUMBERS || !isfinite(p->percent)) { continue; }
      printf("%s%s = %.6g: %+.3g %%", numbers ? ", " : "1 % more of a fixed number changes the optimum: ", p->name,
             p->at, p->percent);
      numbers++;
      continue;
    }
    printf("held by the %s %s, %.6g: ", what[p->of], p->name, p->at);
    if (isfinite(p->percent)) {
      printf("1 %% of it %s lowers the objective by %.3g %%\n", (p->slope < 0) == (p->at > 0) ? "more" : "less",
             fabs(p->percent));
    } else {
      printf("the objective changes by %.4g for each unit more\n", p->slope);
    }
    print_changes(p);
  }
  if (numbers) { putchar('\n'); }
  if (prices->changes) { print_changes_by_numbers(prices, NUMBERS); }
  if (prices->why[0]) { printf("what changes first is not known: %s\n", prices->why); }
  if (prices->several) {
    puts("what holds the design is dependent: other shares of these effects are equally possible");
  }
}

/* Prints what the scatter comes from, and how an independent sample finds it. */
static void print_scatter(const mechanism *m, const scatter_control *c) {
  enum { SCALARS = 5 };
  for (int i = 0; i < c->n; i++) {
    const scatter_of *k = &c->of[i];
    const char *name = mechanism_quantity(m, k->quantity);
    if (c->samples > 0) {
      printf("%s across %d independent samples: %.6g", name, c->samples, k->value);
      if (isfinite(k->low)) { printf(" (%g %%: %.6g to %.6g)", 100 * c->confidence, k->low, k->high); }
      if (isfinite(k->beyond)) {
        printf(" (with %g %%, at most %.2g %% of all are beyond it)", 100 * c->confidence, 100 * k->beyond);
      }
      if (scatter_control_differs(k)) { printf(", other than that of the run's own scenarios, %.6g", k->reported); }
      if (scatter_control_violates(m, k)) { printf(", which violates its limit"); }
      printf("; mean %.6g, standard deviation %.4g\n", k->sample_mean, k->sample_sigma);
    }
    int order[SCALARS], n = scatter_control_largest(m, k, SCALARS, order);
    for (int j = 0; j < n; j++) {
      if (j == 0) { printf("the scatter of %s, to first order %.4g, comes from ", name, k->sigma); }
      printf("%s%s (%.3g %%)", j ? ", " : "", m->config->uncertain[order[j]].name, 100 * k->share[order[j]]);
    }
    if (n) { putchar('\n'); }
    if (scatter_control_bends(k)) {
      printf("the mean of %s is %.6g to second order, %.6g to first\n", name, k->mean_second, k->mean);
    }
  }
  if (*c->failure) { printf("independent samples of the scatter could not be computed: %s\n", c->failure); }
}

/* Tells of the first failed design if it locks, and what keeps designs from that. */
static void tell_locked_design(const cli_run *r, const mbo_result *result) {
  const mbo_failure *first = result->nfailure ? &result->failure[0] : NULL;
  if (r->a->verbosity < 0 || !first || !first->x || !cli_tell_lock(r, first->status, first->x)) { return; }
  fprintf(stderr,
          "mbopt: that is design %d, from which the optimizer has stepped back. A constraint of a transmission angle, "
          "or of mechanism.opening in a case with analysis = closing, keeps it away from such designs\n",
          first->number);
}

/* Prints on standard error why an exit code is not 0, if nothing else prints it. */
static void tell_end(const cli_run *r, const mbo_result *result) {
  if (result->status == MBO_FAILED_START) {
    fprintf(stderr, "mbopt: error: the start cannot be simulated: %s\n", result->text);
    if (cli_tell_lock(r, result->nfailure ? result->failure[0].status : MBD_OK, r->m->start)) {
      fprintf(stderr, "mbopt: [optimizer] repair_start = yes begins at a design beside it that does not lock\n");
    }
  } else if (result->status == MBO_INTERRUPTED) {
    fprintf(stderr, "mbopt: interrupted; the same command with --resume goes on\n");
  } else if (result->status != MBO_CONVERGED && r->a->verbosity < 0) {
    fprintf(stderr, "mbopt: %s: %s (%s: %s)\n", r->config->path, mbo_status_text(result->status), backend_of(r),
            result->text);
  }
}

/* Computes and writes the statistics of a fit, if the command prints them. */
static mbd_status write_fit(const cli_run *r, const mbo_result *result, json_t *answer, fit **f, mbd_error *err) {
  if (!r->fits || !isfinite(result->f) || result->status == MBO_INTERRUPTED) { return MBD_OK; }
  MBD_TRY(fit_create(r->m, result->x, f, err));
  json_object_set_new(answer, "fit", fit_results_json(*f));
  return fit_results_write(r->folder, *f, err);
}

/* Writes the files of a finished run; evaluates the quantities of the best design. An optimum without statistics is written, too. */
static mbd_status write_results(cli_run *r, const mbo_result *result, const history *h, const stages *list,
                                const flat_directions *v, const post_optimality *prices, scatter_control *scatter,
                                json_t **answer, fit **f, mbd_error *err) {
  const mbo_run_config *c = r->config;
  mechanism *m = r->m;
  MBD_TRY(history_write(r->folder, h, err));
  if (isfinite(result->f)) {
    volatile sig_atomic_t never = 0;
    int ended;
    m->stop = &never; /* writing the results cannot be interrupted */
    mbd_status status = c->output.trajectory
                            ? results_write_trajectory(r->folder, m, result->x, c->output.every, &ended, err)
                            : mechanism_evaluate(m, result->x, "none", err);
    m->stop = &cli_stop;
    MBD_TRY(status);
    MBD_TRY(scatter_control_create(m, result->x, scatter, err));
  }
  *answer = results_optimization(m, result, backend_of(r), c->optimizer.algorithm);
  json_object_set_new(*answer, "stages", results_stages(m, list));
  if (v->n) { json_object_set_new(*answer, "gauss_newton", results_flat_directions(m, v)); }
  if (prices->n) { json_object_set_new(*answer, "post_optimality", results_post_optimality(m, prices)); }
  if (scatter->n) { json_object_set_new(*answer, "scatter", results_scatter(m, scatter)); }
  const mbd_status status = write_fit(r, result, *answer, f, err);
  MBD_TRY(json_write_file(r->folder, "result.json", *answer, status == MBD_OK ? err : NULL));
  return status;
}

/* Prints the best design, and what is known around it. */
static void print_optimum(const cli_run *r, const mbo_problem *problem, const mbo_result *result, const fit *f,
                          const flat_directions *around, const post_optimality *prices,
                          const scatter_control *scatter) {
  print_result(r, result);
  print_prices(prices);
  print_scatter(r->m, scatter);
  if (!f) {
    cli_print_flat_directions(problem, around);
    return;
  }
  if (result->status != MBO_CONVERGED) {
    puts("the optimization has not converged: what follows holds where it stopped");
  }
  cli_print_fit(f);
}

/* What the optimum costs, where one has been reached, and not rounded to catalogues. Where the derivatives do not exist, it is left out. */
static mbd_status find_prices(const cli_run *r, const mbo_problem *problem, const mbo_settings *s,
                              const mbo_result *result, const stages *list, post_optimality *prices, mbd_error *err) {
  mbd_error why = {0};
  if (result->status != MBO_CONVERGED || !isfinite(result->optimality) || result->x_continuous ||
      !problem->has_gradient || r->fits) {
    return MBD_OK;
  }
  const stage *at = list->n > 0 ? &list->stage[list->best] : NULL;
  if (post_optimality_create(r->m, result->x, at, s->tol_constraint, r->config->optimizer.first_changes, prices,
                             &why) != MBD_NO_MEMORY) {
    return MBD_OK;
  }
  if (err) { *err = why; }
  return MBD_NO_MEMORY;
}

/* After a run of an optimizer: looks around the best design, writes the results and tells them. Returns the exit code. */
static int conclude(cli_run *r, const mbo_problem *problem, const mbo_settings *s, mbo_result *result,
                    const history *iterations, const stages *list) {
  mbd_error err = {0};
  flat_directions around = {0};
  post_optimality prices = {0};
  scatter_control scatter = {0};
  fit *f = NULL;
  json_t *answer = NULL;
  int code = exit_of(result->status);
  if (result->status == MBO_FAILED_START && result->nfailure && result->failure[0].status == MBD_NO_ASSEMBLY) {
    code = EXIT_MODEL;
  }
  /* The Gauss-Newton matrix of the result, if the optimizer used it; then the files. */
  mbd_status status = MBD_OK;
  if (s->gauss_newton && isfinite(result->f) && result->status != MBO_INTERRUPTED) {
    status = results_look_around(problem, result->x, &around, &err);
  }
  if (status == MBD_OK) { status = find_prices(r, problem, s, result, list, &prices, &err); }
  if (status == MBD_OK) {
    status = write_results(r, result, iterations, list, &around, &prices, &scatter, &answer, &f, &err);
  }
  if (status != MBD_OK) { code = cli_error(&err, cli_exit_code(status)); }
  if (answer && isfinite(result->f)) { cli_print_warnings(r, ""); }
  /* The answer, which is incomplete if memory has run out. */
  if (code != EXIT_MEMORY) {
    if (answer && r->a->json) {
      code = cli_print_json(answer, code);
    } else if (r->a->verbosity >= 0 && result->status != MBO_FAILED_START) {
      print_optimum(r, problem, result, f, &around, &prices, &scatter);
    }
  }
  fit_destroy(f), flat_directions_destroy(&around), post_optimality_free(&prices), scatter_control_free(&scatter);
  json_decref(answer);
  if (result->status != MBO_FAILED_START) { tell_locked_design(r, result); }
  tell_end(r, result);
  return code;
}

int command_optimize(cli_run *r) {
  mbd_error err = {0};
  mbo_problem problem;
  mbo_settings s;
  mbo_result result = {0};
  stages list = {.next = on_next_stage, .user = r};
  progress shown = {.r = r, .on_terminal = isatty(STDERR_FILENO)};
  shown.page = (cli_live){
      .folder = r->a->live ? r->folder : NULL, .write = write_live, .user = &shown, .quiet = r->a->verbosity < 0};
  if (r->config->nobjective == 0) { return cli_no_objective(r); }
  mechanism_problem(r->m, &problem);
  mbo_option *options = run_settings(r->config, &problem, &s);
  s.verbosity = r->a->verbosity > 0 ? 2 : 0;
  s.stop = &cli_stop;
  if (s.gauss_newton || s.scale_by_curvature) { choices_gauss_newton(r->m); }
  /* The run is watched, and its journal says which problem it belongs to. */
  char *journal = path_in(r->folder, "journal.jsonl"), *print = mechanism_fingerprint(r->m);
  s.begin = on_begin, s.iteration = on_iteration, s.simulated = on_simulation, s.user = &shown;
  s.journal = journal, s.resume = r->a->resume, s.fingerprint = print;
  mbd_status status = options && journal && print ? mbo_check(run_backend(r->config, &problem), &problem, &s, &err)
                                                  : MEMORY_NONE(&err, "the optimization");
  if (status == MBD_OK) { status = cli_prepare_folder(r, EARLIER_OPTIMIZES, &err); }
  if (status == MBD_OK) {
    tell_choice(&shown, problem.has_gradient && !choices_are_open(r->m));
    status = stages_solve(r->m, run_backend(r->config, &problem), &problem, &s, &list, &result, &err);
  }
  const int code = status == MBD_OK ? conclude(r, &problem, &s, &result, &shown.history, &list)
                                    : cli_error(&err, cli_exit_code(status));
  shown.written = status == MBD_OK && isfinite(result.f);
  cli_live_end(&shown.page);
  history_free(&shown.history), mbo_result_free(&result), stages_free(&list);
  free(options), free(journal), free(print);
  return code;
}

int command_fit(cli_run *r) {
  mbd_error err = {0};
  if (fit_check(r->config, &err) != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  r->fits = 1;
  return command_optimize(r);
}

/* Prints the cost of a case's steps as text. */
static void print_steps(const mbd_stats *k) {
  const double steps = k->steps ? k->steps : 1;
  printf("%d step%s", k->steps, plural(k->steps));
  if (k->own_steps) { printf(" (%ld by the integrator, %ld more rejected)", k->own_steps, k->rejected); }
  if (k->iterations) { printf(", %.2f Newton iterations a step", (double)k->iterations / steps); }
  if (k->evaluations) { printf(", %.2f evaluations a step", (double)k->evaluations / steps); }
}

/* Prints the scalars that a steady motion has determined; adds them to the answer. */
static void show_found(const mechanism_case *load, int prints, json_t *answer) {
  double value;
  const char *name;
  json_t *found = json_object();
  for (int i = 0; (name = mechanism_found(load, i, &value)) != NULL; i++) {
    if (prints) { printf("%s%s = %.9g", i ? ", " : "  found: ", name, value); }
    json_object_set_new(found, name, json_real(value));
  }
  if (json_object_size(found) == 0) {
    json_decref(found);
    return;
  }
  if (prints) { printf("%s\n", strcmp(load->c.analysis, "steady") == 0 ? " at the end" : ""); }
  json_object_set_new(answer, "found", found);
}

/* The cost of the first n cases for the answer, printed with prints. */
static json_t *show_cases(const mechanism *m, int n, int prints) {
  json_t *cases = json_array();
  for (int i = 0; i < n; i++) {
    const mbd_stats *k = mbd_sim_stats(m->cases[i].sim);
    json_t *o =
        json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "case", m->cases[i].config->name, "steps",
                  k->steps, "iterations", (int)k->iterations, "evaluations", (json_int_t)k->evaluations, "own_steps",
                  (json_int_t)k->own_steps, "rejected", (json_int_t)k->rejected, "seconds", k->seconds, "phi", k->phi,
                  "phid", k->phid, "phidd", k->phidd);
    if (prints) {
      printf("case %s: ", m->cases[i].config->name);
      print_steps(k);
      printf(", %.3g s; constraints within %.2g (rates %.2g, %.2g)\n", k->seconds, k->phi, k->phid, k->phidd);
    }
    show_found(&m->cases[i], prints, o);
    json_array_append_new(cases, o);
  }
  return cases;
}

/* Writes result.json; with --json it is the answer, too. Returns the exit code, `code` unless that fails. */
static int write_answer(const cli_run *r, const json_t *answer, int code) {
  mbd_error err = {0};
  const mbd_status status = json_write_file(r->folder, "result.json", answer, &err);
  if (status != MBD_OK) { code = cli_error(&err, cli_exit_code(status)); }
  return r->a->json && code != EXIT_MEMORY ? cli_print_json(answer, code) : code; /* without memory it is incomplete */
}

/* After a design that cannot be simulated: what failed and when, with what was computed until then. */
static int write_failure(const cli_run *r, int ended, const mbd_error *why) {
  mechanism *m = r->m;
  cli_print_warnings(r, "");
  const int code = cli_error(why, cli_exit_code(why->code));
  cli_tell_lock(r, why->code, m->start);
  if (why->code <= 0) { return code; } /* the request is wrong, interrupted, or memory ran out */
  json_t *quantities = json_object(), *answer = json_object();
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
    json_object_set_new(quantities, mechanism_quantity(m, i), json_number(m->psi[i]));
  }
  json_object_set_new(
      answer, "failure",
      json_pack("{s:s, s:o, s:s*, s:o}", "status", mbd_status_name(why->code), "error", json_text(why->text), "case",
                ended >= 0 && ended < m->ncase ? m->cases[ended].config->name : NULL, "time", json_number(why->time)));
  json_object_set_new(answer, "design", results_design(m, m->start));
  json_object_set_new(answer, "cases", show_cases(m, ended, 0));
  json_object_set_new(answer, "quantities", quantities);
  json_object_set_new(answer, "warnings", warnings_json(m));
  const int written = write_answer(r, answer, code);
  json_decref(answer);
  return written;
}

int command_simulate(cli_run *r) {
  mbd_error err = {0};
  mechanism *m = r->m;
  int ended;
  mbd_status status = cli_prepare_folder(r, EARLIER_SIMULATES, &err);
  if (status == MBD_OK) { status = results_write_config(r->folder, r->config, &err); }
  if (status != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  status = results_write_trajectory(r->folder, m, m->start, r->config->output.every, &ended, &err);
  if (status != MBD_OK) { return write_failure(r, ended, &err); }
  scatter_control scatter;
  status = scatter_control_create(m, m->start, &scatter, &err);
  if (status != MBD_OK) {
    scatter_control_free(&scatter);
    return write_failure(r, ended, &err);
  }
  const int prints = !r->a->json && r->a->verbosity >= 0;
  json_t *answer = json_object(), *cases = show_cases(m, m->ncase, prints);
  json_object_set_new(answer, "plugins", results_plugins(m));
  json_object_set_new(answer, "design", results_design(m, m->start));
  json_object_set_new(answer, "cases", cases);
  json_object_set_new(answer, "quantities", results_quantities(m, 0));
  if (scatter.n) { json_object_set_new(answer, "scatter", results_scatter(m, &scatter)); }
  results_put_lanes(m, answer);
  json_object_set_new(answer, "warnings", warnings_json(m));
  cli_print_warnings(r, "");
  const int code = write_answer(r, answer, EXIT_CONVERGED);
  if (prints && code != EXIT_MEMORY) {
    for (int i = 0; i < m->nobjective + m->nconstraint; i++) {
      printf("%s = %.12g", mechanism_quantity(m, i), m->psi[i]);
      print_true(m, i);
      putchar('\n');
    }
    print_scatter(m, &scatter);
    printf("results in %s\n", r->folder);
  }
  scatter_control_free(&scatter);
  json_decref(answer);
  return code;
}
