"""Verbs and backends of their own, each found by an entry point as a stranger's would be; nothing else imports them."""
