"""An FTP server on pyftpdlib for the tests, on ports of 127.0.0.1 only.

usage: ftp_server.py FOLDER CERTIFICATE KEY PLAIN TLS CLEAR SLOW

FOLDER is served to the user `flight` with the password `landing`, who may read and write in it, and to
`anonymous`, who may only read. Four ports:

PLAIN  FTP without TLS
TLS    TLS from the first byte (ftps:), data connections too
CLEAR  as TLS, but PROT P is refused: data would go in the clear
SLOW   as PLAIN, but the end of a transfer (226) is told a second late
"""

import sys

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler, TLS_FTPHandler
from pyftpdlib.ioloop import IOLoop
from pyftpdlib.servers import FTPServer

folder, certificate, key = sys.argv[1:4]
ports = [int(argument) for argument in sys.argv[4:8]]

authorizer = DummyAuthorizer()
authorizer.add_user("flight", "landing", folder, perm="elrdwm")
authorizer.add_anonymous(folder)


class Plain(FTPHandler):
    auth_failed_timeout = 0


class ImplicitTLS(TLS_FTPHandler):
    certfile = certificate
    keyfile = key
    auth_failed_timeout = 0

    def handle(self):
        self.secure_connection(self.ssl_context)
        super().handle()


class ClearData(ImplicitTLS):
    def ftp_PROT(self, line):
        self.respond("534 Data connections are not protected here.")


loop = IOLoop.instance()


class Slow(Plain):
    def respond(self, resp, logfun=None):
        if not resp.startswith("226"):
            return super().respond(resp)
        loop.call_later(1, self.respond_late, resp)

    def respond_late(self, resp):
        if not self._closed:
            super().respond(resp)


servers = []
for port, handler in zip(ports, (Plain, ImplicitTLS, ClearData, Slow)):
    handler.authorizer = authorizer
    servers.append(FTPServer(("127.0.0.1", port), handler, ioloop=loop))
servers[0].serve_forever()
