#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# A real OpenStack for tests: stack.py DIR. Keystone, Placement, Glance, Neutron and Nova of Debian's python3-* packages run on 127.0.0.1 and keep all
# they have in DIR; Nova's hypervisor is its own fake one, and Neutron wires nothing. There is no broker and no SQL server, and root is not needed.
# It is ready when DIR/port is there, and ends with its standard input.
#
# The services are reached through one port, under /identity, /compute, /network, /image, as those of the fake cloud are; what is asked there and what
# is answered is one JSON a line in DIR/log. There is the project "dev" with the user "svc", whose password is "secret-token"; flavors, an image, a
# network "lan", and a network "ext" for floating addresses. The project may have three servers and two floating addresses, or $STACK_MOST of each.
#
# A file DIR/lose with a regular expression has the next answer to a request "METHOD PATH" that matches it lost, when it has been carried out.
import http.client
import http.server
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
DIR = os.path.abspath(sys.argv[1])
SERVICES = {"identity": "/v3", "compute": "/v2.1", "network": "", "image": "", "placement": ""}
PASSWORD, MOST = "admin-password", os.environ.get("STACK_MOST")
processes = {}


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


PORTS = dict(zip([*SERVICES, "front"], free_ports(len(SERVICES) + 1)))
KEYSTONE = "http://127.0.0.1:%d/v3" % PORTS["identity"]


# --- configuration ---

def login(**more):
    """How one service is a client of Keystone."""
    return dict({"auth_type": "password", "auth_url": KEYSTONE, "username": "admin", "password": PASSWORD, "project_name": "admin",
                 "user_domain_id": "default", "project_domain_id": "default", "region_name": "RegionOne"}, **more)


def database(name):
    return {"connection": "sqlite:///%s/%s.db" % (DIR, name), "sqlite_synchronous": "false"}


def write(name, sections):
    with open(os.path.join(DIR, name), "w") as file:
        for section, values in sections.items():
            file.write("[%s]\n" % section)
            file.writelines("%s = %s\n" % pair for pair in values.items())


def write_pipelines(name, composite, applications, pipelines, factories, more={}):
    """A file of PasteDeploy: which applications stand where, and what each request passes on its way to them."""
    sections = {"composite:" + composite: applications} if composite else {}
    sections.update({"pipeline:" + one: {"pipeline": way} for one, way in pipelines.items()})
    sections.update({kind: {"paste.%s_factory" % kind.split(":")[0]: factory} for kind, factory in factories.items()})
    write(name, dict(sections, **more))


