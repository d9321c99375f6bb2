#!/usr/bin/env python3
"""Random requests with HTTP message signatures by another implementation.

messagesignatures.py sign COUNT CASES       writes requests that it signed, with the keys
messagesignatures.py verify CASES SIGNED    verifies what was signed of the same requests elsewhere
"""
import base64
import datetime
import functools
import json
import random
import sys
from urllib.parse import quote, quote_plus

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from http_message_signatures import HTTPMessageSigner, HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms

ALGORITHMS = {
    "hmac-sha256": algorithms.HMAC_SHA256, "ed25519": algorithms.ED25519,
    "ecdsa-p256-sha256": algorithms.ECDSA_P256_SHA256, "ecdsa-p384-sha384": algorithms.ECDSA_P384_SHA384,
    "rsa-pss-sha512": algorithms.RSA_PSS_SHA512, "rsa-v1_5-sha256": algorithms.RSA_V1_5_SHA256,
}
TEXT = "abz09-._~!$&'()*,;:@äß苏 +%\U0001f3e0"
VISIBLE = "abcXYZ019 -._~!#$%&'()*+,;:@/[]{}|\\\"<>?="
TOKEN = "abz09_-"


def text(source, least, most):
    return "".join(random.choice(source) for _ in range(random.randint(least, most)))


class Headers:
    """Field lines in order; several may have one name."""

    def __init__(self, lines):
        self.lines = [tuple(line) for line in lines]

    def items(self):
        return list(self.lines)

    def __iter__(self):
        return iter([name for name, _ in self.lines])

    def __contains__(self, name):
        return any(own.lower() == name.lower() for own, _ in self.lines)

    def __getitem__(self, name):
        return ", ".join(value for own, value in self.lines if own.lower() == name.lower())

    def __setitem__(self, name, value):
        del self[name]
        self.lines.append((name, value))

    def __delitem__(self, name):
        self.lines = [line for line in self.lines if line[0].lower() != name.lower()]


class Request:
    def __init__(self, method, url, headers):
        self.method, self.url, self.headers = method, url, Headers(headers)


class Keys(HTTPSignatureKeyResolver):
    def __init__(self, private, public):
        self.private, self.public = private, public

    def resolve_private_key(self, key_id):
        return self.private

    def resolve_public_key(self, key_id):
        return self.public


