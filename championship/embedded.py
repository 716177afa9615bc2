def ensure_running() -> None:
    pass
