#!/usr/bin/env python3
"""The cases of the Autobahn test suite for clients, served over a wire of this file: autobahn.py PORT PACKAGE [COUNT]

PACKAGE is the folder `autobahntestsuite` of the package from PyPI. It is of Python 2, so what its cases import is made up
here, their few words of the old language are translated as they are read, and what they send are texts in which a character
is a byte. COUNT, 100 by default, is how many messages those cases send that send a thousand.

    GET /count    how many cases there are, as text
    GET /case/N   the WebSocket of a case, from 1
    GET /report   what became of the cases, as JSON: id, behavior, behaviorClose, result
"""
import asyncio
import base64
import binascii
import builtins
import codecs
import hashlib
import json
import os
import re
import struct
import sys
import types
import zlib

PORT, PACKAGE = int(sys.argv[1]), os.path.abspath(sys.argv[2])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 100


# What the cases import.
class WebSocketProtocol:
    STATE_CLOSED, STATE_CONNECTING, STATE_CLOSING, STATE_OPEN = 0, 1, 2, 3
    MESSAGE_TYPE_TEXT, MESSAGE_TYPE_BINARY = 1, 2
    CLOSE_STATUS_CODE_NORMAL, CLOSE_STATUS_CODE_GOING_AWAY = 1000, 1001
    CLOSE_STATUS_CODE_PROTOCOL_ERROR, CLOSE_STATUS_CODE_INVALID_PAYLOAD = 1002, 1007


class Utf8Validator:
    def reset(self):
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def validate(self, text):
        try:
            self.decoder.decode(text.encode("latin-1"))
        except UnicodeDecodeError:
            return False, False, 0, 0
        return True, self.decoder.getstate()[0] == b"", 0, 0


class PerMessageDeflateOffer:
    def __init__(self, requestNoContextTakeover=False, requestMaxWindowBits=0, acceptMaxWindowBits=True):
        self.requestNoContextTakeover, self.requestMaxWindowBits = requestNoContextTakeover, requestMaxWindowBits
        self.acceptNoContextTakeover, self.acceptMaxWindowBits = True, acceptMaxWindowBits

    @staticmethod
    def parse(text):
        parameters = dict((part.strip().split("=") + [""])[:2] for part in text.split(";")[1:])
        return PerMessageDeflateOffer(
            "server_no_context_takeover" in parameters, int(parameters.get("server_max_window_bits") or 0),
            "client_max_window_bits" in parameters)


class PerMessageDeflateOfferAccept:
    def __init__(self, offer, requestNoContextTakeover=False, requestMaxWindowBits=0):
        self.keeps = not offer.requestNoContextTakeover
        self.bits = offer.requestMaxWindowBits or 15
        self.client_keeps, self.client_bits = not requestNoContextTakeover, requestMaxWindowBits or 15
        self.text = "permessage-deflate"
        if offer.requestNoContextTakeover:
            self.text += "; server_no_context_takeover"
        if offer.requestMaxWindowBits:
            self.text += "; server_max_window_bits=%d" % self.bits
        if requestNoContextTakeover:
            self.text += "; client_no_context_takeover"
        if requestMaxWindowBits:
            self.text += "; client_max_window_bits=%d" % requestMaxWindowBits
        self.deflater = self.inflater = None

    def pack(self, data):
        if self.deflater is None or not self.keeps:
            self.deflater = zlib.compressobj(wbits=-self.bits)
        return (self.deflater.compress(data) + self.deflater.flush(zlib.Z_SYNC_FLUSH))[:-4]

    def unpack(self, data):
        if self.inflater is None or not self.client_keeps:
            self.inflater = zlib.decompressobj(wbits=-self.client_bits)
        return self.inflater.decompress(data + b"\x00\x00\xff\xff")


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made


for name in ["autobahn", "autobahn.websocket"]:
    module(name)
module("autobahn.websocket.protocol", WebSocketProtocol=WebSocketProtocol)
module("autobahn.websocket.utf8validator", Utf8Validator=Utf8Validator)
module("autobahn.websocket.compress", PerMessageDeflateOffer=PerMessageDeflateOffer,
       PerMessageDeflateOfferAccept=PerMessageDeflateOfferAccept)
module("pkg_resources", resource_filename=lambda _, path: os.path.join(PACKAGE, path))
builtins.xrange, builtins.unichr = range, chr
hexadecimal = binascii.b2a_hex
binascii.b2a_hex = lambda data: hexadecimal(data.encode("latin-1") if isinstance(data, str) else data).decode()


