/* A program of somebody else, built with the installed libraries. Functions of its own have names that functions inside of the libraries
 * have, too. */
#include <stdio.h>

#include "mbd/model.h"
#include "mbd/version.h"
#include "mbo/model_file.h"

int journal_open(void);
int journal_open(void) {
  return 1;
}

int sweep_position(void);
int sweep_position(void) {
  return 1;
}

int main(int argc, char **argv) {
  mbd_error e = {0};
  mbo_model_file *file = NULL;
  mbd_model *model = NULL;
  if (argc != 2) { return 2; }
  if (mbo_model_file_read(argv[1], 0, NULL, NULL, &file, &e) ||
      mbd_model_create(mbo_model_file_spec(file), &model, &e)) {
    fprintf(stderr, "%s\n", e.text);
    return 1;
  }
  printf("%s: %d coordinates\n", mbo_model_file_title(file), mbd_model_nz(model));
  mbd_model_destroy(model);
  mbo_model_file_destroy(file);
  return journal_open() + sweep_position() == 2 ? 0 : 1;
}
