"""A child that knows nothing of Dialpoint: it reads HERMES_TUI_GATEWAY_URL once and connects to it.

Its WebSocket (RFC 6455) honours the proxy variables as Python's own libraries do, through urllib.request.
"""

import base64
import os
import socket
import sys
import urllib.request
from urllib.parse import urlsplit


def main():
    url = urlsplit(os.environ["HERMES_TUI_GATEWAY_URL"])
    print(f"dialling {url.scheme}://{url.netloc}{url.path}", flush=True)
    connection = connect(url.hostname, url.port)
    stream = connection.makefile("rb")
    if via_proxy(url.hostname, url.port):
        connection.sendall(f"CONNECT {url.netloc} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode())
        expect(stream, 200)
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall(
        f"GET {url.path}?{url.query} HTTP/1.1\r\nHost: {url.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    expect(stream, 101)
    # A frame of the server: a text, whole, unmasked, shorter than 126 bytes.
    first, length = stream.read(2)
    if first != 0x81 or length >= 126:
        sys.exit(f"unexpected frame {first:#x}, {length}")
    print("received", stream.read(length).decode().strip())
    # Closing has a frame, too, and what a client sends is masked; a mask of zeros changes nothing.
    connection.sendall(bytes([0x88, 0x80, 0, 0, 0, 0]))
    stream.read()


def via_proxy(host, port):
    """The proxy for ws://, or None."""
    proxies = urllib.request.getproxies()
    proxy = proxies.get("http") or proxies.get("all")
    return None if urllib.request.proxy_bypass(f"{host}:{port}") else proxy


def connect(host, port):
    proxy = via_proxy(host, port)
    if proxy:
        host, port = urlsplit(proxy).hostname, urlsplit(proxy).port
    return socket.create_connection((host, port), timeout=20)


def expect(stream, status):
    line = stream.readline().decode().strip()
    while stream.readline().strip():
        pass
    if f" {status} " not in line + " ":
        sys.exit(f"gateway websocket connection failed: {line}")


main()
