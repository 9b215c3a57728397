"""memledger's tools as a server object."""
