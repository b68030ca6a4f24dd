"""SoftRank: measures of uncertain scores, by contests between documents."""
