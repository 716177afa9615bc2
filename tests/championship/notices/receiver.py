"""A real HTTP server that stores posts and answers as the test needs."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Post:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """`answer`: status and headers. `drip`: called with the connection instead of sending a response."""

    port: int = 0
    posts: list[Post] = field(default_factory=list)
    answer: tuple[int, dict[str, str]] = (204, {})
    text: bytes = b""
    drip: Callable[[Any], None] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?key=1"

    @property
    def allowed(self) -> list[str]:
        return [f"127.0.0.1:{self.port}"]


@contextmanager
def receiver(certificate: tuple[str, str] | None = None) -> Iterator[Receiver]:
    """Listen on this machine during the block; with TLS when a certificate and its key are given."""
    told = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            told.posts.append(Post(self.path, dict(self.headers.items()), body))
            if told.drip is not None:
                told.drip(self.wfile)
                return
            status, headers = told.answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(told.text)))
            self.end_headers()
            self.wfile.write(told.text)

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    told.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
