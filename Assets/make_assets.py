#!/usr/bin/env python3
"""Makes the files of this folder again. Needed by nobody who builds or tests: the files are kept beside it.

Needs Pillow (textures) and OpenUSD's Python modules (the crate inside the package), both from PyPI:
    pip install pillow usd-core
"""

import math
import os
import random
import struct

HERE = os.path.dirname(os.path.abspath(__file__))


def num(x):
    text = f"{x:.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def tuples(rows):
    return "[" + ", ".join("(" + ", ".join(num(c) for c in row) + ")" for row in rows) + "]"


def ints(values):
    return "[" + ", ".join(map(str, values)) + "]"


class Mesh:
    """Polygons with indexed texture coordinates, put together from boxes and prisms."""

    def __init__(self):
        self.points, self.counts, self.indices, self.st, self.st_indices = [], [], [], [], []

    def face(self, corners, st):
        self.counts.append(len(corners))
        self.indices += corners
        for pair in st:
            if pair not in self.st:
                self.st.append(pair)
            self.st_indices.append(self.st.index(pair))

    def box(self, low, high, taper=1.0):
        """Six quads; the lower end is `taper` times as wide. Face 0 is the top."""
        cx, cz = (low[0] + high[0]) / 2, (low[2] + high[2]) / 2
        first = len(self.points)
        for y, scale in ((low[1], taper), (high[1], 1.0)):
            for x, z in ((low[0], high[2]), (high[0], high[2]), (high[0], low[2]), (low[0], low[2])):
                self.points.append((cx + (x - cx) * scale, y, cz + (z - cz) * scale))
        square = [(0, 0), (1, 0), (1, 1), (0, 1)]
        for quad in ((4, 5, 6, 7), (3, 2, 1, 0), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)):
            self.face([first + i for i in quad], square)
        return self

    def prism(self, sides, bottom, top, y0, y1, caps=True):
        """Quads around, and one polygon for each cap."""
        first = len(self.points)
        for radius, y in ((bottom, y0), (top, y1)):
            for i in range(sides):
                a = 2 * math.pi * i / sides
                self.points.append((radius * math.cos(a), y, -radius * math.sin(a)))
        for i in range(sides):
            j = (i + 1) % sides
            u0, u1 = i / sides, (i + 1) / sides
            self.face([first + i, first + j, first + sides + j, first + sides + i], [(u0, 0), (u1, 0), (u1, 1), (u0, 1)])
        if caps:
            round_st = [(0.5 + 0.5 * math.cos(2 * math.pi * i / sides), 0.5 + 0.5 * math.sin(2 * math.pi * i / sides))
                        for i in range(sides)]
            self.face([first + sides + i for i in range(sides)], round_st)
            self.face([first + i for i in reversed(range(sides))], round_st[::-1])
        return self

    def extent(self):
        return [tuple(f(p[k] for p in self.points) for k in range(3)) for f in (min, max)]

    def usda(self, name, indent, binding=None, extra=(), children="", with_st=True):
        pad = "    " * indent
        api = ' (\n' + pad + '    prepend apiSchemas = ["MaterialBindingAPI"]\n' + pad + ')' if binding else ""
        lines = [f'def Mesh "{name}"{api}', "{"]
        lines += [f"    {line}" for line in extra]
        lines += [
            f"    float3[] extent = {tuples(self.extent())}",
            f"    int[] faceVertexCounts = {ints(self.counts)}",
            f"    int[] faceVertexIndices = {ints(self.indices)}",
            f"    point3f[] points = {tuples(self.points)}",
        ]
        if with_st:
            lines += [
                f"    texCoord2f[] primvars:st = {tuples(self.st)} (",
                '        interpolation = "faceVarying"',
                "    )",
                f"    int[] primvars:st:indices = {ints(self.st_indices)}",
            ]
        lines += [
            '    uniform token subdivisionScheme = "none"',
        ]
        if binding:
            lines.append(f"    rel material:binding = <{binding}>")
        text = "\n".join(pad + line for line in lines) + "\n"
        return text + children + pad + "}\n"


# --- The reading corner ------------------------------------------------------------------------------------------------

MATERIALS = "/Corner/Looks"


