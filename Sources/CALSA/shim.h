#include <alsa/asoundlib.h>
#include <stdarg.h>
#include <stdio.h>

// What ALSA would print. It says why on standard error, and returns a bare errno; between
// greenroom_alsa_listen and greenroom_alsa_stop_listening the first thing that it has to say
// to the calling thread is kept instead. The first is the cause: what follows are complaints
// of the callers of the code that failed.
//
// A static variable of an inline function exists once an object file: call these from one
// Swift file only.

enum { greenroom_alsa_text_size = 256 };

static inline char *_Nonnull greenroom_alsa_text(void) {
    static _Thread_local char text[greenroom_alsa_text_size];
    return text;
}

static inline void greenroom_alsa_keep(
    const char *file, int line, const char *function, int error, const char *format,
    va_list arguments) {
    (void)file, (void)line, (void)function, (void)error;
    char *text = greenroom_alsa_text();
    if (text[0] == 0) vsnprintf(text, greenroom_alsa_text_size, format, arguments);
}

static inline void greenroom_alsa_listen(void) {
    greenroom_alsa_text()[0] = 0;
    snd_lib_error_set_local(greenroom_alsa_keep);
}

static inline void greenroom_alsa_stop_listening(void) { snd_lib_error_set_local(NULL); }
