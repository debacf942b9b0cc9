/*
 * A library with one plugin that breaks one rule of the interface. The compiler is told which:
 * -DFAULT_WRONG_MAJOR and so on; with -DFAULT_NONE it breaks none.
 */
#include <greenroom/plugin.h>
#include <stddef.h>
#if defined(FAULT_ENDLESS_ENTRY) || defined(FAULT_ENDLESS_LOADING)
#include <unistd.h>
#endif
#if defined(FAULT_CRASHING_ENTRY) || defined(FAULT_CRASHING_LOADING) || defined(FAULT_LOADING_EXITS)
#include <stdlib.h>
#endif

/* Larger structs, as a later minor of the interface has them. */
typedef struct newer_parameter {
  gr_parameter base;
  uint64_t added[2];
} newer_parameter;

typedef struct newer_descriptor {
  gr_descriptor base;
  uint64_t added;
} newer_descriptor;

typedef struct newer_plugin {
  gr_plugin base;
  void (*added)(void);
} newer_plugin;

typedef struct newer_entry {
  gr_entry base;
  void (*added)(void);
} newer_entry;

static const char *const moods[] = {"calm", "wild"};

static newer_parameter parameters[3] = {
    {{.struct_size = sizeof(gr_parameter), .type = GR_TYPE_INTEGER,
      .flags = GR_PARAMETER_BOUNDED, .name = "level", .title = "Level", .minimum = 0,
      .maximum = 10, .default_value = {.type = GR_TYPE_INTEGER, .integer = 5}},
     {0}},
    {{.struct_size = sizeof(gr_parameter), .type = GR_TYPE_CHOICE, .name = "mood",
      .title = "Mood", .choices = moods, .choice_count = 2,
      .default_value = {.type = GR_TYPE_CHOICE, .string = "calm"}},
     {0}},
    {{.struct_size = sizeof(gr_parameter), .type = GR_TYPE_STRING, .name = "label",
      .title = "Label", .default_value = {.type = GR_TYPE_STRING, .string = ""}},
     {0}},
};

static newer_descriptor described[2] = {
    {{.struct_size = sizeof(gr_descriptor), .kind = GR_KIND_VIDEO_SOURCE,
      .id = "org.example.malformed", .name = "Malformed", .version = "1.0.0",
      .summary = "Breaks a rule of the interface", .parameters = &parameters[0].base,
      .parameter_count = 1},
     0},
    {{.struct_size = sizeof(gr_descriptor), .kind = GR_KIND_VIDEO_SOURCE,
      .id = "org.example.malformed-2", .name = "Malformed2", .version = "1.0.0",
      .summary = "Its neighbour"},
     0},
};

static const gr_descriptor *descriptor(uint32_t index) { return &described[index].base; }

static gr_status initialize(void *self, const gr_initialize *in) {
  (void)self;
  (void)in;
  return GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  (void)self;
  return GR_STATUS_OK;
}

static void do_nothing(void *self) { (void)self; }

static newer_plugin instance = {
    {.struct_size = sizeof(gr_plugin), .destroy = do_nothing, .initialize = initialize,
     .start_send = start_send, .stop_send = do_nothing, .uninitialize = do_nothing},
    NULL};

#if defined(FAULT_SHORT_EXTENSION) || defined(FAULT_EMPTY_EXTENSION)
static const void *get_extension(void *self, const char *id) {
  static gr_pre_processor pre_processor;
  (void)self;
  (void)id;
#if defined(FAULT_SHORT_EXTENSION)
  pre_processor.struct_size = 8;
#else
  pre_processor.struct_size = sizeof pre_processor;
#endif
  return &pre_processor;
}
#endif

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index;
  (void)in;
#if defined(FAULT_NO_INSTANCE)
  *plugin = NULL;
#else
  *plugin = &instance.base;
#endif
  return GR_STATUS_OK;
}

static newer_entry entry = {
    {.struct_size = sizeof(gr_entry), .abi_major = GR_ABI_MAJOR, .abi_minor = GR_ABI_MINOR,
     .plugin_count = 1, .descriptor = descriptor, .create = create},
    NULL};

