package store

import (
	"context"
	"fmt"
	"io/fs"
	"path"

	"brain/page"
)

// Names returns every file below a folder of the brain, whether it is a page or not:
// whoever is to take a folder over must know what else lies there. Paths are those
// within the brain, folder by folder. Links and special files are among them and never
// followed; a folder is only when nothing is in it, with a "/" behind. A folder that
// is not there holds nothing.
func (st *Store) Names(ctx context.Context, folder string) (all []string, err error) {
	what := "list all of " + folder
	if err := errContext(ctx, what); err != nil {
		return nil, err
	}
	root, err := st.current()
	if err != nil {
		return nil, err
	}
	err = checkParents(root, page.Path(folder+"/x.md"))
	if err == nil {
		all, err = names(ctx, root.FS(), folder)
	}
	if err := ignoreNotFound(notFound(err)); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return all, nil
}

func names(ctx context.Context, tree fs.FS, folder string) (all []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(tree, folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		at := path.Join(folder, e.Name())
		if !e.IsDir() {
			all = append(all, at)
			continue
		}
		below, err := names(ctx, tree, at)
		if err != nil {
			return nil, err
		}
		if len(below) == 0 {
			below = []string{at + "/"}
		}
		all = append(all, below...)
	}
	return all, nil
}
