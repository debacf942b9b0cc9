/*
 * A library of plugins that break the rules, each in a different way, to test that the host stays
 * correct.
 *
 * A plugin is a behaviour: a table of functions that differ from correct ones. By default a
 * source has one thread, which sends valid frames or audio on time from start_send to stop_send.
 *
 * The plugin logs the host's result of each call in a line:
 *
 *     status <what was done> <number of the status> <refusal_text>
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <greenroom/plugin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct instance instance;

typedef struct behaviour {
  const char *name;
  const char *summary;
  uint32_t kind;
  gr_status (*create)(instance *me);
  gr_status (*initialize)(instance *me, const gr_initialize *in);
  gr_status (*change)(instance *me, const gr_offer *offer, gr_answer *answer); /* NULL: none */
  gr_status (*start)(instance *me);
  void (*run)(instance *me); /* the thread's function */
  void (*stop)(instance *me);
  void (*uninitialize)(instance *me);
  void (*destroy)(instance *me);
  gr_status (*process)(instance *me, gr_mutable_frame *frame);
  const gr_video_capabilities *capabilities; /* NULL: none */
} behaviour;

struct instance {
  gr_plugin functions;
  const behaviour *behaviour;
  const gr_host *host;
  gr_instance handle;
  gr_sender sender;
  const gr_video_functions *video;
  const gr_audio_functions *audio;
  gr_capability agreed;
  uint32_t revision;
  gr_setting *settings;
  uint32_t setting_count;
  pthread_t thread;
  atomic_bool ending;
  uint64_t count; /* used by the behaviour */
  pthread_mutex_t lock;
  gr_capability wanted; /* of the newest offer, under the lock */
  uint32_t wanted_revision;
  atomic_llong tag; /* the live setting */
  atomic_int fault; /* the live setting, as its place in the table of faults */
  int committed;    /* the fault that was committed last */
};

/* The behaviours, by file; each array ends with one without a name. */
extern const behaviour well_behaved[];
extern const behaviour bad_senders[];
extern const behaviour bad_audio[];
extern const behaviour bad_timing[];
extern const behaviour bad_answers[];
extern const behaviour bad_filters[];
extern const behaviour real_frames[];
extern const behaviour real_audio[];
extern const behaviour clocked[];
extern const behaviour faulty[];

/* Settings. */
const char *setting_text(const instance *me, const char *name);
int64_t setting_integer(const instance *me, const char *name);
bool setting_is(const instance *me, const char *name, const char *text);

/* Reporting. */
void report(instance *me, const char *what, gr_status status);

/* Logs "hangs", and never returns. */
_Noreturn void hang_here(instance *me);
void say(instance *me, uint32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Correct behaviour. */
gr_status start_thread(instance *me);
void join_thread(instance *me);
void send_well(instance *me);
void send_video_well(instance *me);
void send_sound_well(instance *me);
gr_status invert(instance *me, gr_mutable_frame *frame);

/* Numbered frames at the agreed rate, each change followed at once; and what is done after each. */
void send_marks_and(instance *me, void (*after_each)(instance *me));
gr_status follow_offer(instance *me, const gr_offer *offer, gr_answer *answer);

/* Answers with the values of the settings. */
gr_status answer_as_set(instance *me, const gr_initialize *in);

/* A fault's place in the table of faults; -1 if there is none of that name. */
int fault_named(const char *name);

/* Frames: four quarters, red, green, blue and grey, in any format. */
uint32_t format_setting(const instance *me);
gr_mutable_frame make_image(instance *me, uint32_t format, uint32_t width, uint32_t height,
                              uint32_t padding);
void free_image(gr_mutable_frame *image);
void paint(gr_mutable_frame *image);
gr_frame_info describe(instance *me);
gr_video_frame as_frame(instance *me, const gr_mutable_frame *image);

/* Audio: a tone of 440 Hz. */
void fill_tone(int16_t *samples, uint32_t rate, uint32_t channels, uint32_t frames,
               uint64_t first);
gr_audio_block as_block(const int16_t *samples, uint32_t rate, uint32_t channels,
                        uint32_t frames);

/* NULL, where the compiler would warn about a literal one. */
extern void *const nothing;

#define NANOSECONDS 1000000000LL

#endif
