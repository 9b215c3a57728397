"""Choose the weights of recall, and when it holds back, on questions whose answers are known."""
