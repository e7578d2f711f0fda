"""The protocol of agent hosts, used as a host uses it: by the official client."""
