"""Receives posts and pushes: one server for all webhooks and browsers, which can refuse for a while."""

from __future__ import annotations

import base64
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

SECRET = b"sixteen secrets!"
"""The authentication secret that all browsers share; each also has its own key."""


@dataclass
class Receivers:
    """copies: how often each notice arrived, by its id. While `refuses` is set, each request is answered with a
    temporary failure.
    """

    copies: Counter[str] = field(default_factory=Counter)
    refuses: bool = False
    refused: int = 0
    port: int = 0
    _keys: dict[str, ec.EllipticCurvePrivateKey] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def address(self) -> str:
        """Return the value for the setting WEBHOOK_ALLOWED_ADDRESSES: no other address on this machine may get
        posts.
        """
        return f"127.0.0.1:{self.port}"

    @property
    def hook(self) -> str:
        """Return the address of a webhook."""
        return f"http://{self.address}/hook"

    def browser(self, number: int) -> dict[str, str]:
        """Return the subscription of a new browser: the address of its push service, and its public key and secret."""
        path = f"/push/{number}"
        key = self._keys[path] = ec.generate_private_key(ec.SECP256R1())
        form = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        point = key.public_key().public_bytes(*form)
        return {"endpoint": f"http://{self.address}{path}", "p256dh": _in_base64(point), "auth": _in_base64(SECRET)}

    def take(self, path: str, delivery: str | None, body: bytes) -> int:
        """Return the status for a post: 204 when it was read and counted."""
        with self._lock:
            if self.refuses:
                self.refused += 1
                return 503
        if delivery is None:
            plain = http_ece.decrypt(body, private_key=self._keys[path], auth_secret=SECRET, version="aes128gcm")
            delivery = json.loads(plain)["tag"]
        else:
            json.loads(body)
        with self._lock:
            self.copies[delivery] += 1
        return 204

    @contextmanager
    def up(self) -> Iterator[None]:
        """Listen on this machine while the block runs."""
        receivers = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(receivers.take(self.path, self.headers.get("webhook-id"), body))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _in_base64(number: bytes) -> str:
    return base64.urlsafe_b64encode(number).rstrip(b"=").decode()
