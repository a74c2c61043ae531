"""The web face: a wizard, a plan, a chat, checks of deliveries and offers. Gradio is imported only inside this room."""
