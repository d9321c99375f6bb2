#!/usr/bin/env python3
"""Writes random requests with their AWS Signature Version 4 by botocore and by awscrt, behind the cases of
AWS's own test suite: sigv4.py COUNT SUITE FILE.

The two are written in different languages and share no code. Where they differ, the program says so and exits 1. The
suite is the folder aws4_testsuite of botocore's source distribution.
"""
import calendar
import datetime
import hashlib
import io
import json
import random
import re
import sys
from pathlib import Path
from unittest import mock
from urllib.parse import quote, urlsplit

import awscrt.auth
import awscrt.http
from botocore import auth, awsrequest, credentials

TEXT = "abz09-._~ !$&'()*,;=:@äß苏\U0001f3e0%"
NAMES = ["X-One", "x-two", "X-Amz-Target", "Content-Type", "Range", "User-Agent", "X-Amz-Meta-A"]


def text(least, most):
    return "".join(random.choice(TEXT) for _ in range(random.randint(least, most)))


def one(number):
    is_s3, is_presigned = number % 3 == 0, number % 4 == 1
    secret, token = text(1, 40), random.choice([None, "token/" + str(number) + "=="])
    moment = datetime.datetime(1999, 1, 1) + datetime.timedelta(seconds=random.randrange(10**9))
    segments = [quote(text(1, 8), safe="-._~") for _ in range(random.randint(0, 4))]
    segments = [segment for segment in segments if segment not in (".", "..")]
    path = "/" + "/".join(segments) + random.choice(["", "/"] if segments else [""])
    pairs = [(quote(text(1, 6), safe="-._~"), quote(text(0, 8), safe="-._~")) for _ in range(random.randint(0, 5))]
    if is_presigned:  # of several pairs with one name, botocore keeps the first in a presigned URL
        pairs = list(dict(reversed(pairs)).items())
    url = random.choice(["https://a.test", "https://a.test:8443", "http://b.test:80"]) + path
    if pairs:
        url += "?" + "&".join(f"{name}={value}" for name, value in pairs)
    # With others, botocore moves the body into the query of a presigned URL.
    method = random.choice(["GET", "DELETE"] if is_presigned else ["GET", "POST", "PUT", "DELETE", "PATCH"])
    body = text(0, 60) if method in ("POST", "PUT", "PATCH") else ""
    headers = [(name, random.choice(["a", "a  b", "  x\t y ", "v" + str(number)]))
               for name in random.sample(NAMES, random.randint(0, 4))]
    case = {"access_key": f"AKID{number}", "secret_key": secret, "token": token, "region": "eu-central-1",
            "service": "s3" if is_s3 else "execute-api", "method": method, "url": url, "headers": headers,
            "body": body, "time": calendar.timegm(moment.timetuple()), "payload": "signed"}
    keys = credentials.Credentials(case["access_key"], secret, token)
    request = awsrequest.AWSRequest(method, url, data=body.encode(), headers=dict(headers))
    if is_presigned:
        case["expires"] = random.randint(1, 604800)
    kinds = {(True, False): auth.S3SigV4Auth, (False, False): auth.SigV4Auth,
             (True, True): auth.S3SigV4QueryAuth, (False, True): auth.SigV4QueryAuth}
    extra = {"expires": case["expires"]} if is_presigned else {}
    signer = kinds[is_s3, is_presigned](keys, case["service"], case["region"], **extra)
    if is_s3:
        request.context["client_config"] = mock.Mock(s3={"payload_signing_enabled": True})
        request.context["payload_signing_enabled"] = True
    with mock.patch.object(auth, "get_current_datetime", lambda *_, **__: moment):
        signer.add_auth(request)
    if is_presigned:
        case["signature"] = urlsplit(request.url).query.split("X-Amz-Signature=")[1]
    else:
        case["authorization"] = request.headers["Authorization"]
    return case


