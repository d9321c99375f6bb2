#!/usr/bin/env python3
"""Verify signatures of requests as a server that has read Docs/Signing.md and nothing else; standard library only.

usage: verify_signatures.py < cases.json

The input is a JSON array of cases: a scheme, what both sides know, and a request as received. The output is a JSON
array with one text per case: empty for a signature that matches, else why it is refused.
"""

import base64
import hashlib
import hmac
import json
import sys
from urllib.parse import quote, unquote_to_bytes


class Refused(Exception):
    """Why a request is refused."""


def field(request, name):
    """The values of a header field as one: each without white space at its ends, joined by comma and space."""
    values = [value.strip(" \t") for other, value in request["headers"] if other.lower() == name.lower()]
    return ", ".join(values) if values else None


def required(request, name):
    value = field(request, name)
    if not value:
        raise Refused(f"{name} is missing")
    return value


def body_of(request):
    return bytes.fromhex(request["body_hex"]) if "body_hex" in request else request.get("body", "").encode()


def compare(expected, received):
    if not hmac.compare_digest(expected.encode(), received.encode()):
        raise Refused("the signature does not match")


# Pairs ----------------------------------------------------------------------------------------------------------------


def sorted_pairs(pairs):
    """Encoded pairs by the bytes of their names; pairs of one name keep their order, for this sort is stable."""
    return b"&".join(sorted((pair for pair in pairs if pair), key=lambda pair: pair.split(b"=", 1)[0]))


def encoded(name, value):
    return quote(name, safe="-._~").encode() + b"=" + quote(value, safe="-._~").encode()


def decoded_pairs(query):
    for pair in query.encode().split(b"&"):
        if pair:
            name, _, value = pair.partition(b"=")
            yield tuple(unquote_to_bytes(part.replace(b"+", b" ")) for part in (name, value))


class Number(str):
    """A number as it is written in a body."""


