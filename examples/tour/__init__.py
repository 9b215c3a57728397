"""The guided tour, and the tour with its memory served afterwards."""
