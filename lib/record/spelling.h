/* How Golly spells the rule of a pattern file. */
#ifndef LIB_RECORD_SPELLING_H
#define LIB_RECORD_SPELLING_H

#include "api/handles.h"
#include "files/document.h"

/* Replaces the rule in the header of a document, such as the name HighLife or B2/S345/C4, by the spelling of the plugin
 * that takes it. The rule stays if Golly reads it, or if no plugin takes a pattern of so many states with this rule. */
void spelling_change(struct engine_context *context, struct io_document *document);

#endif
