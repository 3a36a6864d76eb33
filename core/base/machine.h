/* Facts about the machine and the program: the processor, the date, the version of the engine, the clock. */
#ifndef CORE_BASE_MACHINE_H
#define CORE_BASE_MACHINE_H

/* Writes the processor's name as the system gives it, or "host". Returns text. */
const char *machine_processor(char text[128]);

/* Writes date and time in UTC, as 2026-11-20T14:05:09Z. Returns text. */
const char *machine_date(char text[32]);

/* "0.3.0 (15bcf03)": the version of the engine, with the commit where it is known. */
const char *machine_version(void);

/* Returns the seconds of a clock that only goes forward. */
double machine_clock(void);

#endif
