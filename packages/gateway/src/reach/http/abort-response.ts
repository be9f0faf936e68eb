/** Ends an answer that is not whole in a way no client takes for its end. */
import type { ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';

export function abortResponse(response: ServerResponse): void {
  // A stream of HTTP/2 that is destroyed without a reason looks complete.
  if (isHttp2(response)) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/** A stream of HTTP/2 that its client resets ends like one whose body was whole. */
export function isAborted(request: object): boolean {
  return isHttp2(request) && request.stream.closed;
}

function isHttp2<Message extends object>(message: Message): message is Message & { stream: ServerHttp2Stream } {
  return 'stream' in message;
}
