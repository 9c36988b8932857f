"""Where Vigent meets the outside; each edge translates, and decides nothing."""
