"""From a URL to a client, and from the client's errors to ours."""
