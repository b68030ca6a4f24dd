"""What does a value tell of a ranking?"""
