/* Optimizers of one's own: a function of the calling program, or a program that is started, asks by lines of JSON and ends (docs/own_optimizer.md).
 * Whatever it does, what was evaluated is not lost: the evaluator has it, and the best design is the result. */
#include "backend/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "backend/ask.h"
#include "backend/backend.h"
#include "backend/command_line.h"
#include "files/command_text.h"
#include "files/json.h"
#include "files/plural.h"
#include "files/process.h"
#include "files/text_list.h"

/* ---- permission ---- */

static int allowed;
static const char *allowed_text;

void mbo_commands_allow(int allow) {
  allowed = allow;
}

void command_allow_text(const char *text) {
  allowed_text = text;
}

mbd_status command_check_allowed(const char *command, mbd_error *err) {
  if (allowed || (allowed_text && strcmp(allowed_text, command) == 0)) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_BAD_INPUT,
      "[optimizer] command = %s: the program is not started, as it would run with all rights of this user; if you "
      "know what it does, allow it (--allow-commands, or name it by --command; in Python mbopt.allow_commands(), in "
      "C mbo_commands_allow)",
      command);
}

/* ---- the dialogue with a program ---- */

typedef struct dialogue {
  mbo_ask *a;
  process *process;
  double within; /* [s] for each line */
  long lines;    /* that came */
} dialogue;

static const double end_within = 1; /* [s] that a program has for its own end once it has nothing left to ask */

/* Sends an object, which is freed. */
static process_event send_line(const dialogue *d, json_t *o) {
  char *text = json_memory_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17), mbd_memory_lost());
  char *line = text ? mbd_sprintf_dup("%s\n", text) : NULL;
  const process_event event = line ? process_send(d->process, line, d->within) : PROCESS_ENDED;
  free(line), free(text);
  json_decref(o);
  return event;
}

