public import AssetModel

/// A file being written in large pieces: bytes gather in a block of a megabyte; long runs of lines or records are formatted in
/// pieces on all cores and written in order, so the bytes are the same however many cores there are.
public final class OutputPieces {
    /// Formats the items of a range at a place with room enough; returns the bytes used.
    public typealias Format = (Range<Int>, UnsafeMutablePointer<UInt8>) -> Int

    private let file: any OutputFile
    private let block: UnsafeMutablePointer<UInt8>
    private var used = 0
    private static let blockSize = 1 << 20
    /// Room for one piece, a slot for each that is formatted at a time.
    private var slots: [(base: UnsafeMutablePointer<UInt8>, capacity: Int)] = []
    private static let slotCount = 4
    /// Is told of the items that are written.
    public var progress = WritingProgress()

    public init(_ file: any OutputFile) {
        self.file = file
        block = .allocate(capacity: Self.blockSize)
    }

    deinit {
        block.deallocate()
        for slot in slots { slot.base.deallocate() }
    }

    /// Appends a text.
    public func text(_ string: String) throws(AssetError) {
        var copy = string
        let count = copy.utf8.count
        if count > Self.blockSize - used { try flush() }
        if count > Self.blockSize {
            let bytes = Array(copy.utf8)
            try write(bytes)
            return
        }
        let target = block + used
        copy.withUTF8 { utf8 in
            if let base = utf8.baseAddress { target.update(from: base, count: utf8.count) }
        }
        used += count
    }

    /// Appends bytes.
    public func bytes(_ bytes: [UInt8]) throws(AssetError) {
        try flush()
        try write(bytes)
    }

    private func write(_ bytes: [UInt8]) throws(AssetError) {
        var failure: AssetError?
        bytes.withUnsafeBytes { raw in
            do throws(AssetError) { try file.write(raw) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func flush() throws(AssetError) {
        guard used > 0 else { return }
        let n = used
        used = 0
        try file.write(UnsafeRawBufferPointer(start: block, count: n))
    }

    /// Writes what waits; no more bytes will come.
    public func close() throws(AssetError) {
        try flush()
        try file.close()
    }

    /// Formats `count` items.
    /// - Parameters:
    ///   - room: an upper bound of the bytes that a range of items takes.
    ///   - perPiece: items formatted in one go.
    public func items(_ count: Int, perPiece: Int, room: (Range<Int>) -> Int, _ format: Format) throws(AssetError) {
        guard count > 0 else { return }
        if count <= perPiece {
            let bytes = room(0..<count)
            if bytes > Self.blockSize - used { try flush() }
            if bytes <= Self.blockSize {
                used += format(0..<count, block + used)
                progress.advance(count)
                return
            }
        }
        try flush()
        let pieces = (count + perPiece - 1) / perPiece
        var first = 0
        var lengths = [Int](repeating: 0, count: Self.slotCount)
        while first < pieces {
            let batch = min(Self.slotCount, pieces - first)
            let start = first
            func range(_ k: Int) -> Range<Int> {
                let piece = start + k
                return piece * perPiece..<min((piece + 1) * perPiece, count)
            }
            for k in 0..<batch { prepare(k, room(range(k))) }
            if batch == 1 {
                lengths[0] = format(range(0), slots[0].base)
            } else {
                lengths.withUnsafeMutableBufferPointer { lengths in
                    // Each iteration has its own slot and its own length.
                    concurrently(batch) { k in lengths[k] = format(range(k), slots[k].base) }
                }
            }
            for k in 0..<batch { try file.write(UnsafeRawBufferPointer(start: slots[k].base, count: lengths[k])) }
            first += batch
            progress.advance(range(batch - 1).upperBound - range(0).lowerBound)
        }
    }

    private func prepare(_ slot: Int, _ capacity: Int) {
        if slot < slots.count, slots[slot].capacity >= capacity { return }
        let made = (base: UnsafeMutablePointer<UInt8>.allocate(capacity: capacity), capacity: capacity)
        if slot < slots.count {
            slots[slot].base.deallocate()
            slots[slot] = made
        } else {
            slots.append(made)
        }
    }
}
