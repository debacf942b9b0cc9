#define _GNU_SOURCE

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_files = 512 };

typedef struct {
    uint64_t inodes[most_files];
    size_t count;
} files;

// Whether the file is new. Files beyond the limit of the list always count as new.
static int add(files *known, uint64_t inode) {
    for (size_t index = 0; index < known->count; index++)
        if (known->inodes[index] == inode) return 0;
    if (known->count < most_files) known->inodes[known->count++] = inode;
    return 1;
}

// An error number of a file in /proc; 0 if the process is gone.
static int64_t error_of_process(int error) { return error == ENOENT || error == ESRCH ? 0 : -error; }

// Whether a descriptor is of a memory file. Another path may be too long for the kernel to tell.
static int is_memory(int descriptors, const char *name) {
    static const char beginning[] = "/memfd:";
    char path[sizeof beginning - 1];
    return readlinkat(descriptors, name, path, sizeof path) == sizeof path
        && memcmp(path, beginning, sizeof path) == 0;
}

static int64_t open_bytes(int descriptors, files *known) {
    struct entry {
        uint64_t inode;
        int64_t offset;
        unsigned short length;
        unsigned char type;
        char name[];
    };
    _Alignas(struct entry) char buffer[4096];
    int64_t sum = 0;
    while (1) {
        long filled = syscall(SYS_getdents64, descriptors, buffer, sizeof buffer);
        if (filled < 0) return error_of_process(errno);
        if (filled == 0) return sum;
        for (long place = 0; place < filled;) {
            const struct entry *entry = (const struct entry *)(buffer + place);
            place += entry->length;
            struct stat status;
            if (entry->name[0] == '.' || fstatat(descriptors, entry->name, &status, 0) != 0) continue;
            if (!S_ISREG(status.st_mode) || status.st_nlink > 0) continue;
            if (is_memory(descriptors, entry->name)) continue;
            if (add(known, status.st_ino)) sum += (int64_t)status.st_blocks * 512;
        }
    }
}

// The beginning and the end of a line of any length.
typedef struct {
    char head[4096];
    char tail[10];
    size_t length;
} line;

// The inode of a mapped file of the folder without a name; 0 if the line is of something else.
static uint64_t nameless(line *map, const char *folder) {
    if (map->length < sizeof map->tail || memcmp(map->tail, " (deleted)", sizeof map->tail) != 0) return 0;
    map->head[map->length < sizeof map->head ? map->length : sizeof map->head - 1] = 0;
    // The columns are range, rights, offset, device, inode and name.
    const char *place = map->head;
    for (int column = 0; column < 4; column++) {
        place = strchr(place, ' ');
        if (place == NULL) return 0;
        place++;
    }
    char *end;
    uint64_t inode = strtoull(place, &end, 10);
    while (*end == ' ') end++;
    size_t length = strlen(folder);
    return strncmp(end, folder, length) == 0 && end[length] == '/' ? inode : 0;
}

static int64_t mapped_count(int maps, const char *folder, files *known) {
    char buffer[4096];
    line map = {.length = 0};
    int64_t count = 0;
    while (1) {
        ssize_t filled = read(maps, buffer, sizeof buffer);
        if (filled < 0) return error_of_process(errno);
        if (filled == 0) return count;
        for (ssize_t index = 0; index < filled; index++) {
            if (buffer[index] == '\n') {
                uint64_t inode = nameless(&map, folder);
                if (inode != 0 && add(known, inode)) count++;
                map.length = 0;
                continue;
            }
            if (map.length < sizeof map.head) map.head[map.length] = buffer[index];
            memmove(map.tail, map.tail + 1, sizeof map.tail - 1);
            map.tail[sizeof map.tail - 1] = buffer[index];
            map.length++;
        }
    }
}

int64_t greenroom_nameless_bytes(pid_t process, const char *folder, int64_t mapped) {
    files known;
    known.count = 0;
    char place[64];
    snprintf(place, sizeof place, "/proc/%d/fd", process);
    int descriptors = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptors < 0) return error_of_process(errno);
    int64_t bytes = open_bytes(descriptors, &known);
    close(descriptors);
    if (bytes < 0) return bytes;
    snprintf(place, sizeof place, "/proc/%d/maps", process);
    int maps = open(place, O_RDONLY | O_CLOEXEC);
    if (maps < 0) return error_of_process(errno);
    int64_t count = mapped_count(maps, folder, &known);
    close(maps);
    return count < 0 ? count : bytes + count * mapped;
}
