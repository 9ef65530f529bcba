"""Tables with roles labelled by hand, and how far the suggested roles agree with them."""
