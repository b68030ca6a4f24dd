"""Do measures order runs alike, also with fewer judgments?"""
