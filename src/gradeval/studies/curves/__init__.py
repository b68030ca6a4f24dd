"""How does precision fall as recall grows?"""
