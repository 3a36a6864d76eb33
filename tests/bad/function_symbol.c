/* Exports a function under the name of the descriptor. */
#include <engine/plugin.h>

ENGINE_EXPORT int not_a_descriptor(void) __asm__("engine_plugin");

int not_a_descriptor(void)
{
    return 0;
}
