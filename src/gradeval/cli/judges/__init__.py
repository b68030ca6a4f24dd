"""The command about judges: are their grades as good as those of humans?"""
