#!/usr/bin/env python3
"""Make the table of word vectors:  build_static.py SRC OUT.semb

SRC holds the unpacked sources, see README.md. Needs numpy and scipy; about ten
minutes on one core.

English rows begin as [GloVe | teacher's vector of the word], Chinese rows as the mean
of their glosses' vectors. Training then turns them, so that pairs of texts that belong
together lie close (contrastive within a batch) and sentences lie to each other as the
teacher sees them. Only directions are trained: the length of a row is its word's
weight, by frequency, and letting it move costs a point of retrieval.
"""
import random
import re
import sys
import time
from collections import Counter

import numpy as np
from scipy.sparse import csr_matrix

import sources
import table
from teacher import Teacher

SEED = 7
ENGLISH, CHINESE = 60000, 45000   # words by frequency; Chinese of two characters or more
SIF = 5e-4                        # weight of a word of frequency p: SIF / (SIF + p)
GLOSSES = 6                       # of a Chinese word that are looked at
TRAIN_TOKENS = 64                 # of a text
PAIRS, SENTENCES, PAIR_TEMPERATURE = 768, 512, .07  # of a batch

started = time.time()


def log(*what):
    print('%5.0fs' % (time.time() - started), *what, flush=True)


def unit(m, least=1e-6):
    return m / np.maximum(np.linalg.norm(m, axis=1, keepdims=True), least)


def english_words(by_frequency, descriptions):
    """The most frequent words, then the technical ones of package descriptions."""
    base = by_frequency[:ENGLISH]
    known, count = set(base), Counter()
    for _, synopsis, paragraphs in descriptions:
        for w in table.WORD.findall((synopsis + ' ' + ' '.join(paragraphs)).lower()):
            if w not in known and re.fullmatch(r"[a-z][a-z0-9']+", w) and len(w) <= 24:
                count[w] += 1
    return base + sorted((w for w, n in count.items() if n >= 5), key=lambda w: (-count[w], w))


def chinese_words(glosses, frequencies):
    def rank(w):
        return (-frequencies.get(w, 0), w)
    words = sorted(glosses, key=rank)
    return sorted([w for w in words if len(w) > 1][:CHINESE] + [w for w in words if len(w) == 1], key=rank)


def english_rows(english, by_frequency, glove, teacher):
    """First rows of the English words, and their lengths."""
    place = {w: i for i, w in enumerate(by_frequency)}
    g = np.zeros((len(english), 100), np.float32)
    known = np.array([w in place for w in english])
    g[known] = glove[[place[w] for w in english if w in place]]
    g -= g[:50000].mean(0)
    _, _, axes = np.linalg.svd(g[:20000], full_matrices=False)
    g = unit(g - (g @ axes[:2].T) @ axes[:2])   # the two top components hold frequency, not meaning
    g[~known] = 0
    u = teacher.encode(english)
    u -= u[:50000].mean(0)
    _, _, axes = np.linalg.svd(u[:20000], full_matrices=False)
    u = unit(u @ axes[1:table.DIM - 100 + 1].T)
    rank = np.arange(len(english)) + 1.
    rank[ENGLISH:] = 40000                      # technical words weigh as rare ones
    weight = SIF / (SIF + 1 / (rank * np.log(ENGLISH * 1.78)))
    rows = np.hstack([g, u])
    lengths = np.linalg.norm(rows, axis=1) * weight
    return rows * weight[:, None], lengths


def encode(rows, tokenizer, texts):
    out = np.zeros((len(texts), table.DIM), np.float32)
    for i, text in enumerate(texts):
        ids = [x for x in tokenizer.ids(text) if x < len(rows)]
        if ids:
            out[i] = rows[ids].sum(0)
    return unit(out, 1e-9)


