#include "study/slurm_script.h"

#include <string.h>

#include "files/text_stream.h"

void slurm_script_init(slurm_script *s) {
  *s = (slurm_script){.job_name = "mbopt", .warning = 60, .max_restarts = 100};
}

char *slurm_array_spec(const int *chunk, int n, int max_at_once) {
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (!out) { return text_end(&stream); }
  for (int i = 0, last; i < n; i = last + 1) {
    for (last = i; last + 1 < n && chunk[last + 1] == chunk[last] + 1;) { last++; }
    fprintf(out, last > i ? "%s%d-%d" : "%s%d", i ? "," : "", chunk[i], chunk[last]);
  }
  if (max_at_once > 0) { fprintf(out, "%%%d", max_at_once); }
  return text_end(&stream);
}

/* ---- texts that a line can contain ---- */

static mbd_status check_line(const char *name, const char *text, mbd_error *err) {
  if (text && strpbrk(text, "\n\r")) {
    MBD_FAIL(err, MBD_BAD_INPUT, "Slurm: %s = \"%s\" has a line break, which a batch script cannot hold", name, text);
  }
  return MBD_OK;
}

static mbd_status check_lines(const slurm_script *s, mbd_error *err) {
  const struct {
    const char *name, *text;
  } line[] = {{"job_name", s->job_name},   {"program", s->program},     {"folder of the study", s->study},
              {"folder of logs", s->logs}, {"partition", s->partition}, {"time_limit", s->time_limit},
              {"memory", s->memory},       {"account", s->account},     {"qos", s->qos}};
  for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) { MBD_TRY(check_line(line[i].name, line[i].text, err)); }
  if (strchr(s->logs, '\\')) {
    MBD_FAIL(err, MBD_BAD_INPUT, "Slurm: the folder of logs \"%s\" has a backslash, which sbatch does not take there",
             s->logs);
  }
  return MBD_OK;
}

/* ---- lines of sbatch ---- */

/* Writes a value of an option. sbatch interprets double quotes with backslashes; in names of files it replaces %A and similar, and %% by %. */
static void put_value(FILE *out, const char *text, int is_file) {
  for (const char *c = text; *c; c++) {
    if (*c == '"' || *c == '\\') { fputc('\\', out); }
    if (*c == '%' && is_file) { fputc('%', out); }
    fputc(*c, out);
  }
}

static void put_option(FILE *out, const char *option, const char *text) {
  if (!text || !text[0]) { return; }
  fprintf(out, "#SBATCH --%s=\"", option);
  put_value(out, text, 0);
  fputs("\"\n", out);
}

static void put_log(FILE *out, const char *folder, const char *name) {
  fputs("#SBATCH --output=\"", out);
  put_value(out, folder, 1);
  fprintf(out, "/%s.log\"\n#SBATCH --open-mode=append\n", name);
}

static mbd_status put_further(FILE *out, const char *options, mbd_error *err) {
  while (options && *options) {
    int length = (int)strcspn(options, "\n");
    const char *first = options + strspn(options, " \t");
    if (*first != '-' && first < options + length) {
      MBD_FAIL(err, MBD_BAD_INPUT, "Slurm: sbatch_options = \"%.*s\", expected options of sbatch, as --constraint=avx2",
               length, options);
    }
    if (first < options + length) { fprintf(out, "#SBATCH %.*s\n", (int)(options + length - first), first); }
    options += length + (options[length] == '\n');
  }
  return MBD_OK;
}

static mbd_status put_options(const slurm_script *s, FILE *out, mbd_error *err) {
  put_option(out, "job-name", s->job_name);
  put_option(out, "array", s->array);
  put_option(out, "dependency", s->dependency);
  put_option(out, "partition", s->partition);
  put_option(out, "time", s->time_limit);
  put_option(out, "mem", s->memory);
  put_option(out, "account", s->account);
  put_option(out, "qos", s->qos);
  fprintf(out, "#SBATCH --ntasks=1\n");
  if (s->cpus_per_task > 0) { fprintf(out, "#SBATCH --cpus-per-task=%d\n", s->cpus_per_task); }
  put_log(out, s->logs, s->array ? "%A_%a" : "merge_%j");
  fprintf(out, "#SBATCH --requeue\n");
  if (s->array) { fprintf(out, "#SBATCH --signal=B:USR1@%d\n", s->warning); }
  return put_further(out, s->sbatch_options, err);
}

