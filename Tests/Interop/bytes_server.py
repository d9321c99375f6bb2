"""Lines that come back, in plain text and after STARTTLS: usage: bytes_server.py PORT CERTIFICATE KEY"""
import asyncio
import ssl
import sys

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2], sys.argv[3])


async def serve(reader, writer):
    while line := await reader.readline():
        if line == b"STARTTLS\n":
            writer.write(b"go ahead\n")
            await writer.drain()
            await writer.start_tls(context)
        else:
            writer.write(line)
            await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), limit=1 << 24)
    await server.serve_forever()


asyncio.run(main())
