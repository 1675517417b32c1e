"""One module for each way in which a mutant can be judged wrongly by a process that was warm before it."""
