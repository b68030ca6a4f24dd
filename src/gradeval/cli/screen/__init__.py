"""What commands say on stderr: notices and progress."""
