/* The figures of a report. */
#ifndef LIB_REPORT_REPORT_FIGURES_H
#define LIB_REPORT_REPORT_FIGURES_H

#include "report/report_folder.h"

#include <stdio.h>

/* Draws each metric of a CSV file, whose first column holds the steps. The page says why a file is not shown, if it
 * cannot be read. ENGINE_STATUS_DEVICE. */
int report_metrics(FILE *page, const struct report_folder *folder, const char *name, struct engine_error *error);

/* Puts the pictures into the page: the first and the last .png of each field, the animations, and the drawings of
 * tables. The page says why a file is not shown, if it cannot be read. ENGINE_STATUS_DEVICE. */
int report_pictures(FILE *page, const struct report_folder *folder, struct engine_error *error);

#endif
