/* What the command line knows, as tables: commands, options, exit codes. The parser, the help and the messages all come
 * from these rows; a new command or option is one row in commands.c. */
#ifndef MBO_CLI_COMMANDS_H
#define MBO_CLI_COMMANDS_H

#include <stddef.h>

struct cli_run;
struct cli_arguments;

/* What stands after the command. */
typedef enum cli_operands { CLI_NO_OPERAND, CLI_RUN_FILE, CLI_RUN_FILES, CLI_FOLDER } cli_operands;

/* Exactly one of the two functions is there. Both return an exit code. */
typedef struct cli_command {
  const char *name;
  cli_operands operands;
  const char *doc;
  int saves;                                   /* on a signal it finishes its step and saves; else it ends at once */
  int (*run)(struct cli_run *r);               /* with the run file opened, the first of several */
  int (*plain)(const struct cli_arguments *a); /* with the arguments as they are */
} cli_command;

typedef enum cli_kind {
  CLI_FLAG,  /* int: `number` is stored */
  CLI_COUNT, /* int, from 1 to `number` */
  CLI_TEXT,  /* const char *: as it is; where `value` is a|b|c, one of these */
  CLI_ASSIGN /* appended to `set`; where there is a `key`: as KEY=VALUE */
} cli_kind;

/* Words in the `commands` of an option, beside names of commands. */
#define CLI_ON_RUN_FILES "RUN_FILE" /* all that read run files */
#define CLI_ON_ALL       "ALL"

/* Several rows may have one name, for different commands; all of them take a value, or none does. */
typedef struct cli_option {
  const char *name;     /* without the hyphens */
  const char *value;    /* how its value is called; NULL for flags */
  const char *commands; /* that it belongs to, blanks between; NULL: CLI_ON_RUN_FILES */
  const char *doc;
  cli_kind kind;
  size_t offset; /* in cli_arguments: where it is stored */
  int number;
  const char *key;
} cli_option;

typedef struct cli_exit {
  int code;
  const char *doc;
} cli_exit;

/* The rows in the order of the help; NULL past the end. */
const cli_command *cli_command_at(int i);
const cli_option *cli_option_at(int i);
const cli_exit *cli_exit_at(int i);

int cli_option_named(const char *name);                /* number of the first row of this name, which must be known */
const cli_command *cli_command_find(const char *name); /* NULL: not known */
int cli_reads_run_file(const cli_command *c);
int cli_belongs(const cli_option *o, const cli_command *c); /* whether c has the option */
int cli_own(const cli_option *o);                           /* whether it names commands instead of many at once */
const char *cli_owners(const cli_option *o, char *text, size_t size); /* the commands of such an option: "a, b"; text */
const char *cli_operands_text(cli_operands operands);                 /* "FILE.ini", as in a usage line; "" for none */
const char *cli_operands_needed(cli_operands operands);               /* "a run file"; NULL: none */

#endif
