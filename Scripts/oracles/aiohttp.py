#!/usr/bin/env python3
"""A WebSocket that echoes (/echo) and an event stream (/events) by aiohttp: aiohttp.py PORT."""
import asyncio
import sys

sys.path.pop(0)  # this file has the package's name
from aiohttp import WSMsgType, web  # noqa: E402


async def echo(request):
    socket = web.WebSocketResponse(max_msg_size=64 << 20, compress=True, autoping=True)
    await socket.prepare(request)
    async for message in socket:
        if message.type == WSMsgType.TEXT:
            await socket.send_str(message.data)
        elif message.type == WSMsgType.BINARY:
            await socket.send_bytes(message.data)
    return socket


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
app.add_routes([web.get("/echo", echo), web.get("/events", events)])
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
