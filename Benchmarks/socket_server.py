"""Independent sides for the rows of sockets: socket_server.py echo|deflate-echo PORT, or deflate-client PORT COUNT FILE

echo            sends every message back, by picows
deflate-echo    the same with permessage-deflate, by websockets
deflate-client  has the text of a file sent back COUNT times, one at a time, and prints the seconds, by websockets
"""
import asyncio
import sys
import time


async def echo(port):
    from picows import WSListener, WSMsgType, ws_create_server

    class Echo(WSListener):
        def on_ws_frame(self, transport, frame):
            if frame.msg_type == WSMsgType.CLOSE:
                transport.send_close(frame.get_close_code(), frame.get_close_message())
                transport.disconnect()
            elif frame.msg_type == WSMsgType.PING:
                transport.send_pong(frame.get_payload_as_bytes())
            elif frame.msg_type != WSMsgType.PONG:
                transport.send(frame.msg_type, frame.get_payload_as_bytes())

    server = await ws_create_server(lambda request: Echo(), "127.0.0.1", port)
    await server.serve_forever()


async def deflate_echo(port):
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed

    async def handle(connection):
        try:
            async for message in connection:
                await connection.send(message)
        except ConnectionClosed:
            pass  # the process of a round has ended

    async with serve(handle, "127.0.0.1", port, compression="deflate", max_size=64 << 20) as server:
        await server.serve_forever()


async def deflate_client(port, count, file):
    from websockets.asyncio.client import connect
    text = open(file, encoding="utf-8").read()
    async with connect(f"ws://127.0.0.1:{port}/", compression="deflate") as connection:
        for _ in range(count // 10):
            await connection.send(text)
            await connection.recv()
        start = time.perf_counter()
        for _ in range(count):
            await connection.send(text)
            await connection.recv()
        print(time.perf_counter() - start)


if sys.argv[1] == "deflate-client":
    asyncio.run(deflate_client(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
else:
    asyncio.run({"echo": echo, "deflate-echo": deflate_echo}[sys.argv[1]](int(sys.argv[2])))
