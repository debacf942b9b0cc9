/* A camera in C: a white bar that moves over grey, in the size and rate that suit the session. */
#include <greenroom/plugin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct camera {
  gr_plugin functions;
  const gr_host *host;
  gr_instance instance;
  gr_sender sender;
  const gr_video_functions *video;
  gr_capability size; /* and frame rate */
  uint32_t revision;  /* of the offer that it is from */
  pthread_t thread;
} camera;

static void draw(const gr_mutable_frame *frame, uint64_t number) {
  const size_t width = frame->width, bar = number * 4 % width;
  const size_t bar_width = width - bar < 16 ? width - bar : 16;
  for (uint32_t row = 0; row < frame->height; row++) {
    uint8_t *luma = frame->planes[0].data + (size_t)row * frame->planes[0].stride_bytes;
    memset(luma, 126, width);
    memset(luma + bar, 235, bar_width);
  }
  for (int plane = 1; plane <= 2; plane++) /* no colour */
    memset(frame->planes[plane].data, 128, frame->planes[plane].size_bytes);
}

/* The time from the first frame until a frame is due: neither rounding nor a late frame adds up. */
static int64_t due_after_ns(const camera *me, int64_t n) {
  const int64_t frames = me->size.fps_numerator;
  const int64_t span_ns = me->size.fps_denominator * INT64_C(1000000000);
  return n / frames * span_ns + n % frames * span_ns / frames;
}

static void *send_frames(void *self) {
  const camera *me = self;
  const int64_t start_ns = me->host->now_ns(me->instance);
  for (int64_t n = 0;; n++) {
    /* Late by a whole frame: leave that one out. */
    while (start_ns + due_after_ns(me, n + 1) <= me->host->now_ns(me->instance)) n++;
    const int64_t due_ns = start_ns + due_after_ns(me, n);
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK)
      return NULL; /* stop_send has begun */
    gr_lease lease = {.struct_size = sizeof lease};
    if (me->video->acquire(me->sender, GR_FORMAT_I420, me->size.width, me->size.height, &lease))
      continue; /* the host is behind: leave this frame out */
    draw(&lease.frame, (uint64_t)n);
    const gr_frame_info info = {.struct_size = sizeof info, .range = GR_RANGE_LIMITED,
                                .matrix = GR_MATRIX_BT709, .offer_revision = me->revision,
                                .pts_ns = due_ns};
    me->video->commit(me->sender, lease.id, &info);
  }
}

static gr_status initialize(void *self, const gr_initialize *in) {
  camera *me = self;
  me->sender = in->sender;
  me->video = in->video;
  me->size = in->offer->suggested; /* which is what *in->answer says already */
  me->revision = in->offer->revision;
  return GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  camera *me = self;
  if (pthread_create(&me->thread, NULL, send_frames, me) == 0) return GR_STATUS_OK;
  me->host->set_error(me->instance, "no thread could be made; raise the limit on threads");
  return GR_STATUS_FAILED;
}

static void stop_send(void *self) { pthread_join(((camera *)self)->thread, NULL); }

static void uninitialize(void *self) { ((camera *)self)->sender = 0; }

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index; /* there is one plugin in here */
  camera *me = calloc(1, sizeof *me);
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
  static const gr_descriptor only = {
      .struct_size = sizeof only, .kind = GR_KIND_VIDEO_SOURCE, .id = "org.example.c-camera",
      .name = "CCamera", .version = "1.0.0", .summary = "A white bar that moves over grey"};
  return index == 0 ? &only : NULL;
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 1,
                                 .descriptor = descriptor, .create = create};
  return &entry;
}
