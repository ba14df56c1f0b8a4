"""``kmutate.analysis/1``: every document is strict JSON of the schema, and says what was measured and what was not."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from analysis_cases import (
    DATE,
    classified,
    full_analysis,
    hostile_analysis,
    plain_analysis,
    session,
    simulated_analysis,
)
from syrupy.assertion import SnapshotAssertion

import mutate.report
from mutate.errors import KmutateError
from mutate.limiter.model import Facts
from mutate.report.analysis_document import analysis_document, failure_document, finding_document

SCHEMAS = Path(mutate.report.__file__).parent / "schemas"
SCHEMA = json.loads((SCHEMAS / "analysis-1.json").read_text(encoding="utf-8"))
ANALYSES = {"full": full_analysis, "plain": plain_analysis, "simulated": simulated_analysis,
            "hostile": hostile_analysis}


def checked(document: dict[str, Any]) -> dict[str, Any]:
    """As somebody reads it who takes strict JSON in UTF-8 only."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    read: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(read, SCHEMA, cls=jsonschema.Draft202012Validator)
    return read


@pytest.mark.parametrize("name", ANALYSES)
def test_documents_are_of_the_schema(name: str) -> None:
    document = checked(analysis_document(ANALYSES[name](), DATE))
    assert document["schema"] == "kmutate.analysis/1"
    assert document["date"] == DATE


def test_given_numbers_and_failures_are_of_the_schema() -> None:
    given = checked(finding_document(*classified(), date=DATE))
    assert given["backend"] == "given"
    assert given["given"]["finding"]["exposed_ms"]["value"] == 2.12
    assert given["given"]["bandwidth"][0]["time_source"] == "given"
    error = KmutateError("no-file", "there is no kernel.cu", where="kernel.cu", hint="name another")
    assert checked(failure_document("kernel.cu", "sm_90", error))["error"]["slug"] == "no-file"


def test_the_schema_refuses_what_it_does_not_know() -> None:
    document = analysis_document(plain_analysis(), DATE)
    document["kernels"][0]["launches"][0]["variants"][0]["tiem_ms"] = None
    with pytest.raises(jsonschema.ValidationError):
        checked(document)


def test_certificates_are_those_of_kmutate_variants() -> None:
    other = json.loads((SCHEMAS / "variants-1.json").read_text(encoding="utf-8"))
    assert SCHEMA["$defs"]["certificate"] == other["$defs"]["certificate"]


def test_every_fact_is_in_the_document() -> None:
    values: dict[str, Any] = {f.name: "warps" if f.type == "str" else 7 for f in fields(Facts) if f.name != "sources"}
    known = Facts(**values)
    document = checked(finding_document(classified()[0], known, DATE))
    assert set(document["given"]["facts"]) == set(SCHEMA["$defs"]["facts"]["properties"])
    assert len(document["given"]["facts"]) == len(fields(Facts)) - 1


def test_all_times_of_all_rounds_are_kept() -> None:
    (launch,) = checked(analysis_document(plain_analysis(), DATE))["kernels"][0]["launches"]
    runs = {r["name"]: r for r in launch["session"]["runs"]}
    for run in session().runs:
        assert runs[run.name]["times_ms"] == list(run.times_ms)
    assert runs["load-only"]["outcome"] == "timeout"
    assert launch["session"]["gpu"]["driver"] == "580.159.04"
    assert launch["session"]["clocks"]["throttle"] == ["SW power cap"]


def test_what_may_not_be_used_is_not_usable() -> None:
    (launch,) = checked(analysis_document(plain_analysis(), DATE))["kernels"][0]["launches"]
    usable = {v["name"]: v["usable"] for v in launch["variants"]}
    assert usable == {"identity": True, "memory-only": True, "load-only": False, "store-only": False, "math-only": True,
                      "no-sync": True, "smem-conflict-free": True, "smem-broadcast": False,
                      "memory-only+no-sync": False}


def test_simulated_is_never_called_measured() -> None:
    document = checked(analysis_document(simulated_analysis(), DATE))
    (launch,) = document["kernels"][0]["launches"]
    assert launch["time_source"] is None
    assert "no timing model" in launch["untimed"]
    assert launch["session"] is None and document["roofs"] is None
    assert launch["counters"]["source"] == "simulated"
    assert launch["bandwidth"] == []


def test_numbers_that_are_none_are_null() -> None:
    walk = checked(analysis_document(full_analysis(), DATE))["kernels"][2]
    (launch,) = walk["launches"]
    assert launch["facts"]["moved_bytes"] == {"value": None, "source": None}
    assert launch["finding"]["payoffs"][0]["at_most"] == {"value": None, "low": 1.0, "high": None}
    assert launch["session"]["runs"][1]["times_ms"] == [9e8, None, 9e8]
    assert launch["counters_error"]["slug"] == "budget-spent"


def test_documents_are_as_they_were(snapshot: SnapshotAssertion) -> None:
    document = analysis_document(full_analysis(), DATE)
    document["kmutate"] = "VERSION"
    assert json.dumps(document, indent=1, ensure_ascii=False) == snapshot
    given = finding_document(*classified(), date=DATE)
    given["kmutate"] = "VERSION"
    assert json.dumps(given, indent=1, ensure_ascii=False) == snapshot


def test_the_schema_has_every_fact() -> None:
    from mutate.limiter.model import Facts
    from mutate.report.analysis_document import _FACT_NAMES

    path = Path(__file__).parents[2] / "mutate" / "report" / "schemas" / "analysis-1.json"
    known = json.loads(path.read_text(encoding="utf-8"))["$defs"]["facts"]["properties"]
    assert {_FACT_NAMES.get(f.name, f.name) for f in fields(Facts)} - {"sources"} == set(known)
