from google.protobuf import descriptor_pb2 as _descriptor_pb2
from imageanalysis.v1 import rest_pb2 as _rest_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_MISSING_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_REPEATED_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_MALFORMED_MULTIPART: _ClassVar[ErrorReason]
    ERROR_REASON_MALFORMED_JSON: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_DATA_URL: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_BASE64: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_SCORE: _ClassVar[ErrorReason]
    ERROR_REASON_EMPTY_IMAGE: _ClassVar[ErrorReason]
    ERROR_REASON_CORRUPT_IMAGE: _ClassVar[ErrorReason]
    ERROR_REASON_MISSING_API_KEY: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_API_KEY: _ClassVar[ErrorReason]
    ERROR_REASON_COMPANY_AUTH_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_KEY_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_NO_SUCH_ROUTE: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_COMPANY: _ClassVar[ErrorReason]
    ERROR_REASON_NO_FACE: _ClassVar[ErrorReason]
    ERROR_REASON_NO_READING: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_API_KEY: _ClassVar[ErrorReason]
    ERROR_REASON_COMPANY_EXISTS: _ClassVar[ErrorReason]
    ERROR_REASON_METHOD_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_UNSUPPORTED_IMAGE_TYPE: _ClassVar[ErrorReason]
    ERROR_REASON_UNSUPPORTED_CONTENT_TYPE: _ClassVar[ErrorReason]
    ERROR_REASON_BODY_TOO_LARGE: _ClassVar[ErrorReason]
    ERROR_REASON_IMAGE_TOO_MANY_PIXELS: _ClassVar[ErrorReason]
    ERROR_REASON_RATE_LIMITED: _ClassVar[ErrorReason]
    ERROR_REASON_QUEUE_FULL: _ClassVar[ErrorReason]
    ERROR_REASON_CLIENT_CLOSED: _ClassVar[ErrorReason]
    ERROR_REASON_DEADLINE: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
    ERROR_REASON_CORE_UNAVAILABLE: _ClassVar[ErrorReason]
    ERROR_REASON_SHUTTING_DOWN: _ClassVar[ErrorReason]
    ERROR_REASON_STORE_UNAVAILABLE: _ClassVar[ErrorReason]
    ERROR_REASON_WORKER_LOST: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_MISSING_FIELD: ErrorReason
ERROR_REASON_REPEATED_FIELD: ErrorReason
ERROR_REASON_INVALID_FIELD: ErrorReason
ERROR_REASON_UNKNOWN_FIELD: ErrorReason
ERROR_REASON_MALFORMED_MULTIPART: ErrorReason
ERROR_REASON_MALFORMED_JSON: ErrorReason
ERROR_REASON_INVALID_DATA_URL: ErrorReason
ERROR_REASON_INVALID_BASE64: ErrorReason
ERROR_REASON_INVALID_SCORE: ErrorReason
ERROR_REASON_EMPTY_IMAGE: ErrorReason
ERROR_REASON_CORRUPT_IMAGE: ErrorReason
ERROR_REASON_MISSING_API_KEY: ErrorReason
ERROR_REASON_INVALID_API_KEY: ErrorReason
ERROR_REASON_COMPANY_AUTH_FAILED: ErrorReason
ERROR_REASON_KEY_NOT_ALLOWED: ErrorReason
ERROR_REASON_NO_SUCH_ROUTE: ErrorReason
ERROR_REASON_UNKNOWN_COMPANY: ErrorReason
ERROR_REASON_NO_FACE: ErrorReason
ERROR_REASON_NO_READING: ErrorReason
ERROR_REASON_UNKNOWN_API_KEY: ErrorReason
ERROR_REASON_COMPANY_EXISTS: ErrorReason
ERROR_REASON_METHOD_NOT_ALLOWED: ErrorReason
ERROR_REASON_UNSUPPORTED_IMAGE_TYPE: ErrorReason
ERROR_REASON_UNSUPPORTED_CONTENT_TYPE: ErrorReason
ERROR_REASON_BODY_TOO_LARGE: ErrorReason
ERROR_REASON_IMAGE_TOO_MANY_PIXELS: ErrorReason
ERROR_REASON_RATE_LIMITED: ErrorReason
ERROR_REASON_QUEUE_FULL: ErrorReason
ERROR_REASON_CLIENT_CLOSED: ErrorReason
ERROR_REASON_DEADLINE: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason
ERROR_REASON_CORE_UNAVAILABLE: ErrorReason
ERROR_REASON_SHUTTING_DOWN: ErrorReason
ERROR_REASON_STORE_UNAVAILABLE: ErrorReason
ERROR_REASON_WORKER_LOST: ErrorReason
GRPC_CODE_FIELD_NUMBER: _ClassVar[int]
grpc_code: _descriptor.FieldDescriptor
