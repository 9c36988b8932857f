"""The read path: state first."""
