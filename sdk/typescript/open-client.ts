import { type ChannelCredentials, type ChannelOptions, Client, credentials as grpcCredentials } from '@grpc/grpc-js';
import { keepalive, maxMessageBytes } from '../../runtime/net/grpc-channel.js';

/** @param credentials without them, the connection is plain text */
export function openClient(
  address: string,
  credentials: ChannelCredentials = grpcCredentials.createInsecure(),
  channelOptions?: ChannelOptions,
): Client {
  return new Client(address, credentials, {
    'grpc.max_receive_message_length': maxMessageBytes,
    // By default, pauses grow with the time that the service is gone, to two minutes.
    'grpc.max_reconnect_backoff_ms': 1_000,
    ...keepalive,
    ...channelOptions,
  });
}
