/* Preloaded into the program: makes one allocation fail, and tells whose it was. The clock stands still, so that every run
 * writes the same files to the byte. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "failing_allocations.h"

enum { FRAMES = 24 };
static const time_t frozen = 1700000000; /* [s] */

/* Shared with the processes that the program makes itself. */
typedef struct shared {
  atomic_long calls;
  atomic_int failed;
  failing_reply reply;
} shared;

static shared *common;
static failing_request request;
static long calls;                           /* of this process, those before its fork included */
static int owners = -1;                      /* file of the census */
static uintptr_t program_begin, program_end; /* the addresses of the program itself */

/* glibc's own, behind the names that are replaced here */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

/* ---- whose allocation it was ---- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int only_passes_on(const char *object) {
  return strncmp(object, "libc.so", 7) == 0 || strncmp(object, "libstdc++", 9) == 0 ||
         strstr(object, "failing_allocations") != NULL;
}

static void tell_owner(failing_reply *r) {
  void *frame[FRAMES];
  size_t at = 0;
  const int n = backtrace(frame, FRAMES);
  for (int i = 0; i < n && at < sizeof r->where; i++) {
    Dl_info info;
    if (!dladdr(frame[i], &info) || !info.dli_fname) { continue; }
    const char *object = base_name(info.dli_fname);
    if (strstr(object, "failing_allocations")) { continue; }
    if (!*r->owner && !only_passes_on(object)) { snprintf(r->owner, sizeof r->owner, "%s", object); }
    at += (size_t)snprintf(r->where + at, sizeof r->where - at, " %s+%#lx", object,
                           (unsigned long)((uintptr_t)frame[i] - (uintptr_t)info.dli_fbase));
  }
}

static void take_census(void) {
  failing_reply r = {0};
  tell_owner(&r);
  const char letter = failing_may_end(r.owner) ? FAILING_OF_LIBRARY : FAILING_OURS;
  if (pwrite(owners, &letter, 1, calls - 1) != 1) { _exit(126); }
}

/* Counts a request; whether it is to fail. */
static int fails(void) {
  if (!common) { return 0; }
  calls++;
  if (common->calls < calls) { common->calls = calls; }
  if (owners >= 0) { take_census(); }
  if (request.at == 0 || (request.onwards ? calls < request.at : calls != request.at)) { return 0; }
  if (!atomic_exchange(&common->failed, 1)) { tell_owner(&common->reply); }
  errno = ENOMEM;
  return 1;
}

/* ---- the functions that the program finds instead of glibc's ---- */

void *malloc(size_t n) {
  return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
  return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n) {
  return fails() ? NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(p, bytes);
}

void *memalign(size_t alignment, size_t n) {
  return fails() ? NULL : __libc_memalign(alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n) {
  return memalign(alignment, n);
}

int posix_memalign(void **out, size_t alignment, size_t n) {
  void *p = memalign(alignment, n);
  if (!p) { return ENOMEM; }
  *out = p;
  return 0;
}

/* Time stands still for the program alone: libraries may wait for it to pass, as MPI does, which comes with IPOPT on some systems. */
static struct timespec now_of(const void *caller) {
  struct timespec t = {.tv_sec = frozen};
  const uintptr_t at = (uintptr_t)caller;
  if (!common || at < program_begin || at >= program_end) { syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t); }
  return t;
}

int clock_gettime(clockid_t id, struct timespec *t) {
  (void)id;
  *t = now_of(__builtin_return_address(0));
  return 0;
}

time_t time(time_t *t) {
  const time_t now = now_of(__builtin_return_address(0)).tv_sec;
  if (t) { *t = now; }
  return now;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  const struct timespec now = now_of(__builtin_return_address(0));
  (void)zone;
  *t = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

/* ---- a process for each request ---- */

static void redirect(int to, const char *name) {
  const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, to) < 0) { _exit(126); }
  close(fd);
}

static void become_program(void) {
  close(FAILING_REQUEST_FD), close(FAILING_REPLY_FD);
  if (chdir(request.folder) != 0) { _exit(126); }
  redirect(STDOUT_FILENO, "out");
  redirect(STDERR_FILENO, "err");
  if (request.census) { owners = open("owners", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); }
  alarm(request.census ? 20 * FAILING_LIMIT : FAILING_LIMIT); /* naming owners takes time */
  calls = 0;
}

static int find_program(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size, (void)user;
  program_begin = program_end = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && end > program_end) { program_end = end; }
  }
  return 1; /* the first is the program */
}

__attribute__((constructor)) static void serve(void) {
  void *frame[1];
  if (!getenv("MBOPT_FAILING")) { return; }
  unsetenv("MBOPT_FAILING"), unsetenv("LD_PRELOAD"); /* programs that this one starts have all memory */
  dl_iterate_phdr(find_program, NULL);
  (void)backtrace(frame, 1); /* its first call takes memory */
  shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (s == MAP_FAILED) { _exit(126); }
  while (read(FAILING_REQUEST_FD, &request, sizeof request) == (ssize_t)sizeof request) {
    memset(s, 0, sizeof *s);
    const pid_t pid = fork();
    if (pid == 0) {
      common = s;
      become_program();
      return;
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) { _exit(126); }
    failing_reply r = s->reply;
    r.status = status, r.calls = s->calls, r.failed = s->failed;
    if (write(FAILING_REPLY_FD, &r, sizeof r) != (ssize_t)sizeof r) { break; }
  }
  _exit(0);
}
