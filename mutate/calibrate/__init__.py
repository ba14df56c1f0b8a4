"""Measures a GPU with kernels of our own (``templates/calibrate``) and writes what it found as a machine file."""

from mutate.calibrate.bench import measure_all
from mutate.calibrate.constants import Constant, constants
from mutate.calibrate.launches import Launch, launches, memory_bytes
from mutate.calibrate.probes import PROBES, STEPS, Probe
from mutate.calibrate.records import Recording, read_recording
from mutate.calibrate.write import machine_text

__all__ = ["PROBES", "STEPS", "Constant", "Launch", "Probe", "Recording", "constants", "launches", "machine_text",
           "measure_all", "memory_bytes", "read_recording"]
