#!/usr/bin/env python3
"""Write a tiny BERT model with random weights as GGUF:  mkgguf.py OUT.gguf

It knows single characters only and means nothing, but a real Ollama server loads it
and embeds with it, which is all that a test of the client needs. Needs numpy.
"""
import struct
import sys

import numpy as np

WIDTH, HIDDEN, LAYERS, HEADS, CONTEXT = 64, 128, 2, 4, 512
CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789.,:;!?\'"()-/_'
SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
TOKENS = SPECIAL + ['\u2581' + c for c in CHARACTERS] + list(CHARACTERS)

# Value types of the format.
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
ALIGNMENT = 32


def string(x):
    b = x.encode()
    return struct.pack('<Q', len(b)) + b


def scalar(kind, v):
    if kind == STRING:
        return string(v)
    return struct.pack({U32: '<I', I32: '<i', F32: '<f', BOOL: '<B'}[kind], v)


def entry(key, kind, v):
    head = string(key) + struct.pack('<I', kind)
    if kind != ARRAY:
        return head + scalar(kind, v)
    of, items = v
    return head + struct.pack('<IQ', of, len(items)) + b''.join(scalar(of, x) for x in items)


def metadata():
    n = len(TOKENS)
    return [entry(*e) for e in [
        ('general.architecture', STRING, 'bert'), ('general.name', STRING, 'tiny-test-bert'), ('general.file_type', U32, 0),
        ('bert.block_count', U32, LAYERS), ('bert.context_length', U32, CONTEXT), ('bert.embedding_length', U32, WIDTH),
        ('bert.feed_forward_length', U32, HIDDEN), ('bert.attention.head_count', U32, HEADS),
        ('bert.attention.layer_norm_epsilon', F32, 1e-12), ('bert.attention.causal', BOOL, 0), ('bert.pooling_type', U32, 1),
        ('tokenizer.ggml.model', STRING, 'bert'), ('tokenizer.ggml.pre', STRING, 'default'),
        ('tokenizer.ggml.token_type_count', U32, 2), ('tokenizer.ggml.tokens', ARRAY, (STRING, TOKENS)),
        ('tokenizer.ggml.scores', ARRAY, (F32, [-1000.0] * n)),
        ('tokenizer.ggml.token_type', ARRAY, (I32, [3] * len(SPECIAL) + [1] * (n - len(SPECIAL)))),
        ('tokenizer.ggml.padding_token_id', U32, 0), ('tokenizer.ggml.unknown_token_id', U32, 1),
        ('tokenizer.ggml.cls_token_id', U32, 2), ('tokenizer.ggml.bos_token_id', U32, 2),
        ('tokenizer.ggml.seperator_token_id', U32, 3), ('tokenizer.ggml.eos_token_id', U32, 3),
        ('tokenizer.ggml.mask_token_id', U32, 4), ('tokenizer.ggml.add_bos_token', BOOL, 1),
        ('tokenizer.ggml.add_eos_token', BOOL, 1),
    ]]


def tensors():
    rng = np.random.default_rng(1)

    def random(*shape, scale=.05):
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    def ones(n):
        return np.ones(n, np.float32)

    def zeros(n):
        return np.zeros(n, np.float32)

    yield 'token_embd.weight', random(len(TOKENS), WIDTH, scale=.5)
    yield 'token_types.weight', random(2, WIDTH)
    yield 'position_embd.weight', random(CONTEXT, WIDTH)
    yield 'token_embd_norm.weight', ones(WIDTH)
    yield 'token_embd_norm.bias', zeros(WIDTH)
    for i in range(LAYERS):
        p = 'blk.%d.' % i
        for name in ('attn_q', 'attn_k', 'attn_v', 'attn_output'):
            yield p + name + '.weight', random(WIDTH, WIDTH)
            yield p + name + '.bias', zeros(WIDTH)
        yield p + 'attn_output_norm.weight', ones(WIDTH)
        yield p + 'attn_output_norm.bias', zeros(WIDTH)
        yield p + 'ffn_up.weight', random(HIDDEN, WIDTH)
        yield p + 'ffn_up.bias', zeros(HIDDEN)
        yield p + 'ffn_down.weight', random(WIDTH, HIDDEN)
        yield p + 'ffn_down.bias', zeros(WIDTH)
        yield p + 'layer_output_norm.weight', ones(WIDTH)
        yield p + 'layer_output_norm.bias', zeros(WIDTH)


def padded(b):
    return b + b'\0' * (-len(b) % ALIGNMENT)


def main(out):
    entries, parts = metadata(), list(tensors())
    index, data = b'', b''
    for name, values in parts:
        shape = b''.join(struct.pack('<Q', x) for x in reversed(values.shape))
        index += string(name) + struct.pack('<I', values.ndim) + shape + struct.pack('<IQ', 0, len(data))
        data += padded(values.tobytes())
    head = b'GGUF' + struct.pack('<IQQ', 3, len(parts), len(entries)) + b''.join(entries) + index
    open(out, 'wb').write(padded(head) + data)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
