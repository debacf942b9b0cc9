/* pre-processor.property-change: agrees to another size, and edits as in the first one */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#define OWN_INITIALIZE
#define OWN_GET_EXTENSION
#define MEMBERS gr_capability first;
#include "../good.h"

static gr_status initialize(void *self, const gr_initialize *in) {
  ((good *)self)->first = in->offer->suggested;
  return good_initialize(self, in);
}

static gr_status take_frames(void *self, const gr_offer *offer) {
  (void)self, (void)offer;
  return GR_STATUS_OK;
}

static gr_status process(void *self, gr_mutable_frame *frame) {
  const gr_capability *first = &((good *)self)->first;
  for (uint32_t y = 0; y < first->height && y < frame->height; y++)
    for (uint32_t x = 0; x < first->width && x < frame->width; x++)
      frame->planes[0].data[(size_t)y * frame->planes[0].stride_bytes + x] ^= 1;
  return GR_STATUS_OK;
}

static const void *get_extension(void *self, const char *id) {
  static const gr_pre_processor_property_change changing = {.struct_size = sizeof changing,
                                                            .property_change = take_frames};
  if (strcmp(id, GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE) == 0) return &changing;
  return good_get_extension(self, id);
}
