from google.api import annotations_pb2 as _annotations_pb2
from google.rpc import status_pb2 as _status_pb2
from imageanalysis.v1 import geometry_pb2 as _geometry_pb2
from imageanalysis.v1 import model_pb2 as _model_pb2
from imageanalysis.v1 import rest_pb2 as _rest_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ThresholdSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    THRESHOLD_SOURCE_UNSPECIFIED: _ClassVar[ThresholdSource]
    THRESHOLD_SOURCE_REQUEST: _ClassVar[ThresholdSource]
    THRESHOLD_SOURCE_COMPANY: _ClassVar[ThresholdSource]
    THRESHOLD_SOURCE_DEFAULT: _ClassVar[ThresholdSource]
THRESHOLD_SOURCE_UNSPECIFIED: ThresholdSource
THRESHOLD_SOURCE_REQUEST: ThresholdSource
THRESHOLD_SOURCE_COMPANY: ThresholdSource
THRESHOLD_SOURCE_DEFAULT: ThresholdSource

class DetectSingleFaceRequest(_message.Message):
    __slots__ = ("image", "company", "min_score", "landmarks", "crop", "details", "attributes", "min_quality", "crop_aligned", "margin", "crop_format", "crop_size")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    COMPANY_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    LANDMARKS_FIELD_NUMBER: _ClassVar[int]
    CROP_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    MIN_QUALITY_FIELD_NUMBER: _ClassVar[int]
    CROP_ALIGNED_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    CROP_FORMAT_FIELD_NUMBER: _ClassVar[int]
    CROP_SIZE_FIELD_NUMBER: _ClassVar[int]
    image: bytes
    company: str
    min_score: float
    landmarks: bool
    crop: bool
    details: bool
    attributes: bool
    min_quality: float
    crop_aligned: bool
    margin: float
    crop_format: str
    crop_size: int
    def __init__(self, image: _Optional[bytes] = ..., company: _Optional[str] = ..., min_score: _Optional[float] = ..., landmarks: bool = ..., crop: bool = ..., details: bool = ..., attributes: bool = ..., min_quality: _Optional[float] = ..., crop_aligned: bool = ..., margin: _Optional[float] = ..., crop_format: _Optional[str] = ..., crop_size: _Optional[int] = ...) -> None: ...

class DetectSingleFaceResponse(_message.Message):
    __slots__ = ("face", "details")
    FACE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    face: Face
    details: DetectionDetails
    def __init__(self, face: _Optional[_Union[Face, _Mapping]] = ..., details: _Optional[_Union[DetectionDetails, _Mapping]] = ...) -> None: ...

class DetectAllFacesRequest(_message.Message):
    __slots__ = ("image", "company", "min_score", "landmarks", "crop", "details", "max_faces", "attributes", "min_quality", "crop_aligned", "margin", "crop_format", "crop_size")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    COMPANY_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    LANDMARKS_FIELD_NUMBER: _ClassVar[int]
    CROP_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    MAX_FACES_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    MIN_QUALITY_FIELD_NUMBER: _ClassVar[int]
    CROP_ALIGNED_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    CROP_FORMAT_FIELD_NUMBER: _ClassVar[int]
    CROP_SIZE_FIELD_NUMBER: _ClassVar[int]
    image: bytes
    company: str
    min_score: float
    landmarks: bool
    crop: bool
    details: bool
    max_faces: int
    attributes: bool
    min_quality: float
    crop_aligned: bool
    margin: float
    crop_format: str
    crop_size: int
    def __init__(self, image: _Optional[bytes] = ..., company: _Optional[str] = ..., min_score: _Optional[float] = ..., landmarks: bool = ..., crop: bool = ..., details: bool = ..., max_faces: _Optional[int] = ..., attributes: bool = ..., min_quality: _Optional[float] = ..., crop_aligned: bool = ..., margin: _Optional[float] = ..., crop_format: _Optional[str] = ..., crop_size: _Optional[int] = ...) -> None: ...

class DetectAllFacesResponse(_message.Message):
    __slots__ = ("faces", "omitted_faces", "details")
    FACES_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FACES_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    faces: _containers.RepeatedCompositeFieldContainer[Face]
    omitted_faces: int
    details: DetectionDetails
    def __init__(self, faces: _Optional[_Iterable[_Union[Face, _Mapping]]] = ..., omitted_faces: _Optional[int] = ..., details: _Optional[_Union[DetectionDetails, _Mapping]] = ...) -> None: ...

class StreamDetectFacesRequest(_message.Message):
    __slots__ = ("id", "request")
    ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    request: DetectAllFacesRequest
    def __init__(self, id: _Optional[str] = ..., request: _Optional[_Union[DetectAllFacesRequest, _Mapping]] = ...) -> None: ...

