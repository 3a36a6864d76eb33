/* The folder that a run writes into: how it is made, recognised and cleaned. files/folder.h is about its files. */
#ifndef LIB_FILES_RUN_FOLDER_H
#define LIB_FILES_RUN_FOLDER_H

#include "base/context.h"
#include "files/folder.h"

/* The names of two files in it: the configuration, from which the run can be resumed, and the summary, which the run
 * writes when it ends or is stopped. */
#define FOLDER_CONFIG  "config.ini"
#define FOLDER_SUMMARY "summary.json"

/* The file that locks the folder (record/lock.h). */
#define LOCK_NAME ".lock"

/* The files of an ensemble, whose folder this may be: its results, the metrics of all its members, and those of
 * exchanges (ensemble/exchange.h). */
#define FOLDER_MEMBERS          "ensemble.csv"
#define FOLDER_ENSEMBLE_SUMMARY "ensemble.json"
#define FOLDER_METRICS          "metrics.csv"
#define FOLDER_EXCHANGES        "exchanges.csv"
#define FOLDER_EXCHANGE_STATE   "exchange.state"

/* The hashes of the states of a run (record/hashes.h), and the metrics of each universe of a batch (record/metrics.h). */
#define FOLDER_HASHES    "hashes.csv"
#define FOLDER_UNIVERSES "universe-metrics.csv"

/* Bytes of a summary that is read. It lists the paths of all outputs, so this is for some million of them. */
enum { FOLDER_SUMMARY_MAX = 1 << 28 };

struct json_object;

/* Makes the folder and its parents where they are missing, and synchronises their names to disk. Opens it.
 * ENGINE_STATUS_OUTPUT. */
int run_folder_make(const char *path, struct folder **folder, struct engine_error *error);

/* Opens the folder of a run. ENGINE_STATUS_INPUT: there is no such folder, or no run in it. ENGINE_STATUS_OUTPUT: the
 * folder cannot be read. */
int run_folder_open(const char *path, struct folder **folder, struct engine_error *error);

/* Refuses a folder that holds anything but a lock. ENGINE_STATUS_OUTPUT. */
int run_folder_check_empty(const struct folder *folder, const struct context *context, struct engine_error *error);

/* Reads the summary. *summary is NULL if there is none, or a damaged one. The caller calls json_object_put.
 * ENGINE_STATUS_INPUT, ENGINE_STATUS_OUTPUT: it cannot be read. */
int run_folder_read_summary(const struct folder *folder, struct json_object **summary, struct engine_error *error);

/* Removes the temporary files that killed runs left. The caller holds the folder's lock, so no other run is writing
 * one. ENGINE_STATUS_OUTPUT. */
int run_folder_clean(const struct folder *folder, struct engine_error *error);

#endif
