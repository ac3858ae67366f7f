#include "files/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files/atomic_file.h"
#include "files/memory.h"

struct process {
  pid_t pid;
  int in, out;                       /* our ends: where the program reads, where it writes */
  const volatile sig_atomic_t *stop; /* may be NULL */
  char *text;                        /* [capacity + 1] what came, from the beginning of a line */
  size_t n, capacity, taken;         /* taken: bytes of the line that was given to the caller last */
};

enum { SLICE = 100, FIRST = 4096 }; /* [ms] between two looks at *stop; bytes of the first buffer */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- start ---- */

/* In the child: becomes the program, or writes the error number to `report`. Only calls that are safe between fork and exec. The group of
 * its own keeps Ctrl-C at a terminal from the program, so that it is this program that ends it, with all that it has started. */
static void become(const char *const *argv, const int end[2], int report, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL), signal(SIGXFSZ, SIG_DFL);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* however this program ends, the other one does not outlive it */
  if (getppid() == parent && dup2(end[0], STDIN_FILENO) >= 0 && dup2(end[1], STDOUT_FILENO) >= 0) {
    execvp(argv[0], (char *const *)argv); /* the cast: as of posix_spawnp in command.c */
  }
  const int error = errno;
  (void)!write(report, &error, sizeof error);
  _exit(127);
}

/* Moves a descriptor beyond those of the three streams, which the child replaces one by one. */
static int beyond_streams(int fd) {
  if (fd > STDERR_FILENO || fd < 0) { return fd; }
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(fd);
  return moved;
}

/* Starts the child with its ends of the pipes [2]. Returns an error number. */
static int start(const char *const *argv, const int end[2], pid_t *pid) {
  const pid_t parent = getpid();
  int report[2], error = 0;
  if (pipe2(report, O_CLOEXEC) != 0) { return errno; }
  report[1] = beyond_streams(report[1]);
  *pid = fork();
  if (*pid == 0) { become(argv, end, report[1], parent); }
  error = *pid < 0 ? errno : 0;
  close(report[1]);
  /* The report ends without a byte where the program runs. */
  while (*pid > 0 && read(report[0], &error, sizeof error) < 0 && errno == EINTR) {}
  close(report[0]);
  if (*pid > 0 && error) {
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR) {}
  }
  return error;
}

mbd_status process_start(const char *const *argv, const volatile sig_atomic_t *stop, process **out, mbd_error *err) {
  int to[2] = {-1, -1}, from[2] = {-1, -1};
  process *p = mbd_zeros(1, sizeof *p);
  *out = NULL;
  MEMORY_TRY(p, err, "the program '%s'", argv[0]);
  p->stop = stop;
  /* A socket in the place of the pipe to the program: a write to it after its end gives an error and no signal SIGPIPE. */
  int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) != 0 || pipe2(from, O_CLOEXEC) != 0 ? errno : 0;
  for (int i = 0; i < 2; i++) { to[i] = beyond_streams(to[i]), from[i] = beyond_streams(from[i]); }
  if (!error && (to[0] < 0 || to[1] < 0 || from[0] < 0 || from[1] < 0)) { error = EMFILE; }
  if (!error) { error = start(argv, (const int[]){to[1], from[1]}, &p->pid); }
  if (to[1] >= 0) { close(to[1]); }
  if (from[1] >= 0) { close(from[1]); }
  if (!error) {
    p->in = to[0], p->out = from[0];
    *out = p;
    return MBD_OK;
  }
  if (to[0] >= 0) { close(to[0]); }
  if (from[0] >= 0) { close(from[0]); }
  free(p);
  if (error == ENOENT) { MBD_FAIL(err, MBD_UNSUPPORTED, "the program '%s' is not found", argv[0]); }
  MBD_FAIL(err, io_status(error), "the program '%s' cannot be started: %s", argv[0], strerror(error));
}

/* ---- lines ---- */

/* Waits until the descriptor can be read or written. Returns PROCESS_LINE_CAME where it can. */
static process_event wait_for(const process *p, int fd, short what, double until) {
  for (;;) {
    struct pollfd ready = {.fd = fd, .events = what};
    const double left = until - now();
    if (p->stop && *p->stop) { return PROCESS_STOPPED; }
    if (poll(&ready, 1, left <= 0 ? 0 : left * 1e3 < SLICE ? (int)(left * 1e3) + 1 : SLICE) > 0) {
      return PROCESS_LINE_CAME;
    }
    if (left <= 0) { return PROCESS_SILENT; }
  }
}

process_event process_send(process *p, const char *text, double seconds) {
  const double until = now() + seconds;
  size_t left = strlen(text);
  while (left > 0) {
    const process_event event = wait_for(p, p->in, POLLOUT, until);
    if (event != PROCESS_LINE_CAME) { return event; }
    const ssize_t sent = send(p->in, text, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EINTR && errno != EAGAIN) { return PROCESS_ENDED; }
    if (sent > 0) { text += sent, left -= (size_t)sent; }
  }
  return PROCESS_LINE_CAME;
}

/* Reads what is there to the end of the buffer, which grows. Returns 0 at the end of the program's output. */
static int read_more(process *p) {
  if (p->n == p->capacity) {
    const size_t capacity = p->capacity ? 2 * p->capacity : FIRST;
    char *grown = realloc(p->text, capacity + 1);
    if (!grown) { return 0; }
    p->text = grown, p->capacity = capacity;
  }
  const ssize_t came = read(p->out, p->text + p->n, p->capacity - p->n);
  if (came > 0) { p->n += (size_t)came; }
  p->text[p->n] = '\0';
  return came > 0 || (came < 0 && errno == EINTR);
}

process_event process_receive(process *p, double seconds, const char **line) {
  const double until = now() + seconds;
  /* The last line leaves the buffer. */
  p->n -= p->taken;
  if (p->taken) { memmove(p->text, p->text + p->taken, p->n + 1); }
  p->taken = 0;
  for (size_t looked = 0;;) {
    char *end = p->n > looked ? memchr(p->text + looked, '\n', p->n - looked) : NULL;
    *line = p->text ? p->text : "";
    if (end) {
      *end = '\0';
      p->taken = (size_t)(end - p->text) + 1;
      return PROCESS_LINE_CAME;
    }
    looked = p->n;
    if (p->n > PROCESS_LINE) { return PROCESS_TOO_LONG; }
    const process_event event = wait_for(p, p->out, POLLIN, until);
    if (event != PROCESS_LINE_CAME) { return event; }
    if (!read_more(p)) { return PROCESS_ENDED; }
  }
}

/* ---- end ---- */

/* Has the program ended? It stays a process that is waited for, so that its number belongs to no other one. */
static int has_ended(const process *p) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == p->pid;
}

int process_end(process *p, double seconds, int *killed) {
  static const struct timespec pause = {0, 2000000};
  const double until = now() + seconds;
  int status = 0;
  *killed = 0;
  if (!p) { return 0; }
  close(p->in);
  /* What it still writes is read, so that it does not wait for a reader. */
  while (!(*killed = now() >= until) && !has_ended(p)) {
    struct pollfd ready = {.fd = p->out, .events = POLLIN};
    p->n = p->taken = 0;
    if (poll(&ready, 1, 0) <= 0 || !read_more(p)) { nanosleep(&pause, NULL); }
  }
  *killed = *killed && !has_ended(p);
  kill(-p->pid, SIGKILL); /* with what it has started, which may outlive it */
  while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) {}
  close(p->out);
  free(p->text);
  free(p);
  return status;
}
