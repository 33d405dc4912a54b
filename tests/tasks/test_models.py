"""Classes that an app knows travel; others do not, whatever a payload says."""

from dataclasses import InitVar, dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.errors import ConfigError, PayloadError
from limpet.tasks.codec import JSON
from limpet.tasks.models import Types
from tests.tasks.values import VALUES


@dataclass(frozen=True)
class Street:
    """A part of an address."""

    name: str
    number: int = 1


@dataclass
class Address:
    """A dataclass that holds another, and a value that is computed."""

    street: Street
    tags: Any = ()
    label: str = field(init=False, default="")

    def __post_init__(self) -> None:
        """Compute the label."""
        self.label = f"{self.street.name} {self.street.number}"


class Order(pydantic.BaseModel):
    """A model of pydantic, with an alias and a strict field."""

    number: int = pydantic.Field(alias="order-number", strict=True)
    at: datetime
    total: Decimal
    lines: list["Line"] = []


class Line(pydantic.BaseModel):
    """A model inside of the other."""

    text: str


class Point(msgspec.Struct, frozen=True):
    """A struct of msgspec."""

    x: int
    at: datetime
    raw: bytes = b""


@dataclass
class Villa(Address):
    """A dataclass whose parent names the class of a field."""

    rooms: int = 9


@dataclass
class Secretive:
    """A dataclass with a state that no field tells."""

    name: str
    count: int = field(init=False, default=0)


@dataclass(eq=False)
class Opaque:
    """A dataclass that nobody can compare."""

    name: str


@dataclass
class Fussy:
    """A dataclass that is made from more than its fields."""

    more: InitVar[int]
    name: str = ""


class Login(pydantic.BaseModel):
    """A model that hides a part of itself."""

    password: pydantic.SecretStr


class Loose(msgspec.Struct):
    """A struct that does not say what it holds."""

    value: Any


def known(*classes: type) -> JSON:
    """Make a codec that knows these classes."""
    codec = JSON()
    for cls in classes:
        codec.types.add(cls)
    return codec


@given(VALUES)
def test_a_dataclass_travels_with_all_its_values(tags: Any) -> None:
    """Fields arrive as they left, nested classes too; computed ones are computed again."""
    codec = known(Address)
    address = Address(Street("Main", 7), tags)

    arrived = codec.decode(codec.encode([address]))

    assert arrived == [address]
    assert arrived[0].label == "Main 7"


@given(st.integers(), st.datetimes(timezones=st.just(UTC)), st.decimals(-1000, 1000, places=2))
def test_models_of_pydantic_travel(number: int, at: datetime, total: Decimal) -> None:
    """Aliases, strict fields and nested models come through."""
    codec = known(Order)
    order = Order(**{"order-number": number}, at=at, total=total, lines=[Line(text="$x")])

    assert codec.decode(codec.encode({"order": order})) == {"order": order}


@given(st.integers(-(2**60), 2**60), st.datetimes(timezones=st.just(UTC)), st.binary())
def test_structs_of_msgspec_travel(x: int, at: datetime, raw: bytes) -> None:
    """A struct comes through, also as the key of a dict."""
    codec = known(Point)
    point = Point(x, at, raw)

    assert codec.decode(codec.encode({point: (point,)})) == {point: (point,)}


def test_the_form_is_a_name_and_fields() -> None:
    """Other languages can write it: the class by module and name, its fields by name."""
    raw = known(Street).encode(Street("Main"))

    assert raw == (
        b'{"$class":"tests.tasks.test_models.Street","fields":{"name":"Main","number":1}}'
    )


def test_the_order_of_fields_does_not_matter_to_the_canonical_form() -> None:
    """Instances are equal in canonical form however they were made."""
    codec = known(Street)

    assert codec.canonical(Street(number=1, name="a")) == codec.canonical(Street("a"))


def test_inherited_annotations_count() -> None:
    """What the fields of a parent hold is known with the child."""
    codec, villa = known(Villa), Villa(Street("Main"))

    assert codec.decode(codec.encode(villa)) == villa


