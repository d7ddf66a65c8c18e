import AssetModel
import AssetOps
import Testing

@Suite struct RenameListTests {
    @Test func changedNamesAreToldOnce() {
        var list = RenameList()
        list.note("", as: "made", at: "/a")
        list.note("same", as: "same", at: "/b")
        var diagnostics = Diagnostics()
        list.report("object", code: "x.lost.names", file: "a", to: &diagnostics)
        #expect(diagnostics.isEmpty)
        list.note("a b", as: "a_b", at: "/a b")
        list.note("a b", as: "a_b", at: "/a b")
        list.report("object", code: "x.lost.names", file: "a", to: &diagnostics)
        list.note("a b", as: "a_b_2", at: "/a b_2")
        list.report("object", code: "x.lost.names", file: "a", to: &diagnostics)
        #expect(
            diagnostics.entries.map(\.message) == [
                "1 object written under another name: 'a b' as 'a_b'", "2 objects written under other names: 'a b' as 'a_b' and 1 more",
            ])
        #expect(diagnostics.entries[0].location.primPath == "/a b")
    }

    @Test func countsHaveTheirNoun() {
        #expect(amount(1, "mesh", "meshes") == "1 mesh" && amount(2, "mesh", "meshes") == "2 meshes" && amount(UInt8(0), "byte") == "0 bytes")
    }
}
