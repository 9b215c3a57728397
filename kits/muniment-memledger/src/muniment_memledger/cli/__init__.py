"""Pages and scores of memledger's command line."""
