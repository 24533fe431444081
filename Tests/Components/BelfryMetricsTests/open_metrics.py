# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Reads OpenMetrics text with the parser of Prometheus' Python client, and prints the families and samples as JSON."""

import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as prometheus_families

text = sys.stdin.read()
families = [
    {
        "name": family.name,
        "type": family.type,
        "unit": family.unit,
        "help": family.documentation,
        "samples": [{"name": s.name, "labels": s.labels, "value": str(float(s.value))} for s in family.samples],
    }
    for family in text_string_to_metric_families(text)
]
# node_exporter reads the older text format.
old = [sample.name for family in prometheus_families(text) for sample in family.samples]
assert old == [sample["name"] for family in families for sample in family["samples"]], old
print(json.dumps(families))
