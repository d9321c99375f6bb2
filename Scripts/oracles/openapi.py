#!/usr/bin/env python3
"""Send values made by schemathesis with generated managers, and have openapi-core judge what arrives.

usage: openapi.py DOCUMENT GENERATED HARNESS [COUNT]       (see Scripts/oracles/openapi; COUNT values for each operation)
       openapi.py --harness GENERATED                      (prints the program that loads with the managers in GENERATED, and makes
                                                            what they send decodable there, and what they receive encodable)
       openapi.py --twice DOCUMENT OUTPUT                  (writes a document that has operations and schemas twice)
       openapi.py --reversed DOCUMENT OUTPUT               (writes it with all keys in reversed order, but for those of members)

For each operation schemathesis makes its parameters and body, and the body of its good response. The program HARNESS decodes the
first as the manager's Input and loads; what arrives here must be valid for openapi-core and have the same values. It decodes the
response as the manager's Output and prints it encoded again: it must have the same values, too. Members that the document does not
describe are left out before. What has no type of its own (bytes, multipart) is counted as not tried.
"""
import base64
import copy
import datetime
import json
import re
import subprocess
import sys
import threading
import urllib.parse
import uuid
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
PLACES = ["path", "query", "header", "cookie"]
MISSING = object()
FORMATS = {"date", "date-time", "byte", "binary", "int32", "int64", "float", "double", "uuid"}


class Manager:
    """A generated manager, as its source shows it."""

    def __init__(self, operation, name, text):
        self.method, self.path = operation.split(" ", 1)
        self.name = name
        self.is_upload = "UploadManager" in text.split("\n", 1)[0]
        self.has_output = "  typealias Output = " in text or "enum Output: " in text
        outputs = re.search(r"  nonisolated enum Output: \w+ \{\n(.*?)\n\n", text, re.S)
        self.cases = re.findall(r"^    case (\w+)(\(.*\))?$", outputs.group(1), re.M) if outputs else []
        self.is_signed = "SignInRule.exempt" not in text
        match = re.search(r"  nonisolated struct Input: \w+, Sendable \{\n(.*?)\n  \}\n", text, re.S)
        self.keys = None
        if match:
            coded = re.findall(r'^      case (\w+)(?: = "(.*)")?$', match.group(1), re.M)
            plain = re.findall(r"^    var `?(\w+)`?: ", match.group(1), re.M)
            self.keys = {unescape(key) if key else name for name, key in coded} or set(plain)
        whole = re.search(r'\.body\(at: "([^"]+)"\)', text)
        self.body = whole.group(1) if whole else None

    def key(self, name, place):
        """The member of the input for a parameter; None where it was left out."""
        own = f"{place}_{name}"
        return own if own in (self.keys or ()) else name if name in (self.keys or ()) else None


def unescape(literal):
    return re.sub(r"\\u\{(\w+)\}", lambda match: chr(int(match.group(1), 16)), literal).replace('\\"', '"').replace("\\\\", "\\")


def managers(folder):
    names = json.loads((folder / ".apikit-generate/manifest.json").read_text())["names"]
    sources = "\n".join(file.read_text() for file in sorted(folder.glob("*.swift")))
    declared = {match.group(1): match.group(0) for match in re.finditer(r"^final class (\w+Manager): .*?^\}", sources, re.M | re.S)}
    operations = {key: name for key, name in names.items() if key.split(" ")[0].isupper()}
    return [Manager(key, name, declared[name]) for key, name in operations.items() if name in declared]


# MARK: The program

HARNESS = """
import APIKit
import Foundation

typealias Line = (name: String, input: RawData)

struct OracleKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

func told(_ value: some Encodable) throws -> String { try RawData(encoding: value).jsonText() }
@MainActor enum Runs {
  static var table: [String: @MainActor (Line) async throws -> String] = [:]
}
FUNCTIONS
SIGNIN
while let text = readLine() {
  let line = try RawData(parsing: text)
  do {
    print("ok", try await Runs.table[line.name.string ?? ""]!((line.name.string ?? "", line.input)))
  } catch {
    print("failed", "\\(error)".replacing("\\n", with: " "))
  }
  fflush(nil)
}
"""


