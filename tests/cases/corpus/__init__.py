"""A sample of the campaign over the regression suite's SQL."""
