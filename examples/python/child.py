#!/usr/bin/env python3
"""Ask a Dialpoint service what to dial. Python 3.9 or later, standard library only.

    python3 child.py [CHANNEL [SECONDS]]

The service is looked for at DIALPOINT_ADDR (unix:///path or http(s)://host:port), else at the default socket, for
SECONDS (30). Over TCP it is shown the token in the file that DIALPOINT_TOKEN_FILE names, else the one in DIALPOINT_TOKEN.
Copy resolve() and what it calls into your program.
"""

import http.client
import json
import os
import random
import re
import socket
import sys
import time

PROCEDURE = "/dialpoint.v1.EndpointService/ResolveEndpoints"


class ResolveError(Exception):
    """There is nothing to dial. The message says why, and holds no secret."""


class PassingProblem(Exception):
    """Not now, but perhaps soon."""


def resolve(channel="", seconds=30.0):
    """What to dial: {"gateway", "sidecar", "explanation", ...}.

    Waits for the service, and for the dashboard to listen. Raises ResolveError.
    """
    address = service_address()
    deadline = time.monotonic() + seconds
    pause, waiting = 0.1, False
    while True:
        try:
            return ask(address, channel, max(deadline - time.monotonic(), 0))
        except PassingProblem as problem:
            left = deadline - time.monotonic()
            if left <= 0:
                raise ResolveError(f"nothing to dial within {seconds:g} s: {problem}") from None
            if not waiting:
                print(f"waiting: {problem}", file=sys.stderr, flush=True)
            waiting = True
            # Pauses grow and are drawn by chance, so that children that start together do not come back together.
            time.sleep(min(pause * random.uniform(0.5, 1), left))
            pause = min(2 * pause, 2)


def ask(address, channel, left):
    """One call: the endpoints, or a PassingProblem, or a ResolveError that asking again would not change."""
    # The service holds the call until the dashboard listens. It allows 5 minutes a call.
    body = json.dumps({"channel": channel, "wait": f"{min(left, 300):.3f}s"})
    # Two seconds more than the service has, so that its answer, which says what is missing, comes first.
    connection = connect(address, timeout=left + 2)
    try:
        connection.request("POST", PROCEDURE, body, {"Content-Type": "application/json", **authorization(address)})
        response = connection.getresponse()
        answer = parse(response.read())
    except (OSError, http.client.HTTPException) as problem:
        raise PassingProblem(
            f"no answer at {address}: {problem}; start 'dialpoint serve', or say in DIALPOINT_ADDR where it is"
        ) from None
    finally:
        connection.close()
    if response.status == 200 and answer.get("endpoints"):
        return answer["endpoints"]
    if answer.get("code") in ("unavailable", "resource_exhausted"):
        raise PassingProblem(answer.get("message"))
    if "code" in answer:
        raise ResolveError(f"{answer['code']}: {answer.get('message')}")
    raise ResolveError(f"HTTP status {response.status}: is it Dialpoint that listens at {address}?")


def authorization(address):
    """The header that shows the service who calls. It is read for each call: a token may come late, or change."""
    if address.startswith("unix://"):
        return {}  # the kernel says who calls there
    path = os.environ.get("DIALPOINT_TOKEN_FILE", "").strip()
    if path:
        with open(path, encoding="ascii", errors="replace") as file:
            token = file.read().strip()
    else:
        token = os.environ.get("DIALPOINT_TOKEN", "").strip()
    if not path and not token:
        return {}
    # http.client would quote what fits into no header.
    if not re.fullmatch(r"[A-Za-z0-9._~+/-]+=*", token):
        raise PassingProblem(f"there is no token in {path or 'DIALPOINT_TOKEN'}; say in DIALPOINT_TOKEN_FILE where it is")
    return {"Authorization": f"Bearer {token}"}


def parse(text):
    """The answer as a dict, empty if it is none."""
    try:
        answer = json.loads(text)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def connect(address, timeout):
    """An HTTP connection to the service. http.client never uses a proxy; urllib.request and requests do."""
    scheme, _, place = address.partition("://")
    if scheme == "unix":
        return UnixConnection(place, timeout)
    host, _, port = place.rstrip("/").rpartition(":")
    connection = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
    return connection(host.strip("[]"), int(port), timeout=timeout)


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def service_address():
    """DIALPOINT_ADDR, else the default socket, where the service listens unless it is told otherwise."""
    address = os.environ.get("DIALPOINT_ADDR", "").strip()
    if not address:
        return "unix://" + default_socket()
    if re.fullmatch(r"unix:///[^,]+|https?://(\[[0-9A-Fa-f:.]+\]|[\w.-]+):\d{1,5}/?", address):
        return address
    raise ResolveError("DIALPOINT_ADDR must be one address of the form unix:///path or http(s)://host:port")


def default_socket():
    runtime = os.environ.get("XDG_RUNTIME_DIR", "").strip()
    if os.path.isabs(runtime):
        return os.path.join(runtime, "dialpoint", "dialpoint.sock")
    if os.getuid() == 0:
        return "/run/dialpoint/dialpoint.sock"
    directory = os.environ.get("TMPDIR", "").strip() or "/tmp"
    return os.path.join(directory, f"dialpoint-{os.getuid()}", "dialpoint.sock")


def main(channel="", seconds="30"):
    endpoints = resolve(channel, float(seconds))
    # Your program connects here, to endpoints["gateway"]["url"]. Keep the URL: it is good for every reconnect.
    # It holds a credential, so only displayUrl may be printed.
    for name in ("gateway", "sidecar"):
        if name in endpoints:
            print(name, endpoints[name]["displayUrl"])


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ResolveError as error:
        sys.exit(f"child: {error}")
