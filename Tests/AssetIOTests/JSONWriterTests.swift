import AssetIO
import Testing

@Suite struct JSONWriterTests {
    @Test func compact() {
        var json = JSONWriter(pretty: false)
        json.beginObject()
        json.member("b", 1)
        json.member("a", "x")
        json.member("none", nil as String?)
        json.key("list")
        json.beginArray()
        json.value(true)
        json.value(false)
        json.null()
        json.beginObject()
        json.endObject()
        json.beginArray()
        json.endArray()
        json.endArray()
        json.endObject()
        #expect(json.text == #"{"b":1,"a":"x","none":null,"list":[true,false,null,{},[]]}"#)
    }

    @Test func pretty() {
        var json = JSONWriter()
        json.beginObject()
        json.key("bounds")
        json.value([1, 2.5, -0.1] as [Float])
        json.key("nodes")
        json.beginArray()
        json.beginObject()
        json.member("name", "a")
        json.endObject()
        json.value(2)
        json.endArray()
        json.key("empty")
        json.beginArray()
        json.endArray()
        json.endObject()
        let expected = """
            {
              "bounds": [1, 2.5, -0.1],
              "nodes": [
                {
                  "name": "a"
                },
                2
              ],
              "empty": []
            }

            """
        #expect(json.text == expected)
    }

    @Test func numbers() {
        var json = JSONWriter(pretty: false)
        json.beginArray()
        for value in [0.1, 1, 1e300, .infinity, -.infinity, .nan, 100] as [Double] { json.value(value) }
        json.value(Float(0.1))
        json.value(Float.nan)
        json.value(Int.min)
        json.endArray()
        #expect(json.text == "[0.1,1,1e300,null,null,null,100,0.1,null,-9223372036854775808]")
    }

    @Test func escapes() {
        var json = JSONWriter(pretty: false)
        json.value("a\"b\\c\n\r\t\u{1}\u{1F}\u{7F}/é日🙂")
        #expect(json.text == #""a\"b\\c\n\r\t\u0001\u001f\u007f/é日🙂""#)
    }

    @Test func nonFiniteMembersAreNull() {
        var json = JSONWriter(pretty: false)
        json.beginObject()
        json.member("x", Double.nan)
        json.member("y", Float.infinity)
        json.member("z", true)
        json.endObject()
        #expect(json.text == #"{"x":null,"y":null,"z":true}"#)
    }
}
