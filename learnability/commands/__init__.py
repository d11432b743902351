"""The commands of the command line, one file each; `learnability.cli` imports a file when it is called."""
