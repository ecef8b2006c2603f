"""The preview server: watches folders, asks for a new site when something in them changes, and serves what it is given.

It is handed a function and imports no stage: what a site is made of is none of its business.
"""

from tallystick.serve.serving import DEFAULT_PORT, LOOPBACK, Server, Serving, listen
from tallystick.serve.session import Pages, Rebuild, Session
from tallystick.serve.watching import Watching

__all__ = ["DEFAULT_PORT", "LOOPBACK", "Pages", "Rebuild", "Server", "Serving", "Session", "Watching", "listen"]
