#include "files/atomic_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/memory.h"

mbd_status io_status(int error) {
  return error == ENOMEM ? MBD_NO_MEMORY : MBD_IO_ERROR;
}

/* The name of an incomplete file contains machine and process, PATH.tmp-MACHINE-PROCESS-K, so that its process is known. If such a name exists
 * already, for example of a process with the same number before the machine was restarted, another K is used. */
enum { TRIES_MAX = 1000, MACHINE = 65 };
static const char before_machine[] = ".tmp-";

static const char *machine(char name[MACHINE]) {
  if (gethostname(name, MACHINE) != 0) { name[0] = '\0'; }
  name[MACHINE - 1] = '\0';
  return name;
}

mbd_status atomic_open(const char *path, atomic_file *a, mbd_error *err) {
  char name[MACHINE];
  MEMORY_TRY(path, err, "the path of a file");
  *a = (atomic_file){.path = mbd_strdup(path), .lost = mbd_memory_lost()};
  for (int k = 0; a->path && !a->out && (k == 0 || (errno == EEXIST && k < TRIES_MAX)); k++) {
    free(a->temporary);
    a->temporary = mbd_sprintf_dup("%s%s%s-%ld-%d", path, before_machine, machine(name), (long)getpid(), k);
    a->out = a->temporary ? fopen(a->temporary, "wx") : NULL;
  }
  if (!a->out) {
    mbd_status status = MBD_FAILED(err, io_status(errno), "%s cannot be written: %s", path, strerror(errno));
    free(a->path), free(a->temporary);
    *a = (atomic_file){0};
    return status;
  }
  return MBD_OK;
}

mbd_status atomic_open_in(const char *folder, const char *name, atomic_file *a, mbd_error *err) {
  char *path = path_in(folder, name);
  const mbd_status status = atomic_open(path, a, err);
  free(path);
  return status;
}

static mbd_status cannot_write(atomic_file *a, int error, mbd_error *err) {
  mbd_status status = MBD_FAILED(err, io_status(error), "%s cannot be written: %s", a->path, strerror(error));
  atomic_abort(a);
  return status;
}

int stream_flush(FILE *out) {
  const int failed = ferror(out);
  errno = 0;
  if (!failed && fflush(out) == 0) { return 0; }
  if (!errno && write(fileno(out), "\n", 1) == 1) { errno = 0; } /* again, since the stream does not keep the reason */
  return errno ? errno : EIO;
}

mbd_status atomic_commit(atomic_file *a, mbd_error *err) {
  int error = mbd_memory_lost() > a->lost ? ENOMEM : stream_flush(a->out);
  if (!error && !a->lazy && fsync(fileno(a->out)) != 0) { error = errno; }
  if (fclose(a->out) != 0 && !error) { error = errno; }
  a->out = NULL;
  if (error) { return cannot_write(a, error, err); }
  if (rename(a->temporary, a->path) != 0) { return cannot_write(a, errno, err); }
  free(a->path), free(a->temporary);
  *a = (atomic_file){0};
  return MBD_OK;
}

void atomic_abort(atomic_file *a) {
  if (a->out) { fclose(a->out); }
  if (a->temporary) { unlink(a->temporary); }
  free(a->path), free(a->temporary);
  *a = (atomic_file){0};
}

mbd_status atomic_end(atomic_file *a, mbd_status status, mbd_error *err) {
  if (status == MBD_OK) { return atomic_commit(a, err); }
  atomic_abort(a);
  return status;
}

/* Returns 1 if a process of this machine that has ended began the file of this name. */
static int is_left_over(const char *file) {
  char name[MACHINE];
  long process = 0;
  const char *at = strstr(file, before_machine);
  const size_t length = strlen(machine(name));
  if (!at || strncmp(at += strlen(before_machine), name, length) != 0) { return 0; }
  return sscanf(at + length, "-%ld-", &process) == 1 && process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

void atomic_tidy(const char *folder) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    if (is_left_over(e->d_name)) { unlinkat(dirfd(d), e->d_name, 0); }
  }
  if (d) { closedir(d); }
}

