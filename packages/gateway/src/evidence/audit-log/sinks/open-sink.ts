/** Makes a sink from its configuration. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ListenAddress, parseListen } from '../../../platform/config/address.ts';
import type { AuditSink } from '../../../platform/config/audit-schema.ts';
import { StartError } from '../../../platform/std/start-error.ts';
import { fileSink } from './file-sink.ts';
import type { Sink } from './sink.ts';
import { syslogSink } from './syslog-sink.ts';
import { webhookSink } from './webhook-sink.ts';

export function openSink(sink: AuditSink, dataDir: string): Sink {
  switch (sink.type) {
    case 'webhook':
      return webhookSink(sink);
    case 'file':
      return fileSink({ name: sink.name, path: resolve(dataDir, sink.path) });
    case 'syslog': {
      // The configuration's schema has read it once already.
      const { host, port } = parseListen(sink.address) as ListenAddress;
      return syslogSink({
        name: sink.name,
        host,
        port,
        ca: readAuthority(sink, dataDir),
        dataId: sink.structuredDataId,
      });
    }
    default:
      return sink satisfies never;
  }
}

function readAuthority({ name, ca }: { name: string; ca?: string | undefined }, dataDir: string): string | undefined {
  if (ca === undefined) return undefined;
  try {
    return readFileSync(resolve(dataDir, ca), 'utf8');
  } catch (cause) {
    throw new StartError(`the authority of the audit sink '${name}' cannot be read from '${ca}'`, { cause });
  }
}
