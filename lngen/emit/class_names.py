"""Names of a layer's class, of its attributes and of its arguments, the same in each framework.

Saved parameters therefore have the same names in all frameworks.
"""

from __future__ import annotations

from lngen.language.names import BUILTINS, KEYWORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODULE = _words(
    """
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval
    extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules
    mtia named_buffers named_children named_modules named_parameters parameters register_backward_hook register_buffer
    register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter
    register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ reset_parameters set_extra_state
    set_submodule share_memory state_dict to to_empty train training type xpu zero_grad
    """
)
"""Attributes of every module of PyTorch.

They are written out, so that emitted text does not depend on the installed version.
"""

_OTHERS = frozenset({"self", "device", "dtype", "backend", "backward", "gradients"})
"""Further attributes and arguments of a layer's class, in some framework."""

_BESIDE = frozenset({"Gradients", "Outputs", "Saved", "SecondGradients"})
"""The classes that the package of a layer has."""


def attribute(name: str) -> str:
    """Return the attribute, and the constructor's argument, for a name; a reserved name gets an underscore at its end.

    >>> attribute("gamma"), attribute("half"), attribute("dtype")
    ('gamma', 'half_', 'dtype_')
    """
    return f"{name}_" if name in MODULE | _OTHERS else name


def class_of(layer: str) -> str:
    """The class of a layer: its words capitalized, those without a vowel in capitals.

    >>> [class_of(name) for name in ("two_words", "qk_scale", "LN", "none", "saved")]
    ['TwoWords', 'QKScale', 'LN_', 'None_', 'Saved_']
    """
    words = [word for word in layer.split("_") if word]
    name = "".join(word[0].upper() + word[1:] if set(word.lower()) & set("aeiouy") else word.upper() for word in words)
    return f"{name}_" if name == layer or name in KEYWORDS | BUILTINS | _BESIDE else name
