#ifndef FACET_CDRACO_H
#define FACET_CDRACO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Draco's meshes as KHR_draco_mesh_compression uses them. No function throws.

/// What an attribute is, which decides how its values are predicted.
enum {
    FACET_DRACO_POSITION = 0,
    FACET_DRACO_NORMAL = 1,
    FACET_DRACO_COLOR = 2,
    FACET_DRACO_TEXCOORD = 3,
    FACET_DRACO_GENERIC = 4
};

// MARK: Decoding

typedef struct FacetDracoMesh {
    /// Null where the bytes could not be decoded.
    void *owner;
    size_t pointCount;
    size_t faceCount;
    /// The reason, in the library's words, ended by a zero.
    char message[160];
} FacetDracoMesh;

/// - limit: how many bytes the mesh may take in memory, more or less. What claims more is an error before it takes them.
FacetDracoMesh facet_draco_decode(const uint8_t *packed, size_t count, size_t limit);

void facet_draco_free_mesh(void *owner);

/// Writes three indices a face, each less than `pointCount`. Returns 0 where one of them is not.
int facet_draco_read_indices(const void *owner, uint32_t *out);

/// How many components the attribute with that id has; 0: there is none.
int facet_draco_components(const void *owner, uint32_t uniqueID);

/// Writes `pointCount` elements of `components` numbers, converted to a component type of glTF (5120 to 5126). Returns 0 where the
/// mesh has no such attribute, or it cannot be converted.
int facet_draco_read_attribute(const void *owner, uint32_t uniqueID, int componentType, int components, void *out);

// MARK: Encoding

typedef struct FacetDracoAttribute {
    /// One element a point, one behind the other.
    const void *values;
    /// A component type of glTF: 5120 to 5126.
    int componentType;
    /// 1 to 4.
    int components;
    int isNormalized;
    /// One of `FACET_DRACO_…`.
    int kind;
    /// For floats: 1 to 30; 0 keeps them exactly.
    int quantizationBits;
} FacetDracoAttribute;

typedef struct FacetDracoPacked {
    /// Null where the mesh could not be encoded.
    void *owner;
    const uint8_t *bytes;
    size_t count;
    /// What a decoder will find: points may be fewer or more than were given. An attribute's id is its place among the given ones.
    size_t pointCount;
    size_t faceCount;
    char message[160];
} FacetDracoPacked;

/// - indices: three a face.
/// - speed: 0 packs best, 10 is fastest.
/// - keepsOrder: whether points and faces keep their order and number, as morph targets beside the packed data need it; packs less.
FacetDracoPacked facet_draco_encode(
    const FacetDracoAttribute *attributes, size_t attributeCount, size_t pointCount, const uint32_t *indices, size_t indexCount,
    int speed, int keepsOrder);

void facet_draco_free_packed(void *owner);

#ifdef __cplusplus
}
#endif

#endif
