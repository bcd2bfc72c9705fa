"""What flags name besides headers: objects and libraries that are linked, scripts of the linker."""

import os
import re

# Options whose file is written, with it.
_written = re.compile("(^|,)(--?(Map|dependency-file)|-MM?D|-f(dump|opt-info)[^=]*)[,=][^,]*")


def _libraries(words):
    """By their places in the folders that words and the environment name; not those of the system,
    which change with its packages alone."""
    folders = [word[2:] for word in words if word.startswith("-L")]
    folders += os.environ.get("LIBRARY_PATH", "").split(os.pathsep)
    for word in words:
        if word.startswith("-l"):
            name = word[2:]
            files = [name[1:]] if name.startswith(":") else [f"lib{name}.so", f"lib{name}.a"]
            yield from (os.path.join(folder, file) for folder in folders for file in files)


def _parts(flags):
    """Of each flag itself, and what is behind a comma or = in it, without what is written there: it
    would be another one after each compilation."""
    words = []
    for flag in flags:
        words += dict.fromkeys([flag, *re.split("[,=]", _written.sub("", flag))])
    return [word for before, word in zip(["", *words], words) if before != "-Map"]


def named_files(flags):
    """The files among what flags name, alone or behind a comma, = or @, that are read. Libraries in
    the order in which they are looked for: the first one of a name is linked."""
    words = _parts(flag for flag in flags if flag != "-Xlinker")
    # An option and its value may be two words.
    words += [option + value for option, value in zip(words, words[1:]) if option in ("-L", "-l")]
    named = [word[2:] if word.startswith("-T") else word.removeprefix("@") for word in words]
    return [path for path in dict.fromkeys([*named, *_libraries(words)]) if os.path.isfile(path)]