mbd_status copy_file(const char *from, const char *to, mbd_error *err) {
  atomic_file a;
  FILE *in = fopen(from, "r");
  if (!in) { MBD_FAIL(err, io_status(errno), "%s cannot be read: %s", from, strerror(errno)); }
  mbd_status status = atomic_open(to, &a, err);
  for (int k; status == MBD_OK && (k = getc(in)) != EOF;) { putc(k, a.out); }
  const int bad = ferror(in);
  fclose(in);
  if (status == MBD_OK && bad) {
    atomic_abort(&a);
    MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be read", from);
  }
  return status == MBD_OK ? atomic_commit(&a, err) : status;
}

mbd_status link_file(const char *from, const char *to, mbd_error *err) {
  if (link(from, to) == 0) { return MBD_OK; }
  if (errno == EEXIST) { MBD_FAIL(err, MBD_IO_ERROR, "%s is there already", to); }
  return copy_file(from, to, err);
}

mbd_status keep_as(const char *path, const char *word, char **kept, mbd_error *err) {
  for (int k = 1;; k++) {
    *kept = k == 1 ? mbd_sprintf_dup("%s.%s", path, word) : mbd_sprintf_dup("%s.%s%d", path, word, k);
    MEMORY_TRY(*kept, err, "%s", path);
    if (access(*kept, F_OK) != 0) { break; }
    free(*kept);
  }
  const mbd_status status = link_file(path, *kept, err);
  if (status != MBD_OK) {
    free(*kept);
    *kept = NULL;
  }
  return status;
}

/* Creates every folder of the path that does not exist, from the outermost one on. */
mbd_status make_folder(const char *path, mbd_error *err) {
  char *copy = mbd_strdup(path);
  int error = 0;
  MEMORY_TRY(copy, err, "the path of a folder");
  for (char *c = copy; !error; c++) {
    char end = *c;
    if ((end == '/' && c != copy) || end == '\0') {
      *c = '\0';
      if (mkdir(copy, 0777) != 0 && errno != EEXIST) { error = errno; }
      *c = end;
    }
    if (end == '\0') { break; }
  }
  struct stat info;
  if (!error && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))) { error = ENOTDIR; }
  free(copy);
  if (error) {
    MBD_FAIL(err, io_status(error), "folder %s cannot be made: %s%s", path, strerror(error),
             error == EACCES || error == EROFS ? "; choose another one with --output" : "");
  }
  return MBD_OK;
}

mbd_status folder_each(const char *folder, const char *beginning, folder_visit visit, void *user, mbd_error *err) {
  mbd_status status = MBD_OK;
  DIR *d = opendir(folder);
  if (!d && errno == ENOENT) { return MBD_OK; }
  while (d && status == MBD_OK) {
    errno = 0; /* which tells the end of the folder from an error */
    const struct dirent *f = readdir(d);
    if (!f) { break; }
    if (strncmp(f->d_name, beginning, strlen(beginning)) == 0) { status = visit(user, f->d_name, err); }
  }
  const int error = status == MBD_OK ? errno : 0;
  if (d) { closedir(d); }
  if (error) { MBD_FAIL(err, io_status(error), "%s cannot be read: %s", folder, strerror(error)); }
  return status;
}

mbd_status path_check(const char *path, mbd_error *err) {
  for (const char *c = path; *c; c++) {
    if (!iscntrl((unsigned char)*c)) { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "path '%.*s...': a line break or a control character (code %d), expected a path in one line",
             (int)(c - path), path, (unsigned char)*c);
  }
  return MBD_OK;
}

char *path_in(const char *folder, const char *name) {
  return mbd_sprintf_dup("%s/%s", folder, name);
}

char *path_shown(const char *path) {
  char *whole = realpath(path, NULL), *here = realpath(".", NULL);
  const size_t n = here ? strlen(here) : 0;
  const int below = whole && n > 1 && strncmp(whole, here, n) == 0 && whole[n] == '/';
  char *shown = mbd_strdup(below ? whole + n + 1 : whole ? whole : path);
  free(whole), free(here);
  return shown;
}

mbd_status file_written(const char *folder, const char *name, double *when, mbd_error *err) {
  struct stat info;
  char *path = path_in(folder, name);
  MEMORY_TRY(path, err, "%s/%s", folder, name);
  *when = stat(path, &info) == 0 ? (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec : -1;
  free(path);
  return MBD_OK;
}
