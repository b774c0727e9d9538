#include "CCompression.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

void *homing_zstd_context(void) { return ZSTD_createCCtx(); }

size_t homing_zstd(void *context, const void *plain, size_t size, void *out, size_t capacity) {
    size_t written = ZSTD_compressCCtx(context, out, capacity, plain, size, 1);
    return ZSTD_isError(written) ? 0 : written;
}

void homing_zstd_free(void *context) { ZSTD_freeCCtx(context); }

size_t homing_zstd_stated_size(const void *frame, size_t size) {
    unsigned long long stated = ZSTD_getFrameContentSize(frame, size);
    return stated == ZSTD_CONTENTSIZE_UNKNOWN || stated == ZSTD_CONTENTSIZE_ERROR ? 0 : (size_t)stated;
}

size_t homing_zstd_expand(const void *frame, size_t size, void *out, size_t capacity) {
    size_t written = ZSTD_decompress(out, capacity, frame, size);
    return ZSTD_isError(written) ? 0 : written;
}

// gzip instead of zlib (zlib.h, deflateInit2).
static const int gzip_window = 15 + 16;

static int fill(z_stream *stream, const void *in, size_t size, void *out, size_t capacity) {
    memset(stream, 0, sizeof *stream);
    stream->next_in = (z_const Bytef *)in;
    stream->avail_in = (uInt)size;
    stream->next_out = out;
    stream->avail_out = (uInt)capacity;
    return size <= UINT_MAX && capacity <= UINT_MAX;
}

size_t homing_gzip(const void *plain, size_t size, void *out, size_t capacity) {
    z_stream stream;
    if (!fill(&stream, plain, size, out, capacity)) return 0;
    if (deflateInit2(&stream, 6, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    size_t written = deflate(&stream, Z_FINISH) == Z_STREAM_END ? stream.total_out : 0;
    deflateEnd(&stream);
    return written;
}

size_t homing_gunzip(const void *member, size_t size, void *out, size_t capacity) {
    z_stream stream;
    if (!fill(&stream, member, size, out, capacity)) return 0;
    if (inflateInit2(&stream, gzip_window) != Z_OK) return 0;
    size_t written = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0 ? stream.total_out : 0;
    inflateEnd(&stream);
    return written;
}
