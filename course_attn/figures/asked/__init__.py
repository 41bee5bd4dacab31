"""What each chapter asks before it shows a result: one module per chapter, by its name."""
