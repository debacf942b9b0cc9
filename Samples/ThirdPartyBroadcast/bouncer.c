/* A share from a program of its own: a square that bounces on a screen that is turned now and
 * then, as a phone is, and a beep each second. */
#include <greenroom/broadcast.h>
#include <greenroom/client.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct source {
  gr_plugin functions;
  const gr_host *host;
  gr_instance instance;
  gr_sender sender;
  const gr_video_functions *video;
  const gr_audio_functions *audio;
  gr_capability size; /* and frame rate */
  uint32_t revision;  /* of the offer that it is from */
  pthread_t thread;
} source;

static const int64_t second_ns = 1000000000;

static size_t bounce(size_t way, size_t length) {
  const size_t there = length ? way % (2 * length) : 0;
  return there < length ? there : 2 * length - there;
}

/* A square, and a white edge where the top is once the frame has been turned upright. */
static void draw(const gr_mutable_frame *frame, size_t number, gr_rotation turn) {
  const size_t width = frame->width, height = frame->height, side = height / 4, edge = height / 20;
  const size_t left = bounce(number * 6, width - side), top = bounce(number * 5, height - side);
  for (size_t y = 0; y < height; y++) {
    uint8_t *row = frame->planes[0].data + y * frame->planes[0].stride_bytes;
    memset(row, 60, width);
    if (y >= top && y < top + side) memset(row + left, 180, side);
    if ((turn == 0 && y < edge) || (turn == 180 && y >= height - edge)) memset(row, 235, width);
    if (turn == 90) memset(row, 235, edge);
    if (turn == 270) memset(row + width - edge, 235, edge);
  }
  memset(frame->planes[1].data, 116, frame->planes[1].size_bytes);
  memset(frame->planes[2].data, 140, frame->planes[2].size_bytes);
}

/* The time from the first frame until a frame is due: neither rounding nor a late frame adds up. */
static int64_t due_after_ns(const source *me, int64_t n) {
  const int64_t frames = me->size.fps_numerator, span_ns = me->size.fps_denominator * second_ns;
  return n / frames * span_ns + n % frames * span_ns / frames;
}

/* Two seconds upright, two turned to the right, and so on. Every ten seconds there is nothing to
 * show for a second, and it says so. */
static void *send_frames(void *self) {
  const source *me = self;
  const gr_broadcast *share = me->host->get_extension(me->instance, GR_EXT_BROADCAST);
  const int64_t start_ns = me->host->now_ns(me->instance);
  int is_paused = 0;
  for (int64_t n = 0;; n++) {
    /* Late by a whole frame: leave that one out. */
    while (start_ns + due_after_ns(me, n + 1) <= me->host->now_ns(me->instance)) n++;
    const int64_t time_ns = due_after_ns(me, n);
    if (me->host->wait_until_ns(me->instance, start_ns + time_ns) != GR_STATUS_OK)
      return NULL; /* stop_send has begun */
    const int wants_pause = time_ns / second_ns % 10 == 9;
    if (share && wants_pause != is_paused)
      (wants_pause ? share->paused : share->resumed)(me->instance);
    is_paused = wants_pause;
    if (is_paused) continue;
    gr_lease lease = {.struct_size = sizeof lease};
    if (me->video->acquire(me->sender, GR_FORMAT_I420, me->size.width, me->size.height, &lease))
      continue; /* the host is behind: leave this frame out */
    const gr_rotation turn = (gr_rotation)(time_ns / (2 * second_ns) % 4 * 90);
    draw(&lease.frame, (size_t)n, turn);
    const gr_frame_info info = {.struct_size = sizeof info, .rotation = turn,
                                .range = GR_RANGE_LIMITED, .matrix = GR_MATRIX_BT709,
                                .offer_revision = me->revision, .pts_ns = start_ns + time_ns};
    me->video->commit(me->sender, lease.id, &info);
  }
}

/* Paced by the host: send waits until there is room. */
static void *send_beeps(void *self) {
  const source *me = self;
  int16_t samples[480];
  gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000, .channels = 1,
                          .frame_count = 480, .samples = samples, .size_bytes = sizeof samples,
                          .pts_ns = GR_PTS_UNSTAMPED};
  for (int place = 0;; place = (place + 480) % 48000) {
    for (int i = 0; i < 480; i++)
      samples[i] = place < 4800 ? (int16_t)(8000 * sin((place + i) * 6.283185307 * 1000 / 48000)) : 0;
    if (me->audio->send(me->sender, &block, -1) != GR_STATUS_OK) return NULL;
  }
}

static gr_status initialize(void *self, const gr_initialize *in) {
  source *me = self;
  me->sender = in->sender;
  me->video = in->video;
  me->audio = in->audio;
  if (in->offer) {
    me->size = in->offer->suggested; /* which is what *in->answer says already */
    me->revision = in->offer->revision;
  }
  return GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  source *me = self;
  if (pthread_create(&me->thread, NULL, me->video ? send_frames : send_beeps, me) == 0)
    return GR_STATUS_OK;
  me->host->set_error(me->instance, "no thread could be made; raise the limit on threads");
  return GR_STATUS_FAILED;
}

static void stop_send(void *self) { pthread_join(((source *)self)->thread, NULL); }

static void uninitialize(void *self) { ((source *)self)->sender = 0; }

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index; /* what it is shows in what initialize hands over */
  source *me = calloc(1, sizeof *me);
  if (me == NULL) return GR_STATUS_FAILED;
  me->functions = (gr_plugin){.struct_size = sizeof me->functions, .self = me, .destroy = free,
                              .initialize = initialize, .start_send = start_send,
                              .stop_send = stop_send, .uninitialize = uninitialize};
  me->host = in->host;
  me->instance = in->instance;
  *plugin = &me->functions;
  return GR_STATUS_OK;
}

static const gr_descriptor *descriptor(uint32_t index) {
  static const gr_descriptor both[] = {
      {.struct_size = sizeof(gr_descriptor), .kind = GR_KIND_SHARE_SOURCE,
       .id = "org.example.c-bouncer", .name = "CBouncer", .version = "1.0.0",
       .summary = "A square that bounces on a screen that turns"},
      {.struct_size = sizeof(gr_descriptor), .kind = GR_KIND_SHARE_AUDIO_SOURCE,
       .id = "org.example.c-beeps", .name = "CBeeps", .version = "1.0.0",
       .summary = "A beep each second"}};
  return index < 2 ? &both[index] : NULL;
}

int main(int count, char **words) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 2,
                                 .descriptor = descriptor, .create = create};
  if (count != 2) return fprintf(stderr, "usage: bouncer SOCKET\n"), 64;
  char told[200] = "";
  for (;; sleep(1)) {
    char text[200];
    const gr_status status = greenroom_client_run(words[1], &entry, text, sizeof text);
    if (strcmp(text, told) != 0) printf("%s\n", strcpy(told, text));
    fflush(stdout);
    if (status == GR_STATUS_OK) return 0;
    /* No host yet, or it went without a word: come again. */
    if (status != GR_STATUS_UNAVAILABLE && status != GR_STATUS_GONE) return 1;
  }
}