class Finder:
    """Finds a module among the cases and translates it."""

    def find_spec(self, name, path=None, target=None):
        file = os.path.join(PACKAGE, "case", name + ".py")
        if not os.path.exists(file):
            return None
        from importlib.machinery import ModuleSpec
        return ModuleSpec(name, self, origin=file)

    def create_module(self, spec):
        return None

    def exec_module(self, made):
        exec(compile(translated(made.__spec__.origin), made.__spec__.origin, "exec"), made.__dict__)


def translated(file):
    text = open(file, encoding="latin-1").read()  # a character of a text is a byte there too
    text = re.sub(r"^(\s*)print .*$", r"\1pass", text, flags=re.M)
    text = text.replace("(object, Case, )", "(Case, )").replace("from case9_9_1 import *", "")
    text = text.replace(".encode(\"utf-8\")", ".encode('utf-8', 'surrogatepass').decode('latin-1')")
    return text.replace("len(self.payload) / ", "len(self.payload) // ")


sys.meta_path.insert(0, Finder())
cases = types.ModuleType("cases")
exec(compile(translated(os.path.join(PACKAGE, "case", "__init__.py")), "cases", "exec"), cases.__dict__)
CASES = cases.Cases
Case = sys.modules["case"].Case
Case.compare = lambda self, one, other: one == other
for one in CASES:
    if getattr(one, "COUNT", 0) > COUNT and one.LEN > 4096:
        one.COUNT = COUNT
REPORT = {}


def number_of(kind):
    return ".".join(kind.__name__[4:].split("_"))


