# SPDX-License-Identifier: Apache-2.0
#
# The XML-RPC API of OpenNebula, as far as virtual machines go. Calls are read and answers written by Python's own XML-RPC, and templates are merged and
# read as there. No client of others speaks it here but that of Python's library.
import re
import time
import xml.etree.ElementTree as tree
import xmlrpc.client
from xml.sax.saxutils import escape

SESSION = "oneadmin:secret-password"
TEMPLATES = {"large": (2, 4096, 3), "small": (0.5, 512, 4)}
IMAGES, NETWORKS, CLUSTERS = {"debian-12": 7, "golden": 8}, {"public": 1, "private": 2}, {"default": 0, "rack2": 100}
AUTHENTICATION, NO_EXISTS, ACTION, API, INTERNAL, ALLOCATE = 0x100, 0x400, 0x800, 0x1000, 0x2000, 0x4000


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


class Cloud:
    def __init__(self, settings):
        self.settings = settings
        settings.update({"limit": 0, "failing": False, "old": False, "host_keys": "", "crash": 0})
        self.machines, self.number = {}, 0

    def set(self, value):
        for number in range(value.get("many", 0)):
            root = tree.Element("TEMPLATE")
            context = tree.SubElement(root, "CONTEXT")
            for name, text in (("COOPR_INSTALLATION", value["of"]), ("COOPR_NODE", "00000043-%d" % (2000 + number))):
                tree.SubElement(context, name).text = text
            self.add("many-%d" % number, root, 1, 128)

    def name(self, body):
        match = re.search(rb"<methodName>([^<]*)</methodName>", body)
        return " Action=" + (match.group(1).decode() if match else "")

    def answer(self, *values):
        return 200, {"Content-Type": "text/xml; charset=utf-8"}, xmlrpc.client.dumps((list(values),), methodresponse=True).encode()

    def too_fast(self):
        return 503, {}, b"too many"

    def alive(self):
        return [m for m in self.machines.values() if not m["gone"] or time.time() < m["gone"]]

    def owned(self):
        return [dict(id=m["id"], name=m["name"], address=self.address(m["id"]), xml=tree.tostring(m["template"], encoding="unicode"), made=m["made"]) for m in self.alive()]

    def address(self, n):
        return self.settings.get("address") or "127.%d.%d.%d" % (n >> 16 & 255, n >> 8 & 255, n & 255)

    def do(self, method, path, query, headers, body):
        try:
            arguments, name = xmlrpc.client.loads(body)
        except Exception:  # whatever expat says
            return 400, {}, b"not XML-RPC"
        function = getattr(self, "do_" + name.replace(".", "_"), None)
        if method != "POST" or path != "/RPC2" or not headers.get("Content-Type", "").startswith("text/xml"):
            return 405, {}, b"only POST"
        if not function or (self.settings["old"] and name == "one.vmpool.infoextended"):
            return 200, {"Content-Type": "text/xml"}, xmlrpc.client.dumps(xmlrpc.client.Fault(-506, "Method '%s' not defined" % name)).encode()
        try:
            if arguments[0] != SESSION:
                raise Refused(AUTHENTICATION, "[%s] User couldn't be authenticated, aborting call." % name)
            return self.answer(True, function(*arguments[1:]), 0)
        except Refused as refused:
            return self.answer(False, "[%s] %s" % (name, refused.message), refused.code)
        except TypeError as error:
            return 200, {"Content-Type": "text/xml"}, xmlrpc.client.dumps(xmlrpc.client.Fault(-501, "Not enough parameters: %s" % error)).encode()

    # --- machines ---

    def make(self, name, given, cpus, memory):
        try:
            template = tree.fromstring(given)
        except tree.ParseError as error:
            raise Refused(ALLOCATE, "Error allocating a new virtual machine. Cannot parse template: %s" % error) from None
        for part in template.iter():
            if not re.fullmatch(r"[A-Z][A-Z0-9_]*", part.tag) or "$" in (part.text or "") and part.text != "$USER[SSH_PUBLIC_KEY]":
                raise Refused(ALLOCATE, "Parse error: %s" % part.tag)
        if template.findtext("DISK/IMAGE_ID") not in [str(one) for one in IMAGES.values()]:
            raise Refused(ALLOCATE, "Cannot get IMAGE_ID %s" % template.findtext("DISK/IMAGE_ID"))
        if any(one.text not in [str(n) for n in NETWORKS.values()] for one in template.findall("NIC/NETWORK_ID")):
            raise Refused(ALLOCATE, "Cannot get NETWORK_ID")
        if self.settings["limit"] and len(self.alive()) >= self.settings["limit"]:
            raise Refused(0x200, "User [2] : limit of %d reached for VMS quota in VM." % self.settings["limit"])
        if self.settings["crash"]:
            self.settings["crash"] -= 1
            self.add(name, template, cpus, memory)
            raise Refused(INTERNAL, "Could not write to the database")
        return self.add(name, template, cpus, memory)

    def add(self, name, template, cpus, memory):
        self.number += 1
        self.machines[self.number] = {"id": self.number, "name": name, "template": template, "made": time.time(), "gone": 0, "cpus": cpus, "memory": memory,
                                      "placed": self.has_room(template)}
        return self.number

    def has_room(self, template):
        match = re.fullmatch(r'CLUSTER = "([^"]*)"', template.findtext("SCHED_REQUIREMENTS") or "")
        return not (self.settings["capacity"] and len(self.alive()) > self.settings["capacity"]) and (not match or match.group(1) in CLUSTERS) and not any(
            z in ("*", match.group(1) if match else None) for z, _ in self.settings.get("full", []))

    def do_one_template_instantiate(self, number, name, hold, given, clone):
        for cpus, memory, its in TEMPLATES.values():
            if its == number:
                return self.make(name, given, cpus, memory)
        raise Refused(NO_EXISTS, "Error getting template [%d]." % number)

    def do_one_vm_allocate(self, given, hold):
        template = tree.fromstring(given)
        if not template.findtext("CPU") or not template.findtext("MEMORY"):
            raise Refused(ALLOCATE, "Error allocating a new virtual machine. CPU and MEMORY are mandatory.")
        return self.make(template.findtext("NAME"), given, template.findtext("CPU"), template.findtext("MEMORY"))

    def show(self, m, whole):
        active = (time.time() - m["made"]) * 1000 >= self.settings["active_ms"]
        m["placed"] = m["placed"] or self.has_room(m["template"])
        if m["gone"]:
            state, lcm = (3, 16) if m in self.alive() else (6, 0)
        elif not m["placed"]:
            state, lcm = 1, 0
        else:
            state, lcm = 3, (36 if self.settings["failing"] else 3) if active else 1
        n, outer, user = m["id"], {}, ""
        nic = "<NIC><IP>%s</IP><MAC>02:00:0a:00:00:01</MAC><NETWORK>public</NETWORK></NIC>" % self.address(n)
        for part in m["template"]:
            if part.tag == "CONTEXT":
                outer[part.tag] = "".join("<%s>%s</%s>" % (one.tag, escape(one.text or ""), one.tag) for one in part)
            elif part.tag not in ("DISK", "NIC", "OS"):
                user += "<%s>%s</%s>" % (part.tag, escape(part.text or ""), part.tag)
        if not m["placed"]:
            user += "<SCHED_MESSAGE>Sat Nov 21 10:00:00 2026 : Cannot dispatch VM: No hosts with enough capacity available</SCHED_MESSAGE>"
        if self.settings["failing"]:
            user += "<ERROR>Sat Nov 21 10:00:00 2026 : Error executing deploy: could not create domain</ERROR>"
        if self.settings["host_keys"]:
            user += "<COOPR_HOST_KEYS>%s</COOPR_HOST_KEYS>" % self.settings["host_keys"]
        return ("<VM><ID>%d</ID><UID>2</UID><GID>1</GID><UNAME>oneadmin</UNAME><GNAME>users</GNAME><NAME>%s</NAME><STATE>%d</STATE><LCM_STATE>%d</LCM_STATE>"
                "<STIME>%d</STIME><ETIME>0</ETIME><TEMPLATE><CONTEXT>%s</CONTEXT><CPU>%s</CPU><MEMORY>%s</MEMORY>%s</TEMPLATE><USER_TEMPLATE>%s</USER_TEMPLATE></VM>"
                % (n, escape(m["name"]), state, lcm, m["made"] + self.settings.get("skew_s", 0), outer.get("CONTEXT", "") if whole else "", m["cpus"], m["memory"], nic, user if whole else ""))

    def do_one_vmpool_infoextended(self, flag, start, end, state):
        return self.pool(flag, start, end, state, True)

    def do_one_vmpool_info(self, flag, start, end, state):
        # New versions leave most of it out here.
        return self.pool(flag, start, end, state, self.settings["old"])

    def pool(self, flag, start, end, state, whole):
        if flag not in (-4, -3, -2, -1) or state not in range(-2, 12):
            raise Refused(API, "Incorrect filter_flag, must be >= -4.")
        now = time.time()
        seen = sorted((m for m in (self.machines.values() if state == -2 else self.alive())
                       if (now - m["made"]) * 1000 >= self.settings["visible_ms"]), key=lambda m: -m["id"])
        some = seen[start: start - end] if start >= 0 and end < -1 else [m for m in seen if start <= m["id"] and (end < 0 or m["id"] <= end)]
        return "<VM_POOL>%s</VM_POOL>" % "".join(self.show(m, whole) for m in some)

    def get(self, number):
        if number not in self.machines:
            raise Refused(NO_EXISTS, "Error getting virtual machine [%d]." % number)
        return self.machines[number]

    def do_one_vm_info(self, number):
        return self.show(self.get(number), True)

    def do_one_vm_action(self, action, number):
        machine = self.get(number)
        if action not in ("terminate", "terminate-hard"):
            raise Refused(API, "Wrong action: %s" % action)
        if machine["gone"]:
            raise Refused(ACTION, "Could not perform action on VM %d, wrong state EPILOG" % number)
        machine["gone"] = time.time() + self.settings["active_ms"] / 1000
        return number

    # --- what else there is ---

    def do_one_user_info(self, number):
        quota = "<VM><VMS>%d</VMS><VMS_USED>%d</VMS_USED></VM>" % (self.settings["limit"], len(self.alive())) if self.settings["limit"] else ""
        return "<USER><ID>2</ID><NAME>oneadmin</NAME><VM_QUOTA>%s</VM_QUOTA></USER>" % quota

    def do_one_templatepool_info(self, flag, start, end):
        return "<VMTEMPLATE_POOL>%s</VMTEMPLATE_POOL>" % "".join(
            "<VMTEMPLATE><ID>%d</ID><NAME>%s</NAME><TEMPLATE><CPU>%s</CPU><MEMORY>%d</MEMORY></TEMPLATE></VMTEMPLATE>" % (its, name, cpus, memory)
            for name, (cpus, memory, its) in TEMPLATES.items())

    def do_one_imagepool_info(self, flag, start, end):
        return "<IMAGE_POOL>%s</IMAGE_POOL>" % "".join("<IMAGE><ID>%d</ID><NAME>%s</NAME></IMAGE>" % (its, name) for name, its in IMAGES.items())

    def do_one_vnpool_info(self, flag, start, end):
        return "<VNET_POOL>%s</VNET_POOL>" % "".join("<VNET><ID>%d</ID><NAME>%s</NAME></VNET>" % (its, name) for name, its in NETWORKS.items())

    def do_one_clusterpool_info(self):
        return "<CLUSTER_POOL>%s</CLUSTER_POOL>" % "".join("<CLUSTER><ID>%d</ID><NAME>%s</NAME></CLUSTER>" % (its, name) for name, its in CLUSTERS.items())
