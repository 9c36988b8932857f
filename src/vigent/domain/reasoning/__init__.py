"""How a model is led from what was said to what may be remembered, and how its answer is read."""
