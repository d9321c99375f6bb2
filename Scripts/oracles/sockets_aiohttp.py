#!/usr/bin/env python3
"""Sockets and an event stream by aiohttp: sockets_aiohttp.py PORT [CERTIFICATE KEY]

/echo        sends every message back, with permessage-deflate
/close/CODE  closes at once with CODE and the reason "as asked"
/ping        pings, and sends "pong" when the response has come
/large/N     sends a text of N bytes
/drop?from=N sends numbers from N on and cuts the connection at each tenth; closes with 1000 at 50
/refuse/N    refuses the handshake with the status N and Retry-After: 0, and accepts every third
/events      300 events in three responses, gzipped
"""
import ssl
import sys

from aiohttp import WSMsgType, web


async def opened(request, **options):
    socket = web.WebSocketResponse(max_msg_size=64 << 20, compress=True, **options)
    await socket.prepare(request)
    return socket


async def echo(request):
    socket = await opened(request)
    async for message in socket:
        if message.type == WSMsgType.TEXT:
            await socket.send_str(message.data)
        elif message.type == WSMsgType.BINARY:
            await socket.send_bytes(message.data)
    return socket


async def close(request):
    socket = await opened(request)
    await socket.close(code=int(request.match_info["code"]), message=b"as asked")
    return socket


async def ping(request):
    socket = await opened(request, autoping=False)
    await socket.ping(b"are you there")
    async for message in socket:
        if message.type == WSMsgType.PONG and message.data == b"are you there":
            await socket.send_str("pong")
    return socket


async def large(request):
    socket = await opened(request)
    await socket.send_str("ä" * (int(request.match_info["count"]) // 2))
    async for _ in socket:
        pass
    return socket


async def drop(request):
    first = int(request.query.get("from", "0"))
    socket = await opened(request)
    for number in range(first, 50):
        await socket.send_str(str(number))
        if number % 10 == 9 and number < 49:
            request.transport.abort()
            return socket
    await socket.close(code=1000)
    return socket


attempts = 0


async def refuse(request):
    global attempts
    attempts += 1
    if attempts % 3:
        return web.Response(status=int(request.match_info["status"]), headers={"Retry-After": "0"}, text="not yet")
    return await echo(request)


async def events(request):
    first = int(request.headers.get("Last-Event-ID", "0")) + 1
    if first > 300:
        return web.Response(status=204)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    response.enable_compression()
    await response.prepare(request)
    await response.write(b"retry: 1\n\n")
    for number in range(first, first + 100):
        await response.write(f"id: {number}\ndata: {number}\ndata: ä\n\n".encode())
    await response.write_eof()
    return response


app = web.Application()
app.add_routes([
    web.get("/echo", echo), web.get("/close/{code}", close), web.get("/ping", ping), web.get("/large/{count}", large),
    web.get("/drop", drop), web.get("/refuse/{status}", refuse), web.get("/events", events),
])
context = None
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), ssl_context=context, print=None)
