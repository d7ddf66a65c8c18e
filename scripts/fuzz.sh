#!/bin/sh
# Fuzzes one parser: scripts/fuzz.sh TARGET SECONDS, where TARGET is fuzz-usda, fuzz-usdc, fuzz-zip, fuzz-obj,
# fuzz-mtl, fuzz-ply, fuzz-stl, fuzz-gltf or fuzz-glb.
# Seeds are the files of Assets, Tests/Fixtures and Tests/Fuzz/seeds; what is learnt stays in .build/fuzz/corpus, findings in .build/fuzz/findings.
# Everything is built with the sanitizers: a bug in a module that is not instrumented would not be found.
set -eu
cd "$(dirname "$0")/.."

target=${1:-fuzz-usda}
seconds=${2:-60}
options=""
case $target in
    fuzz-usda)
        pattern='*.usda'
        options="-dict=Tests/Fuzz/seeds/usda.dict"
        ;;
    fuzz-usdc) pattern='*.usdc' ;;
    fuzz-zip) pattern='*.usdz' ;;
    fuzz-obj) pattern='*.obj' ;;
    fuzz-mtl) pattern='*.mtl' ;;
    fuzz-ply) pattern='*.ply' ;;
    fuzz-stl) pattern='*.stl' ;;
    fuzz-gltf) pattern='*.gltf' ;;
    fuzz-glb) pattern='*.glb' ;;
    *)
        echo "fuzz: no target '$target'; there are fuzz-usda, fuzz-usdc, fuzz-zip, fuzz-obj, fuzz-mtl, fuzz-ply, fuzz-stl, fuzz-gltf and fuzz-glb" >&2
        exit 2
        ;;
esac

# One list of sanitizers for the compiler: of two options it takes the last alone, and SwiftPM passes them in any order.
FACET_FUZZ=1 swift build -c release --sanitize=fuzzer --sanitize=address -Xswiftc -sanitize=fuzzer,address \
    --scratch-path .build/fuzz --product "$target"

corpus=.build/fuzz/corpus/$target
findings=.build/fuzz/findings/$target
mkdir -p "$corpus" "$findings"
find Assets Tests/Fixtures Tests/Fuzz/seeds -type f -name "$pattern" -size -64k 2>/dev/null | while IFS= read -r seed; do
    cp "$seed" "$corpus/seed-$(printf '%s' "$seed" | tr '/ ' '--')"
done
# Leaks are not looked for: the runtime keeps its metadata for ever. An input that takes 10 seconds or 2 GB is a finding.
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 exec ".build/fuzz/release/$target" "$corpus" \
    -artifact_prefix="$findings/" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -print_final_stats=1 $options ${FUZZ_OPTIONS:-}
