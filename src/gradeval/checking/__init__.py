"""`check()`: are the files valid, do runs keep the rules, and how much do the judgments cover?"""
