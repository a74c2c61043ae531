"""The face for agents: a Model Context Protocol server over stdio or HTTP. The only room that knows the SDK."""
