// Audio of other programs: links from their streams to a stream of this node.

#include "node.h"

#include <errno.h>
#include <spa/utils/string.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An object of the registry.
struct tap_object {
    struct tap_object *next;
    uint32_t id;
    enum { TAP_CLIENT, TAP_NODE, TAP_PORT } kind;
    uint32_t owner;     // of a node, its client; of a port, its node
    int64_t process;    // of a client
    int is_wanted;      // of a node
    int is_output;      // of a port
    char channel[16];   // of a port
};

struct tap_link {
    struct tap_link *next;
    struct greenroom_pipewire_tap *tap;
    struct pw_proxy *proxy;
    struct spa_hook listener;
    uint32_t output, input;
};

struct greenroom_pipewire_tap {
    struct greenroom_pipewire *node;
    struct pw_registry *registry;
    struct spa_hook listener;
    struct tap_object *objects;
    struct tap_link *links;
    char program[128];     // in lower case; empty for all
    int64_t excluded[2];   // processes
    _Atomic int wanted;    // nodes that are linked
};

static struct tap_object *find(struct greenroom_pipewire_tap *tap, uint32_t id) {
    for (struct tap_object *each = tap->objects; each; each = each->next)
        if (each->id == id) return each;
    return NULL;
}

static void link_removed(void *data) {
    struct tap_link *link = data;
    for (struct tap_link **place = &link->tap->links; *place; place = &(*place)->next)
        if (*place == link) {
            *place = link->next;
            break;
        }
    spa_hook_remove(&link->listener);
    pw_proxy_destroy(link->proxy);
    free(link);
}

static void link_error(void *data, int sequence, int result, const char *message) {
    (void)sequence;
    (void)result;
    (void)message;
    link_removed(data);
}

static const struct pw_proxy_events link_events = {
    PW_VERSION_PROXY_EVENTS,
    .removed = link_removed,
    .error = link_error,
};

static void connect_ports(struct greenroom_pipewire_tap *tap, uint32_t output, uint32_t input) {
    for (struct tap_link *each = tap->links; each; each = each->next)
        if (each->output == output && each->input == input) return;
    struct tap_link *link = calloc(1, sizeof *link);
    if (!link) return;
    char output_text[16], input_text[16];
    snprintf(output_text, sizeof output_text, "%u", output);
    snprintf(input_text, sizeof input_text, "%u", input);
    struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_OUTPUT_PORT, output_text),
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_INPUT_PORT, input_text),
        SPA_DICT_ITEM_INIT(PW_KEY_OBJECT_LINGER, "false"),
    };
    struct spa_dict properties = SPA_DICT_INIT_ARRAY(items);
    link->proxy = pw_core_create_object(
        tap->node->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties, 0);
    if (!link->proxy) {
        free(link);
        return;
    }
    link->tap = tap;
    link->output = output;
    link->input = input;
    link->next = tap->links;
    tap->links = link;
    pw_proxy_add_listener(link->proxy, &link->listener, &link_events, link);
}

// Links left to left and right to right; any other port to both.
static int is_for(const char *output, const char *input) {
    int is_side = spa_streq(output, "FL") || spa_streq(output, "FR");
    return !is_side || spa_streq(output, input) || spa_streq(input, "MONO");
}

// Links what is not linked yet.
static void connect_all(struct greenroom_pipewire_tap *tap) {
    uint32_t own = pw_stream_get_node_id(tap->node->stream);
    int wanted = 0;
    for (struct tap_object *each = tap->objects; each; each = each->next)
        if (each->kind == TAP_NODE && each->is_wanted && each->id != own) {
            const struct tap_object *client = find(tap, each->owner);
            int64_t process = client ? client->process : 0;
            if (process != 0 && (process == tap->excluded[0] || process == tap->excluded[1]))
                continue;
            wanted++;
            for (struct tap_object *output = tap->objects; output; output = output->next) {
                if (output->kind != TAP_PORT || output->owner != each->id || !output->is_output)
                    continue;
                for (struct tap_object *input = tap->objects; input; input = input->next)
                    if (input->kind == TAP_PORT && input->owner == own && !input->is_output
                        && is_for(output->channel, input->channel))
                        connect_ports(tap, output->id, input->id);
            }
        }
    atomic_store(&tap->wanted, wanted);
}

