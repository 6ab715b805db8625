"""Members that a chat model speaks for, or decides for: what it is told, what it may say, what is done with it."""
