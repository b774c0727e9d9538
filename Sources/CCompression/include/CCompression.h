#pragma once
#include <stddef.h>
// zlib and libzstd without their headers: Swift would import those beside the zlib of swift-nio-extras. All return the number of bytes
// written to `out`, or 0 for a failure or a result beyond `capacity`.

/// The working memory of a compression, which can be used again; NULL without memory.
void *homing_zstd_context(void);
void homing_zstd_free(void *context);

/// Zstandard, level 1 (RFC 8878).
size_t homing_zstd(void *context, const void *plain, size_t size, void *out, size_t capacity);

/// The original size that the head of a Zstandard frame states; 0 if it states none.
size_t homing_zstd_stated_size(const void *frame, size_t size);

/// The reverse of `homing_zstd`.
size_t homing_zstd_expand(const void *frame, size_t size, void *out, size_t capacity);

/// gzip without a name and time, level 6 (RFC 1952).
size_t homing_gzip(const void *plain, size_t size, void *out, size_t capacity);

/// The reverse of `homing_gzip`, for one member.
size_t homing_gunzip(const void *member, size_t size, void *out, size_t capacity);
