#include "CMeshopt.h"

#include <meshoptimizer.h>

namespace {

bool isStride(size_t stride) { return stride > 0 && stride <= 256 && stride % 4 == 0; }

bool isFilter(int filter, size_t stride) {
    switch (filter) {
    case FACET_MESHOPT_NO_FILTER: return true;
    case FACET_MESHOPT_OCTAHEDRAL: return stride == 4 || stride == 8;
    case FACET_MESHOPT_QUATERNION: return stride == 8;
    case FACET_MESHOPT_EXPONENTIAL: return stride % 4 == 0;
    default: return false;
    }
}

bool areInRange(const uint32_t *indices, size_t count, size_t vertexCount) {
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= vertexCount) return false;
    return true;
}

}

extern "C" int facet_meshopt_decode(
    void *out, size_t count, size_t stride, int mode, int filter, const uint8_t *packed, size_t packedCount) {
    if (packed == nullptr || packedCount == 0) return FACET_MESHOPT_BAD_DATA;
    if (out == nullptr && count > 0) return FACET_MESHOPT_BAD_ARGUMENT;
    // Nothing may be thrown into Swift.
    try {
        int result = 0;
        switch (mode) {
        case FACET_MESHOPT_ATTRIBUTES:
            if (!isStride(stride) || !isFilter(filter, stride)) return FACET_MESHOPT_BAD_ARGUMENT;
            result = meshopt_decodeVertexBuffer(out, count, stride, packed, packedCount);
            break;
        case FACET_MESHOPT_TRIANGLES:
            if ((stride != 2 && stride != 4) || count % 3 != 0) return FACET_MESHOPT_BAD_ARGUMENT;
            result = meshopt_decodeIndexBuffer(out, count, stride, packed, packedCount);
            break;
        case FACET_MESHOPT_INDICES:
            if (stride != 2 && stride != 4) return FACET_MESHOPT_BAD_ARGUMENT;
            result = meshopt_decodeIndexSequence(out, count, stride, packed, packedCount);
            break;
        default: return FACET_MESHOPT_BAD_ARGUMENT;
        }
        if (result != 0) return result == -1 ? FACET_MESHOPT_BAD_VERSION : FACET_MESHOPT_BAD_DATA;
        if (mode != FACET_MESHOPT_ATTRIBUTES || count == 0) return FACET_MESHOPT_DONE;
        switch (filter) {
        case FACET_MESHOPT_OCTAHEDRAL: meshopt_decodeFilterOct(out, count, stride); break;
        case FACET_MESHOPT_QUATERNION: meshopt_decodeFilterQuat(out, count, stride); break;
        case FACET_MESHOPT_EXPONENTIAL: meshopt_decodeFilterExp(out, count, stride); break;
        default: break;
        }
        return FACET_MESHOPT_DONE;
    } catch (...) {
        return FACET_MESHOPT_NO_MEMORY;
    }
}

extern "C" size_t facet_meshopt_bound(size_t count, size_t stride, int mode, size_t vertexCount) {
    switch (mode) {
    case FACET_MESHOPT_ATTRIBUTES: return isStride(stride) ? meshopt_encodeVertexBufferBound(count, stride) : 0;
    case FACET_MESHOPT_TRIANGLES: return count % 3 == 0 ? meshopt_encodeIndexBufferBound(count, vertexCount) : 0;
    case FACET_MESHOPT_INDICES: return meshopt_encodeIndexSequenceBound(count, vertexCount);
    default: return 0;
    }
}

extern "C" size_t facet_meshopt_encode_vertices(uint8_t *out, size_t room, const void *vertices, size_t count, size_t stride) {
    if (!isStride(stride)) return 0;
    try {
        // The extension knows this version of the codec.
        meshopt_encodeVertexVersion(0);
        return meshopt_encodeVertexBuffer(out, room, vertices, count, stride);
    } catch (...) {
        return 0;
    }
}

extern "C" size_t facet_meshopt_encode_indices(uint8_t *out, size_t room, const uint32_t *indices, size_t count, int mode) {
    try {
        meshopt_encodeIndexVersion(1);
        if (mode == FACET_MESHOPT_INDICES) return meshopt_encodeIndexSequence(out, room, indices, count);
        if (mode != FACET_MESHOPT_TRIANGLES || count % 3 != 0) return 0;
        return meshopt_encodeIndexBuffer(out, room, indices, count);
    } catch (...) {
        return 0;
    }
}

extern "C" int facet_meshopt_encode_filter(void *out, size_t count, size_t stride, int filter, int bits, const float *values) {
    if (!isStride(stride) || !isFilter(filter, stride)) return 0;
    switch (filter) {
    case FACET_MESHOPT_OCTAHEDRAL:
        if (bits < 1 || bits > (stride == 4 ? 8 : 16)) return 0;
        meshopt_encodeFilterOct(out, count, stride, bits, values);
        return 1;
    case FACET_MESHOPT_QUATERNION:
        if (bits < 4 || bits > 16) return 0;
        meshopt_encodeFilterQuat(out, count, stride, bits, values);
        return 1;
    case FACET_MESHOPT_EXPONENTIAL:
        if (bits < 1 || bits > 24) return 0;
        meshopt_encodeFilterExp(out, count, stride, bits, values);
        return 1;
    default: return 0;
    }
}

extern "C" int facet_meshopt_optimize_cache(uint32_t *out, const uint32_t *indices, size_t count, size_t vertexCount) {
    if (count % 3 != 0 || !areInRange(indices, count, vertexCount)) return 0;
    try {
        meshopt_optimizeVertexCache(out, indices, count, vertexCount);
        return 1;
    } catch (...) {
        return 0;
    }
}

extern "C" size_t facet_meshopt_optimize_fetch(uint32_t *out, const uint32_t *indices, size_t count, size_t vertexCount) {
    if (!areInRange(indices, count, vertexCount)) return 0;
    return meshopt_optimizeVertexFetchRemap(out, indices, count, vertexCount);
}
