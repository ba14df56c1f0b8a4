"""What times a plan: a GPU through CuPy in a child process."""
