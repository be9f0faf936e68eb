/** The channels of an exec as streams of a SPDY connection. */
import type { Duplex } from 'node:stream';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import { SpdyError } from '../spdy/spdy-error.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import type { Channel, ExecChannels } from './channels.ts';

/** The one that tells how a command ended as data; who is older than kubectl 1.5 has no other. */
export const SPDY_EXEC_PROTOCOL = 'v4.channel.k8s.io';
/** For all streams to be opened. */
export const OPEN_MS = 30_000;

export interface Upgraded {
  stream: Duplex;
  /** What came behind the answer or the request. */
  rest: Buffer;
}

type Streams = Partial<Record<Channel, SpdyStream>>;

/** From a client, which opens what its query asks for. Rejects when it does not. */
export async function acceptSpdyExec({ stream, rest }: Upgraded, wanted: readonly Channel[]): Promise<ExecChannels> {
  const streams: Streams = {};
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const connection = new SpdyConnection({
    wire: stream,
    rest,
    side: 'server',
    onStream(opened) {
      const type = wanted.find((each) => each === opened.headers.streamtype?.[0]);
      if (!type || streams[type]) {
        opened.destroy();
        return;
      }
      streams[type] = opened;
      // Nobody is heard there.
      if (type !== 'stdin' && type !== 'resize') opened.resume();
      if (wanted.every((each) => streams[each])) resolve();
    },
  });
  await within(connection, promise, reject);
  return channels(connection, streams);
}

/** To a cluster. */
export async function openSpdyExec({ stream, rest }: Upgraded, wanted: readonly Channel[]): Promise<ExecChannels> {
  const connection = new SpdyConnection({ wire: stream, rest, side: 'client' });
  const streams: Streams = {};
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const opened = wanted.map((type) => {
    const each = connection.open({ streamtype: type });
    streams[type] = each;
    // We say nothing there, and read nothing where we speak.
    if (type === 'stdin' || type === 'resize') each.resume();
    else each.end();
    return each.opened;
  });
  Promise.all(opened).then(() => resolve(), reject);
  await within(connection, promise, reject);
  return channels(connection, streams);
}

async function within(connection: SpdyConnection, opened: Promise<void>, fail: (error: Error) => void): Promise<void> {
  const timer = setTimeout(
    () => fail(new SpdyError(`its streams were not opened within ${OPEN_MS / 1000} s`)),
    OPEN_MS,
  );
  void connection.closed.then((error) => fail(error ?? new SpdyError('it was closed before its streams were opened')));
  try {
    await opened;
  } catch (error) {
    connection.fail(error as Error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function channels(connection: SpdyConnection, streams: Streams): ExecChannels {
  const { error } = streams;
  if (!error) throw new TypeError('an exec without its status');
  return {
    protocol: 'SPDY',
    streams: { ...streams, error },
    closed: connection.closed.then((failure) => failure?.message),
    close: () => connection.close(),
    destroy: () => connection.fail(new SpdyError('it was cut')),
    closesFirst: true,
  };
}
