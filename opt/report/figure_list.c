#include "report/figure_list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

char *figure_file_name(char *name, int number) {
  enum { MOST = 180 }; /* bytes of a name: 255 in file systems, minus numbers and endings */
  if (!name) { return NULL; }
  if (strlen(name) > MOST) { name[MOST] = '\0'; }
  for (char *s = name; *s; s++) {
    if (!isalnum((unsigned char)*s) && !strchr("._-", *s)) { *s = '_'; }
  }
  if (number < 2) { return name; }
  char *numbered = mbd_sprintf_dup("%s_%d", name, number);
  free(name);
  return numbered;
}

static int taken(const figure_list *l, const char *name) {
  for (int i = 0; i < l->n; i++) {
    if (strcmp(l->item[i].name, name) == 0) { return 1; }
  }
  return 0;
}

mbd_status figure_list_add(figure_list *l, figure_item f, mbd_error *err) {
  figure_item *grown = mbd_list_grow(l->item, l->n, sizeof *grown);
  if (grown) { l->item = grown; }
  for (int k = 1; f.name && (k == 1 || taken(l, f.name)); k++) { f.name = figure_file_name(f.name, k); }
  if (!grown || !f.name || !f.caption) {
    free(f.name), free(f.caption);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the list of figures");
  }
  grown[l->n++] = f;
  return MBD_OK;
}

void figure_list_free(figure_list *l) {
  for (int i = 0; i < l->n; i++) { free(l->item[i].name), free(l->item[i].caption); }
  free(l->item);
  *l = (figure_list){0};
}

mbd_status figure_list_draw(const figure_list *l, int i, figure_target *t, mbd_error *err) {
  return l->draw(l->from, &l->item[i], t, err);
}
