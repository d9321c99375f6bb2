#!/usr/bin/env python3
"""A server of tus 1.0 at /files on loopback: tus.py PORT FOLDER. tuspyserver and uvicorn must be on the path."""
import sys

# This folder has a multipart.py of its own, and the server's libraries mean another.
sys.path.pop(0)

import uvicorn
from fastapi import FastAPI
from tuspyserver import create_tus_router

app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=sys.argv[2], strict_offset_validation=True))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
