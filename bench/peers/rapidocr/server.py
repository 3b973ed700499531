"""RapidOCR with the PP-OCRv6 networks of its package behind the thinnest FastAPI server."""

import os
import threading

import uvicorn
from fastapi import FastAPI, UploadFile
from rapidocr import RapidOCR

app = FastAPI()
engine = RapidOCR()
lock = threading.Lock()  # the engine keeps state between its steps


@app.get("/")
def alive():
    return "ok"


@app.post("/detect")
def detect(file: UploadFile):
    content = file.file.read()
    with lock:
        result = engine(content)
    return {"found": " ".join(result.txts or ())[:60]}


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
