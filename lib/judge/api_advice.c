/* engine_run_advise. */
#include "api/handles.h"
#include "judge/advice.h"

int engine_run_advise(struct engine_run *run, struct engine_error *error)
{
    API_NUMBERS;
    return advice_ask(run->run->plan, run->run->registry, error);
}
