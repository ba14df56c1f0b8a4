"""GPUs as data: one TOML file each, in which every value names its unit and its source."""

from mutate.machines.load import all_machines, default_machine, load_machine, machine_names, schema
from mutate.machines.model import Curve, Machine, Quantity, Source

__all__ = ["Curve", "Machine", "Quantity", "Source", "all_machines", "default_machine", "load_machine", "machine_names",
           "schema"]
