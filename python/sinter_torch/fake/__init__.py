"""Running code on fake tensors: they have a shape, a dtype and a device, and no storage, so no GPU is needed."""
