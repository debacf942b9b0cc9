#include "CSeccomp.h"

#include <fcntl.h>
#include <sys/ioctl.h>

const uint32_t greenroom_seccomp_allow = SCMP_ACT_ALLOW;
const uint32_t greenroom_seccomp_notify = SCMP_ACT_NOTIFY;
const uint32_t greenroom_seccomp_kill = SCMP_ACT_KILL_PROCESS;

uint32_t greenroom_seccomp_error(int error) { return SCMP_ACT_ERRNO((uint32_t)error); }

int greenroom_seccomp_give(int notify, uint64_t call, int file, int closes_on_exec) {
    struct seccomp_notif_addfd answer = {
        .id = call,
        .flags = SECCOMP_ADDFD_FLAG_SEND,
        .srcfd = (uint32_t)file,
        .newfd_flags = closes_on_exec ? O_CLOEXEC : 0};
    return ioctl(notify, SECCOMP_IOCTL_NOTIF_ADDFD, &answer);
}

int greenroom_seccomp_install(int notify, uint64_t call, int file, int closes_on_exec) {
    struct seccomp_notif_addfd answer = {
        .id = call, .srcfd = (uint32_t)file, .newfd_flags = closes_on_exec ? O_CLOEXEC : 0};
    return ioctl(notify, SECCOMP_IOCTL_NOTIF_ADDFD, &answer);
}
