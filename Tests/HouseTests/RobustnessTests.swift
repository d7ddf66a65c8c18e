import AssetIO
import AssetModel
import Facet
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What damaged files do to the readers: an error or a sound scene, never a trap, whatever was cut or turned over.
@Suite struct RobustnessTests {
    /// A file of Assets, or the crate out of a package there.
    struct Input: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var testDescription: String { name }
    }

    /// The files of Assets that are assets or part of one.
    static let inputs: [Input] = {
        let extensions = ["usda", "usdc", "usdz", "obj", "mtl", "ply", "stl", "png", "jpg"]
        var inputs: [Input] = []
        for path in Repository.files(under: "Assets") where extensions.contains(where: { path.hasSuffix("." + $0) }) {
            guard let bytes = try? Repository.bytes(path) else { continue }
            inputs.append(Input(name: path, bytes: bytes))
            guard path.hasSuffix(".usdz"), let archive = try? ZipArchive(FileBytes(name: path, bytes: bytes), limits: ReadLimits()) else { continue }
            for entry in archive.entries where entry.name.hasSuffix(".usdc") {
                guard let member = try? archive.contents(of: entry) else { continue }
                inputs.append(Input(name: "Assets/" + entry.name, bytes: member.withUnsafeBytes { Array($0) }))
            }
        }
        return inputs
    }()

    static let siblings = Dictionary(uniqueKeysWithValues: inputs.map { ($0.name, $0.bytes) })

    /// An input and which part of the damage is done to it: parts run beside each other.
    static let parts = inputs.flatMap { input in (0..<4).map { (input, $0) } }

    @Test func assetsAreFoundAndSound() throws {
        #expect(Self.inputs.count >= 8)
        for input in Self.inputs where input.name.contains(".usd") {
            let result = Exercise(input.bytes, name: input.name, registry: .standard, siblings: Self.siblings)
            let scene = try #require(result.scene, "\(input.name): \(String(describing: result.error))")
            #expect(SceneInvariants.violations(in: scene, level: .geometry) == [])
            #expect(scene.meshes.count >= 6)
            #expect(result.bytesWritten > 0)
        }
    }

    /// A seed that the readers refuse teaches a fuzzer nothing; grammar.usda holds every construct of the text format.
    @Test(arguments: Repository.files(under: "Tests/Fuzz/seeds").filter { $0.contains(".usd") })
    func seedsOfTheFuzzersAreRead(path: String) throws {
        let result = Exercise(try Repository.bytes(path), name: path, registry: .standard)
        #expect(result.error == nil)
        #expect(result.violations == [])
    }

    /// What a fuzzer found once must never happen again.
    @Test(arguments: Repository.files(under: "Tests/Fixtures").filter { $0.contains("/crashes/") })
    func findingsStayMended(path: String) throws {
        let result = Exercise(try Repository.bytes(path), name: path, registry: .standard)
        #expect(result.violations == [])
        #expect(result.scene != nil || result.error != nil)
    }

    @Test(arguments: parts)
    func cuttingAFileShortIsAnErrorOrASoundScene(input: Input, part: Int) {
        // A debug build reads text slowly: it looks at every ninth length of the longer files, unless asked for all.
        let isThorough = getenv("FACET_THOROUGH") != nil
        let lengths = Mutations.truncationLengths(input.bytes.count).filter { isThorough || input.bytes.count < 4096 || $0 % 9 == 0 }
        for (i, length) in lengths.enumerated() where i % 4 == part {
            check(Array(input.bytes[..<length]), input, "cut to \(length) bytes")
        }
    }

    @Test(arguments: parts)
    func turningOneBitOverIsAnErrorOrASoundScene(input: Input, part: Int) {
        var random = SplitMix64(seed: 0xFACE7 &+ UInt64(part))
        for _ in 0..<25 {
            let bit = random.int(in: 0...(input.bytes.count * 8 - 1))
            check(Mutations.flippingBit(bit, of: input.bytes), input, "bit \(bit) turned over")
        }
    }

    @Test(arguments: parts)
    func randomEditsAreAnErrorOrASoundScene(input: Input, part: Int) {
        for round in 0..<12 {
            let seed = UInt64(round * 4 + part)
            var random = SplitMix64(seed: seed)
            check(Mutations.edited(input.bytes, edits: 4, using: &random), input, "edited with seed \(seed)")
        }
    }

    private func check(_ bytes: [UInt8], _ input: Input, _ what: String) {
        let result = Exercise(bytes, name: input.name, registry: .standard, siblings: Self.siblings)
        if !result.violations.isEmpty { Issue.record("\(input.name) \(what): \(result.violations[0])") }
        if result.scene == nil && result.error == nil { Issue.record("\(input.name) \(what): neither scene nor error") }
    }
}
