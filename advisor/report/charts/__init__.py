"""Pictures of a plan as inline SVG: data and words in, a string out. Nothing is estimated or judged here."""
