"""OpenCV's FaceDetectorYN behind the thinnest FastAPI server: MODEL names the network, PORT the port."""

import os
import threading

import cv2
import numpy
import uvicorn
from fastapi import FastAPI, UploadFile

app = FastAPI()
local = threading.local()  # a detector is not safe between threads
LONGEST_SIDE = 1280


@app.get("/")
def alive():
    return "ok"


@app.post("/detect")
def detect(file: UploadFile):
    picture = cv2.imdecode(numpy.frombuffer(file.file.read(), numpy.uint8), cv2.IMREAD_COLOR)
    height, width = picture.shape[:2]
    scale = min(1.0, LONGEST_SIDE / max(height, width))
    if scale < 1:
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        height, width = picture.shape[:2]
    if not hasattr(local, "detector"):
        local.detector = cv2.FaceDetectorYN.create(os.environ["MODEL"], "", (width, height), 0.65)
    local.detector.setInputSize((width, height))
    _, faces = local.detector.detect(picture)
    faces = [] if faces is None else faces
    return {
        "found": f"{len(faces)} faces",
        "faces": [{"box": (f[:4] / scale).tolist(), "score": float(f[14])} for f in faces],
    }


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
