"""What holds whatever comes in: the same examples in every run, so that a failure stays one."""