def configure():
    lock = {"lock_path": os.path.join(DIR, "locks")}
    token = login(www_authenticate_uri=KEYSTONE)
    auth = {"filter:authtoken": "keystonemiddleware.auth_token:filter_factory"}

    def log(name):
        return {"log_file": os.path.join(DIR, name + ".log")}
    write("keystone.conf", {"DEFAULT": log("keystone"), "database": database("keystone"), "token": {"provider": "fernet"},
                            "fernet_tokens": {"key_repository": DIR + "/fernet"}, "fernet_receipts": {"key_repository": DIR + "/fernet"},
                            "identity": {"password_hash_rounds": 4}})
    write("placement.conf", {"placement_database": database("placement"), "api": {"auth_strategy": "keystone"}, "keystone_authtoken": token})
    write("glance.conf", {"DEFAULT": dict(log("glance"), bind_host="127.0.0.1", bind_port=PORTS["image"], workers=0, enabled_backends="disk:file"),
                          "database": database("glance"), "glance_store": {"default_backend": "disk"}, "disk": {"filesystem_store_datadir": DIR + "/images"},
                          "os_glance_staging_store": {"filesystem_store_datadir": DIR + "/staging"},
                          "os_glance_tasks_store": {"filesystem_store_datadir": DIR + "/tasks"},
                          "paste_deploy": {"flavor": "keystone", "config_file": DIR + "/glance-paste.ini"}, "keystone_authtoken": token,
                          "oslo_policy": {"enforce_scope": "false"}})
    write_pipelines("glance-paste.ini", "", {}, {"glance-api-keystone": "versionnegotiation authtoken context root"}, dict(auth, **{
        "filter:versionnegotiation": "glance.api.middleware.version_negotiation:VersionNegotiationFilter.factory",
        "filter:context": "glance.api.middleware.context:ContextMiddleware.factory", "app:versions": "glance.api.versions:create_resource",
        "app:v2": "glance.api.v2.router:API.factory"}), {"composite:root": {"paste.composite_factory": "glance.api:root_app_factory", "/": "versions", "/v2": "v2"}})
    write("neutron.conf", {"DEFAULT": dict(log("neutron"), bind_host="127.0.0.1", bind_port=PORTS["network"], core_plugin="ml2", service_plugins="router",
                                           api_workers=0, rpc_workers=0, rpc_state_report_workers=0, api_paste_config=DIR + "/neutron-paste.ini",
                                           transport_url="fake:///", state_path=DIR, notify_nova_on_port_status_changes="false",
                                           notify_nova_on_port_data_changes="false"),
                           "oslo_concurrency": lock, "database": database("neutron"), "keystone_authtoken": token, "quotas": {"quota_port": -1, "quota_floatingip": MOST or 2},
                           "ml2": {"type_drivers": "local", "tenant_network_types": "local", "mechanism_drivers": "unwired"}})
    write_pipelines("neutron-paste.ini", "neutron", {"use": "egg:Paste#urlmap", "/": "versions", "/v2.0": "api"},
                    {"api": "authtoken context extensions router"}, dict(auth, **{
                        "filter:context": "neutron.auth:NeutronKeystoneContext.factory",
                        "filter:extensions": "neutron.api.extensions:plugin_aware_extension_middleware_factory",
                        "app:versions": "neutron.pecan_wsgi.app:versions_factory", "app:router": "neutron.api.v2.router:APIRouter.factory"}))
    write("nova.conf", {"DEFAULT": dict(log("nova"), host="fake1", compute_driver=os.environ.get("NOVA_DRIVER", "fake.FakeDriver"),
                                        enabled_apis="osapi_compute", osapi_compute_listen="127.0.0.1", osapi_compute_listen_port=PORTS["compute"],
                                        osapi_compute_workers=1, transport_url="fake:///", state_path=DIR + "/nova", vif_plugging_is_fatal="false",
                                        vif_plugging_timeout=0),
                        "oslo_concurrency": lock, "api": {"auth_strategy": "keystone"}, "wsgi": {"api_paste_config": DIR + "/nova-paste.ini"},
                        "api_database": database("nova_api"), "database": database("nova_cell1"), "conductor": {"workers": 1},
                        "scheduler": {"workers": 1, "discover_hosts_in_cells_interval": 2}, "quota": {"instances": MOST or 3, "cores": -1, "ram": -1},
                        "glance": {"api_servers": "http://127.0.0.1:%d" % PORTS["image"]}, "neutron": login(), "placement": login(),
                        "keystone_authtoken": token})
    write_pipelines("nova-paste.ini", "osapi_compute", {"use": "call:nova.api.openstack.urlmap:urlmap_factory", "/": "versions", "/v2.1": "v21"},
                    {"v21": "requestid faultwrap authtoken context app21", "versions": "faultwrap appversions"}, dict(auth, **{
                        "filter:requestid": "nova.api.compute_req_id:ComputeReqIdMiddleware.factory",
                        "filter:faultwrap": "nova.api.openstack:FaultWrapper.factory", "filter:context": "nova.api.auth:NovaKeystoneContext.factory",
                        "app:app21": "nova.api.openstack.compute:APIRouterV21.factory",
                        "app:appversions": "nova.api.openstack.compute.versions:Versions.factory"}))


# --- databases ---

def python(code, *arguments):
    return [sys.executable, "-c", code, *arguments]


def manage(name, module, *arguments):
    return python("import sys; from %s import main; sys.argv[0] = %r; sys.exit(main())" % (module, name), "--config-file",
                  "%s/%s.conf" % (DIR, name.split("-")[0]), *arguments)


def run_all(*commands):
    for command in commands:
        with open(DIR + "/setup.log", "a") as log:
            subprocess.run(command, stdout=log, stderr=log, check=True, env=dict(os.environ, OS_PLACEMENT_CONFIG_DIR=DIR, OS_BOOTSTRAP_PASSWORD=PASSWORD))


def make_databases():
    """All at once, as each is minutes of Python for one processor. Neutron's migrations are not for SQLite: its tables are made of the models."""
    who = subprocess.check_output(["id", "-un"], text=True).strip(), subprocess.check_output(["id", "-gn"], text=True).strip()
    tables = "import sys, sqlalchemy; from neutron.db.migration.models import head; head.get_metadata().create_all(sqlalchemy.create_engine(sys.argv[1]))"
    urls = [word for kind in ("admin", "internal", "public") for word in ("--bootstrap-%s-url" % kind, KEYSTONE)]
    chains = [
        [manage("keystone-manage", "keystone.cmd.manage", "db_sync"),
         manage("keystone-manage", "keystone.cmd.manage", "fernet_setup", "--keystone-user", who[0], "--keystone-group", who[1]),
         manage("keystone-manage", "keystone.cmd.manage", "bootstrap", *urls, "--bootstrap-region-id", "RegionOne")],
        [["placement-manage", "--config-file", DIR + "/placement.conf", "db", "sync"],
         manage("glance-manage", "glance.cmd.manage", "db_sync"), python(tables, "sqlite:///%s/neutron.db" % DIR)],
        [manage("nova-manage", "nova.cmd.manage", "api_db", "sync"),
         manage("nova-manage", "nova.cmd.manage", "cell_v2", "map_cell0", "--database_connection", "sqlite:///%s/nova_cell0.db" % DIR),
         manage("nova-manage", "nova.cmd.manage", "cell_v2", "create_cell", "--name", "cell1", "--database_connection",
                "sqlite:///%s/nova_cell1.db" % DIR, "--transport-url", "fake:///"),
         manage("nova-manage", "nova.cmd.manage", "db", "sync")]]
    failed = []

    def work(chain):
        try:
            run_all(*chain)
        except subprocess.CalledProcessError as error:
            failed.append(error)
    threads = [threading.Thread(target=work, args=(chain,)) for chain in chains]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        sys.exit("stack.py: %s: see %s/setup.log" % (failed[0], DIR))
    for name in os.listdir(DIR):
        if name.endswith(".db"):
            # Else those who read lock out those who write.
            sqlite3.connect(os.path.join(DIR, name)).execute("pragma journal_mode=wal")


