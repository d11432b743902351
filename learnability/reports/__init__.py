"""What a run looks like to its reader: tables, progress, pages. Reads records and rows only."""
