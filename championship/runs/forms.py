"""What every post of a turn carries, whatever the game."""

from django import forms

from championship.runs.services.playing import KEY_LENGTH


class PostForm(forms.Form):
    """`version`: the one of the run that the driver saw. `key`: names this post, so that sent twice it is
    played once.
    """

    version = forms.IntegerField(min_value=0, max_value=2**31 - 1)
    key = forms.CharField(max_length=KEY_LENGTH)
