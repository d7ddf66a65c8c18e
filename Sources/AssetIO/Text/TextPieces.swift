/// A part of a text that is read by itself. Where reading it begins is known or guessed.
public protocol TextPiece: AnyObject, Sendable {
    /// The offset of the first byte that was not read.
    var stop: Int { get }
    /// Reads from an offset on, up to the first statement that begins at or behind `limit`, or that is not plain.
    func read(from start: Int, upTo limit: Int)
}

/// Reads a text in pieces, several at a time. Where a piece begins is guessed from the text around; the guess was right where what stands
/// before it ends just there. Pieces are taken in the order of the text, and each is read once: what was read ahead of something that only
/// the caller understands is kept until the caller is past that.
public final class TextPieces<Piece: TextPiece> {
    private struct Ahead {
        var start: Int
        var limit: Int
        var piece: Piece
    }

    private let file: FileBytes
    private let size: Int
    private var lanes: Int
    private let make: () -> Piece
    private var free: [Piece] = []
    /// What was read and not yet taken, in order.
    private var ahead: ArraySlice<Ahead> = []
    /// Pieces that were read in vain, because they began at a wrong place.
    private var wasted = 0
    private var released: Int
    /// Before this offset nothing is read ahead: a beginning was looked for in vain.
    private var alone = 0
    /// How often a beginning was looked for, and what was read given back.
    private(set) var (searches, releases) = (0, 0)

    /// - Parameters:
    ///   - size: bytes of a piece, more or less; 0 leaves all of the text to the caller.
    ///   - from: where the text begins that is read.
    ///   - make: makes something to read pieces with; it is used again and again.
    public init(_ file: FileBytes, from start: Int, size: Int = 1 << 20, lanes: Int = 4, make: @escaping () -> Piece) {
        self.file = file
        self.size = max(0, size)
        self.lanes = max(1, lanes)
        self.make = make
        released = start
    }

    /// - Parameters:
    ///   - limit: how far to read.
    ///   - begin: the first offset behind the given one where a piece can begin; nil where there is none near.
    ///   - take: takes what a piece has read; false where it is not wanted.
    /// - Returns: where reading ended: at `limit` or behind it, at something that is not plain, or before a piece that is not wanted.
    public func read(from start: Int, upTo limit: Int, begin: (Int) -> Int?, take: (Piece) -> Bool) -> Int {
        if size == 0 { return start }
        var p = start
        // Not at every statement that is not plain.
        defer { if p - released >= 1 << 16 { release(upTo: p) } }
        while p < limit {
            while let first = ahead.first, first.start < p {
                wasted += 1
                free.append(first.piece)
                ahead.removeFirst()
            }
            if ahead.isEmpty { readAhead(p, limit, begin) }
            guard let next = ahead.first else { return p }
            let end: Int
            let piece: Piece
            if next.start == p {
                (piece, end) = (next.piece, next.limit)
                ahead.removeFirst()
            } else {
                // What stands between.
                (piece, end) = (free.popLast() ?? make(), min(limit, next.start))
                piece.read(from: p, upTo: end)
            }
            free.append(piece)
            guard take(piece) else { return p }
            p = piece.stop
            if p < end { return p }
            if p - released >= 4 * size { release(upTo: p) }
        }
        return p
    }

    private func readAhead(_ start: Int, _ limit: Int, _ begin: (Int) -> Int?) {
        if wasted > 2 * lanes { lanes = 1 }
        var starts = [start]
        while starts.count < lanes, start >= alone, let last = starts.last, limit - last > size {
            searches += 1
            guard let next = begin(last + size), next < limit else {
                // The search may be long, and the next piece begin with the next word.
                alone = start + size / 8
                break
            }
            starts.append(next)
        }
        var made: [Ahead] = []
        for (k, start) in starts.enumerated() {
            let end = k + 1 < starts.count ? starts[k + 1] : min(limit, start + size)
            made.append(Ahead(start: start, limit: end, piece: free.popLast() ?? make()))
        }
        concurrently(made.count) { made[$0].piece.read(from: made[$0].start, upTo: made[$0].limit) }
        ahead = made[...]
    }

    /// Lets go of what was read. The page that two pieces share goes with the second.
    private func release(upTo p: Int) {
        guard p > released else { return }
        releases += 1
        let first = max(0, released - 4096)
        file.release(first, count: p - first)
        released = p
    }
}
