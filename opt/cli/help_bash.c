/* The completion script for bash, from the tables of the command line. */
#include <string.h>

#include "cli/help.h"
#include "cli/templates.h"
#include "config/options.h"
#include "config/shipped_parts.h"

/* The constant part of the script. bash splits "--name=value" into three words. */
static const char head[] =
    "# bash completion of mbopt, made by `mbopt help --format bash`\n"
    "_mbopt_words() { # WORDS: those that begin like the word at the cursor\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "_mbopt_folders() {\n"
    "  mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$cur\")\n"
    "  compopt -o filenames 2>/dev/null\n"
    "}\n"
    "_mbopt_files_named() { # PATTERN: those that match, and folders\n"
    "  mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -X \"!$1\" -- \"$cur\")\n"
    "  _mbopt_folders\n"
    "}\n"
    "_mbopt_files() {\n"
    "  mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "  compopt -o filenames 2>/dev/null\n"
    "}\n"
    "_mbopt() {\n"
    "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" option=\"${COMP_WORDS[COMP_CWORD-1]}\" command=\"\" options operand i\n"
    "  COMPREPLY=()\n"
    "  if [ \"$cur\" = \"=\" ]; then\n"
    "    cur=\"\"\n"
    "  elif [ \"$option\" = \"=\" ]; then\n"
    "    option=\"${COMP_WORDS[COMP_CWORD-2]}\"\n"
    "  fi\n";

/* The options that take a value are inserted into this text. */
static const char find_command[] =
    "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "    case \"${COMP_WORDS[i]}\" in\n"
    "      %s)\n"
    "        ((i++))\n"
    "        [ \"${COMP_WORDS[i]}\" != \"=\" ] || ((i++)) ;;\n"
    "      -*) ;;\n"
    "      *)\n"
    "        command=\"${COMP_WORDS[i]}\"\n"
    "        break ;;\n"
    "    esac\n"
    "  done\n";

static const char answer[] =
    "  if [[ \"$cur\" == -* ]]; then\n"
    "    _mbopt_words \"$options\"\n"
    "  elif [ \"$operand\" = run ]; then\n"
    "    [ -n \"$command\" ] || _mbopt_words \"$commands\"\n"
    "    _mbopt_files_named '*.ini'\n"
    "  elif [ \"$operand\" = source ]; then\n"
    "    _mbopt_files_named '*.c'\n"
    "  elif [ \"$operand\" = robot ]; then\n"
    "    _mbopt_files_named '*.urdf'\n"
    "    _mbopt_files_named '*.xml'\n"
    "    _mbopt_files_named '*.sdf'\n"
    "  elif [ \"$operand\" = folder ]; then\n"
    "    _mbopt_folders\n"
    "  elif [ \"$operand\" = template ]; then\n"
    "    _mbopt_words \"$templates\"\n"
    "    _mbopt_folders\n"
    "  elif [ \"$operand\" = part ]; then\n"
    "    _mbopt_words \"$parts\"\n"
    "  fi\n"
    "}\n"
    "complete -F _mbopt mbopt\n";

/* --a | --b */
static void write_find_command(FILE *out) {
  char list[1024] = "";
  size_t n = 0;
  for (int i = 0; cli_option_at(i) && n < sizeof list; i++) {
    const cli_option *o = cli_option_at(i);
    if (!o->value || cli_option_named(o->name) < i) { continue; }
    n += (size_t)snprintf(list + n, sizeof list - n, "%s--%s", n ? " | " : "", o->name);
  }
  fprintf(out, find_command, list);
}

/* A line without a command means the first one: its pattern comes last and matches all other words. */
static void write_command(FILE *out, const cli_command *c, int first) {
  static const char *const operand[] = {
      [CLI_NO_OPERAND] = "none", [CLI_RUN_FILE] = "run",   [CLI_RUN_FILES] = "run",
      [CLI_FOLDER] = "folder",   [CLI_FOLDERS] = "folder", [CLI_TEMPLATE] = "template",
      [CLI_PART] = "part",       [CLI_ROBOT] = "robot",    [CLI_SOURCE] = "source"};
  fprintf(out, "    %s) operand=%s options=\"", first ? "*" : c->name, operand[c->operands]);
  const char *separator = "";
  for (int i = 0; cli_option_at(i); i++) {
    if (!cli_belongs(cli_option_at(i), c)) { continue; }
    fprintf(out, "%s--%s", separator, cli_option_at(i)->name);
    separator = " ";
  }
  fputs("\" ;;\n", out);
}

/* "schema --format", or *" --output" where any command has it */
static void write_pattern(FILE *out, const cli_option *o) {
  const char *separator = "";
  fputs("    ", out);
  if (!cli_lists_commands(o)) { fprintf(out, "*\" --%s\"", o->name); }
  for (int i = 0; cli_lists_commands(o) && cli_command_at(i); i++) {
    if (!cli_belongs(o, cli_command_at(i))) { continue; }
    fprintf(out, "%s\"%s --%s\"", separator, cli_command_at(i)->name, o->name);
    separator = " | ";
  }
  fputs(") ", out);
}

static void write_value(FILE *out, const cli_option *o) {
  write_pattern(out, o);
  if (strchr(o->value, '|')) {
    fputs("_mbopt_words \"", out);
    for (const char *s = o->value; *s; s++) { fputc(*s == '|' ? ' ' : *s, out); }
    fputs("\"; ", out);
  } else if (strcmp(o->value, "DIR") == 0) {
    fputs("_mbopt_folders; ", out);
  } else if (strcmp(o->value, "FILE") == 0) {
    fputs("_mbopt_files; ", out);
  } else if (o->kind == CLI_ASSIGN && !o->key) {
    /* Sections of run files, with the dot after which a name or a key follows. */
    fputs("_mbopt_words \"", out);
    for (int i = 0; option_section_at(i); i++) { fprintf(out, "%s%s.", i ? " " : "", option_section_at(i)->kind); }
    fputs("\"; compopt -o nospace 2>/dev/null; ", out);
  }
  fputs("return ;;\n", out);
}

void cli_help_bash(FILE *out) {
  fputs(head, out);
  /* Words for completion: commands, templates and parts. */
  fputs("  local commands=\"", out);
  for (int i = 0; cli_command_at(i); i++) { fprintf(out, "%s%s", i ? " " : "", cli_command_at(i)->name); }
  fputs("\" templates=\"", out);
  for (int i = 0; cli_template_at(i); i++) { fprintf(out, "%s%s", i ? " " : "", cli_template_at(i)->name); }
  fputs("\" parts=\"", out);
  for (int i = 0; shipped_part_name(i); i++) { fprintf(out, "%s%s", i ? " " : "", shipped_part_name(i)); }
  for (int i = 0; shipped_tyre_name(i); i++) { fprintf(out, " %s", shipped_tyre_name(i)); }
  fputs("\"\n", out);
  write_find_command(out);
  /* The options of each command. */
  fputs("  case \"$command\" in\n", out);
  for (int i = 1; cli_command_at(i); i++) { write_command(out, cli_command_at(i), 0); }
  write_command(out, cli_command_at(0), 1);
  /* Their values: rows for named commands before those for many, since bash takes the first match. */
  fputs("  esac\n  case \"$command $option\" in\n", out);
  for (int named = 1; named >= 0; named--) {
    for (int i = 0; cli_option_at(i); i++) {
      const cli_option *o = cli_option_at(i);
      if (o->value && cli_lists_commands(o) == named) { write_value(out, o); }
    }
  }
  fputs("  esac\n", out);
  fputs(answer, out);
}
