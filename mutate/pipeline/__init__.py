"""From a request to a report: the stages in order. No stage prints, none knows the command line."""
