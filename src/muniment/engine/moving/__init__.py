"""Moving house: a vault, or a tenant of it, goes from one place to another while it is being used."""
