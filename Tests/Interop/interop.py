#!/usr/bin/env python3
"""Opens what `facet convert` writes with readers that are not ours, and compares what they find.

usage: interop.py FACET FILE... [--trimesh PYTHON] [--blender PYTHON] [--assimp COMMAND] [--to glb|gltf] [-- convert options]

Every FILE is converted; then trimesh, Blender (as a module of Python: bpy) and assimp open the result. Their triangles, used materials
and bounds at rest must be those that `facet tree --json` finds in it. A line a difference, a summary at the end; exit 1 where there is
one. Readers that are not there are left out, and named. Run by hand: it needs Python and the readers.
"""
import argparse, json, os, re, shutil, subprocess, sys, tempfile

TRIMESH = r"""
import json, sys, logging
import numpy as np, trimesh
logging.disable(logging.CRITICAL)
for path in sys.stdin.read().split("\n"):
    if not path: continue
    try:
        scene = trimesh.load(path, force="scene", process=False)
        triangles, materials, low, high = 0, set(), None, None
        for name in scene.graph.nodes_geometry:
            matrix, key = scene.graph[name]
            mesh = scene.geometry[key]
            faces = getattr(mesh, "faces", None)
            if faces is not None:
                triangles += len(faces)
                m = getattr(mesh.visual, "material", None)
                if m is not None and getattr(m, "name", None): materials.add(m.name)
            points = np.asarray(mesh.vertices)
            if len(points):
                points = points @ np.asarray(matrix)[:3, :3].T + np.asarray(matrix)[:3, 3]
                a, b = points.min(axis=0), points.max(axis=0)
                low = a if low is None else np.minimum(low, a)
                high = b if high is None else np.maximum(high, b)
        print(json.dumps({"path": path, "triangles": triangles, "materials": len(materials),
                          "bounds": None if low is None else [low.tolist(), high.tolist()]}), flush=True)
    except Exception as e:
        print(json.dumps({"path": path, "error": f"{type(e).__name__}: {e}"[:200]}), flush=True)
"""

BLENDER = r"""
import json, sys, os
paths = [p for p in sys.stdin.read().split("\n") if p]
out = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
import bpy
from mathutils import Vector
for path in paths:
    try:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.import_scene.gltf(filepath=path, import_shading="NORMALS")
        triangles, materials, low, high = 0, set(), None, None
        for o in bpy.context.scene.objects:
            if o.type != "MESH" or o.name.startswith("Icosphere"): continue
            o.data.calc_loop_triangles()
            triangles += len(o.data.loop_triangles)
            materials |= {s.material.name for s in o.material_slots if s.material}
            for v in o.data.vertices:
                p = o.matrix_world @ v.co
                p = (p.x, p.z, -p.y)
                low = p if low is None else tuple(map(min, low, p))
                high = p if high is None else tuple(map(max, high, p))
        print(json.dumps({"path": path, "triangles": triangles, "materials": len(materials),
                          "bounds": None if low is None else [list(low), list(high)]}), file=out, flush=True)
    except Exception as e:
        print(json.dumps({"path": path, "error": f"{type(e).__name__}: {e}"[:200]}), file=out, flush=True)
"""


def assimp(command, path):
    """`assimp info` counts faces and materials of each mesh once, however often nodes show it: only their being there is compared."""
    r = subprocess.run([command, "info", path], capture_output=True, text=True, timeout=120)
    if r.returncode:
        return {"error": (r.stdout + r.stderr).strip()[-200:]}
    number = lambda word: int((re.search(word + r":\s+(\d+)", r.stdout) or [0, 0])[1])
    vector = lambda word: [float(x) for x in (re.search(word + r"\s+\(([^)]*)\)", r.stdout) or [0, "nan nan nan"])[1].replace(",", " ").split()]
    return {"faces": number("Faces"), "materials": number("Materials"), "bounds": [vector("Minimum point"), vector("Maximum point")]}


def close(a, b):
    if a is None or b is None:
        return a == b
    size = max([abs(y - x) for x, y in zip(*b)] + [max(map(abs, b[0] + b[1])) * 1e-3, 1e-12])
    return all(abs(x - y) <= 1e-3 * size for s, t in zip(a, b) for x, y in zip(s, t))


