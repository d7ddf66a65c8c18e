#ifndef FACET_CMESHOPT_H
#define FACET_CMESHOPT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// meshoptimizer's codecs as EXT_meshopt_compression uses them. The library holds its arguments by assertions: here they are looked
// at first. No function throws, and none reads or writes outside the ranges that it is given.

/// How a buffer is packed, and by which filter its values went before.
enum { FACET_MESHOPT_ATTRIBUTES = 0, FACET_MESHOPT_TRIANGLES = 1, FACET_MESHOPT_INDICES = 2 };
enum { FACET_MESHOPT_NO_FILTER = 0, FACET_MESHOPT_OCTAHEDRAL = 1, FACET_MESHOPT_QUATERNION = 2, FACET_MESHOPT_EXPONENTIAL = 3 };

/// What comes of decoding.
enum {
    FACET_MESHOPT_DONE = 0,
    /// Mode, filter, count and stride do not go together.
    FACET_MESHOPT_BAD_ARGUMENT = 1,
    /// The bytes begin as no version does that the library knows.
    FACET_MESHOPT_BAD_VERSION = 2,
    /// The bytes are none of the codec's, cut off, or more than they should be.
    FACET_MESHOPT_BAD_DATA = 3,
    FACET_MESHOPT_NO_MEMORY = 4
};

/// Writes `count * stride` bytes. With `FACET_MESHOPT_TRIANGLES` and `FACET_MESHOPT_INDICES` an element is an index of 2 or 4 bytes.
int facet_meshopt_decode(void *out, size_t count, size_t stride, int mode, int filter, const uint8_t *packed, size_t packedCount);

/// How many bytes packing may need at most; 0 for what cannot be packed.
size_t facet_meshopt_bound(size_t count, size_t stride, int mode, size_t vertexCount);

/// Packs vertices of `stride` bytes, a multiple of 4 up to 256. Returns the number of bytes written; 0: it cannot be done.
size_t facet_meshopt_encode_vertices(uint8_t *out, size_t room, const void *vertices, size_t count, size_t stride);

/// Packs indices: of triangles, best in the order of `facet_meshopt_optimize_cache`, or in any order.
size_t facet_meshopt_encode_indices(uint8_t *out, size_t room, const uint32_t *indices, size_t count, int mode);

/// The filters, before `facet_meshopt_encode_vertices`: `count` vectors of four floats to elements of `stride` bytes, 4 or 8
/// (octahedral, of unit length; `bits` 1 to 8 and 16), 8 (quaternion, 4 to 16), or any multiple of 4 (exponential, `stride / 4`
/// floats an element, 1 to 24). Returns 0 where that cannot be done.
int facet_meshopt_encode_filter(void *out, size_t count, size_t stride, int filter, int bits, const float *values);

/// Reorders triangles so that the points of each are likely still at hand. `out` may not be `indices`. Returns 0 where an index is
/// out of range or the memory does not suffice.
int facet_meshopt_optimize_cache(uint32_t *out, const uint32_t *indices, size_t count, size_t vertexCount);

/// Where each point goes when they are put in the order of their first use, `UINT32_MAX` for one that no index names. Returns the
/// number of points that are used.
size_t facet_meshopt_optimize_fetch(uint32_t *out, const uint32_t *indices, size_t count, size_t vertexCount);

#ifdef __cplusplus
}
#endif

#endif
