/* The manual page mbopt(1), from the tables of the command line. */
#include "cli/help.h"
#include "config/man_text.h"

typedef struct entry {
  const char *name, *doc;
} entry;

static const entry files[] = {
    {"result.json",
     "status, design, objectives, constraints, counts, failed designs with their reasons, warnings of the simulation "
     "of the result"},
    {"history.csv", "a line per iteration; of `compare`, per simulated design of every optimizer"},
    {"trajectory.csv",
     "motion of the final design: coordinates, rates, accelerations, outputs, multipliers of the equations (of "
     "redundant ones an undetermined share); names and units in the header"},
    {"sensitivities.csv",
     "of `gradient --over-time`: outputs and their derivatives in every design variable, over time"},
    {"inverse_dynamics.csv",
     "of `gradient --over-time` for kinematic cases: the forces Q of the motion on all coordinates and dQ/dz, dQ/dzd, "
     "dQ/dzdd, over time"},
    {"eigenvalues.csv", "of `linearize`: eigenvalues, frequencies, damping"},
    {"journal.jsonl",
     "a line per simulated design, from which `--resume` goes on; `journal.jsonl.damaged`: as it was, where some lines "
     "were not as they had been written"},
    {"earlier-1",
     "and higher numbers: folders of results that a run would have taken away: of another run file, of an optimization "
     "where `simulate` writes, the journal of an optimization that did not come to its end where it begins anew, and "
     "another study where `compare` begins"},
    {"resolved.ini", "the run file with every default filled in"},
    {"study.json", "of a study, as of `sweep` and `compare`: what is studied; beside it copies of the run files"},
    {"points.csv", "of a study: the values that make each run"},
    {"table.csv", "of a study: a row per run with its values and results; `study.sqlite` holds the same for queries"},
    {"report.html", "of `report`: the page; beside it report_run_17.html, of single runs of a study"},
};

static const entry examples[] = {
    {"mbopt new quarter_car",
     "A model file and a run file with comments, in the folder quarter_car, to change into one's own."},
    {"mbopt model configs/pendulum.ini", "Did the program understand the mechanism?"},
    {"mbopt check configs/pendulum.ini", "Is the gradient right?"},
    {"mbopt configs/pendulum.ini", "Optimize; results come into the folder that the run file names."},
    {"mbopt configs/pendulum.ini --set case.drop.duration=2 --output results/short",
     "The same with another value of the run file, and into another folder."},
    {"mbopt compare configs/five_bar.ini --backends ipopt:gauss_newton,lbfgsb --max-evaluations 100",
     "Two optimizers from the same start, with a hundred simulations each."},
    {"mbopt sweep configs/sweep_suspension.ini --jobs 4",
     "All runs of a grid; after an interruption the same again goes on."},
    {"mbopt report results/sweep_suspension_sweep", "A page about them, to read in a browser."},
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static void section(FILE *out, const char *title) {
  fprintf(out, ".SH %s\n", title);
}

/* Writes a term, with its text beside or below it. */
static void item(FILE *out, const char *bold, const char *italic, const char *before, const char *doc) {
  fputs(".TP\n\\fB", out);
  man_text(out, bold);
  fputs("\\fR", out);
  if (*italic) {
    fputs(" \\fI", out);
    man_text(out, italic);
    fputs("\\fR", out);
  }
  fputc('\n', out);
  if (*before) {
    man_text(out, before);
    fputs(": ", out);
  }
  man_text(out, doc);
  fputc('\n', out);
}

static void synopsis(FILE *out) {
  section(out, "SYNOPSIS");
  fputs(".B mbopt\n.RI [ COMMAND ]\n.I FILE.ini\n.RI [ OPTIONS ]\n", out);
  for (cli_operands kind = CLI_NO_OPERAND; kind <= CLI_SOURCE; kind++) {
    const char *separator = ".br\n.B mbopt\n", *operands = "";
    for (int i = 0; cli_command_at(i); i++) {
      const cli_command *c = cli_command_at(i);
      if (c->operands != kind || kind == CLI_RUN_FILE) { continue; }
      fprintf(out, "%s\\fB%s\\fR", separator, c->name);
      separator = " |\n", operands = cli_operands_of(c)->text;
    }
    if (*separator == ' ') { fprintf(out, "\n\\fI%s\\fR\n.RI [ OPTIONS ]\n", operands); }
  }
}

static void options(FILE *out) {
  section(out, "OPTIONS");
  man_text(out, "Options stand before or after the file; `--name=VALUE` is the same as `--name VALUE`.\n");
  for (int i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    char name[64], owners[128] = "";
    snprintf(name, sizeof name, "--%s", o->name);
    if (cli_lists_commands(o)) { cli_owners(o, owners, sizeof owners); }
    item(out, name, o->value ? o->value : "", owners, o->doc);
  }
}

static void entries(FILE *out, const entry *list, size_t n) {
  for (size_t i = 0; i < n; i++) { item(out, list[i].name, "", "", list[i].doc); }
}

void cli_help_man(FILE *out) {
  man_head(out, "MBOPT", 1, "mbopt", "optimal design of mechanisms and vehicles with exact gradients");
  synopsis(out);
  section(out, "DESCRIPTION");
  man_text(
      out,
      "`mbopt` finds the best design of a mechanism or vehicle. A model file describes the mechanism; a run file\n"
      "names the model, what may vary, the load cases to be simulated, objectives, constraints and the optimizer:\n"
      "see mbopt.ini(5). Gradients are exact. An operand with a dot or a slash in it is a file: without a command\n"
      "it is optimized.\n");
  /* Commands, options and exit codes by their tables. */
  section(out, "COMMANDS");
  for (int i = 0; cli_command_at(i); i++) {
    const cli_command *c = cli_command_at(i);
    item(out, c->name, cli_operands_of(c)->text, "", c->doc);
  }
  options(out);
  section(out, "EXIT STATUS");
  for (int i = 0; cli_exit_at(i); i++) {
    char code[16];
    snprintf(code, sizeof code, "%d", cli_exit_at(i)->code);
    item(out, code, "", "", cli_exit_at(i)->doc);
  }
  /* Files and examples. */
  section(out, "FILES");
  man_text(out,
           "What the folder of the results holds, as the command has it; each file is written whole or not at all.\n");
  entries(out, files, COUNT(files));
  section(out, "EXAMPLES");
  entries(out, examples, COUNT(examples));
  fputs(".SH SEE ALSO\n.BR mbopt.ini (5)\n", out);
}
