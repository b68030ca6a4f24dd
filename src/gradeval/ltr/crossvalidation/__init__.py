"""Cross-validation: does it matter what rankers are trained for?"""
