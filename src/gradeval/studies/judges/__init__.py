"""Do the grades of a judge, such as a language model, lead where those of humans lead?"""
