#!/usr/bin/env python3
"""Makes the binary seeds of this folder again. Needs OpenUSD's Python modules (pip install usd-core).

Crate sections are LZ4 blocks: a changed byte in one usually breaks the block, and a fuzzer never gets past it. The crates
made here hold the same sections as blocks of literals only, so that a changed byte is a changed token, index or path.
"""

import io
import os
import struct
import zipfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")

SMALL = """#usda 1.0
(
    defaultPrim = "A"
    upAxis = "Y"
)
def Xform "A" (
    variants = { string v = "x" }
    prepend variantSets = "v"
)
{
    double3 xformOp:translate.timeSamples = { 1: (0, 1, 2), 2: (3, 4, 5) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Mesh "M"
    {
        int[] faceVertexCounts = [3, 4]
        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3, 4]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 2, 0.5)]
        texCoord2f[] primvars:st = [(0, 0), (1, 1)] (
            interpolation = "faceVarying"
        )
        int[] primvars:st:indices = [0, 1, 1, 0, 1, 1, 0]
        rel material:binding = </A/L>
        def GeomSubset "S"
        {
            int[] indices = [1]
            token familyName = "materialBind"
        }
    }
    def Material "L"
    {
        token outputs:surface.connect = </A/L/P.outputs:surface>
        def Shader "P"
        {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor = (0.1, 0.2, 0.3)
            token outputs:surface
        }
    }
    def "I" (
        instanceable = true
        prepend references = </A/M>
    )
    {
    }
    def PointInstancer "N"
    {
        rel prototypes = </A/M>
        int[] protoIndices = [0, 0]
        point3f[] positions = [(0, 0, 0), (1, 2, 3)]
    }
    variantSet "v" = {
        "x" {
            def Sphere "B"
            {
                double radius = 2
            }
        }
    }
}
"""


def lz4_decode(block):
    out, i = bytearray(), 0
    while i < len(block):
        token = block[i]
        i += 1
        length = token >> 4
        if length == 15:
            while True:
                length += block[i]
                i += 1
                if block[i - 1] != 255:
                    break
        out += block[i:i + length]
        i += length
        if i >= len(block):
            break
        distance = block[i] | block[i + 1] << 8
        i += 2
        length = (token & 15) + 4
        if length == 19:
            while True:
                length += block[i]
                i += 1
                if block[i - 1] != 255:
                    break
        for _ in range(length):
            out.append(out[-distance])
    return bytes(out)


def lz4_literals(data):
    n = len(data)
    if n < 15:
        return bytes([n << 4]) + data
    head, rest = bytearray([0xF0]), n - 15
    while rest >= 255:
        head.append(255)
        rest -= 255
    head.append(rest)
    return bytes(head) + data


def relaxed(compressed):
    """One buffer of OpenUSD's TfFastCompression: a chunk count of zero, then one block."""
    assert compressed[0] == 0, "more than one chunk"
    return b"\0" + lz4_literals(lz4_decode(compressed[1:]))


def relax_crate(crate):
    """The same crate with literal blocks in its sections; what lies before the sections keeps its offsets."""
    toc = struct.unpack_from("<q", crate, 16)[0]
    count = struct.unpack_from("<Q", crate, toc)[0]
    sections = []
    for i in range(count):
        name, start, size = struct.unpack_from("<16sqq", crate, toc + 8 + 32 * i)
        sections.append((name.rstrip(b"\0").decode(), crate[start:start + size], start))
    # Numbers before the first buffer, and how many buffers follow.
    shape = {"TOKENS": (2, 1), "FIELDS": (1, 2), "FIELDSETS": (1, 1), "PATHS": (2, 3), "SPECS": (1, 3)}
    out = bytearray(crate[:min(start for _, _, start in sections)])
    table = []
    for name, data, _ in sections:
        if name in shape:
            numbers, buffers = shape[name]
            at, result = 8 * numbers, bytearray(data[:8 * numbers])
            for _ in range(buffers):
                size = struct.unpack_from("<Q", data, at)[0]
                packed = relaxed(data[at + 8:at + 8 + size])
                result += struct.pack("<Q", len(packed)) + packed
                at += 8 + size
            data = bytes(result)
        table.append((name, len(out), len(data)))
        out += data
    struct.pack_into("<q", out, 16, len(out))
    out += struct.pack("<Q", len(table))
    for name, start, size in table:
        out += struct.pack("<16sqq", name.encode(), start, size)
    return bytes(out)


def crate_of(layer):
    path = os.path.join(HERE, "temporary.usdc")
    layer.Export(path)
    with open(path, "rb") as f:
        data = f.read()
    os.remove(path)
    return data


def archive(entries, compression=zipfile.ZIP_STORED, streamed=False):
    buffer = io.BytesIO()
    target = buffer
    if streamed:
        # An output that cannot seek gets data descriptors.
        class Stream(io.RawIOBase):
            def writable(self):
                return True

            def write(self, data):
                return buffer.write(data)

        target = Stream()
    with zipfile.ZipFile(target, "w", compression) as z:
        for name, data in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = compression
            with z.open(info, "w", force_zip64=name.startswith("big")) as f:
                f.write(data)
    return buffer.getvalue()


def write(name, data):
    with open(os.path.join(HERE, name), "wb") as f:
        f.write(data)


if __name__ == "__main__":
    from pxr import Sdf

    small = Sdf.Layer.CreateAnonymous(".usda")
    assert small.ImportFromString(SMALL)
    grammar = Sdf.Layer.FindOrOpen(os.path.join(HERE, "grammar.usda"))
    write("small.usda", SMALL.encode())
    for name, layer in (("small", small), ("grammar", grammar)):
        crate = relax_crate(crate_of(layer))
        write(name + ".usdc", crate)
        check = Sdf.Layer.FindOrOpen(os.path.join(HERE, name + ".usdc"))
        assert check.ExportToString() == layer.ExportToString() or name == "grammar"
    text = b'#usda 1.0\ndef Mesh "M" (references = @inner.usdz@</A>)\n{\n}\n'
    stored = archive([("a.usda", text), ("t/x.png", b"\x89PNG\r\n\x1a\n")])
    write("stored.usdz", stored)
    write("deflated.usdz", archive([("a.usda", text + b"# a comment that repeats\n" * 9), ("b.usda", text)], zipfile.ZIP_DEFLATED))
    write("streamed.usdz", archive([("a.usda", text)], zipfile.ZIP_DEFLATED, streamed=True))
    write("zip64.usdz", archive([("big.usda", text)]))
    write("nested.usdz", archive([("root.usda", text), ("inner.usdz", stored)]))
