"""The client of a server: the calls of `hansard.Hansard` over REST, with the same names, records and errors.

from hansard.client import Client

with Client.open("http://127.0.0.1:8425", token="…") as h:
    h.project("shop").remember("The API needs a Bearer prefix.")
"""

from hansard.client.opened import Client
from hansard.client.project import RemoteProject

__all__ = ["Client", "RemoteProject"]
