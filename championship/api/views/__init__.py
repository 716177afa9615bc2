"""The addresses of the API. Each view calls a selector or a service, and says what it is with `@operation`."""
