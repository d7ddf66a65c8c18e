import AssetIO
import Synchronization
import Testing

@Suite struct OrderedWorkTests {
    /// Some work that takes longer for some numbers, so that results come in another order than they are taken.
    private static func slow(_ i: Int) -> Int {
        var x = UInt64(i) &+ 1
        for _ in 0..<(i % 7 == 0 ? 200_000 : 100) { x = x &* 6_364_136_223_846_793_005 &+ 1 }
        return x == 0 ? -1 : i * i
    }

    @Test(arguments: [1, 2, 3, 8]) func resultsComeInOrder(width: Int) {
        for count in [0, 1, 2, 3, 50, 1000] {
            var taken: [Int] = []
            OrderedWork.run(count: count, width: width, work: { Self.slow($0) }) { i, result in
                #expect(i == taken.count)
                taken.append(result)
                return true
            }
            #expect(taken == (0..<count).map { $0 * $0 })
        }
    }

    @Test func nothingIsBegunAfterTheEnd() {
        let begun = Mutex(0)
        var taken = 0
        OrderedWork.run(
            count: 100_000, width: 2,
            work: { i in
                begun.withLock { $0 += 1 }
                return i
            }
        ) { _, _ in
            taken += 1
            return taken < 10
        }
        #expect(taken == 10)
        // No more than may wait for those before them.
        #expect(begun.withLock { $0 } <= 10 + 2 * 16)
    }

    @Test func onlyAFewAreWorkedOnAtATime() {
        let inWork = Mutex((now: 0, most: 0))
        OrderedWork.run(
            count: 500, width: 3,
            work: { i in
                inWork.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { inWork.withLock { $0.now -= 1 } }
                return Self.slow(i)
            }
        ) { _, _ in true }
        #expect((1...3).contains(inWork.withLock { $0.most }))
    }

    @Test func workMayGoDeep() {
        @Sendable func depth(_ n: Int, _ pad: (Int, Int, Int, Int)) -> Int { n == 0 ? pad.0 : 1 + depth(n - 1, (pad.0, n, pad.1, pad.2)) }
        OrderedWork.run(count: 4, width: 2, work: { depth(10_000 + $0, (0, 0, 0, 0)) }) { i, result in
            #expect(result == 10_000 + i)
            return true
        }
    }
}
