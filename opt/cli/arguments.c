#include "cli/arguments.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "files/command_text.h"

enum { LONG_OPTION = 256, MESSAGE = MBD_HINT + 64 }; /* getopt's number of the first row: above all characters */

/* An option as it was typed. It is interpreted when the command is known, which decides the rows that it may refer to. */
typedef struct given {
  const cli_option *row; /* the first row of its name */
  const char *value;
} given;

/* "mbopt: WHAT 'NAME' SAYS" */
static int usage(const char *what, const char *name, const char *says) {
  fprintf(stderr, "mbopt: %s '%s' %s\ntry 'mbopt --help'\n", what, name, says);
  return EXIT_USAGE;
}

static int usage_option(const cli_option *o, const char *says) {
  char name[64];
  snprintf(name, sizeof name, "--%s", o->name);
  return usage("option", name, says);
}

/* Also reports abbreviations that several options share, with the first of these as the hint. */
static int unknown_option(const char *text) {
  char typed[64], says[MESSAGE];
  const char *meant = NULL;
  snprintf(typed, sizeof typed, "%.*s", (int)strcspn(text, "="), text);
  mbd_nearest near = {.requested = typed + strspn(typed, "-")};
  for (int i = 0; cli_option_at(i); i++) {
    const char *name = cli_option_at(i)->name;
    mbd_nearest_offer(&near, name);
    if (!meant && strncmp(name, near.requested, strlen(near.requested)) == 0) { meant = name; }
  }
  if (!meant) { meant = mbd_nearest_best(&near); }
  snprintf(says, sizeof says, "is not known%s%s%s", meant ? ", did you mean '--" : "", meant ? meant : "",
           meant ? "'?" : "");
  return usage("option", typed, says);
}

/* ---- words ---- */

static struct option *getopt_table(void) {
  int n = 0;
  while (cli_option_at(n)) { n++; }
  struct option *table = calloc((size_t)n + 1, sizeof *table);
  for (int i = 0; table && i < n; i++) {
    const cli_option *o = cli_option_at(i);
    table[i] = (struct option){o->name, o->value ? required_argument : no_argument, NULL,
                               LONG_OPTION + cli_option_named(o->name)};
  }
  return table;
}

/* Reports a word that getopt refused: `code` is its answer, optopt has the character. */
static int refused(int code, char **argv) {
  if (optopt == 0) { return unknown_option(argv[optind - 1]); }
  if (optopt < LONG_OPTION) { return unknown_option((char[]){'-', (char)optopt, '\0'}); }
  return usage_option(cli_option_at(optopt - LONG_OPTION), code == ':' ? "needs a value" : "takes no value");
}

/* Takes a file, or the command if it is the first word and has neither a dot nor a slash. */
static int take_operand(cli_arguments *a, const char *s) {
  if (a->command || a->nfile || strpbrk(s, "./")) {
    a->files[a->nfile++] = s;
    return -1;
  }
  a->command = cli_command_find(s);
  if (a->command) { return -1; }
  mbd_nearest near = {.requested = s};
  for (int i = 0; cli_command_at(i); i++) { mbd_nearest_offer(&near, cli_command_at(i)->name); }
  char hint[MBD_HINT], says[MESSAGE];
  snprintf(says, sizeof says, "is not known%s", mbd_nearest_text(&near, hint, sizeof hint));
  return usage("command", s, says);
}

/* Reads the words in their order; operands go into a, options into g. */
static int scan(int argc, char **argv, const struct option *table, cli_arguments *a, given *g, int *ngiven) {
  int code;
  optind = 0; /* begin at the first word, also if an earlier call ended within a word (glibc) */
  while ((code = getopt_long(argc, argv, "-:h", table, NULL)) != -1) {
    if (code == '?' || code == ':') { return refused(code, argv); }
    if (code == 1) {
      int answer = take_operand(a, optarg);
      if (answer >= 0) { return answer; }
    } else if (code == 'h') { /* one word may have several options: -hh */
      a->help = 1;
    } else {
      g[(*ngiven)++] = (given){cli_option_at(code - LONG_OPTION), optarg};
    }
  }
  for (int answer; optind < argc; optind++) {
    if ((answer = take_operand(a, argv[optind])) >= 0) { return answer; }
  }
  return -1;
}

/* ---- options ---- */

/* The row of this name that belongs to the command; NULL: none. */
static const cli_option *row_of(const given *g, const cli_command *c) {
  for (int i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    if (strcmp(o->name, g->row->name) == 0 && cli_belongs(o, c)) { return o; }
  }
  return NULL;
}

/* "belongs to the command compare", "... to commands that read a run file and to resume, work" */
static int misplaced(const given *g) {
  char names[128] = "", says[MESSAGE];
  size_t n = 0;
  int by_file = 0, count = 0;
  for (int i = 0; cli_option_at(i); i++) {
    by_file |= strcmp(cli_option_at(i)->name, g->row->name) == 0 && !cli_lists_commands(cli_option_at(i));
  }
  for (int i = 0; cli_command_at(i) && n < sizeof names; i++) {
    const cli_command *c = cli_command_at(i);
    if (!row_of(g, c) || (by_file && cli_reads_run_file(c))) { continue; }
    n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", count ? ", " : "", c->name);
    count++;
  }
  if (by_file) {
    snprintf(says, sizeof says, "belongs to commands that read a run file%s%s", count ? " and to " : "", names);
  } else {
    snprintf(says, sizeof says, "belongs to the command%s %s", count > 1 ? "s" : "", names);
  }
  return usage_option(g->row, says);
}

