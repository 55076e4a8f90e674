from ...rules.switches import Value

SWITCH_VALUES: dict[str, tuple[Value, ...]]
