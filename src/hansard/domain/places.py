"""Owns how the place of a database or a service is shown: without anything that could be a password."""

import re

HIDDEN = "(set)"
_HOST = r"(?:\[[0-9A-Fa-f:.%]+\]|[\w.%~-]*)(?::\d{0,5})?"
_ADDRESS = (
    r"(?P<scheme>postgresql|postgres|https|http)://"
    r"(?:(?P<user>[\w.~%!$&'()*+,;=-]*)(?P<password>:[^@/?#\[\]\s]*)?@)?"
    rf"(?P<hosts>{_HOST}(?:,{_HOST})*)"
    r"(?P<path>/[^?#@\s]*)?"
    r"(?:\?(?P<query>[^?#@\s]*))?"
)
"""An address of which every part is certain. Where an @ or a # stands in the wrong place, no part of it is.

This and the others are compiled when a place first needs one: every command that opens a file imports this module."""
_WORD = r"[a-z-]+"
_NUMBERS = r"[\d,]*"
_NAME = r"[\w./,:%~-]*"
_SHOWN = {
    "host": _NAME, "hostaddr": _NAME, "port": _NUMBERS, "dbname": _NAME, "user": _NAME, "sslmode": _WORD,
    "target_session_attrs": _WORD, "connect_timeout": _NUMBERS,
}  # fmt: skip
"""The parameters of a server's address that are shown, and how they look; of any other only the name is."""
SIDE_FILES = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file that is in use, or was not closed."""
_PARAMETER = r"[A-Za-z_]{1,40}"
_MAY_HIDE = r"(?i)://|^\s*[A-Za-z][\w+.-]+:/|(?:pass\w*|pwd?)\s*=|:[^@]*@"
_KEYWORD = (
    r"application_name|channel_binding|client_encoding|connect_timeout|dbname|fallback_application_name|gss\w+|host"
    r"|hostaddr|keepalives\w*|krbsrvname|load_balance_hosts|\w+_protocol_version|oauth\w+|options|pass\w*|port|replication"
    r"|require\w+|scram\w+|server|service|servicefile|ssl\w+|target_session_attrs|tcp_user_timeout|tty|uid|user(?: id)?"
    r"|data source"
)
_PARAMETERS = rf"(?is)\s*(?:{_KEYWORD})\s*=|.*[\s;&](?:pass\w*|pwd?|sslpassword)\s*="
_NO_COLON = r"(?i)\s*(?:postgresql|postgres|https|http)[^\w:/]?//"
_SCHEME = r"\s*([A-Za-z][A-Za-z+.-]{0,20})://"


def printable(place: str) -> str:
    """A path as it is, an address without its passwords, and of what only looks like one no more than the scheme."""
    if not re.search(_MAY_HIDE, place) and not is_parameter_list(place):
        return place
    parts = re.fullmatch(_ADDRESS, place)
    if parts is None or (parts["user"] is None and _has_some_ports(parts["hosts"])):
        scheme = re.match(_SCHEME, place)
        return f"{scheme.group(1)}://{HIDDEN}" if scheme else HIDDEN
    of_server = parts["scheme"].startswith("postgres")
    shown = f"{parts['scheme']}://"
    if parts["user"] is not None:
        # In front of a service's address even a name alone may be its key.
        shown += parts["user"] if of_server else HIDDEN
        shown += f":{HIDDEN}@" if of_server and parts["password"] else "@"
    shown += parts["hosts"] + (parts["path"] or "")
    if parts["query"]:
        shown += "?" + "&".join(_parameter(one, of_server=of_server) for one in parts["query"].split("&"))
    return shown


def _has_some_ports(hosts: str) -> bool:
    """Whether only some hosts of a list have a port: it may be a user and a password with a comma, without a host."""
    return len({bool(re.search(r":\d+$", one)) for one in hosts.split(",")}) > 1


def is_parameter_list(place: str) -> bool:
    """Whether it is written as libpq's list of parameters, or as somebody may remember one. It is no path then."""
    return re.match(_PARAMETERS, place) is not None


def lacks_colon(place: str) -> bool:
    """Whether it begins as an address does, but for the colon, which was left out or mistyped."""
    return re.match(_NO_COLON, place) is not None


def _parameter(given: str, *, of_server: bool) -> str:
    name, _, value = given.partition("=")
    if not re.fullmatch(_PARAMETER, name):
        return HIDDEN
    look = _SHOWN.get(name) if of_server else None
    return given if look is not None and re.fullmatch(look, value) else f"{name}={HIDDEN}"
