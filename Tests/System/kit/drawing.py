# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What `belfryctl plot --svg` draws, read by a foreign XML parser (expat)."""

import xml.etree.ElementTree as ElementTree
from collections import Counter
from xml.etree.ElementTree import Element

from belfry_service import BelfryService

NAMESPACE = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "style", "defs", "pattern", "path", "rect", "line", "text", "g"}


class Drawing:
    """What an SVG document contains."""

    def __init__(self, svg: str):
        self.root = ElementTree.fromstring(svg)
        elements = list(self.root.iter())
        assert {self.name(element) for element in elements} <= ELEMENTS
        assert not any(key.lower().startswith("on") or "href" in key for e in elements for key in e.attrib)
        self.texts = ["".join(element.itertext()) for element in elements if self.name(element) == "text"]
        self.titles = [element.text or "" for element in elements if self.name(element) == "title"]
        self.styles = Counter(element.get("class", "") for element in elements)

    @staticmethod
    def name(element: Element) -> str:
        return element.tag.removeprefix(NAMESPACE)


def drawn(belfry: BelfryService, *arguments: str) -> Drawing:
    belfry.host.run("journalctl", "--sync")
    return Drawing(belfry.ctl("plot", "--svg", *arguments).stdout)
