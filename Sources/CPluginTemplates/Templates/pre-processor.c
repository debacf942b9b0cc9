/* my-plugin: the brown of old photographs. */
#include <greenroom/base.h>

typedef struct filter {
  gr_filter filter; /* first */
  int64_t strength; /* percent; atomic: the host changes it between frames and during one */
} filter;

static void blend(const gr_mutable_frame *frame, uint32_t plane, int64_t value, int64_t strength) {
  const uint64_t width = gr_row_bytes(frame->format, plane, frame->width);
  const uint32_t height = gr_plane_rows(frame->format, plane, frame->height);
  for (uint32_t y = 0; y < height; y++) {
    uint8_t *row = gr_row(frame, plane, y);
    for (uint64_t x = 0; x < width; x++)
      row[x] = (uint8_t)((row[x] * (100 - strength) + value * strength) / 100);
  }
}

/* Edits one frame in place: I420, upright, in the size that the session agreed on. */
static gr_status process(void *self, gr_mutable_frame *frame) {
  const int64_t strength = __atomic_load_n(&((filter *)self)->strength, __ATOMIC_RELAXED);
  blend(frame, 1, 105, strength);
  blend(frame, 2, 148, strength);
  return GR_STATUS_OK;
}

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "strength") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((filter *)self)->strength, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("strength", "Strength", "%", 80, 0, 100),
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_PRE_PROCESSOR, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "The brown of old photographs", parameters);

GR_EXPORT_FILTER(filter, description, process, set)
