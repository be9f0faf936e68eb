/** Shells in pods for pages of the console: the same decisions, the same way to the cluster and the same session as for programs. */
import type { TerminalRequest } from '@gatehouse/contract/sessions/terminal-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Terminal } from '../../sessions/terminal/terminal.ts';
import type { Terminals } from '../../sessions/terminal/terminals.ts';
import type { ClusterStreams } from './cluster-streams.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import { execTarget, readExecRequest } from './engine/streams/exec-request.ts';
import type { KubeCalls } from './kube-calls.ts';
import { KubeRefusal } from './kube-refusal.ts';
import { endWith, requireProven } from './plain-exec.ts';
import { createPodExec } from './pod-exec.ts';

/** The better shell where it is there. Programs there cannot know what draws them. */
const SHELL = ['sh', '-c', 'TERM=xterm-256color; export TERM; command -v bash >/dev/null 2>&1 && exec bash; exec sh'];

/** In the words of containerd, CRI-O and runc. */
const NO_SHELL = /executable file not found|exec: "sh"|no such file or directory/i;

/** The command is ours: where it is not found, there is no shell. */
export function adviseNoShell(message: string): string {
  return NO_SHELL.test(message)
    ? ". There is no shell in this container: the page of the pod has 'Debug container', which adds one that has"
    : '';
}

export interface BrowserExecDeps {
  calls: Pick<KubeCalls, 'enter'>;
  streams: ClusterStreams;
  terminals: Pick<Terminals, 'open'>;
}

export interface BrowserExec {
  caller: Caller;
  address: string;
  requestId: string;
  wanted: Extract<TerminalRequest, { type: 'exec' }>;
  proveFactor(): Promise<void>;
}

export type OpenBrowserExec = (opening: BrowserExec) => Promise<Terminal>;

export function createBrowserExec({ calls, streams, terminals }: BrowserExecDeps): OpenBrowserExec {
  return async ({ caller, address, requestId, wanted, proveFactor }) => {
    const { cluster, namespace, pod, container = '', user, cols, rows, request } = wanted;
    const flags = { stdin: true, stdout: true, stderr: false, tty: true };
    const asked = execTarget({ does: 'exec', namespace, pod, container, command: SHELL, ...flags });
    const target = readKubeRequest('POST', asked);
    try {
      const entered = await calls.enter({
        visitor: { caller, address, call: 'terminal', holder: `terminal ${request}`, proveFactor },
        name: cluster,
        asked: { user, groups: [] },
        request: target,
        requestId,
      });
      const rested = entered.use.begin();
      const exec = createPodExec(streams, entered, readExecRequest(target), 'websocket', adviseNoShell);
      try {
        const terminal = await terminals.open({
          ...{ caller, address, requestId, request, size: { cols, rows } },
          // A shell is what it is; nothing else was asked for.
          target: { ...exec, command: undefined },
          proveFactor: () => requireProven(entered),
        });
        const idle = entered.use.hosted.parts.attach({ isBusy: () => true });
        endWith(entered, terminal.hosted);
        whenAborted(terminal.hosted.signal, () => {
          idle();
          rested();
        });
        return terminal;
      } catch (error) {
        rested();
        throw exec.refusal() ?? error;
      }
    } catch (error) {
      // Pages know nothing of statuses.
      if (error instanceof KubeRefusal) throw new AppError('denied', error.message);
      throw error;
    }
  };
}
