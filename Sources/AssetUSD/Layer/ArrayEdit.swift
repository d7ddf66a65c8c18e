/// Edits to an array (crate 0.14, `edit [...]` in text), kept without evaluation. `instructions` is the program as crate
/// files store it, `literals` the array whose elements it puts in by number.
public struct ArrayEdit {
    public var type: ValueType
    public var literals: USDValue
    public var instructions: [Int64]

    public init(type: ValueType, literals: USDValue, instructions: [Int64]) {
        self.type = type
        self.literals = literals
        self.instructions = instructions
    }

    /// What is put into the array: a literal, or a copy of one of its own elements.
    enum Operand: Equatable {
        case literal(Int)
        case element(Int64)
    }

    enum Sizing { case minimum, maximum, exact }

    /// One step of the program.
    enum Step: Equatable {
        case write(Operand, at: Int64)
        case insert(Operand, at: Int64)
        case erase(Int64)
        /// `fill` is a literal for the new elements.
        case size(Sizing, Int64, fill: Int?)
    }

    /// The index behind the last element: where `append` inserts.
    static let end = Int64.min

    private enum Code: Int64 {
        case writeLiteral, writeElement, insertLiteral, insertElement, erase, minimumSize, minimumSizeFill, size, sizeFill, maximumSize
    }

    /// The program in steps. The words are a code (highest byte) with the count of the steps that follow, then their operands;
    /// steps that run past the end or have an unknown code end it.
    var steps: [Step] {
        var steps: [Step] = []
        var i = 0
        while i < instructions.count {
            let word = instructions[i]
            i += 1
            guard let code = Code(rawValue: word >> 56) else { return steps }
            var left = word & 0xff_ffff_ffff_ffff
            while left > 0 {
                left -= 1
                let operands = code == .erase || code == .minimumSize || code == .size || code == .maximumSize ? 1 : 2
                guard i + operands <= instructions.count else { return steps }
                let a = instructions[i]
                let b = operands == 2 ? instructions[i + 1] : 0
                i += operands
                switch code {
                case .writeLiteral: steps.append(.write(.literal(Int(a)), at: b))
                case .writeElement: steps.append(.write(.element(a), at: b))
                case .insertLiteral: steps.append(.insert(.literal(Int(a)), at: b))
                case .insertElement: steps.append(.insert(.element(a), at: b))
                case .erase: steps.append(.erase(a))
                case .minimumSize: steps.append(.size(.minimum, a, fill: nil))
                case .minimumSizeFill: steps.append(.size(.minimum, a, fill: Int(b)))
                case .size: steps.append(.size(.exact, a, fill: nil))
                case .sizeFill: steps.append(.size(.exact, a, fill: Int(b)))
                case .maximumSize: steps.append(.size(.maximum, a, fill: nil))
                }
            }
        }
        return steps
    }

    /// The program of some steps, equal codes in a row under one word.
    static func instructions(_ steps: [Step]) -> [Int64] {
        var words: [Int64] = []
        var head = 0
        var last: Code?
        for step in steps {
            let code: Code
            let operands: [Int64]
            switch step {
            case .write(.literal(let i), let at): (code, operands) = (.writeLiteral, [Int64(i), at])
            case .write(.element(let i), let at): (code, operands) = (.writeElement, [i, at])
            case .insert(.literal(let i), let at): (code, operands) = (.insertLiteral, [Int64(i), at])
            case .insert(.element(let i), let at): (code, operands) = (.insertElement, [i, at])
            case .erase(let at): (code, operands) = (.erase, [at])
            case .size(.minimum, let n, fill: nil): (code, operands) = (.minimumSize, [n])
            case .size(.minimum, let n, fill: .some(let f)): (code, operands) = (.minimumSizeFill, [n, Int64(f)])
            case .size(.exact, let n, fill: nil): (code, operands) = (.size, [n])
            case .size(.exact, let n, fill: .some(let f)): (code, operands) = (.sizeFill, [n, Int64(f)])
            case .size(.maximum, let n, _): (code, operands) = (.maximumSize, [n])
            }
            if code == last {
                words[head] += 1
            } else {
                head = words.count
                words.append(code.rawValue << 56 | 1)
                last = code
            }
            words.append(contentsOf: operands)
        }
        return words
    }
}
