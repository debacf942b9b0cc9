/* A camera that sends at a rate far above a camera's: what the frame path carries. At its end it
   tells how long the calls took that hand a frame over, there and back. */
#include <greenroom/plugin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct flood {
  gr_plugin functions;
  const gr_video_functions *video;
  gr_sender sender;
  const gr_host *host;
  gr_instance instance;
  uint32_t width, height, bgra, leased, fps;
  pthread_t thread;
} flood;

enum { most_calls = 1 << 16 };

static int64_t durations[most_calls];

static int64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int ascending(const void *one, const void *other) {
  const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
  return (a > b) - (a < b);
}

static void tell(flood *me, int64_t count) {
  if (count > most_calls) count = most_calls;
  if (count == 0) return;
  qsort(durations, (size_t)count, sizeof *durations, ascending);
  char text[100];
  snprintf(text, sizeof text, "handed over in %.1f us p50, %.1f us p99",
           (double)durations[count / 2] / 1e3, (double)durations[count * 99 / 100] / 1e3);
  me->host->log(me->instance, GR_LOG_INFO, text);
}

static void *send_frames(void *self) {
  flood *me = self;
  const uint32_t w = me->width, h = me->height;
  uint8_t *pixels = malloc((size_t)w * h * 4);
  memset(pixels, 128, (size_t)w * h * 4);
  gr_video_frame frame = {
      .struct_size = sizeof frame, .width = w, .height = h,
      .info = {.struct_size = sizeof frame.info, .range = GR_RANGE_LIMITED,
               /* What outputs of the size have: nothing is recoloured. */
               .matrix = h >= 720 ? GR_MATRIX_BT709 : GR_MATRIX_BT601, .offer_revision = 1, .pts_ns = GR_PTS_UNSTAMPED}};
  if (me->bgra) {
    frame.format = GR_FORMAT_BGRA;
    frame.plane_count = 1;
    frame.planes[0] = (gr_plane){pixels, (uint64_t)w * h * 4, w * 4, 0};
  } else {
    frame.format = GR_FORMAT_I420;
    frame.plane_count = 3;
    frame.planes[0] = (gr_plane){pixels, (uint64_t)w * h, w, 0};
    frame.planes[1] = (gr_plane){pixels, (uint64_t)w * h / 4, w / 2, 0};
    frame.planes[2] = (gr_plane){pixels, (uint64_t)w * h / 4, w / 2, 0};
  }
  const int64_t start = me->host->now_ns(me->instance);
  int64_t n = 0;
  for (;; n++) {
    frame.info.pts_ns = start + n * 1000000000 / me->fps;
    if (me->host->wait_until_ns(me->instance, frame.info.pts_ns) != GR_STATUS_OK) break;
    const int64_t begun = clock_ns();
    if (me->leased) {
      /* Filling is the plugin's own time and not the path's: the frame goes back as it came. */
      gr_lease lease = {.struct_size = sizeof lease};
      if (me->video->acquire(me->sender, frame.format, w, h, &lease) == GR_STATUS_OK)
        me->video->commit(me->sender, lease.id, &frame.info);
    } else {
      me->video->send(me->sender, &frame);
    }
    durations[n % most_calls] = clock_ns() - begun;
  }
  tell(me, n);
  free(pixels);
  return NULL;
}

static gr_status initialize(void *self, const gr_initialize *in) {
  flood *me = self;
  me->sender = in->sender;
  me->video = in->video;
  in->answer->kind = GR_ANSWER_FIXED;
  in->answer->capability = (gr_capability){me->width, me->height, me->fps, 1};
  return GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  flood *me = self;
  return pthread_create(&me->thread, NULL, send_frames, me) ? GR_STATUS_FAILED : GR_STATUS_OK;
}

static void stop_send(void *self) {
  flood *me = self;
  pthread_join(me->thread, NULL);
}

static void uninitialize(void *self) { (void)self; }

static const gr_parameter parameters[] = {
#define NUMBER(label, value, least, most)                                                       \
  {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_INTEGER, .name = label, .title = label, \
   .flags = GR_PARAMETER_BOUNDED, .minimum = least, .maximum = most,                            \
   .default_value = {.type = GR_TYPE_INTEGER, .integer = value}}
    NUMBER("width", 1920, 2, 8192),
    NUMBER("height", 1080, 2, 8192),
    NUMBER("bgra", 0, 0, 1),
    NUMBER("leased", 0, 0, 1),
    NUMBER("fps", 1000, 1, 1000),
};

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index;
  flood *me = calloc(1, sizeof *me);
  if (me == NULL) return GR_STATUS_FAILED;
  me->functions = (gr_plugin){.struct_size = sizeof me->functions, .self = me, .destroy = free,
                              .initialize = initialize, .start_send = start_send,
                              .stop_send = stop_send, .uninitialize = uninitialize};
  me->width = (uint32_t)in->settings[0].value.integer;
  me->height = (uint32_t)in->settings[1].value.integer;
  me->bgra = (uint32_t)in->settings[2].value.integer;
  me->leased = (uint32_t)in->settings[3].value.integer;
  me->fps = (uint32_t)in->settings[4].value.integer;
  me->host = in->host;
  me->instance = in->instance;
  *plugin = &me->functions;
  return GR_STATUS_OK;
}

static const gr_descriptor *descriptor(uint32_t index) {
  static const gr_descriptor only = {
      .struct_size = sizeof only, .kind = GR_KIND_VIDEO_SOURCE, .id = "org.greenroom.flood",
      .name = "Flood", .version = "1.0.0", .summary = "Sends at a rate far above a camera's",
      .parameters = parameters, .parameter_count = sizeof parameters / sizeof parameters[0]};
  return index == 0 ? &only : NULL;
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 1,
                                 .descriptor = descriptor, .create = create};
  return &entry;
}
