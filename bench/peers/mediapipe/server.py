"""MediaPipe's face detection (the network for faces within five metres) behind the thinnest FastAPI server."""

import os
import threading

import cv2
import mediapipe
import numpy
import uvicorn
from fastapi import FastAPI, UploadFile

app = FastAPI()
local = threading.local()  # a detector is not safe between threads


@app.get("/")
def alive():
    return "ok"


@app.post("/detect")
def detect(file: UploadFile):
    picture = cv2.imdecode(numpy.frombuffer(file.file.read(), numpy.uint8), cv2.IMREAD_COLOR)
    if not hasattr(local, "detector"):
        solution = mediapipe.solutions.face_detection.FaceDetection
        local.detector = solution(model_selection=1, min_detection_confidence=0.5)
    result = local.detector.process(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
    faces = [
        {
            "box": [getattr(f.location_data.relative_bounding_box, n) for n in ("xmin", "ymin", "width", "height")],
            "score": f.score[0],
        }
        for f in result.detections or []
    ]
    return {"found": f"{len(faces)} faces", "faces": faces}


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
