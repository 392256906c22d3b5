# SPDX-License-Identifier: Apache-2.0
"""A provisioner as those of Coopr, for tests: it sends what they send, and listens as they do.

python3 serve-provisioner.py URL ID TENANT CAPACITY

It registers, beats, and once it is told of its tenant it fetches the resources, and starts workers that take tasks and finish them at once.
The folder told gets what it was told, tasks each task, resources what was fetched. A file "dead" makes it silent. At its end it leaves."""
import base64, http.server, json, os, signal, sys, threading, time, urllib.error, urllib.parse, urllib.request

url, me, tenant, capacity = sys.argv[1:5]
parts = urllib.parse.urlsplit(url)
server = f"http://{parts.hostname}:{parts.port}"
# Credentials of the URL are sent as clients of Ruby do.
basic = "Basic " + base64.b64encode(f"{parts.username}:{parts.password}".encode()).decode()
ending = threading.Event()
workers = 0
for folder in "told", "tasks", "resources":
    os.makedirs(folder, exist_ok=True)


def ask(method, path, body=None):
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(server + path, data, {"Authorization": basic, "Coopr-UserID": "admin"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 0, b""


def keep(path, data):
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.rename(path + ".new", path)


def fetch(resources):
    for kind, plugins in resources.items():
        for plugin, types in plugins.items():
            for type, its in types.items():
                for one in its["active"]:
                    path = f"/v2/tenants/{tenant}/{kind}/{plugin}/{type}/{one['name']}/versions/{one['version']}"
                    status, data = ask("GET", path)
                    keep(f"resources/{one['name']}", data if status == 200 else str(status).encode())


def work(name):
    order = {"provisionerId": me, "workerId": name, "tenantId": tenant}
    while not ending.is_set():
        status, data = ask("POST", "/v2/tasks/take", order)
        if status != 200:
            time.sleep(0.1)
            continue
        task = json.loads(data)
        keep("tasks/" + task["taskId"], data)
        result = dict(order, taskId=task["taskId"], status=0)
        if task["taskName"] == "CREATE":
            result["result"] = {"providerid": "i-" + task["nodeId"], "ssh-auth": {"user": "ubuntu", "identityfile": "ssh_keys/k1"}}
        if task["taskName"] == "CONFIRM":
            result["ipaddresses"] = {"access_v4": "203.0.113.4", "bind_v4": "10.0.0.4"}
            # As ssh-keyscan(1) prints it, without the name of the algorithm.
            result["result"] = {"ssh_host_keys": {"rsa": base64.b64encode(b"\0\0\0\x07ssh-rsa\0\0\0\x03\1\0\1").decode()}}
        ask("POST", "/v2/tasks/finish", result)


class Told(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        global workers
        data = self.rfile.read(int(self.headers["Content-Length"]))
        keep("told/" + self.path.rsplit("/", 1)[1], data)
        told = json.loads(data)
        threading.Thread(target=fetch, args=(told.get("resources", {}),)).start()
        while workers < min(told["workers"], 2):
            workers += 1
            threading.Thread(target=work, args=(f"host.{workers}",), daemon=True).start()
        self.answer(200)

    def do_DELETE(self):
        keep("told/" + self.path.rsplit("/", 1)[1] + ".gone", b"")
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


own = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Told)
threading.Thread(target=own.serve_forever, daemon=True).start()
signal.signal(signal.SIGTERM, lambda *_: ending.set())
ask("PUT", "/v2/plugins/providertypes/vcloud", {"name": "vcloud", "classname": "FogProviderAWS"})
ask("PUT", "/v2/plugins/automatortypes/chef-zero", {"name": "chef-zero", "resourceTypes": {
    "cookbooks": {"format": "archive"}, "roles": {"format": "file", "permissions": "0600"}}})
while not ending.is_set():
    status, _ = ask("PUT", f"/v2/provisioners/{me}", {"id": me, "host": "192.0.2.1", "port": str(own.server_port), "capacityTotal": capacity})
    if status == 200:
        break
    time.sleep(0.1)
while not ending.wait(0.3):
    ask("POST", f"/v2/provisioners/{me}/heartbeat", {"usage": {tenant: workers}})
ask("DELETE", f"/v2/provisioners/{me}")
