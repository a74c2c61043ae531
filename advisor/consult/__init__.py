"""The front desks, one module each. They carry values between the rooms."""
