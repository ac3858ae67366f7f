#include "report/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { IN, OUT, ERR, N_STREAMS };

static mbd_status start(FILE *const stream[N_STREAMS], pid_t *pid, mbd_error *err) {
  char name[] = "gnuplot", plain[] = "--default-settings", from[] = "-"; /* nobody's ~/.gnuplot */
  char *const argv[] = {name, plain, from, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < N_STREAMS; i++) { posix_spawn_file_actions_adddup2(&actions, fileno(stream[i]), i); }
  const int error = posix_spawnp(pid, name, &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "figures need the program gnuplot, which is not there: install the package gnuplot-nox");
  }
  if (error) { MBD_FAIL(err, MBD_IO_ERROR, "gnuplot cannot be started: %s", strerror(error)); }
  return MBD_OK;
}

/* All of a stream in new memory, with a 0 at its end; NULL: it cannot be read. */
static char *contents(FILE *f, size_t *n) {
  const long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
  rewind(f);
  if (!text || fread(text, 1, (size_t)size, f) != (size_t)size) {
    free(text);
    return NULL;
  }
  text[size] = '\0';
  *n = (size_t)size;
  return text;
}

/* gnuplot shows the line, a mark below it, and says in the last line that is not empty what it did not like there. */
static const char *complaint(char *words) {
  char *end = words + strlen(words);
  while (end > words && (end[-1] == '\n' || end[-1] == ' ')) { *--end = '\0'; }
  const char *last = strrchr(words, '\n');
  return last ? last + 1 : words;
}

static mbd_status judge(int ended, char *words, size_t n, mbd_error *err) {
  if (ended == 0 && n > 0) { return MBD_OK; }
  if (WIFSIGNALED(ended)) { MBD_FAIL(err, MBD_IO_ERROR, "gnuplot was ended by signal %d", WTERMSIG(ended)); }
  if (strstr(words, "terminal type")) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "this gnuplot cannot draw the format (%s): install the package gnuplot-nox",
             complaint(words));
  }
  MBD_FAIL(err, MBD_IO_ERROR, "gnuplot drew nothing: %s", *words ? complaint(words) : "it did not say why");
}

static mbd_status finish(FILE *const stream[N_STREAMS], pid_t pid, char **out, size_t *n, mbd_error *err) {
  int ended = 0;
  while (waitpid(pid, &ended, 0) < 0) {
    if (errno != EINTR) { MBD_FAIL(err, MBD_IO_ERROR, "gnuplot got lost: %s", strerror(errno)); }
  }
  size_t size = 0, nwords = 0;
  char *picture = contents(stream[OUT], &size), *words = contents(stream[ERR], &nwords);
  mbd_status status = picture && words ? judge(ended, words, size, err)
                                       : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for a figure");
  free(words);
  if (status != MBD_OK) {
    free(picture);
    return status;
  }
  *out = picture, *n = size;
  return MBD_OK;
}

mbd_status gnuplot_run(const char *script, size_t size, char **out, size_t *n, mbd_error *err) {
  FILE *stream[N_STREAMS] = {tmpfile(), tmpfile(), tmpfile()};
  pid_t pid = 0;
  mbd_status status = MBD_OK;
  if (!stream[IN] || !stream[OUT] || !stream[ERR] || fwrite(script, 1, size, stream[IN]) != size ||
      fflush(stream[IN]) != 0 || fseek(stream[IN], 0, SEEK_SET) != 0) {
    status = mbd_fail(err, MBD_IO_ERROR, __func__, __LINE__, "no temporary file for a figure: %s", strerror(errno));
  }
  if (status == MBD_OK) { status = start(stream, &pid, err); }
  if (status == MBD_OK) { status = finish(stream, pid, out, n, err); }
  for (int i = 0; i < N_STREAMS; i++) {
    if (stream[i]) { fclose(stream[i]); }
  }
  return status;
}
