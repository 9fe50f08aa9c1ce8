"""The HTTP interface of ClickHouse before its embedded build: login, settings, codes of exceptions."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb import session

engine = session.Session()
# The embedded build runs one statement at a time.
lock = threading.Lock()
# Settings of the HTTP interface itself, which the embedded build does not have.
OF_HTTP = {"query_id", "wait_end_of_query"}


class Interface(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        sql = self.rfile.read(int(self.headers["content-length"])).decode()
        login = (self.headers.get("x-clickhouse-user"), self.headers.get("x-clickhouse-key"))
        if login != ("quant", "canary-password-91c2"):
            return self.fail(403, "Code: 516. DB::Exception: quant: Authentication failed. (AUTHENTICATION_FAILED)")
        settings = [pair for pair in parse_qsl(urlsplit(self.path).query) if pair[0] not in OF_HTTP]
        try:
            with lock:
                for name, value in settings:
                    engine.query(f"SET {name} = '{value}'")
                body = engine.query(sql, "TSV").bytes()
        except Exception as error:
            return self.fail(500, str(error))
        self.answer(200, body)

    def fail(self, status, message):
        code = re.search(r"Code: (\d+)", message)
        self.answer(status, message.encode(), {"X-ClickHouse-Exception-Code": code[1]} if code else {})

    def answer(self, status, body, headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Interface)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
