"""Rehearsals: conversations go the whole way, and are held to what is expected of them.

Nothing here is part of a service. ``extract`` replays public dialogues with a scripted model,
``story`` runs a file of episodes and expectations, ``again`` learns anew what a store has kept.
"""
