"""The report of a folder as JUnit's XML, which systems for continuous integration show."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# What XML 1.0 cannot say at all.
_unspeakable = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _speakable(text):
    return _unspeakable.sub("?", text)


def to_junit(report):
    name = Path(report.golden).parent.name
    bad = {"fail": "failure", "fault": "error", "error": "error", "interrupted": "error"}
    kinds = [bad.get(case.verdict) for case in report.cases]
    suite = ElementTree.Element("testsuite", name=_speakable(name), tests=str(len(kinds)),
                                failures=str(kinds.count("failure")),
                                errors=str(kinds.count("error")))
    for case, kind in zip(report.cases, kinds):
        entry = ElementTree.SubElement(suite, "testcase", classname=_speakable(name),
                                       name=_speakable(case.case),
                                       time=f"{case.wall_s or 0:.6f}")
        if kind is not None:
            told = ElementTree.SubElement(entry, kind, message=case.outcome)
            told.text = _speakable(case.detail)
        elif case.verdict == "inconclusive":
            ElementTree.SubElement(entry, "skipped", message="nothing was compared")
    text = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
