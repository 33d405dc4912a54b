"""Tasks: functions known by a name, whose calls become jobs."""
