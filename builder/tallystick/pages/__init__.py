"""One file per page type; each defines PAGE."""
