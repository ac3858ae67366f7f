/* Vehicles of Project Chrono: any bytes in the place of one of the files of a car, which is that of the "Type" in them, are read or refused; so is the model that is written. */
#include "config/config.h"
#include "fuzz.h"
#include "import/chrono.h"

static const char *const files[][2] = {
    {"\"Vehicle\"", "vehicle/Sedan_Vehicle.json"},      {"\"Chassis\"", "chassis/Sedan_Chassis.json"},
    {"\"Steering\"", "steering/Sedan_RackPinion.json"}, {"\"Wheel\"", "wheel/Sedan_Wheel.json"},
    {"\"Tire\"", "tire/Sedan_TMeasyTire.json"},         {"", "suspension/Sedan_DoubleWishbone.json"}};
enum { FILES = sizeof files / sizeof files[0] };

static char folder[60];

static void put(const char *name, const void *data, size_t size) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  promise(out && fwrite(data, 1, size, out) == size && fclose(out) == 0, "a file", path);
}

/* The file of the car. */
static void put_own(const char *name) {
  char path[200], text[4000];
  snprintf(path, sizeof path, "tests/unit/import/chrono/sedan/%s", name);
  FILE *in = fopen(path, "rb");
  promise(in != NULL, "a file of the car, in the folder of the project", path);
  put(name, text, fread(text, 1, sizeof text, in));
  fclose(in);
}

static void end(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  promise(system(command) == 0, "a folder that is removed", folder);
}

static void begin(void) {
  fuzz_folder_make(folder);
  atexit(end);
  for (int i = 0; i < FILES; i++) {
    char path[200];
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)strcspn(files[i][1], "/"), files[i][1]);
    promise(mkdir(path, 0700) == 0, "a folder", path);
    put_own(files[i][1]);
  }
  char link[100];
  snprintf(link, sizeof link, "%s/sedan", folder);
  promise(symlink(".", link) == 0, "a link", link);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size), car[100], tyre[100];
  int which = 0;
  chrono_model m;
  mbo_model_file *model = NULL;
  mbd_error err = {0};
  if (!*folder) { begin(); }
  while (!strstr(text, files[which][0])) { which++; }
  put(files[which][1], data, size);
  snprintf(car, sizeof car, "%s/%s", folder, files[0][1]), snprintf(tyre, sizeof tyre, "%s/%s", folder, files[4][1]);
  if (chrono_import(car, tyre, "car", &m, &err) == MBD_OK) {
    char path[100];
    for (int i = 0; i < m.nname; i++) { put(m.name[i], m.text[i], strlen(m.text[i])); }
    snprintf(path, sizeof path, "%s/car_model.ini", folder);
    put("car_model.ini", m.model, strlen(m.model));
    (void)mbo_model_file_read(path, 0, NULL, NULL, &model, &err);
    mbo_model_file_destroy(model);
  }
  chrono_model_free(&m);
  put_own(files[which][1]);
  free(text);
  return 0;
}
