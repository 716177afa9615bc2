from championship.platform import keys


def test_keys_are_short_safe_in_addresses_and_never_the_same() -> None:
    made = {keys.new_key() for _ in range(1000)}

    assert len(made) == 1000
    assert {len(key) for key in made} == {keys.KEY_LENGTH}
    assert not any(key.startswith("-") for key in made)
    assert all(key.replace("-", "").replace("_", "").isalnum() for key in made)
