#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What stands before a cloud: front.py PORTFILE LOG [--at ADDRESS] [--before PORT] [--certificate FILE --key FILE [--clients FILE]]
# [--to URL --of METHOD]. It gives each request to the server at a port of 127.0.0.1. With a certificate it takes TLS alone, with --clients only from
# who has a certificate that this file trusts. It answers requests of the method that what they want is at another URL. It is a proxy, too: of whole
# URLs, and of CONNECT. What is asked is a line "METHOD TARGET TOKEN CLIENT" in LOG, with "-" for what there is none of. It ends with its standard input.
import argparse
import http.client
import http.server
import os
import select
import socket
import ssl
import sys
import threading
import urllib.parse

OF_ONE_HOP = {"connection", "host", "proxy-connection", "keep-alive", "accept-encoding"}
parser = argparse.ArgumentParser()
parser.add_argument("port_file")
parser.add_argument("log")
for option in ("--at", "--before", "--certificate", "--key", "--clients", "--to", "--of"):
    parser.add_argument(option)
own = parser.parse_args()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def record(self):
        peer = self.connection.getpeercert() if own.clients else None
        client = peer["subject"][0][0][1] if peer else "-"
        with open(own.log, "a") as log:
            log.write("%s %s %s %s\n" % (self.command, self.path, self.headers.get("Authorization", "-").split()[-1], client))

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.record()
        if own.to and own.of == self.command:
            return self.send(307, [("Location", own.to + self.path)], b"")
        url = urllib.parse.urlsplit(self.path)
        to = http.client.HTTPConnection(url.netloc or "127.0.0.1:" + own.before)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OF_ONE_HOP}
        to.request(self.command, urllib.parse.urlunsplit(("", "", url.path, url.query, "")), body or None, headers)
        answer = to.getresponse()
        text = answer.read()
        self.send(answer.status, [one for one in answer.getheaders() if one[0].lower() not in ("content-length", "connection")], text)
        to.close()

    def send(self, status, headers, text):
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_CONNECT(self):
        """Carries bytes in both directions until one of them is at its end."""
        self.record()
        host, port = self.path.rsplit(":", 1)
        with socket.create_connection((host.strip("[]"), int(port))) as other:
            self.send_response_only(200)
            self.end_headers()
            ways = {self.connection: other, other: self.connection}
            while True:
                for one in select.select(list(ways), [], [])[0]:
                    some = one.recv(65536)
                    if not some:
                        self.close_connection = True
                        return
                    ways[one].sendall(some)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = answer


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    address_family = socket.AF_INET6 if ":" in (own.at or "") else socket.AF_INET

    def finish_request(self, request, client_address):
        """TLS begins in the thread of its connection."""
        if own.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(own.certificate, own.key)
            if own.clients:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(own.clients)
            request = context.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        """That a client has gone, or takes no such certificate, is nothing to be told."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


server = Server((own.at or "127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(own.port_file + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(own.port_file + ".new", own.port_file)
sys.stdin.read()
