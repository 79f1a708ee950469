"""The teacher: Universal Sentence Encoder Lite, a transformer of two layers, in numpy.

It reads the weights as the npm package holds them (tensorflow.js shards) and gives
texts of up to 128 SentencePiece tokens a unit vector of 512 dimensions.
"""
import json
import math
import unicodedata
from collections import defaultdict

import numpy as np

MOST_TOKENS = 128
HEADS = 4
BATCH_TOKENS = 4096


class Teacher:
    def __init__(self, folder):
        self.weights = read_weights(folder)
        self.embedding = self.find('module/Embeddings_en')
        self.timescales = self.find('TimingSignal/ExpandDims_1')[0]
        self.layers = [self.layer('Layer_%d/' % i) for i in (0, 1)]
        self.dense, self.dense_bias = self.find('Layer_0/TransformerLayer/dense/kernel'), self.find('Layer_0/TransformerLayer/dense/bias')
        self.out, self.out_bias = self.find('tanh_layer_0/weights'), self.find('tanh_layer_0/bias')
        pieces = json.load(open(folder + '/vocab.json', encoding='utf8'))
        self.vocab = {t: (i, score) for i, (t, score) in enumerate(pieces) if i >= 6 and score is not None}
        self.longest = max(map(len, self.vocab))
        self.cache = {}

    def find(self, *parts):
        names = [n for n in self.weights if all(p in n for p in parts)]
        assert len(names) == 1, (parts, names)
        return self.weights[names[0]]

    def layer(self, p):
        norm = p + 'TransformerLayer/%s/layer_norm/layer_norm_'
        before, ffn = norm % 'layer_prepostprocess', norm % 'FFN/layer_prepostprocess'
        return dict(
            g1=self.find(before + 'scale'), b1=self.find(before + 'bias'),
            g2=self.find(ffn + 'scale'), b2=self.find(ffn + 'bias'),
            qkv=self.find(p, 'qkv_transform_single/kernel')[0, 0], qkv_bias=self.find(p, 'qkv_transform_single/bias'),
            out=self.find(p, 'output_transform_single/kernel')[0, 0], out_bias=self.find(p, 'output_transform_single/bias'),
            w1=self.find(p, 'FFN/conv1/Tensordot/Reshape_1'), c1=self.find(p, 'FFN/conv1/bias'),
            w2=self.find(p, 'FFN/conv2/Tensordot/Reshape_1'), c2=self.find(p, 'FFN/conv2/bias'))

    def viterbi(self, t):
        """The best cut of one word into SentencePiece tokens; 0 is unknown."""
        n = len(t)
        best, back = [-1e18] * (n + 1), [None] * (n + 1)
        best[0] = 0
        for i in range(n):
            if best[i] <= -1e17:
                continue
            single = False
            for j in range(i + 1, min(n, i + self.longest) + 1):
                entry = self.vocab.get(t[i:j])
                if entry:
                    single |= j == i + 1
                    score = best[i] + entry[1]
                    if score > best[j]:
                        best[j], back[j] = score, (i, entry[0])
            if not single and best[i] - 20 > best[i + 1]:
                best[i + 1], back[i + 1] = best[i] - 20, (i, 0)
        out, j = [], n
        while j:
            i, token = back[j]
            out.append(token)
            j = i
        return out[::-1]

    def tokens(self, text):
        out = []
        for word in unicodedata.normalize('NFKC', text).split(' '):
            word = '\u2581' + word
            cut = self.cache.get(word)
            if cut is None:
                cut = self.cache[word] = self.viterbi(word)
            for token in cut:
                if not (token == 0 and out and out[-1] == 0):
                    out.append(token)
            if len(out) > MOST_TOKENS:
                break
        return out[:MOST_TOKENS]

    def forward(self, ids):
        """Vectors of a batch of token rows of one length."""
        batch, n = ids.shape
        angle = np.arange(n, dtype=np.float32)[:, None] * self.timescales[None]
        x = 2 * self.embedding[ids] + np.concatenate([np.sin(angle), np.cos(angle)], 1)[None].astype(np.float32)
        for number, d in enumerate(self.layers):
            h = matmul(normed(x, d['g1'], d['b1']), d['qkv']) + d['qkv_bias']
            width = h.shape[-1] // 3
            head = width // HEADS
            q, k, v = [h[..., i * width:(i + 1) * width].reshape(batch, n, HEADS, head).transpose(0, 2, 1, 3) for i in range(3)]
            a = (q * np.float32(head ** -0.5)) @ k.transpose(0, 1, 3, 2)
            a = np.exp(a - a.max(-1, keepdims=True))
            a /= a.sum(-1, keepdims=True)
            c = matmul((a @ v).transpose(0, 2, 1, 3).reshape(batch, n, width), d['out']) + d['out_bias']
            x = c + (matmul(x, self.dense) + self.dense_bias if number == 0 else x)
            x = x + matmul(np.maximum(matmul(normed(x, d['g2'], d['b2']), d['w1']) + d['c1'], 0), d['w2']) + d['c2']
        p = np.tanh(x.mean(1) @ self.out + self.out_bias)
        return p / np.maximum(np.linalg.norm(p, axis=1, keepdims=True), 1e-9)

    def encode(self, texts):
        out = np.zeros((len(texts), 512), np.float32)
        ids = [self.tokens(t) for t in texts]
        by_length = defaultdict(list)
        for i, row in enumerate(ids):
            if row:
                by_length[len(row)].append(i)
        for n, places in sorted(by_length.items()):
            step = max(1, BATCH_TOKENS // n)
            for j in range(0, len(places), step):
                part = places[j:j + step]
                out[part] = self.forward(np.array([ids[i] for i in part]))
        return out


def read_weights(folder):
    manifest = json.load(open(folder + '/model.json', encoding='utf8'))
    shards = b''.join(open('%s/group1-shard%dof7' % (folder, i), 'rb').read() for i in range(1, 8))
    weights, at = {}, 0
    for group in manifest['weightsManifest']:
        for w in group['weights']:
            count = math.prod(w['shape']) if w['shape'] else 1
            kind = '<f4' if w['dtype'] == 'float32' else '<i4'
            weights[w['name']] = np.frombuffer(shards, kind, count, at).reshape(w['shape'])
            at += 4 * count
    return weights


def normed(x, gain, bias):
    y = x - x.mean(-1, keepdims=True)
    return gain * (y / np.sqrt((y * y).mean(-1, keepdims=True) + 1e-6)) + bias


def matmul(a, w):
    return (a.reshape(-1, a.shape[-1]) @ w).reshape(a.shape[:-1] + (w.shape[1],))
