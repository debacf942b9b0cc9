#include "CEmbeddedFiles.h"

#include <string.h>

const uint8_t *greenroom_embedded_file(
    const struct greenroom_embedded_file *files, size_t count, const char *name, size_t *size) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, files[i].name) != 0) continue;
        *size = files[i].size;
        return files[i].bytes;
    }
    return NULL;
}
