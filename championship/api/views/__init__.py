"""The views of the API. Each calls a selector or a service, and describes itself with `@operation`."""
