"""Tools for testing adapters and programs that use Vigent."""
