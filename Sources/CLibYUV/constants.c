#include "CLibYUV.h"

const struct YuvConstants *greenroom_yuv_constants(int is_full, int is_709) {
    return is_709 ? (is_full ? &kYuvF709Constants : &kYuvH709Constants)
                  : (is_full ? &kYuvJPEGConstants : &kYuvI601Constants);
}

const struct YuvConstants *greenroom_yvu_constants(int is_full, int is_709) {
    return is_709 ? (is_full ? &kYvuF709Constants : &kYvuH709Constants)
                  : (is_full ? &kYvuJPEGConstants : &kYvuI601Constants);
}
