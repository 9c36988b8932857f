"""What the core asks of the outside: a store, a clock, ids."""
