# SPDX-License-Identifier: Apache-2.0
#
# What all translations are made of: requests of Coopr as commands of ours, see libexec/coopr/v2.c. A definition is given the request. It is
# run again for each command, with the results of those before; so it asks for the same ones, in the same order.

# Ends with an answer.
def refuse($status; $text): error({status: $status, text: $text});

# The result of a command; of one that is given a value, or the body as it comes, as its standard input.
def result($command): .results[$command | tojson] // error({run: $command});
def result($command; $input): .results[$command | tojson] // error({run: $command, input: $input});
def result_of_body($command): .results[$command | tojson] // error({run: $command, body: true});

def said: [.said[] | .text? // empty] | join("\n");
def absent: any(.said[]; .absent? == true);

# The status of an exit code that is not 0, as Coopr has them.
def failure:
	if .code == 1 then if absent then 404 else 409 end
	elif .code == 64 or .code == 65 then 400
	elif .code == 66 or .code == 67 then 404
	elif .code == 73 or .code == 75 then 409
	elif .code == 77 then 403
	else 500 end;

# What a command has printed; where it has failed that is the answer.
def out: if .code == 0 then .out else refuse(failure; said) end;

# The same of a list, which may be empty.
def items: if .code == 1 and (absent | not) then [] else out end;

# The document that was sent.
def document:
	if .malformed then refuse(400; .malformed)
	elif .body | type == "object" | not then refuse(400; "the body: expected object, found \(.body | type)")
	else .body end;

# The same, which may be missing.
def optional_document: if .malformed or .body != null then document else {} end;

def answer: {status: 200, json: .};
def nothing: {status: 200, text: ""};

# The milliseconds of a time, "2026-11-23T10:00:00.123Z"; 0 where there is none.
def ms_of_text: if . == null then 0 else (.[0:19] + "Z" | fromdateiso8601 * 1000) + (.[20:23] | tonumber? // 0) end;
