"""The tools, resources and prompts by which an agent's host reaches the memory, over pipes and over HTTP."""
