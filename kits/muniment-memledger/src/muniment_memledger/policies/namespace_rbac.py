"""Who may read and write where, by memledger's rules: policies on paths, rules by agent, the first that fits decides.

Two things are not as there: a policy also covers everything below its path, part by part; and whoever gives no name is
nobody, who may do nothing, where memledger asked no question of callers without a name.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec

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
        self._policies[path_of(policy.namespace)] = policy

    def remove_policy(self, namespace: str) -> None:
        self._policies.pop(path_of(namespace), None)

    def get_policy(self, namespace: str) -> NamespacePolicy | None:
        """The policy that governs a path: the one of just this path, else of those that cover it the deepest; of two as
        deep the more literal one."""
        return next(iter(self.governing(namespace)), None)

    def governing(self, namespace: str) -> list[NamespacePolicy]:
        """The policies that must all allow something at a path: of those that cover it part by part the nearest, and of
        those that only reach it by a `*` across parts the nearest, which so can take away but never give."""
        path = path_of(namespace)
        whole = [pattern for pattern in self._policies if _covers(pattern, path)]
        across = [pattern for pattern in self._policies if pattern not in whole and _reaches(pattern, path)]
        nearest = [max(found, key=lambda one: _nearness(one, path)) for found in (whole, across) if found]
        return [self._policies[pattern] for pattern in nearest]

    def check_access(self, agent_id: str | None, namespace: str, operation: str = READ) -> AccessDecision:
        """Whether an agent may do something at a path."""
        if operation not in PERMISSIONS:
            raise Malformed("operation", "one of " + ", ".join(sorted(PERMISSIONS)))
        who = agent_id or NOBODY
        if not who:
            return AccessDecision(False, who, namespace, operation, "no_identity", "nobody is named as the caller")
        decisions = [_decision(policy, who, namespace, operation) for policy in self.governing(namespace)]
        if not decisions:
            allowed, reason = not self._deny_unmatched, "no policy covers this path"
            return AccessDecision(allowed, who, namespace, operation, "no_policy", reason)
        return next((decision for decision in decisions if not decision.allowed), decisions[0])

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


def path_of(text: str) -> str:
    """A path by its whole parts, however it is written; never anything else than what was written, so that no spelling
    leads out of a policy's reach.

    >>> path_of("hr//pay/"), path_of("/hr/./../pay"), path_of("")
    ('/hr/pay', '/hr/pay', '/')
    """
    parts = (part.strip() for part in text.split("/"))
    return "/" + "/".join(part for part in parts if part not in ("", ".", ".."))


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _decision(policy: NamespacePolicy, who: str, namespace: str, operation: str) -> AccessDecision:
    """What one policy says: its first rule that fits, else its default."""
    for rule in policy.rules:
        if fnmatchcase(who, rule.agent_pattern):
            words = ", ".join(sorted(rule.permissions)) or "nothing"
            name = f"{policy.namespace}: {rule.agent_pattern}"
            allowed = operation in rule.permissions
            return AccessDecision(allowed, who, namespace, operation, name, f"{name} gives {words}")
    allowed = operation in policy.default_permissions
    return AccessDecision(allowed, who, namespace, operation, DEFAULT_RULE, f"the default of {policy.namespace}")


def _covers(pattern: str, path: str) -> bool:
    """Whether a policy's path covers another, part by part and with everything below."""
    words, parts = _parts(pattern), _parts(path)
    if words == ["*"]:
        return True
    return len(words) <= len(parts) and all(fnmatchcase(part, word) for part, word in zip(parts, words, strict=False))


def _reaches(pattern: str, path: str) -> bool:
    """Whether a policy's path is, as one pattern in which a `*` stands for any number of parts, the path of something
    or of anything above it."""
    parts = _parts(path)
    return any(fnmatchcase("/" + "/".join(parts[:count]), pattern) for count in range(len(parts) + 1))


def _nearness(pattern: str, path: str) -> tuple[bool, int, int, str]:
    signs = sum(1 for sign in pattern if sign not in "*?[]")
    return pattern == path, len(_parts(pattern)), signs, pattern
