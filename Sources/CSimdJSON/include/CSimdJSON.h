#ifndef FACET_CSIMDJSON_H
#define FACET_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed text: simdjson's tape (https://github.com/simdjson/simdjson/blob/master/doc/tape.md) and the strings it points to.
/// Both belong to `owner` and live until it is freed.
typedef struct FacetJSON {
    void *owner;
    const uint64_t *tape;
    size_t tapeCount;
    const uint8_t *strings;
    /// simdjson's error code; 0: all is well, and `owner` is not null.
    int error;
    /// Its text, in static memory.
    const char *message;
} FacetJSON;

/// Parses a text of `length` bytes.
///
/// - readable: how many bytes may be read from the start; where that is `FACET_JSON_PADDING` more than `length`, the text is
///   parsed in place, else a copy of it.
/// - depth: how deep values may be nested.
FacetJSON facet_json_parse(const uint8_t *text, size_t length, size_t readable, size_t depth);

void facet_json_free(void *owner);

#define FACET_JSON_PADDING 64

#ifdef __cplusplus
}
#endif

#endif