class StreamDetectFacesResponse(_message.Message):
    __slots__ = ("id", "response", "error")
    ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    id: str
    response: DetectAllFacesResponse
    error: _status_pb2.Status
    def __init__(self, id: _Optional[str] = ..., response: _Optional[_Union[DetectAllFacesResponse, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class RedactFacesRequest(_message.Message):
    __slots__ = ("image", "company", "min_score", "style", "margin", "format")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    COMPANY_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    STYLE_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    image: bytes
    company: str
    min_score: float
    style: str
    margin: float
    format: str
    def __init__(self, image: _Optional[bytes] = ..., company: _Optional[str] = ..., min_score: _Optional[float] = ..., style: _Optional[str] = ..., margin: _Optional[float] = ..., format: _Optional[str] = ...) -> None: ...

class RedactFacesResponse(_message.Message):
    __slots__ = ("image", "content_type", "face_count")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    FACE_COUNT_FIELD_NUMBER: _ClassVar[int]
    image: bytes
    content_type: str
    face_count: int
    def __init__(self, image: _Optional[bytes] = ..., content_type: _Optional[str] = ..., face_count: _Optional[int] = ...) -> None: ...

class StreamRedactFacesRequest(_message.Message):
    __slots__ = ("id", "request")
    ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    request: RedactFacesRequest
    def __init__(self, id: _Optional[str] = ..., request: _Optional[_Union[RedactFacesRequest, _Mapping]] = ...) -> None: ...

class StreamRedactFacesResponse(_message.Message):
    __slots__ = ("id", "response", "error")
    ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    id: str
    response: RedactFacesResponse
    error: _status_pb2.Status
    def __init__(self, id: _Optional[str] = ..., response: _Optional[_Union[RedactFacesResponse, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class Face(_message.Message):
    __slots__ = ("bounding_box", "detection_score", "crop_jpeg", "landmarks", "attributes")
    BOUNDING_BOX_FIELD_NUMBER: _ClassVar[int]
    DETECTION_SCORE_FIELD_NUMBER: _ClassVar[int]
    CROP_JPEG_FIELD_NUMBER: _ClassVar[int]
    LANDMARKS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    bounding_box: _geometry_pb2.BoundingBox
    detection_score: float
    crop_jpeg: bytes
    landmarks: FaceLandmarks
    attributes: FaceAttributes
    def __init__(self, bounding_box: _Optional[_Union[_geometry_pb2.BoundingBox, _Mapping]] = ..., detection_score: _Optional[float] = ..., crop_jpeg: _Optional[bytes] = ..., landmarks: _Optional[_Union[FaceLandmarks, _Mapping]] = ..., attributes: _Optional[_Union[FaceAttributes, _Mapping]] = ...) -> None: ...

class FaceAttributes(_message.Message):
    __slots__ = ("roll", "yaw", "pitch", "sharpness", "brightness", "contrast", "inter_eye_distance", "is_cut", "quality")
    ROLL_FIELD_NUMBER: _ClassVar[int]
    YAW_FIELD_NUMBER: _ClassVar[int]
    PITCH_FIELD_NUMBER: _ClassVar[int]
    SHARPNESS_FIELD_NUMBER: _ClassVar[int]
    BRIGHTNESS_FIELD_NUMBER: _ClassVar[int]
    CONTRAST_FIELD_NUMBER: _ClassVar[int]
    INTER_EYE_DISTANCE_FIELD_NUMBER: _ClassVar[int]
    IS_CUT_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    roll: float
    yaw: float
    pitch: float
    sharpness: float
    brightness: float
    contrast: float
    inter_eye_distance: float
    is_cut: bool
    quality: float
    def __init__(self, roll: _Optional[float] = ..., yaw: _Optional[float] = ..., pitch: _Optional[float] = ..., sharpness: _Optional[float] = ..., brightness: _Optional[float] = ..., contrast: _Optional[float] = ..., inter_eye_distance: _Optional[float] = ..., is_cut: bool = ..., quality: _Optional[float] = ...) -> None: ...

class FaceLandmarks(_message.Message):
    __slots__ = ("right_eye", "left_eye", "nose_tip", "right_mouth_corner", "left_mouth_corner")
    RIGHT_EYE_FIELD_NUMBER: _ClassVar[int]
    LEFT_EYE_FIELD_NUMBER: _ClassVar[int]
    NOSE_TIP_FIELD_NUMBER: _ClassVar[int]
    RIGHT_MOUTH_CORNER_FIELD_NUMBER: _ClassVar[int]
    LEFT_MOUTH_CORNER_FIELD_NUMBER: _ClassVar[int]
    right_eye: _geometry_pb2.Point
    left_eye: _geometry_pb2.Point
    nose_tip: _geometry_pb2.Point
    right_mouth_corner: _geometry_pb2.Point
    left_mouth_corner: _geometry_pb2.Point
    def __init__(self, right_eye: _Optional[_Union[_geometry_pb2.Point, _Mapping]] = ..., left_eye: _Optional[_Union[_geometry_pb2.Point, _Mapping]] = ..., nose_tip: _Optional[_Union[_geometry_pb2.Point, _Mapping]] = ..., right_mouth_corner: _Optional[_Union[_geometry_pb2.Point, _Mapping]] = ..., left_mouth_corner: _Optional[_Union[_geometry_pb2.Point, _Mapping]] = ...) -> None: ...

class DetectionDetails(_message.Message):
    __slots__ = ("image", "threshold", "model")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    image: _geometry_pb2.ImageSize
    threshold: Threshold
    model: _model_pb2.ModelInfo
    def __init__(self, image: _Optional[_Union[_geometry_pb2.ImageSize, _Mapping]] = ..., threshold: _Optional[_Union[Threshold, _Mapping]] = ..., model: _Optional[_Union[_model_pb2.ModelInfo, _Mapping]] = ...) -> None: ...

class Threshold(_message.Message):
    __slots__ = ("value", "source")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    value: float
    source: ThresholdSource
    def __init__(self, value: _Optional[float] = ..., source: _Optional[_Union[ThresholdSource, str]] = ...) -> None: ...
