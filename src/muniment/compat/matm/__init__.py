"""The governed MATM profile at work over our engine: a desk for events, retrieval, adoption, and an honest level."""
