"""The page of the extension says what it brings."""

from explained import extension_page


def test_commands_and_options_are_what_the_extension_declares() -> None:
    assert "`--tables-2018`" in extension_page("papers")
