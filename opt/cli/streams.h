/* Standard input, output and error of the program. A stream that the caller has closed is opened on /dev/null by streams.c before
 * anything else runs. Otherwise the first file that is opened, such as a journal, would get its number, and printed text would go into
 * that file. The program ends with EXIT_CONFIGURATION if /dev/null cannot be opened. */
#ifndef MBO_STREAMS_H
#define MBO_STREAMS_H

/* At the end: checks that all output on standard output has been written. If not, prints why and replaces an exit code of success by an
 * error. Other codes are kept, since they stand for an earlier error. */
int streams_close(int code);

#endif
