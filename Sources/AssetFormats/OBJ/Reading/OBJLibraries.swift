import AssetIO
import AssetModel
import AssetOps

/// The materials of a file: those of its libraries, in their order, and bare names for what no library knows.
struct OBJLibraries {
    private let file: FileBytes
    private var libraries: [MTLLibrary] = []
    private var ofName: [Int32: ID<Material>] = [:]
    private let places: OBJPlaces
    /// How often a name was looked for. Each time several folders are searched, so that there is an end to it.
    private var looks = 0
    private static let mostLooks = 1_000

    init(_ file: FileBytes, _ places: OBJPlaces) { (self.file, self.places) = (file, places) }

    /// The material of a name's number; nil for none.
    func material(_ name: Int32) -> ID<Material>? { ofName[name] }

    /// Opens the libraries, makes all their materials, and finds those that the file names.
    mutating func load(_ structure: OBJStructure, into scene: inout Scene, _ context: inout ReadContext) {
        openAll(structure, &scene, &context)
        if let offset = structure.namelessLibrary {
            context.diagnostics.warning("obj.no-library-name", "mtllib names no file", at: places.place(offset))
        }
        var maker = MTLToMaterial(resolver: context.resolver, openedFile: file.name, roughness: context.options.mtlRoughness)
        var paths = UniqueNames()
        var seen = Set<String>()
        var sources: [(library: Int, material: MTLMaterial)] = []
        for (i, library) in libraries.enumerated() {
            for material in library.materials where seen.insert(material.name).inserted {
                paths.announce(OBJToScene.pathName(material.name))
                sources.append((i, material))
            }
        }
        for name in structure.materials { paths.announce(OBJToScene.pathName(structure.names.text(name.name))) }
        var made: [String: ID<Material>] = [:]
        for (i, material) in sources {
            let path = "/materials/" + paths.unique(OBJToScene.pathName(material.name))
            var value = maker.material(material, of: libraries[i], path: path, into: &scene, &context.diagnostics)
            value.name = OBJToScene.shownName(value.name)
            made[material.name] = scene.materials.append(value)
        }
        for (name, offset) in structure.materials {
            let text = structure.names.text(name)
            if let known = made[text] ?? shorter(text).flatMap({ made[$0] }) {
                ofName[name] = known
                continue
            }
            if libraries.isEmpty {
                let isNamed = !structure.libraries.isEmpty
                context.diagnostics.warning(
                    "obj.no-library", isNamed ? "materials are named, and no library was found" : "materials are named, but no library",
                    at: SourceLocation(file: file.name))
            } else {
                context.diagnostics.warning("obj.missing-material", "'\(text)' is in no library", at: places.place(offset))
            }
            let path = "/materials/" + paths.unique(OBJToScene.pathName(text))
            ofName[name] = scene.materials.append(Material(name: OBJToScene.shownName(text), path: path))
        }
    }

    /// The name that a library knows without what may be a comment behind it.
    private func shorter(_ name: String) -> String? {
        for library in libraries { if let found = library.material(beforeComment: name) { return found.name } }
        return nil
    }

    // MARK: Files

    /// A line's name is one file first, then several.
    private mutating func openAll(_ structure: OBJStructure, _ scene: inout Scene, _ context: inout ReadContext) {
        var opened = Set<String>()
        var seen = Set<Int32>()
        var passedOver: (count: Int, first: Int) = (0, 0)
        for (number, offset) in structure.libraries where seen.insert(number).inserted {
            guard looks < Self.mostLooks else {
                if passedOver.count == 0 { passedOver.first = offset }
                passedOver.count += 1
                continue
            }
            let line = structure.names.text(number)
            if let whole = find(line, context) {
                open(whole, line, offset, &opened, &scene, &context)
                continue
            }
            for part in names(line, context) {
                guard looks < Self.mostLooks else {
                    if passedOver.count == 0 { passedOver.first = offset }
                    passedOver.count += 1
                    continue
                }
                if let found = find(part, context) {
                    open(found, part, offset, &opened, &scene, &context)
                } else {
                    context.diagnostics.warning(
                        "obj.missing-library", "the material library '\(shortened(part))' is not found", at: places.place(offset))
                }
            }
        }
        if passedOver.count > 0 {
            context.diagnostics.add(
                Diagnostic(
                    .warning, "obj.dropped.libraries",
                    "\(amount(passedOver.count, "name")) of material libraries not looked for: folders were searched \(amount(looks, "time")) before",
                    at: places.place(passedOver.first), count: passedOver.count))
        }
    }

    /// The names of a line that is not one name itself. They may hold blanks: of those that begin with a word the longest that is
    /// there counts. The line where none is.
    private mutating func names(_ line: String, _ context: ReadContext) -> [String] {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        // Each try looks into folders: longer lines are taken word by word.
        let longest = words.count <= 16 ? words.count : 1
        var names: [String] = []
        var isAnyThere = false
        var first = 0
        while first < words.count {
            var count = min(longest, words.count - first)
            func name() -> String { words[first..<first + count].joined(separator: " ") }
            while count > 1, find(name(), context) == nil { count -= 1 }
            if !isAnyThere, looks < Self.mostLooks { isAnyThere = count > 1 || find(name(), context) != nil }
            names.append(name())
            first += count
        }
        return isAnyThere ? names : [line]
    }

    /// A name as a message can hold it.
    private func shortened(_ name: String) -> String { name.utf8.count <= 200 ? name : name.prefix(200) + "…" }

    private mutating func find(_ name: String, _ context: ReadContext) -> AssetLookup.Found? {
        looks += 1
        return AssetLookup.find(name, from: file.name, opened: file.name, in: context.resolver)
    }

    private mutating func open(
        _ found: AssetLookup.Found, _ authored: String, _ offset: Int, _ opened: inout Set<String>, _ scene: inout Scene,
        _ context: inout ReadContext
    ) {
        guard opened.insert(found.path).inserted else { return }
        if found.way != .asWritten, let warning = found.warning(authored, at: places.place(offset)) { context.diagnostics.add(warning) }
        do throws(AssetError) {
            let bytes = try context.resolver.open(found.path)
            scene.source.files.append(
                SourceDescription.File(path: authored, role: "library", byteCount: bytes.count, resolved: found.path))
            libraries.append(MTLLibrary.parse(bytes, diagnostics: &context.diagnostics))
        } catch {
            var warning = error.diagnostic
            warning.severity = .warning
            context.diagnostics.add(warning)
        }
    }
}
