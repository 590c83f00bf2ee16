"""What is written and read: emitted folders, their manifests, templates, and where they are."""