def textured(name, image, roughness, transform):
    path = f"{MATERIALS}/{name}"
    source = f"{path}/Transform.outputs:result" if transform else f"{path}/Reader.outputs:result"
    text = f'''
        def Material "{name}"
        {{
            token outputs:surface.connect = <{path}/Surface.outputs:surface>

            def Shader "Surface"
            {{
                uniform token info:id = "UsdPreviewSurface"
                color3f inputs:diffuseColor.connect = <{path}/Image.outputs:rgb>
                float inputs:roughness = {roughness}
                token outputs:surface
            }}

            def Shader "Image"
            {{
                uniform token info:id = "UsdUVTexture"
                asset inputs:file = @textures/{image}@
                token inputs:sourceColorSpace = "sRGB"
                float2 inputs:st.connect = <{source}>
                token inputs:wrapS = "repeat"
                token inputs:wrapT = "repeat"
                float3 outputs:rgb
            }}
'''
    if transform:
        text += f'''
            def Shader "Transform"
            {{
                uniform token info:id = "UsdTransform2d"
                float2 inputs:in.connect = <{path}/Reader.outputs:result>
                float2 inputs:scale = {transform}
                float2 outputs:result
            }}
'''
    return text + f'''
            def Shader "Reader"
            {{
                uniform token info:id = "UsdPrimvarReader_float2"
                string inputs:varname = "st"
                float2 outputs:result
            }}
        }}
'''


def plain(name, inputs):
    path = f"{MATERIALS}/{name}"
    body = "".join(f"                {line}\n" for line in inputs)
    return f'''
        def Material "{name}"
        {{
            token outputs:surface.connect = <{path}/Surface.outputs:surface>

            def Shader "Surface"
            {{
                uniform token info:id = "UsdPreviewSurface"
{body}                token outputs:surface
            }}
        }}
'''


def instance(name, prototype, binding, indent, **ops):
    pad = "    " * indent
    kinds = {"translate": "double3", "rotateY": "float", "scale": "float3"}
    lines = [
        f'def Xform "{name}" (',
        "    instanceable = true",
        '    prepend apiSchemas = ["MaterialBindingAPI"]',
        f"    prepend references = </Prototypes/{prototype}>",
        ")",
        "{",
        f"    rel material:binding = <{MATERIALS}/{binding}>",
    ]
    lines += [f"    {kinds[op]} xformOp:{op} = {value}" for op, value in ops.items()]
    lines += ["    uniform token[] xformOpOrder = [" + ", ".join(f'"xformOp:{op}"' for op in ops) + "]", "}"]
    return "\n" + "\n".join(pad + line for line in lines) + "\n"