# --- services ---

def start(name, *command):
    with open("%s/%s.out" % (DIR, name), "w") as out:
        processes[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                           env=dict(os.environ, PYTHONPATH=HERE, OS_PLACEMENT_CONFIG_DIR=DIR))


def wait(name, url):
    """Waits until it answers, whatever; a machine with much to do takes minutes."""
    for _ in range(3000):
        try:
            return urllib.request.urlopen(url, timeout=60).read()
        except urllib.error.HTTPError:
            return None
        except OSError:
            if processes[name].poll() is not None:
                break
            time.sleep(0.1)
    sys.exit("stack.py: %s does not answer: see %s/%s.out" % (name, DIR, name))


def start_services():
    for name, application in (("identity", "keystone.server.wsgi:initialize_public_application"), ("placement", "placement.wsgi:init_application")):
        start(name, sys.executable, HERE + "/wsgi.py", application, str(PORTS[name]), "--config-file", "%s/keystone.conf" % DIR)
    start("image", *manage("glance-api", "glance.cmd.api"))
    start("network", *manage("neutron-server", "neutron.cmd.eventlet.server"))
    wait("identity", KEYSTONE)


# --- what is in it ---

class Client:
    """Requests of a user, past the port that tests see."""

    def __init__(self, name, password, project):
        self.token = None
        user = {"name": name, "password": password, "domain": {"id": "default"}}
        answer = self.send("POST", KEYSTONE + "/auth/tokens", {"auth": {
            "identity": {"methods": ["password"], "password": {"user": user}}, "scope": {"project": {"name": project, "domain": {"id": "default"}}}}})
        self.token = answer.headers["X-Subject-Token"]

    def send(self, method, url, body=None, type="application/json"):
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": type, "X-Auth-Token": self.token or ""}, method=method)
        return urllib.request.urlopen(request, timeout=300)

    def post(self, service, path, body):
        return json.load(self.send("POST", "http://127.0.0.1:%d%s" % (PORTS[service], path), body))


def register(admin):
    """The catalogue leads to the port that tests see; Nova and Placement are asked by the others through it as well."""
    front = "http://127.0.0.1:%d" % PORTS["front"]
    for kind, version in SERVICES.items():
        if kind == "identity":
            continue
        service = admin.post("identity", "/v3/services", {"service": {"type": kind, "name": kind}})["service"]["id"]
        for interface in ("public", "internal", "admin"):
            url = "http://127.0.0.1:%d" % PORTS[kind] if interface == "internal" else "%s/%s" % (front, kind)
            admin.post("identity", "/v3/endpoints", {"endpoint": {"service_id": service, "interface": interface, "url": url + version,
                                                                  "region_id": "RegionOne"}})
    project = admin.post("identity", "/v3/projects", {"project": {"name": "dev", "domain_id": "default"}})["project"]["id"]
    user = admin.post("identity", "/v3/users", {"user": {"name": "svc", "password": "secret-token", "domain_id": "default"}})["user"]["id"]
    role = next(role["id"] for role in json.load(admin.send("GET", KEYSTONE + "/roles"))["roles"] if role["name"] == "member")
    admin.send("PUT", "%s/projects/%s/users/%s/roles/%s" % (KEYSTONE, project, user, role))
    return project


