from ..rules import Value

SWITCH_VALUES: dict[str, tuple[Value, ...]]