def chinese_rows(rows, tokenizer, chinese, glosses):
    """First directions of the Chinese words: the mean of their glosses, early ones first."""
    texts, owners = [], []
    for i, w in enumerate(chinese):
        for k, gloss in enumerate(glosses[w][:GLOSSES]):
            texts.append(gloss)
            owners.append((i, 1 / (1 + .5 * k)))
    out = np.zeros((len(chinese), table.DIM), np.float32)
    for (i, weight), v in zip(owners, encode(rows, tokenizer, texts)):
        out[i] += weight * v
    return unit(out)


def english_pairs(synsets, descriptions):
    pairs = []
    for words, definition, examples in synsets:
        pairs.append((', '.join(words), definition))
        pairs += [(e, definition) for e in examples]
        if len(words) > 1:
            pairs.append(tuple(random.sample(words, 2)))
    for _, synopsis, paragraphs in descriptions:
        pairs.append((synopsis, paragraphs[0]))
        if len(paragraphs) > 1:
            pairs.append((paragraphs[0], paragraphs[1]))
    return pairs


def chinese_pairs(chinese, glosses, descriptions, descriptions_chinese):
    by_gloss, pairs = {}, []
    for w in chinese:
        mine = glosses[w][:GLOSSES]
        pairs.append((w, '; '.join(mine[:3])))
        if len(mine) > 1:
            pairs.append((w, random.choice(mine)))
        for gloss in mine[:2]:
            by_gloss.setdefault(gloss, []).append(w)
    synonyms = [(a, b) for words in by_gloss.values() if 1 < len(words) < 6 for a in words for b in words if a < b]
    random.shuffle(synonyms)
    pairs += synonyms[:60000]
    english = {md5: (synopsis, paragraphs) for md5, synopsis, paragraphs in descriptions}
    for md5, synopsis, paragraphs in descriptions_chinese:
        if md5 in english:
            pairs += 3 * ([(synopsis, english[md5][0]), (synopsis, paragraphs[0])] + list(zip(paragraphs, english[md5][1])))
    return pairs


