#include "CDraco.h"

#include <cstring>
#include <draco/compression/encode.h>
#include <draco/compression/expert_encode.h>
#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>
#include <draco/core/varint_decoding.h>
#include <draco/mesh/mesh.h>
#include <limits>
#include <memory>
#include <new>
#include <vector>

namespace {

void say(char (&message)[160], const char *text) {
    std::strncpy(message, text, sizeof message - 1);
    message[sizeof message - 1] = 0;
}

/// What a face takes while it is decoded: its corners, their neighbours and marks.
constexpr uint64_t bytesPerFace = 64;
/// What a point takes beside its values: its place in a sequence and in each attribute's map.
constexpr uint64_t bytesPerPoint = 16;

/// Looks at what the bytes claim before the library reserves room for it.
template <class Base> class Guarded : public Base {
  public:
    explicit Guarded(uint64_t limit) : left_(limit) {}
    bool isTooLarge() const { return isTooLarge_; }

  protected:
    bool DecodeConnectivity() override {
        draco::DecoderBuffer ahead(*this->buffer());
        uint32_t first = 0, second = 0;
        if (!draco::DecodeVarint(&first, &ahead) || !draco::DecodeVarint(&second, &ahead)) return false;
        // One of them counts the faces, the other one the points.
        if (!take(uint64_t(first > second ? first : second) * bytesPerFace)) return false;
        return Base::DecodeConnectivity();
    }

    bool DecodeAllAttributes() override {
        const draco::PointCloud *cloud = this->point_cloud();
        // Values, and what they were predicted from.
        uint64_t size = bytesPerPoint;
        for (int32_t i = 0; i < cloud->num_attributes(); i++) {
            const draco::PointAttribute *attribute = cloud->attribute(i);
            size += 2 * uint64_t(attribute->num_components()) * 8 + 4;
        }
        if (!take(uint64_t(cloud->num_points()) * size)) return false;
        return Base::DecodeAllAttributes();
    }

  private:
    bool take(uint64_t bytes) {
        isTooLarge_ = bytes > left_;
        if (isTooLarge_) return false;
        left_ -= bytes;
        return true;
    }

    uint64_t left_;
    bool isTooLarge_ = false;
};

template <class Decoder> bool decode(draco::DecoderBuffer *buffer, uint64_t limit, draco::Mesh *mesh, char (&message)[160]) {
    Guarded<Decoder> decoder(limit);
    draco::DecoderOptions options;
    const draco::Status status = decoder.Decode(options, buffer, mesh);
    if (status.ok()) return true;
    say(message, decoder.isTooLarge() ? "the mesh is larger than its bytes may make it" : status.error_msg());
    return false;
}

template <class T> bool read(const draco::Mesh &mesh, const draco::PointAttribute &attribute, int components, void *out) {
    auto *to = static_cast<T *>(out);
    for (draco::PointIndex i(0); i < mesh.num_points(); ++i) {
        const draco::AttributeValueIndex value = attribute.mapped_index(i);
        if (value.value() >= attribute.size()) return false;
        if (!attribute.ConvertValue<T>(value, int8_t(components), to)) return false;
        to += components;
    }
    return true;
}

draco::DataType dataType(int componentType) {
    switch (componentType) {
    case 5120: return draco::DT_INT8;
    case 5121: return draco::DT_UINT8;
    case 5122: return draco::DT_INT16;
    case 5123: return draco::DT_UINT16;
    case 5125: return draco::DT_UINT32;
    case 5126: return draco::DT_FLOAT32;
    default: return draco::DT_INVALID;
    }
}

draco::GeometryAttribute::Type attributeType(int kind) {
    switch (kind) {
    case FACET_DRACO_POSITION: return draco::GeometryAttribute::POSITION;
    case FACET_DRACO_NORMAL: return draco::GeometryAttribute::NORMAL;
    case FACET_DRACO_COLOR: return draco::GeometryAttribute::COLOR;
    case FACET_DRACO_TEXCOORD: return draco::GeometryAttribute::TEX_COORD;
    default: return draco::GeometryAttribute::GENERIC;
    }
}

}

extern "C" FacetDracoMesh facet_draco_decode(const uint8_t *packed, size_t count, size_t limit) {
    FacetDracoMesh result = {};
    // Nothing may be thrown into Swift.
    try {
        draco::DecoderBuffer buffer;
        buffer.Init(reinterpret_cast<const char *>(packed), count);
        draco::DecoderBuffer ahead(buffer);
        draco::DracoHeader header;
        const draco::Status status = draco::PointCloudDecoder::DecodeHeader(&ahead, &header);
        if (!status.ok()) {
            say(result.message, status.error_msg());
            return result;
        }
        if (header.encoder_type != draco::TRIANGULAR_MESH) {
            say(result.message, "the bytes are no mesh");
            return result;
        }
        // The extension asks for this version; those before it have other counts in front.
        if (header.version_major != 2 || header.version_minor != 2) {
            say(result.message, "the version is not 2.2");
            return result;
        }
        auto mesh = std::make_unique<draco::Mesh>();
        bool isDecoded = false;
        switch (header.encoder_method) {
        case draco::MESH_SEQUENTIAL_ENCODING:
            isDecoded = decode<draco::MeshSequentialDecoder>(&buffer, limit, mesh.get(), result.message);
            break;
        case draco::MESH_EDGEBREAKER_ENCODING:
            isDecoded = decode<draco::MeshEdgebreakerDecoder>(&buffer, limit, mesh.get(), result.message);
            break;
        default: say(result.message, "the method is none that is known");
        }
        if (!isDecoded) return result;
        result.pointCount = mesh->num_points();
        result.faceCount = mesh->num_faces();
        result.owner = mesh.release();
    } catch (...) {
        result.owner = nullptr;
        say(result.message, "not enough memory");
    }
    return result;
}

