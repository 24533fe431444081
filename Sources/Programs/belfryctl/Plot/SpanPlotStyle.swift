// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The colours of a plot, for light and dark pages.
enum SpanPlotStyle {
    static let markup: StaticString = """
        <style>
        .belfry text { font: 12px system-ui, sans-serif; fill: #1f2328 }
        .belfry .heading { font-size: 17px; font-weight: 600 }
        .belfry .muted, .belfry .tick { fill: #59636e }
        .belfry .tick { text-anchor: middle }
        .belfry .label { text-anchor: end }
        .belfry .note { font-size: 11px; fill: #59636e; stroke: #fff; stroke-width: 3px; paint-order: stroke }
        .belfry .page { fill: #fff }
        .belfry .lane { fill: #f6f8fa }
        .belfry .grid { stroke: #d8dee4 }
        .belfry .state { fill: #d8dee4 }
        .belfry .active { fill: #a9e5bb }
        .belfry .inactive { fill: #ffe08a }
        .belfry .background { fill: #b6d7ff }
        .belfry .suspended { fill: #dcc8ff }
        .belfry .unknown { fill: none; stroke: #8c959f; stroke-dasharray: 4 3 }
        .belfry .band { font-weight: 600 }
        .belfry .hatch { fill: url(#belfry-hatch) }
        .belfry .stripe { stroke: #6e40c9; stroke-width: 2; stroke-opacity: .45 }
        .belfry .call { fill: #4c8dd9 }
        .belfry .failed { fill: #d1242f }
        .belfry .late { fill: #e07b00 }
        .belfry .will { fill: #b08000 }
        .belfry .did { fill: #1a7f37 }
        .belfry .problem { fill: #cf222e }
        .belfry .other { fill: #0969da }
        .belfry .chain { fill: none; stroke: #59636e; stroke-opacity: .7 }
        .belfry .link { fill: none; stroke: #4c8dd9; stroke-opacity: .45; stroke-dasharray: 2 2 }
        .dense .link { stroke-opacity: .2 }
        .belfry .event:hover .link { stroke-opacity: 1; stroke-width: 2 }
        @media (prefers-color-scheme: dark) {
        .belfry text { fill: #e6edf3 }
        .belfry .muted, .belfry .tick { fill: #9198a1 }
        .belfry .note { fill: #9198a1; stroke: #0d1117 }
        .belfry .page { fill: #0d1117 }
        .belfry .lane { fill: #161b22 }
        .belfry .grid { stroke: #2a313a }
        .belfry .state { fill: #30363d }
        .belfry .active { fill: #1f6f3a }
        .belfry .inactive { fill: #7a5c00 }
        .belfry .background { fill: #1f4f8f }
        .belfry .suspended { fill: #5a3d99 }
        .belfry .unknown { stroke: #6e7681 }
        .belfry .stripe { stroke: #b794f6 }
        .belfry .call { fill: #5aa0f2 }
        .belfry .failed { fill: #ff6b6b }
        .belfry .late { fill: #f0a04b }
        .belfry .will { fill: #e3b341 }
        .belfry .did { fill: #3fb950 }
        .belfry .problem { fill: #ff7b72 }
        .belfry .other { fill: #58a6ff }
        .belfry .chain { stroke: #9198a1 }
        .belfry .link { stroke: #5aa0f2 }
        }
        </style>
        <defs><pattern id="belfry-hatch" width="7" height="7" patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"><path class="stripe" d="M0 0V7"/></pattern></defs>
        """
}
