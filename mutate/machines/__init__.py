"""GPUs as data: one TOML file each, in which every value names its unit and its source."""

from mutate.machines.load import all_machines, default_machine, load_machine, machine_names, schema
from mutate.machines.model import Machine, Quantity, Source

__all__ = ["Machine", "Quantity", "Source", "all_machines", "default_machine", "load_machine", "machine_names",
           "schema"]
