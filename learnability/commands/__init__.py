"""Hold the commands, one file each; `learnability.cli` imports a file when its command is called."""
