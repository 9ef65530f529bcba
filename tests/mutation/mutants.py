"""The wrong edits that can be made to one module, each with a name that stays when lines move."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
#: Names that stand for the opposite choice, as functions and as methods.
OPPOSITE = {
    "min": "max",
    "max": "min",
    "all": "any",
    "any": "all",
    "minimum": "maximum",
    "maximum": "minimum",
    "floor": "ceil",
    "ceil": "floor",
    "all_horizontal": "any_horizontal",
    "argmin": "argmax",
    "argmax": "argmin",
}
#: Functions in which a text is more than words: what is hashed, and what keys of files are called.
TELLING = ("hash", "salt", "fingerprint", "sha", "certif", "section", "form", "files", "tamper")


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One wrong edit: ``id`` names it, ``source`` is the whole module with it."""

    id: str
    function: str
    line: int
    before: str
    after: str
    source: str

    @property
    def diff(self) -> str:
        """The edit as two lines."""
        return f"- {_flat(self.before, 300)}\n+ {_flat(self.after, 300)}"


def mutants_of(source: str, path: str) -> list[Mutant]:
    """Return every mutant of a module, in the order of its lines."""
    tree, seen = ast.parse(source), Counter[str]()
    offsets = _offsets(source)
    found = []
    paths = "import Path" in source and "import numpy" not in source
    for node, kind, function, changed in _Edits(tree).all():
        if paths and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            continue  # a path with a name, which nothing else can be done with
        start, end = offsets[node.lineno - 1] + node.col_offset, offsets[node.end_lineno - 1] + node.end_col_offset
        encoded = source.encode()
        before, after = encoded[start:end].decode(), _written(changed, node)
        mutated = (encoded[:start] + after.encode() + encoded[end:]).decode()
        name = f"{path}::{function}::{kind}::{_flat(before, 60)} -> {_flat(after, 60)}"
        seen[name] += 1
        number = f" #{seen[name]}" if seen[name] > 1 else ""
        found.append(
            Mutant(id=name + number, function=function, line=node.lineno, before=before, after=after, source=mutated)
        )
    return found


class _Edits:
    """Walks a module; leaves alone what no run depends on: docstrings, annotations, messages, texts for people."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree

    def all(self) -> Iterator[tuple[ast.AST, str, str, ast.AST | str]]:
        yield from self._within(self.tree.body, "module", None)

    def _within(self, body: list[ast.stmt], function: str, returns: ast.expr | None) -> Iterator[tuple]:
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                inner = statement.name if function == "module" else f"{function}.{statement.name}"
                if not statement.name.startswith(("promise", "__repr__")):
                    yield from self._within(_undocumented(statement.body), inner, statement.returns)
            elif isinstance(statement, ast.ClassDef):
                inner = statement.name if function == "module" else f"{function}.{statement.name}"
                yield from self._within(_undocumented(statement.body), inner, None)
            else:
                yield from self._statement(statement, function, returns)

    def _statement(self, statement: ast.stmt, function: str, returns: ast.expr | None) -> Iterator[tuple]:
        if isinstance(statement, ast.Import | ast.ImportFrom | ast.Assert | ast.Global | ast.Pass):
            return
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return
        if function != "module" and _droppable(statement):
            yield statement, "drop", function, "pass"
        if isinstance(statement, ast.Raise):
            return  # which error it is and what it says are not for here
        if isinstance(statement, ast.Return) and statement.value is not None and _is_bool(returns):
            yield statement.value, "negate", function, ast.UnaryOp(op=ast.Not(), operand=statement.value)
        if isinstance(statement, ast.For):
            yield statement.iter, "skip-last", function, _without_last(statement.iter)
        for name, value in ast.iter_fields(statement):
            if name in ("annotation", "returns", "decorator_list", "type_comment", "targets", "target"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.stmt):
                    yield from self._within([child], function, returns)
                elif isinstance(child, ast.ExceptHandler | ast.match_case):
                    yield from self._within(child.body, function, returns)
                elif isinstance(child, ast.withitem):
                    yield from self._expression(child.context_expr, function)
                elif isinstance(child, ast.expr):
                    yield from self._expression(child, function)

    def _expression(self, node: ast.expr, function: str) -> Iterator[tuple]:
        if isinstance(node, ast.JoinedStr):
            return  # a message
        for kind, changed in _changes(node, function):
            yield node, kind, function, changed
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self._expression(child, function)
            elif isinstance(child, ast.comprehension):
                yield child.iter, "skip-last", function, _without_last(child.iter)
                yield from self._expression(child.iter, function)
                for condition in child.ifs:
                    yield from self._expression(condition, function)
            elif isinstance(child, ast.keyword) and child.arg != "strict":  # zip(strict=True) is an assertion
                yield from self._expression(child.value, function)


def _changes(node: ast.expr, function: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield what an expression can be changed to."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            changed = copy.deepcopy(node)
            changed.ops[i] = COMPARED[type(operator)]()
            yield "compare", changed
    elif isinstance(node, ast.BoolOp):
        changed = copy.deepcopy(node)
        changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and-or", changed
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert | ast.USub):
        yield "unary", node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        changed = copy.deepcopy(node)
        changed.op = COMPUTED[type(node.op)]()
        yield "arithmetic", changed
    elif isinstance(node, ast.Constant):
        yield from _constants(node, function)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.IfExp):
        yield "branch", ast.IfExp(test=node.test, body=node.orelse, orelse=node.body)


def _constants(node: ast.Constant, function: str) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield "constant", ast.Constant(node.value + 1)
        yield "constant", ast.Constant(node.value - 1)
    elif isinstance(node.value, str | bytes) and node.value and any(part in function.lower() for part in TELLING):
        yield "text", ast.Constant(node.value + (b"x" if isinstance(node.value, bytes) else "x"))


def _calls(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    plain = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
    if len(plain) == len(node.args) >= 2:
        changed = copy.deepcopy(node)
        changed.args[0], changed.args[1] = changed.args[1], changed.args[0]
        yield "swap", changed
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in OPPOSITE:
        changed = copy.deepcopy(node)
        if isinstance(changed.func, ast.Name):
            changed.func.id = OPPOSITE[name]
        else:
            changed.func.attr = OPPOSITE[name]
        yield "opposite", changed


def _droppable(statement: ast.stmt) -> bool:
    """Say whether a statement can go without leaving a name undefined."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call | ast.Yield)
    return isinstance(statement, ast.Raise | ast.AugAssign | ast.Break | ast.Continue) or (
        isinstance(statement, ast.Assign)
        and all(isinstance(t, ast.Subscript | ast.Attribute) for t in statement.targets)
    )


def _without_last(node: ast.expr) -> ast.expr:
    turned = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "reversed"  # its first is the last
    last = ast.UnaryOp(op=ast.USub(), operand=ast.Constant(1))
    cut = ast.Slice(lower=ast.Constant(1)) if turned else ast.Slice(upper=last)
    return ast.Subscript(value=ast.Call(func=ast.Name("list"), args=[node], keywords=[]), slice=cut, ctx=ast.Load())


def _undocumented(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if documented else body


def _is_bool(returns: ast.expr | None) -> bool:
    return isinstance(returns, ast.Name) and returns.id == "bool"


def _written(changed: ast.AST | str, node: ast.AST) -> str:
    if isinstance(changed, str):
        return changed
    text = ast.unparse(ast.fix_missing_locations(changed))
    return text if isinstance(node, ast.Constant | ast.Name | ast.Call) else f"({text})"


def _offsets(source: str) -> list[int]:
    offsets = [0]
    for line in source.encode().split(b"\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    return offsets


def _flat(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
