"""What Schemathesis has to be told of the control channel."""

import os
import zlib

import schemathesis

# Entries that exist.
IDS = os.environ["CONTRACT_IDS"].split()


@schemathesis.hook
def before_call(context, case, kwargs):
    # A stream that is followed has no end to wait for.
    if case.operation.path == "/v1/events" and case.query and "follow" in case.query:
        if str(case.query["follow"]).lower().strip("[]'\"") in ("true", "1", ""):
            case.query["follow"] = "false"
    # Made-up ids and routes never exist: every other request is about real ones, which one is the request's own doing and thus repeatable.
    choice = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode())
    if choice % 2:
        if case.path_parameters and "id" in case.path_parameters:
            case.path_parameters["id"] = IDS[choice // 2 % len(IDS)]
        if case.path_parameters and "resource" in case.path_parameters:
            case.path_parameters["resource"] = "managed_users"
        if case.operation.method.lower() == "post" and case.operation.path == "/v1/entries":
            case.query = {**(case.query or {}), "route": "measurement", "item.user_id": "5"}
            if isinstance(case.body, (dict, list, str, int, float)) and not isinstance(case.body, bytes):
                case.body = {"average_measurements": {"made up": case.body}}
