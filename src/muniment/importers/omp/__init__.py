"""The Open Memory Protocol, as the draft of its semantic core stands: format `cognee-draft-0.1`, of 22 September 2026.

The initiative has no standard yet. This package follows one draft, apart from the five contracts, so that it can change
with it: an exchange (manifest, objects, lifecycle events) is judged object by object, and answered with a receipt.
"""

FORMAT = "cognee-draft-0.1"
DRAFTED = "2026-09-22"
