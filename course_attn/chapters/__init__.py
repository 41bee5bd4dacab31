"""All of a chapter but its functions: what its notebook draws, asks and exercises, by its slug."""
