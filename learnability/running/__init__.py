"""What any run is: plan, cells, workers, folder, records, configuration."""
