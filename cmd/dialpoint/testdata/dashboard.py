"""A dashboard on asyncio that listens on a free port of a host and announces it in pieces, as slow pipes do.

    python3 dashboard.py HOST

A line on its input has it listen on another port as well, and announce that. It ends with its input.
"""

import asyncio
import sys


async def answer(reader, writer):
    writer.write(b"hello")
    await writer.drain()
    writer.close()


async def listen(host):
    server = await asyncio.start_server(answer, host, 0)
    port = server.sockets[0].getsockname()[1]
    for piece in ("HERMES_DASH", "BOARD_READY po", "rt=", str(port)[:2], str(port)[2:], "\r\n"):
        print(piece, end="", flush=True)
        await asyncio.sleep(0.01)


async def main():
    loop = asyncio.get_running_loop()
    await listen(sys.argv[1])
    while await loop.run_in_executor(None, sys.stdin.readline):
        await listen(sys.argv[1])


asyncio.run(main())