/* How the process has ended, in words. */
static void end_words(int how, char *text, size_t size) {
  if (WIFSIGNALED(how)) {
    snprintf(text, size, "was ended by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
  } else {
    snprintf(text, size, "ended with exit code %d", WEXITSTATUS(how));
  }
}

/* Ends the process after an event that is no line, and says what it was. */
static mbd_status lost(dialogue *d, process_event event, const char *rest, mbd_error *err) {
  char words[128], part[64];
  int killed, how;
  /* This program is to stop: its result is what there is. */
  if (event == PROCESS_STOPPED) {
    d->a->r->status = MBO_INTERRUPTED;
    (void)process_end(d->process, 0, &killed);
    d->process = NULL;
    MBD_FAIL(err, MBD_INTERRUPTED, "told to stop");
  }
  /* `rest` is lost with the process, which has some time to end by itself only if it has closed its output. */
  snprintf(part, sizeof part, "%s", rest);
  how = process_end(d->process, event == PROCESS_ENDED ? end_within : 0, &killed);
  d->process = NULL;
  /* What the program has done, in words. */
  if (event == PROCESS_SILENT) {
    MBD_FAIL(err, MBD_IO_ERROR,
             "the optimizer wrote no line within answer_within = %g s (after %ld line%s); it was killed", d->within,
             d->lines, plural(d->lines));
  }
  if (event == PROCESS_TOO_LONG) {
    MBD_FAIL(err, MBD_IO_ERROR, "the optimizer wrote more than %d bytes without a line break: '%s...'; it was killed",
             PROCESS_LINE, part);
  }
  end_words(how, words, sizeof words);
  MBD_FAIL(err, MBD_IO_ERROR,
           "the optimizer %s, expected a line {\"done\": ...} before it ends (after %ld line%s%s%s%s)",
           killed ? "closed its standard output" : words, d->lines, plural(d->lines),
           *part ? "; the last, without a line break: '" : "", part, *part ? "'" : "");
}

/* The answer to a line that got none: the design has failed, the run is over, or the line was wrong. */
static json_t *other_answer(const dialogue *d, mbd_status status, const mbd_error *why) {
  if (status > 0) { return json_pack("{s:o, s:s}", "failed", json_text(why->text), "status", mbd_status_name(status)); }
  if (d->a->ended) { return json_pack("{s:s}", "stop", d->a->ended); }
  return json_pack("{s:o}", "error", json_text(why->text));
}

/* Talks until one of both ends it. */
static mbd_status talk(dialogue *d, mbd_error *err) {
  const char *line = "";
  process_event event = send_line(d, command_line_problem(d->a));
  for (int done = 0; !done;) {
    mbd_error why = {0};
    json_t *answer;
    if (event == PROCESS_LINE_CAME) { event = process_receive(d->process, d->within, &line); }
    if (event != PROCESS_LINE_CAME) { return lost(d, event, line, err); }
    d->lines++;
    const mbd_status status = command_line_answer(d->a, line, &answer, &done, &why);
    if (status != MBD_OK) {
      json_decref(answer);
      answer = other_answer(d, status, &why);
    }
    if (status == MBD_BAD_INPUT || status == MBD_UNSUPPORTED) {
      (void)MBD_FAILED(err, status, "line %ld of the optimizer, '%.60s%s': %s", d->lines, line,
                       strlen(line) > 60 ? "..." : "", why.text);
    } else if (status < 0 && err) {
      *err = why;
    }
    if (answer) { event = send_line(d, answer); }
    if (status < 0) { return status; }
    line = "";
  }
  return MBD_OK;
}

static mbd_status run_program(mbo_ask *a, mbd_error *err) {
  static const double usual = 600;
  const mbo_settings *s = mbo_ask_settings(a);
  dialogue d = {.a = a, .within = s->answer_within > 0 ? s->answer_within : usual};
  char **word;
  int n, killed;
  MBD_TRY(command_text_split(s->command, &word, &n, err));
  mbd_status status = process_start((const char *const *)word, s->stop, &d.process, err);
  text_list_free(word, n);
  MBD_TRY(status);
  status = talk(&d, err);
  (void)process_end(d.process, end_within, &killed);
  return status;
}

/* ---- the backend ---- */

/* An end without a word is a failure; so is an error, except of what is not the optimizer's. */
static mbd_status judge(mbo_ask *a, mbd_status status, const mbd_error *why, mbd_error *err) {
  if (status == MBD_NO_MEMORY || evaluator_fatal(a->e, NULL) != MBD_OK || a->r->status == MBO_INTERRUPTED) {
    if (err) { *err = *why; }
    return status;
  }
  if (a->ended || a->said) { return MBD_OK; }
  a->r->status = MBO_FAILED;
  snprintf(a->r->text, sizeof a->r->text, "%s",
           status != MBD_OK ? why->text : "the optimizer has returned without saying how it ended (mbo_ask_end)");
  return MBD_OK;
}

static mbd_status command_solve(evaluator *e, const mbo_settings *s, mbo_result *r, mbd_error *err) {
  mbd_error why = {0};
  mbo_ask a;
  MBD_TRY(ask_create(e, s, r, &a, err));
  /* It says itself what it wants of a design, and may search globally. */
  evaluator_along(e, 0), evaluator_watch(e, 0);
  mbd_status status = s->optimizer ? s->optimizer(s->of_optimizer, &a, &why) : run_program(&a, &why);
  status = judge(&a, status, &why, err);
  ask_free(&a);
  return status;
}

static mbd_status command_check(const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  char **word;
  int n;
  (void)p;
  if (s->optimizer) { return MBD_OK; }
  if (!s->command || !*s->command) {
    MBD_FAIL(err, MBD_BAD_INPUT, "[optimizer] backend = command needs command = PROGRAM ARGUMENTS");
  }
  MBD_TRY(mbd_locate(err, command_text_split(s->command, &word, &n, err), "[optimizer] command: "));
  mbd_status status = command_check_allowed(s->command, err);
  if (status == MBD_OK && !command_text_found(word[0])) {
    status = MBD_FAILED(err, MBD_UNSUPPORTED, "[optimizer] command = %s: the program '%s' is not found", s->command,
                        word[0]);
  }
  text_list_free(word, n);
  return status;
}

const backend_ops backend_command = {
    .name = "command",
    .doc = "An optimizer of one's own: a program that asks by lines of JSON (docs/own_optimizer.md), or a function.",
    .caps = MBO_CAP_BOUNDS | MBO_CAP_CONSTRAINTS | MBO_CAP_GRADIENT_FREE | MBO_CAP_GAUSS_NEWTON | MBO_CAP_HESSIAN,
    .check = command_check,
    .solve = command_solve,
};
