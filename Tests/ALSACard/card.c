// A sound card of software: an ALSA PCM that plays in real time, at a speed of its own, and has
// the accidents that cards have.
//
//   pcm_type.test_card { lib "/…/card.so" }
//   pcm.card { type test_card ppm 300 underrun_ms 500 gone "/…/gone" file "/…/played.raw" }
//
// ppm: how much faster than the machine's clock. underrun_ms: when it claims to have had nothing
// to play, once. gone: while there is a file of this name, there is no card. file: what it plays.

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct card {
    snd_pcm_ioplug_t io;
    double speed;
    long underrun_ms;
    char *gone;
    FILE *played;
    double started;
    snd_pcm_uframes_t written;
    int timer;
};

static double now(void) {
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return (double)moment.tv_sec + (double)moment.tv_nsec / 1e9;
}

static int is_gone(const struct card *card) { return card->gone && access(card->gone, F_OK) == 0; }

static int card_start(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->started = now();
    return is_gone(card) ? -ENODEV : 0;
}

static int card_stop(snd_pcm_ioplug_t *io) {
    (void)io;
    return 0;
}

static int card_prepare(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->written = 0;
    card->started = 0;
    return is_gone(card) ? -ENODEV : 0;
}

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (card->started == 0) return 0;
    double seconds = now() - card->started;
    if (card->underrun_ms > 0 && seconds * 1000 > (double)card->underrun_ms) {
        card->underrun_ms = 0;
        return -EPIPE;
    }
    snd_pcm_uframes_t heard = (snd_pcm_uframes_t)(seconds * io->rate * card->speed);
    if (heard > card->written) return -EPIPE;
    return (snd_pcm_sframes_t)(heard % io->buffer_size);
}

static snd_pcm_sframes_t card_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
    snd_pcm_uframes_t size) {
    struct card *card = io->private_data;
    if (is_gone(card)) return -ENODEV;
    const char *samples = (const char *)areas->addr + (areas->first + areas->step * offset) / 8;
    if (card->played) fwrite(samples, areas->step / 8, size, card->played);
    card->written += size;
    return (snd_pcm_sframes_t)size;
}

static int card_revents(
    snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *events) {
    (void)io, (void)count;
    unsigned long long ticks;
    *events = read(descriptors[0].fd, &ticks, sizeof ticks) > 0 ? POLLOUT : 0;
    return 0;
}

static int card_close(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (card->played) fclose(card->played);
    close(card->timer);
    free(card->gone);
    free(card);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = card_start,
    .stop = card_stop,
    .pointer = card_pointer,
    .transfer = card_transfer,
    .close = card_close,
    .prepare = card_prepare,
    .poll_revents = card_revents,
};

SND_PCM_PLUGIN_DEFINE_FUNC(test_card) {
    (void)root;
    struct card *card = calloc(1, sizeof *card);
    card->speed = 1;
    const char *file = NULL;
    snd_config_iterator_t entry, next;
    snd_config_for_each(entry, next, conf) {
        snd_config_t *setting = snd_config_iterator_entry(entry);
        const char *id;
        long number;
        const char *text;
        if (snd_config_get_id(setting, &id) < 0) continue;
        if (strcmp(id, "ppm") == 0 && snd_config_get_integer(setting, &number) == 0)
            card->speed = 1 + (double)number / 1e6;
        if (strcmp(id, "underrun_ms") == 0) snd_config_get_integer(setting, &card->underrun_ms);
        if (strcmp(id, "gone") == 0 && snd_config_get_string(setting, &text) == 0)
            card->gone = strdup(text);
        if (strcmp(id, "file") == 0) snd_config_get_string(setting, &file);
    }
    if (is_gone(card)) {
        free(card->gone);
        free(card);
        return -ENODEV;
    }
    card->played = file ? fopen(file, "a") : NULL;
    card->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct itimerspec period = {{0, 5000000}, {0, 5000000}};
    timerfd_settime(card->timer, 0, &period, NULL);

    card->io.version = SND_PCM_IOPLUG_VERSION;
    card->io.name = "a sound card for tests";
    card->io.callback = &callbacks;
    card->io.private_data = card;
    card->io.poll_fd = card->timer;
    card->io.poll_events = POLLIN;
    int status = snd_pcm_ioplug_create(&card->io, name, stream, mode);
    if (status < 0) return status;
    const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED};
    const unsigned format[] = {SND_PCM_FORMAT_S16_LE};
    snd_pcm_ioplug_set_param_list(&card->io, SND_PCM_IOPLUG_HW_ACCESS, 1, access);
    snd_pcm_ioplug_set_param_list(&card->io, SND_PCM_IOPLUG_HW_FORMAT, 1, format);
    snd_pcm_ioplug_set_param_minmax(&card->io, SND_PCM_IOPLUG_HW_CHANNELS, 2, 2);
    snd_pcm_ioplug_set_param_minmax(&card->io, SND_PCM_IOPLUG_HW_RATE, 44100, 48000);
    snd_pcm_ioplug_set_param_minmax(&card->io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, 65536);
    snd_pcm_ioplug_set_param_minmax(&card->io, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
    *pcmp = card->io.pcm;
    return 0;
}

SND_PCM_PLUGIN_SYMBOL(test_card);