def main():
    argv, options = (sys.argv[1:], []) if "--" not in sys.argv else (sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:])
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("facet")
    ap.add_argument("files", nargs="+")
    ap.add_argument("--trimesh", default=sys.executable)
    ap.add_argument("--blender", default=sys.executable)
    ap.add_argument("--assimp", default="assimp")
    ap.add_argument("--to", default="glb")
    o = ap.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for i, file in enumerate(o.files):
            target = os.path.join(folder, f"{i}.{o.to}")
            r = subprocess.run([o.facet, "convert", "--quiet", *options, file, target], capture_output=True, text=True)
            if r.returncode or not os.path.exists(target):
                continue
            tree = json.loads(subprocess.run([o.facet, "tree", "--json", target], capture_output=True).stdout)
            nodes = tree["nodes"]
            made[target] = {"file": file, "triangles": tree["totals"]["triangles"], "bounds": tree["bounds"],
                            "materials": len(tree["materials"]), "instanced": any("instancer" in n for n in nodes),
                            "loose": any(n["type"] in ("Lines", "Points") for n in nodes),
                            "meshes": any("mesh" in n for n in nodes), "skinned": any(n.get("mesh", {}).get("skinned") for n in nodes)}
            b = tree["bounds"]
            made[target]["bounds"] = None if b is None else [b["min"], b["max"]]
        print(f"{len(made)} of {len(o.files)} files written as .{o.to}")
        bad = 0
        for name, python, program in (("trimesh", o.trimesh, TRIMESH), ("blender", o.blender, BLENDER)):
            if subprocess.run([python, "-c", "import trimesh" if name == "trimesh" else "import bpy"], capture_output=True).returncode:
                print(f"{name}: not there, left out")
                continue
            # A reader that falls over takes the rest of its batch along: those are tried again one by one.
            found = {}
            waiting = list(made)
            while waiting:
                r = subprocess.run([python, "-c", program], input="\n".join(waiting), capture_output=True, text=True)
                for line in r.stdout.splitlines():
                    if line.startswith("{"):
                        x = json.loads(line)
                        found[x["path"]] = x
                rest = [p for p in waiting if p not in found]
                if len(rest) == len(waiting) or rest:
                    found[rest[0]] = {"error": f"the reader fell over (status {r.returncode})"} if rest else None
                waiting = rest[1:]
            same = 0
            for path, want in made.items():
                got = found.get(path) or {"error": "no answer"}
                why = []
                if "error" in got:
                    why.append(got["error"])
                else:
                    # Instances by extension, and points and lines, are not what every reader makes of them.
                    if not want["instanced"] and got["triangles"] != want["triangles"]:
                        why.append(f"{got['triangles']} triangles, expected {want['triangles']}")
                    if got["materials"] > want["materials"] or not want["loose"] and name == "blender" and got["materials"] < want["materials"]:
                        why.append(f"{got['materials']} materials, expected {want['materials']}")
                    if not want["instanced"] and not want["loose"] and not want["skinned"] and not close(got["bounds"], want["bounds"]):
                        why.append(f"bounds {got['bounds']}, expected {want['bounds']}")
                same += not why
                bad += bool(why)
                for w in why:
                    print(f"{name}: {want['file']}: {w}")
            print(f"{name}: {same} of {len(made)} agree")
        if shutil.which(o.assimp):
            same = 0
            for path, want in made.items():
                got = assimp(o.assimp, path)
                why = []
                if "error" in got:
                    why.append(got["error"])
                elif want["meshes"] and not want["loose"]:
                    if want["triangles"] and not got["faces"]:
                        why.append("no faces")
                    if not want["instanced"] and not want["skinned"] and not close(got["bounds"], want["bounds"]):
                        why.append(f"bounds {got['bounds']}, expected {want['bounds']}")
                same += not why
                bad += bool(why)
                for w in why:
                    print(f"assimp: {want['file']}: {w}")
            print(f"assimp: {same} of {len(made)} agree")
        else:
            print("assimp: not there, left out")
        return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
