"""From a definition to its gradients, every step recorded."""
