/* my-plugin: a page of text that scrolls. */
#include <greenroom/base.h>

typedef struct share {
  gr_source source; /* first */
  int64_t lines;    /* the setting; atomic: the host changes it while the thread sends */
} share;

/* Draws one frame in BGRA. A row may be followed by padding, so go by gr_row. */
static void draw(const gr_mutable_frame *frame, int64_t time_ns, int64_t lines) {
  const uint64_t width = frame->width, height = frame->height, start = width / 10;
  const uint64_t scrolled = (uint64_t)time_ns / 1000000 * height / 10000;
  for (uint32_t y = 0; y < frame->height; y++) {
    uint8_t *row = gr_row(frame, 0, y);
    memset(row, 250, 4 * width); /* paper */
    const uint64_t half = 2 * (uint64_t)lines * (y + scrolled) / height;
    if (half % 2 != 0) continue; /* between two lines */
    const uint64_t end = width * (50 + half * 37 % 40) / 100;
    memset(row + 4 * start, 60, 4 * (end - start)); /* ink */
  }
}

/* Runs on a separate thread from start_send to stop_send. */
static void send_frames(gr_source *source) {
  share *me = (share *)source;
  gr_frame_time time;
  gr_lease lease;
  while (gr_next_frame(source, &time) == GR_STATUS_OK) {
    if (gr_acquire_frame(source, &time, GR_FORMAT_BGRA, &lease) != GR_STATUS_OK)
      continue; /* the host has no room: leave this frame out */
    draw(&lease.frame, time.elapsed_ns, __atomic_load_n(&me->lines, __ATOMIC_RELAXED));
    gr_commit_frame(source, &time, &lease);
  }
}

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "lines") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((share *)self)->lines, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("lines", "Lines on the page", NULL, 30, 5, 100),
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_SHARE_SOURCE, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "A page of text that scrolls", parameters);

GR_EXPORT_SOURCE(share, description, send_frames, set)
