"""The SEMB1 file and its tokenizer. The Go reader must do exactly what stands here.

    "SEMB1\\n", u32 header length, JSON header,
    English words joined by \\n, Chinese words joined by \\n,
    u8 cost per Chinese word, f16 scale per row,
    rows of dim/2 bytes (low nibble first, value + 8)

Numbers are little-endian.
"""
import hashlib
import json
import math
import re
import struct
import unicodedata

import numpy as np

DIM = 256
LONGEST_CHINESE = 8   # characters
UNKNOWN_COST = 300    # of a Han character that begins no word; the dearest word costs 255
RUN = re.compile(r'[\u4e00-\u9fff]+|[^\u4e00-\u9fff]+')
WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
PART = re.compile(r"[a-z]+|[0-9]+|'[a-z]+")
LICENCE = ('CC BY-SA 4.0 (Chinese rows derive from CC-CEDICT); English rows derive from GloVe 6B (PDDL 1.0), '
           'USE-lite (Apache-2.0), WordNet 3.1 (Princeton), word list MIT (jieba)')


def costs_of(words, frequencies):
    """Cost by word: -12 ln of its frequency, in a byte."""
    total = sum(frequencies.values())
    return {w: min(255, round(-12 * math.log((frequencies.get(w, 0) + .5) / total))) for w in words}


class Tokenizer:
    def __init__(self, english, chinese, costs):
        self.english = {w: i for i, w in enumerate(english)}
        self.chinese = {w: len(english) + i for i, w in enumerate(chinese)}
        self.costs = costs

    def segment(self, text):
        """The cheapest cut of a run of Han characters into words."""
        n = len(text)
        best, back = [1e9] * (n + 1), [0] * (n + 1)
        best[0] = 0
        for i in range(n):
            here = best[i]
            if here + UNKNOWN_COST < best[i + 1]:
                best[i + 1], back[i + 1] = here + UNKNOWN_COST, i
            for j in range(i + 1, min(n, i + LONGEST_CHINESE) + 1):
                cost = self.costs.get(text[i:j])
                if cost is not None and here + cost < best[j]:
                    best[j], back[j] = here + cost, i
        out, j = [], n
        while j:
            out.append(text[back[j]:j])
            j = back[j]
        return out[::-1]

    def ids(self, text, most=0):
        """Rows of the words in text, no more than most of them if that is given."""
        out = []
        for match in RUN.finditer(unicodedata.normalize('NFKC', text)):
            run = match.group()
            if '\u4e00' <= run[0] <= '\u9fff':
                out += [self.chinese[w] for w in self.segment(run) if w in self.chinese]
            else:
                for w in WORD.findall(run.lower().replace('\u2019', "'")):
                    if w in self.english:
                        out.append(self.english[w])
                    else:
                        out += [self.english[x] for x in PART.findall(w) if x in self.english]
            if most and len(out) >= most:
                return out[:most]
        return out


def write(path, rows, english, chinese, costs):
    """Rotate rows to their principal axes, reduce them to 4 bits, write the file; its SHA-256."""
    common, common_chinese = rows[:40000], rows[len(english):len(english) + 20000]
    _, axes = np.linalg.eigh((common.T @ common + common_chinese.T @ common_chinese).astype(np.float64))
    turned = (rows @ axes[:, ::-1]).astype(np.float32)
    # Clipping at 0.8 of the largest value costs that one little and all others gain.
    scales = (np.abs(turned).max(1) * .8 / 7).astype(np.float16)
    exact = np.maximum(scales.astype(np.float32), 1e-9)
    values = np.clip(np.rint(turned / exact[:, None]), -7, 7).astype(np.int8)
    packed = ((values[:, 0::2] + 8) | ((values[:, 1::2] + 8) << 4)).astype(np.uint8)
    words, words_chinese = '\n'.join(english).encode(), '\n'.join(chinese).encode()
    header = json.dumps(dict(
        name='enzh-static-256', version=1, dim=DIM, bits=4, en=len(english), zh=len(chinese), en_bytes=len(words),
        zh_bytes=len(words_chinese), unk_cost=UNKNOWN_COST, max_zh=LONGEST_CHINESE, licence=LICENCE)).encode()
    blob = b''.join([b'SEMB1\n', struct.pack('<I', len(header)), header, words, words_chinese,
                     bytes(costs[w] for w in chinese), scales.tobytes(), packed.tobytes()])
    open(path, 'wb').write(blob)
    return hashlib.sha256(blob).hexdigest()


class Reader:
    """An artefact as a reader sees it."""

    def __init__(self, path):
        blob = open(path, 'rb').read()
        assert blob[:6] == b'SEMB1\n', path + ' is no SEMB1 file'
        size = struct.unpack('<I', blob[6:10])[0]
        h = self.header = json.loads(blob[10:10 + size])
        at = 10 + size

        def take(n):
            nonlocal at
            at += n
            return blob[at - n:at]

        english = take(h['en_bytes']).decode().split('\n')
        chinese = take(h['zh_bytes']).decode().split('\n')
        self.tokenizer = Tokenizer(english, chinese, dict(zip(chinese, take(h['zh']))))
        count = h['en'] + h['zh']
        scales = np.frombuffer(take(2 * count), '<f2').astype(np.float32)
        packed = np.frombuffer(take(count * h['dim'] // 2), np.uint8).reshape(count, -1)
        self.rows = np.empty((count, h['dim']), np.float32)
        self.rows[:, 0::2] = (packed & 15).astype(np.float32) - 8
        self.rows[:, 1::2] = (packed >> 4).astype(np.float32) - 8
        self.rows *= scales[:, None]

    def encode(self, texts):
        out = np.zeros((len(texts), self.header['dim']), np.float32)
        for i, text in enumerate(texts):
            ids = self.tokenizer.ids(text)
            if ids:
                out[i] = self.rows[ids].sum(0)
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
