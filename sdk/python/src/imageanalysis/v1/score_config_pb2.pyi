from google.api import annotations_pb2 as _annotations_pb2
from imageanalysis.v1 import rest_pb2 as _rest_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class GetDetectionScoreRequest(_message.Message):
    __slots__ = ("company", "password")
    COMPANY_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    company: str
    password: str
    def __init__(self, company: _Optional[str] = ..., password: _Optional[str] = ...) -> None: ...

class GetDetectionScoreResponse(_message.Message):
    __slots__ = ("company", "detection_score")
    COMPANY_FIELD_NUMBER: _ClassVar[int]
    DETECTION_SCORE_FIELD_NUMBER: _ClassVar[int]
    company: str
    detection_score: float
    def __init__(self, company: _Optional[str] = ..., detection_score: _Optional[float] = ...) -> None: ...

class SetDetectionScoreRequest(_message.Message):
    __slots__ = ("company", "password", "detection_score")
    COMPANY_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    DETECTION_SCORE_FIELD_NUMBER: _ClassVar[int]
    company: str
    password: str
    detection_score: float
    def __init__(self, company: _Optional[str] = ..., password: _Optional[str] = ..., detection_score: _Optional[float] = ...) -> None: ...

class SetDetectionScoreResponse(_message.Message):
    __slots__ = ("company", "detection_score")
    COMPANY_FIELD_NUMBER: _ClassVar[int]
    DETECTION_SCORE_FIELD_NUMBER: _ClassVar[int]
    company: str
    detection_score: float
    def __init__(self, company: _Optional[str] = ..., detection_score: _Optional[float] = ...) -> None: ...
