import AssetIO
import AssetModel

extension SceneReader {
    /// The moment at which values are read: the start where the stage has an authored range, otherwise each value's
    /// earliest sample.
    static func evalTime(_ stage: Stage, _ choice: TimeChoice, _ session: USDSession) -> EvalTime {
        switch choice {
        case .at(let t): return .at(t)
        case .automatic: return range(stage, session).map { .at($0.start) } ?? .earliest
        }
    }

    /// The authored range; the old names `startFrame` and `endFrame` count where the new ones are not both there.
    private static func range(_ stage: Stage, _ session: USDSession) -> (start: Double, end: Double)? {
        func pair(_ a: Token, _ b: Token) -> (Double, Double)? {
            guard let start = stage.metadata(a)?.number, let end = stage.metadata(b)?.number else { return nil }
            return (start, end)
        }
        return pair(.startTimeCode, .endTimeCode) ?? pair(session.token("startFrame"), session.token("endFrame"))
    }

    func readMetadata() throws(AssetError) {
        var m = SceneMetadata()
        let place = SourceLocation(file: scene.source.file)
        if let axis = try stage.metadata(.upAxis)?.resolved().text(session), !axis.isEmpty {
            m.upAxis = axis
            m.isUpAxisAuthored = true
            if !["X", "Y", "Z"].contains(axis) {
                diagnostics.warning("usd.bad-up-axis", "upAxis is \"\(axis)\", expected Y or Z: counts as Y", at: place)
            }
        } else {
            m.upAxis = "Y"
            diagnostics.warning("usd.no-up-axis", "the stage says no upAxis: Y is taken", at: place)
        }
        if let units = try stage.metadata(.metersPerUnit)?.resolved().number {
            m.metersPerUnit = units
            m.isMetersPerUnitAuthored = true
            if !(units > 0 && units.isFinite) {
                diagnostics.warning("usd.bad-meters-per-unit", "metersPerUnit is \(units), expected a number above 0", at: place)
            }
        } else {
            m.metersPerUnit = 0.01
            diagnostics.warning("usd.no-meters-per-unit", "the stage says no metersPerUnit: 0.01 is taken", at: place)
        }
        if let range = Self.range(stage, session) { (m.startTimeCode, m.endTimeCode) = range }
        let fps = stage.metadata(.framesPerSecond)?.number
        // UsdStage: timeCodesPerSecond, then framesPerSecond, then 24.
        m.timeCodesPerSecond = stage.metadata(.timeCodesPerSecond)?.number ?? fps ?? 24
        if let rate = m.timeCodesPerSecond, !(rate > 0 && rate.isFinite) {
            diagnostics.warning("usd.bad-time-codes-per-second", "timeCodesPerSecond is \(rate), expected a number above 0", at: place)
        }
        m.framesPerSecond = fps ?? 24
        m.comment = try stage.metadata(.comment)?.resolved().text(session)
        if case .dictionary(let d)? = try stage.metadata(.customLayerData)?.resolved() {
            m.customData = d.openEntries(session)
            m.generator = (d["creator"] ?? d["generator"])?.text(session)
        }
        if let name = try stage.metadata(.defaultPrim)?.resolved().text(session), !name.isEmpty {
            var path = Path.root
            for part in name.split(separator: "/") { path = session.paths.child(path, session.token(String(part))) }
            if !path.isRoot, stage.prim(at: path) != nil {
                m.defaultPrim = session.string(path)
            } else {
                diagnostics.warning("usd.default-prim-missing", "defaultPrim names \"\(name)\", which is not on the stage", at: place)
            }
        }
        if case .dictionary(let d)? = try stage.metadata(names.fallbackPrimTypes)?.resolved() { schemas.add(fallbacks: d, session) }
        scene.metadata = m
    }

    /// Says which moment was read where something moves and nobody asked for one.
    func tellTime() {
        guard sawAnimation, options.time == .automatic else { return }
        let message =
            if case .at(let t) = time {
                "values that vary over time are read at \(Self.short(t)), the start time code"
            } else {
                "values that vary over time are read at their earliest sample: the stage has no time range"
            }
        diagnostics.info("usd.time", message, at: SourceLocation(file: scene.source.file))
    }

    /// A number without a needless fraction.
    static func short(_ n: Double) -> String { n == n.rounded() && abs(n) < 1e15 ? String(Int64(n)) : String(n) }
}
