#include "files/command_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/atomic_file.h"
#include "files/memory.h"
#include "files/text_list.h"
#include "files/text_stream.h"

/* Copies the word at *at to `word`, without its quotes, and moves *at past it. Returns 0 if a quote is open. */
static int next_word(const char **at, char *word) {
  const char *s = *at;
  for (char quote = 0; *s && (quote || !strchr(" \t", *s)); s++) {
    if (quote ? *s == quote : *s == '\'' || *s == '"') {
      quote = (char)(quote ? 0 : *s);
      if (quote && !strchr(s + 1, quote)) { return 0; }
    } else {
      *word++ = *s;
    }
  }
  *word = '\0';
  *at = s;
  return 1;
}

mbd_status command_text_split(const char *text, char ***word, int *n, mbd_error *err) {
  const long before = mbd_memory_lost();
  char **list = NULL, *buffer = mbd_zeros(strlen(text) + 1, 1);
  mbd_status status = MBD_OK;
  *word = NULL, *n = 0;
  /* results and scripts hold it in one line */
  for (const char *c = text; *c && status == MBD_OK; c++) {
    if (*c == '\t' || !iscntrl((unsigned char)*c)) { continue; }
    status =
        MBD_FAILED(err, MBD_BAD_INPUT, "a line break or a control character (code %d), expected a command in one line",
                   (unsigned char)*c);
  }
  for (const char *s = text + strspn(text, " \t"); buffer && *s && status == MBD_OK; s += strspn(s, " \t")) {
    if (next_word(&s, buffer)) {
      text_list_add(&list, n, buffer);
    } else {
      status = MBD_FAILED(err, MBD_BAD_INPUT, "the quote in '%s' is open, expected its end", s);
    }
    if (mbd_memory_lost() > before) { break; }
  }
  free(buffer);
  if (status == MBD_OK) { status = MEMORY_SINCE(before, err, "a command"); }
  if (status == MBD_OK && *n == 0) {
    status = MBD_FAILED(err, MBD_BAD_INPUT, "no command, expected a program with its arguments");
  }
  char **whole = status == MBD_OK ? mbd_list_grow(list, *n, sizeof *whole) : NULL; /* one place more, for NULL */
  if (whole) {
    whole[*n] = NULL;
    *word = whole;
    return MBD_OK;
  }
  text_list_free(list, *n);
  *n = 0;
  return status == MBD_OK ? MEMORY_NONE(err, "a command") : status;
}

/* Writes a word, in quotes if it needs them; a '"' in it stands in quotes of its own. */
static void put_word(FILE *out, const char *word) {
  if (*word && !strpbrk(word, " \t'\"")) {
    fputs(word, out);
    return;
  }
  fputc('"', out);
  for (; *word; word++) { fputs(*word == '"' ? "\"'\"'\"" : (const char[]){*word, '\0'}, out); }
  fputc('"', out);
}

static int is_file(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

mbd_status command_text_beside(const char *folder, const char *text, char **out, mbd_error *err) {
  char **word;
  int n;
  text_stream stream;
  *out = NULL;
  MBD_TRY(command_text_split(text, &word, &n, err));
  FILE *to = text_begin(&stream);
  for (int i = 0; to && i < n; i++) {
    char resolved[PATH_MAX], *path = word[i][0] == '/' ? NULL : path_in(folder, word[i]);
    const int known = path && (i > 0 || strchr(word[i], '/')) && is_file(path) && realpath(path, resolved);
    if (i > 0) { fputc(' ', to); }
    put_word(to, known ? resolved : word[i]);
    free(path);
  }
  text_list_free(word, n);
  *out = text_end(&stream);
  MEMORY_TRY(*out, err, "a command");
  return MBD_OK;
}

int command_text_found(const char *program) {
  const char *at = getenv("PATH");
  char path[PATH_MAX];
  if (strchr(program, '/')) { return is_file(program) && access(program, X_OK) == 0; }
  if (!at) { return 1; } /* the default of execvp */
  for (;; at++) {
    const size_t length = strcspn(at, ":");
    snprintf(path, sizeof path, "%.*s%s%s", (int)length, at, length ? "/" : "./", program);
    if (is_file(path) && access(path, X_OK) == 0) { return 1; }
    at += length;
    if (!*at) { return 0; }
  }
}
