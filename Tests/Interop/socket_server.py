"""WebSockets by the package `websockets`: usage: socket_server.py PORT [CERTIFICATE KEY]

/echo        sends every message back
/plain       the same without compression
/count/N     sends N numbered texts and closes with 1000
/close/CODE  closes at once with CODE and the reason "as asked"
/ping        pings, and sends "pong" when the answer has come
/large/N     sends a text of N bytes
/headers     sends the request's fields as JSON
"""
import asyncio
import json
import ssl
import sys

from websockets.asyncio.server import serve
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory


async def handle(connection):
    path = connection.request.path.split("?")[0].split("/")
    kind, rest = path[1], path[2:]
    if kind in ("echo", "plain"):
        async for message in connection:
            await connection.send(message)
    elif kind == "count":
        for number in range(int(rest[0])):
            await connection.send(str(number))
    elif kind == "close":
        await connection.close(int(rest[0]), "as asked")
    elif kind == "ping":
        await (await connection.ping(b"are you there"))
        await connection.send("pong")
        await connection.wait_closed()
    elif kind == "large":
        await connection.send("ä" * (int(rest[0]) // 2))
        await connection.wait_closed()
    elif kind == "headers":
        await connection.send(json.dumps(dict(connection.request.headers.raw_items())))


def choose(connection, offered):
    return "chat" if "chat" in offered else None


async def main(port, context):
    deflate = ServerPerMessageDeflateFactory()
    async with serve(
        handle, "127.0.0.1", port, ssl=context, extensions=[deflate], compression=None,
        select_subprotocol=choose, max_size=64 << 20,
    ) as server:
        await server.serve_forever()


context = None
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
asyncio.run(main(int(sys.argv[1]), context))
