// swift-tools-version: 6.2
import PackageDescription

/// Every target is held to the same rules: imports are internal unless said otherwise, members are only visible
/// from modules the file imports, existentials are spelled out.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
]

/// A library target of the house; its tests live in `Tests/<name>Tests`.
func room(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

func tests(_ room: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: room + "Tests", dependencies: [.byName(name: room), "TestSupport"] + dependencies,
        swiftSettings: swiftSettings)
}

let package = Package(
    name: "Facet",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Facet", targets: ["Facet"]),
        .executable(name: "facet", targets: ["FacetCLI"]),
    ],
    targets: [
        .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]),

        // simdjson is C++: Swift sees it through a C function.
        // Debian: libsimdjson-dev. Not by pkg-config, whose flags for it SwiftPM refuses with a warning.
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        // So are Draco (libdraco-dev) and meshoptimizer (libmeshoptimizer-dev), which unpack and pack what glTF says by extensions.
        .target(name: "CDraco", linkerSettings: [.linkedLibrary("draco")]),
        .target(name: "CMeshopt", linkerSettings: [.linkedLibrary("meshoptimizer")]),

        room("AssetModel", []),
        room("AssetIO", ["AssetModel", "CZlib"]),
        room("AssetOps", ["AssetModel"]),
        room("AssetImages", ["AssetModel", "CPNG", "CTurboJPEG"]),
        room("AssetFormats", ["AssetModel", "AssetIO", "AssetOps", "AssetImages", "CSimdJSON", "CDraco", "CMeshopt"]),
        room("AssetUSD", ["AssetModel", "AssetIO", "AssetOps", "AssetImages", "CLZ4"]),
        room("Facet", ["AssetModel", "AssetIO", "AssetOps", "AssetFormats", "AssetUSD"]),
        room("AssetCommands", ["AssetModel", "AssetIO", "AssetOps", "Facet"]),
        .executableTarget(
            name: "FacetCLI", dependencies: ["AssetCommands", "AssetIO", "AssetModel", "Facet"], swiftSettings: swiftSettings),

        .target(
            name: "TestSupport", dependencies: ["AssetModel", "AssetIO"], path: "Tests/Support",
            swiftSettings: swiftSettings),
        tests("AssetModel", []),
        tests("AssetIO", ["AssetModel"]),
        tests("AssetOps", ["AssetModel"]),
        tests("AssetImages", ["AssetModel"]),
        tests("AssetFormats", ["AssetModel", "AssetIO", "AssetOps", "CDraco", "CMeshopt"]),
        tests("AssetUSD", ["AssetModel", "AssetIO", "AssetOps"]),
        tests("Facet", ["AssetModel", "AssetIO", "AssetOps"]),
        tests("AssetCommands", ["AssetModel", "AssetIO", "AssetOps", "Facet"]),
        // The house as a whole: its rules, and what damaged files do to it.
        .testTarget(
            name: "HouseTests", dependencies: ["TestSupport", "AssetModel", "AssetIO", "Facet"],
            swiftSettings: swiftSettings),
    ],
    cxxLanguageStandard: .cxx17
)

// Fuzzers need the whole package built with the sanitizers' flags, so they exist only when asked for (scripts/fuzz.sh).
if Context.environment["FACET_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzz/CLibFuzzer"),
        .target(
            name: "FuzzSupport", dependencies: ["CLibFuzzer", "TestSupport", "AssetModel", "AssetIO", "AssetUSD", "Facet"],
            path: "Tests/Fuzz/Support", swiftSettings: swiftSettings),
    ]
    for name in ["fuzz-usda", "fuzz-usdc", "fuzz-zip", "fuzz-obj", "fuzz-mtl", "fuzz-ply", "fuzz-stl", "fuzz-gltf", "fuzz-glb"] {
        package.targets.append(
            .executableTarget(
                name: name, dependencies: ["FuzzSupport"], path: "Tests/Fuzz/\(name)", swiftSettings: swiftSettings,
                linkerSettings: [.unsafeFlags(["-use-ld=lld"])]))
    }
}
