"""The release of Parc Fermé. It is shown wherever somebody asks which release runs."""

__version__ = "0.1.0"
