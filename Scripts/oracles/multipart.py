#!/usr/bin/env python3
"""Reads forms with parsers of others and compares: multipart.py CASES PARSER ...

CASES is a list of {contentType, body, parts: [{name, fileName, contentType, content}]}, bytes in Base64; a parser is
email, werkzeug or python-multipart. Exits 1 and prints what a parser has read otherwise.
"""
import base64
import email
import email.message
import io
import json
import sys


def by_email(content_type, body):
    message = email.message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    if not message.is_multipart() or message.defects:
        return [("not read", message.defects)]
    parts = []
    for part in message.get_payload():
        # Raw UTF-8 in a field is none of e-mail's business: the parser of parameters gets it as text.
        fields = email.message.Message()
        for name, value in part.raw_items():
            fields[name] = value.encode("ascii", "surrogateescape").decode()
        def parameter(name):
            return fields.get_param(name, header="content-disposition")
        parts.append((parameter("name"), parameter("filename"), fields["content-type"], part.get_payload(decode=True)))
    return parts


def by_werkzeug(content_type, body):
    from werkzeug.http import parse_options_header
    from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder
    decoder = MultipartDecoder(parse_options_header(content_type)[1]["boundary"].encode())
    decoder.receive_data(body)
    decoder.receive_data(None)
    parts, event = [], None
    while not isinstance(event, Epilogue):
        event = decoder.next_event()
        if isinstance(event, (Field, File)):
            parts.append([event.name, getattr(event, "filename", None), event.headers.get("content-type"), b""])
        elif isinstance(event, Data):
            parts[-1][3] += event.data
    return [tuple(part) for part in parts]


def by_python_multipart(content_type, body):
    from python_multipart import parse_form
    parts = []
    def on_field(field):
        parts.append((field.field_name.decode(), None, None, field.value or b""))
    def on_file(file):
        file.file_object.seek(0)
        # It does not tell the type of a part.
        parts.append((file.field_name.decode(), file.file_name.decode(), ..., file.file_object.read()))
    parse_form({"Content-Type": content_type.encode(), "Content-Length": str(len(body)).encode()},
               io.BytesIO(body), on_field, on_file)
    return parts


PARSERS = {"email": by_email, "werkzeug": by_werkzeug, "python-multipart": by_python_multipart}


def plain(text):
    """A name with its escapes resolved: some parsers do that, some leave it to their caller."""
    return text and text.replace("%22", '"').replace("%0A", "\n").replace("%0D", "\r")


def main():
    path, *names = sys.argv[1:]
    with open(path) as file:
        cases = json.load(file)
    differences = 0
    for number, case in enumerate(cases):
        body = base64.b64decode(case["body"])
        expected = [(plain(part["name"]), plain(part.get("fileName")), part.get("contentType"),
                     base64.b64decode(part["content"])) for part in case["parts"]]
        for name in names:
            read = PARSERS[name](case["contentType"], body)
            same = len(read) == len(expected) and all(
                (plain(part[0]), plain(part[1]), wanted[2] if part[2] is ... else part[2], part[3]) == wanted
                for part, wanted in zip(read, expected))
            if not same:
                differences += 1
                print(f"form {number} by {name}:\n  read     {read}\n  expected {expected}")
    print(f"{len(cases)} forms, read by {', '.join(names)}: {differences} differences")
    sys.exit(1 if differences else 0)


main()
