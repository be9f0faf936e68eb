/** What the other side of a connection of databases says before its bytes are only passed on, and what it is called that it goes or says nothing. */
import type { Duplex } from 'node:stream';
import { StreamBytes } from '../../../platform/std/stream-bytes.ts';
import { DbFailure, type DbFailureKind } from './db-failure.ts';

export class ByteSource extends StreamBytes {
  /** `whenGone`: what it is called that the other side has gone, or says nothing in time. */
  constructor(stream: Duplex, whenGone: DbFailureKind = 'gone') {
    super(stream, {
      closed: () => new DbFailure(whenGone, 'the connection was closed'),
      silent: () => new DbFailure(whenGone, 'no answer in time'),
    });
  }
}
