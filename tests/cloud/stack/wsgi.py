# SPDX-License-Identifier: Apache-2.0
#
# Serves a WSGI application on 127.0.0.1, a thread a connection: wsgi.py MODULE:FUNCTION PORT [ARGUMENT]... The arguments are the application's.
import importlib
import socketserver
import sys
import wsgiref.simple_server


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True
    request_queue_size = 100


class Handler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *args):
        pass


def main():
    module, function = sys.argv[1].split(":")
    port = int(sys.argv[2])
    del sys.argv[1:3]
    application = getattr(importlib.import_module(module), function)()
    wsgiref.simple_server.make_server("127.0.0.1", port, application, Server, Handler).serve_forever()


main()