static void break_a_rule(void) {
  gr_entry *const e = &entry.base;
  gr_descriptor *const d = &described[0].base;
  gr_parameter *const p = &parameters[0].base;
  gr_plugin *const i = &instance.base;
  (void)e, (void)d, (void)p, (void)i;

  /* The entry */
#if defined(FAULT_WRONG_MAJOR)
  e->abi_major = 2;
#elif defined(FAULT_MAJOR_ZERO)
  e->abi_major = 0;
#elif defined(FAULT_SHORT_ENTRY)
  e->struct_size = offsetof(gr_entry, create);
#elif defined(FAULT_NO_ENTRY_SIZE)
  e->struct_size = 0;
#elif defined(FAULT_NULL_CREATE)
  e->create = NULL;
#elif defined(FAULT_NULL_DESCRIPTOR_FUNCTION)
  e->descriptor = NULL;
#elif defined(FAULT_NO_PLUGINS)
  e->plugin_count = 0;
#elif defined(FAULT_ABSURD_COUNT)
  e->plugin_count = 4000000000u;

  /* Descriptors */
#elif defined(FAULT_SHORT_DESCRIPTOR)
  d->struct_size = offsetof(gr_descriptor, summary);
#elif defined(FAULT_UNKNOWN_KIND)
  d->kind = 77;
#elif defined(FAULT_ID_NOT_UTF8)
  d->id = "org.example.\xff\xfe";
#elif defined(FAULT_ID_CHARACTERS)
  d->id = "org.example/../malformed";
#elif defined(FAULT_NULL_ID)
  d->id = NULL;
#elif defined(FAULT_EMPTY_NAME)
  d->name = "";
#elif defined(FAULT_NAME_CHARACTERS)
  d->name = "My camera: the best";
#elif defined(FAULT_ENDLESS_SUMMARY)
  static char endless[1 << 16];
  for (size_t index = 0; index < sizeof endless; index++) endless[index] = 'x';
  d->summary = endless;
#elif defined(FAULT_SUMMARY_NOT_UTF8)
  d->summary = "caf\xe9";
#elif defined(FAULT_DUPLICATE_ID)
  e->plugin_count = 2;
  described[1].base.id = d->id;
#elif defined(FAULT_DUPLICATE_NAME)
  e->plugin_count = 2;
  described[1].base.name = d->name;

  /* Parameters */
#elif defined(FAULT_NULL_PARAMETERS)
  d->parameters = NULL;
#elif defined(FAULT_ABSURD_PARAMETER_COUNT)
  d->parameter_count = 4000000000u;
#elif defined(FAULT_SHORT_PARAMETER)
  p->struct_size = 16;
#elif defined(FAULT_UNKNOWN_TYPE)
  p->type = 77;
#elif defined(FAULT_PARAMETER_NAME_CHARACTERS)
  p->name = "Level one";
#elif defined(FAULT_NULL_TITLE)
  p->title = NULL;
#elif defined(FAULT_DEFAULT_OUT_OF_BOUNDS)
  p->default_value.integer = 11;
#elif defined(FAULT_DEFAULT_OF_ANOTHER_TYPE)
  p->default_value = (gr_value){.type = GR_TYPE_STRING, .string = "five"};
#elif defined(FAULT_BOUNDS_REVERSED)
  p->minimum = 10;
  p->maximum = 0;
#elif defined(FAULT_BOUNDS_NOT_NUMBERS)
  p->minimum = __builtin_nan("");
#elif defined(FAULT_DEFAULT_INFINITE)
  p->type = p->default_value.type = GR_TYPE_NUMBER;
  p->flags = 0;
  p->default_value.number = __builtin_inf();
#elif defined(FAULT_NO_CHOICES)
  d->parameters = &parameters[1].base;
  parameters[1].base.choices = NULL;
#elif defined(FAULT_NO_CHOICE_COUNT)
  d->parameters = &parameters[1].base;
  parameters[1].base.choice_count = 0;
#elif defined(FAULT_DEFAULT_NO_CHOICE)
  d->parameters = &parameters[1].base;
  parameters[1].base.default_value.string = "angry";
#elif defined(FAULT_NULL_DEFAULT)
  d->parameters = &parameters[1].base;
  parameters[1].base.default_value.string = NULL;
#elif defined(FAULT_LIVE_WITHOUT_EXTENSION)
  p->flags |= GR_PARAMETER_LIVE;

  /* Instances */
#elif defined(FAULT_SHORT_INSTANCE)
  i->struct_size = offsetof(gr_plugin, stop_send);
#elif defined(FAULT_NULL_DESTROY)
  i->destroy = NULL;
#elif defined(FAULT_NULL_INITIALIZE)
  i->initialize = NULL;
#elif defined(FAULT_NULL_START_SEND)
  i->start_send = NULL;
#elif defined(FAULT_NULL_STOP_SEND)
  i->stop_send = NULL;
#elif defined(FAULT_NULL_UNINITIALIZE)
  i->uninitialize = NULL;
#elif defined(FAULT_FILTER_WITHOUT_EXTENSION)
  d->kind = GR_KIND_PRE_PROCESSOR;
#elif defined(FAULT_SHORT_EXTENSION) || defined(FAULT_EMPTY_EXTENSION)
  d->kind = GR_KIND_PRE_PROCESSOR;
  i->get_extension = get_extension;

  /* No fault: a later minor, whose structs are all larger */
#elif defined(FAULT_NONE_NEWER_MINOR)
  e->abi_minor = 7;
  e->struct_size = sizeof(newer_entry);
  d->struct_size = sizeof(newer_descriptor);
  i->struct_size = sizeof(newer_plugin);
  d->parameter_count = 3;
  for (int index = 0; index < 3; index++)
    parameters[index].base.struct_size = sizeof(newer_parameter);
#elif defined(FAULT_ENDLESS_ENTRY)
  for (;;) pause();
#elif defined(FAULT_CRASHING_ENTRY)
  abort();
#elif !defined(FAULT_NONE) && !defined(FAULT_NULL_ENTRY) && !defined(FAULT_NO_INSTANCE) && \
    !defined(FAULT_CRASHING_LOADING) && !defined(FAULT_ENDLESS_LOADING) && \
    !defined(FAULT_LOADING_EXITS)
#error "no such fault"
#endif
}

/* While it is loaded */
#if defined(FAULT_CRASHING_LOADING) || defined(FAULT_ENDLESS_LOADING) || \
    defined(FAULT_LOADING_EXITS)
__attribute__((constructor)) static void load(void) {
#if defined(FAULT_CRASHING_LOADING)
  abort();
#elif defined(FAULT_LOADING_EXITS)
  exit(0);
#else
  for (;;) pause();
#endif
}
#endif

GR_EXPORT const gr_entry *greenroom_plugin_entry(void);

const gr_entry *greenroom_plugin_entry(void) {
  break_a_rule();
#if defined(FAULT_NULL_ENTRY)
  return NULL;
#else
  return &entry.base;
#endif
}
