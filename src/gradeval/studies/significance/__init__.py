"""Do runs differ?"""