def furnish(admin, project):
    image = admin.post("image", "/v2/images", {"name": "debian-12", "disk_format": "raw", "container_format": "bare", "visibility": "public"})["id"]
    admin.send("PUT", "http://127.0.0.1:%d/v2/images/%s/file" % (PORTS["image"], image), b"no image", "application/octet-stream")
    lan = admin.post("network", "/v2.0/networks", {"network": {"name": "lan", "project_id": project}})["network"]["id"]
    subnet = admin.post("network", "/v2.0/subnets", {"subnet": {"network_id": lan, "ip_version": 4, "cidr": "127.77.0.0/16", "enable_dhcp": False,
                                                                "project_id": project}})["subnet"]["id"]
    ext = admin.post("network", "/v2.0/networks", {"network": {"name": "ext", "router:external": True, "shared": False}})["network"]["id"]
    admin.post("network", "/v2.0/subnets", {"subnet": {"network_id": ext, "ip_version": 4, "cidr": "127.200.0.0/16", "enable_dhcp": False}})
    router = admin.post("network", "/v2.0/routers", {"router": {"name": "way", "project_id": project, "external_gateway_info": {"network_id": ext}}})
    admin.send("PUT", "http://127.0.0.1:%d/v2.0/routers/%s/add_router_interface" % (PORTS["network"], router["router"]["id"]), {"subnet_id": subnet})


def add_flavors(admin):
    for number, name, cpus, memory, disk in (("1", "m1.tiny", 1, 512, 1), ("2", "m1.small", 1, 1024, 1), ("4", "large", 1, 1024, 1), ("5", "huge", 4096, 1024, 1)):
        admin.post("compute", "/v2.1/flavors", {"flavor": {"id": number, "name": name, "vcpus": cpus, "ram": memory, "disk": disk}})


def add_key():
    with open(DIR + "/ops.pub") as file:
        Client("svc", "secret-token", "dev").post("compute", "/v2.1/os-keypairs", {"keypair": {"name": "ops", "public_key": file.read().strip()}})


def wait_for_host():
    """A server that is asked for before the compute host is mapped to its cell ends in ERROR."""
    for _ in range(1200):
        try:
            if sqlite3.connect(DIR + "/nova_api.db").execute("select count(*) from host_mappings").fetchone()[0]:
                return
        except sqlite3.OperationalError:
            pass
        time.sleep(0.25)
    sys.exit("stack.py: nova has no host: see %s/nova.log" % DIR)


# --- the port that tests see ---

class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    lock = threading.Lock()

    def log_message(self, *args):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        _, name, *rest = self.path.split("?")[0].split("/") + [""]
        if name not in SERVICES:
            return self.answer(404, [], b"")
        connection = http.client.HTTPConnection("127.0.0.1", PORTS[name], timeout=300)
        headers = {key: value for key, value in self.headers.items() if key.lower() not in ("host", "connection", "accept-encoding", "content-length")}
        connection.request(self.command, self.path[len(name) + 1:] or "/", body or None, headers)
        answer = connection.getresponse()
        text = answer.read()
        self.record(body, answer.status, text)
        if self.is_lost():
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        self.answer(answer.status, [(key, value) for key, value in answer.getheaders()
                                    if key.lower() not in ("connection", "transfer-encoding", "content-length", "server", "date")], text)
        connection.close()

    def answer(self, status, headers, text):
        self.send_response(status)
        for key, value in headers:
            self.send_header(key, value)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def is_lost(self):
        with self.lock:
            try:
                with open(DIR + "/lose") as file:
                    lost = re.match(file.read().strip(), "%s %s" % (self.command, self.path))
            except FileNotFoundError:
                return False
            if lost:
                os.unlink(DIR + "/lose")
            return lost

    def record(self, body, status, text):
        line = {"method": self.command, "path": self.path, "status": status, "body": body.decode("latin-1"), "answer": text.decode("latin-1")}
        with self.lock, open(DIR + "/log", "a") as log:
            log.write(json.dumps(line) + "\n")

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = pass_on


def stop(*_):
    for process in processes.values():
        process.kill() # nova waits for a minute on what else it is told
    os._exit(0)


def main():
    for folder in ("images", "staging", "tasks", "fernet", "nova", "locks"):
        os.makedirs(os.path.join(DIR, folder), exist_ok=True)
    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=lambda: (sys.stdin.read(), stop()), daemon=True).start()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORTS["front"]), Front)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ops", "-f", DIR + "/ops"], check=True)
    configure()
    make_databases()
    start_services()
    admin = Client("admin", PASSWORD, "admin")
    project = register(admin)
    start("compute", sys.executable, HERE + "/nova_all.py", "--config-file", DIR + "/nova.conf")
    wait("image", "http://127.0.0.1:%d/" % PORTS["image"])
    wait("network", "http://127.0.0.1:%d/" % PORTS["network"])
    furnish(admin, project)
    wait("compute", "http://127.0.0.1:%d/" % PORTS["compute"])
    add_flavors(admin)
    add_key()
    wait_for_host()
    with open(DIR + "/port.new", "w") as file:
        file.write(str(PORTS["front"]))
    os.rename(DIR + "/port.new", DIR + "/port")
    signal.pause()


try:
    main()
except BaseException:
    for process in processes.values():
        process.kill()
    raise
