"""Files that are written and read: emitted folders, manifests, templates, and their places."""
