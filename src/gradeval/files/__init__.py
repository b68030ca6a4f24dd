"""Read bytes, plain or compressed; write whole files and folders, never half of one."""
