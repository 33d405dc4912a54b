"""Workers: take jobs of tasks and run them."""
