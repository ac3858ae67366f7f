/* Standard input, output and error of the program. One that the caller has closed leads nowhere, as if it were /dev/null: streams.c
 * sees to it before anything else runs. Else the first file that is opened, as a journal, would take its place, and what is printed
 * would go into that file. The program ends with EXIT_CONFIGURATION where /dev/null cannot be opened. */
#ifndef MBO_STREAMS_H
#define MBO_STREAMS_H

/* At the end: has all that was printed on standard output arrived? If not, say why, and make an exit code of success one that is
 * not. Other codes stay: they stand for an error that came before. */
int streams_close(int code);

#endif