def harness(folder):
    entries, extensions = [], opened(folder)
    for manager in managers(folder):
        if manager.is_upload:
            continue
        # Concrete types, since how an output is read depends on the protocols that it adopts.
        input = f"line.input.decode(as: {manager.name}.Input.self)" if manager.keys is not None else ""
        call = (f"try told(await {manager.name}().value({input}))" if manager.has_output
                else f'_ = try await {manager.name}().response({input}); return "null"')
        entries.append(f'  Runs.table["{manager.name}"] = {{ line in {call} }}')
        if manager.cases:
            extensions += [f"extension {manager.name}.Output: Encodable {{", "  func encode(to encoder: any Encoder) throws {",
                           "    switch self {"]
            extensions += [f"    case .{name}(let value): try value.encode(to: encoder)" if payload
                           else f"    case .{name}: try Optional<Int>.none.encode(to: encoder)" for name, payload in manager.cases]
            extensions += ["    }", "  }", "}"]
    # One function for all would take gigabytes to compile.
    functions, calls = [], []
    for first in range(0, len(entries), 20):
        functions += [f"@MainActor func add{first}() {{", *entries[first:first + 20], "}"]
        calls.append(f"add{first}()")
    service = (folder / "Oracle.swift").read_text()
    sign_in = "try Oracle.authenticator.signIn(with: Credential(accessToken: \"token\"))" if "static let authenticator" in service else ""
    return HARNESS.replace("FUNCTIONS", "\n".join(extensions + functions + calls)).replace("SIGNIN", sign_in)


def opened(folder):
    """Makes the sources decode what they send; lines of extensions that encode what they only receive."""
    lines = []
    for file in folder.glob("*.swift"):
        text = file.read_text()
        text = text.replace(": RawDecodable, Encodable, Sendable {", ": RawDecodable, Codable, Sendable {")
        text = re.sub(r": (Encodable|Decodable), Sendable \{$", ": Codable, Sendable {", text, flags=re.M)
        # A choice is read as any value.
        text = re.sub(r"(struct \w+: (?:RawDecodable, )?Codable, Sendable \{\n(?:  ///.*\n)*  var value: JSONValue\n)",
                      r"\1  init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }\n", text)
        for name, rest in re.findall(r"^nonisolated struct (\w+): RawDecodable, Sendable \{\n(.*?)^\}", text, re.M | re.S):
            lines += [f"extension {name}: Encodable {{", "  func encode(to encoder: any Encoder) throws {"]
            reading = re.search(rf"^nonisolated extension {name} \{{\n(.*?)^\}}", text, re.M | re.S)
            if reading:
                lines.append("    var container = encoder.container(keyedBy: OracleKey.self)")
                lines += [f"    try container.encode({member}, forKey: OracleKey({key}))" for member, key in
                          re.findall(r'^    (?:self\.)?(\w+) = try .*?raw\[("(?:[^"\\]|\\.)*")\]', reading.group(1), re.M)]
            else:
                lines.append("    try value.encode(to: encoder)")
            lines += ["  }", "}"]
        if "indirect enum OracleBox<" in text:
            lines += ["extension OracleBox: Decodable where Value: Decodable {",
                      "  init(from decoder: any Decoder) throws { self = .boxed(try Value(from: decoder)) }", "}"]
        file.write_text(text)
    return lines


def twice(document):
    """A document with each operation and each schema a second time, under another name."""
    def renamed(node):
        if isinstance(node, list):
            return [renamed(each) for each in node]
        if not isinstance(node, dict):
            return node
        return {key: f"{each}-other" if key == "operationId" and isinstance(each, str)
                else each.replace(prefix, prefix + "Other") if key == "$ref" and isinstance(each, str) else renamed(each)
                for key, each in node.items()}
    prefix = "#/components/schemas/"
    components = document.get("components", {})
    schemas = components.get("schemas", {})
    paths = {**document["paths"], **{f"/other{path}": renamed(item) for path, item in document["paths"].items()}}
    more = {f"Other{name}": renamed(schema) for name, schema in schemas.items()}
    return {**document, "paths": paths, "components": {**components, "schemas": {**schemas, **more}}}


