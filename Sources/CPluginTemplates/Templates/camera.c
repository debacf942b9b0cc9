/* my-plugin: stripes of light that drift across the frame. */
#include <greenroom/base.h>

typedef struct camera {
  gr_source source; /* first */
  int64_t stripes;  /* the setting; atomic: the host changes it while the thread sends */
} camera;

/* Draws one frame in I420. A row may be followed by padding, so go by gr_row. */
static void draw(const gr_mutable_frame *frame, int64_t time_ns, int64_t stripes) {
  const uint64_t slope = 220000 * (uint64_t)stripes / frame->width;
  const uint64_t shift = (uint64_t)time_ns / 1000000 * 110 / 1000;
  for (uint32_t y = 0; y < frame->height; y++) {
    uint8_t *row = gr_row(frame, 0, y);
    for (uint32_t x = 0; x < frame->width; x++) /* luma: 16 is black, 235 is white */
      row[x] = (uint8_t)(16 + ((x + y) * slope / 1000 + shift) % 220);
  }
  gr_fill_plane(frame, 1, 160);
  gr_fill_plane(frame, 2, 110);
}

/* Runs on a separate thread from start_send to stop_send. */
static void send_frames(gr_source *source) {
  camera *me = (camera *)source;
  gr_frame_time time;
  gr_lease lease;
  while (gr_next_frame(source, &time) == GR_STATUS_OK) {
    if (gr_acquire_frame(source, &time, GR_FORMAT_I420, &lease) != GR_STATUS_OK)
      continue; /* the host has no room: leave this frame out */
    draw(&lease.frame, time.elapsed_ns, __atomic_load_n(&me->stripes, __ATOMIC_RELAXED));
    gr_commit_frame(source, &time, &lease);
  }
}

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "stripes") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((camera *)self)->stripes, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("stripes", "Stripes across the frame", NULL, 8, 1, 50),
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_VIDEO_SOURCE, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "Stripes of light that drift across the frame", parameters);

GR_EXPORT_SOURCE(camera, description, send_frames, set)
