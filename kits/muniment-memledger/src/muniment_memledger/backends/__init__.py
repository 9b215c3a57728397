"""The stores a Memledger works on."""
