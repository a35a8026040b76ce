"""Records as files: finished games that anybody can check and step through offline."""
