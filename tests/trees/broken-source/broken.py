"""CPython refuses this file; without the last statement it would not."""
FLAG = False
if FLAG:
    break
