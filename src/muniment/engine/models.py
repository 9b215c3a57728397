"""The installed model, as the surfaces see it: install it, ask after it, take it away."""

from muniment.backends.embedders.install import Installed, install, remove
from muniment.backends.embedders.status import ModelStatus, status

__all__ = ["Installed", "ModelStatus", "install", "remove", "status"]
