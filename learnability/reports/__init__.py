"""Present a run to its reader: tables, progress, pages. Nothing here reads more than records and rows."""
