"""Objectives of other papers, to compare with: ListNet, ApproxNDCG, LambdaLoss."""
