"""Compare static and dynamic oracles, as in the papers that introduced them (2012, 2013, 2015)."""