static int store_count(const cli_option *o, const char *value, int *at) {
  char *end, says[MESSAGE];
  /* cppcheck-suppress ctunullpointer ; options of all commands, which alone are stored without a value, are flags */
  const long n = strtol(value, &end, 10);
  if (!*value || *end || n < 1 || n > o->number) {
    snprintf(says, sizeof says, "of --%s: expected a number from 1 to %d", o->name, o->number);
    return usage("value", value, says);
  }
  *at = (int)n;
  return -1;
}

/* Stores a text; if the row's `value` is a list of words, the text must be one of them. */
static int store_text(const cli_option *o, const char *value, const char **at) {
  char hint[MBD_HINT], says[MESSAGE], *words = mbd_strdup(o->value), *next = words, *word;
  if (!words) { return cli_no_memory(); }
  mbd_nearest near = {.requested = value, .listed = 1};
  int known = !strchr(o->value, '|');
  while (!known && (word = strsep(&next, "|")) != NULL) {
    mbd_nearest_offer(&near, word);
    known = strcmp(word, value) == 0;
  }
  snprintf(says, sizeof says, "of --%s: expected %s%s", o->name, o->value, mbd_nearest_text(&near, hint, sizeof hint));
  free(words);
  *at = value;
  return known ? -1 : usage("value", value, says);
}

static int store_assignment(const cli_option *o, const char *value, cli_arguments *a) {
  char *text = o->key ? mbd_sprintf_dup("%s=%s", o->key, value) : mbd_strdup(value);
  if (!text) { return cli_no_memory(); }
  a->set[a->nset++] = text;
  return -1;
}

static int store(const cli_option *o, const char *value, cli_arguments *a) {
  void *at = (char *)a + o->offset;
  switch (o->kind) {
    case CLI_COUNT: return store_count(o, value, at);
    case CLI_TEXT: return store_text(o, value, at);
    case CLI_ASSIGN: return store_assignment(o, value, a);
    case CLI_FLAG: *(int *)at = o->number;
  }
  return -1;
}

/* ---- operands ---- */

static int check_operands(const cli_arguments *a) {
  const cli_command *c = a->command;
  const cli_operands_info *operands = cli_operands_of(c);
  char says[MESSAGE];
  if (a->nfile > operands->max) {
    snprintf(says, sizeof says, "is one %s too many", c->operands == CLI_RUN_FILE ? "file" : "argument");
    return usage("argument", a->files[operands->max], says);
  }
  if (operands->needed && !a->nfile) {
    snprintf(says, sizeof says, "needs %s", operands->needed);
    return usage("command", c->name, says);
  }
  return -1;
}

/* --command: the program may run, and is the optimizer of a run file, whatever that says. */
static int take_command(cli_arguments *a) {
  mbd_error err = {0};
  const cli_option backend = {.key = "optimizer.backend"}, command = {.key = "optimizer.command"};
  if (!a->optimizer) { return -1; }
  if (command_text_beside(".", a->optimizer, &a->command_text, &err) != MBD_OK) {
    return cli_error(&err, EXIT_CONFIGURATION);
  }
  if (!cli_reads_run_file(a->command)) { return -1; }
  const int code = store_assignment(&backend, "command", a);
  return code < 0 ? store_assignment(&command, a->command_text, a) : code;
}

static int read_words(int argc, char **argv, const struct option *table, given *g, cli_arguments *a) {
  int n = 0, code = scan(argc, argv, table, a, g, &n);
  if (code >= 0) { return code; }
  /* Help and version take precedence over everything else on the line. */
  for (int i = 0; i < n; i++) {
    if (g[i].row->commands && strcmp(g[i].row->commands, CLI_ON_ALL) == 0) { store(g[i].row, NULL, a); }
  }
  if (a->help || a->version) { return -1; }
  /* The options, by the rows of the command. */
  if (!a->command) { a->command = cli_command_at(0); }
  for (int i = 0; i < n && code < 0; i++) {
    const cli_option *o = row_of(&g[i], a->command);
    code = o ? store(o, g[i].value, a) : misplaced(&g[i]);
  }
  if (code >= 0) { return code; }
  a->file = a->files[0];
  code = check_operands(a);
  return code < 0 ? take_command(a) : code;
}

int cli_arguments_read(int argc, char **argv, cli_arguments *a) {
  struct option *table = getopt_table();
  given *g = calloc((size_t)argc + 1, sizeof *g);
  *a = (cli_arguments){.set = calloc((size_t)argc + 3, sizeof *a->set), /* --command makes two */
                       .files = calloc((size_t)argc + 1, sizeof *a->files)};
  const int code = table && g && a->set && a->files ? read_words(argc, argv, table, g, a) : cli_no_memory();
  free(table);
  free(g);
  return code;
}

void cli_arguments_free(cli_arguments *a) {
  for (int i = 0; i < a->nset; i++) { free((char *)a->set[i]); }
  free(a->set);
  free(a->files), free(a->command_text);
}
