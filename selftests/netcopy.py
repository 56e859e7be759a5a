#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Send random bytes over a TCP connection while as many come the other way.

usage: netcopy.py listen|connect ADDRESS PORT BYTES

Prints "sent BYTES SHA256" and "received BYTES SHA256": what one end has sent is
what the other must have received. Exits with 1 if the connection fails.
"""

import hashlib
import os
import socket
import sys
import threading
import time

PATIENCE = 60


def connect(address):
    """Connect, as soon as somebody listens."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(address, timeout=PATIENCE)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def listen(address):
    with socket.create_server(address) as server:
        server.settimeout(PATIENCE)
        connection, _ = server.accept()
    connection.settimeout(PATIENCE)
    return connection


def send(connection, size, tell):
    """Send in pieces of all lengths, so that packets are of all lengths."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    checksum = hashlib.sha256()
    left, length = size, 1
    while left:
        length = length * 7919 % 65521
        data = os.urandom(min(length, left))
        checksum.update(data)
        connection.sendall(data)
        left -= len(data)
    connection.shutdown(socket.SHUT_WR)
    tell(f"sent {size} {checksum.hexdigest()}")


def receive(connection, tell):
    checksum = hashlib.sha256()
    size = 0
    while data := connection.recv(65536):
        checksum.update(data)
        size += len(data)
    tell(f"received {size} {checksum.hexdigest()}")


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in ("listen", "connect"):
        sys.exit(__doc__)
    how, host, port, size = sys.argv[1:]
    lines = []
    meet = listen if how == "listen" else connect
    try:
        with meet((host, int(port))) as connection:
            sender = threading.Thread(target=send, args=(connection, int(size), lines.append))
            sender.start()
            receive(connection, lines.append)
            sender.join()
    except OSError as error:
        sys.exit(f"netcopy.py: {how} {host}:{port}: {error}")
    # A sender that has failed has said why, and nothing else.
    if len(lines) != 2:
        sys.exit(1)
    print("\n".join(lines))


main()