def suite(folder):
    """The cases of the public suite whose request line is one: some have spaces or characters beyond ASCII in it."""
    cases, left = [], []
    for path in sorted(Path(folder).rglob("*.req")):
        head, _, body = path.read_text().partition("\n\n")
        line, *lines = re.sub(r"\n[ \t]+", " ", head).split("\n")
        method, target = line.rsplit(" ", 1)[0].split(" ", 1)
        resource, mark, query = target.partition("?")
        if not re.fullmatch(r"[!-~]+", resource):
            left.append(path.stem)
            continue
        headers = [tuple(field.split(":", 1)) for field in lines if field]
        stated = {name.lower(): value for name, value in headers}
        expected = path.with_suffix(".authz").read_text().strip()
        # Some requests get their token from the signer; one adds it when it is signed.
        token = re.search(r"^X-Amz-Security-Token:\s*(\S+)", path.with_suffix(".sreq").read_text(), re.M | re.I)
        kept = [field for field in headers if field[0].lower() not in ("x-amz-date", "x-amz-security-token")]
        cases.append({
            "access_key": "AKIDEXAMPLE", "secret_key": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            "token": token[1] if token and "x-amz-security-token" in expected else None, "region": "us-east-1", "service": "service", "method": method,
            "url": "https://" + stated["host"].strip() + resource + mark + quote(query, safe="-._~=&%"),
            "headers": kept, "body": body, "time": 1440938160, "payload": "signed",
            "authorization": expected})
    print(f"{len(cases)} cases of the public suite; without a request line of HTTP: {', '.join(left)}")
    return cases


def crt(case):
    """What awscrt, the implementation in C, makes of a request."""
    parts = urlsplit(case["url"])
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    default = {"https": 443, "http": 80}[parts.scheme] == parts.port
    headers = [("Host", parts.hostname if default or not parts.port else parts.netloc), *case["headers"]]
    body = case["body"].encode()
    request = awscrt.http.HttpRequest(case["method"], path, awscrt.http.HttpHeaders(headers),
                                      io.BytesIO(body) if body else None)
    is_s3, expires = case["service"] == "s3", case.get("expires")
    digest = hashlib.sha256(body).hexdigest()
    config = awscrt.auth.AwsSigningConfig(
        algorithm=awscrt.auth.AwsSigningAlgorithm.V4,
        signature_type=(awscrt.auth.AwsSignatureType.HTTP_REQUEST_QUERY_PARAMS if expires
                        else awscrt.auth.AwsSignatureType.HTTP_REQUEST_HEADERS),
        credentials_provider=awscrt.auth.AwsCredentialsProvider.new_static(
            case["access_key"], case["secret_key"], case["token"]),
        region=case["region"], service=case["service"],
        date=datetime.datetime.fromtimestamp(case["time"], datetime.timezone.utc),
        use_double_uri_encode=not is_s3, should_normalize_uri_path=not is_s3,
        signed_body_value="UNSIGNED-PAYLOAD" if is_s3 and expires else digest,
        signed_body_header_type=(awscrt.auth.AwsSignedBodyHeaderType.X_AMZ_CONTENT_SHA_256 if is_s3 and not expires
                                 else awscrt.auth.AwsSignedBodyHeaderType.NONE),
        expiration_in_seconds=expires)
    signed = awscrt.auth.aws_sign_request(request, config).result()
    if expires:
        return signed.path.split("X-Amz-Signature=")[1]
    return signed.headers.get("Authorization")


random.seed(4)
count, folder, target = int(sys.argv[1]), sys.argv[2], sys.argv[3]
cases = [one(number) for number in range(count)]
differing = [case for case in cases if crt(case) != case.get("authorization", case.get("signature"))]
for case in differing[:3]:
    print(f"botocore and awscrt differ: {case}, awscrt: {crt(case)}")
with open(target, "w") as file:
    json.dump(suite(folder) + cases, file)
print(f"{count} requests signed by botocore, {count - len(differing)} of them alike by awscrt")
sys.exit(bool(differing))
