/* The hauls in a report: tables of objects in the text format of apgsearch. */
#ifndef LIB_REPORT_REPORT_HAULS_H
#define LIB_REPORT_REPORT_HAULS_H

#include "report/report_folder.h"

#include <stdio.h>

/* Puts the most frequent objects of each .txt file that is a haul into the page, with their limits of error and published
 * frequencies. Other files, and those that cannot be read, are left out. */
void report_hauls(FILE *page, const struct report_folder *folder);

#endif
