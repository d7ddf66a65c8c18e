/// Value clips: time samples that lie in layers of their own.
final class ClipSet {
    var ranks: [Int: Int] = [:]
    func isWeakerEnd(_ h: Int, _ node: Int32) -> Bool { false }
}

final class ClipTable {
    func sets(_ stage: Stage, _ holder: Int) -> [ClipSet] { [] }
    func hasValues(_ stage: Stage, _ prim: StagePrim, _ attribute: Token, _ set: ClipSet) -> Bool { false }
    func value(_ stage: Stage, _ prim: StagePrim, _ attribute: Token, _ set: ClipSet, _ o: Opinion, _ time: EvalTime) -> USDValue? { nil }
    func times(_ stage: Stage, _ prim: StagePrim, _ attribute: Token, _ set: ClipSet, _ o: Opinion) -> [Double] { [] }
    func layer(_ stage: Stage, _ prim: StagePrim, _ attribute: Token, _ set: ClipSet, _ o: Opinion) -> USDLayer? { nil }
}