def reading_corner():
    seat = Mesh().box((-0.23, 0, -0.22), (0.23, 0.04, 0.22))
    back = Mesh()
    for x in (-0.21, 0.17):
        back.box((x, 0, -0.02), (x + 0.04, 0.48, 0.02))
    for y in (0.18, 0.36):
        back.box((-0.17, y, -0.01), (0.17, y + 0.08, 0.01))
    leg = Mesh().box((-0.02, 0, -0.02), (0.02, 0.42, 0.02), taper=0.6)
    book = Mesh().box((-0.1, 0, -0.07), (0.1, 0.03, 0.07))
    rug = Mesh()
    rug.points = [(-0.9, 0, 0.6), (0.9, 0, 0.6), (0.9, 0, -0.6), (-0.9, 0, -0.6)]
    rug.face([0, 1, 2, 3], [(0, 0), (3, 0), (3, 2), (0, 2)])
    base = Mesh().prism(8, 0.14, 0.12, 0, 0.03)
    pole = Mesh().prism(4, 0.012, 0.012, 0.03, 1.4, caps=False)
    shades = {"cone": Mesh().prism(8, 0.24, 0.08, 0, 0.26, caps=False), "drum": Mesh().prism(8, 0.2, 0.2, 0, 0.24, caps=False)}

    subset = f'''
                def GeomSubset "Cushion" (
                    prepend apiSchemas = ["MaterialBindingAPI"]
                )
                {{
                    uniform token elementType = "face"
                    uniform token familyName = "materialBind"
                    int[] indices = [0]
                    rel material:binding = <{MATERIALS}/Fabric>
                }}
'''
    legs = "".join(
        instance(f"Leg{name}", "Leg", "Wood", 3, translate=f"({x}, 0, {z})")
        for name, x, z in (("FrontLeft", -0.2, 0.19), ("FrontRight", 0.2, 0.19), ("BackLeft", -0.2, -0.19), ("BackRight", 0.2, -0.19)))
    books = "".join(
        instance(f"Book{i + 1}", "Book", binding, 2, translate=f"(0.62, {num(y)}, 0.2)", rotateY=str(turn), scale=f"(1, {thick}, 1)")
        for i, (y, turn, thick, binding) in enumerate(((0.005, 10, 1, "Fabric"), (0.035, -18, 1.5, "Paper"), (0.08, 33, 0.8, "Wood"))))
    variants = ""
    for name, mesh in shades.items():
        variants += f'            "{name}" {{\n' + mesh.usda(
            "Shade", 4, f"{MATERIALS}/Paper",
            ["uniform bool doubleSided = 1", "color3f[] primvars:displayColor = [(0.95, 0.88, 0.7)]",
             "double3 xformOp:translate = (0, 1.3, 0)", 'uniform token[] xformOpOrder = ["xformOp:translate"]'], with_st=False) + "            }\n"

    return f'''#usda 1.0
(
    defaultPrim = "Corner"
    doc = "A chair, a lamp and three books on a rug."
    metersPerUnit = 1
    upAxis = "Y"
)

def Xform "Corner" (
    assetInfo = {{
        string name = "reading-corner"
    }}
    kind = "component"
)
{{
    def Scope "Looks"
    {{{textured("Wood", "wood.jpg", 0.55, None)}{textured("Fabric", "fabric.png", 0.9, "(4, 4)")}{plain("Brass", ["color3f inputs:diffuseColor = (0.8, 0.6, 0.25)", "float inputs:metallic = 1", "float inputs:roughness = 0.3"])}{plain("Paper", ["color3f inputs:diffuseColor = (0.95, 0.88, 0.7)", "color3f inputs:emissiveColor = (0.3, 0.25, 0.15)", "float inputs:roughness = 0.8"])}    }}

    def Xform "Chair"
    {{
        float xformOp:rotateY = 25
        double3 xformOp:translate = (-0.25, 0.005, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateY"]

        def Xform "Frame"
        {{
{back.usda("Back", 3, f"{MATERIALS}/Wood", ["float xformOp:rotateX = -8", "double3 xformOp:translate = (0, 0.44, -0.19)", 'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateX"]'])}{legs}        }}

        def Xform "Top"
        {{
            double3 xformOp:translate = (0, 0.42, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]

{seat.usda("Seat", 3, f"{MATERIALS}/Wood", ['uniform token subsetFamily:materialBind:familyType = "nonOverlapping"'], subset)}        }}
    }}

    def Xform "Lamp" (
        variants = {{
            string shade = "drum"
        }}
        prepend variantSets = "shade"
    )
    {{
        double3 xformOp:translate = (0.5, 0.005, -0.35)
        uniform token[] xformOpOrder = ["xformOp:translate"]

{base.usda("Base", 2, f"{MATERIALS}/Brass", with_st=False)}
{pole.usda("Pole", 2, f"{MATERIALS}/Brass", with_st=False)}
        def SphereLight "Bulb"
        {{
            float inputs:intensity = 40
            float inputs:radius = 0.04
            double3 xformOp:translate = (0, 1.42, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}

        variantSet "shade" = {{
{variants}        }}
    }}
{books}
{rug.usda("Rug", 1, f"{MATERIALS}/Fabric", ["uniform bool doubleSided = 1"])}
    def Camera "View"
    {{
        float2 clippingRange = (0.1, 100)
        float focalLength = 35
        double3 xformOp:translate = (0.2, 0.9, 3)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
}}

class Scope "Prototypes"
{{
    def Xform "Leg"
    {{
{leg.usda("Geometry", 2)}    }}

    def Xform "Book"
    {{
{book.usda("Geometry", 2)}    }}
}}
'''


# --- Textures ----------------------------------------------------------------------------------------------------------


