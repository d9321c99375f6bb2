#!/usr/bin/env python3
"""Sockets by the package websockets: sockets_websockets.py PORT [CERTIFICATE KEY]

The paths of sockets_aiohttp.py but for /events, and

/fragments/N sends a text in N fragments, with pings between the messages
"""
import asyncio
import http
import ssl
import sys
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import serve

attempts = 0


def check(connection, request):
    global attempts
    parts = request.path.split("/")
    if parts[1] != "refuse":
        return None
    attempts += 1
    if attempts % 3 == 0:
        return None
    response = connection.respond(http.HTTPStatus(int(parts[2])), "not yet")
    response.headers["Retry-After"] = "0"
    return response


async def handle(connection):
    url = urlsplit(connection.request.path)
    kind, *rest = url.path.split("/")[1:]
    if kind in ("echo", "refuse"):
        async for message in connection:
            await connection.send(message)
    elif kind == "close":
        await connection.close(int(rest[0]), "as asked")
    elif kind == "ping":
        await (await connection.ping(b"are you there"))
        await connection.send("pong")
        await connection.wait_closed()
    elif kind == "large":
        await connection.send("ä" * (int(rest[0]) // 2))
        await connection.wait_closed()
    elif kind == "drop":
        for number in range(int(parse_qs(url.query).get("from", ["0"])[0]), 50):
            await connection.send(str(number))
            if number % 10 == 9 and number < 49:
                return connection.transport.abort()
    elif kind == "fragments":
        for count in range(1, int(rest[0]) + 1):
            await connection.send(["ä€😀"[number % 3] * number for number in range(count)])
            await connection.ping()


async def main():
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
    async with serve(
        handle, "127.0.0.1", int(sys.argv[1]), ssl=context, process_request=check, max_size=64 << 20,
    ) as server:
        await server.serve_forever()


asyncio.run(main())
