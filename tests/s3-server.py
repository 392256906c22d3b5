#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# s3-server KEY-ID SECRET REGION: a bucket in memory for tests, which speaks the protocol of Amazon S3 as far as keepers need it. It
# verifies each signature by itself, from the published rules of version 4, and prints its port. Keys that begin with "busy" get 503,
# those with "cut" an answer that breaks off.

import hashlib, hmac, http.server, sys, urllib.parse, datetime, xml.sax.saxutils

ID, SECRET, REGION = sys.argv[1:4]
OBJECTS = {}
PAGE = 2


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", cut=0):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) + cut))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        if cut:
            self.close_connection = True

    def refuse(self, status, code):
        self.answer(status, ("<Error><Code>%s</Code></Error>" % code).encode())

    def is_signed(self, body):
        words = self.headers.get("Authorization", "").replace(",", " ").split()
        if not words or words[0] != "AWS4-HMAC-SHA256":
            return False
        given = dict(word.split("=", 1) for word in words[1:])
        who, day, region, service, end = given["Credential"].split("/")
        names = given["SignedHeaders"].split(";")
        at = self.headers["x-amz-date"]
        age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.strptime(at + "+0000", "%Y%m%dT%H%M%SZ%z")
        if who != ID or region != REGION or service != "s3" or end != "aws4_request" or not at.startswith(day) or abs(age.total_seconds()) > 900:
            return False
        if "host" not in names or names != sorted(names):
            return False
        said = self.headers["x-amz-content-sha256"]
        if said != "UNSIGNED-PAYLOAD" and said != hashlib.sha256(body).hexdigest():
            return False
        path, _, query = self.path.partition("?")
        pairs = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
        query = "&".join("%s=%s" % (urllib.parse.quote(k, safe="~"), urllib.parse.quote(v, safe="~")) for k, v in pairs)
        headers = "".join("%s:%s\n" % (name, " ".join(self.headers[name].split())) for name in names)
        text = "\n".join([self.command, path, query, headers, ";".join(names), said])
        scope = "/".join([day, region, service, end])
        key = mac(mac(mac(mac(("AWS4" + SECRET).encode(), day), region), service), end)
        sign = mac(key, "\n".join(["AWS4-HMAC-SHA256", at, scope, hashlib.sha256(text.encode()).hexdigest()])).hex()
        return hmac.compare_digest(sign, given["Signature"])

    def list(self, query):
        values = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        names = [n for n in sorted(OBJECTS) if n.startswith(values.get("prefix", "")) and n > values.get("continuation-token", "")]
        more = "<NextContinuationToken>%s</NextContinuationToken>" % names[PAGE - 1] if len(names) > PAGE else ""
        body = "<?xml version='1.0'?><ListBucketResult><IsTruncated>%s</IsTruncated>%s%s</ListBucketResult>" % (
            "true" if more else "false", more,
            "".join("<Contents><Key>%s</Key><Size>1</Size></Contents>" % xml.sax.saxutils.escape(n) for n in names[:PAGE]))
        self.answer(200, body.encode())

    def act(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.is_signed(body):
            return self.refuse(403, "SignatureDoesNotMatch")
        path, _, query = self.path.partition("?")
        parts = path.split("/", 2)
        if parts[1] != "bucket":
            return self.refuse(404, "NoSuchBucket")
        name = parts[2] if len(parts) > 2 else ""
        if not name:
            return self.list(query)
        if name.split("/")[-1].startswith("busy"):
            return self.refuse(503, "SlowDown")
        if self.command == "PUT":
            OBJECTS[name] = body
            return self.answer(200)
        if self.command == "DELETE":
            OBJECTS.pop(name, None)
            return self.answer(204)
        if name not in OBJECTS:
            return self.refuse(404, "NoSuchKey")
        return self.answer(200, OBJECTS[name], 100 if name.split("/")[-1].startswith("cut") else 0)

    do_GET = do_PUT = do_HEAD = do_DELETE = act


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