def hidden() -> Secretive:
    """Make an object that its fields do not make again."""
    made = Secretive("x")
    made.count = 5
    return made


@pytest.mark.parametrize(
    "value", [hidden(), Login(password=pydantic.SecretStr("x")), Loose((1, 2))]
)
def test_what_would_arrive_as_another_does_not_leave(value: Any) -> None:
    """State without a field, masked secrets, types that JSON changes: refused, not lost."""
    with pytest.raises(PayloadError, match=f"{type(value).__name__} cannot travel: made again"):
        known(type(value)).encode(value)


def test_what_cannot_be_made_again_does_not_leave() -> None:
    """A class that wants more than its fields is refused where it is sent."""
    with pytest.raises(PayloadError, match=r"Fussy cannot travel: it cannot be made again .*more"):
        known(Fussy).encode(Fussy(1))


def test_what_nobody_can_compare_travels() -> None:
    """Without an equality of its own there is nothing to check."""
    codec = known(Opaque)

    assert codec.decode(codec.encode(Opaque("x"))).name == "x"


@pytest.mark.parametrize("value", [Street("a"), Point(1, datetime.now(UTC)), Line(text="x")])
def test_unknown_classes_do_not_leave(value: Any) -> None:
    """The error names the class and how to make it known."""
    with pytest.raises(PayloadError, match=rf"args\[0\]: .*app.type\({type(value).__name__}\)"):
        JSON().plain([value], "args")


def test_unknown_classes_do_not_arrive() -> None:
    """A payload cannot name a class that the app does not know, even one that exists."""
    raw = known(Street).encode(Street("a"))

    with pytest.raises(PayloadError, match="does not know the class"):
        JSON().decode(raw)


@pytest.mark.parametrize(
    "fields", ['{"name": "a", "colour": 1}', "{}", "[]", "5", "null", '{"name": {"$date": 1}}']
)
def test_wrong_fields_are_refused(fields: str) -> None:
    """Fields that the class does not take are a PayloadError."""
    name = "tests.tasks.test_models.Street"

    with pytest.raises(PayloadError):
        known(Street).decode(f'{{"$class": "{name}", "fields": {fields}}}'.encode())


@pytest.mark.parametrize("cls", [Order, Point])
def test_wrong_models_are_refused(cls: type) -> None:
    """What the library finds wrong is a PayloadError that says what."""
    raw = f'{{"$class": "tests.tasks.test_models.{cls.__name__}", "fields": {{}}}}'

    with pytest.raises(PayloadError, match=r"order-number|x"):
        known(cls).decode(raw.encode())


def test_a_new_field_with_a_default_may_be_missing() -> None:
    """Jobs from before a deploy are still read."""
    raw = b'{"$class":"tests.tasks.test_models.Street","fields":{"name":"Main"}}'

    assert known(Street).decode(raw) == Street("Main", 1)


def test_classes_in_annotations_are_known() -> None:
    """Also inside of lists, unions and Annotated, and what their fields hold."""

    def task(a: list[Address] | None, b: Annotated[Point, "why"]) -> dict[str, Order]:
        raise NotImplementedError

    types = Types()
    types.add_from(task)

    found = {types.name_of(cls) for cls in (Address, Street, Point, Order)}
    assert None not in found
    assert types.name_of(Line) is None


def test_annotations_that_cannot_be_resolved_yet_are_read_later() -> None:
    """A name that is defined after the task, or never, keeps no other from being known."""

    def task(a: "Later", b: Street, c: "Never") -> None:  # noqa: F821
        raise NotImplementedError

    types = Types()
    types.add_from(task)
    assert types.name_of(Street)

    task.__globals__["Later"] = Address
    try:
        assert types.name_of(Address)
        assert types.name_of(Street)
    finally:
        del task.__globals__["Later"]


@pytest.mark.parametrize("wrong", [int, "Street", Street("a"), object])
def test_what_cannot_travel_cannot_be_registered(wrong: Any) -> None:
    """Only the three kinds of classes are taken."""
    with pytest.raises(ConfigError, match="dataclass"):
        Types().add(wrong)
