/* Numbers of modes by their names, and their values and derivatives. */
#include <math.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/mode_tracks.h"
#include "mechanism/modes.h"

static const char *const words[] = {"real", "frequency", "damping_ratio", "largest_real"};

/* ---- names ---- */

int modes_are_used(const mechanism *m) {
  return m->modes->noutput > 0;
}

static mbd_status no_output(const mechanism *m, const mode_section *s, const char *name, mbd_error *err) {
  const mbo_names *cases = &s->config->in_case;
  if (s->is_all) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "'%s' is no number of [mode %s], which is all modes of its cases: expected %s.largest_real, or near = "
             "FREQUENCY in the section",
             name, s->config->name, s->config->name);
  }
  (void)m;
  MBD_FAIL(err, MBD_BAD_INPUT,
           "'%s' is no number of [mode %s], expected %s%s%s.real, .frequency or .damping_ratio, or %s.largest_real",
           name, s->config->name, s->config->name, cases->n > 1 ? "." : "", cases->n > 1 ? cases->v[0] : "",
           s->config->name);
}

static int word_of(const char *text) {
  int w = 0;
  while (w < MODE_WORDS && strcmp(text, words[w]) != 0) { w++; }
  return w;
}

/* rest: of NAME.rest; sets the word and the place of the case in the list. Returns 0 if there is no such number. */
static int read_output(const mode_section *s, const char *rest, mode_word *word, int *place) {
  const mbo_names *cases = &s->config->in_case;
  *place = 0;
  for (int j = 0; cases->n > 1 && j < cases->n; j++) { /* NAME.CASE.WORD */
    const size_t length = strlen(cases->v[j]);
    if (strncmp(rest, cases->v[j], length) != 0 || rest[length] != '.') { continue; }
    *word = (mode_word)word_of(rest + length + 1), *place = j;
    if (*word < MODE_LARGEST_REAL) { return !s->is_all; }
  }
  *word = (mode_word)word_of(rest);
  return *word == MODE_LARGEST_REAL || (*word < MODE_LARGEST_REAL && !s->is_all && cases->n == 1);
}

mbd_status modes_output(mechanism *m, const char *name, int *output, mbd_error *err) {
  mechanism_modes *modes = m->modes;
  *output = -1;
  for (int i = 0; i < modes->nsection; i++) {
    const mode_section *s = &modes->section[i];
    const size_t length = strlen(s->config->name);
    mode_output one = {.section = i};
    int place;
    if (strncmp(name, s->config->name, length) != 0 || name[length] != '.') { continue; }
    if (!read_output(s, name + length + 1, &one.word, &place)) { return no_output(m, s, name, err); }
    one.track = s->first_track + place;
    mode_output *grown = mbd_list_grow(modes->output, modes->noutput, sizeof *grown);
    MEMORY_TRY(grown, err, "the modes");
    modes->output = grown;
    *output = modes->noutput, grown[modes->noutput++] = one;
    return MBD_OK;
  }
  return MBD_OK;
}

/* ---- values ---- */

double modes_value(const mechanism *m, int output) {
  const mode_output *o = &m->modes->output[output];
  const mode_track *track = &m->modes->track[o->track];
  if (o->word == MODE_LARGEST_REAL) { return m->modes->section[o->section].largest; }
  if (o->word == MODE_REAL) { return track->re; }
  return o->word == MODE_FREQUENCY ? track->im / (2 * M_PI) : -track->re / hypot(track->re, track->im);
}

const double *modes_gradient(const mechanism *m, int output) {
  return m->modes->output[output].grad;
}

double modes_change(const mechanism *m, int output) {
  const mode_output *o = &m->modes->output[output];
  const mode_track *track = &m->modes->track[o->track];
  return o->word == MODE_LARGEST_REAL ? m->modes->section[o->section].along
                                      : mode_slope(track, o->word, track->along[0], track->along[1]);
}

double mode_slope(const mode_track *track, mode_word word, double re, double im) {
  const double size = hypot(track->re, track->im);
  if (word == MODE_REAL) { return re; }
  if (word == MODE_FREQUENCY) { return im / (2 * M_PI); }
  return -re / size + track->re / size * (track->re / size * re + track->im / size * im) / size;
}
