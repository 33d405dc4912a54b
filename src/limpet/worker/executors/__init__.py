"""Where user code runs: on the loop, in threads, or in processes."""
