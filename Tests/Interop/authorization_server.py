"""An OAuth 2.0 authorization server on Authlib and Flask, in memory, for the tests: python THIS PORT.

Grants: authorization code (PKCE demanded of the public client), refresh with rotation, client credentials,
device code. Clients: the public `app`, on any loopback port; the confidential `svc` with the secret
`svc:secret`; the public `tv` for devices. The user is `ann` and agrees at once, unless the scope is `deny`.
The server's metadata (RFC 8414) are at their well-known address, and its redirects name it (RFC 9207).
Beside the standard endpoints: GET /api/me wants a token, GET /approve?user_code= lets a device in,
GET /counts tells how often the token endpoint was asked and how often a spent refresh token came back.
"""
import os
import sys
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # loopback only

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Flask, jsonify, request

PORT = int(sys.argv[1])
BASE = f"http://127.0.0.1:{PORT}"
LIFETIME = 300

app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = dict.fromkeys(
    ["authorization_code", "client_credentials", "refresh_token", DEVICE], LIFETIME)

codes, tokens, devices = {}, [], {}
counts = {"token": 0, "spent": 0}


class Client(ClientMixin):
    def __init__(self, name, secret, grant_types, methods):
        self.name, self.secret, self.grant_types, self.methods = name, secret, grant_types, methods

    def get_client_id(self):
        return self.name

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(word for word in (scope or "").split() if word in ("read", "write"))

    def check_redirect_uri(self, uri):
        return uri.startswith("http://127.0.0.1:")

    def check_client_secret(self, secret):
        return secret == self.secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method in self.methods

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type in self.grant_types


clients = {
    client.name: client for client in [
        Client("app", "", ["authorization_code", "refresh_token"], ["none"]),
        Client("svc", "svc:secret", ["client_credentials"], ["client_secret_basic", "client_secret_post"]),
        Client("tv", "", [DEVICE, "refresh_token"], ["none"]),
    ]
}


class Token(TokenMixin):
    def __init__(self, values, client, user):
        self.values, self.client, self.user = values, client, user
        self.made, self.revoked, self.spent = time.time(), False, False

    def check_client(self, client):
        return client is self.client

    def get_client(self):
        return self.client

    def get_user(self):
        return self.user

    def get_scope(self):
        return self.values.get("scope", "")

    def get_expires_in(self):
        return self.values["expires_in"]

    def is_expired(self):
        return time.time() > self.made + self.get_expires_in()

    def is_revoked(self):
        return self.revoked


def find(name, value):
    return next((token for token in tokens if token.values.get(name) == value), None)


class Code(AuthorizationCodeMixin):
    def __init__(self, code, payload, user):
        self.code, self.client_id, self.user = code, payload.client_id, user
        self.redirect_uri, self.scope = payload.redirect_uri, payload.scope
        self.code_challenge = payload.data.get("code_challenge")
        self.code_challenge_method = payload.data.get("code_challenge_method")

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope or ""


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def save_authorization_code(self, code, req):
        codes[code] = Code(code, req.payload, req.user)

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found.client_id == client.name else None

    def delete_authorization_code(self, code):
        codes.pop(code.code, None)

    def authenticate_user(self, code):
        return code.user


class ClientGrant(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, value):
        token = find("refresh_token", value)
        if token and token.spent:
            counts["spent"] += 1
        return token if token and not token.spent and not token.revoked else None

    def authenticate_user(self, token):
        return token.user

    def revoke_old_credential(self, token):
        token.spent = token.revoked = True


class DeviceGrant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        found = next((one for one in devices.values() if one["user_code"] == user_code), {})
        return ("ann", True) if found.get("approved") else None

    def should_slow_down(self, credential):
        return False


class DeviceEndpoint(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]
    INTERVAL = 1

    def get_verification_uri(self):
        return BASE + "/approve"

    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(
            data, client_id=client_id, scope=scope, expires_at=time.time() + data["expires_in"])


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def query_token(self, value, hint):
        return find("access_token", value) or find("refresh_token", value)

    def revoke_token(self, token, req):
        token.revoked = True


class Validator(BearerTokenValidator):
    def authenticate_token(self, value):
        return find("access_token", value)


class Issuer(IssuerParameter):
    def get_issuer(self):
        return BASE


def save_token(values, req):
    tokens.append(Token(values, req.client, req.user))


server = AuthorizationServer(app, query_client=clients.get, save_token=save_token)
server.register_grant(CodeGrant, [CodeChallenge(required=True)])
server.register_grant(RefreshGrant)
server.register_grant(ClientGrant)
server.register_grant(DeviceGrant)
server.register_endpoint(Revocation)
server.register_endpoint(DeviceEndpoint)
server.register_extension(Issuer())
protect = ResourceProtector()
protect.register_token_validator(Validator())


@app.get("/.well-known/oauth-authorization-server")
def metadata():
    document = AuthorizationServerMetadata(
        issuer=BASE, authorization_endpoint=BASE + "/authorize", token_endpoint=BASE + "/token",
        device_authorization_endpoint=BASE + "/device", revocation_endpoint=BASE + "/revoke",
        response_types_supported=["code"], code_challenge_methods_supported=["S256"],
        authorization_response_iss_parameter_supported=True)
    document.validate()
    return jsonify(document)


@app.get("/authorize")
def authorize():
    grant = server.get_consent_grant(end_user="ann")
    user = None if "deny" in request.args.get("scope", "") else "ann"
    return server.create_authorization_response(grant_user=user, grant=grant)


@app.post("/token")
def token():
    counts["token"] += 1
    return server.create_token_response()


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response("revocation")


@app.post("/device")
def device():
    return server.create_endpoint_response("device_authorization")


@app.get("/approve")
def approve():
    for credential in devices.values():
        if credential["user_code"] == request.args["user_code"]:
            credential["approved"] = True
    return "approved\n"


@app.get("/api/me")
@protect("read")
def me():
    return jsonify(user=current_token.user, client=current_token.client.name)


@app.get("/counts")
def count():
    return jsonify(counts)


app.run("127.0.0.1", PORT, threaded=True)
