import hazards


def test_thread(ask):
    assert ask(hazards.threaded) == 60
