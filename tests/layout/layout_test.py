#!/usr/bin/env python3
"""Holds the tree to the rules of its folders: who includes whom, who owns which library, how long a source may be.

With one include root the compiler accepts any include, so this reads them all. The table of folders is the one that the
build uses (cmake/modules.cmake); the table of owners is below.
"""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_LINES = 800
SOURCE_FOLDERS = ("sinter", "tests", "tools", "bench", "fuzz", "examples")
SUFFIXES = (".h", ".cpp")

# What an include starts with, and the folders under sinter/ that may say it (docs/design.md gives the reasons).
OWNERS = {
    "openvino/": {"runtime"},
    "onnxruntime": {"runtime"},
    "onnx.pb.h": {"graph"},
    "google/protobuf/": {"graph"},
    "NvInfer": {"engine"},
    "NvOnnx": {"engine"},
    "CLI/": {"cli"},
    "png.h": {"base"},
    "re2/": {"diagnose"},
    "tree_sitter/": {"lint"},
    "toml++/": {"lint"},
    "utf8proc.h": {"pipeline"},
    "openssl/": {"base"},
    "zlib.h": {"base"},
}

# Headers of one operating system. Only base/ sees them, so that a port changes one folder.
SYSTEM_HEADERS = re.compile(
    r"(sys|linux|arpa|netinet|mach)/.*"
    r"|(unistd|fcntl|dlfcn|dirent|signal|spawn|poll|pthread|sched|semaphore|termios|windows|io|direct|pwd|glob"
    r"|fnmatch|ftw|syslog|ucontext|execinfo|link|mman)\.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def folder_table(root):
    """cmake/modules.cmake: folder -> the folders that it may include besides itself and base."""
    text = (root / "cmake/modules.cmake").read_text()
    folders = re.search(r"set\(SINTER_MODULES ([^)]*)\)", text).group(1).split()
    rows = dict(re.findall(r"set\(SINTER_MAY_INCLUDE_(\w+) ([^)]*)\)", text))
    return {folder: set(rows[folder].replace('"', "").split()) for folder in folders}


def room_table(root):
    """cmake/modules.cmake: folder -> its rooms, lowest first, for the folders that have an order of rooms."""
    text = (root / "cmake/modules.cmake").read_text()
    return {folder: rooms.split() for folder, rooms in re.findall(r"set\(SINTER_ROOMS_(\w+) ([^)]*)\)", text)}


def sources(root, folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                yield path


def includes(path):
    """Triples (line number, opening mark, included name) of a source."""
    text = path.read_text()
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(2)) + 1, match.group(1), match.group(2)


def product_includes(root, marks='<"'):
    """Every include under sinter/: (place for a message, folder, included name)."""
    for path in sources(root, ("sinter",)):
        relative = path.relative_to(root)
        for line, mark, name in includes(path):
            if mark in marks:
                yield f"{relative}:{line}", relative.parts[1], name


def forbidden_edges(root):
    table = folder_table(root)
    for place, folder, name in product_includes(root):
        if folder not in table:
            yield f"{place}: folder '{folder}' is not in cmake/modules.cmake"
        elif name.startswith("sinter/"):
            other = name.split("/")[1]
            if other not in table[folder] | {folder, "base"}:
                yield f"{place}: '{folder}' may not include '{other}'"


def upward_includes(root):
    """Inside a folder with an order of rooms, what includes a room above its own; what lies in no room is above all."""
    for folder, rooms in room_table(root).items():
        height = {room: place for place, room in enumerate(rooms)}
        for path in sources(root, (f"sinter/{folder}",)):
            own = path.relative_to(root / "sinter" / folder).parts[0]
            for line, _, name in includes(path):
                if not name.startswith(f"sinter/{folder}/"):
                    continue
                other = name.split("/")[2]
                if height.get(other, len(rooms)) > height.get(own, len(rooms)):
                    yield f"{path.relative_to(root)}:{line}: '{own}' lies below '{other}'"


def system_headers(root):
    for place, folder, name in product_includes(root):
        if folder != "base" and SYSTEM_HEADERS.fullmatch(name):
            yield f"{place}: <{name}> belongs behind a function of sinter/base"


def strayed_libraries(root):
    for place, folder, name in product_includes(root):
        for prefix, owners in OWNERS.items():
            if name.startswith(prefix) and folder not in owners:
                yield f"{place}: <{name}> belongs to {' and '.join(sorted(owners))}"


def relative_includes(root):
    """Includes start at the root, as "sinter/graph/value.h"; a name without a folder hides whose it is."""
    for place, folder, name in product_includes(root, marks='"'):
        if not name.startswith("sinter/") and (root / "sinter" / folder / name).exists():
            yield f'{place}: write "sinter/{folder}/{name}"'


def long_sources(root):
    for path in sources(root, SOURCE_FOLDERS):
        lines = path.read_text().count("\n")
        if lines > MAX_LINES:
            yield f"{path.relative_to(root)}: {lines} lines, at most {MAX_LINES}"


class Layout(unittest.TestCase):

    def expect_none(self, findings):
        findings = list(findings)
        self.assertFalse(findings, "\n" + "\n".join(findings))

    def test_folders_include_only_what_their_row_names(self):
        self.expect_none(forbidden_edges(ROOT))

    def test_rooms_include_only_what_lies_below(self):
        self.expect_none(upward_includes(ROOT))

    def test_only_base_includes_system_headers(self):
        self.expect_none(system_headers(ROOT))

    def test_libraries_stay_with_their_owner(self):
        self.expect_none(strayed_libraries(ROOT))

    def test_includes_start_at_the_root(self):
        self.expect_none(relative_includes(ROOT))

    def test_sources_stay_short(self):
        self.expect_none(long_sources(ROOT))

    def test_planted_faults_are_found(self):
        """A tree with one fault of each kind: the checks above can fail."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            files = {
                "cmake/modules.cmake": 'set(SINTER_MODULES base arch graph)\nset(SINTER_MAY_INCLUDE_base "")\n'
                                       'set(SINTER_MAY_INCLUDE_arch "")\nset(SINTER_MAY_INCLUDE_graph arch)\n'
                                       'set(SINTER_ROOMS_graph values passes)\n',
                "sinter/base/file.cpp": "#include <unistd.h>\n",
                "sinter/arch/family.h": "#pragma once\n",
                "sinter/arch/family.cpp": '#include "family.h"\n\n#include "sinter/graph/value.h"\n',
                "sinter/graph/value.cpp": '#include "sinter/arch/family.h"\n#  include <sys/mman.h>\n#include <png.h>\n'
                                          + "\n" * MAX_LINES,
                "sinter/graph/values/shape.h": '#include "sinter/graph/passes/fold.h"\n'
                                               '#include "sinter/graph/values/dim.h"\n',
                "sinter/graph/passes/fold.h": '#include "sinter/graph/values/shape.h"\n'
                                              '#include "sinter/graph/value.h"\n',
                "sinter/extra/thing.h": "#include <vector>\n",
            }
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            self.assertEqual(list(forbidden_edges(root)), [
                "sinter/arch/family.cpp:3: 'arch' may not include 'graph'",
                "sinter/extra/thing.h:1: folder 'extra' is not in cmake/modules.cmake"])
            self.assertEqual(list(upward_includes(root)), [
                "sinter/graph/passes/fold.h:2: 'passes' lies below 'value.h'",
                "sinter/graph/values/shape.h:1: 'values' lies below 'passes'"])
            self.assertEqual(list(system_headers(root)), [
                "sinter/graph/value.cpp:2: <sys/mman.h> belongs behind a function of sinter/base"])
            self.assertEqual(list(strayed_libraries(root)), ["sinter/graph/value.cpp:3: <png.h> belongs to base"])
            self.assertEqual(list(relative_includes(root)), [
                'sinter/arch/family.cpp:1: write "sinter/arch/family.h"'])
            self.assertEqual(list(long_sources(root)), ["sinter/graph/value.cpp: 803 lines, at most 800"])


if __name__ == "__main__":
    sys.exit(unittest.main())
