/* Signals that ask the program to end, and the program's path. */
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"

volatile sig_atomic_t cli_stop;
static volatile sig_atomic_t looks_at_stop;

/* The second Ctrl-C has its default action: it ends the program at once, and saved files remain complete. */
static void on_signal(int number) {
  static const char text[] = "mbopt: interrupted\n";
  if (!looks_at_stop) {
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(EXIT_INTERRUPTED);
  }
  if (number == SIGINT) { signal(SIGINT, SIG_DFL); }
  cli_stop = 1;
}

void cli_catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

void cli_look_at_stop(void) {
  looks_at_stop = 1;
}

const char *cli_program(void) {
  static char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  return n > 0 ? path : "mbopt";
}
