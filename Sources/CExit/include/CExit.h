// `_exit` and `pthread_create` of the host's program, which plugins call, too: it reports how they end it.

#ifndef GREENROOM_CEXIT_H
#define GREENROOM_CEXIT_H

void _exit(int status) __attribute__((noreturn));

#endif
