/* load.memory: has relocations in its code */
/* cc: -Wl,-z,notext */
#include "../good.h"

__asm__(".text\n.quad greenroom_test_place\n"
        ".data\ngreenroom_test_place: .quad 0\n.text");
