"""The Slack face: threads, buttons, a form and files over async Bolt. The only room that knows Slack."""
