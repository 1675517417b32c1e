def test_child(ask):
    assert ask() == 70
