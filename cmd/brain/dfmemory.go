package main

import (
	"fmt"
	"slices"
	"strings"

	"brain/store"
)

// A df-memory root opens as it is. Its memory.yml is recognised by keys that only
// df-memory has, and read through a map; what has no meaning here is named once.

// isDFMemory reports whether a settings file was written for df-memory.
func isDFMemory(flat []flatKey) bool {
	return slices.ContainsFunc(flat, func(f flatKey) bool {
		switch f.key {
		case "version", "brain_id", "schema_pack", "index.engine", "search.mode":
			return true
		}
		return slices.ContainsFunc([]string{"writer.", "iron_law.", "search.fusion.", "search.hotness.", "search.tokenmax."},
			func(group string) bool { return strings.HasPrefix(f.key, group) })
	})
}

// mapDFMemory translates the keys that mean something here and lists the others.
func mapDFMemory(flat []flatKey) (mapped []flatKey, ignored []string) {
	names := map[string]string{
		"brain_id": "brain", "embedding.provider": "embedding.provider", "embedding.model": "embedding.model",
		"schema_pack": "schema.pack", "embedding.base_url": "embedding.url", "embedding.api_key_env": "embedding.key", "embedding.key": "embedding.key",
		"llm.provider": "llm.provider", "llm.model": "llm.model", "llm.base_url": "llm.url", "llm.api_key_env": "llm.key", "llm.key": "llm.key",
		"git.mode": "git.mode", "distill.lazy_min_sources": "dream.lazy_min_sources",
	}
	for _, f := range flat {
		name, known := names[f.key]
		group, _, _ := strings.Cut(f.key, ".")
		text, means := dfValue(f.key, f.text, dfServer(flat, group))
		switch {
		case f.key == "version" && f.text == "1":
		case known && means:
			mapped = append(mapped, flatKey{key: name, text: text, line: f.line})
		case known:
			ignored = append(ignored, fmt.Sprintf("%s: %s", f.key, f.text))
		default:
			ignored = append(ignored, f.key)
		}
	}
	return mapped, ignored
}

// dfServer reports whether the file names a model server on this machine, for
// embedding or llm. One elsewhere, df-memory's default included, is for the user to
// name: see outside.
func dfServer(flat []flatKey, group string) bool {
	values := map[string]string{}
	for _, f := range flat {
		values[f.key] = f.text
	}
	url := values[group+".base_url"]
	return values[group+".provider"] == "openai" && url != "" && loopback(url)
}

// dfValue translates a value: `local` is df-memory's built-in embedder, as `static` is
// ours; model, server and key belong to a provider that asks one.
func dfValue(key, text string, remote bool) (string, bool) {
	switch key {
	case "embedding.provider":
		switch text {
		case "local", "onnx":
			return "static", true
		case "openai":
			return text, remote
		}
		return text, text != ""
	case "llm.provider":
		return text, text == "off" || text == "openai" && remote
	case "git.mode":
		return text, text == store.LedgerBatch || text == store.LedgerPerWrite || text == "off"
	case "schema_pack": // its own packs have another form
		return text, text == builtinPack
	case "embedding.model", "embedding.base_url", "llm.model", "llm.base_url":
		return text, remote && text != ""
	case "embedding.api_key_env", "embedding.key", "llm.api_key_env", "llm.key":
		text = strings.TrimPrefix(text, "env:")
		return "env:" + text, remote && variableName(text)
	}
	return text, text != ""
}
