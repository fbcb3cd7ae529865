"""Errors as sentences for users."""


def error_sentence(error: BaseException) -> str:
    """Return what went wrong, in one sentence.

    Parameters
    ----------
    error : BaseException
        What was raised.

    Returns
    -------
    str
        Begins with a small letter, or a name.

    Examples
    --------
    >>> error_sentence(FileNotFoundError(2, "No such file or directory", "land.png"))
    'land.png: No such file or directory'
    """
    if isinstance(error, MemoryError):
        return "there is not enough memory; lower the resolution"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)
