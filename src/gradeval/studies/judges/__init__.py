"""Do the grades of a judge, such as a language model, lead where human grades lead?"""
