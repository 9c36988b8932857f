"""Memory as a server of the Model Context Protocol, over stdio and over HTTP.

Needs the extra ``vigent[mcp]``. Whose memory it is comes from the start options or from the key
of a request, and never from the model.
"""

from __future__ import annotations

from vigent.edges.mcp.bound import Bound, Guard
from vigent.edges.mcp.http import HttpEndpoint
from vigent.edges.mcp.server import server_of
from vigent.edges.mcp.stdio import serve_stdio

__all__ = ["Bound", "Guard", "HttpEndpoint", "serve_stdio", "server_of"]
