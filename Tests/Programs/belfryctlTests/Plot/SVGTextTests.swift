// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import TestSupport
import Testing

struct SVGTextTests {
    @Test func markupInTextsAndAttributesIsEscaped() {
        var svg = SVGText()

        svg.begin("g", ["class": "\"><script>"])
        svg.add("text", ["x": "1"], content: "<a href='b'>&amp;", title: "]]></title>")
        svg.end()

        #expect(
            svg.text == """
                <g class="&quot;&gt;&lt;script&gt;">
                <text x="1"><title>]]&gt;&lt;/title&gt;</title>&lt;a href=&#39;b&#39;&gt;&amp;amp;</text>
                </g>

                """)
    }

    @Test func charactersThatXMLForbidsAreReplaced() {
        #expect(
            SVGText.escape("a\0b\u{1B}c\u{FFFF}d\u{7}\n\u{1F600}") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}\n\u{1F600}")
    }

    @Test func longTextsAreCut() {
        #expect(SVGText.cut("short", toWidth: 100) == "short")
        #expect(SVGText.cut("a long text", toWidth: 42) == "a lo…")
    }

    @Test func numbersHaveAtMostOneDecimal() {
        #expect([0, 1.25, -1.25, -0.3, 100].map(SVGText.number) == ["0", "1.3", "-1.3", "-0.3", "100"])
    }
}
