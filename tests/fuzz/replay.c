/* main() of the fuzz targets in ordinary builds: every file named on the command line goes through the reader once. The name
 * is told first, so that the last one told is the one that broke it. Files of folders called slow are left to MBOPT_LONG. */
#include "fuzz.h"

static int replay(const char *path) {
  FILE *in = fopen(path, "rb");
  size_t size = 0, capacity = 1 << 16;
  uint8_t *data = malloc(capacity);
  if (!in || !data) {
    if (in) { fclose(in); }
    free(data);
    return 0;
  }
  for (size_t n; (n = fread(data + size, 1, capacity - size, in)) > 0;) {
    size += n;
    if (size < capacity) { continue; }
    uint8_t *grown = realloc(data, capacity *= 2);
    if (!grown) { break; }
    data = grown;
  }
  fclose(in);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  return 1;
}

int main(int argc, char **argv) {
  const char *is_long = getenv("MBOPT_LONG");
  for (int i = 1; i < argc; i++) {
    if (strstr(argv[i], "/slow/") && !(is_long && *is_long)) { continue; }
    printf("%s\n", argv[i]);
    fflush(stdout);
    if (!replay(argv[i])) {
      fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 2;
    }
  }
  return argc > 1 ? 0 : 2;
}
