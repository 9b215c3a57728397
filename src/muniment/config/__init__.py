"""Every setting, declared once, and the only reader of the environment. An unknown setting is an error."""

from muniment.config.reading import read_environment, read_server, variables
from muniment.config.serving import SERVING, ServerSettings, is_loopback
from muniment.config.shared import AS_SET, AUTO, PREFIX, SETTINGS, Config, ConfigSetting, Hidden

__all__ = [
    "AS_SET",
    "AUTO",
    "PREFIX",
    "SERVING",
    "SETTINGS",
    "Config",
    "ConfigSetting",
    "Hidden",
    "ServerSettings",
    "is_loopback",
    "read_environment",
    "read_server",
    "variables",
]