class Connection(WebSocketProtocol):
    """What a case sends by, and what it asks about: the names are the suite's."""

    def __init__(self, reader, writer, kind):
        self.reader, self.writer = reader, writer
        self.state, self.connectionWasOpen = self.STATE_CONNECTING, False
        self.closedByMe = self.failedByMe = self.droppedByMe = self.wasClean = False
        self.remoteCloseCode = self.localCloseReason = self.trafficStats = self._perMessageCompress = None
        self.perMessageCompressionAccept, self.createWirelog, self.autoFragmentSize = None, False, 0
        self.factory = types.SimpleNamespace(isServer=True)
        self.txFrameStats = {}
        self.queue = asyncio.Queue()
        self.kind, self.case = kind, kind(self)

    # What a case calls.
    def enableWirelog(self, _):
        pass

    def later(self, delay, work):
        asyncio.get_running_loop().call_later(delay, lambda: self.state != self.STATE_CLOSED and work())

    def continueLater(self, delay, work, tag=None):
        self.later(delay, work)

    def closeAfter(self, delay):
        self.later(delay, self.sendClose)

    def killAfter(self, delay):
        def fail():
            self.failedByMe = self.droppedByMe = True
            self.drop()
        # A busy machine has time.
        self.later(max(delay, 5), fail)

    def sendFrame(self, opcode, payload="", fin=True, rsv=0, mask=None, payload_len=None, chopsize=None, sync=False):
        data = payload.encode("latin-1") if isinstance(payload, str) else payload
        if payload_len is not None:
            data = (data * (payload_len // max(1, len(data)) + 1))[:payload_len]
        self.txFrameStats[opcode] = self.txFrameStats.get(opcode, 0) + 1
        self.put(self.head(opcode, len(data), fin, rsv) + data, chopsize)

    def head(self, opcode, count, fin, rsv=0):
        first = (0x80 if fin else 0) | rsv << 4 | opcode
        if count < 126:
            return struct.pack("!BB", first, count)
        return struct.pack("!BBH", first, 126, count) if count < 1 << 16 else struct.pack("!BBQ", first, 127, count)

    def put(self, data, chopsize=None):
        self.queue.put_nowait((data, chopsize))

    def sendMessage(self, payload, isBinary=False, fragmentSize=None, sync=False):
        data = payload.encode("latin-1") if isinstance(payload, str) else payload
        rsv = 4 if self._perMessageCompress else 0
        if rsv:
            data = self._perMessageCompress.pack(data)
        size = fragmentSize or self.autoFragmentSize or max(1, len(data))
        starts = range(0, len(data), size) or [0]
        for start in starts:
            self.sendFrame(
                0 if start else 2 if isBinary else 1, data[start:start + size], start + size >= len(data),
                0 if start else rsv)

    def beginMessage(self, isBinary=False):
        self.opcode = 2 if isBinary else 1

    def beginMessageFrame(self, count):
        self.put(self.head(self.opcode, count, False))

    def sendMessageFrameData(self, payload, sync=False):
        self.put(payload.encode("latin-1"))

    def endMessage(self):
        self.put(self.head(0, 0, True))

    def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
        if self.state != self.STATE_OPEN:
            return
        payload = b"" if code is None else struct.pack("!H", code & 0xFFFF)
        self.sendFrame(8, payload + (reasonUtf8 or "").encode("latin-1"))
        self.state, self.closedByMe = self.STATE_CLOSING, not isReply

    def sendClose(self, code=None, reason=None):
        self.sendCloseFrame(code, reason)

    # The wire.
    def drop(self):
        self.queue.put_nowait((None, None))

    async def write(self):
        while True:
            data, chopsize = await self.queue.get()
            if data is None:
                break
            try:
                for start in range(0, len(data), chopsize or max(1, len(data))):
                    self.writer.write(data[start:start + (chopsize or len(data))])
                    await self.writer.drain()
                    if chopsize:
                        await asyncio.sleep(0)
            except ConnectionError:
                break
        self.writer.close()

    async def frames(self):
        while True:
            first, second = await self.reader.readexactly(2)
            count = second & 0x7F
            if count == 126:
                count, = struct.unpack("!H", await self.reader.readexactly(2))
            elif count == 127:
                count, = struct.unpack("!Q", await self.reader.readexactly(8))
            if not second & 0x80:
                raise ValueError("a frame of the client is not masked")
            mask = await self.reader.readexactly(4)
            data = await self.reader.readexactly(count)
            stream = (mask * (count // 4 + 1))[:count]
            data = (int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")).to_bytes(count, "big")
            yield first, data

    async def read(self):
        parts, opcode, packed = [], None, False
        async for first, data in self.frames():
            kind = first & 0x0F
            if kind == 8:
                if len(data) >= 2:
                    self.remoteCloseCode = data[0] << 8 | data[1]
                self.wasClean = True
                self.sendCloseFrame(self.remoteCloseCode, isReply=True)
                return self.drop()
            # A text of the suite's is one of bytes, but where it compares compressed messages.
            shown = data if hasattr(self.case, "TESTDATA") else data.decode("latin-1")
            if kind == 9:
                # The client's own, in a case that lasts longer than their interval: no case has it ping.
                self.sendFrame(10, data)
            elif kind == 10:
                self.case.onPong(shown)
            else:
                if kind:
                    parts, opcode, packed = [], kind, bool(first & 0x40)
                parts.append(data)
                if not first & 0x80:
                    continue
                whole = b"".join(parts)
                if packed:
                    whole = self._perMessageCompress.unpack(whole)
                shown = whole if hasattr(self.case, "TESTDATA") else whole.decode("latin-1")
                self.case.onMessage(shown, opcode == 2)

    async def run(self, fields):
        accept = base64.b64encode(hashlib.sha1(
            (fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        answer += "Sec-WebSocket-Accept: %s\r\n" % accept
        offers = [PerMessageDeflateOffer.parse(text) for text in fields.get("sec-websocket-extensions", "").split(",")
                  if "permessage-deflate" in text]
        if self.perMessageCompressionAccept:
            self._perMessageCompress = self.perMessageCompressionAccept(offers)
            if self._perMessageCompress:
                answer += "Sec-WebSocket-Extensions: %s\r\n" % self._perMessageCompress.text
        self.put((answer + "\r\n").encode())
        writing = asyncio.create_task(self.write())
        self.state, self.connectionWasOpen = self.STATE_OPEN, True
        self.case.onOpen()
        try:
            await self.read()
        except (asyncio.IncompleteReadError, ConnectionError, ValueError) as error:
            if isinstance(error, ValueError):
                self.case.result = str(error)
        self.drop()
        await writing
        self.state = self.STATE_CLOSED
        self.case.onConnectionLost(self.failedByMe)
        REPORT[number_of(self.kind)] = {
            "id": number_of(self.kind), "behavior": self.case.behavior, "behaviorClose": self.case.behaviorClose,
            "result": "%s; %s" % (self.case.result, self.case.resultClose)}


async def serve(reader, writer):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    path = head[0].split(" ")[1].split("?")[0].strip("/").split("/")
    fields = dict((line.split(":", 1)[0].lower(), line.split(":", 1)[1].strip()) for line in head[1:] if line)
    if path[0] == "case":
        return await Connection(reader, writer, CASES[int(path[1]) - 1]).run(fields)
    body = (str(len(CASES)) if path[0] == "count" else json.dumps(list(REPORT.values()))).encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                 % len(body) + body)
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", PORT, limit=64 << 20)
    print(len(CASES), "cases", flush=True)
    async with server:
        await server.serve_forever()

if __name__ == "__main__":
    asyncio.run(main())