class Trainer:
    """Adam over the directions of rows; rows keep their lengths."""

    def __init__(self, tokenizer, sentences, seen_by_teacher):
        self.tokenizer, self.teacher = tokenizer, seen_by_teacher
        self.sentences = [self.ids(t) for t in sentences]
        self.usable = [i for i in range(len(sentences)) if len(self.sentences[i]) > 2]

    def ids(self, text):
        return np.array(self.tokenizer.ids(text, TRAIN_TOKENS), np.int64)

    def train(self, rows, lengths, pairs, epochs, rate, teacher_weight):
        left, right = [self.ids(a) for a, _ in pairs], [self.ids(b) for _, b in pairs]
        usable = [i for i in range(len(pairs))
                  if len(left[i]) and len(right[i]) and left[i].max() < len(rows) and right[i].max() < len(rows)]
        first, second, step = np.zeros_like(rows), np.zeros_like(rows), 0
        steps = epochs * (len(usable) // PAIRS)
        for epoch in range(epochs):
            random.shuffle(usable)
            for j in range(0, len(usable) - PAIRS, PAIRS):
                chosen, sentences = usable[j:j + PAIRS], random.sample(self.usable, SENTENCES)
                batch = [left[i] for i in chosen] + [right[i] for i in chosen] + [self.sentences[i] for i in sentences]
                words, gradient = self.gradient(rows, batch, self.teacher[sentences].astype(np.float32), teacher_weight)
                step += 1
                m = first[words] * .9 + .1 * gradient
                v = second[words] * .99 + .01 * gradient * gradient
                first[words], second[words] = m, v
                now = rate * max(.05, 1 - step / steps)
                moved = rows[words] - now * (m / (1 - .9 ** step)) / (np.sqrt(v / (1 - .99 ** step)) + 1e-8)
                rows[words] = unit(moved) * lengths[words][:, None]
            log('epoch', epoch + 1, 'of', epochs)
        return rows

    @staticmethod
    def gradient(rows, batch, teacher, teacher_weight):
        """Rows that the batch uses, and the loss's gradient by them."""
        starts = np.zeros(len(batch) + 1, np.int64)
        starts[1:] = np.cumsum([len(b) for b in batch])
        words, inverse = np.unique(np.concatenate(batch), return_inverse=True)
        bag = csr_matrix((np.ones(len(inverse), np.float32), inverse, starts), shape=(len(batch), len(words)))
        sums = bag @ rows[words]
        norms = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
        units = sums / norms
        a, b, s = units[:PAIRS], units[PAIRS:2 * PAIRS], units[2 * PAIRS:]
        # Each text must find its partner among all of the batch, in both directions.
        likely = np.exp((a @ b.T - 1) / PAIR_TEMPERATURE)
        d_pairs = (likely / likely.sum(1, keepdims=True) + likely / likely.sum(0, keepdims=True)) / (2 * PAIRS)
        d_pairs[np.arange(PAIRS), np.arange(PAIRS)] -= 1 / PAIRS
        d_pairs /= PAIR_TEMPERATURE
        # Each sentence must have the neighbours that the teacher gives it.
        want, have = softmax(teacher @ teacher.T / .08), softmax(s @ s.T / .1)
        d_sentences = teacher_weight * (have - want) / (SENTENCES * .1)
        d_units = np.vstack([d_pairs @ b, d_pairs.T @ a, (d_sentences + d_sentences.T) @ s])
        d_sums = (d_units - units * (units * d_units).sum(1, keepdims=True)) / norms
        return words, (bag.T @ d_sums).astype(np.float32)


def softmax(m):
    """By row, without the diagonal."""
    np.fill_diagonal(m, -1e9)
    m = np.exp(m - m.max(1, keepdims=True))
    return m / m.sum(1, keepdims=True)


def main(src, out):
    random.seed(SEED)
    np.random.seed(SEED)
    by_frequency, glove = sources.glove(src)
    log('glove', glove.shape)
    descriptions, descriptions_chinese = sources.debian(src, False), sources.debian(src, True)
    log('descriptions', len(descriptions), len(descriptions_chinese))
    frequencies, glosses = sources.jieba(src), sources.cedict(src)
    english, chinese = english_words(by_frequency, descriptions), chinese_words(glosses, frequencies)
    costs = table.costs_of(chinese, frequencies)
    tokenizer = table.Tokenizer(english, chinese, costs)
    log('words', len(english), len(chinese))

    teacher = Teacher(src + '/energetic/dist')
    rows, lengths = english_rows(english, by_frequency, glove, teacher)
    log('first English rows')
    total = sum(frequencies.values())
    lengths_chinese = 1.41 * np.array([SIF / (SIF + (frequencies.get(w, 0) + 1) / total) for w in chinese])
    synsets = list(sources.wordnet(src))
    pairs = english_pairs(synsets, descriptions)
    pairs_chinese = chinese_pairs(chinese, glosses, descriptions, descriptions_chinese)
    sentences = list(dict.fromkeys(x for _, definition, examples in synsets for x in [definition] + examples))
    seen = np.zeros((len(sentences), 512), np.float16)
    for i in range(0, len(sentences), 8192):
        seen[i:i + 8192] = teacher.encode(sentences[i:i + 8192])
    log("teacher's view of", len(sentences), 'sentences')

    trainer = Trainer(tokenizer, sentences, seen)
    rows = trainer.train(rows.astype(np.float32), lengths.astype(np.float32), pairs, 3, 2e-3, 1.0)
    both = np.vstack([rows, chinese_rows(rows, tokenizer, chinese, glosses) * lengths_chinese[:, None]]).astype(np.float32)
    both = trainer.train(both, np.concatenate([lengths, lengths_chinese]).astype(np.float32), pairs + pairs_chinese, 4, 2e-3, 2.0)
    log('SHA-256', table.write(out, both, english, chinese, costs))


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
