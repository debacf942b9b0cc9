/* pre-processor.property-change: agrees to a smaller size, and writes as many rows as in the first one */
#define KIND GR_KIND_PRE_PROCESSOR
#define OWN_PROCESS
#define OWN_INITIALIZE
#define OWN_GET_EXTENSION
#define MEMBERS uint32_t rows;
#include "../good.h"

static gr_status initialize(void *self, const gr_initialize *in) {
  ((good *)self)->rows = in->offer->suggested.height;
  return good_initialize(self, in);
}

static gr_status take_frames(void *self, const gr_offer *offer) {
  (void)self, (void)offer;
  return GR_STATUS_OK;
}

static gr_status process(void *self, gr_mutable_frame *frame) {
  for (uint32_t y = 0; y < ((good *)self)->rows; y++)
    frame->planes[0].data[(size_t)y * frame->planes[0].stride_bytes] ^= 1;
  return GR_STATUS_OK;
}

static const void *get_extension(void *self, const char *id) {
  static const gr_pre_processor_property_change changing = {.struct_size = sizeof changing,
                                                            .property_change = take_frames};
  if (strcmp(id, GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE) == 0) return &changing;
  return good_get_extension(self, id);
}
