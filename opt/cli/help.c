#include "cli/help.h"

#include <string.h>

#include "cli/cli.h"
#include "mbd/version.h"

enum { LEFT = 31, WIDTH = 118 }; /* columns at which the texts begin and lines end */

/* A name in the left column, beside it a text in lines of its own. A long name gets a line for itself. */
static void write_row(FILE *out, const char *name, const char *text) {
  int column = fprintf(out, "  %-*s", LEFT - 2, name);
  if (column > LEFT) { column = WIDTH; }
  while (*text) {
    const int n = (int)strcspn(text, " ");
    if (column + n >= WIDTH) { column = fprintf(out, "\n%*s", LEFT, "") - 1; }
    column += fprintf(out, " %.*s", n, text);
    text += n + (text[n] == ' ');
  }
  fputc('\n', out);
}

/* Writes an option; in the help of all commands its text begins with the commands that have it. */
static void write_option(FILE *out, const cli_option *o, int whose) {
  char name[64], owners[128] = "", text[512];
  snprintf(name, sizeof name, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
  if (whose && cli_lists_commands(o)) { cli_owners(o, owners, sizeof owners); }
  snprintf(text, sizeof text, "%s%s%s", owners, *owners ? ": " : "", o->doc);
  write_row(out, name, text);
}

static void help_all(FILE *out) {
  fprintf(out,
          "mbopt %s: optimal design of mechanisms and vehicles with exact gradients\n\n"
          "usage: mbopt [COMMAND] FILE.ini [OPTIONS]\n"
          "       mbopt COMMAND --help\n\ncommands:\n",
          MBD_VERSION);
  for (int i = 0; cli_command_at(i); i++) {
    char name[64];
    snprintf(name, sizeof name, "%s %s", cli_command_at(i)->name, cli_operands_of(cli_command_at(i))->text);
    write_row(out, name, cli_command_at(i)->doc);
  }
  fprintf(out, "\noptions:\n");
  for (int i = 0; cli_option_at(i); i++) { write_option(out, cli_option_at(i), 1); }
  fprintf(out, "\nexit codes:\n");
  for (int i = 0; cli_exit_at(i); i++) { fprintf(out, "  %2d  %s\n", cli_exit_at(i)->code, cli_exit_at(i)->doc); }
}

/* Writes the help of a command, with its own options first. */
static void help_command(FILE *out, const cli_command *c) {
  const char *operands = cli_operands_of(c)->text;
  fprintf(out, "mbopt %s: %s\n\nusage: mbopt %s%s%s [OPTIONS]\n\noptions:\n", c->name, c->doc, c->name,
          *operands ? " " : "", operands);
  for (int named = 1; named >= 0; named--) {
    for (int i = 0; cli_option_at(i); i++) {
      const cli_option *o = cli_option_at(i);
      if (cli_belongs(o, c) && cli_lists_commands(o) == named) { write_option(out, o, 0); }
    }
  }
}

void cli_help(FILE *out, const cli_command *c) {
  if (c) {
    help_command(out, c);
  } else {
    help_all(out);
  }
}

int command_help(const cli_arguments *a) {
  const char *format = a->format ? a->format : "text";
  if (strcmp(format, "man") == 0) {
    cli_help_man(stdout);
  } else if (strcmp(format, "bash") == 0) {
    cli_help_bash(stdout);
  } else {
    cli_help(stdout, NULL);
  }
  return EXIT_CONVERGED;
}
