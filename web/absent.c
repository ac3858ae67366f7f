/* What the program asks of a system and a page does not have: processes of its own, a choice of processors. Each fails as the manual pages of
 * Linux say, and the callers tell what they cannot do. */
#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>

int posix_spawnp(pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
                 char *const environment[restrict]) {
  (void)pid, (void)file, (void)actions, (void)attributes, (void)arguments, (void)environment;
  return ENOSYS;
}

int prctl(int option, ...) {
  (void)option;
  errno = ENOSYS;
  return -1;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
  (void)pid, (void)size, (void)set;
  errno = ENOSYS;
  return -1;
}

int __sched_cpucount(size_t size, const cpu_set_t *set) {
  (void)size, (void)set;
  return 1;
}
