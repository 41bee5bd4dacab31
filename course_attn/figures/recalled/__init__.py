"""What each chapter asks again on later days: one module per chapter, by its name."""
