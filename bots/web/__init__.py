"""The web face: a wizard, a plan, a chat, checks of deliveries and offers. Gradio is imported only inside this room."""

import os

# Read by Gradio when it is imported: it must not speak to anybody.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_OFFLINE"] = "1"