def pair(name):
    if name == "hmac-sha256":
        secret = random.randbytes(48)
        return {"secret": base64.b64encode(secret).decode()}
    key = {"ed25519": ed25519.Ed25519PrivateKey.generate,
           "ecdsa-p256-sha256": lambda: ec.generate_private_key(ec.SECP256R1()),
           "ecdsa-p384-sha384": lambda: ec.generate_private_key(ec.SECP384R1())}.get(
               name, lambda: rsa.generate_private_key(65537, 2048))()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                serialization.NoEncryption()).decode()
    public = key.public_key().public_bytes(serialization.Encoding.PEM,
                                           serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    return {"private": private, "public": public}


def resolver(key):
    if "secret" in key:
        secret = base64.b64decode(key["secret"])
        return Keys(secret, secret)
    return Keys(*loaded(key["private"], key["public"]))


@functools.cache
def loaded(private, public):
    """The keys, read once: reading one of RSA takes longer than a signature."""
    return (serialization.load_pem_private_key(private.encode(), None),
            serialization.load_pem_public_key(public.encode()))


def one(number, keys):
    name = list(ALGORITHMS)[number % len(ALGORITHMS)]
    path = "".join("/" + quote(text(TEXT, 0, 6), safe="-._~!$&'()*+,;=:@") for _ in range(random.randint(0, 3)))
    names = random.sample(["a", "b c", "ä", "x*y", "~", "%", "plus+"], random.randint(0, 4))
    pairs = [random.choice([quote, quote_plus])(own) + random.choice(["=", "="]) + quote_plus(text(TEXT, 0, 6))
             for own in names]
    url = random.choice(["https://a.test", "https://a.test:443", "http://b.test:8080", "http://b.test:80"]) + path
    url += "?" + "&".join(pairs) if pairs else random.choice(["", "?"])
    headers = [("X-Text", text(VISIBLE, 0, 12).strip()), ("X-Lines", text(VISIBLE, 1, 8).strip() or "a"),
               ("X-Lines", text(VISIBLE, 1, 8).strip() or "b"), ("Priority", random.choice(["u=1,   i", "i, u=5 ,x;a=1.50"])),
               ("X-Dictionary", f"{text('abc', 1, 2)}d={random.randint(0, 99)};p=\"{text('abc ', 0, 4)}\",   "
                                f"e=(1  2.0   a/b);q, f")]
    wanted = ['"@method"', '"@target-uri"', '"@authority"', '"@scheme"', '"@request-target"', '"@path"', '"@query"',
              '"x-text"', '"x-lines"', '"x-lines";bs', '"priority";sf', '"x-dictionary";key="e"',
              '"x-dictionary";key="f"']
    wanted += [f'"@query-param";name="{quote(own, safe="*").replace("~", "%7E")}"' for own in names]
    body = text(TEXT, 1, 40) if number % 3 == 0 else None
    covered = random.sample(wanted, random.randint(0, len(wanted)))
    case = {"algorithm": name, "method": random.choice(["GET", "POST", "PUT", "DELETE", "PATCH"]), "url": url,
            "headers": headers, "covered": covered, "body": body, "label": "a" + text(TOKEN, 0, 5),
            "created": random.randrange(1, 2_000_000_000), "statesAlgorithm": random.random() < 0.5,
            "nonce": random.choice([None, text(VISIBLE, 1, 12)]), "tag": random.choice([None, text(VISIBLE, 0, 12)]),
            "lifetime": random.choice([None, random.randint(1, 10**6)])}
    request = Request(case["method"], url, headers)
    sign(request, case, keys[name])
    case["digest"] = request.headers["Content-Digest"]
    case["input"], case["signature"] = request.headers["Signature-Input"], request.headers["Signature"]
    return case


def sign(request, case, key):
    at = datetime.datetime.fromtimestamp
    HTTPMessageSigner(signature_algorithm=ALGORITHMS[case["algorithm"]], key_resolver=resolver(key)).sign(
        request, key_id="key " + case["algorithm"], created=at(case["created"]), nonce=case["nonce"], tag=case["tag"],
        expires=at(case["created"] + case["lifetime"]) if case["lifetime"] else None, label=case["label"],
        include_alg=case["statesAlgorithm"], covered_component_ids=tuple(case["covered"]),
        body=case["body"].encode() if case["body"] else None)


class Verifier(HTTPMessageVerifier):
    allow_label_only_selection = True

    def validate_created_and_expires(self, sig_input, max_age=None):
        pass  # the times are random


def verify(cases, signed):
    bad = 0
    for case, made in zip(cases["cases"], signed, strict=True):
        request = Request(case["method"], case["url"], case["headers"])
        for name, value in made.items():
            if value:
                request.headers[name] = value
        try:
            Verifier(signature_algorithm=ALGORITHMS[case["algorithm"]],
                     key_resolver=resolver(cases["keys"][case["algorithm"]])).verify(request, max_age=None)
        except Exception as error:
            bad += 1
            if bad <= 3:
                print(f"refused: {error!r}: {case} {made}")
    print(f"{len(signed) - bad} of {len(signed)} signatures were verified by the other implementation")
    return bad


if sys.argv[1] == "sign":
    random.seed(9421)
    keys = {name: pair(name) for name in ALGORITHMS}
    with open(sys.argv[3], "w") as file:
        json.dump({"keys": keys, "cases": [one(number, keys) for number in range(int(sys.argv[2]))]}, file)
    print(f"{sys.argv[2]} requests signed by the other implementation")
else:
    sys.exit(verify(json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))) > 0)