/* ---- the commands of a task ---- */

/* NAME='text', quoted for the shell: a quote in the text closes the quotes, is escaped, and opens them again. */
static void put_assignment(FILE *out, const char *name, const char *text) {
  fprintf(out, "%s='", name);
  for (const char *c = text; *c; c++) {
    if (*c == '\'') {
      fputs("'\\''", out);
    } else {
      fputc(*c, out);
    }
  }
  fputs("'\n", out);
}

/* bash executes a trap only between commands or in `wait`, so the program runs in the background. `wait` returns early for a trap;
 * called again it gives the program's exit code, even after its end. A program killed by USR1 was signalled before it had its handler.
 * The queue sends TERM to all processes of a task at once, so that of the script may arrive after the program's exit. slurmctld may be
 * unavailable for a while, for example during a restart, so requeue is repeated for most of the minute before the limit. */
static const char task[] =
    "\n"
    "child='' interrupted='' leave=''\n"
    "pass_on() {\n"
    "  interrupted=$1\n"
    "  if [ -n \"$child\" ]; then kill -s \"$1\" \"$child\" 2>/dev/null; fi\n"
    "}\n"
    "trap 'pass_on USR1' USR1\n"
    "trap 'leave=1; pass_on TERM' TERM\n"
    "\n"
    "\"$program\" work \"$study\" --chunk \"$SLURM_ARRAY_TASK_ID/$chunks\" --jobs \"${SLURM_CPUS_PER_TASK:-1}\" $allow "
    "${command:+--command \"$command\"} &\n"
    "child=$!\n"
    "if [ -n \"$interrupted\" ]; then kill -s \"$interrupted\" \"$child\"; fi\n"
    "while interrupted=''; wait \"$child\"; code=$?; [ -n \"$interrupted\" ]; do :; done\n"
    "\n"
    "if [ \"$code\" -ne 75 ] && [ \"$code\" -ne $((128 + $(kill -l USR1))) ]; then exit \"$code\"; fi\n"
    "sleep 1\n"
    "if [ \"${SLURM_RESTART_COUNT:-0}\" -ge \"$most_restarts\" ]; then\n"
    "  echo \"chunk $SLURM_ARRAY_TASK_ID is not done after $most_restarts restarts: mbopt resume goes on with it\" "
    ">&2\n"
    "  exit \"$code\"\n"
    "fi\n"
    "for ((tries = 20; tries > 0; tries--)); do\n"
    "  if [ -n \"$leave\" ]; then exit \"$code\"; fi\n"
    "  if scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"; then exit 0; fi\n"
    "  sleep 2\n"
    "done\n"
    "exit \"$code\"\n";

mbd_status slurm_script_write(const slurm_script *s, FILE *out, mbd_error *err) {
  MBD_TRY(check_lines(s, err));
  fputs("#!/bin/bash\n", out);
  fputs(s->array ? "# Written by mbopt: each task of this array does the missing runs of one chunk.\n"
                 : "# Written by mbopt: one table of all runs, when the array of tasks is over.\n",
        out);
  MBD_TRY(put_options(s, out, err));
  fputc('\n', out);
  put_assignment(out, "program", s->program);
  put_assignment(out, "study", s->study);
  if (!s->array) {
    fprintf(out, "exec \"$program\" merge \"$study\"%s\n", s->allow_plugins ? " --allow-plugins" : "");
    return MBD_OK;
  }
  fprintf(out, "chunks=%d\nmost_restarts=%d\nallow='%s%s'\n", s->chunks, s->max_restarts,
          s->allow_plugins ? "--allow-plugins " : "", s->allow_commands ? "--allow-commands" : "");
  put_assignment(out, "command", s->command ? s->command : "");
  fputs(task, out);
  return MBD_OK;
}
