"""The last part of each name is the status that the command ends with."""
TESTS_FAILED_1 = False
COLLECTION_FAILED_2 = False
INTERNAL_ERROR_3 = False
USED_WRONGLY_4 = False
NO_TESTS_5 = False
