#include "CALSA.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char text[256];

static void keep(
    const char *file, int line, const char *function, int error, const char *format,
    va_list arguments) {
    (void)file, (void)line, (void)function, (void)error;
    if (text[0] == 0) vsnprintf(text, sizeof text, format, arguments);
}

void greenroom_alsa_capture_text(void) {
    text[0] = 0;
    snd_lib_error_set_local(keep);
}

void greenroom_alsa_end_capture(void) { snd_lib_error_set_local(NULL); }

const char *greenroom_alsa_text(void) { return text; }
