/* load.quiet: makes a socket in a constructor */
#include "../good.h"

#include <sys/socket.h>

__attribute__((constructor)) static void begin(void) { (void)socket(AF_INET, SOCK_STREAM, 0); }
