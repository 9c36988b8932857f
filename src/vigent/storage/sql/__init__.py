"""What the engines that speak SQL share: rows in and out, by queries of the same names."""
