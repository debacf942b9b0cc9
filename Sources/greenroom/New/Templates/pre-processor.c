/* my-plugin: the brown of old photographs. */
#include <greenroom/plugin.h>
#include <stdlib.h>
#include <string.h>

typedef struct filter {
  gr_plugin functions;
  int64_t strength; /* percent; atomic: the host changes it between frames and during one */
} filter;

static void blend(const gr_mutable_frame *frame, int plane, int64_t value, int64_t strength) {
  const size_t width = (frame->width + 1) / 2, height = (frame->height + 1) / 2;
  for (size_t y = 0; y < height; y++) {
    uint8_t *row = frame->planes[plane].data + y * frame->planes[plane].stride_bytes;
    for (size_t x = 0; x < width; x++)
      row[x] = (uint8_t)((row[x] * (100 - strength) + value * strength) / 100);
  }
}

/* Edits one frame in place: I420, upright, in the size that the session agreed on. */
static gr_status process(void *self, gr_mutable_frame *frame) {
  filter *me = self;
  const int64_t strength = __atomic_load_n(&me->strength, __ATOMIC_RELAXED);
  blend(frame, 1, 105, strength);
  blend(frame, 2, 148, strength);
  return GR_STATUS_OK;
}

/* There is nothing to prepare and nothing to stop: frames come when the host has some. */
static gr_status initialize(void *self, const gr_initialize *in) {
  (void)self, (void)in;
  return GR_STATUS_OK;
}
static gr_status start_send(void *self) { return (void)self, GR_STATUS_OK; }
static void stop_send(void *self) { (void)self; }
static void uninitialize(void *self) { (void)self; }

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  filter *me = self;
  if (strcmp(setting->name, "strength") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&me->strength, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const void *get_extension(void *self, const char *id) {
  static const gr_pre_processor pre_processor = {.struct_size = sizeof pre_processor,
                                                 .process = process};
  static const gr_live_parameters live = {.struct_size = sizeof live, .set = set};
  (void)self;
  if (strcmp(id, GR_EXT_PRE_PROCESSOR) == 0) return &pre_processor;
  return strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 ? &live : NULL;
}

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index; /* there is one plugin in here */
  filter *me = calloc(1, sizeof *me);
  if (me == NULL) return GR_STATUS_FAILED;
  me->functions = (gr_plugin){
      .struct_size = sizeof me->functions, .self = me, .destroy = free,
      .initialize = initialize, .start_send = start_send, .stop_send = stop_send,
      .uninitialize = uninitialize, .get_extension = get_extension};
  for (uint32_t i = 0; i < in->setting_count; i++) set(me, &in->settings[i]);
  *plugin = &me->functions;
  return GR_STATUS_OK;
}

static const gr_descriptor *descriptor(uint32_t index) {
  static const gr_parameter strength = {
      .struct_size = sizeof strength, .type = GR_TYPE_INTEGER,
      .flags = GR_PARAMETER_LIVE | GR_PARAMETER_BOUNDED, .name = "strength",
      .title = "Strength", .unit = "%",
      .default_value = {.type = GR_TYPE_INTEGER, .integer = 80},
      .minimum = 0, .maximum = 100};
  static const gr_descriptor only = {
      .struct_size = sizeof only, .kind = GR_KIND_PRE_PROCESSOR, .id = "com.example.my-plugin",
      .name = "my-plugin", .version = "0.1.0",
      .summary = "The brown of old photographs",
      .parameters = &strength, .parameter_count = 1};
  return index == 0 ? &only : NULL;
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 1,
                                 .descriptor = descriptor, .create = create};
  return &entry;
}
