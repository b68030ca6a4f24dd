"""Are files valid, and do runs keep the rules of a task?"""
