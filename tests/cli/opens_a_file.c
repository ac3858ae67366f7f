/* Loaded before the program: a library that takes the first free numbers of files while it is loaded, as hwloc does, which comes
 * with MPI and MUMPS. For tests/cli/test_streams.sh. */
#include <fcntl.h>

__attribute__((constructor)) static void takes_numbers(void) {
  for (int i = 0; i < 2; i++) { (void)!open("/", O_RDONLY); }
}
