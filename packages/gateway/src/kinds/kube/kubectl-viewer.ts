/** A kubectl that looks at a terminal, in the words of its streams. */
import type { Who } from '../../platform/http/actor.ts';
import type { SessionEnd } from '../../sessions/host/session-store.ts';
import { ProgramViewer } from '../../sessions/terminal/program-viewer.ts';
import type { Terminal } from '../../sessions/terminal/terminal.ts';
import { CUT_MS, type ExecChannels, finishExec } from './engine/streams/channels.ts';
import { KubeRefusal, statusBody } from './kube-refusal.ts';
import { sizeReader } from './read-sizes.ts';

/** Before its first size comes, which is at once. */
export const FIRST_SIZE = { cols: 80, rows: 24 };

export interface KubectlViewerOptions {
  terminal: Terminal;
  client: ExecChannels;
  caller: Who;
  address: string;
  /** How the cluster told the end, word for word; empty: it did not. */
  status(): Buffer;
  /** It has nothing more to type. */
  endInput(): void;
}

export function beginKubectlViewer({ client, status, endInput, ...options }: KubectlViewerOptions): void {
  const { stdin, stdout, resize } = client.streams;
  const wire = {
    ...{ stdin, stdout, endInput },
    onSize: (listener: Parameters<typeof sizeReader>[0]) => void resize?.on('data', sizeReader(listener)),
    closed: client.closed.then(() => 'left' as const),
    end: (end: SessionEnd) =>
      void finishExec(client, statusOf(end, status()), end.cause === 'exited' ? undefined : CUT_MS),
    moved: () => client.close(),
  };
  new ProgramViewer({ ...options, wire, size: FIRST_SIZE }).begin();
}

function statusOf({ cause, message }: SessionEnd, told: Buffer): Buffer {
  if (told.length > 0 && (cause === 'exited' || cause === 'target_lost')) return told;
  return statusBody(new KubeRefusal({ code: 403, message }).status);
}
