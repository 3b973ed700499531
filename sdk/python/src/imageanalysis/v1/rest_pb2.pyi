from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
REST_FIELD_NUMBER: _ClassVar[int]
rest: _descriptor.FieldDescriptor
RULES_FIELD_NUMBER: _ClassVar[int]
rules: _descriptor.FieldDescriptor

class RestOptions(_message.Message):
    __slots__ = ("bindings", "refusals")
    BINDINGS_FIELD_NUMBER: _ClassVar[int]
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    bindings: _containers.RepeatedCompositeFieldContainer[RestBinding]
    refusals: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, bindings: _Optional[_Iterable[_Union[RestBinding, _Mapping]]] = ..., refusals: _Optional[_Iterable[str]] = ...) -> None: ...

class RestBinding(_message.Message):
    __slots__ = ("path", "multipart", "data_url", "query", "headers")
    PATH_FIELD_NUMBER: _ClassVar[int]
    MULTIPART_FIELD_NUMBER: _ClassVar[int]
    DATA_URL_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    path: str
    multipart: MultipartBody
    data_url: DataUrlBody
    query: _containers.RepeatedCompositeFieldContainer[QueryParameter]
    headers: _containers.RepeatedCompositeFieldContainer[HeaderParameter]
    def __init__(self, path: _Optional[str] = ..., multipart: _Optional[_Union[MultipartBody, _Mapping]] = ..., data_url: _Optional[_Union[DataUrlBody, _Mapping]] = ..., query: _Optional[_Iterable[_Union[QueryParameter, _Mapping]]] = ..., headers: _Optional[_Iterable[_Union[HeaderParameter, _Mapping]]] = ...) -> None: ...

class MultipartBody(_message.Message):
    __slots__ = ("file_part", "file_field")
    FILE_PART_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_FIELD_NUMBER: _ClassVar[int]
    file_part: str
    file_field: str
    def __init__(self, file_part: _Optional[str] = ..., file_field: _Optional[str] = ...) -> None: ...

class DataUrlBody(_message.Message):
    __slots__ = ("member", "field")
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    member: str
    field: str
    def __init__(self, member: _Optional[str] = ..., field: _Optional[str] = ...) -> None: ...

class QueryParameter(_message.Message):
    __slots__ = ("name", "field", "presence", "invalid_reason")
    class Presence(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PRESENCE_UNSPECIFIED: _ClassVar[QueryParameter.Presence]
        PRESENCE_WITH_VALUE: _ClassVar[QueryParameter.Presence]
        PRESENCE_BARE: _ClassVar[QueryParameter.Presence]
    PRESENCE_UNSPECIFIED: QueryParameter.Presence
    PRESENCE_WITH_VALUE: QueryParameter.Presence
    PRESENCE_BARE: QueryParameter.Presence
    NAME_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    PRESENCE_FIELD_NUMBER: _ClassVar[int]
    INVALID_REASON_FIELD_NUMBER: _ClassVar[int]
    name: str
    field: str
    presence: QueryParameter.Presence
    invalid_reason: str
    def __init__(self, name: _Optional[str] = ..., field: _Optional[str] = ..., presence: _Optional[_Union[QueryParameter.Presence, str]] = ..., invalid_reason: _Optional[str] = ...) -> None: ...

class HeaderParameter(_message.Message):
    __slots__ = ("name", "field")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    name: str
    field: str
    def __init__(self, name: _Optional[str] = ..., field: _Optional[str] = ...) -> None: ...

class FieldRules(_message.Message):
    __slots__ = ("required", "minimum", "maximum", "max_length", "pattern", "on_request")
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    ON_REQUEST_FIELD_NUMBER: _ClassVar[int]
    required: bool
    minimum: float
    maximum: float
    max_length: int
    pattern: str
    on_request: bool
    def __init__(self, required: bool = ..., minimum: _Optional[float] = ..., maximum: _Optional[float] = ..., max_length: _Optional[int] = ..., pattern: _Optional[str] = ..., on_request: bool = ...) -> None: ...
