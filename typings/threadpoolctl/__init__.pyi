# What Vigent uses of threadpoolctl, which has no types of its own.

from contextlib import AbstractContextManager

class ThreadpoolController:
    def limit(
        self, *, limits: int, user_api: str
    ) -> AbstractContextManager[ThreadpoolController]: ...
