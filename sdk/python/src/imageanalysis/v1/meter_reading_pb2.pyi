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

class ReadingStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    READING_STATUS_UNSPECIFIED: _ClassVar[ReadingStatus]
    READING_STATUS_OK: _ClassVar[ReadingStatus]
    READING_STATUS_CHECK: _ClassVar[ReadingStatus]

class ReadingWarning(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    READING_WARNING_UNSPECIFIED: _ClassVar[ReadingWarning]
    READING_WARNING_DIGIT_BETWEEN_POSITIONS: _ClassVar[ReadingWarning]
    READING_WARNING_FRACTION_UNKNOWN: _ClassVar[ReadingWarning]
    READING_WARNING_SEVERAL_COUNTERS: _ClassVar[ReadingWarning]
    READING_WARNING_ROTATED_INPUT: _ClassVar[ReadingWarning]
    READING_WARNING_LOW_LIGHT: _ClassVar[ReadingWarning]
    READING_WARNING_GLARE: _ClassVar[ReadingWarning]
    READING_WARNING_UNEXPECTED_DIGITS: _ClassVar[ReadingWarning]
    READING_WARNING_BELOW_PREVIOUS: _ClassVar[ReadingWarning]
    READING_WARNING_JUMP_TOO_LARGE: _ClassVar[ReadingWarning]
    READING_WARNING_PHOTOS_DISAGREE: _ClassVar[ReadingWarning]
    READING_WARNING_COUNTER_CUT: _ClassVar[ReadingWarning]
READING_STATUS_UNSPECIFIED: ReadingStatus
READING_STATUS_OK: ReadingStatus
READING_STATUS_CHECK: ReadingStatus
READING_WARNING_UNSPECIFIED: ReadingWarning
READING_WARNING_DIGIT_BETWEEN_POSITIONS: ReadingWarning
READING_WARNING_FRACTION_UNKNOWN: ReadingWarning
READING_WARNING_SEVERAL_COUNTERS: ReadingWarning
READING_WARNING_ROTATED_INPUT: ReadingWarning
READING_WARNING_LOW_LIGHT: ReadingWarning
READING_WARNING_GLARE: ReadingWarning
READING_WARNING_UNEXPECTED_DIGITS: ReadingWarning
READING_WARNING_BELOW_PREVIOUS: ReadingWarning
READING_WARNING_JUMP_TOO_LARGE: ReadingWarning
READING_WARNING_PHOTOS_DISAGREE: ReadingWarning
READING_WARNING_COUNTER_CUT: ReadingWarning

class ReadMeterRequest(_message.Message):
    __slots__ = ("image", "expected_digits", "expected_decimals", "previous_reading", "max_increase", "serial_number", "alternatives", "details", "expected_unit")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_DIGITS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_DECIMALS_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_READING_FIELD_NUMBER: _ClassVar[int]
    MAX_INCREASE_FIELD_NUMBER: _ClassVar[int]
    SERIAL_NUMBER_FIELD_NUMBER: _ClassVar[int]
    ALTERNATIVES_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_UNIT_FIELD_NUMBER: _ClassVar[int]
    image: bytes
    expected_digits: int
    expected_decimals: int
    previous_reading: str
    max_increase: str
    serial_number: bool
    alternatives: bool
    details: bool
    expected_unit: str
    def __init__(self, image: _Optional[bytes] = ..., expected_digits: _Optional[int] = ..., expected_decimals: _Optional[int] = ..., previous_reading: _Optional[str] = ..., max_increase: _Optional[str] = ..., serial_number: bool = ..., alternatives: bool = ..., details: bool = ..., expected_unit: _Optional[str] = ...) -> None: ...

class ReadMeterResponse(_message.Message):
    __slots__ = ("meter_number", "value", "unit", "confidence", "status", "warnings", "bounding_box", "digits", "alternatives", "printed", "details", "polygon")
    METER_NUMBER_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    BOUNDING_BOX_FIELD_NUMBER: _ClassVar[int]
    DIGITS_FIELD_NUMBER: _ClassVar[int]
    ALTERNATIVES_FIELD_NUMBER: _ClassVar[int]
    PRINTED_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    POLYGON_FIELD_NUMBER: _ClassVar[int]
    meter_number: str
    value: str
    unit: str
    confidence: float
    status: ReadingStatus
    warnings: _containers.RepeatedScalarFieldContainer[ReadingWarning]
    bounding_box: _geometry_pb2.BoundingBox
    digits: _containers.RepeatedCompositeFieldContainer[MeterDigit]
    alternatives: AlternativeReadings
    printed: PrintedText
    details: ReadingDetails
    polygon: _containers.RepeatedCompositeFieldContainer[_geometry_pb2.Point]
    def __init__(self, meter_number: _Optional[str] = ..., value: _Optional[str] = ..., unit: _Optional[str] = ..., confidence: _Optional[float] = ..., status: _Optional[_Union[ReadingStatus, str]] = ..., warnings: _Optional[_Iterable[_Union[ReadingWarning, str]]] = ..., bounding_box: _Optional[_Union[_geometry_pb2.BoundingBox, _Mapping]] = ..., digits: _Optional[_Iterable[_Union[MeterDigit, _Mapping]]] = ..., alternatives: _Optional[_Union[AlternativeReadings, _Mapping]] = ..., printed: _Optional[_Union[PrintedText, _Mapping]] = ..., details: _Optional[_Union[ReadingDetails, _Mapping]] = ..., polygon: _Optional[_Iterable[_Union[_geometry_pb2.Point, _Mapping]]] = ...) -> None: ...

class ReadingDetails(_message.Message):
    __slots__ = ("digits_confidence", "fraction_confidence", "model")
    DIGITS_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    FRACTION_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    digits_confidence: float
    fraction_confidence: float
    model: _model_pb2.ModelInfo
    def __init__(self, digits_confidence: _Optional[float] = ..., fraction_confidence: _Optional[float] = ..., model: _Optional[_Union[_model_pb2.ModelInfo, _Mapping]] = ...) -> None: ...

class AlternativeReadings(_message.Message):
    __slots__ = ("readings",)
    READINGS_FIELD_NUMBER: _ClassVar[int]
    readings: _containers.RepeatedCompositeFieldContainer[AlternativeReading]
    def __init__(self, readings: _Optional[_Iterable[_Union[AlternativeReading, _Mapping]]] = ...) -> None: ...

class AlternativeReading(_message.Message):
    __slots__ = ("meter_number", "value", "probability")
    METER_NUMBER_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    meter_number: str
    value: str
    probability: float
    def __init__(self, meter_number: _Optional[str] = ..., value: _Optional[str] = ..., probability: _Optional[float] = ...) -> None: ...

class PrintedText(_message.Message):
    __slots__ = ("serial_number", "unit")
    SERIAL_NUMBER_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    serial_number: str
    unit: str
    def __init__(self, serial_number: _Optional[str] = ..., unit: _Optional[str] = ...) -> None: ...

class MeterDigit(_message.Message):
    __slots__ = ("digit", "confidence", "bounding_box", "polygon")
    DIGIT_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    BOUNDING_BOX_FIELD_NUMBER: _ClassVar[int]
    POLYGON_FIELD_NUMBER: _ClassVar[int]
    digit: str
    confidence: float
    bounding_box: _geometry_pb2.BoundingBox
    polygon: _containers.RepeatedCompositeFieldContainer[_geometry_pb2.Point]
    def __init__(self, digit: _Optional[str] = ..., confidence: _Optional[float] = ..., bounding_box: _Optional[_Union[_geometry_pb2.BoundingBox, _Mapping]] = ..., polygon: _Optional[_Iterable[_Union[_geometry_pb2.Point, _Mapping]]] = ...) -> None: ...

class FuseMeterReadingsRequest(_message.Message):
    __slots__ = ("images", "expected_digits", "expected_decimals", "previous_reading", "max_increase", "alternatives", "details", "expected_unit")
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_DIGITS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_DECIMALS_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_READING_FIELD_NUMBER: _ClassVar[int]
    MAX_INCREASE_FIELD_NUMBER: _ClassVar[int]
    ALTERNATIVES_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_UNIT_FIELD_NUMBER: _ClassVar[int]
    images: _containers.RepeatedScalarFieldContainer[bytes]
    expected_digits: int
    expected_decimals: int
    previous_reading: str
    max_increase: str
    alternatives: bool
    details: bool
    expected_unit: str
    def __init__(self, images: _Optional[_Iterable[bytes]] = ..., expected_digits: _Optional[int] = ..., expected_decimals: _Optional[int] = ..., previous_reading: _Optional[str] = ..., max_increase: _Optional[str] = ..., alternatives: bool = ..., details: bool = ..., expected_unit: _Optional[str] = ...) -> None: ...

class FuseMeterReadingsResponse(_message.Message):
    __slots__ = ("reading", "best_photo", "photos")
    READING_FIELD_NUMBER: _ClassVar[int]
    BEST_PHOTO_FIELD_NUMBER: _ClassVar[int]
    PHOTOS_FIELD_NUMBER: _ClassVar[int]
    reading: ReadMeterResponse
    best_photo: int
    photos: _containers.RepeatedCompositeFieldContainer[PhotoReading]
    def __init__(self, reading: _Optional[_Union[ReadMeterResponse, _Mapping]] = ..., best_photo: _Optional[int] = ..., photos: _Optional[_Iterable[_Union[PhotoReading, _Mapping]]] = ...) -> None: ...

class PhotoReading(_message.Message):
    __slots__ = ("agrees", "value", "confidence", "status", "warnings", "refusal")
    AGREES_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    agrees: bool
    value: str
    confidence: float
    status: ReadingStatus
    warnings: _containers.RepeatedScalarFieldContainer[ReadingWarning]
    refusal: str
    def __init__(self, agrees: bool = ..., value: _Optional[str] = ..., confidence: _Optional[float] = ..., status: _Optional[_Union[ReadingStatus, str]] = ..., warnings: _Optional[_Iterable[_Union[ReadingWarning, str]]] = ..., refusal: _Optional[str] = ...) -> None: ...

class StreamReadMetersRequest(_message.Message):
    __slots__ = ("id", "request")
    ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    request: ReadMeterRequest
    def __init__(self, id: _Optional[str] = ..., request: _Optional[_Union[ReadMeterRequest, _Mapping]] = ...) -> None: ...

class StreamReadMetersResponse(_message.Message):
    __slots__ = ("id", "response", "error")
    ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    id: str
    response: ReadMeterResponse
    error: _status_pb2.Status
    def __init__(self, id: _Optional[str] = ..., response: _Optional[_Union[ReadMeterResponse, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...
