"""What do the clicks of users say of their thresholds?"""
