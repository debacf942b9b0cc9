// A host of frei0r effects that shares nothing with Greenroom: the effect's answer to the same pixels.
//
//   host EFFECT.so WIDTH HEIGHT FRAMES < PIXELS > PIXELS
//
// Reads FRAMES pictures, none for a source, and writes as many. Frame n is at n / 25 s. Parameters keep
// their defaults.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct plugin_info {
    const char *name, *author;
    int type, color_model, frei0r_version, major_version, minor_version, num_params;
    const char *explanation;
    void *reserved[8];
};

static void *need(void *library, const char *name) {
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "no %s\n", name);
        exit(2);
    }
    return symbol;
}

int main(int count, char **arguments) {
    if (count != 5) return 64;
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    const unsigned width = (unsigned)atoi(arguments[2]), height = (unsigned)atoi(arguments[3]);
    const int frames = atoi(arguments[4]);
    struct plugin_info info = {0};
    ((int (*)(void))need(library, "f0r_init"))();
    ((void (*)(struct plugin_info *))need(library, "f0r_get_plugin_info"))(&info);
    void *instance =
        ((void *(*)(unsigned, unsigned))need(library, "f0r_construct"))(width, height);
    void (*update)(void *, double, const uint32_t *, uint32_t *) = need(library, "f0r_update");

    const size_t size = (size_t)width * height * 4;
    uint32_t *input = aligned_alloc(64, (size + 63) / 64 * 64);
    uint32_t *output = calloc(1, size + 64);
    output = (uint32_t *)(((uintptr_t)output + 63) / 64 * 64);
    for (int frame = 0; frame < frames; frame++) {
        if (info.type == 0 && fread(input, 1, size, stdin) != size) return 3;
        update(instance, frame / 25.0, info.type == 0 ? input : NULL, output);
        if (fwrite(output, 1, size, stdout) != size) return 4;
    }
    fflush(stdout);
    _Exit(0);
}
