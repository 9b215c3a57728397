"""The Model Context Protocol: the memory as tools, resources and prompts, over standard input or HTTP."""
