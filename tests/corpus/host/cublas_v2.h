// Stands in for a library that is not installed; its names are in host_names.h.
