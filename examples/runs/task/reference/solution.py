def longest_run(values):
    """The length of the longest stretch of equal neighbours."""
    longest = length = 0
    for at, value in enumerate(values):
        if at > 0 and value == values[at - 1]:
            length += 1
        else:
            length = 1
        longest = max(longest, length)
    return longest
