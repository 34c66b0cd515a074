"""A dashboard on asyncio, bound as the argument says: HOST PORT. It greets whoever opens a WebSocket.

asyncio makes its IPv6 sockets take IPv6 alone (IPV6_V6ONLY), whatever the system's default is.
"""

import asyncio
import base64
import hashlib
import sys


async def greet(reader, writer):
    request = (await reader.read(65536)).decode()
    key = next((line.split(": ")[1] for line in request.split("\r\n") if line.lower().startswith("sec-websocket-key: ")), None)
    if key:
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        greeting = request.split(" ")[1].encode()
        writer.write(
            f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode() + bytes([0x81, len(greeting)]) + greeting
        )
        await writer.drain()
        await reader.read()
    elif request:
        print("strange request", request, flush=True)
    writer.close()


async def main(host, port):
    server = await asyncio.start_server(greet, host, int(port))
    print("listening on", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
