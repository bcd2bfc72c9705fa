"""What a compilation included, and what it would include if it were found first."""

import os
import re
from pathlib import Path

_longest_name = 5  # folders of `#include <a/b/c.h>`, and the file
_of_the_system = ("/usr/include/", "/usr/lib/")  # they change with its packages alone
_option_of_folder = re.compile("-I|-iquote|-isystem|-idirafter|--include-directory(-after)?(=|$)")


def _of_rule(depfile):
    """The files that a rule of make names behind its target."""
    text = Path(depfile).read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ")
    names = re.findall(r"(?:\\.|[^\s\\])+", text.split(":", 1)[1])
    return [re.sub(r"\\(.)", r"\1", name).replace("$$", "$") for name in names]


def _of_flags(flags):
    """The folder may be the next word."""
    words = iter(flags)
    for word in words:
        option = _option_of_folder.match(word)
        if option and (folder := word[option.end():] or next(words, None)):
            yield folder


def named_folders(flags):
    """Where flags and variables of the environment say that headers are."""
    folders = list(_of_flags(flags))
    for name in ("CPATH", "CPLUS_INCLUDE_PATH"):
        if value := os.environ.get(name):
            folders += [folder or os.curdir for folder in value.split(os.pathsep)]
    return folders


class Includes:
    """The files that were included, by the names that they were found by, as links among these may
    lead elsewhere later; and the folders in which they may have been looked for before."""

    def __init__(self, files, folders):
        self.files = files
        self.folders = folders

    @classmethod
    def of(cls, depfile, source, flags):
        # Not by os.path.abspath(), for which what is above a link is the folder that it is in.
        names = {os.path.join(os.getcwd(), name) for name in _of_rule(depfile)}
        folders = {os.path.abspath(os.path.dirname(name)) for name in names}
        folders = {folder for folder in folders if not f"{folder}/".startswith(_of_the_system)}
        folders |= {os.path.abspath(folder)
                    for folder in (os.path.dirname(source), *named_folders(flags))}
        return cls(sorted(names), sorted(folders))

    def rivals(self):
        """Files in these folders that have the name of one that was included elsewhere. A new one
        may be found in its place."""
        by_first = {}
        for path in self.files:
            parts = path.split(os.sep)[1:]
            for place in range(max(0, len(parts) - _longest_name), len(parts)):
                by_first.setdefault(parts[place], set()).add(os.sep.join(parts[place:]))
        found = set()
        for folder in self.folders:
            try:
                entries = os.listdir(folder)
            except OSError:
                continue
            for entry in by_first.keys() & set(entries):
                found |= {os.path.join(folder, name) for name in by_first[entry]}
        return sorted(path for path in found if os.path.isfile(path))
