"""What golden files use of torch that an older torch, as Debian 12 has it, lacks."""

import functools
import sys


def _with_long_indices(torch, original):
    def long(index):
        if isinstance(index, torch.Tensor) and index.dtype == torch.int32:
            return index.long()
        if isinstance(index, tuple):
            return tuple(long(part) for part in index)
        return index

    @functools.wraps(original)
    def access(tensor, index, *value):
        return original(tensor, long(index), *value)

    access.takes_int32 = True
    return access


def supply():
    """Adds it, if torch has been imported."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "Tensor"):
        return
    if not hasattr(torch.Tensor, "nbytes"):
        torch.Tensor.nbytes = property(lambda tensor: tensor.element_size() * tensor.numel())
    if hasattr(torch.Tensor.__getitem__, "takes_int32"):
        return
    try:
        torch.zeros(1)[torch.zeros(1, dtype=torch.int32)]
    except IndexError:
        for name in ("__getitem__", "__setitem__"):
            original = getattr(torch.Tensor, name)
            setattr(torch.Tensor, name, _with_long_indices(torch, original))
