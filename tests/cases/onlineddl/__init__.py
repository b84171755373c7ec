"""Online DDL by gh-ost and pt-online-schema-change, on real servers."""
