# SPDX-License-Identifier: Apache-2.0
#
# cloud-init.py OWN MARK KEYS DOCUMENT...: merges documents of cloud-init by its own rules, and ours last. Writes to the folder OWN:
#
#	config   what cloud-init is to do
#	modules  its modules that are asked for, in its own order, one a line
#	runcmd   the commands of runcmd, a script; they are run from here, because the module would put it on the disk
#	mark     what says that this was done; same is there if it is what MARK has
#
# KEYS is the file of the keys that may enter. Exit code: 0, or 78 where a document is none, or asks for what it may not.
import hashlib
import json
import os
import sys

import yaml
from cloudinit import mergers, templater, util
from cloudinit.handlers import cloud_config, jinja_template

OWN, MARK, KEYS = sys.argv[1:4]
SCHEMAS = os.path.join(os.path.dirname(mergers.__file__), "..", "config", "schemas", "schema-cloud-config-v1.json")
REFUSED = {
    "ssh_keys": "the keys of the host are known, and stay",
    "power_state": "coopr is told of no machine that goes away",
    "cloud_init_modules": "what runs is what the other members ask for",
    "cloud_config_modules": "what runs is what the other members ask for",
    "cloud_final_modules": "what runs is what the other members ask for",
}
LOGGING = """[loggers]
keys=root,cloudinit
[handlers]
keys=file,said
[formatters]
keys=all,short
[logger_root]
level=DEBUG
handlers=file,said
[logger_cloudinit]
level=DEBUG
handlers=
qualname=cloudinit
[handler_file]
class=FileHandler
formatter=all
args=("%s/log",)
[handler_said]
class=StreamHandler
level=WARNING
formatter=short
args=(sys.stdout,)
[formatter_all]
format=%%(message)s
[formatter_short]
format=%%(message)s
"""


def fail(text):
    print("cloud-init: " + text)
    sys.exit(78)


def read(name, variables):
    with open(name) as file:
        text = file.read()
    try:
        if templater.detect_template(text)[0] == "jinja":
            text = jinja_template.render_jinja_payload(text, name, variables)
    except Exception as error:
        fail("%s: %s" % (name, error))
    if not text or not text.lstrip().startswith("#cloud-config") or text.split(None, 1)[0] != "#cloud-config":
        fail("%s: a document begins with #cloud-config" % name)
    document = util.load_yaml(text, default=None)
    if document is None:
        fail("%s: it is not a mapping of YAML" % name)
    for member, reason in REFUSED.items():
        if member in document:
            fail("%s: %s: %s" % (name, member, reason))
    return document


def merge(into, document):
    """As cloudinit.handlers.cloud_config does it."""
    rules = mergers.dict_extract_mergers(document) or cloud_config.DEF_MERGERS
    return mergers.construct(rules).merge(into, document)


def ours():
    keys = []
    if os.path.exists(KEYS):
        with open(KEYS) as file:
            keys = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return {
        "merge_how": "dict(replace,recurse_list,recurse_dict)+list(append)+str()",
        "ssh_authorized_keys": keys,
        "ssh_deletekeys": False,
        "disable_root": False,
        "logcfg": LOGGING % OWN,
        "system_info": {"paths": {"run_dir": OWN + "/run"}},
    }


def modules(asked):
    if not os.path.exists(SCHEMAS):
        fail("the node's cloud-init is too old: 22.2 says which module does what")
    with open(SCHEMAS) as file:
        members = {name: set(its.get("properties", {})) for name, its in json.load(file)["$defs"].items()}
    base = util.read_conf_with_confd("/etc/cloud/cloud.cfg")
    for stage in "init", "config", "final":
        for entry in base.get("cloud_%s_modules" % stage, []):
            name = entry if isinstance(entry, str) else entry[0]
            known = name.replace("-", "_")
            known = "cc_write_files" if known == "write_files_deferred" else "cc_" + known
            if known != "cc_runcmd" and members.get(known, set()) & asked:
                yield name


def write(name, text):
    with open(os.path.join(OWN, name), "w") as file:
        file.write(text)


with open("config.json") as config:
    variables = json.load(config)
merged = {}
for name in sys.argv[4:]:
    merged = merge(merged, read(name, variables))
asked = set(merged)
runcmd = util.shellify(merged["runcmd"]) if merged.get("runcmd") else ""
merged = merge(merged, ours())
text = "#cloud-config\n" + yaml.safe_dump(merged)
write("config", text)
write("modules", "".join(name + "\n" for name in modules(asked)))
write("runcmd", runcmd)

# Nobody learns what the documents were from what stays on the node.
action, salt, known = os.environ["COOPR_ACTION"], os.urandom(16).hex(), ""
if os.path.exists(MARK):
    with open(MARK) as file:
        known = file.read()
    if known.count(" ") == 2:
        salt = known.split()[1]
own = text.replace(OWN, "")
mark = "%s %s %s\n" % (action, salt, hashlib.scrypt(own.encode(), salt=salt.encode(), n=1 << 14, r=8, p=1, dklen=32).hex())
write("mark", mark)
if mark == known:
    write("same", "")
