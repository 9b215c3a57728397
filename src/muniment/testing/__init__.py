"""For whoever builds on Muniment: the conformance suite for stores."""
