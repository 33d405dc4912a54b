"""From "module:app" to the App. Errors are one line that says where the mistake is."""

import importlib
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType

from limpet.app.app import App
from limpet.errors import ConfigError

_OURS = str(Path(__file__).resolve().parents[1])
_LIBRARIES = (str(Path(os.__file__).parent), "<frozen")


def load(path: str) -> App:
    """Import the module and find the app in it; the working directory is searched first."""
    module_name, name = _parts(path)
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = _import(module_name)
    return _app_in(module, name, path)


def _parts(path: str) -> tuple[str, str]:
    """Split the path, and guess what was meant if it is none."""
    module, colon, name = path.partition(":")
    if colon and _is_dotted(module) and _is_dotted(name) and not module.endswith(".py"):
        return module, name
    guess = module.removesuffix(".py").strip("./").replace("/", ".")
    better = f"{guess if _is_dotted(guess) else 'shop'}:{name if _is_dotted(name) else 'app'}"
    raise ConfigError(f"{path!r} does not name an app; write module:name, such as {better}")


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _inside(name, error) from error
        searched = ", ".join(entry or "." for entry in sys.path)
        raise ConfigError(
            f"there is no module {error.name!r}; searched in {searched};"
            " start it in the folder of your code, or set PYTHONPATH"
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may also call sys.exit
        raise _inside(name, error) from error


def _inside(name: str, error: BaseException) -> ConfigError:
    """Say what went wrong in the module, and where in the user's own code."""
    said = " ".join(str(error).split())
    if isinstance(error, SyntaxError) and error.filename:
        place, said = f"{error.filename}, line {error.lineno}", error.msg
    else:
        place = place_of(error)
    kind = type(error).__name__
    return ConfigError(f"module {name!r} cannot be imported: {place}: {kind}: {said}".rstrip(": "))


def place_of(error: BaseException) -> str:
    """Find the last line of the user's own code that led to an error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_own(frame.filename)] or frames
    return f"{own[-1].filename}, line {own[-1].lineno}"


def _is_own(file: str) -> bool:
    return not file.startswith((_OURS, *_LIBRARIES)) and "site-packages" not in file


def _app_in(module: ModuleType, name: str, path: str) -> App:
    found: object = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise ConfigError(f"{_where(module)} has no {name!r}; {_apps_in(module)}")
        found = getattr(found, part)
    if isinstance(found, App):
        return found
    kind = type(found).__name__
    raise ConfigError(f"{path} in {_where(module)} is no App, it is a {kind}; {_apps_in(module)}")


def _where(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or f"module {module.__name__!r}"


def _apps_in(module: ModuleType) -> str:
    """Name the apps that are there."""
    names = sorted(name for name, value in vars(module).items() if isinstance(value, App))
    paths = ", ".join(f"{module.__name__}:{name}" for name in names)
    return f"there is {paths}" if names else "there is no App in it: write app = App()"
