#include "CSimdJSON.h"

#include <new>
#include <simdjson.h>

static_assert(FACET_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads so far beyond the end");

extern "C" FacetJSON facet_json_parse(const uint8_t *text, size_t length, size_t readable, size_t depth) {
    FacetJSON result = {};
    // Nothing may be thrown into Swift.
    try {
        auto *parser = new simdjson::dom::parser();
        result.owner = parser;
        simdjson::error_code error = parser->allocate(length < 32 ? 32 : length, depth);
        if (error == simdjson::SUCCESS) {
            const bool isPadded = readable >= length && readable - length >= FACET_JSON_PADDING;
            error = parser->parse(text, length, !isPadded).error();
        }
        if (error == simdjson::SUCCESS) {
            result.tape = parser->doc.tape.get();
            // The first word's value is the place of the last.
            result.tapeCount = static_cast<size_t>(result.tape[0] & 0x00FFFFFFFFFFFFFFull) + 1;
            result.strings = parser->doc.string_buf.get();
            return result;
        }
        delete parser;
        result.owner = nullptr;
        result.error = static_cast<int>(error);
        result.message = simdjson::error_message(error);
    } catch (...) {
        delete static_cast<simdjson::dom::parser *>(result.owner);
        result.owner = nullptr;
        result.error = static_cast<int>(simdjson::MEMALLOC);
        result.message = "not enough memory";
    }
    return result;
}

extern "C" void facet_json_free(void *owner) { delete static_cast<simdjson::dom::parser *>(owner); }
