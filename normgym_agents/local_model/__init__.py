"""A small real model on this machine, as an OpenAI-compatible endpoint: to try the plumbing without a key.

It is SmolLM2-135M-Instruct, served by llama.cpp. What it does in a community says nothing about anything but that
the parts fit together.
"""