def flattened(name, value):
    """The pairs of a JSON value in the style that a signer has unless it states another."""
    if isinstance(value, tuple):
        for member, inner in value:
            yield from flattened(f"{name}[{member}]", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from flattened(f"{name}[]", inner)
    elif value is True or value is False:
        yield name.encode(), b"true" if value else b"false"
    elif value is not None:
        yield name.encode(), value.encode()


def parameters(request):
    """The pairs of a request: those of its query, then those of a form or of JSON in its body."""
    yield from decoded_pairs(request["target"].partition("?")[2])
    kind = (field(request, "Content-Type") or "").partition(";")[0].strip()
    body = body_of(request)
    if kind == "application/x-www-form-urlencoded":
        yield from decoded_pairs(body.decode())
    elif kind == "application/json" and body:
        members = json.loads(body, parse_int=Number, parse_float=Number, object_pairs_hook=tuple)
        for name, value in members:
            yield from flattened(name, value)


# Schemes --------------------------------------------------------------------------------------------------------------


def verify_hmac(case):
    request = case["request"]
    path, _, query = request["target"].partition("?")
    signature, time, nonce = (required(request, name) for name in ("X-Signature", "X-Timestamp", "X-Nonce"))
    if (field(request, "X-Key-ID") or "") != case["key_id"]:
        raise Refused("the key is not known")
    digest = hashlib.sha256(body_of(request)).hexdigest()
    if case.get("allows_unsigned_streams") and field(request, "X-Content-SHA256") == "UNSIGNED":
        digest = "UNSIGNED"
    lines = ["APIKIT-HMAC-SHA256", request["method"], path, sorted_pairs(query.encode().split(b"&")).decode()]
    for name in sorted(case["signed_headers"]):
        lines.append(f"{name}:{field(request, name) or ''}")
    lines += ["", case["key_id"], time, nonce, digest]
    text = "\n".join(lines).encode()
    compare(hmac.new(bytes.fromhex(case["key"]), text, hashlib.sha256).hexdigest(), signature)
    if "now" in case and abs(case["now"] - int(time)) > 300:
        raise Refused("the time is off")


def salted_digest(case, key):
    request = case["request"]
    path = request["target"].partition("?")[0]
    base = case["base_path"].rstrip("/") + "/"
    if not path.startswith(base):
        raise Refused("the path is another one")
    own = case.get("query_name", "").encode()
    pairs = [encoded(name, value) for name, value in parameters(request) if not own or name != own]
    salt = case["salt"].encode()
    lines = [key, path[len(base):].encode(), sorted_pairs(pairs), salt, key]
    digest = hashlib.new(case["algorithm"], b"\n".join(lines)).digest()
    for _ in range(case["rounds"] - 1):
        digest = hashlib.new(case["algorithm"], digest + salt + key).digest()
    return digest.hex()


def verify_salted_digest(case):
    request = case["request"]
    if "query_name" in case:
        own = case["query_name"].encode()
        received = [value.decode() for name, value in parameters(request) if name == own]
        if len(received) != 1:
            raise Refused("the signature is missing")
    else:
        received = [required(request, "X-Signature")]
    compare(salted_digest(case, bytes.fromhex(case["key"])), received[0])


def verify_registered_application(case):
    request = case["request"]
    signature = required(request, "X-Signature")
    text = required(request, "X-Application-Key")
    sealed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    key = opened(sealed, bytes.fromhex(case["sealing_key"]), signature.encode())
    if key.hex() not in case["registered"]:
        raise Refused("the key is not known")
    compare(salted_digest(case, key), signature)


# AES-256-GCM (FIPS 197, NIST SP 800-38D), for the standard library has none ---------------------------------------------


def times(a, b):
    """The product in the field of AES."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def substitution():
    table = [0x63] * 256
    for value in range(1, 256):
        inverse = next(other for other in range(1, 256) if times(value, other) == 1)
        table[value] = 0x63
        for turn in range(5):
            table[value] ^= (inverse << turn | inverse >> 8 - turn) & 0xFF
    return table


BOX = substitution()


def round_keys(key):
    words = [key[start:start + 4] for start in range(0, 32, 4)]
    constant = 1
    for index in range(8, 60):
        word = words[-1]
        if index % 8 == 0:
            word = bytes(BOX[byte] for byte in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant <<= 1
        elif index % 8 == 4:
            word = bytes(BOX[byte] for byte in word)
        words.append(bytes(a ^ b for a, b in zip(words[-8], word)))
    return [b"".join(words[start:start + 4]) for start in range(0, 60, 4)]


def encrypted(block, keys):
    state = [a ^ b for a, b in zip(block, keys[0])]
    for number, key in enumerate(keys[1:], 1):
        state = [BOX[state[(index + 4 * (index % 4)) % 16]] for index in range(16)]
        if number < len(keys) - 1:
            mixed = []
            for column in range(0, 16, 4):
                a, b, c, d = state[column:column + 4]
                for one, two, three, four in ((a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c)):
                    mixed.append(times(one, 2) ^ times(two, 3) ^ three ^ four)
            state = mixed
        state = [a ^ b for a, b in zip(state, key)]
    return bytes(state)


def ghash(subkey, data):
    value = 0
    for start in range(0, len(data), 16):
        value ^= int.from_bytes(data[start:start + 16], "big")
        product = 0
        for bit in range(127, -1, -1):
            product ^= subkey_shifts(subkey)[127 - bit] if value >> bit & 1 else 0
        value = product
    return value


SHIFTS = {}


def subkey_shifts(subkey):
    """The subkey times each power of x, in the reflected field of GCM."""
    if subkey not in SHIFTS:
        shifts = [subkey]
        for _ in range(127):
            shifts.append(shifts[-1] >> 1 ^ (0xE1 << 120 if shifts[-1] & 1 else 0))
        SHIFTS[subkey] = shifts
    return SHIFTS[subkey]


def gcm(data, key, nonce, associated, opening):
    """The other side of a text and the tag of the ciphertext."""
    keys = round_keys(key)
    output = b""
    for number, start in enumerate(range(0, len(data), 16), 2):
        pad = encrypted(nonce + number.to_bytes(4, "big"), keys)
        output += bytes(a ^ b for a, b in zip(data[start:start + 16], pad))
    cipher = data if opening else output
    subkey = int.from_bytes(encrypted(bytes(16), keys), "big")
    padded = b"".join(part + bytes(-len(part) % 16) for part in (associated, cipher))
    lengths = (8 * len(associated)).to_bytes(8, "big") + (8 * len(cipher)).to_bytes(8, "big")
    first = int.from_bytes(encrypted(nonce + b"\0\0\0\1", keys), "big")
    return output, (ghash(subkey, padded + lengths) ^ first).to_bytes(16, "big")


def opened(sealed, key, associated):
    nonce, cipher, tag = sealed[:12], sealed[12:-16], sealed[-16:]
    plain, expected = gcm(cipher, key, nonce, associated, opening=True)
    if not hmac.compare_digest(expected, tag):
        raise Refused("the seal is broken")
    return plain


SCHEMES = {
    "hmac": verify_hmac,
    "salted-digest": verify_salted_digest,
    "registered-application": verify_registered_application,
}


def verdict(case):
    try:
        SCHEMES[case["scheme"]](case)
        return ""
    except Refused as why:
        return str(why)


if __name__ == "__main__":
    json.dump([verdict(case) for case in json.load(sys.stdin)], sys.stdout)