def reversed_keys(node, keeps=False):
    """A value with the keys of its objects in reversed order; members of schemas, whose order is that in Swift, keep theirs."""
    if isinstance(node, list):
        return [reversed_keys(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {key: reversed_keys(each, key == "properties") for key, each in (node.items() if keeps else reversed(node.items()))}


# MARK: The document

class Document:
    def __init__(self, root, base):
        self.root = root
        root["servers"] = [{"url": base}]
        # A fragment tells operations of one path apart, and is never sent: here they get paths of their own.
        root["paths"] = {self.told_apart(path): item for path, item in root["paths"].items()}
        for item in root["paths"].values():
            item.pop("servers", None)
            for operation in item.values():
                if isinstance(operation, dict):
                    operation.pop("servers", None)

    @staticmethod
    def told_apart(path):
        path, _, fragment = path.partition("#")
        return f"{path}/{fragment}" if fragment else path

    def resolve(self, node):
        while isinstance(node, dict) and "$ref" in node:
            target = self.root
            for step in urllib.parse.unquote(node["$ref"]).split("/")[1:]:
                step = step.replace("~1", "/").replace("~0", "~")
                target = target[int(step)] if isinstance(target, list) else target[step]
            node = target
        return node

    def operation(self, manager):
        return self.resolve(self.root["paths"][self.told_apart(manager.path)])[manager.method.lower()]

    def parameters(self, manager):
        item = self.resolve(self.root["paths"][self.told_apart(manager.path)])
        found = {}
        for node in item.get("parameters", []) + item[manager.method.lower()].get("parameters", []):
            node = self.resolve(node)
            found[node["in"], node["name"]] = node
        return [node for (place, name), node in found.items()
                if not (place == "header" and name.lower() in ("authorization", "accept", "content-type"))]

    def body(self, manager):
        node = self.resolve(self.operation(manager).get("requestBody", {}))
        return self.chosen(node.get("content", {}), ["x-www-form-urlencoded"])

    def chosen(self, content, others=()):
        """The type that the generator chooses: JSON, else a form."""
        for fits in ["application/json", "json", "*/*", *others]:
            for name, media in sorted(content.items(), key=lambda each: each[0].split(";")[0].lower() != "application/json"):
                if fits in name.lower():
                    return name, media.get("schema", {})
        return None

    def responses(self, manager):
        """Status and schema of each good response with JSON, else of the first good one."""
        responses = self.operation(manager).get("responses", {})
        good = sorted(status for status in responses if status.startswith("2")) or [s for s in responses if s == "default"]
        found = [(int(status.replace("default", "200").replace("XX", "99")), chosen[1]) for status in good
                 if (chosen := self.chosen(self.resolve(responses[status]).get("content", {})))]
        return found or [(int(good[0]) if good and good[0].isdigit() else 204, None)]

    def pruned(self, value, schema, hidden, depth=0):
        """A value without the members that its schema does not name, and without those that are hidden (readOnly or writeOnly)."""
        schema = self.resolve(schema)
        if not isinstance(schema, dict) or depth > 30:
            return value
        if isinstance(value, list):
            items = self.all_of([part["items"] for part in self.parts(schema) if "items" in part])
            return [self.pruned(each, items, hidden, depth + 1) for each in value]
        if not isinstance(value, dict) or "oneOf" in schema or "anyOf" in schema:
            choices = [self.resolve(each) for each in schema.get("anyOf", schema.get("oneOf", []))]
            rest = [each for each in choices if each.get("type") != "null"]
            return self.pruned(value, rest[0], hidden, depth + 1) if len(rest) == 1 and len(choices) == 2 else value
        properties, extra = self.members(schema)
        if not properties:
            return {key: self.pruned(each, extra if isinstance(extra, dict) else {}, hidden, depth + 1)
                    for key, each in value.items()}
        return {key: self.pruned(each, properties[key], hidden, depth + 1) for key, each in value.items()
                if key in properties and not any(part.get(hidden) for part in self.parts(properties[key]))}

    def parts(self, schema, depth=0):
        """A schema and those of its `allOf`."""
        schema = self.resolve(schema)
        return [schema, *(each for part in schema.get("allOf", []) if depth < 10 for each in self.parts(part, depth + 1))]

    @staticmethod
    def all_of(schemas):
        return {"allOf": schemas} if len(schemas) > 1 else schemas[0] if schemas else {}

    def members(self, schema):
        found, extra = {}, None
        for part in self.parts(schema):
            for key, each in part.get("properties", {}).items():
                found.setdefault(key, []).append(each)
            extra = part.get("additionalProperties") if extra is None else extra
        return {key: self.all_of(each) for key, each in found.items()}, extra


# MARK: Values

def narrowed(schema, place, document):
    """A parameter's schema without the values that no client can send at that place."""
    schema = unhidden(document.resolve(schema))
    if schema.get("type") == "array":
        schema["minItems"] = max(1, schema.get("minItems", 1))
        schema["items"] = narrowed(schema.get("items", {"type": "string"}), place, document)
        if document.resolve(schema["items"]).get("type") is None:
            schema["items"] = {"type": "string", "pattern": "^[A-Za-z0-9._-]+$"}
    elif schema.get("type", "string") == "string" and not {"enum", "const", "format", "pattern", "allOf", "oneOf", "anyOf"} & set(schema):
        allowed = {"path": "^[^/?#.]+$", "query": "^[^,|]+$", "header": "^[!-+.-~]+$", "cookie": "^[A-Za-z0-9]+$"}[place]
        schema["type"], schema["pattern"] = "string", allowed
    return schema


def made(document, wanted, count):
    """Values for schemas, by schemathesis: each is the body of an operation of a document of its own."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, seed, settings
    paths = {}
    for name, schema in wanted.items():
        content = {"application/json": {"schema": schema}}
        paths[f"/{name}"] = {"post": {"requestBody": {"required": True, "content": content}, "responses": {"200": {"description": ""}}}}
    root = {"openapi": document.root["openapi"], "info": document.root["info"], "paths": paths,
            "components": unhidden(document.root.get("components", {}))}
    root["components"].pop("securitySchemes", None)
    found = {}
    for result in schemathesis.openapi.from_dict(root).get_all_operations():
        operation = result.ok()
        values = found.setdefault(operation.path[1:], [])

        @seed(7)
        @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy())
        def collect(case):
            values.append(modern(case.body))
        try:
            collect()
        except Exception as error:
            print(f"openapi: schemathesis makes no value for {operation.path}: {type(error).__name__}", file=sys.stderr)
    return found


def unhidden(node):
    """Without readOnly and writeOnly: they are taken out of the values afterwards, by direction."""
    return without(node, lambda key, each: key in ("readOnly", "writeOnly") and isinstance(each, bool))


def each_object(node):
    if isinstance(node, dict):
        yield node
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from each_object(each)


def mended(root):
    """The document without what it contradicts itself in: members that are required and described nowhere, and a null that
    `nullable: false` takes back, which in OpenAPI 3.0 has no meaning without a type."""
    for node in each_object(root):
        if isinstance(node.get("required"), list) and isinstance(node.get("properties"), dict) and "allOf" not in node:
            node["required"] = [name for name in node["required"] if name in node["properties"]]
        parts = node.get("allOf")
        if isinstance(parts, list) and any(part.get("nullable") is False and "type" not in part for part in parts):
            node["allOf"] = [{key: each for key, each in part.items() if key != "nullable"} for part in parts]
    return root


def without(node, goes):
    if isinstance(node, dict):
        return {key: without(each, goes) for key, each in node.items() if not goes(key, each)}
    return [without(each, goes) for each in node] if isinstance(node, list) else node


def modern(value):
    """Without days before the Gregorian calendar, which Foundation counts as Julian ones."""
    if isinstance(value, str):
        return re.sub(r"^(0\d|1[0-5])(?=\d\d-\d\d-\d\d)", "20", value)
    if isinstance(value, dict):
        return {key: modern(each) for key, each in value.items()}
    return [modern(each) for each in value] if isinstance(value, list) else value


def is_plain(value):
    """Whether Swift has the value: no lone surrogates, no larger numbers."""
    if isinstance(value, str):
        return not any(0xD800 <= ord(letter) < 0xE000 for letter in value)
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return abs(value) < 1 << 53
    if isinstance(value, float):
        return abs(value) < 1e300
    if isinstance(value, dict):
        return all(is_plain(key) and is_plain(each) for key, each in value.items())
    return all(is_plain(each) for each in value)


def difference(have, wanted, path=""):
    """Where two values differ for a server, with both; None where they do not: null and nothing are the same, as are two
    spellings of a time to the second (DateStyle.iso8601 writes whole ones)."""
    if isinstance(have, dict) and isinstance(wanted, dict):
        each = (difference(have.get(key), wanted.get(key), f"{path}/{key}") for key in {**have, **wanted})
        return next(filter(None, each), None)
    if isinstance(have, (list, tuple)) and isinstance(wanted, (list, tuple)) and len(have) == len(wanted):
        each = (difference(*pair, f"{path}/{index}") for index, pair in enumerate(zip(have, wanted)))
        return next(filter(None, each), None)
    return None if is_same(have, wanted) else f"{path or '/'} is {have!r:.200} for {wanted!r:.200}"


def is_same(have, wanted):
    if isinstance(have, bool) or isinstance(wanted, bool):
        return have is wanted
    if isinstance(have, (int, float)) and isinstance(wanted, (int, float)):
        return have == wanted or float(have) == float(wanted)
    if have == wanted:
        return True
    times = time(have), time(wanted)
    if None not in times:
        return abs((times[0] - times[1]).total_seconds()) < 1
    texts = [each.decode("latin-1") if isinstance(each, bytes) else str(each) if isinstance(each, uuid.UUID) else each
             for each in (have, wanted)]
    if not all(isinstance(text, str) for text in texts):
        return False
    try:
        decoded = base64.b64decode(texts[1])
        # openapi-core has decoded what arrived, and a response is in Base64 still.
        return texts[0] == texts[1] or decoded != b"" and decoded in (texts[0].encode("latin-1"), base64.b64decode(texts[0]))
    except ValueError:
        return False


def time(value):
    if isinstance(value, datetime.datetime):
        return value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.timezone.utc)
    if not isinstance(value, str) or not re.match(r"\d{4}-\d\d-\d\d", value):
        return None
    try:
        return time(datetime.datetime.fromisoformat(value.upper().replace("Z", "+00:00")))
    except ValueError:
        return None


# MARK: The server

class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    received, answer = None, (204, None)

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        Server.received = (self.command, self.path, self.headers, self.rfile.read(length))
        status, body = Server.answer
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = do_OPTIONS = handle_any

    def log_message(self, *_):
        pass


class Judge:
    """openapi-core, for requests as they arrive."""

    def __init__(self, document, base):
        from openapi_core import Config, OpenAPI
        self.base = urllib.parse.urlsplit(base)
        root = copy.deepcopy(document.root)
        types = set()
        for node in each_object(root):
            # What is readOnly must not be sent, whatever is required (OpenAPI 3.0, 4.7.24.2).
            if isinstance(node.get("required"), list) and isinstance(node.get("properties"), dict):
                node["required"] = [name for name in node["required"]
                                    if not document.resolve(node["properties"].get(name, {})).get("readOnly")]
            types |= {name for name in node if isinstance(name, str) and name.endswith("+json")}
        self.api = OpenAPI.from_dict(root, config=Config(
            spec_validator_cls=None, extra_media_type_deserializers={name: lambda body, **_: json.loads(body) for name in types}))

    def parameters(self, manager, received):
        """What a request says, by place, as openapi-core reads it."""
        from openapi_core.datatypes import RequestParameters
        from werkzeug.datastructures import Headers, ImmutableMultiDict
        method, target, headers, body = received
        path, _, query = target.partition("?")
        template = manager.path.split("#")[0]
        pattern = "".join("([^/]+?)" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{[^}]*\})", template))
        match = re.fullmatch(re.escape(self.base.path) + pattern, urllib.parse.quote(urllib.parse.unquote(path), safe="/%:@,;=+$!*'()&~")
                             if "%" not in path else path)
        if not match or method != manager.method:
            raise ValueError(f"{method} {path} is not {manager.method} {template}")
        names = re.findall(r"\{([^}]*)\}", template)
        places = {name: urllib.parse.unquote(text) for name, text in zip(names, match.groups())}
        cookies = [pair.strip().split("=", 1) for pair in headers.get("Cookie", "").split(";") if "=" in pair]

        class Request:
            host_url = f"{self.base.scheme}://{self.base.netloc}"
            path = self.base.path + re.sub(r"\{[^}]*\}", "x", Document.told_apart(manager.path))
            content_type = (headers.get("Content-Type") or "").lower()
            parameters = RequestParameters(
                query=ImmutableMultiDict(urllib.parse.parse_qsl(query, keep_blank_values=True)),
                header=Headers(list(headers.items())), cookie=ImmutableMultiDict(cookies), path=places)
        Request.method, Request.body = method.lower(), body or None
        result = self.api.unmarshal_request(Request())
        if result.errors:
            raise ValueError("; ".join(reason(error) for error in result.errors))
        read = {place: getattr(result.parameters, place) or {} for place in PLACES}
        return read, result.body


def reason(error):
    parts = [f"{type(error).__name__}: {error}"[:300]]
    while error := getattr(error, "__cause__", None):
        parts.append(f"{type(error).__name__}: {error}"[:300])
        parts += [str(each.message)[:200] for each in getattr(error, "schema_errors", [])][:3]
    return " < ".join(parts)


# MARK: The run

def main(path, folder, program, count):
    # openapi-core would put the defaults into what it reads, where a response may be named "default", too; and it refuses
    # formats that it does not know. Items that differ may be the same without what is not described.
    root = without(json.loads(Path(path).read_text()), lambda key, each: key == "default" and not isinstance(each, dict)
                   or key == "format" and isinstance(each, str) and each not in FORMATS
                   or key == "uniqueItems" and isinstance(each, bool))
    settings = json.loads((Path(folder) / ".apikit-generate/manifest.json").read_text())["settings"]
    base = settings["baseURL"]
    document = Document(mended(root), base)
    known = managers(Path(folder))
    total = sum(method in item for item in map(document.resolve, document.root["paths"].values()) for method in METHODS)
    tried = [manager for manager in known if not manager.is_upload]
    wanted, plans = {}, {}
    for number, manager in enumerate(tried):
        asked = {place: {} for place in PLACES}
        for node in document.parameters(manager):
            if manager.key(node["name"], node["in"]) and "schema" in node:
                asked[node["in"]][node["name"]] = node
        members = {place: {"type": "object", "additionalProperties": False,
                           "required": [name for name, node in nodes.items() if node.get("required") or place == "path"],
                           "properties": {name: narrowed(node["schema"], place, document) for name, node in nodes.items()}}
                   for place, nodes in asked.items() if nodes}
        body = document.body(manager)
        has_body = body and manager.keys is not None and manager.method not in ("GET", "HEAD", "TRACE")
        if has_body:
            members["body"] = unhidden(body[1])
        # The Input has a body's required members even where the body itself may be missing.
        required = list(members)
        wanted[f"request{number}"] = {"type": "object", "required": required, "properties": members, "additionalProperties": False}
        replies = document.responses(manager)
        for status, schema in replies:
            if schema is not None:
                wanted[f"response{number}-{status}"] = unhidden(schema)
        plans[number] = (manager, body if has_body else None, replies)
    values = made(document, wanted, count)
    document.root.pop("security", None)
    for manager in tried:
        document.operation(manager).pop("security", None)
    server = ThreadingHTTPServer(("127.0.0.1", urllib.parse.urlsplit(base).port), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    judge = Judge(document, base)
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    counts, wrong = Counter(), {}
    for number, (manager, body, replies) in plans.items():
        requests = values.get(f"request{number}") or [{}]
        responses = [(status, schema, reply) for status, schema in replies
                     for reply in values.get(f"response{number}-{status}") or [MISSING]]
        for index in range(max(len(requests), len(responses))):
            value, (status, schema, reply) = requests[index % len(requests)], responses[index % len(responses)]
            if body and "body" in value:
                value = {**value, "body": document.pruned(value["body"], body[1], "readOnly")}
            if reply is not MISSING:
                reply = document.pruned(reply, schema, "writeOnly")
            if not is_plain(value) or not (reply is MISSING or is_plain(reply)):
                counts["no value of Swift"] += 1
                continue
            fault = carry_out(process, judge, manager, value, status, reply)
            counts["values"] += 1
            if fault:
                wrong.setdefault(f"{manager.method} {manager.path}", fault)
    process.stdin.close()
    for operation, fault in wrong.items():
        print(f"{operation}: {fault}")
    share = len(known) / total
    print(f"{Path(path).name}: {len(known)} of {total} operations generated ({share:.1%}), {len(tried)} tried with {counts['values']} "
          f"values, {len(known) - len(tried)} uploads not tried, {len(wrong)} operations wrong")
    return 0 if not wrong and share >= 0.95 else 1


def carry_out(process, judge, manager, value, status, reply):
    """Loads once; what is wrong with it, or None."""
    input = {manager.key(name, place): each for place in PLACES for name, each in value.get(place, {}).items()}
    if "body" in value:
        input.update({manager.body: value["body"]} if manager.body else value["body"])
    Server.answer = (status, None if reply is MISSING else json.dumps(reply).encode())
    Server.received = None
    process.stdin.write(json.dumps({"name": manager.name, "input": input}) + "\n")
    process.stdin.flush()
    word, _, rest = process.stdout.readline().partition(" ")
    told = json.dumps(input)[:400]
    if not word:
        return f"the program has ended at {told}"
    if Server.received is None:
        return f"nothing was sent for {told}: {rest.strip()[:300]}"
    try:
        read, body = judge.parameters(manager, Server.received)
    except ValueError as error:
        return f"the request for {told} is not valid: {error}; {Server.received[1]} {Server.received[3][:200]}"
    for place in PLACES:
        sent = value.get(place, {})
        have = {name.lower() if place == "header" else name: each for name, each in read[place].items()}
        for name, each in sent.items():
            if fault := difference(have.get(name.lower() if place == "header" else name), each, name):
                return f"in {place} {fault}; {Server.received[1]}"
    # A body without members is not sent, where the server need not have one.
    if "body" in value and (fault := difference(plain(body) or {}, value["body"] or {})):
        return f"in the body {fault}; {Server.received[3][:400]}"
    if word != "ok":
        return f"the response {json.dumps(reply if reply is not MISSING else None)[:400]} fails: {rest.strip()[:300]}"
    if reply is not MISSING and manager.has_output and (fault := difference(json.loads(rest), reply)):
        return f"in the response {fault}"
    return None


def plain(value):
    """What openapi-core makes of an object, as plain values."""
    if hasattr(value, "__dataclass_fields__"):
        return {key: plain(getattr(value, key)) for key in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--harness":
        print(harness(Path(sys.argv[2])))
    elif len(sys.argv) == 4 and sys.argv[1] == "--twice":
        Path(sys.argv[3]).write_text(json.dumps(twice(json.loads(Path(sys.argv[2]).read_text()))))
    elif len(sys.argv) == 4 and sys.argv[1] == "--reversed":
        Path(sys.argv[3]).parent.mkdir(parents=True, exist_ok=True)
        Path(sys.argv[3]).write_text(json.dumps(reversed_keys(json.loads(Path(sys.argv[2]).read_text()))))
    elif len(sys.argv) in (4, 5):
        sys.exit(main(*sys.argv[1:4], int(sys.argv[4]) if len(sys.argv) == 5 else 20))
    else:
        sys.exit(__doc__)
