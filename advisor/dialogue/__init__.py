"""Text to answers in English and Chinese, what is still missing, wording of questions."""
