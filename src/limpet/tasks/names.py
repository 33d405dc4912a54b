"""The names under which tasks and classes travel: `module.name`, the same in every program."""

import re
import sys
from functools import lru_cache
from pathlib import PurePath
from typing import Any

#: Longer names are mistakes, or mischief.
MAX_NAME = 200


_NAME = re.compile(rf"(?!\s*\Z)[^\x00-\x1f\ud800-\udfff]{{1,{MAX_NAME}}}")


def is_name(given: Any) -> bool:
    """Tell whether something can be the name of a task."""
    return isinstance(given, str) and len(given) <= MAX_NAME and _is_name(given)


@lru_cache
def _is_name(given: str) -> bool:
    return _NAME.fullmatch(given) is not None


def full_name(thing: Any) -> str:
    """Name a function or class by its module and its name there."""
    return f"{module_of(thing)}.{thing.__qualname__.replace('<locals>.', '')}"


def module_of(thing: Any) -> str:
    """Name the module of a function or class, as those who import it say.

    What a program started as a script defines is found by others in the module of that name.
    """
    module = str(thing.__module__)
    return _name_of_main() if module == "__main__" else module


def _name_of_main() -> str:
    main = sys.modules.get("__main__")
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    if spec is not None:
        return str(spec.name).removesuffix(".__main__")
    return PurePath(file).stem if file else "__main__"
