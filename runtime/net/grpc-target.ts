/** An address of a gRPC service, as `host:port` or with a scheme that gRPC resolves; not a URL. */
export const grpcTarget = /^((dns|ipv4|ipv6|unix):\S+|[^\s:/]+:\d+|\[[0-9a-fA-F:]+\]:\d+)$/;
export const grpcTargetWish = 'want host:port or a gRPC target such as dns:///core.internal:50051';
