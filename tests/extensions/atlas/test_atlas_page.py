"""The page of the extension says what it brings."""

from explained import extension_page


def test_commands_and_options_are_what_the_extension_declares() -> None:
    assert "`--atlas` DIR" in extension_page("atlas")
