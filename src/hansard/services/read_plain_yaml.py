"""Reads YAML from anywhere: as words, lists and mappings, whatever its tags say, and not too deep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

FLOW_DEPTH_MAX = 64
"""How many brackets may be open at once: with each further one, every word takes longer to read."""
_NULL = "tag:yaml.org,2002:null"
_BOOL = "tag:yaml.org,2002:bool"
_BOOLS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def mapping(text: str) -> dict[Any, Any] | None:
    """The mapping that a text is; None if it is none, or is too deep, or names a key twice or a part of itself again.

    No number, date or object is made of a word, so that a wrong tag harms nobody and a word stays as it was written.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        """Ends at once where a text would take long, or never end."""

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("a part of the text is named again")
            return super().compose_node(parent, index)

        def fetch_flow_collection_start(self, token_class: Any) -> None:
            if self.flow_level >= FLOW_DEPTH_MAX:
                raise yaml.YAMLError("the brackets are too deep")
            super().fetch_flow_collection_start(token_class)

    try:
        node = yaml.compose(text, Loader)
        found = None if node is None else _plain(node)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _plain(node: yaml.Node) -> Any:
    """What a node says. Raises ValueError for a key that is no word, or is there twice."""
    import yaml

    if isinstance(node, yaml.ScalarNode):
        if node.tag == _NULL:
            return None
        return _BOOLS.get(node.value.lower(), node.value) if node.tag == _BOOL else node.value
    if isinstance(node, yaml.SequenceNode):
        return [_plain(one) for one in node.value]
    found: dict[Any, Any] = {}
    for key, value in node.value:
        name = _plain(key)
        if isinstance(name, list | dict) or name in found:
            raise ValueError("a key is no word, or is there twice")
        found[name] = _plain(value)
    return found
