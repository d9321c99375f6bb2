#!/usr/bin/env python3
"""Read spans in OTLP's JSON with the public protobuf definitions, and check them against the semantic conventions.

usage: spans.py FILE      (one request to a collector)
"""
import base64
import json
import pathlib
import re
import sys

import opentelemetry.semconv as semconv
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.semconv.schemas import Schemas


def names():
    """Every attribute that the conventions have."""
    found = set()
    for folder in semconv.__path__:
        for file in pathlib.Path(folder).rglob("*_attributes.py"):
            found |= set(re.findall(r'"([a-z0-9_]+(?:\.[a-z0-9_]+)+)"', file.read_text(encoding="utf-8")))
    return found


def to_bytes(value):
    """OTLP writes ids in hexadecimal digits; the JSON of Protocol Buffers has bytes in base64."""
    if isinstance(value, list):
        return [to_bytes(one) for one in value]
    if not isinstance(value, dict):
        return value
    lengths = {"traceId": 16, "spanId": 8, "parentSpanId": 8}
    changed = {}
    for name, one in value.items():
        if name in lengths:
            raw = bytes.fromhex(one)
            assert len(raw) == lengths[name] and any(raw) and one == one.lower(), (name, one)
            changed[name] = base64.b64encode(raw).decode()
        else:
            changed[name] = to_bytes(one)
    return changed


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    # An unknown field or a value of another type is an error.
    request = json_format.Parse(json.dumps(to_bytes(json.loads(text))), ExportTraceServiceRequest())
    assert request == ExportTraceServiceRequest.FromString(request.SerializeToString())
    known = names()
    resource = {pair.key: pair.value.string_value for pair in request.resource_spans[0].resource.attributes}
    assert resource["service.name"] and resource["telemetry.sdk.language"] == "swift", resource
    schemas = {schema.value for schema in Schemas}
    assert all(part.schema_url in schemas for part in request.resource_spans), "an unknown version of the conventions"
    spans = [span for part in request.resource_spans for scope in part.scope_spans for span in scope.spans]
    by_id = {span.span_id: span for span in spans}
    assert len(by_id) == len(spans), "ids are unique"
    clients = 0
    for span in spans:
        attributes = {pair.key: pair.value for pair in span.attributes}
        for name in list(attributes) + list(resource):
            assert name.startswith("apikit.") or name in known, f"{name} is no attribute of the conventions"
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        assert "canary" not in str(span)
        if span.kind == Span.SPAN_KIND_INTERNAL:
            continue
        assert span.kind == Span.SPAN_KIND_CLIENT
        clients += 1
        parent = by_id[span.parent_span_id]
        assert parent.trace_id == span.trace_id and parent.kind == Span.SPAN_KIND_INTERNAL
        assert parent.start_time_unix_nano <= span.start_time_unix_nano
        # Required of every span of an HTTP client.
        for name in ["http.request.method", "server.address", "server.port", "url.full"]:
            assert name in attributes, (span.name, name)
        method = attributes["http.request.method"].string_value
        template = attributes["url.template"].string_value if "url.template" in attributes else None
        assert span.name == (f"{method} {template}" if template else method), span.name
        status = attributes["http.response.status_code"].int_value if "http.response.status_code" in attributes else None
        failed = status is None or status >= 400 or "error.type" in attributes
        assert (span.status.code == Status.STATUS_CODE_ERROR) == failed, span
        assert failed == ("error.type" in attributes), span
        if status is not None and status >= 400 and not span.status.message:
            assert attributes["error.type"].string_value == str(status)
    assert clients >= 4, clients
    print(f"oracles: {sys.argv[1]} is valid OTLP with {len(spans)} spans, {clients} of them of requests")


main()
