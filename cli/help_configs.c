/* The list of the configurations that come with the engine. */
#include "help.h"
#include "installed.h"

#include <string.h>

/* Reads the comment at the head of a configuration, up to the first full stop or colon, as one line. */
static void read_subject(const char *name, char *subject, size_t room)
{
    char path[INSTALLED_PATH], line[256];
    FILE *file = installed_config(name, path) ? fopen(path, "r") : NULL;
    size_t length = 0;
    bool ended = false;
    subject[0] = '\0';
    while (file && !ended && fgets(line, sizeof line, file) && line[0] == ';')
        for (const char *c = line + 1 + strspn(line + 1, " "); *c && !ended && length + 2 < room; c++) {
            ended = strchr(".:", *c) && (c[1] == ' ' || c[1] == '\n');
            if (!ended)
                subject[length++] = *c == '\n' ? ' ' : *c;
            subject[length] = '\0';
        }
    if (file)
        fclose(file);
}

void help_print_configs(bool tables)
{
    const char *name;
    if (installed_config_at(NULL, 0))
        printf("\n%s:\n", tables ? "Tables" : "Configurations");
    for (uint32_t i = 0; (name = installed_config_at(NULL, i)); i++) {
        char subject[512];
        if ((strchr(name, '/') != NULL) != tables)
            continue;
        read_subject(name, subject, sizeof subject);
        printf("  %-*s", HELP_COLUMN - 2, name);
        if (strlen(name) > HELP_COLUMN - 3)
            printf("\n%*s", HELP_COLUMN, "");
        help_print_text(stdout, subject, HELP_COLUMN);
    }
}
