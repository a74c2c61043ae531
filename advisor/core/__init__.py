"""Units, facts, findings, bilingual text and the tree of errors. Imports nothing of ours."""