extern "C" void facet_draco_free_mesh(void *owner) { delete static_cast<draco::Mesh *>(owner); }

extern "C" int facet_draco_read_indices(const void *owner, uint32_t *out) {
    const auto &mesh = *static_cast<const draco::Mesh *>(owner);
    const uint32_t count = mesh.num_points();
    for (draco::FaceIndex i(0); i < mesh.num_faces(); ++i) {
        const draco::Mesh::Face &face = mesh.face(i);
        for (int k = 0; k < 3; k++) {
            const uint32_t point = face[k].value();
            if (point >= count) return 0;
            *out++ = point;
        }
    }
    return 1;
}

extern "C" int facet_draco_components(const void *owner, uint32_t uniqueID) {
    const auto *attribute = static_cast<const draco::Mesh *>(owner)->GetAttributeByUniqueId(uniqueID);
    return attribute == nullptr ? 0 : attribute->num_components();
}

extern "C" int facet_draco_read_attribute(const void *owner, uint32_t uniqueID, int componentType, int components, void *out) {
    if (components < 1 || components > 16) return 0;
    try {
        const auto &mesh = *static_cast<const draco::Mesh *>(owner);
        const draco::PointAttribute *attribute = mesh.GetAttributeByUniqueId(uniqueID);
        if (attribute == nullptr) return 0;
        if (!attribute->is_mapping_identity() && attribute->indices_map_size() < mesh.num_points()) return 0;
        switch (componentType) {
        case 5120: return read<int8_t>(mesh, *attribute, components, out);
        case 5121: return read<uint8_t>(mesh, *attribute, components, out);
        case 5122: return read<int16_t>(mesh, *attribute, components, out);
        case 5123: return read<uint16_t>(mesh, *attribute, components, out);
        case 5125: return read<uint32_t>(mesh, *attribute, components, out);
        case 5126: return read<float>(mesh, *attribute, components, out);
        default: return 0;
        }
    } catch (...) {
        return 0;
    }
}

extern "C" FacetDracoPacked facet_draco_encode(
    const FacetDracoAttribute *attributes, size_t attributeCount, size_t pointCount, const uint32_t *indices, size_t indexCount,
    int speed, int keepsOrder) {
    FacetDracoPacked result = {};
    try {
        if (indexCount % 3 != 0 || indexCount / 3 > std::numeric_limits<uint32_t>::max() / 3 || pointCount > INT32_MAX || attributeCount > 255) {
            say(result.message, "too many points or faces");
            return result;
        }
        draco::Mesh mesh;
        mesh.SetNumFaces(indexCount / 3);
        mesh.set_num_points(uint32_t(pointCount));
        for (size_t i = 0; i < indexCount / 3; i++) {
            draco::Mesh::Face face;
            for (int k = 0; k < 3; k++) {
                if (indices[3 * i + k] >= pointCount) {
                    say(result.message, "an index names no point");
                    return result;
                }
                face[k] = indices[3 * i + k];
            }
            mesh.SetFace(draco::FaceIndex(uint32_t(i)), face);
        }
        for (size_t i = 0; i < attributeCount; i++) {
            const FacetDracoAttribute &source = attributes[i];
            const draco::DataType type = dataType(source.componentType);
            if (type == draco::DT_INVALID || source.components < 1 || source.components > 4) {
                say(result.message, "an attribute has no type that can be packed");
                return result;
            }
            const size_t size = size_t(draco::DataTypeLength(type)) * source.components;
            draco::GeometryAttribute attribute;
            attribute.Init(
                attributeType(source.kind), nullptr, uint8_t(source.components), type, source.isNormalized != 0, int64_t(size), 0);
            const int id = mesh.AddAttribute(attribute, true, uint32_t(pointCount));
            draco::PointAttribute *target = mesh.attribute(id);
            if (pointCount > 0) target->buffer()->Write(0, source.values, size * pointCount);
            target->set_unique_id(uint32_t(i));
        }
        draco::ExpertEncoder encoder(mesh);
        if (!keepsOrder) {
            // Equal values are packed once; points that are equal in all of them too.
            mesh.DeduplicateAttributeValues();
            mesh.DeduplicatePointIds();
        }
        encoder.SetTrackEncodedProperties(true);
        encoder.SetEncodingMethod(keepsOrder ? draco::MESH_SEQUENTIAL_ENCODING : draco::MESH_EDGEBREAKER_ENCODING);
        encoder.SetSpeedOptions(speed, speed);
        for (size_t i = 0; i < attributeCount; i++) {
            if (attributes[i].componentType == 5126 && attributes[i].quantizationBits > 0)
                encoder.SetAttributeQuantization(int32_t(i), attributes[i].quantizationBits);
        }
        auto buffer = std::make_unique<draco::EncoderBuffer>();
        const draco::Status status = encoder.EncodeToBuffer(buffer.get());
        if (!status.ok()) {
            say(result.message, status.error_msg());
            return result;
        }
        result.bytes = reinterpret_cast<const uint8_t *>(buffer->data());
        result.count = buffer->size();
        result.pointCount = encoder.num_encoded_points();
        result.faceCount = encoder.num_encoded_faces();
        result.owner = buffer.release();
    } catch (...) {
        result.owner = nullptr;
        say(result.message, "not enough memory");
    }
    return result;
}

extern "C" void facet_draco_free_packed(void *owner) { delete static_cast<draco::EncoderBuffer *>(owner); }
