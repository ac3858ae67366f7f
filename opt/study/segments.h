/* Results of runs as lines of files that only grow, a segment for each process that does runs:
 *
 *   runs/0-999.3.jsonl
 *   {"segment":1,"study":PLAN,"hash":...}
 *   {"run":17,"attempt":0,"state":"done","written":1764460800,"row":...,"status":...,...,"hash":...}
 *
 * The name has the first and the last run of the part of the study that the process does, and a number that makes it unique: whoever does this part
 * again reads these segments and no others. PLAN identifies the study, and the hash of a line is that of the text before it. Lines are appended by one
 * call, and only the process that has made a segment writes into it: so there are no locks, and a process that is killed leaves at most a last line
 * without an end, which is no line. Of several lines of a run the one of the last attempt counts, of the same attempt a success.
 *
 * In memory each run has the place of its line, 16 bytes. */
#ifndef MBO_SEGMENTS_H
#define MBO_SEGMENTS_H

#include <jansson.h>
#include <stddef.h>

#include "mbd/status.h"

typedef enum runs_state { RUN_MISSING, RUN_DONE, RUN_FAILED } runs_state;

typedef struct segments segments;

/* The beginning of a line. */
typedef struct segments_line {
  long run;
  int attempt;      /* 0: the first one */
  runs_state state; /* RUN_MISSING: the run is to be done again */
  long written;     /* [s of the clock] */
  char row[17];     /* hash of what determines the run */
} segments_line;

/* Finds the lines of the runs [first, last) in the folder of a study. plan: identifies the study. since: lines that were written from then on count
 * as recent [s of the clock]; 0: none. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status segments_open(const char *folder, const char *plan, long first, long last, double since, segments **out,
                         mbd_error *err);
void segments_close(segments *g);

/* Finds the lines that others have written since. */
mbd_status segments_refresh(segments *g, mbd_error *err);

/* The line of a run, in memory that the next call may change; NULL: there is none, or not any more. *length: without its end. MBD_NO_MEMORY,
 * MBD_IO_ERROR. */
mbd_status segments_find(segments *g, long run, const char **line, size_t *length, mbd_error *err);

/* Reads the beginning of a line; 0: it is no line of a run. */
int segments_read(const char *line, segments_line *l);

/* The state of a run by the line that counts. */
runs_state segments_state(const segments *g, long run);

/* Counts a run that has a file of its own, of an earlier version of the program: segments_find does not find its line. */
void segments_count_file(segments *g, long run, runs_state state, double written);

/* The beginning of a line of a run, of its next attempt, as an object; NULL: no memory. */
json_t *segments_begin(const segments *g, long run, runs_state state, const char *row);

/* Appends whole lines to the segment of this process, which is made if there is none (segments_own). MBD_IO_ERROR: also where somebody has removed it. */
mbd_status segments_append(segments *g, const char *lines, mbd_error *err);
int segments_own(const segments *g);

/* Runs by their state; lines since `since`. */
typedef struct runs_count {
  long done, failed, recent;
} runs_count;
runs_count segments_counts(const segments *g);

/* Lines that are not as they were written, or of another study, "FILE:LINE: ..." with their number; NULL: there are none. */
const char *segments_damage(const segments *g);

#endif
