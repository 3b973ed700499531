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
REST_SERVICE_FIELD_NUMBER: _ClassVar[int]
rest_service: _descriptor.FieldDescriptor
RULES_FIELD_NUMBER: _ClassVar[int]
rules: _descriptor.FieldDescriptor
REST_FIELD_FIELD_NUMBER: _ClassVar[int]
rest_field: _descriptor.FieldDescriptor
REST_MESSAGE_FIELD_NUMBER: _ClassVar[int]
rest_message: _descriptor.FieldDescriptor
REST_ENUM_FIELD_NUMBER: _ClassVar[int]
rest_enum: _descriptor.FieldDescriptor

class RestService(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: str
    def __init__(self, key: _Optional[str] = ...) -> None: ...

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
    __slots__ = ("name", "field", "presence", "description")
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
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    field: str
    presence: QueryParameter.Presence
    description: str
    def __init__(self, name: _Optional[str] = ..., field: _Optional[str] = ..., presence: _Optional[_Union[QueryParameter.Presence, str]] = ..., description: _Optional[str] = ...) -> None: ...

class HeaderParameter(_message.Message):
    __slots__ = ("name", "field")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    name: str
    field: str
    def __init__(self, name: _Optional[str] = ..., field: _Optional[str] = ...) -> None: ...

class FieldRules(_message.Message):
    __slots__ = ("required", "minimum", "maximum", "max_length", "pattern", "on_request", "example", "max_items")
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    ON_REQUEST_FIELD_NUMBER: _ClassVar[int]
    EXAMPLE_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    required: bool
    minimum: float
    maximum: float
    max_length: int
    pattern: str
    on_request: bool
    example: str
    max_items: int
    def __init__(self, required: bool = ..., minimum: _Optional[float] = ..., maximum: _Optional[float] = ..., max_length: _Optional[int] = ..., pattern: _Optional[str] = ..., on_request: bool = ..., example: _Optional[str] = ..., max_items: _Optional[int] = ...) -> None: ...

class RestField(_message.Message):
    __slots__ = ("name", "inline", "min_decimals", "max_decimals", "note", "header")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INLINE_FIELD_NUMBER: _ClassVar[int]
    MIN_DECIMALS_FIELD_NUMBER: _ClassVar[int]
    MAX_DECIMALS_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    name: str
    inline: bool
    min_decimals: int
    max_decimals: int
    note: RestNote
    header: str
    def __init__(self, name: _Optional[str] = ..., inline: bool = ..., min_decimals: _Optional[int] = ..., max_decimals: _Optional[int] = ..., note: _Optional[_Union[RestNote, _Mapping]] = ..., header: _Optional[str] = ...) -> None: ...

class RestNote(_message.Message):
    __slots__ = ("one", "other", "list", "min_items")
    ONE_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    MIN_ITEMS_FIELD_NUMBER: _ClassVar[int]
    one: str
    other: str
    list: str
    min_items: int
    def __init__(self, one: _Optional[str] = ..., other: _Optional[str] = ..., list: _Optional[str] = ..., min_items: _Optional[int] = ...) -> None: ...

class RestMessage(_message.Message):
    __slots__ = ("file",)
    FILE_FIELD_NUMBER: _ClassVar[int]
    file: RestFile
    def __init__(self, file: _Optional[_Union[RestFile, _Mapping]] = ...) -> None: ...

class RestFile(_message.Message):
    __slots__ = ("body", "type", "media_range")
    BODY_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    MEDIA_RANGE_FIELD_NUMBER: _ClassVar[int]
    body: str
    type: str
    media_range: str
    def __init__(self, body: _Optional[str] = ..., type: _Optional[str] = ..., media_range: _Optional[str] = ...) -> None: ...

class RestEnum(_message.Message):
    __slots__ = ("lower_case",)
    LOWER_CASE_FIELD_NUMBER: _ClassVar[int]
    lower_case: bool
    def __init__(self, lower_case: bool = ...) -> None: ...
