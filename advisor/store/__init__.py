"""Where conversations live: SQLite by default, PostgreSQL by address. The only room that knows SQLAlchemy."""