static uint32_t number(const struct spa_dict *properties, const char *key) {
    const char *text = spa_dict_lookup(properties, key);
    return text ? (uint32_t)strtoul(text, NULL, 10) : SPA_ID_INVALID;
}

static int contains(const char *text, const char *wanted) {
    if (!text) return 0;
    char lower[256];
    size_t length = 0;
    for (; text[length] && length < sizeof lower - 1; length++)
        lower[length] =
            text[length] >= 'A' && text[length] <= 'Z' ? (char)(text[length] + 32) : text[length];
    lower[length] = 0;
    return strstr(lower, wanted) != NULL;
}

static void added(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
    const struct spa_dict *properties) {
    struct greenroom_pipewire_tap *tap = data;
    (void)permissions;
    (void)version;
    if (!properties) return;
    struct tap_object object = {.id = id};
    if (spa_streq(type, PW_TYPE_INTERFACE_Client)) {
        object.kind = TAP_CLIENT;
        const char *process = spa_dict_lookup(properties, PW_KEY_SEC_PID);
        object.process = process ? strtol(process, NULL, 10) : 0;
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Node)) {
        object.kind = TAP_NODE;
        object.owner = number(properties, PW_KEY_CLIENT_ID);
        object.is_wanted =
            spa_streq(spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS), "Stream/Output/Audio")
            && (contains(spa_dict_lookup(properties, PW_KEY_APP_NAME), tap->program)
                || contains(spa_dict_lookup(properties, PW_KEY_NODE_NAME), tap->program));
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Port)) {
        object.kind = TAP_PORT;
        object.owner = number(properties, PW_KEY_NODE_ID);
        object.is_output =
            spa_streq(spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION), "out");
        const char *channel = spa_dict_lookup(properties, PW_KEY_AUDIO_CHANNEL);
        snprintf(object.channel, sizeof object.channel, "%s", channel ? channel : "");
    } else {
        return;
    }
    struct tap_object *kept = malloc(sizeof *kept);
    if (!kept) return;
    *kept = object;
    kept->next = tap->objects;
    tap->objects = kept;
    connect_all(tap);
}

static void removed(void *data, uint32_t id) {
    struct greenroom_pipewire_tap *tap = data;
    for (struct tap_object **place = &tap->objects; *place; place = &(*place)->next)
        if ((*place)->id == id) {
            struct tap_object *object = *place;
            *place = object->next;
            free(object);
            break;
        }
    connect_all(tap);
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS,
    .global = added,
    .global_remove = removed,
};

void tap_free(struct greenroom_pipewire_tap *tap) {
    if (!tap) return;
    while (tap->links) link_removed(tap->links);
    if (tap->registry) {
        spa_hook_remove(&tap->listener);
        pw_proxy_destroy((struct pw_proxy *)tap->registry);
    }
    while (tap->objects) {
        struct tap_object *next = tap->objects->next;
        free(tap->objects);
        tap->objects = next;
    }
    free(tap);
}

greenroom_pipewire *greenroom_pipewire_tap_programs(
    int descriptor, const char *name, const char *program, uint32_t channels, int64_t process,
    int64_t other_process, greenroom_pipewire_reason *reason) {
    struct greenroom_pipewire_tap *tap = calloc(1, sizeof *tap);
    if (!tap) {
        snprintf(reason->text, sizeof reason->text, "%s", strerror(errno));
        return NULL;
    }
    for (size_t index = 0; program[index] && index < sizeof tap->program - 1; index++)
        tap->program[index] = program[index] >= 'A' && program[index] <= 'Z'
            ? (char)(program[index] + 32)
            : program[index];
    tap->excluded[0] = process;
    tap->excluded[1] = other_process;
    struct greenroom_pipewire *node = audio_input(descriptor, name, channels, reason);
    if (!node) {
        free(tap);
        return NULL;
    }
    tap->node = node;
    pw_thread_loop_lock(node->loop);
    node->tap = tap;
    tap->registry = pw_core_get_registry(node->core, PW_VERSION_REGISTRY, 0);
    if (tap->registry)
        pw_registry_add_listener(tap->registry, &tap->listener, &registry_events, tap);
    pw_thread_loop_unlock(node->loop);
    return node;
}

int greenroom_pipewire_tapped(const greenroom_pipewire *node) {
    return node->tap ? atomic_load(&node->tap->wanted) : 0;
}
