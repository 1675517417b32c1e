def longest_run(values):
    raise NotImplementedError
