/* load.steadfast: changes a parameter's bounds when it is created */
#define OWN_DESCRIPTOR
#define OWN_CREATE
#include "../good.h"

static gr_parameter parameter = {
    .struct_size = sizeof(gr_parameter), .type = GR_TYPE_INTEGER,
    .flags = GR_PARAMETER_LIVE | GR_PARAMETER_BOUNDED, .name = "shade",
    .title = "how much lighter or darker", .default_value = {.type = GR_TYPE_INTEGER},
    .minimum = -10, .maximum = 10};

static const gr_descriptor *descriptor(uint32_t index) {
  static gr_descriptor only = GOOD_DESCRIPTOR;
  only.parameters = &parameter;
  only.parameter_count = 1;
  return index == 0 ? &only : NULL;
}

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  parameter.maximum = 20;
  return good_create(index, in, plugin);
}
