/** What somebody wants to run in a pod on a terminal, ready to be opened as a session. */
import { AppError } from '../../platform/std/app-error.ts';
import type { InnerShell } from '../../sessions/terminal/shells.ts';
import type { ClusterStreams } from './cluster-streams.ts';
import type { StreamKind } from './engine/streams/client-upgrade.ts';
import type { ExecRequest } from './engine/streams/exec-request.ts';
import { commandLine, execAction } from './exec-action.ts';
import type { KubeEntered } from './kube-calls.ts';
import { KubeRefusal } from './kube-refusal.ts';
import { PodShell } from './pod-shell.ts';

export interface PodExec extends InnerShell {
  /** What the cluster answered instead of running it. */
  refusal(): KubeRefusal | undefined;
  /** How it ended, word for word; empty while it runs, and where the cluster told nothing. */
  status(): Buffer;
  /** Nothing more will be typed by who opened it. */
  endInput(): void;
}

export function createPodExec(
  streams: ClusterStreams,
  entered: KubeEntered,
  exec: ExecRequest,
  carrier: StreamKind['carrier'],
  advise?: (message: string) => string,
): PodExec {
  let refusal: KubeRefusal | undefined;
  let shell: PodShell | undefined;
  return {
    action: execAction(entered.use, exec),
    command: commandLine(exec.command),
    async open({ size, events }) {
      try {
        const channels = await streams.exec(entered, exec, carrier);
        shell = new PodShell({ channels, pod: exec.pod, size, events, ...(advise ? { advise } : {}) });
        return shell;
      } catch (error) {
        if (!(error instanceof KubeRefusal)) throw error;
        refusal = error;
        // For those who wait in it: sessions know nothing of clusters.
        throw new AppError('denied', error.message);
      }
    },
    refusal: () => refusal,
    status: () => shell?.status ?? Buffer.alloc(0),
    endInput: () => shell?.endInput(),
  };
}
