#include "files/command.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/atomic_file.h"

/* The three streams are files that are deleted when closed. Unlike pipes they never block, and processes that the command leaves in the
 * background do not delay their end. */
enum { STREAMS = 3 };

static mbd_status open_streams(FILE *stream[STREAMS], const char *input, mbd_error *err) {
  for (int i = 0; i < STREAMS; i++) {
    stream[i] = tmpfile();
    if (!stream[i]) { MBD_FAIL(err, io_status(errno), "a temporary file cannot be made: %s", strerror(errno)); }
    fcntl(fileno(stream[i]), F_SETFD, FD_CLOEXEC);
  }
  if (input && (fputs(input, stream[0]) == EOF || fflush(stream[0]) != 0)) {
    MBD_FAIL(err, MBD_IO_ERROR, "a temporary file cannot be written: %s", strerror(errno));
  }
  rewind(stream[0]);
  return MBD_OK;
}

/* Reads everything in the stream, n bytes in new memory; NULL with errno set. */
static char *read_stream(FILE *stream, size_t *n) {
  if (fseek(stream, 0, SEEK_END) != 0) { return NULL; }
  long size = ftell(stream);
  char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (!text) { return NULL; }
  rewind(stream);
  *n = fread(text, 1, (size_t)size, stream);
  text[*n] = '\0';
  return text;
}

/* Starts a process; returns the error number of posix_spawnp. */
static int spawn(const char *const *argv, FILE *const stream[STREAMS], pid_t *child) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) { return error; }
  for (int i = 0; i < STREAMS && !error; i++) {
    error = posix_spawn_file_actions_adddup2(&actions, fileno(stream[i]), i);
  }
  /* the cast: posix_spawnp takes char *const[] for reasons older than const, and changes nothing */
  if (!error) { error = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)argv, environ); }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static mbd_status run(const char *const *argv, FILE *const stream[STREAMS], const char *package, command_result *r,
                      mbd_error *err) {
  pid_t child;
  size_t ntext;
  int error = spawn(argv, stream, &child);
  if (error == ENOENT) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "the command '%s' is not found (Debian: %s)", argv[0], package);
  }
  if (error) { MBD_FAIL(err, io_status(error), "the command '%s' cannot be started: %s", argv[0], strerror(error)); }
  r->code = wait_for(child);
  r->out = read_stream(stream[1], &r->nout);
  r->text = read_stream(stream[2], &ntext);
  if (!r->out || !r->text) {
    MBD_FAIL(err, io_status(errno), "what the command '%s' wrote cannot be read: %s", argv[0], strerror(errno));
  }
  return MBD_OK;
}

mbd_status command_run(const char *const *argv, const char *input, const char *package, command_result *r,
                       mbd_error *err) {
  FILE *stream[STREAMS] = {0};
  *r = (command_result){0};
  mbd_status status = open_streams(stream, input, err);
  if (status == MBD_OK) { status = run(argv, stream, package, r, err); }
  for (int i = 0; i < STREAMS; i++) {
    if (stream[i]) { fclose(stream[i]); }
  }
  if (status != MBD_OK) { command_result_destroy(r); }
  return status;
}

mbd_status command_ok(const char *name, const command_result *r, mbd_error *err) {
  if (r->code == 0) { return MBD_OK; }
  /* The last line that is not empty has the reason. */
  const char *end = r->text + strlen(r->text);
  while (end > r->text && (end[-1] == '\n' || end[-1] == ' ')) { end--; }
  const char *line = end;
  while (line > r->text && line[-1] != '\n') { line--; }
  MBD_FAIL(err, MBD_IO_ERROR, "the command '%s' failed with exit code %d: %.*s", name, r->code, (int)(end - line),
           line);
}

void command_result_destroy(command_result *r) {
  free(r->out), free(r->text);
  *r = (command_result){0};
}