def textures():
    from PIL import Image

    random.seed(7)
    folder = os.path.join(HERE, "textures")
    os.makedirs(folder, exist_ok=True)
    size = 128
    wood = Image.new("RGB", (size, size))
    for x in range(size):
        for y in range(size):
            ring = math.sin((x + 3 * math.sin(y * 2 * math.pi / size)) * 2 * math.pi * 6 / size)
            shade = 0.85 + 0.12 * ring + random.uniform(-0.03, 0.03)
            wood.putpixel((x, y), tuple(int(max(0, min(255, c * shade))) for c in (176, 122, 72)))
    wood.save(os.path.join(folder, "wood.jpg"), quality=80)
    fabric = Image.new("RGB", (size, size))
    for x in range(size):
        for y in range(size):
            check = (x // 16 + y // 16) % 2
            thread = 12 if (x + y) % 2 else 0
            r, g, b = ((74, 104, 138), (206, 200, 184))[check]
            fabric.putpixel((x, y), (r - thread, g - thread, b - thread))
    fabric.quantize(16).save(os.path.join(folder, "fabric.png"), optimize=True)


# --- The other formats ---------------------------------------------------------------------------------------------------


def stool():
    seat = Mesh().prism(16, 0.18, 0.18, 0.42, 0.46)
    legs = Mesh()
    for x, z in ((-0.1, 0.1), (0.1, 0.1), (0, -0.12)):
        legs.box((x - 0.02, 0, z - 0.02), (x + 0.02, 0.42, z + 0.02), taper=0.6)
    lines = ["# A stool.", "mtllib stool.mtl"]
    base, st_base = 1, 1
    for name, material, mesh in (("Seat", "Wood", seat), ("Legs", "Brass", legs)):
        lines.append(f"o {name}")
        lines += ["v " + " ".join(num(c) for c in p) for p in mesh.points]
        lines += ["vt " + " ".join(num(c) for c in p) for p in mesh.st]
        lines.append(f"usemtl {material}")
        at = 0
        for count in mesh.counts:
            corners = range(at, at + count)
            lines.append("f " + " ".join(f"{mesh.indices[c] + base}/{mesh.st_indices[c] + st_base}" for c in corners))
            at += count
        base += len(mesh.points)
        st_base += len(mesh.st)
    mtl = ["newmtl Wood", "Kd 1 1 1", "Pr 0.55", "Pm 0", "map_Kd textures/wood.jpg", "",
           "newmtl Brass", "Kd 0.8 0.6 0.25", "Pr 0.3", "Pm 1"]
    return "\n".join(lines) + "\n", "\n".join(mtl) + "\n"


def bowl_ply():
    """A bowl with a colour a vertex, text form."""
    rings, sides = 5, 12
    vertices, faces = [(0, 0, 0, 120, 60, 40)], []
    for r in range(1, rings + 1):
        for i in range(sides):
            a, radius = 2 * math.pi * i / sides, 0.15 * r / rings
            shade = r / rings
            vertices.append((radius * math.cos(a), 0.08 * shade ** 2, -radius * math.sin(a),
                             int(120 + 100 * shade), int(60 + 90 * shade), int(40 + 60 * shade)))
    for i in range(sides):
        faces.append((0, 1 + i, 1 + (i + 1) % sides))
    for r in range(rings - 1):
        for i in range(sides):
            a, b = 1 + r * sides + i, 1 + r * sides + (i + 1) % sides
            faces.append((a, a + sides, b + sides, b))
    lines = ["ply", "format ascii 1.0", "comment a bowl", f"element vertex {len(vertices)}"]
    lines += [f"property float {c}" for c in "xyz"] + [f"property uchar {c}" for c in ("red", "green", "blue")]
    lines += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"]
    lines += [" ".join([num(c) for c in v[:3]] + [str(c) for c in v[3:]]) for v in vertices]
    lines += [" ".join(map(str, (len(f), *f))) for f in faces]
    return "\n".join(lines) + "\n"


def bookend_stl():
    """Two boxes, binary form, metres."""
    mesh = Mesh().box((-0.06, 0, -0.05), (0.06, 0.01, 0.05)).box((-0.06, 0.01, -0.05), (-0.05, 0.14, 0.05))
    triangles, at = [], 0
    for count in mesh.counts:
        corners = mesh.indices[at:at + count]
        triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, count - 1)]
        at += count
    data = b"a bookend".ljust(80, b" ") + struct.pack("<I", len(triangles))
    for t in triangles:
        p, q, r = (mesh.points[i] for i in t)
        u, v = [q[k] - p[k] for k in range(3)], [r[k] - p[k] for k in range(3)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        length = math.sqrt(sum(c * c for c in n)) or 1
        data += struct.pack("<12fH", *(c / length for c in n), *p, *q, *r, 0)
    return data


def write(name, data):
    with open(os.path.join(HERE, name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def package():
    """The same scene as a package: a crate first, then its textures."""
    from pxr import Sdf

    os.chdir(HERE)
    layer = Sdf.Layer.FindOrOpen("reading-corner.usda")
    layer.Export("reading-corner.usdc")
    with Sdf.ZipFileWriter.CreateNew("reading-corner.usdz") as writer:
        for name in ("reading-corner.usdc", "textures/fabric.png", "textures/wood.jpg"):
            writer.AddFile(name, name)
    os.remove("reading-corner.usdc")


if __name__ == "__main__":
    textures()
    write("reading-corner.usda", reading_corner())
    obj, mtl = stool()
    write("stool.obj", obj)
    write("stool.mtl", mtl)
    write("bowl.ply", bowl_ply())
    write("bookend.stl", bookend_stl())
    package()
