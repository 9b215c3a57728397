"""Who may read and write where, by memledger's rules: policies on paths, rules by agent, the first that fits decides.

Two things are not as there: a policy covers everything below its path, part by part; and whoever gives no name is
nobody, who may do nothing, where memledger asked no question of callers without a name.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec

from muniment.contracts.names import safe_namespace
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import Malformed

READ, WRITE, ADMIN = "read", "write", "admin"
PERMISSIONS = frozenset({READ, WRITE, ADMIN})
NOBODY = ""
DEFAULT_RULE = "default"


def _read_only() -> set[str]:
    return {READ}


class AccessRule(msgspec.Struct):
    """What agents whose name matches may do."""

    agent_pattern: str
    permissions: set[str] = msgspec.field(default_factory=_read_only)

    def __post_init__(self) -> None:
        if not set(self.permissions) <= PERMISSIONS:
            raise Malformed("permissions", "some of " + ", ".join(sorted(PERMISSIONS)))


class NamespacePolicy(msgspec.Struct):
    """The rules of one path and all that is below it. A part of the path may be a pattern. What is less sure than
    `min_confidence_for_cross_read` is kept from agents that no rule names."""

    namespace: str
    rules: list[AccessRule] = msgspec.field(default_factory=list)
    min_confidence_for_cross_read: float = 0.0
    default_permissions: set[str] = msgspec.field(default_factory=_read_only)

    def __post_init__(self) -> None:
        if not set(self.default_permissions) <= PERMISSIONS:
            raise Malformed("default_permissions", "some of " + ", ".join(sorted(PERMISSIONS)))


class AccessDecision(msgspec.Struct, frozen=True):
    """Whether something is allowed, and which rule says so."""

    allowed: bool
    agent_id: str
    namespace: str
    operation: str
    matched_rule: str = ""
    reason: str = ""


class NamespaceAccessDenied(PermissionError):
    """The access rules do not let this agent do that there."""

    def __init__(self, decision: AccessDecision) -> None:
        who = decision.agent_id or "a caller without a name"
        super().__init__(f"{who} may not {decision.operation} in {decision.namespace}: {decision.reason}")
        self.decision = decision


class NamespaceRBAC:
    """The policies of all paths. `deny_unmatched` refuses what no policy covers, which else is allowed.

    >>> rules = NamespaceRBAC()
    >>> rules.set_policy(NamespacePolicy("/hr", [AccessRule("hr-*", {"read", "write"})], default_permissions=set()))
    >>> [rules.check_access(who, "/hr/pay", "read").allowed for who in ("hr-bot", "dev-bot")]
    [True, False]
    >>> rules.check_access("dev-bot", "/hrx").allowed
    True
    """

    def __init__(self, *, deny_unmatched: bool = False) -> None:
        self._policies: dict[str, NamespacePolicy] = {}
        self._deny_unmatched = deny_unmatched

    def set_policy(self, policy: NamespacePolicy) -> None:
        self._policies[safe_namespace(policy.namespace)] = policy

    def remove_policy(self, namespace: str) -> None:
        self._policies.pop(safe_namespace(namespace), None)

    def get_policy(self, namespace: str) -> NamespacePolicy | None:
        """The policy that governs a path: of those that cover it the deepest; of two as deep the more literal one."""
        parts = _parts(safe_namespace(namespace))
        over = [(_depth(_parts(path), parts), path) for path in self._policies]
        best = max((found for found in over if found[0] is not None), default=None, key=lambda one: (one[0], one[1]))
        return self._policies[best[1]] if best is not None else None

    def check_access(self, agent_id: str | None, namespace: str, operation: str = READ) -> AccessDecision:
        """Whether an agent may do something at a path."""
        if operation not in PERMISSIONS:
            raise Malformed("operation", "one of " + ", ".join(sorted(PERMISSIONS)))
        who = agent_id or NOBODY
        if not who:
            return AccessDecision(False, who, namespace, operation, "no_identity", "nobody is named as the caller")
        policy = self.get_policy(namespace)
        if policy is None:
            allowed, reason = not self._deny_unmatched, "no policy covers this path"
            return AccessDecision(allowed, who, namespace, operation, "no_policy", reason)
        for rule in policy.rules:
            if fnmatchcase(who, rule.agent_pattern):
                allowed = operation in rule.permissions
                words = ", ".join(sorted(rule.permissions)) or "nothing"
                name = f"{policy.namespace}: {rule.agent_pattern}"
                return AccessDecision(allowed, who, namespace, operation, name, f"{name} gives {words}")
        allowed = operation in policy.default_permissions
        return AccessDecision(allowed, who, namespace, operation, DEFAULT_RULE, f"the default of {policy.namespace}")

    def list_policies(self) -> list[JsonObject]:
        return [
            {
                "namespace": policy.namespace,
                "rules": [
                    {"pattern": rule.agent_pattern, "permissions": [*sorted(rule.permissions)]} for rule in policy.rules
                ],
                "default_permissions": [*sorted(policy.default_permissions)],
            }
            for _, policy in sorted(self._policies.items())
        ]


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _depth(pattern: list[str], parts: list[str]) -> tuple[int, int] | None:
    """How deep a policy's path reaches over another path, and how many of its parts are literal; None: it does not
    cover it."""
    if len(pattern) > len(parts) or not all(
        fnmatchcase(part, word) for part, word in zip(parts, pattern, strict=False)
    ):
        return None
    return len(pattern), sum(1 for word in pattern if not set("*?[") & set(word))
