public import AssetIO
public import AssetModel

/// One input taken as far as it goes: recognised, opened, read into a scene, checked, written as text and as every format
/// that can be written. Everything happens in memory. Errors are results here; only traps, hangs and broken promises are bugs.
public struct Exercise {
    /// The error that ended the reading, where no scene could be had.
    public private(set) var error: AssetError?
    public private(set) var scene: Scene?
    public private(set) var diagnostics = Diagnostics()
    /// Promises of the model that the scene breaks.
    public private(set) var violations: [SceneInvariants.Violation] = []
    /// Bytes written in all formats, text form included.
    public private(set) var bytesWritten = 0

    /// - Parameters:
    ///   - bytes: the file.
    ///   - name: its name; the extension and the folder count.
    ///   - format: a format's id that overrules recognition.
    ///   - siblings: further files that may be found, by path.
    ///   - writes: whether to go on to the writers.
    public init(
        _ bytes: [UInt8], name: String, format: String? = nil, registry: FormatRegistry, siblings: [String: [UInt8]] = [:],
        limits: ReadLimits = ReadLimits(), writes: Bool = true
    ) {
        let resolver = InMemoryResolver(siblings, limits: limits)
        resolver.add(name, bytes)
        var context = ReadContext(resolver: resolver)
        context.options.limits = limits
        context.options.wantsArcs = true
        context.options.wantsTransformOps = true
        context.options.wantsAttributes = true
        do throws(AssetError) {
            let file = try resolver.open(name)
            let format = try registry.recognize(file, forced: format, diagnostics: &context.diagnostics)
            let document = try format.open(file, &context)
            let scene = try document.scene(&context)
            self.scene = scene
            violations = SceneInvariants.violations(in: scene)
            // The arrays too: what can be loaded must load or say why not.
            _ = SceneInvariants.violations(in: scene, level: .geometry)
            if writes { write(scene, document, registry, &context) }
        } catch {
            self.error = error
        }
        diagnostics = context.diagnostics
    }

    private mutating func write(_ scene: Scene, _ document: any Document, _ registry: FormatRegistry, _ context: inout ReadContext) {
        var count = 0
        try? document.writeText(flatten: false, &context) { count += $0.count }
        for format in registry.formats where format.info.canWrite {
            let output = MemoryOutput()
            var options = WriteOptions(fileName: "out." + (format.info.fileExtensions.first ?? ""))
            options.allowEmpty = true
            options.includeHidden = true
            var writing = WriteContext(resolver: context.resolver, options: options, output: output)
            do throws(AssetError) {
                try format.write(scene, &writing)
                count += output.files.reduce(0) { $0 + $1.count }
            } catch {}
        }
        bytesWritten = count
    }
}
